"""The match clock as a state machine: one table, one way in, one question about time.

Theory of operation
-------------------
A match is a value (`MatchState`), and an input is a value with an instant. `advance` returns the
state after the input and the records for the log; it changes nothing and reads no clock. Whoever
drives the machine asks `next_deadline` when to come back, and comes with `TimePassed`.

Time acts first: whatever was due up to the instant of an input (a flag, another step of lateness)
takes effect at its own computed instant, before the input itself. So it does not matter when the
driver wakes, only that it brings its inputs in the order of their stamps; and a press at the very
instant at which the reserve is used up comes too late, one a nanosecond before it does not (R38).

Which input does what in which phase is data: `TABLE` has an entry for every pair. The director's
acts have one for every phase in which no clock runs, and none of them does anything else.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import structs

from clock import director, inputs, ledger, playing
from clock.events import (
    AnyEvent,
    FaultClearedEvent,
    FaultEvent,
    FlagFellEvent,
    MatchOpenedEvent,
    OvertimeEvent,
    Record,
)
from clock.inputs import (
    BreakTaken,
    CentrePressed,
    FaultCleared,
    FaultSeen,
    Input,
    Noted,
    Pressed,
    Restored,
    TimePassed,
)
from clock.match import Flag, MatchState, opened
from clock.phases import Phase
from clock.rules import FirstFlag, MatchSettings, Reason
from clock.sides import Side

Step = tuple[MatchState, AnyEvent | None]
Advanced = tuple[MatchState, tuple[Record, ...]]


class Row(NamedTuple):
    """An entry of the table: what an input does, and the phases it can lead to."""

    # The input's type is the row's key, which a type checker cannot tie to the function's argument.
    do: Callable[[MatchState, Any], Step]
    to: tuple[Phase, ...]


def _ignored(state: MatchState, _: Input) -> Step:
    return state, None


def _fault(state: MatchState, seen: FaultSeen) -> Step:
    return state, FaultEvent(seen.part, seen.what)


def _fault_cleared(state: MatchState, cleared: FaultCleared) -> Step:
    return state, FaultClearedEvent(cleared.part)


_REVIEW, _READY, _RUNNING, _STOPPED = Phase.REVIEW, Phase.READY, Phase.RUNNING, Phase.STOPPED
_FREE, _OVER, _BREAK = Phase.FREE_TURN, Phase.GAME_OVER, Phase.BREAK
_NO_CLOCK, _FINISHED = Phase.NO_CLOCK, Phase.FINISHED

STILL = (_REVIEW, _READY, _STOPPED, _OVER, _BREAK, _NO_CLOCK, _FINISHED)  # no clock runs
_BETWEEN = (_REVIEW, _READY, _STOPPED, _OVER, _BREAK)

BUTTONS: dict[tuple[Phase, type[Input]], Row] = {
    (_REVIEW, Pressed): Row(playing.confirm, (_REVIEW,)),
    (_REVIEW, CentrePressed): Row(playing.close_review, (_REVIEW, _READY)),
    (_READY, Pressed): Row(playing.begin_game, (_RUNNING,)),
    (_READY, CentrePressed): Row(playing.no_break, (_READY,)),
    (_READY, BreakTaken): Row(ledger.start_break, (_READY, _BREAK)),
    (_RUNNING, Pressed): Row(playing.end_turn, (_RUNNING,)),
    (_RUNNING, CentrePressed): Row(playing.stop, (_STOPPED, _READY)),
    (_STOPPED, Pressed): Row(playing.choose_reason, (_STOPPED,)),
    (_STOPPED, CentrePressed): Row(playing.carry_out, (_RUNNING, _STOPPED, _FREE, _OVER)),
    (_FREE, Pressed): Row(playing.end_free_turn, (_FREE, _RUNNING)),
    (_FREE, CentrePressed): Row(playing.stop, (_STOPPED,)),
    (_OVER, Pressed): Row(playing.add_point, (_OVER,)),
    (_OVER, CentrePressed): Row(playing.close_game, (_OVER, _READY)),
    (_BREAK, Pressed): Row(playing.no_effect, (_BREAK,)),
    (_BREAK, CentrePressed): Row(ledger.end_break, (_READY,)),
    (_NO_CLOCK, Pressed): Row(playing.no_effect, (_NO_CLOCK,)),
    (_NO_CLOCK, CentrePressed): Row(playing.no_effect, (_NO_CLOCK,)),
    (_FINISHED, Pressed): Row(playing.no_effect, (_FINISHED,)),
    (_FINISHED, CentrePressed): Row(playing.no_effect, (_FINISHED,)),
}

# Each act: the phases in which it means something, what it does, where it leads (None: nowhere).
ACTS: dict[type[Input], tuple[tuple[Phase, ...], Callable[[MatchState, Any], Step], Phase | None]]
ACTS = {
    inputs.Approved: ((_REVIEW, _READY, _STOPPED, _BREAK), director.approve, None),
    inputs.TimeSet: (STILL, director.set_time, None),
    inputs.FlagSet: (STILL, director.set_flag, None),
    inputs.OvertimeGranted: (_BETWEEN, director.grant_overtime, None),
    inputs.DelayRuled: (_BETWEEN, director.rule_delay, None),
    inputs.PointsAwarded: ((*_BETWEEN, _NO_CLOCK), director.award_points, _READY),
    inputs.ScoreSet: (STILL, director.set_score, _READY),
    inputs.LengthSet: (STILL, director.set_length, None),
    inputs.MatchShortened: ((*_BETWEEN, _NO_CLOCK), director.shorten, _READY),
    inputs.CrawfordSet: (STILL, director.set_crawford, None),
    inputs.SidesSwapped: (STILL, director.swap_sides, None),
    inputs.BreaksSet: (STILL, director.set_breaks, None),
    inputs.AbsenceNoted: ((_REVIEW, _READY), director.note_absence, None),
    inputs.AbsentClockStarted: ((_REVIEW, _READY), director.start_absent_clock, _RUNNING),
    inputs.BanksReset: (STILL, director.reset_banks, None),
    inputs.ClockRemoved: (_BETWEEN, director.remove_clock, _NO_CLOCK),
    inputs.TurnResumed: ((_READY, _STOPPED), director.resume_turn, _RUNNING),
    inputs.HoldLifted: ((_STOPPED,), director.lift_hold, None),
    inputs.MatchEnded: ((*_BETWEEN, _NO_CLOCK), director.end_match, _FINISHED),
    inputs.Reopened: ((_OVER, _NO_CLOCK, _FINISHED), director.reopen, _READY),
    inputs.MatchWanted: ((_REVIEW, _FINISHED), _ignored, None),  # the runtime opens a new match
}


def _table() -> dict[tuple[Phase, type[Input]], Row]:
    every: tuple[type[Input], ...] = (Pressed, CentrePressed, BreakTaken, *ACTS)
    table = {(phase, kind): Row(_ignored, (phase,)) for phase in Phase for kind in every}
    for phase in Phase:
        table[phase, TimePassed] = Row(_ignored, (phase,))
        table[phase, BreakTaken] = Row(ledger.deny_break, (phase,))
        table[phase, Noted] = Row(playing.noted, (phase,))
        table[phase, FaultSeen] = Row(_fault, (phase,))
        table[phase, FaultCleared] = Row(_fault_cleared, (phase,))
        still = _STOPPED if phase in (_RUNNING, _FREE) else phase
        table[phase, Restored] = Row(director.restore, (still,))
    for kind, (phases, do, to) in ACTS.items():
        table |= {
            (phase, kind): Row(do, (phase,) if to is None else (phase, to)) for phase in phases
        }
    table[_OVER, inputs.Reopened] = Row(director.reopen, (_STOPPED,))
    table[_STOPPED, inputs.TurnResumed] = Row(director.resume_turn, (_STOPPED, _RUNNING, _FREE))
    for phase in ACTS[inputs.MatchEnded][0]:
        table[phase, inputs.MatchEnded] = Row(director.end_match, (_READY, _FINISHED))
    table[_FINISHED, inputs.Reopened] = Row(director.reopen, (_STOPPED, _READY))
    return table | BUTTONS


TABLE = _table()


def open_match(settings: MatchSettings, at_ns: int, version: str) -> tuple[MatchState, Record]:
    """A new match and the first line of its log.

    Args:
        settings: everything that the match is played under.
        at_ns: now, on the raw clock.
        version: of the program, for the log.
    """
    state = opened(settings, at_ns)
    return state, _record(state, MatchOpenedEvent(settings, settings.code, version), at_ns)


def advance(state: MatchState, happened: Input) -> Advanced:
    """The state after an input, and what the log says: at most one record a thing that happened.

    Inputs are brought in the order of their stamps. One that is older than what has already taken
    effect counts as of that moment: time never runs backwards.
    """
    if isinstance(happened, Restored):  # another boot: its clock knows nothing of the old instants
        turn = state.turn and state.turn.stopped(state.at_ns)
        return _take(state.replace(turn=turn), happened, ())
    at_ns = max(happened.at_ns, state.at_ns)
    records: tuple[Record, ...] = ()
    while (due_ns := next_deadline(state)) is not None and due_ns <= at_ns:
        state, event = _fall_due(state, due_ns)
        state = state.replace(at_ns=due_ns)
        if event is not None:
            records = (*records, _record(state, event, due_ns))
    if at_ns != happened.at_ns:
        happened = structs.replace(happened, at_ns=at_ns)
    return _take(state, happened, records)


def next_deadline(state: MatchState) -> int | None:
    """The next instant at which something happens by itself; None if nothing will.

    Until then only a delay and a reserve go down. A match that points have decided is over at once.
    """
    if state.champion is not None and state.phase is not Phase.FINISHED:
        return state.at_ns
    turn = state.turn
    if turn is None or turn.since_ns is None:
        late_at_ns = ledger.next_late_ns(state)
        return None if late_at_ns is None else max(late_at_ns, state.at_ns)
    player = state.players[turn.side]
    if player.flag is not None:
        return None
    flag_at_ns = turn.flag_at_ns(max(0, player.account.left_ns))
    return None if flag_at_ns is None else max(flag_at_ns, state.at_ns)


def _take(state: MatchState, happened: Input, records: tuple[Record, ...]) -> Advanced:
    at_ns = happened.at_ns
    state = state.replace(at_ns=at_ns)
    state, event = TABLE[state.phase, type(happened)].do(state, happened)
    return state, records if event is None else (*records, _record(state, event, at_ns))


def _fall_due(state: MatchState, at_ns: int) -> Step:
    """What happens by itself at this instant."""
    if state.champion is not None:
        return director.finished(state, state.champion, "score")
    if state.running is not None:
        return _time_out(state, state.running, at_ns)
    return ledger.late(state, at_ns)


def _time_out(state: MatchState, side: Side, at_ns: int) -> Step:
    """The mover's time is used up: overtime once, if there is any, then the flag (R38, R49)."""
    player, rules = state.players[side], state.settings.rules
    if rules.overtime_ns and not player.overtime_used:
        overrun_ns = max(0, -state.balance_ns(side, at_ns))
        granted = player.account.granted_ns + overrun_ns + rules.overtime_ns
        account = structs.replace(player.account, granted_ns=granted)
        state = state.with_player(side, account=account, overtime_used=True)
        return state, OvertimeEvent(side, 0, rules.overtime_ns, "clock")
    first = state.players[side.other].flag
    state = state.with_player(side, flag=Flag(2 if first else 1, at_ns))
    first_at_ns = first.at_ns if first else None
    margin_ns = None if first_at_ns is None else at_ns - first_at_ns
    event = FlagFellEvent(side, 2 if first else 1, margin_ns)
    if rules.on_first_flag is FirstFlag.FREEZE and not first:
        turn = playing.on_clock(state).stopped(at_ns)
        state = state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.TIME_EXPIRED)
    return state, event


def _record(state: MatchState, event: AnyEvent, at_ns: int) -> Record:
    return Record(
        at_ns=at_ns,
        event=event,
        phase=state.phase,
        running=state.running,
        left_ns=state.reserve_ns(Side.LEFT, at_ns),
        right_ns=state.reserve_ns(Side.RIGHT, at_ns),
        delay_ns=state.delay_left_ns(at_ns),
    )
