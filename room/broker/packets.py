"""Packets of MQTT 5: a hub reads and writes thousands, and paho takes long for each. Pure."""

from typing import NamedTuple

PUBLISH, QOS = 0x30, 0x06  # in the first byte: a message, and what is promised of it
MORE = 0x80  # in a byte of a number: another one follows
LONGEST = 4  # bytes of a number


class Message(NamedTuple):
    """What was published."""

    topic: str
    payload: bytes


class Packet(NamedTuple):
    """A packet of MQTT 5."""

    size: int
    message: Message | None  # None: it is none without a promise


def packet(first: int, *parts: bytes) -> bytes:
    """Return a packet that begins with a byte, and has these parts."""
    body, length = b"".join(parts), bytearray()
    left = len(body)
    while left >= MORE:
        length.append(left % MORE | MORE)
        left >>= 7
    return bytes((first, *length, left)) + body


def text(value: str) -> bytes:
    """Return a text as it stands in a packet."""
    found = value.encode()
    return len(found).to_bytes(2, "big") + found


def first_packet(data: bytes | bytearray) -> Packet | None:
    """Return the first packet of what has come; None: it has not come whole.

    Raises:
        ValueError: it is none.
    """
    if (found := _number(data, 1)) is None:
        return None
    length, begin = found
    end = begin + length
    if len(data) < end:
        return None
    if data[0] & (0xF0 | QOS) != PUBLISH:
        return Packet(end, None)
    body = bytes(data[begin:end])
    at = 2 + int.from_bytes(body[:2])
    if (found := _number(body, at)) is None:
        raise ValueError("a message ends before its properties")
    properties, begin = found
    if begin + properties > length:
        raise ValueError("a message ends before its properties do")
    return Packet(end, Message(body[2:at].decode(), body[begin + properties :]))


def _number(data: bytes | bytearray, at: int) -> tuple[int, int] | None:
    """Return the number of one to four bytes at a place, and where it ends; None: it is not whole.

    Raises:
        ValueError: it is longer.
    """
    number = 0
    for place, byte in enumerate(data[at : at + LONGEST]):
        number |= (byte & ~MORE) << 7 * place
        if not byte & MORE:
            return number, at + place + 1
    if len(data) >= at + LONGEST:
        raise ValueError("a number of more than four bytes")
    return None
