"""The match clock as a state machine.

Theory of operation
-------------------
A match is a value, `MatchState`; an input is a value with an instant. `advance` takes both and
returns the state after the input and the records for the log. It changes nothing and reads no
clock. The caller asks `next_deadline` when the next timed transition is due, and calls `advance`
with `TimePassed` at that instant or later.

Timed transitions come first. Everything that was due up to the instant of an input (a flag, a step
of lateness) takes effect at its own computed instant, before the input itself. So it does not
matter when the caller wakes up, as long as it passes the inputs in the order of their stamps. A
press at the very instant at which the reserve is used up is too late; a nanosecond earlier it is in
time (R38).

What an input does in a phase is data: `transitions.TABLE`, with an entry for every pair.
"""

from typing import Any

from msgspec import convert, structs, to_builtins

from clock.match import director, events, lateness
from clock.match.events import SAID, AnyEvent, Origin, Record, Writer
from clock.match.inputs import (
    BreakTaken,
    CentrePressed,
    FaultCleared,
    FaultSeen,
    Input,
    Noted,
    OfferRefused,
    Pressed,
    Restored,
    Ruling,
    RulingProposed,
    TimePassed,
    Undone,
)
from clock.match.invariants import check
from clock.match.rules import FirstFlag, MatchSettings, Reason
from clock.match.scoring import new_match
from clock.match.state import Decision, Done, Flag, MatchState, Step, as_json
from clock.match.transitions import DECIDED_BY, TABLE
from clock.match.turns import turn_on_clock
from clock.match.types import Phase, Side

Advanced = tuple[MatchState, tuple[Record, ...]]
KEEP_PROPOSALS = (Noted, OfferRefused, RulingProposed, FaultSeen, FaultCleared, TimePassed)


# --- the first line of a log ------------------------------------------------------------------


def open_match(
    settings: MatchSettings, at_ns: int, writer: Writer, preset: str | None = None, offer: str = ""
) -> tuple[MatchState, Record]:
    """Return a new match and the first record of its log.

    The preset is the one that was chosen: "" for the file's own settings, None if nothing was. The
    offer is the id of the director's offer of this match, "" if it was not offered.
    """
    state = new_match(settings, at_ns).replace(preset=preset, offer=offer)
    event = events.MatchOpenedEvent(
        settings, settings.code, **writer._asdict(), preset=preset, offer=offer
    )
    return state, _record(state, event, at_ns)


def restore_match(
    state: MatchState, restored: Restored, origin: Origin, writer: Writer
) -> tuple[MatchState, Record]:
    """Restore a match into a log of its own, as on another boot; return the log's first record too.

    `origin` is the log from which the state is known.
    """
    state, (record,) = advance(state, restored)
    event = events.RestoredEvent(
        restored.why,
        restored.used_ns,
        restored.lost_ns,
        origin=origin,
        state=to_builtins(state),
        **writer._asdict(),
    )
    return state, structs.replace(record, event=event)


def load_restored_match(event: events.RestoredEvent, at_ns: int) -> tuple[MatchState, Record]:
    """Return the match that `restore_match` wrote into a log, and the record as it would write it.

    Raises:
        ValueError: `restore_match` writes no such event.
    """
    state = convert(event.state, MatchState)
    check(state)
    if event.origin is None or event.same_boot or (state.at_ns, state.running) != (at_ns, None):
        raise ValueError("a match restored into a log of its own must be stopped at that instant")
    return state, _record(state, structs.replace(event, state=to_builtins(state)), at_ns)


# --- inputs -----------------------------------------------------------------------------------


def advance(state: MatchState, happened: Input) -> Advanced:
    """Return the state after an input, and the records of what was due before it and of itself.

    Pass the inputs in the order of their stamps. An input older than what has already taken effect
    counts as of that moment: time never runs backwards.
    """
    if isinstance(happened, Restored) and voids_deadlines(state, happened):
        turn = state.turn and state.turn.stopped(state.at_ns)
        return _apply(state.replace(turn=turn), happened, ())
    at_ns = max(happened.at_ns, state.at_ns)
    records: tuple[Record, ...] = ()
    while (due_ns := next_deadline(state)) is not None and due_ns <= at_ns:
        state, due = apply_deadline(state, due_ns)
        records += due
    if at_ns != happened.at_ns:
        happened = structs.replace(happened, at_ns=at_ns)
    return _apply(state, happened, records)


