"""Salvage a match whose log is damaged or incomplete; it continues, stopped, in a new log.

In order of trust: the lines that replay from the beginning of the log, the lines that replay from
the checkpoint, and the effects of whole lines after the damage, which the machine carries out as in
a replay, from a match that is no longer known in full. These lines state both reserves, the score
and whose clock ran, but not the turn's own time. No clock runs in a match taken from effects.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, pairwise, product
from typing import NamedTuple

from msgspec import structs

from clock.eventlog import codec
from clock.eventlog.codec import Chain, DamagedError, LogLine
from clock.eventlog.event_inputs import input_of
from clock.eventlog.recovery import LOST_NS, Checkpoint, Recovery, last_known_ns, turn_used_ns
from clock.eventlog.replay import IMPOSSIBLE, Match, replay_line
from clock.match import events, machine
from clock.match.events import Origin, Record
from clock.match.inputs import Input, Reopened, Restored, TimePassed, Undone
from clock.match.invariants import check
from clock.match.rules import Reason
from clock.match.scoring import between_games
from clock.match.state import AT_REST, BETWEEN_GAMES, Flag, MatchState, Step, entry_crawford
from clock.match.timecontrol import Turn
from clock.match.types import Crawford, Pair, Phase, Side

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
    if name not in begins:
        going = _going(lines, begins) if 0 in begins.values() else []
        if not going:
            return 0, lines
        name = going[0]
    begin = begins[name]
    return begin, [line for line in lines[begin:] if codec.stated_match(line) in {name, None}]


def _going(lines: Sequence[bytes], matches: Iterable[str]) -> list[str]:
    """Return those of some matches that are not over, as their last readable lines say.

    All lines are looked at once: a file may begin as many matches as it has lines.
    """
    phases = dict[str, Phase | None].fromkeys(matches)
    for number in range(len(lines), 0, -1):
        match = codec.stated_match(lines[number - 1])
        if match in phases and phases[match] is None:
            with suppress(DamagedError):
                phases[match] = codec.decode(lines[number - 1], number).record.phase
    return [match for match, phase in phases.items() if phase not in OVER]


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
    except IMPOSSIBLE:
        return None
    unknown = lines - proven.lines
    origin = Origin(envelope.match, envelope.seq, hash_, EFFECTS, unknown, damage)
    return Salvaged(state, record.at_ns, None, origin)


def apply_effects(state: MatchState, lines: Sequence[LogLine]) -> MatchState:
    """Return a state with the effects of some later lines, at least one; both clocks are stopped.

    Lines before them may be missing, so it need not be a possible state: see `invariants.check`.

    Raises:
        ValueError: no clock writes such a line; other errors are possible.
    """
    for line in lines:
        state = _after(state, line.record)
    record = lines[-1].record
    state = state.replace(
        at_ns=record.at_ns, held=False, pause=None, recent=(), game_points=Pair(0, 0)
    ).with_both_players(absence=None)
    if record.phase is Phase.FINISHED:
        return _as_stated(state.replace(turn=None, put_aside_in=None), record)
    goes_on, turn = between_games(state), state.turn
    if turn is not None:
        goes_on, turn = Phase.STOPPED, Turn(turn.side, record.delay_ns)
    state = state.replace(turn=turn, reason=Reason.POWER_LOSS, winner=None, ended="")
    if record.phase is Phase.PUT_ASIDE:
        state = state.replace(put_aside_in=goes_on)
    else:
        state = state.replace(phase=goes_on, put_aside_in=None)
    return _as_stated(state, record)


def _after(state: MatchState, record: Record) -> MatchState:
    """Return the match after a line.

    The machine carries out again what caused the line: in the match as it is known, or else as
    missing lines may have left it. Best is where it then says the same as the line.
    """
    happened, event = input_of(record), record.event
    exact, similar, elsewhere = list[MatchState](), list[MatchState](), list[MatchState]()
    for before in chain((state,), _guesses(state, record)):
        after, given = _carried_out(before, happened)
        if after.done is not None and after.done.event == given:
            after = after.replace(done=structs.replace(after.done, event=event))
        place = after.phase, after.running, getattr(given, "score", after.score)
        if place != (record.phase, record.running, record.score):
            elsewhere += [after] * (given == event)
        elif given == event:
            exact.append(after)
            if before is state or state.turn is not None:
                break
        elif type(given) is type(event) and not isinstance(event, events.UndoneEvent):
            similar.append(after)
    if fitting := exact or similar:
        after = fitting[0]
        if state.turn is None and len({each.turn and each.turn.side for each in fitting}) > 1:
            after = after.replace(turn=None)
    elif isinstance(event, events.CorrectedEvent) and not elsewhere:
        raise ValueError("no match has such a line")
    else:
        after = _placed(elsewhere[0] if elsewhere else state, record)
    return _as_stated(after, record)


def _carried_out(state: MatchState, happened: Input) -> Step:
    """Return the match after an input, and its event; None: it has no effect there."""
    state = state.replace(at_ns=happened.at_ns)
    try:
        if isinstance(happened, TimePassed):
            state, records = machine.apply_deadline(state, happened.at_ns)
            return state, records[0].event if records else None
        if isinstance(happened, Restored) and state.turn is not None:
            state = state.replace(turn=structs.replace(state.turn, since_ns=None))
        return machine.apply_at_once(state, happened)
    except (RuntimeError, *IMPOSSIBLE):
        return state, None


def _placed(state: MatchState, record: Record) -> MatchState:
    """Return a state with what every line says of a match."""
    state = state.replace(phase=record.phase, score=record.score)
    if isinstance(record.event, events.UndoneEvent):
        state = state.replace(done=None)
    if record.running is not None:
        turn = Turn(record.running, record.delay_ns, since_ns=record.at_ns)
        return state.replace(turn=turn)
    return state.replace(turn=None) if record.phase in _NO_TURN else state


def _as_stated(state: MatchState, record: Record) -> MatchState:
    """Return a state with the delay and the reserves of a line, and with who has won and why."""
    event = record.event
    if isinstance(event, events.MatchOverEvent) and record.phase is Phase.FINISHED:  # not of a leg
        state = state.replace(winner=event.winner, ended=event.why)
    at_ns, turn = record.at_ns, state.turn
    if turn is not None and turn.delay_left_ns(at_ns) != record.delay_ns:
        since_ns = None if record.running is None else at_ns
        state = state.replace(turn=Turn(turn.side, record.delay_ns, since_ns=since_ns))
    for side, left_ns in zip(Side, (record.left_ns, record.right_ns), strict=True):
        if state.reserve_ns(side, at_ns) != left_ns:
            account = state.players[side].account
            granted_ns = account.granted_ns + left_ns - state.balance_ns(side, at_ns)
            account = structs.replace(account, granted_ns=granted_ns)
            state = state.with_player(side, account=account)
    return state


def _guesses(state: MatchState, record: Record) -> Iterator[MatchState]:
    """Yield the match as missing lines may have left it before a line: what it says, anywhere."""
    delay_ns = state.settings.rules.delay_ns
    if state.champion is not None and record.phase is not Phase.FINISHED:
        yield _carried_out(state, Undone(record.at_ns))[0]
        over = state.replace(phase=Phase.FINISHED)
        state = _carried_out(over, Reopened(record.at_ns))[0]
        yield state
    likely = [state.phase] if state.turn is None else [state.phase, Phase.STOPPED]
    likely += [Phase.NO_CLOCK] * state.clock_removed
    for known in _told(state.replace(held=False), record):
        for phase in dict.fromkeys((*likely, *Phase)):
            turns = [state.turn, *(Turn(side, delay_ns) for side in Side), None]
            if phase in _NO_TURN:
                turns = [None]
            elif phase in (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN):
                turns = [turn for turn in turns if turn is not None]
            since_ns = record.at_ns if phase is Phase.RUNNING else None
            for turn in turns:
                placed = known.replace(
                    phase=phase, turn=turn and structs.replace(turn, since_ns=since_ns)
                )
                removed = [phase is Phase.NO_CLOCK]
                if turn is None and phase not in _NO_TURN:
                    removed = [state.clock_removed, not state.clock_removed]
                for each in removed:
                    yield placed.replace(clock_removed=each)


def _told(state: MatchState, record: Record) -> Iterator[MatchState]:
    """Yield what a line says of the match before it: points, flags, the reason to stop."""
    scores, legs, crawford = [record.score, state.score], [state.legs], list[Crawford]()
    match record.event:
        case events.GameOverEvent(winner=Side() as winner, points=points) as event:
            scores += _scores_before(state, record.score, winner, points)
            state = state.replace(game_points=Pair(0, 0).put(winner, points))
            legs = [event.legs, event.legs.update(winner, lambda won: won - 1)]
            crawford = [Crawford.BEFORE, Crawford.DONE]
        case events.PenaltyEvent(beneficiary=winner, points=points):
            scores += _scores_before(state, record.score, winner, points)
        case events.MatchOverEvent(winner=Side() as winner):
            legs = [state.legs.put(winner, won) for won in range(state.legs_needed + 1)]
        case events.FlagFellEvent() as event:
            state = _before_flag(state, event)
        case events.FlagClaimedEvent():
            state = state.replace(reason=Reason.TIME_EXPIRED)
        case events.CorrectedEvent(what="held"):
            state = state.replace(held=True)
        case events.CorrectedEvent(what="sides"):
            scores.append(record.score.swapped())
        case event:
            reason = getattr(event, "reason", None)
            state = state.replace(reason=reason) if isinstance(reason, Reason) else state
    for score, won in product(dict.fromkeys(scores), dict.fromkeys(legs)):
        known = state.replace(score=score, legs=won)
        for each in dict.fromkeys((_crawford_before(state, known), *crawford)):
            yield known.replace(crawford=each)


def _before_flag(state: MatchState, event: events.FlagFellEvent) -> MatchState:
    rules, fallen = state.settings.rules, state.players[event.side.other].flag or Flag(1, None)
    state = state.with_player(event.side.other, flag=fallen if event.order > 1 else None)
    if rules.overtime_ns and not rules.overtime_called:
        state = state.with_player(event.side, overtime_used=True)
    return state


def _crawford_before(known: MatchState, later: MatchState) -> Crawford:
    """Return the Crawford status after games whose lines are missing."""
    if later.score == known.score:
        return known.crawford
    status = entry_crawford(later.away)
    if known.crawford is Crawford.BEFORE:
        return status
    return Crawford.DONE if status is Crawford.UNKNOWN or 0 in later.away else status


def _scores_before(
    state: MatchState, score: Pair[int], winner: Side, points: int
) -> Iterator[Pair[int]]:
    """Yield the scores before points: of a match that goes on, and of a leg that is won."""
    yield score.update(winner, lambda after: after - points)
    yield state.score.update(winner, lambda known: max(known, state.length - points))
