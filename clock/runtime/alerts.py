"""When the buzzer sounds, if the director has asked for it.

By default the clock is silent: a sound at a flag would announce it, and that is for a player or the
director to do (EBF 4.3(iii), R82). Low time may be announced: in Berlin the opponent is asked to
warn a player about one minute before their time runs out, and the clock can do it instead. Only
play causes alerts; what the director sets by hand does not.
"""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from clock.match.state import MatchState
from clock.match.types import Side
from clock.units import MINUTE_NS

LOW_TIME_NS = MINUTE_NS  # Berlin: "about one minute before"


class Alert(StrEnum):
    """What the buzzer announces; named as the keys of [sound]."""

    LOW_TIME = "low_time"
    FLAG = "flag"


class Snapshot(NamedTuple):
    """A match at an instant."""

    state: MatchState
    at_ns: int


class Alerts(NamedTuple):
    """The alerts that are due, and when to check again."""

    due: tuple[Alert, ...]
    next_ns: int | None  # None: not until the state changes


def wanted_alerts(switches: Struct) -> frozenset[Alert]:
    """Return the alerts that the director has turned on in this table of the file."""
    return frozenset(alert for alert in Alert if getattr(switches, alert.value))


def find_alerts(before: Snapshot | None, now: Snapshot, wanted: frozenset[Alert]) -> Alerts:
    """Return the alerts that became due between two snapshots, and the next instant to check.

    A flag falls at a deadline of the match, for which the loop wakes anyway; so only low time has
    an instant here. The first check, with None before, finds nothing. No press from before `now`
    may still arrive.
    """
    due = [
        alert
        for alert, is_due in ((Alert.LOW_TIME, _time_ran_low), (Alert.FLAG, _flag_fell))
        if alert in wanted and before is not None
        if any(is_due(before, now, side) for side in Side)
    ]
    return Alerts(tuple(due), _low_at_ns(now) if Alert.LOW_TIME in wanted else None)


def _time_ran_low(before: Snapshot, now: Snapshot, side: Side) -> bool:
    """Return whether play, not the director, brought this side's reserve down to a minute."""
    if side not in (before.state.running, now.state.running):
        return False
    granted = [each.state.players[side].account.granted_ns for each in (before, now)]
    left_ns = [each.state.reserve_ns(side, each.at_ns) for each in (before, now)]
    return granted[0] == granted[1] and left_ns[0] > LOW_TIME_NS >= left_ns[1]


def _flag_fell(before: Snapshot, now: Snapshot, side: Side) -> bool:
    """Return whether this side's flag fell since; one that the director set has no instant."""
    flag = now.state.players[side].flag
    return flag is not None and flag.at_ns is not None and flag.at_ns > before.at_ns


def _low_at_ns(now: Snapshot) -> int | None:
    """Return when the running side's time will be low; None if it is already, or none runs."""
    state, side = now.state, now.state.running
    if side is None:
        return None
    ahead_ns = state.reserve_ns(side, now.at_ns) - LOW_TIME_NS
    return now.at_ns + state.delay_left_ns(now.at_ns) + ahead_ns if ahead_ns > 0 else None
