"""Which matches are results of the event of a room."""

import pytest
from msgspec import structs

from room.boards.results import listed
from room.hub.room_event import RoomEvent
from tests.room.boards.test_results import result

LOCAL_NOON = "2026-05-01T12:00"
OPEN = RoomEvent("Open", "2026-05-01 09:00")


@pytest.mark.parametrize(
    ("event", "named", "begun", "heard", "is_of_event"),
    [
        (RoomEvent(), "", "2020-01-01T10:00", "", True),  # a room without an event has all
        (OPEN, "", LOCAL_NOON, "", True),
        (OPEN, "", "2026-05-01T08:59", LOCAL_NOON, False),  # another hall's of this morning
        (OPEN, "Open", "2026-04-30T20:00", "", True),  # offered, by a clock with a wrong date
        (OPEN, "Other", LOCAL_NOON, LOCAL_NOON, False),
        (OPEN, "", "1970-01-01T01:00:00+00:00", LOCAL_NOON, True),  # a clock without a date
        (OPEN, "", "1970-01-01T01:00:00+00:00", "2026-04-30T12:00", False),
        (RoomEvent("", "2025-12-31"), "", "2026-01-01T00:00:00+00:00", "", True),
        (OPEN, "", "no date", "", False),
        (OPEN, "", "0001-01-01T00:00:00+14:00", "", False),
        (RoomEvent("Open"), "", "2020-01-01T10:00", "", True),
        (RoomEvent("", "2026-05-01"), "Other", "2026-05-01T00:00", "", True),
    ],
)
def test_a_match_is_of_an_event(
    event: RoomEvent, named: str, begun: str, heard: str, *, is_of_event: bool
) -> None:
    """By the event that its log names, or else by the instant at which it began."""
    match = structs.replace(result("m", "7", begun), event=named)
    assert event.has(match, heard) is is_of_event


def test_other_matches_are_in_no_round() -> None:
    """The board's first match of the event is its first, whatever its clock brought along."""
    brought, own = result("a", "7", "2026-05-01T08:00"), result("b", "7", LOCAL_NOON)
    found = listed([brought, own], is_of_event=lambda each, _: OPEN.has(each, LOCAL_NOON))
    assert [(each.round, each.is_other) for each in found] == [(None, True), (1, False)]
