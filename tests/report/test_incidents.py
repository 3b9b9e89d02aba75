"""Flags and faults: how long each lasted; whose act an event is."""

import pytest

from clock.match import events
from clock.match.types import Pair
from clock.report.cases import is_act, is_by_director
from clock.units import SECOND_NS
from lab.support.world import LEFT

S = SECOND_NS


@pytest.mark.parametrize(
    ("event", "is_an_act", "is_directors"),
    [
        (events.ConfirmedEvent("director"), True, True),
        (events.ConfirmedEvent("centre"), False, False),
        (events.OvertimeEvent(LEFT, 0, S, "clock"), True, False),
        (events.OvertimeEvent(LEFT, 0, S, "director"), True, True),
        (events.MatchOverEvent(LEFT, "score", Pair(5, 0), []), False, False),
        (events.MatchOverEvent(LEFT, "time", Pair(5, 0), []), True, True),
    ],
)
def test_who_did_it(event: events.AnyEvent, is_an_act: bool, is_directors: bool) -> None:
    assert (is_act(event), is_by_director(event)) == (is_an_act, is_directors)
