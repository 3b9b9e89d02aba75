"""What a chart shows: the time along its axis, the stops that are marked, the steps of an axis."""

import pytest

from clock.match import inputs
from clock.match.rules import Reason
from clock.report.build import summary
from clock.report.chart_data import Period, marked_stops, period, round_step_ns
from clock.report.summary import Stamp
from lab.support.charts import SCRIPT, S, settings
from lab.support.match_scripts import Author, log_of
from lab.support.reports import told
from lab.support.world import LEFT, World


def test_what_lies_outside_is_shown_at_the_edge() -> None:
    shown = Period(10, 20)
    assert [shown.clamp(at_ns) for at_ns in (9, 10, 15, 20, 21)] == [10, 10, 15, 20, 20]
    assert shown.span(Stamp(1, 5, ""), Stamp(2, 25, "")) == (10, 20)
    assert shown.span(Stamp(1, 12, ""), Stamp(2, 13, "")) == (12, 13)
    assert shown.span(Stamp(1, 12, ""), None) == (12, 20)


def test_the_axis_begins_with_what_came_first() -> None:
    """The confirmation, or a player who was late before it; no other act."""
    confirmed = summary(log_of(SCRIPT, settings()))
    assert period(confirmed) == (3 * S, 103 * S)
    late = World(settings()).wait("0:05").act(inputs.AbsenceNoted, side=LEFT).wait("0:05")
    assert period(told(late.act(inputs.Approved).centre())).begin_ns == 5 * S
    swapped = World(settings()).wait("0:05").act(inputs.SidesSwapped).wait("0:05")
    assert period(told(swapped.act(inputs.Approved).centre())).begin_ns == 10 * S


def test_the_axis_ends_with_the_match() -> None:
    """Or with the log, if that is not over; and is never without length."""
    over = World.stopped().act(inputs.MatchEnded, winner=LEFT, why="director").wait("0:09")
    told_later = told(over.act(inputs.FaultSeen, part="log", what="full"))
    assert told_later.over is not None
    assert period(told_later).end_ns == told_later.over[0].at_ns < told_later.last.at_ns
    assert period(summary(log_of("0 wait", settings()))) == (0, S)


def test_stops_that_belong_to_another_sign_are_not_marked() -> None:
    """The end of a game and a power cut have signs of their own."""
    author = Author(settings(length=5))
    author.confirm()
    author.do("press left")
    author.stop_for(Reason.INVALID_ROLL)
    author.do("power cut", 3)
    author.do("press centre")
    author.end_game(LEFT, 1)
    of = told(author)
    assert [stop.reason for stop in of.stops] == ["invalid_roll", "power_loss", "game_over"]
    assert [stop.reason for stop in marked_stops(of)] == ["invalid_roll"]


@pytest.mark.parametrize(
    ("span_s", "most", "step_s"),
    [
        (0, 6, 1),
        (6, 6, 1),
        (7, 6, 5),
        (60, 6, 10),
        (61, 6, 15),
        (12 * 14400, 12, 14400),
        (12 * 14400 + 1, 12, 28800),
        (36 * 14400, 12, 3 * 14400),
    ],
)
def test_the_smallest_round_step_of_which_few_enough_make_the_span(
    span_s: int, most: int, step_s: int
) -> None:
    assert round_step_ns(span_s * S, most) == step_s * S


def test_all_steps_are_round() -> None:
    """Parts of a minute, of an hour, or of a day in whole seconds, minutes or hours."""
    steps = {round_step_ns(span_s * S, 1) // S for span_s in range(14401)}
    for step in steps:
        units = ((1, 60), (60, 3600), (3600, 86400))
        assert any(step % unit == 0 and whole % step == 0 for unit, whole in units), step
    assert len(steps) > 10
