"""Salvage a match whose log is damaged or incomplete; it continues, stopped, in a new log.

In order of trust: the lines that replay from the beginning of the log, the lines that replay from
the checkpoint, and the effects written on whole lines after the damage. Effects give both reserves,
the score and whose clock ran, but not the turn's own time or the state of the buttons. No clock
runs in a match taken from effects.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import structs

from clock.eventlog import codec
from clock.eventlog.codec import Chain, DamagedError, LogLine
from clock.eventlog.event_inputs import input_of
from clock.eventlog.recovery import LOST_NS, Checkpoint, Recovery, last_known_ns, turn_used_ns
from clock.eventlog.replay import Match, replay_line
from clock.match import events
from clock.match.corrections import clear_flag, delay_named, swap_sides
from clock.match.director import undo
from clock.match.events import AnyEvent, Origin, Record
from clock.match.inputs import Restored, SidesSwapped, Undone
from clock.match.invariants import check
from clock.match.rules import Reason
from clock.match.scoring import between_games, derive_crawford, next_leg
from clock.match.state import AT_REST, BETWEEN_GAMES, Decision, Flag, MatchState, as_json
from clock.match.timecontrol import Turn
from clock.match.transitions import DECIDED_BY
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side

LOG, CHECKPOINT, EFFECTS = "log", "checkpoint", "effects"  # what a state was taken from
OVER = frozenset({Phase.REVIEW, *AT_REST} - {Phase.PUT_ASIDE})  # nothing is to be resumed
_NO_TURN = (*BETWEEN_GAMES, Phase.NO_CLOCK)


class _Whole(NamedTuple):
    """A line after the damage whose hash is right over the one that the line before it states."""

    line: LogLine
    hash: str


class Salvaged(NamedTuple):
    """What is known of a match whose log cannot be continued."""

    state: MatchState
    last_known_ns: int  # the last instant known, on the raw clock of that boot
    lost_ns: int | None  # at most this much was played after it; None: not known
    origin: Origin


class _Proven(NamedTuple):
    """A match, and how many lines of its log it accounts for."""

    match: Match
    lines: int
    taken_from: str


def salvage(lines: Sequence[bytes], checkpoint: Checkpoint | None, match: str = "") -> Salvaged:
    """Return the newest state that a log and a checkpoint prove.

    `lines` have no line feeds, and any of them may be damaged. `match` names the match if its file
    may have lines of another one. A checkpoint of another match is not used.

    Raises:
        DamagedError: they prove nothing.
    """
    proven, damage = _from_log(lines, match)
    ahead = _from_checkpoint(lines, checkpoint)
    if ahead and (proven is None or _is_better(ahead, proven)):
        proven = ahead
    if proven is None:
        raise damage or DamagedError(1, "the log is empty")
    why, seq = str(damage) if damage else None, proven.match.chain.seq
    if not damage and seq > len(lines):
        why = codec.missing_lines(len(lines) + 1, seq)
    later = _whole_lines(lines, proven)
    from_effects = _from_effects(proven, later, len(lines), why) if later else None
    return from_effects or _from_proven(proven, checkpoint, len(lines), why)


def salvage_checkpoint(checkpoint: Checkpoint | None, lines: Sequence[bytes]) -> Salvaged:
    """Return what the checkpoint alone proves; the log's lines are not replayed.

    Raises:
        DamagedError: there is no valid checkpoint of this match.
    """
    if checkpoint is None or not _belongs(checkpoint, lines, _IN_LINES_OR_ORIGIN):
        raise DamagedError(1, "no checkpoint of this match found")
    try:
        check(checkpoint.state)
    except ValueError as error:
        raise DamagedError(1, f"checkpoint invalid: {error}") from error
    unknown = max(0, len(lines) - checkpoint.seq)
    lost_ns = LOST_NS if len(lines) == checkpoint.seq else None
    return _from_state(checkpoint, lost_ns, unknown, None)


def salvage_without_log(
    checkpoint: Checkpoint | None, lines: Sequence[bytes], damage: DamagedError
) -> Salvaged:
    """Return what a checkpoint proves if the log, perhaps of another match, proves nothing.

    Raises:
        DamagedError: `damage`, if there is no valid checkpoint of a match under way.
    """
    if checkpoint is None or checkpoint.state.phase in (Phase.REVIEW, *AT_REST):
        raise damage
    try:
        check(checkpoint.state)
    except ValueError:
        raise damage from None
    return _from_state(checkpoint, None, len(lines), str(damage))


def _from_state(
    checkpoint: Checkpoint, lost_ns: int | None, unknown: int, damage: str | None
) -> Salvaged:
    origin = Origin(checkpoint.match, checkpoint.seq, "", CHECKPOINT, unknown, damage)
    state = checkpoint.state
    return Salvaged(state, max(checkpoint.at_ns, state.at_ns), lost_ns, origin)


def continue_in_new_log(salvaged: Salvaged, why: str, boot: str, now_ns: int) -> Recovery:
    """Return a match that continues, stopped, in a new log; its old instants are void.

    `why` is damaged, taken_up, replacement or safe_mode; `boot` and `now_ns` are those of the
    present boot.
    """
    used_ns = turn_used_ns(salvaged.state, salvaged.last_known_ns)
    restored = Restored(now_ns, salvaged.lost_ns, used_ns, why)
    return Recovery(Match(salvaged.state, Chain("", boot)), restored, None, salvaged.origin)


# --- states that are proven by replaying ------------------------------------------------------


def _from_log(lines: Sequence[bytes], name: str) -> tuple[_Proven | None, DamagedError | None]:
    """Return the match after the good lines at the log's beginning, and the first bad one."""
    begin, _ = own_lines(lines, name)
    match, count, damage = _replay_from(None, lines, begin)
    if begin and damage is None:
        damage = DamagedError(1, "another match stands before this one")
    return (None if match is None else _Proven(match, count, LOG)), damage