def running_after(state: MatchState, pressed: Pressed) -> Side | None:
    """Return whose clock would run after a press."""
    after, _ = advance(state, pressed)
    return after.running


def voids_deadlines(state: MatchState, restored: Restored) -> bool:
    """Return whether this restoration cancels the deadlines before it.

    Another boot's raw clock says nothing about the old instants, and players stop playing at a dead
    clock. On the same boot, however, a break or an absence has gone on.
    """
    return not restored.same_boot or state.running is not None


def _apply(state: MatchState, happened: Input, records: tuple[Record, ...]) -> Advanced:
    at_ns = happened.at_ns
    state = state.replace(at_ns=at_ns)
    if state.proposal is not None and not _keeps_proposal(state, happened):
        state = state.replace(proposal=None)
    state, event = apply_at_once(state, happened)
    if event is None:
        return state, records
    record = _record(state, event, at_ns)
    if isinstance(happened, Ruling) and not isinstance(event, events.PressedEvent):  # not refused
        said = {name: getattr(happened, name) for name in SAID if hasattr(happened, name)}
        record = structs.replace(record, **said)
    return state, (*records, record)


def _keeps_proposal(state: MatchState, happened: Input) -> bool:
    """Return whether a proposed ruling is still about this match after an input.

    A press of a page changes nothing that was proposed, nor does a reason that is turned to. Any
    ruling, and any clock that starts, is news that its author did not know.
    """
    turns_reason = isinstance(happened, Pressed) and state.phase is Phase.STOPPED
    return turns_reason or isinstance(happened, KEEP_PROPOSALS)


def apply_at_once(state: MatchState, happened: Input) -> Step:
    """Return the state after an input at the state's own instant, and its event if it has one."""
    before = state
    state, event = TABLE[state.phase, type(happened)].handler(state, happened)
    if event is None:
        return before, None
    ended = isinstance(event, events.MatchOverEvent)  # by the director, not by points
    undoes = isinstance(happened, Undone)
    if state.champion is not None and before.champion is None and not ended and not undoes:
        state = state.replace(decision=_decision(before, happened))
    if (
        isinstance(event, events.AdjustedEvent | events.CorrectedEvent)
        and state.phase is Phase.REVIEW
    ):
        event = structs.replace(event, code=state.code)
    return _remember(before, happened, state, event), event


def changes_nothing(state: MatchState, happened: Input) -> bool:
    """Return whether an input that is not refused would leave the match as it is.

    What could be given or taken back is no part of it. An approval is the exception: that it was
    given is what counts (EBF 3.5(iii)).
    """
    before = state.replace(at_ns=happened.at_ns)
    after, event = apply_at_once(before, happened)
    if event is None or isinstance(event, events.PressedEvent | events.ConfirmedEvent):
        return False
    return after.replace(done=before.done, recent=before.recent) == before


def _remember(
    before: MatchState, happened: Input, after: MatchState, event: AnyEvent
) -> MatchState:
    """Return the match with what can be taken back: until a clock runs, or a break is over.

    After the claim of a flag too there is nothing: the flag stays claimed. What players have
    pressed since, a reason or the points of a game, is taken back with it.
    """
    over = isinstance(event, events.BreakEndedEvent | events.FlagClaimedEvent)
    if over or after.phase in (Phase.RUNNING, Phase.FREE_TURN, Phase.PUT_ASIDE):
        return after.replace(done=None) if after.done else after
    if isinstance(happened, Undone):
        return after
    if isinstance(happened, Ruling | BreakTaken) or isinstance(event, events.GameOverEvent):
        changed = _changed(before, after)  # nothing if it is refused, or approved once more
        return after.replace(done=Done(event, changed)) if changed else after
    return _added(before, after) if isinstance(happened, Pressed | CentrePressed) else after


def _added(before: MatchState, after: MatchState) -> MatchState:
    """Return the match with a change that is taken back together with what was done before it."""
    if after.done is None:
        return after
    whole = {**_changed(before, after), **after.done.before}
    return after.replace(done=structs.replace(after.done, before=whole))


