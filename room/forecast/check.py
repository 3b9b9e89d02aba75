"""Compare forecasts with logs of real matches, to see how far they can be trusted."""

from collections.abc import Iterable, Iterator
from statistics import fmean, median
from typing import NamedTuple

from clock.eventlog.replay import replay_lines
from clock.match.events import RestoredEvent
from clock.match.types import Phase
from clock.units import MINUTE_NS, SECOND_NS
from room.forecast.match import PRIOR, Standing, rest_s, standing_of
from room.forecast.pace import MatchPace, follow_pace
from room.forecast.round import Spread, spread

EVERY_NS = 10 * MINUTE_NS  # a forecast is made so often
PLAYED = ("score", "time")  # how a match ends that was played to its end
TIMES = ("early", "middle", "late")
EXPECTED = (0.1, 0.5, 0.9)  # the shares of ends that are due before each time of a spread


class Compared(NamedTuple):
    """A forecast, and how long the match then took."""

    said: Spread
    took_s: float


class NotComparedError(Exception):
    """A log says nothing about forecasts; the text says why."""


def compare_forecasts(lines: Iterable[bytes]) -> list[Compared]:
    """Return the forecasts of a match, one every ten minutes, and what came true.

    Args:
        lines: of its log, without their line feeds.

    Raises:
        DamagedError: a line is not what the clock wrote.
        NotComparedError: the match was not played to its end, or its log spans a power cut, over
            which no time is known.
    """
    made: list[tuple[int, Standing]] = []
    pace, before, due_ns = MatchPace(), None, 0
    for step in replay_lines(lines):
        state, record = step.match.state, step.line.record
        if isinstance(record.event, RestoredEvent):
            raise NotComparedError("its log spans a power cut")
        if not due_ns and state.phase is Phase.RUNNING:
            due_ns = state.at_ns + EVERY_NS
        while before and due_ns and due_ns <= state.at_ns:
            pause = before.pause
            standing = standing_of(before, pace, pause.end_ns() - due_ns if pause else 0)
            made += [(due_ns, standing)] if standing else []
            due_ns += EVERY_NS
        pace = follow_pace(pace, before, record, state)
        before = state
    if before is None or before.ended not in PLAYED:
        raise NotComparedError("it was not played to its end")
    return [
        Compared(spread(rest_s(standing, PRIOR)), (before.at_ns - at_ns) / SECOND_NS)
        for at_ns, standing in made
    ]


def table(matches: int, compared: list[Compared]) -> Iterator[str]:
    """Yield lines that say how often forecasts came true.

    Args:
        matches: how many were compared.
        compared: their forecasts; at least one.
    """
    minutes = EVERY_NS // MINUTE_NS
    made, of = _counted(len(compared), "forecast"), _counted(matches, "match", "matches")
    yield f"{made} of {of}, one every {minutes} minutes"
    for number, share in enumerate(EXPECTED):
        ended = fmean(each.took_s <= each.said[number] for each in compared)
        yield f"  ended before the {TIMES[number]} time: {ended:4.0%}   (should be {share:.0%})"
    wrong_min = median(abs(each.took_s - each.said.middle_s) for each in compared) / 60
    yield f"  the middle time was wrong by {wrong_min:.1f} minutes (median)"


def _counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: "1 match", "2 matches"."""
    return f"{number} {one if number == 1 else many or one + 's'}"
