"""When a hub may take a room that another hub may have."""

import pytest

from clock.units import SECOND_NS
from room.broker.succession import ASK_NS, FIRST_NS, RETURN_NS, SILENCE_NS, Succession
from room.broker.topics import HubState

ONLINE, LOST, OFF = (HubState(state, session=7) for state in ("online", "lost", "off"))
BEFORE = HubState("online", session=6)
LATE_WILL = HubState("lost", session=6)
WITHIN_NS = 15 * SECOND_NS  # docs/room.md


def test_a_hub_that_is_gone_is_followed_in_time() -> None:
    """It may answer a question just before; then the other one looks once more, and connects."""
    assert ASK_NS + SILENCE_NS + 2 * FIRST_NS <= WITHIN_NS - 2 * SECOND_NS


@pytest.mark.parametrize(
    ("heard", "patience_ns"),
    [
        ([], FIRST_NS),  # a broker that retains nothing
        ([LOST], 0),  # this hub starts again after a crash
        ([OFF], 0),
        ([ONLINE], SILENCE_NS),
        ([ONLINE, LOST], RETURN_NS),  # its connection may be made again
        ([ONLINE, OFF], 0),  # it was ended
        ([BEFORE, ONLINE, LATE_WILL], SILENCE_NS),
    ],
)
def test_how_long_a_hub_waits_after_what_it_heard(heard: list[HubState], patience_ns: int) -> None:
    found = Succession()
    found.connected(10)
    for at, state in enumerate(heard, 11):
        found.hear(state, at)
    late = LATE_WILL in heard
    assert found.free_ns == 10 + len(heard) - late + patience_ns


def test_the_hub_that_had_the_room_is_first_after_the_broker_comes_back() -> None:
    """Its own session is no other hub; one that stood by gives it time to return."""
    had, stood_by = Succession(), Succession()
    had.own = 7
    stood_by.hear(ONLINE, 1)
    for each in (had, stood_by):
        each.connected(20)
    assert (had.free_ns, stood_by.free_ns) == (20 + FIRST_NS, 20 + RETURN_NS)
    for each in (had, stood_by):
        each.hear(ONLINE, 30)  # which the broker still believes
    assert (had.is_taken, had.free_ns) == (False, 30)
    assert (stood_by.is_taken, stood_by.free_ns) == (True, 30 + SILENCE_NS)


def test_a_hub_that_gave_no_answer_is_believed_only_if_it_answers() -> None:
    """The broker goes on saying that it is online, until it notices that the connection is dead."""
    found = Succession()
    found.hear(ONLINE, 1)
    found.take()
    found.connected(20)
    found.hear(ONLINE, 21)
    assert (found.is_taken, found.free_ns) == (False, 20 + FIRST_NS)
    found.hear(ONLINE, 22, answers=True)
    assert (found.is_taken, found.free_ns) == (True, 22 + SILENCE_NS)
