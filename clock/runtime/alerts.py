"""When the clock would make itself heard, if the director has asked for it.

A clock is silent by default: a sound at a flag would announce it, and that is for a player or the
director to do (EBF 4.3(iii), R82). Low time may be announced: in Berlin the opponent is asked to
warn a player about a minute before his time is used up, and a clock can do it for him.

The one rule: a signal is what play has brought about, seen between two moments of a match; what the
director sets by hand is never one.
"""

from enum import StrEnum
from typing import NamedTuple

from clock.match.state import MatchState
from clock.match.rules import MINUTE_NS
from clock.match.sides import Side

LOW_TIME_NS = MINUTE_NS  # Berlin: "about one minute before"


class Signal(StrEnum):
    """What can be heard."""

    LOW_TIME = "low_time"
    FLAG = "flag"


class Moment(NamedTuple):
    """A match at an instant."""

    state: MatchState
    at_ns: int


class Signals(NamedTuple):
    """What is to be heard now, and when to ask again."""

    due: tuple[Signal, ...]
    next_ns: int | None  # None: not before something else happens


def signals(before: Moment | None, now: Moment, wanted: frozenset[Signal]) -> Signals:
    """The signals between two moments, and the next instant at which one will be due.

    Args:
        before: when this was asked last; None: never.
        now: up to the instant before which no press can still arrive, so that none is mistaken.
        wanted: those that the director wants to hear.

    A flag falls at a deadline of the match itself, so only low time has an instant here.
    """
    due = [
        signal
        for signal, has_come in ((Signal.LOW_TIME, _time_is_low), (Signal.FLAG, _flag_fell))
        if signal in wanted and before is not None
        if any(has_come(before, now, side) for side in Side)
    ]
    return Signals(tuple(due), _low_at_ns(now) if Signal.LOW_TIME in wanted else None)


def _time_is_low(before: Moment, now: Moment, side: Side) -> bool:
    """The side's reserve has come down to a minute, by being played."""
    if side not in (before.state.running, now.state.running):
        return False
    granted = [moment.state.players[side].account.granted_ns for moment in (before, now)]
    left_ns = [moment.state.reserve_ns(side, moment.at_ns) for moment in (before, now)]
    return granted[0] == granted[1] and left_ns[0] > LOW_TIME_NS >= left_ns[1]


def _flag_fell(before: Moment, now: Moment, side: Side) -> bool:
    """The side's flag has fallen by itself; one that the director sets has no instant."""
    flag = now.state.players[side].flag
    fell = flag is not None and flag.at_ns is not None
    return fell and before.state.players[side].flag is None


def _low_at_ns(now: Moment) -> int | None:
    """When the reserve of the running side will be low; None if none runs, or it is already."""
    state, side = now.state, now.state.running
    if side is None:
        return None
    ahead_ns = state.reserve_ns(side, now.at_ns) - LOW_TIME_NS
    return now.at_ns + state.delay_left_ns(now.at_ns) + ahead_ns if ahead_ns > 0 else None