def own_lines(lines: Sequence[bytes], name: str) -> tuple[int, Sequence[bytes]]:
    """Return the log that goes on, in a file that may hold several, and where it begins.

    It is that of the match with the name of the file, or else the first that is not over.
    """
    begins: dict[str, int] = {}
    for at, line in enumerate(lines):
        if codec.is_first(line):
            with suppress(DamagedError):
                begins.setdefault(codec.decode(line, 1).envelope.match, at)
    logs = {match: _lines_of(lines[at:], match) for match, at in begins.items()}
    going = [match for match, log in logs.items() if last_line(log).record.phase not in OVER]
    for match in [name] * (name in begins) + going * (0 in begins.values()):
        return begins[match], logs[match]
    return 0, lines


def _lines_of(lines: Sequence[bytes], match: str) -> list[bytes]:
    """Return lines without those that name another match."""
    return [line for line in lines if codec.is_of(line, match) or b',"boot":' not in line]


def last_line(lines: Sequence[bytes]) -> LogLine:
    """Return the last line that can be read.

    Raises:
        DamagedError: there is none.
    """
    for number in range(len(lines), 0, -1):
        with suppress(DamagedError):
            return codec.decode(lines[number - 1], number)
    raise DamagedError(1, "it has no line")


def _is_better(ahead: _Proven, proven: _Proven) -> bool:
    """Return whether a checkpoint proves more than the log's beginning, or of another match."""
    one, other = ahead.match.chain, proven.match.chain
    return one.match != other.match or one.seq > other.seq


def _from_checkpoint(lines: Sequence[bytes], checkpoint: Checkpoint | None) -> _Proven | None:
    """Return the match after a checkpoint and the good lines that follow it.

    The line of the checkpoint may be damaged, and with it the hash that it states: that is good for
    finding the lines that follow, which confirm it, and for nothing else.
    """
    if checkpoint is None or not _belongs(checkpoint, lines, _IN_LINES):
        return None
    try:
        check(checkpoint.state)
    except ValueError:
        return None
    count = _lines_up_to(lines, checkpoint)
    hash_ = codec.stated_hash(lines[count - 1]) if count else None
    chain = Chain(checkpoint.match, checkpoint.boot, checkpoint.seq, hash_ or codec.START)
    match = Match(checkpoint.state, chain)
    after, end, _ = _replay_from(match, lines, count)
    if after is None or end == count:
        after = match._replace(chain=chain._replace(hash=""))
    return _Proven(after, end, CHECKPOINT)


