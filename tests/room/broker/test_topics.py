"""The names of the topics."""

from room.broker.topics import Topic, address_of, clock_topic, hub_topic

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
