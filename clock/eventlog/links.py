"""The links between logs: one that continues another begins where that one stood.

A match that was adjourned, or was moved to another clock, has several logs (R131). Each is proven
by itself; here it is proven that they are one match: no line is missing between them, nothing was
changed, and nobody went on with the match twice.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.codec import decode, stated_hash
from clock.eventlog.replay import Match, ReplayStep, replay_lines
from clock.eventlog.salvage import CHECKPOINT, EFFECTS, LOG
from clock.match import machine
from clock.match.durations import reserve_text
from clock.match.events import Origin, Record, RestoredEvent, Writer
from clock.match.inputs import Restored
from clock.match.scoring import score_text
from clock.match.state import MatchState
from clock.match.types import NextDelay, Pair, Phase, Side
from clock.text import quoted
from clock.units import SECOND_NS


@dataclass(frozen=True)
class GivenLog:
    """A log, as it was given."""

    name: str  # for messages
    lines: Sequence[bytes]  # without line feeds; of a damaged log those before the first bad one
    is_damaged: bool = False

    @cached_property  # each log is compared with all others
    def first(self) -> ReplayStep:
        """Its first line, and the match after it."""
        return next(replay_lines(self.lines[:1]))

    @cached_property
    def last(self) -> Record:
        """The record of its last line."""
        return decode(self.lines[-1], len(self.lines)).record

    @property
    def match(self) -> str:
        """The name of the match."""
        return self.first.line.envelope.match

    @property
    def origin(self) -> Origin | None:
        """Which log it continues; None: it begins with its match."""
        event = self.first.line.record.event
        return event.origin if isinstance(event, RestoredEvent) else None


class Links(NamedTuple):
    """What several logs prove together, in sentences."""

    remarks: list[str]
    objections: list[str]
    unproven: list[str]  # the names of logs that claim more


def links(logs: Sequence[GivenLog]) -> Links:
    """Return how logs continue one another, or what stands for it (`begun_at_score`)."""
    found = Links([], [], [])
    for log in logs:
        if (origin := log.origin) is None:
            continue
        earlier = _earlier(origin, logs)
        if earlier is None:
            found.remarks.append(
                f"{log.name} continues the log {origin.match}, which is not among these: nothing"
                " is proven of the match before it"
            )
            found.unproven.append(log.name)
            continue
        joint = _joint(log, origin, earlier)
        found.remarks.extend(joint.remarks)
        found.objections.extend(joint.objections)
        found.unproven.extend(joint.unproven)
    found.objections.extend(_forks(logs))
    found.remarks.extend(begun_at_score(logs))
    same_names = _same_names(logs)
    found.remarks.extend(same_names.remarks)
    found.objections.extend(same_names.objections)
    return found


def begun_at_score(logs: Sequence[GivenLog]) -> Iterator[str]:
    """Yield which logs begin where the director said that the match stood, and what may be before.

    So a match goes on at another clock if its log was not there (R224).
    """
    for log in logs:
        begun = log.first.match
        if log.origin is None and (any(begun.state.score) or begun.state.settings.reserves):
            before = [name for each in logs if (name := _ends_at(each, log))]
            perhaps = f"; the same match, perhaps: {', '.join(before)}" if before else ""
            stood = _text(_standing(begun))
            yield f"{log.name} begins with {stood}, as the director set it{perhaps}"


def _ends_at(log: GivenLog, later: GivenLog) -> str:
    """Return how a log ends, if it is of the players of another one and ends where that begins."""
    begun, is_over = later.first.match.state, log.last.phase is Phase.FINISHED
    if log.lines[0] == later.lines[0] or is_over or {*log.last.score} != {*begun.score}:
        return ""  # few are left to be read whole
    end = _at(log, len(log.lines))
    scores = [dict(zip(each.names, each.score, strict=True)) for each in (end.state, begun)]
    if end.state.length != begun.length:
        return ""
    return f"{log.name} ends with {_text(_standing(end))}" if scores[0] == scores[1] else ""


def chains(logs: Sequence[GivenLog]) -> list[list[GivenLog]]:
    """Return the matches among some logs, each with its logs in their order.

    A log that two others continue belongs to two matches.
    """
    chained = [_chain(log, logs) for log in logs]
    continued = {log.name for chain in chained for log in chain[:-1]}
    return [chain for chain in chained if chain[-1].name not in continued]


def _chain(log: GivenLog, logs: Sequence[GivenLog]) -> list[GivenLog]:
    chain = [log]
    while (origin := chain[0].origin) is not None:
        earlier = _earlier(origin, logs)
        if earlier is None or not follows(origin, earlier):
            break
        chain.insert(0, GivenLog(earlier.name, earlier.lines[: origin.seq]))
    return chain


def _earlier(origin: Origin, logs: Sequence[GivenLog]) -> GivenLog | None:
    """Return the log that another one continues: it may share its name with a third one."""
    named = [log for log in logs if log.match == origin.match]
    return next((log for log in named if follows(origin, log)), named[0] if named else None)


def follows(origin: Origin, earlier: GivenLog) -> bool:
    """Return whether a log has the line that another one continues; its hash covers all before."""
    if not 0 < origin.seq <= len(earlier.lines):
        return False
    return stated_hash(earlier.lines[origin.seq - 1]) == origin.hash


class LogPoint(NamedTuple):
    """A line of a log, by which another log names what it continues."""

    match: str
    seq: int
    hash: str


def continues(origin: LogPoint, end: LogPoint, phase: Phase | str) -> bool:
    """Return whether a log continues another one without anybody's word for it (R220).

    Args:
        origin: the line after which the later log says that it goes on.
        end: the last line of the earlier log.
        phase: of the match there: one that was not adjourned may have gone on.
    """
    return phase == Phase.PUT_ASIDE and origin == end and bool(end.hash)


def _at(log: GivenLog, seq: int) -> Match:
    *_, last = replay_lines(log.lines[:seq])
    return last.match


def _joint(log: GivenLog, origin: Origin, earlier: GivenLog) -> Links:
    """Return what a log and the one that it continues prove, and what stays unproven."""
    seq, needs_hash = origin.seq, origin.taken_from == LOG or origin.hash
    is_known = 0 < seq <= len(earlier.lines)
    if not is_known and (earlier.is_damaged or not needs_hash):
        return _unproven(log, origin, earlier, f"{earlier.name} has no undamaged line {seq}")
    if len(earlier.lines) < seq:
        return _objection(
            f"{log.name} continues line {seq} of the log {origin.match}, but {earlier.name} has"
            f" {len(earlier.lines)} lines: its end is missing, or one of the two was changed"
        )
    if needs_hash and not follows(origin, earlier):
        return _objection(
            f"{log.name} continues line {seq} of the log {origin.match}, but {earlier.name}"
            " has another line there: one of the two was changed"
        )
    stood = _at(earlier, seq)
    if not _is_exact(stood, log, origin):
        is_same = _standing(stood) == _standing(log.first.match)
        if origin.taken_from != LOG and (earlier.is_damaged or is_same):
            return _unproven(log, origin, earlier, _compared(stood, log, earlier.name, seq))
        return _objection(
            f"{log.name} does not begin with the times and the score that {earlier.name} has at its"
            f" line {seq}"
        )
    later = len(earlier.lines) - seq
    # Its first line and the panels told of it; an undamaged log denies that there was damage.
    is_told = earlier.is_damaged and bool(origin.damage or origin.unknown)
    if stood.state.phase is not Phase.PUT_ASIDE and later and not is_told:
        return _objection(
            f"{log.name} continues {earlier.name} after its line {seq}, although that log"
            f" goes on: its last {later} lines are left out"
        )
    played = _played_after(stood, log)
    proven = (
        f"{log.name} continues {earlier.name} after its line {seq}: the same match, with the same"
        f" {'score' if played else 'times and score'}"
    )
    rest = _left_open(log, origin, later)
    return Links([f"{proven}{played}{rest}"], [], [log.name] if played or rest else [])


def _played_after(stood: Match, log: GivenLog) -> str:
    """Return by how much less a player begins who was on move; "": both times are the same."""
    mover = stood.state.running
    if mover is None:
        return ""
    (_, there), (_, here) = _standing(stood), _standing(log.first.match)
    text = reserve_text(there[mover] - here[mover], flagged=False)
    if there == here:
        return ""
    return f"; {mover.value} begins with {text} less, played after that line as it claims"


def _objection(why: str) -> Links:
    return Links([], [why], [])


RESTORED_FROM = {
    LOG: "its undamaged lines",
    CHECKPOINT: "its checkpoint",
    EFFECTS: "the times and the score on a line after the damage",
}


def _unproven(log: GivenLog, origin: Origin, earlier: GivenLog, why: str) -> Links:
    """Return that a log begins with what its clock could still read of the other one."""
    remark = (
        f"{log.name} continues {earlier.name}, but that the match stood as {log.name} begins is not"
        f" proven: it was restored from {RESTORED_FROM.get(origin.taken_from, 'elsewhere')}"
        f"{_damage(origin)}, and {why}"
    )
    return Links([remark], [], [log.name])


def _damage(origin: Origin) -> str:
    return f" ({quoted(origin.damage, 80)})" if origin.damage else ""


def _left_open(log: GivenLog, origin: Origin, later: int) -> str:
    """Return what may have been played after the line that a log continues; "": nothing."""
    event = log.first.line.record.event
    lost_ns = event.lost_ns if isinstance(event, RestoredEvent) else None
    if origin.damage or origin.unknown:
        left_out = max(origin.unknown, later)
        lines = f", lines left out: {left_out}" if left_out else ""
        return f"; not proven: what was played after it{lines}{_damage(origin)}"
    if lost_ns is None:
        return "; not proven: what was played after it"
    return f"; not proven: {lost_ns // SECOND_NS} s of play, at most, after it" if lost_ns else ""


def _compared(stood: Match, log: GivenLog, name: str, seq: int) -> str:
    """Return whether at least both reserves and the score are those of a line."""
    there, here = _standing(stood), _standing(log.first.match)
    if there == here:
        return f"of line {seq} of {name} it has both times and the score, no more"
    return f"{name} has {_text(there)} at its line {seq}, {log.name} begins with {_text(here)}"


def _standing(match: Match) -> tuple[Pair[int], Pair[int]]:
    """Return the score and both reserves."""
    state = match.state
    return state.score, Pair(*(state.reserve_ns(side, state.at_ns) for side in Side))


def _text(standing: tuple[Pair[int], Pair[int]]) -> str:
    score, reserves = standing
    left, right = (reserve_text(each, flagged=False) for each in reserves)
    return f"{score_text(score)}, left {left}, right {right}"


def _is_exact(stood: Match, log: GivenLog, origin: Origin) -> bool:
    """Return whether a log begins with the match as it stood, by the machine's own restoration."""
    first = log.first
    event, at_ns, state = first.line.record.event, first.line.record.at_ns, stood.state
    stopped_ns = state.turn and state.turn.elapsed_ns(state.at_ns)
    if not isinstance(event, RestoredEvent) or (
        state.running is None and event.used_ns != stopped_ns
    ):
        return False
    restored = Restored(at_ns, event.lost_ns, event.used_ns, event.why)
    state, _ = machine.restore_match(stood.state, restored, origin, Writer(""))
    return _compared_state(state) == _compared_state(first.match.state)