def _replay_from(
    match: Match | None, lines: Sequence[bytes], count: int
) -> tuple[Match | None, int, DamagedError | None]:
    """Replay the lines after the first `count` up to a bad one.

    Returns:
        The match after the good lines, the number of lines up to there, and the first bad line.
    """
    for raw in lines[count:]:
        try:
            match = replay_line(match, raw, count + 1).match
        except DamagedError as damage:
            return match, count, damage
        count += 1
    return match, count, None


def _from_proven(
    proven: _Proven, checkpoint: Checkpoint | None, lines: int, why: str | None
) -> Salvaged:
    state, chain = proven.match
    hash_ = chain.hash if chain.seq <= lines else ""
    unknown = lines - proven.lines
    origin = Origin(chain.match, chain.seq, hash_, proven.taken_from, unknown, why)
    end = (chain.match, chain.seq)
    lost_ns = None  # the end may be missing, unless a checkpoint was written after it
    is_whole = not unknown and chain.seq <= lines
    if is_whole and state.phase is Phase.PUT_ASIDE:
        lost_ns = 0  # nothing can be played after that line
    elif is_whole and checkpoint and (checkpoint.match, checkpoint.seq) == end:
        lost_ns = 0 if state.running is None else LOST_NS
    return Salvaged(state, last_known_ns(proven.match, checkpoint), lost_ns, origin)


_IN_LINES = b',"match":"%b","boot":'
_IN_LINES_OR_ORIGIN = b'"match":"%b",'


def _belongs(checkpoint: Checkpoint, lines: Sequence[bytes], pattern: bytes) -> bool:
    """Whether a line names the checkpoint's match; it may be left from an earlier match."""
    name = pattern % checkpoint.match.encode()
    return any(name in line for line in lines)


def _lines_up_to(lines: Sequence[bytes], checkpoint: Checkpoint) -> int:
    """Count the lines up to the checkpoint's record; damage may have joined or split some."""
    seq, match = checkpoint.seq, checkpoint.match.encode()
    this, following = (
        b'{"v":%d,"seq":%d,"match":"%b",' % (codec.VERSION, number, match)
        for number in (seq, seq + 1)
    )
    for at, line in enumerate(lines):
        if line.startswith(this):
            return at + 1
        if line.startswith(following):
            return at
    return min(seq, len(lines))


# --- effects of lines that cannot be replayed -------------------------------------------------


def _whole_lines(lines: Sequence[bytes], proven: _Proven) -> list[_Whole]:
    """Return the later lines of the match whose hash continues that of the line before.

    Lines of another match that got into the file, and events that this version does not know, are
    left out.
    """
    whole: list[_Whole] = []
    match, seq = proven.match.chain.match, proven.match.chain.seq
    for before, raw in pairwise(lines[proven.lines :]):
        stated = codec.stated_hash(before)
        hash_ = None if stated is None else codec.right_hash(raw, stated)
        if hash_ is None:
            continue
        with suppress(DamagedError):
            line = codec.decode(raw, 0)
            if line.envelope.match == match and line.envelope.seq > seq:
                whole.append(_Whole(line, hash_))
                seq = line.envelope.seq
    return whole


def _from_effects(
    proven: _Proven, later: list[_Whole], lines: int, damage: str | None
) -> Salvaged | None:
    """Return the match with the effects of later lines; None if no match can have them."""
    (envelope, record), hash_ = later[-1]
    try:
        state = apply_effects(proven.match.state, [each.line for each in later])
        check(state)
    except ValueError:
        return None
    unknown = lines - proven.lines
    origin = Origin(envelope.match, envelope.seq, hash_, EFFECTS, unknown, damage)
    return Salvaged(state, record.at_ns, None, origin)


def apply_effects(state: MatchState, lines: Sequence[LogLine]) -> MatchState:
    """Return a state with the effects that some later lines, at least one, state in full.

    Lines before them may be missing, so it need not be a possible state: see `invariants.check`.
    """
    record = lines[-1].record
    since: list[tuple[AnyEvent, MatchState]] = []  # a clock ran: events, each with what was before
    for line in lines:
        match line.record.event:
            case events.UndoneEvent(undone=undone):
                state = _taken_back(state, undone, since, line.record.score)
            case event:
                since.append((event, state))
                state = _apply_event(_placed(state, line.record), line.record)
        if line.record.running:
            state, since = state.replace(done=None), []
    for side, left_ns in zip(Side, (record.left_ns, record.right_ns), strict=True):
        account = state.players[side].account
        granted = structs.replace(account, granted_ns=account.spent_ns + left_ns)
        state = state.with_player(side, account=granted, absence=None)
    return _stopped_after(state, record).replace(at_ns=record.at_ns)


