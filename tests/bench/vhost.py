"""A virtio device of a guest kernel, as the kernel speaks with it (vhost-user).

Over a Unix socket the kernel says where its memory and its ring are, and then each time that there
is something in the ring. It says that in a message and waits until the message is acknowledged
(in-band notifications with REPLY_ACK). While it waits no time passes for a guest in time travel, so
an answer given before the acknowledgement costs the guest no time at all, however slow the host is.
In real time the acknowledgement comes first: the guest goes on while the device works, as beside a
real one.

The one rule: whatever the kernel tells is acknowledged, and whatever it asks is answered.
"""

import os
import socket
import struct
from collections import deque
from enum import IntEnum
from typing import NamedTuple, Protocol

from bench.vhost_ring import Chain, Memory, Ring

HEADER = struct.Struct("<III")  # request, flags, size of the payload
NUMBER = struct.Struct("<Q")
STATE = struct.Struct("<II")  # a ring, and something about it
ADDRESSES = struct.Struct("<IIQQQQ")  # a ring, flags, its descriptors, used, available, log
VERSION, REPLY, NEED_REPLY = 1, 1 << 2, 1 << 3  # flags
VERSION_1, PROTOCOL_FEATURES = 1 << 32, 1 << 30  # features that every device here has
REPLY_ACK, BACKEND_REQUESTS, IN_BAND = 1 << 3, 1 << 5, 1 << 14  # of the protocol
VRING_CALL = 4  # the one request that goes to the kernel
MOST_FILES = 8  # in one message


class Ask(IntEnum):
    """What the kernel asks or tells."""

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
    """One message of the kernel's."""

    ask: Ask
    flags: int
    payload: bytes
    files: tuple[int, ...]


class Device(Protocol):
    """What is served: it answers requests, one after the other."""

    features: int  # its own bits

    def answer(self, chain: Chain) -> bytes | None:
        """The answer to a request; None: none, until a later one is answered."""


class Session:
    """One kernel, from its start to its end, with one ring."""

    def __init__(self, peer: socket.socket, device: Device, *, at_once: bool) -> None:
        self._peer, self._device, self._at_once = peer, device, at_once
        self._size = 0
        self._memory: Memory | None = None
        self._ring: Ring | None = None
        self._channel = -1  # where the kernel is told of answers
        self._unanswered: deque[Chain] = deque()

    def serve(self) -> None:
        """Until the kernel goes."""
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
        ask, flags, size = HEADER.unpack(header)
        return Message(Ask(ask), flags, self._read(size), tuple(files))

    def _read(self, size: int) -> bytes:
        """So many bytes, or fewer if the kernel has gone."""
        content = b""
        while len(content) < size and (more := self._peer.recv(size - len(content))):
            content += more
        return content

    def _reply(self, ask: Ask, number: int) -> None:
        header = HEADER.pack(ask, VERSION | REPLY, NUMBER.size)
        self._peer.sendall(header + NUMBER.pack(number))

    def _handle(self, message: Message) -> None:
        """What is asked gets its answer, what is told an acknowledgement."""
        match message.ask:
            case Ask.GET_FEATURES:
                self._reply(message.ask, VERSION_1 | PROTOCOL_FEATURES | self._device.features)
            case Ask.GET_PROTOCOL_FEATURES:
                self._reply(message.ask, REPLY_ACK | BACKEND_REQUESTS | IN_BAND)
            case Ask.RING_KICK:
                self._kicked(message)
            case _:
                self._told(message)
                self._acknowledge(message)

    def _acknowledge(self, message: Message) -> None:
        if message.flags & NEED_REPLY:
            self._reply(message.ask, 0)

    def _told(self, message: Message) -> None:
        match message.ask:
            case Ask.SET_MEMORY:
                self._memory = Memory(message.payload, message.files)
            case Ask.SET_RING_SIZE:
                _, self._size = STATE.unpack(message.payload)
            case Ask.SET_RING_ADDRESSES:
                assert self._memory is not None
                _, _, descriptors, used, available, _ = ADDRESSES.unpack(message.payload)
                self._ring = Ring(self._memory, self._size, descriptors, used, available)
            case Ask.SET_BACKEND_CHANNEL:
                [self._channel] = message.files
            case _:
                pass  # nothing else changes what is done here

    # --- the ring -------------------------------------------------------------------------------

    def _kicked(self, message: Message) -> None:
        if self._at_once:
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
                self._give(answer)

    def _give(self, answer: bytes) -> None:
        """To the newest request; what the device has left lying is handed back before it."""
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