def _changed(before: MatchState, after: MatchState) -> dict[str, Any]:
    """Return the fields of a match that have changed, as they were."""
    was, now = structs.asdict(before), structs.asdict(after)
    changed: dict[str, Any] = as_json({name: was[name] for name in was if now[name] != was[name]})
    return changed


def _decision(before: MatchState, happened: Input) -> Decision:
    """Return what decides a match: the points of a game, or a ruling of the director (R110)."""
    why = DECIDED_BY.get(type(happened), "score")
    return Decision(why, before.score, before.length, before.crawford, before.game_points)


# --- deadlines --------------------------------------------------------------------------------


def next_deadline(state: MatchState) -> int | None:
    """Return the instant of the next timed transition; None if there will be none.

    Until then only a delay and a reserve go down. A match that points have decided ends at once.
    """
    turn = state.turn
    if turn is None or turn.since_ns is None:
        return _next_deadline_off_clock(state)
    player = state.players[turn.side]
    if player.flag is not None or state.flagless:
        return None
    flag_at_ns = turn.flag_at_ns(max(0, player.account.left_ns))
    return None if flag_at_ns is None else max(flag_at_ns, state.at_ns)


def _next_deadline_off_clock(state: MatchState) -> int | None:
    if state.champion is not None and state.phase is not Phase.FINISHED:
        return state.at_ns
    late_at_ns = lateness.next_late_ns(state)
    return None if late_at_ns is None else max(late_at_ns, state.at_ns)


def apply_deadline(state: MatchState, due_ns: int) -> Advanced:
    """Carry out the timed transition that is due at `due_ns`, as `next_deadline` says."""
    state, event = _timed_transition(state, due_ns)
    state = state.replace(at_ns=due_ns, proposal=None)
    return state, () if event is None else (_record(state, event, due_ns),)


def _timed_transition(state: MatchState, at_ns: int) -> Step:
    if state.champion is not None:
        why = state.decision.why if state.decision else "score"
        after, event = director.finish(state, state.champion, why)
        return _added(state, after), event  # what decided the match is taken back with it (R212)
    if state.running is not None:
        return _run_out(state, state.running, at_ns)
    return lateness.count_late_step(state, at_ns)


def _run_out(state: MatchState, side: Side, at_ns: int) -> Step:
    """Add overtime to a used-up reserve, once, if the rules have it; else drop the flag (R38, R49).

    The order of two flags is the order in which they fell.
    """
    player, rules = state.players[side], state.settings.rules
    if rules.overtime_ns and not (player.overtime_used or rules.overtime_called):
        overrun_ns = max(0, -state.balance_ns(side, at_ns))
        granted = player.account.granted_ns + overrun_ns + rules.overtime_ns
        account = structs.replace(player.account, granted_ns=granted)
        state = state.with_player(side, account=account, overtime_used=True)
        state = state.forget_reserves(side)
        return state, events.OvertimeEvent(side, 0, rules.overtime_ns, "clock")
    first = state.players[side.other].flag
    order = 2 if first else 1
    first_at_ns = first.at_ns if first else None
    margin_ns = None if first_at_ns is None else at_ns - first_at_ns
    state = state.with_player(side, flag=Flag(order, at_ns))
    if not first:
        state = _after_first_flag(state, at_ns)
    return state, events.FlagFellEvent(side, order, margin_ns)


def _after_first_flag(state: MatchState, at_ns: int) -> MatchState:
    match state.settings.rules.on_first_flag:
        case FirstFlag.CONTINUE:
            return state
        case FirstFlag.FREEZE:
            turn = turn_on_clock(state).stopped(at_ns)
            return state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.TIME_EXPIRED)


def _record(state: MatchState, event: AnyEvent, at_ns: int) -> Record:
    return Record(
        at_ns=at_ns,
        event=event,
        phase=state.phase,
        running=state.running,
        left_ns=state.reserve_ns(Side.LEFT, at_ns),
        right_ns=state.reserve_ns(Side.RIGHT, at_ns),
        delay_ns=state.delay_left_ns(at_ns),
        score=getattr(event, "score", state.score),  # at the end of a leg that leg's, not 0-0
    )