def _compared_state(state: MatchState) -> MatchState:
    """Return a match without what version 1.0.0 noted otherwise, and which changes no time.

    That is what can be given back, and what is forfeited of a delay where the rules have none.
    """
    state, turn = state.replace(recent=()), state.turn
    if state.settings.rules.delay_ns:
        return state
    for side in Side:
        if state.players[side].next_delay is not NextDelay.FREE:
            state = state.with_player(side, next_delay=NextDelay.FULL)
    return state.replace(turn=turn and structs.replace(turn, must_wait=False))


def _same_names(logs: Sequence[GivenLog]) -> Links:
    """Return which logs of one name differ, though each may be consistent by itself."""
    found, named = Links([], [], []), defaultdict[str, list[GivenLog]](list)
    for log in logs:
        for other in named[log.match]:
            pairs = enumerate(zip(other.lines, log.lines, strict=False), 1)
            line = next((at for at, (one, two) in pairs if one != two), 0)
            if not line:
                found.remarks.extend(_same_lines(other, log))
                continue
            both = f"{other.name} and {log.name} are both called {log.match}"
            if line == 1:
                found.remarks.append(
                    f"{both}, but begin differently: they are two matches, or one was changed"
                )
                continue
            found.objections.append(
                f"{both}, and differ from line {line} on: one of them was changed, or two clocks"
                " went on with one log"
            )
        named[log.match].append(log)
    return found


def _same_lines(one: GivenLog, other: GivenLog) -> Iterator[str]:
    """Yield that two undamaged logs are copies of each other, as far as both go."""
    if one.is_damaged or other.is_damaged:
        return
    shorter, longer = sorted((one, other), key=lambda log: len(log.lines))
    more = len(longer.lines) - len(shorter.lines)
    after = f"; the {more} after them are in {longer.name} alone" if more else ""
    yield f"{one.name} and {other.name} have the same {len(shorter.lines)} lines{after}"


def _forks(logs: Sequence[GivenLog]) -> Iterator[str]:
    """Yield which logs continue one and the same log: the match was resumed twice."""
    heirs: dict[str, dict[bytes, str]] = {}
    for log in logs:
        if log.origin is not None:  # by its first line: a copy of the same log is no other one
            heirs.setdefault(log.origin.match, {})[log.lines[0]] = log.name
    for match, several in heirs.items():
        if len(several) > 1:
            names = " and ".join(several.values())
            yield f"the log {match} was resumed {len(several)} times, and each goes on: {names}"