def _placed(state: MatchState, record: Record) -> MatchState:
    """Return a state with whose turn it is, and whether a clock is used, if a record says that."""
    mover = record.running
    match record.event:
        case events.ResumedEvent(side=side):
            mover = side
        case events.FreeTurnEvent(Reason.EARLY_PICKUP, side, NextDelay() as delay):
            state = state.with_player(side.other, next_delay=delay)
        case events.PressedEvent(side=button, why=None) if record.phase is Phase.FREE_TURN:
            mover = button.side and button.side.other
    if mover is not None:
        if state.turn is None or state.turn.side is not mover:
            state = state.with_player(mover, next_delay=NextDelay.FULL)
        state = state.replace(turn=Turn(mover, 0))
    elif isinstance(record.event, events.GameOverEvent):
        state = state.replace(turn=None).with_both_players(next_delay=NextDelay.FULL)
    elif record.phase in _NO_TURN:
        state = state.replace(turn=None)
    if record.phase not in (Phase.GAME_OVER, *AT_REST):
        state = state.replace(clock_removed=record.phase is Phase.NO_CLOCK)
    return state


def _taken_back(
    state: MatchState,
    undone: dict[str, Any],
    since: Sequence[tuple[AnyEvent, MatchState]],
    score: Pair[int],
) -> MatchState:
    """Return a state without an act or a game; of one in a line that is lost only the score."""
    for event, before in reversed(since):
        if as_json(event) == undone:
            return before
    if state.done is not None and as_json(state.done.event) == undone:
        return undo(state, Undone(state.at_ns))[0]
    return state.replace(score=score)


def _apply_event(state: MatchState, record: Record) -> MatchState:
    """Return a state with flags, score, length, Crawford status and matches won of a record."""
    old, event = state, record.event
    if isinstance(event, events.CorrectedEvent):
        state = _corrected(state, event)
    winner = _won_leg(old, record)
    if winner is not None:
        return next_leg(state.replace(legs=state.legs.update(winner, lambda legs: legs + 1)))
    state = _flagged(_scored(state, record), record)
    scores = isinstance(event, events.CorrectedEvent | events.GameOverEvent | events.PenaltyEvent)
    leader = max(Side, key=lambda side: state.score[side])
    decides = scores and record.phase is not Phase.FINISHED and state.score[leader] >= state.length
    match event:
        case events.CorrectedEvent(what="length" | "length_shortened") if state.turn is None:
            state = derive_crawford(state)
        case events.CorrectedEvent(what="score", crawford=str() as crawford) if not decides:
            state = state.replace(crawford=Crawford(crawford))
        case events.CorrectedEvent(what="score") if state.turn is None and not decides:
            state = derive_crawford(state)
        case events.PenaltyEvent() if record.phase in BETWEEN_GAMES and not decides:
            state = derive_crawford(state) if state.score != old.score else state
    return _decided(old, state, record, leader) if decides else state


def _decided(before: MatchState, state: MatchState, record: Record, winner: Side) -> MatchState:
    """Return a state that the points of a record have decided."""
    points = Pair(0, 0)
    if isinstance(record.event, events.GameOverEvent):
        points = points.put(winner, record.event.points)
    why = DECIDED_BY.get(type(input_of(record)), "score")
    decision = Decision(why, before.score, before.length, before.crawford, points)
    return state.replace(legs=state.legs.put(winner, state.legs_needed), decision=decision)


def _scored(state: MatchState, record: Record) -> MatchState:
    """Return a state with score, matches won and Crawford status of a record."""
    match record.event:
        case events.GameOverEvent(winner=winner, score=score, legs=legs, crawford=is_next):
            state, crawford = state.replace(score=score, legs=legs), state.crawford
            goes_on = winner is not None and state.champion is None
            later = goes_on and (crawford is Crawford.UNKNOWN or 1 in state.away)
            known = Crawford.DONE if later or crawford is Crawford.NOW else crawford
            return state.replace(crawford=Crawford.NOW if is_next else known)
        case events.MatchOverEvent(score=score, winner=None) | events.PenaltyEvent(score=score):
            return state.replace(score=score)
        case events.MatchOverEvent(score=score, winner=Side() as side):
            return state.replace(score=score, legs=state.legs.put(side, state.legs_needed))
        case events.ReopenedEvent():
            won, decision = state.champion, state.decision
            if won is not None:
                state = state.replace(legs=state.legs.put(won, state.legs_needed - 1))
            if decision is not None and max(state.score) >= state.length:
                state = state.replace(length=decision.length, crawford=decision.crawford)
            return state.replace(score=record.score, decision=None)
        case _:
            return state


