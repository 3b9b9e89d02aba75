"""The director's menu as data: each item's entries, and the act that they make.

The one rule: an item is offered only in a phase in which the machine carries its act out.
"""

from collections.abc import Callable
from typing import NamedTuple

from clock.match import inputs
from clock.match.corrections import BONUS
from clock.ui.forms import Number, Time
from clock.match.inputs import Act
from clock.match.state import MatchState
from clock.ui.menu_fields import MakeEntry, Values, added_time, awaited, end_why, mover, number_entry, one_of, overtime_entry, press_entry, proposed_points, resume_delay, side_entry, why_time, winner_entry
from clock.match.phases import Crawford, NextDelay, Phase
from clock.ui.proposals import proposals
from clock.match.rules import MAX_LENGTH
from clock.match.transitions import ACTS

MOST_POINTS = 64
MOST_BREAKS = 9


class Item(NamedTuple):
    """One line of the menu."""

    name: str  # a key of the language table
    entries: tuple[MakeEntry, ...]
    act: Callable[[MatchState, int, Values], Act]
    kind: type[Act]
    possible: Callable[[MatchState], bool] = lambda _: True


def items(state: MatchState) -> tuple[Item, ...]:
    """What the director can do now; what the rules propose in this situation comes first."""
    offered = [item for item in MENU if state.phase in ACTS[item.kind][0] and item.possible(state)]
    first = proposals(state)
    offered.sort(key=lambda item: first.index(item.name) if item.name in first else len(first))
    return tuple(offered)


def _added(state: MatchState, at_ns: int, values: Values) -> Act:
    side, sign, time_ns, why = values
    new_ns = max(0, state.reserve_ns(side, at_ns) + sign * time_ns)
    return inputs.TimeSet(at_ns, side, new_ns, why)


MENU: tuple[Item, ...] = (
    Item(
        "resume",
        (side_entry("clock_of", mover), resume_delay),
        lambda _, at, v: inputs.TurnResumed(at, *v),
        inputs.TurnResumed,
    ),
    Item(
        "lift_hold",
        (),
        lambda _, at, v: inputs.HoldLifted(at),
        inputs.HoldLifted,
        lambda state: state.held,
    ),
    Item(
        "set_time",
        (
            side_entry("clock_of", mover),
            lambda state, v: Time.of("time", state.reserve_ns(v[0], state.at_ns)),
            why_time,
        ),
        lambda _, at, v: inputs.TimeSet(at, *v),
        inputs.TimeSet,
    ),
    Item(
        "add_time",
        (
            side_entry("clock_of", mover),
            one_of("sign", (1, "plus"), (-1, "minus")),
            added_time,
            why_time,
        ),
        _added,
        inputs.TimeSet,
    ),
    Item(
        "give_back",
        (side_entry("clock_of", mover), press_entry),
        lambda _, at, v: inputs.TimeSet(at, v[0], v[1], "given_back"),
        inputs.TimeSet,
        lambda state: bool(state.recent),
    ),
    Item(
        "flag",
        (
            side_entry("flag_of", lambda state: state.first_flagged),
            one_of("flag", (0, "flag_none"), (1, "flag_first"), (2, "flag_second")),
        ),
        lambda _, at, v: inputs.FlagSet(at, *v),
        inputs.FlagSet,
    ),
    Item(
        "overtime",
        (side_entry("clock_of", lambda state: state.first_flagged), overtime_entry),
        lambda _, at, v: inputs.OvertimeGranted(at, *v),
        inputs.OvertimeGranted,
    ),
    Item(
        "next_delay",
        (
            side_entry("clock_of", mover),
            one_of("delay", *((delay, f"delay_{delay.value}") for delay in NextDelay)),
        ),
        lambda _, at, v: inputs.DelayRuled(at, *v),
        inputs.DelayRuled,
    ),
    Item(
        "penalty",
        (
            side_entry("against", awaited),
            number_entry("points", lambda s, v: proposed_points(s, v[0]), MOST_POINTS),
            one_of("why", *((why, f"why_{why}") for why in ("late", "slow_play", "conduct"))),
        ),
        lambda _, at, v: inputs.PointsAwarded(at, *v),
        inputs.PointsAwarded,
    ),
    Item(
        "bonus",
        (side_entry("for"), number_entry("points", lambda s, v: 1, MOST_POINTS)),
        lambda _, at, v: inputs.PointsAwarded(at, v[0].other, v[1], BONUS),
        inputs.PointsAwarded,
    ),
    Item(
        "score",
        (
            side_entry("score_of"),
            lambda state, v: Number(
                "points", min(state.score[v[0]], state.length), 0, state.length
            ),
        ),
        lambda _, at, v: inputs.ScoreSet(at, *v),
        inputs.ScoreSet,
    ),
    Item(
        "length",
        (
            lambda state, v: Number("length", state.length, 1, MAX_LENGTH),
            one_of("banks", (True, "banks_adjust"), (False, "banks_keep")),
        ),
        lambda _, at, v: inputs.LengthSet(at, *v),
        inputs.LengthSet,
        lambda state: state.phase in (Phase.REVIEW, Phase.READY, Phase.BREAK),
    ),
    Item("shorten", (), lambda _, at, v: inputs.MatchShortened(at), inputs.MatchShortened),
    Item(
        "crawford",
        (one_of("crawford", *((status, f"crawford_{status.value}") for status in Crawford)),),
        lambda _, at, v: inputs.CrawfordSet(at, *v),
        inputs.CrawfordSet,
    ),
    Item(
        "breaks",
        (
            side_entry("breaks_of"),
            number_entry("breaks_taken", lambda s, v: s.players[v[0]].breaks_taken, MOST_BREAKS),
        ),
        lambda _, at, v: inputs.BreaksSet(at, *v),
        inputs.BreaksSet,
    ),
    Item(
        "absent",
        (side_entry("absent_player"),),
        lambda _, at, v: inputs.AbsenceNoted(at, *v),
        inputs.AbsenceNoted,
    ),
    Item(
        "absent_clock",
        (side_entry("absent_player", awaited),),
        lambda _, at, v: inputs.AbsentClockStarted(at, *v),
        inputs.AbsentClockStarted,
    ),
    Item("reset_banks", (), lambda _, at, v: inputs.BanksReset(at), inputs.BanksReset),
    Item("approve", (), lambda _, at, v: inputs.Approved(at), inputs.Approved),
    Item("swap", (), lambda _, at, v: inputs.SidesSwapped(at), inputs.SidesSwapped),
    Item("no_clock", (), lambda _, at, v: inputs.ClockRemoved(at), inputs.ClockRemoved),
    Item(
        "end_match",
        (winner_entry, end_why),
        lambda _, at, v: inputs.MatchEnded(at, *v),
        inputs.MatchEnded,
    ),
    Item("reopen", (), lambda _, at, v: inputs.Reopened(at), inputs.Reopened),
    Item("new_match", (), lambda _, at, v: inputs.MatchWanted(at), inputs.MatchWanted),
)
