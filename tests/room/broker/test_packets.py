"""Packets as a broker sends them, which are read as paho reads them."""

from itertools import product

import pytest
from paho.mqtt._packet import decode_publish
from paho.mqtt.enums import MQTTProtocolVersion

from room.broker.packets import PUBLISH, Message, first_packet, packet, text

PING_ANSWERED = bytes((0xD0, 0))
PROMISED = packet(PUBLISH | 0x02, text("t"), b"\0\1", b"\0", b"payload")
LONGEST_NUMBER = b"\xff\xff\xff\x7f"


@pytest.mark.parametrize("properties", [b"\0", b"\2\1\1", b"\7\x26\0\1a\0\1b"])
@pytest.mark.parametrize("size", [0, 100, 119, 200, 20_000])
def test_messages_are_read_as_paho_reads_them(properties: bytes, size: int) -> None:
    """Also those that were retained, and whatever comes behind them."""
    body = text("room/1") + properties + bytes(size)
    theirs = decode_publish(PUBLISH, body, MQTTProtocolVersion.MQTTv5)
    for first, behind in product((PUBLISH, PUBLISH | 1), (b"", b"\x30", LONGEST_NUMBER)):
        found = first_packet((whole := packet(first, body)) + behind)
        assert found == (len(whole), Message(theirs.topic.decode(), bytes(theirs.payload)))


@pytest.mark.parametrize("whole", [packet(PUBLISH, text("t"), b"\0", bytes(200)), PING_ANSWERED])
def test_a_packet_that_has_not_come_whole_waits(whole: bytes) -> None:
    assert {first_packet(whole[:size]) for size in range(len(whole))} == {None}


@pytest.mark.parametrize("other", [PING_ANSWERED, PROMISED])
def test_other_packets_are_left_as_they_are(other: bytes) -> None:
    """Paho answers what has a promise."""
    assert first_packet(other + b"\0") == (len(other), None)


@pytest.mark.parametrize(
    "spoilt",
    [
        bytes((PUBLISH,)) + b"\xff\xff\xff\xff",
        packet(PUBLISH, b"\0\2t"),
        packet(PUBLISH, b"\0\1\xff\0"),
        packet(PUBLISH, b"\0\1t", b"\xff\xff\xff\xff"),
        packet(PUBLISH, b"\0\1t", b"\5", b"\0"),
    ],
    ids=["length", "topic", "text", "number", "properties"],
)
def test_what_is_no_packet_is_an_error(spoilt: bytes) -> None:
    with pytest.raises(ValueError, match=r"a number of|a message ends|decode"):
        first_packet(spoilt)