def _flagged(state: MatchState, record: Record) -> MatchState:
    """Return a state with the flags of a record.

    `flag_cleared` does not say whose flag it was. As in the machine, it is that of a player whose
    time was changed and who has some now.
    """
    match record.event:
        case events.FlagFellEvent(side=side, order=order):
            return state.with_player(side, flag=Flag(order, None))
        case events.FlagClaimedEvent():
            for side in Side:
                flag = state.players[side].flag
                state = state.with_player(side, flag=flag and structs.replace(flag, claimed=True))
            return state
        case events.AdjustedEvent(side=side) | events.OvertimeEvent(side=side):
            changed = [side]
        case events.CorrectedEvent(
            what="delay", side=Side() as side, adjusted_ns=int() as added_ns
        ):
            changed = [side] if added_ns > 0 else []
        case events.CorrectedEvent(what="banks"):
            changed = list(Side)
        case (
            events.CorrectedEvent(adjusted_ns=added_ns) | events.PenaltyEvent(adjusted_ns=added_ns)
        ):
            changed = list(Side) if added_ns else []
        case _:
            return state
    reserves = Pair(record.left_ns, record.right_ns)
    for side in changed:
        state = clear_flag(state, side) if reserves[side] > 0 else state
    return state


def _corrected(state: MatchState, event: events.CorrectedEvent) -> MatchState:
    """Return a state with a correction."""
    match event:
        case events.CorrectedEvent(what="score", side=Side() as side, new=int() as points):
            return state.replace(score=state.score.put(side, points))
        case events.CorrectedEvent(what="sides"):
            return swap_sides(state, SidesSwapped(state.at_ns))[0]
        case events.CorrectedEvent(what="names", new=[str(left), str(right)]):
            return state.replace(names=Pair(left, right))
        case events.CorrectedEvent(what="flag", side=Side() as side, new=int() as order):
            if not order:
                return clear_flag(state, side)
            return state.with_player(side, flag=Flag(order, None))
        case events.CorrectedEvent(what="crawford", new=str() as crawford):
            return state.replace(crawford=Crawford(crawford))
        case events.CorrectedEvent(what="length" | "length_shortened", new=int() as length):
            return state.replace(length=length)
        case events.CorrectedEvent(what="next_delay", side=Side() as side, new=str() as delay):
            return state.with_player(side, next_delay=delay_named(delay))
        case events.CorrectedEvent(what="pace"):
            rules = state.settings.rules.timed()
            return state.replace(settings=structs.replace(state.settings, rules=rules))
        case _:
            return state


def _won_leg(state: MatchState, record: Record) -> Side | None:
    """Return who won a match of a best of three with a record that began the next one."""
    if not state.settings.best_of_three or record.phase is not Phase.READY:
        return None
    match record.event:
        case events.GameOverEvent(winner=winner, score=Pair(0, 0)):
            return winner
        case events.MatchOverEvent(winner=winner):
            return winner
        case _ if record.score != Pair(0, 0):
            return None
        case events.PenaltyEvent(beneficiary=side, points=points) if points:
            return side
        case events.CorrectedEvent(what="score", side=side, new=int() as new):
            return side if new == state.length else None
        case events.CorrectedEvent(what="length_shortened", new=int() as length):
            leader = max(Side, key=lambda side: state.score[side])
            return leader if state.score[leader] >= length else None
        case _:
            return None


def _stopped_after(state: MatchState, record: Record) -> MatchState:
    """Return the phase after a record, with both clocks stopped; a turn has only its delay."""
    state = state.replace(held=False, pause=None, recent=(), game_points=Pair(0, 0))
    if record.phase is Phase.FINISHED:
        return state.replace(phase=record.phase, turn=None)
    if state.turn is not None:
        turn = Turn(state.turn.side, record.delay_ns)
        return state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.POWER_LOSS)
    return state.replace(phase=between_games(state))
