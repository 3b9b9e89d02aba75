"""The match clock as a state machine: one way in, and one question about time.

Theory of operation
-------------------
A match is a value (`MatchState`), and an input is a value with an instant. `advance` returns the
state after the input and the records for the log; it changes nothing and reads no clock. Whoever
drives the machine asks `next_deadline` when to come back, and comes with `TimePassed`.

Time acts first: whatever was due up to the instant of an input (a flag, another step of lateness)
takes effect at its own computed instant, before the input itself. So it does not matter when the
driver wakes, only that it brings its inputs in the order of their stamps; and a press at the very
instant at which the reserve is used up comes too late, one a nanosecond before it does not (R38).

Which input does what in which phase is data (`table.TABLE`, an entry for every pair).
"""

from msgspec import convert, structs, to_builtins

from clock.match import director, ledger, turns as playing
from clock.match.events import AnyEvent, FlagFellEvent, MatchOpenedEvent, Origin, OvertimeEvent, Record, RestoredEvent, Stamps
from clock.match.inputs import Input, Restored
from clock.match.state import Flag, MatchState, Step, opened
from clock.match.phases import Phase
from clock.match.rules import FirstFlag, MatchSettings, Reason
from clock.match.sides import Side
from clock.match.invariants import check
from clock.match.transitions import TABLE

Advanced = tuple[MatchState, tuple[Record, ...]]


def open_match(
    settings: MatchSettings, at_ns: int, version: str, stamps: Stamps = "kernel"
) -> tuple[MatchState, Record]:
    """A new match and the first line of its log.

    Args:
        settings: everything that the match is played under.
        at_ns: now, on the raw clock.
        version: of the program, for the log.
        stamps: who takes the instants of the presses, for the log.
    """
    state = opened(settings, at_ns)
    return state, _record(state, MatchOpenedEvent(settings, settings.code, version, stamps), at_ns)


def restore_match(
    state: MatchState, restored: Restored, origin: Origin, version: str, stamps: Stamps = "kernel"
) -> tuple[MatchState, Record]:
    """A match that goes on in a log of its own, and the first line of that.

    Args:
        state: the match as far as it is known.
        restored: how it comes back, as on another boot.
        origin: the log that it is known from.
        version: of the program, for the log.
        stamps: who takes the instants of the presses, for the log.
    """
    state, (record,) = advance(state, restored)
    event = RestoredEvent(
        restored.why,
        restored.used_ns,
        restored.lost_ns,
        origin=origin,
        version=version,
        stamps=stamps,
        state=to_builtins(state),
    )
    return state, structs.replace(record, event=event)


def restored_match(event: RestoredEvent, at_ns: int) -> tuple[MatchState, Record]:
    """The match that the first line of such a log holds, and that line as the clock writes it.

    Raises:
        ValueError: the clock writes no such line.
    """
    state = convert(event.state, MatchState)
    check(state)
    if event.origin is None or event.same_boot or (state.at_ns, state.running) != (at_ns, None):
        raise ValueError("a match that comes back in a log of its own stands still")
    return state, _record(state, structs.replace(event, state=to_builtins(state)), at_ns)


def advance(state: MatchState, happened: Input) -> Advanced:
    """The state after an input, and what the log says: at most one record a thing that happened.

    Inputs are brought in the order of their stamps. One that is older than what has already taken
    effect counts as of that moment: time never runs backwards.
    """
    if isinstance(happened, Restored) and stops_time(state, happened):
        turn = state.turn and state.turn.stopped(state.at_ns)
        return _take(state.replace(turn=turn), happened, ())
    at_ns = max(happened.at_ns, state.at_ns)
    records: tuple[Record, ...] = ()
    while (due_ns := next_deadline(state)) is not None and due_ns <= at_ns:
        state, fallen = fall_due(state, due_ns)
        records += fallen
    if at_ns != happened.at_ns:
        happened = structs.replace(happened, at_ns=at_ns)
    return _take(state, happened, records)


def stops_time(state: MatchState, restored: Restored) -> bool:
    """Whether nothing falls due any more before this restoration.

    Another boot's clock knows nothing of the old instants; and nobody plays on at a dead clock. But
    on the same boot a break, or lateness, has gone on.
    """
    return not restored.same_boot or state.running is not None


def next_deadline(state: MatchState) -> int | None:
    """The next instant at which something happens by itself; None if nothing will.

    Until then only a delay and a reserve go down. A match that points have decided is over at once.
    """
    turn = state.turn
    if turn is None or turn.since_ns is None:
        return _next_while_still(state)
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


def _next_while_still(state: MatchState) -> int | None:
    if state.champion is not None and state.phase is not Phase.FINISHED:
        return state.at_ns
    late_at_ns = ledger.next_late_ns(state)
    return None if late_at_ns is None else max(late_at_ns, state.at_ns)


def fall_due(state: MatchState, due_ns: int) -> Advanced:
    """The one thing that happens by itself at an instant, `next_deadline`."""
    state, event = _due(state, due_ns)
    state = state.replace(at_ns=due_ns)
    return state, () if event is None else (_record(state, event, due_ns),)


def _due(state: MatchState, at_ns: int) -> Step:
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
