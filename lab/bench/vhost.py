"""The device's side of the vhost-user protocol, by which a guest kernel uses a virtio device.

Over a Unix socket the kernel sends the addresses of its memory and its ring. Then it sends a
message whenever it has put requests into the ring, and waits until the message is acknowledged
(in-band notifications with REPLY_ACK). In time travel no time passes for the guest while it waits;
so the device answers before it acknowledges, and the answer takes no time. In real time it
acknowledges first, so that the guest runs on while the device works, as with real hardware.
"""

import os
import socket
import struct
from collections import deque
from enum import IntEnum
from typing import NamedTuple, Protocol

from lab.bench.vhost_ring import Chain, Memory, Ring

HEADER = struct.Struct("<III")  # request, flags, size of the payload
NUMBER = struct.Struct("<Q")
STATE = struct.Struct("<II")  # a ring's number and a value
ADDRESSES = struct.Struct("<IIQQQQ")  # a ring's number, flags, descriptors, used, available, log
VERSION, REPLY, NEED_REPLY = 1, 1 << 2, 1 << 3  # flags
VERSION_1, PROTOCOL_FEATURES = 1 << 32, 1 << 30  # features that every device here has
REPLY_ACK, BACKEND_REQUESTS, IN_BAND = 1 << 3, 1 << 5, 1 << 14  # features of the protocol
VRING_CALL = 4  # the only request that is sent to the kernel
MOST_FILES = 8  # in one message


class Request(IntEnum):
    """A kind of message from the kernel."""

    GET_FEATURES = 1
    SET_FEATURES = 2
    SET_OWNER = 3
    SET_MEMORY = 5
    SET_RING_SIZE = 8
    SET_RING_ADDRESSES = 9
    SET_RING_BASE = 10
    GET_PROTOCOL_FEATURES = 15
    SET_PROTOCOL_FEATURES = 16
    SET_RING_ENABLED = 18
    SET_BACKEND_CHANNEL = 21
    RING_KICK = 35


class Message(NamedTuple):
    """A message from the kernel."""

    request: Request
    flags: int
    payload: bytes
    files: tuple[int, ...]


class Device(Protocol):
    """A device, which answers requests one after the other."""

    features: int  # the feature bits of this kind of device

    def answer(self, chain: Chain) -> bytes | None:
        """Return the answer to a request; None if it stays unanswered until a later one."""


class Session:
    """The connection of one kernel, with one ring."""

    def __init__(self, peer: socket.socket, device: Device, *, answer_first: bool) -> None:
        self._peer, self._device, self._answer_first = peer, device, answer_first
        self._size = 0
        self._memory: Memory | None = None
        self._ring: Ring | None = None
        self._channel = -1  # a socket to notify the kernel of answers
        self._unanswered: deque[Chain] = deque()

    def serve(self) -> None:
        """Handle messages until the kernel disconnects."""
        try:
            while (message := self._receive()) is not None:
                self._handle(message)
        finally:
            self._close()

    # --- messages -------------------------------------------------------------------------------

    def _receive(self) -> Message | None:
        begin, files, _, _ = socket.recv_fds(self._peer, HEADER.size, MOST_FILES)
        header = begin + self._read(HEADER.size - len(begin)) if begin else b""
        if len(header) < HEADER.size:
            return None
        request, flags, size = HEADER.unpack(header)
        return Message(Request(request), flags, self._read(size), tuple(files))

    def _read(self, size: int) -> bytes:
        """Read so many bytes, or fewer if the kernel disconnects."""
        content = b""
        while len(content) < size and (more := self._peer.recv(size - len(content))):
            content += more
        return content

    def _reply(self, request: Request, number: int) -> None:
        header = HEADER.pack(request, VERSION | REPLY, NUMBER.size)
        self._peer.sendall(header + NUMBER.pack(number))

    def _handle(self, message: Message) -> None:
        """Reply to a question; carry out and acknowledge any other message."""
        match message.request:
            case Request.GET_FEATURES:
                self._reply(message.request, VERSION_1 | PROTOCOL_FEATURES | self._device.features)
            case Request.GET_PROTOCOL_FEATURES:
                self._reply(message.request, REPLY_ACK | BACKEND_REQUESTS | IN_BAND)
            case Request.RING_KICK:
                self._handle_kick(message)
            case _:
                self._apply(message)
                self._acknowledge(message)

    def _acknowledge(self, message: Message) -> None:
        if message.flags & NEED_REPLY:
            self._reply(message.request, 0)

    def _apply(self, message: Message) -> None:
        match message.request:
            case Request.SET_MEMORY:
                self._memory = Memory(message.payload, message.files)
            case Request.SET_RING_SIZE:
                _, self._size = STATE.unpack(message.payload)
            case Request.SET_RING_ADDRESSES:
                assert self._memory is not None
                _, _, descriptors, used, available, _ = ADDRESSES.unpack(message.payload)
                self._ring = Ring(self._memory, self._size, descriptors, used, available)
            case Request.SET_BACKEND_CHANNEL:
                [self._channel] = message.files
            case _:
                pass  # no other message matters to this device

    # --- the ring -------------------------------------------------------------------------------

    def _handle_kick(self, message: Message) -> None:
        if self._answer_first:
            self._work()
            self._acknowledge(message)
        else:
            self._acknowledge(message)
            self._work()

    def _work(self) -> None:
        assert self._ring is not None
        for chain in self._ring.take():
            answer = self._device.answer(chain)
            self._unanswered.append(chain)
            if answer is not None:
                self._answer(answer)

    def _answer(self, answer: bytes) -> None:
        """Answer the newest request; return older unanswered ones, all zeros, before it."""
        assert self._ring is not None
        newest = self._unanswered.pop()
        while self._unanswered:
            late = self._unanswered.popleft()
            self._ring.give(late, bytes(late.asked))
        self._ring.give(newest, answer)
        os.write(self._channel, HEADER.pack(VRING_CALL, VERSION, STATE.size) + STATE.pack(0, 0))

    def _close(self) -> None:
        self._peer.close()
        if self._channel >= 0:
            os.close(self._channel)
        if self._memory is not None:
            self._memory.close()
