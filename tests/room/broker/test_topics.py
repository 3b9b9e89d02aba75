"""The names of the topics."""

from msgspec.structs import replace

from room.broker.topics import LinkState, Topic, address_of, clock_topic, decode, encode, hub_topic

ROOM = "gammonclock/1/open/red-1/"


def test_topics_name_their_clock() -> None:
    for topic in Topic:
        name = clock_topic("open", "red-1", topic)
        assert name == f"gammonclock/1/open/red-1/{topic}"
        assert address_of("open", name) == ("red-1", topic)
    for name in (
        hub_topic("open"),
        "gammonclock/1/other/red-1/log",
        "x/log",
        "",
        "log",
        f"{ROOM}x",
        f"{ROOM}log/x",
    ):
        assert address_of("open", name) is None


def test_what_a_payload_says_is_bounded() -> None:
    """A clock may be hostile: its texts are kept in memory, and shown."""
    largest = LinkState("online", (1 << 63) - 1, "x" * 200, status="x" * 1000)
    assert decode(encode(largest), LinkState) == largest
    for more in ({"session": 1 << 63}, {"version": "x" * 201}, {"status": "x" * 1001}):
        assert decode(encode(replace(largest, **more)), LinkState) is None
