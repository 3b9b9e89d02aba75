"""Follow the lines of one log: the match that they prove, and what is wrong with them.

A log that does not replay is damaged from its first bad line on. What later lines state of phase,
reserves and score is shown, but never as certain.
"""

from typing import Any

import msgspec
from msgspec import structs

from clock.eventlog.codec import DamagedError, LogLine
from clock.eventlog.replay import Match, replay_line
from clock.match import events
from clock.match.events import Record
from clock.match.rules import settings_code
from clock.match.state import MatchState
from clock.match.timecontrol import Turn
from clock.match.types import Phase, Side
from room.lines.inbox import line_of

Faults = tuple[tuple[str, str], ...]  # the parts that have failed, and how


class Track(msgspec.Struct, frozen=True):
    """What the lines of a log say so far."""

    match: Match | None = None  # after the undamaged lines; None: there is none yet
    state: MatchState | None = None  # to be shown: after the latest line that can be read
    record: Record | None = None  # of the latest line that can be read
    boot: str = ""  # of the instants in `state`
    seq: int = 0
    lines: int = 0
    damage: str | None = None  # the first bad line, and what is wrong with it
    board: str = ""
    clock: str = ""
    code: str = ""  # of the settings in force
    origin: events.Origin | None = None  # the log that it goes on from; None: it begins its match
    faults: Faults = ()

    @property
    def continues(self) -> str:
        """The match of the log that it goes on from; empty: it begins with its match."""
        return self.origin.match if self.origin else ""


def follow(track: Track, raw: bytes) -> Track:
    """Return what a log says with one more line, without its line feed, valid or not."""
    number, line = track.lines + 1, line_of(raw)
    if track.damage is None:
        try:
            step = replay_line(track.match, raw, number, line)
        except DamagedError as damage:
            track = structs.replace(track, damage=str(damage))
        else:
            said, state = _with_facts(track, step.line), step.match.state
            code = state.code if state.phase is Phase.REVIEW else said.code  # R106
            return structs.replace(said, match=step.match, state=state, lines=number, code=code)
    return structs.replace(_with_effects(track, line), lines=number)


def broken(track: Track, damage: str) -> Track:
    """Return a track that cannot be continued, because of what is said."""
    return track if track.damage is not None else structs.replace(track, damage=damage)


def _with_facts(track: Track, line: LogLine) -> Track:
    """Return a track with what a line says beside the match."""
    envelope, event = line.envelope, line.record.event
    track = structs.replace(
        track,
        record=line.record,
        boot=envelope.boot,
        seq=envelope.seq,
    )
    match event:
        case events.MatchOpenedEvent():
            opened = {"board": event.board, "clock": event.clock, "code": event.code}
            return structs.replace(track, **opened)
        case events.RestoredEvent(
            origin=events.Origin() as origin, state={"settings": dict(settings)}
        ):
            code = settings_code(settings)
            opened = {"board": event.board, "clock": event.clock, "code": code}
            return structs.replace(track, origin=origin, **opened)
        case (
            events.AdjustedEvent(code=str(code)) | events.CorrectedEvent(code=str(code))
        ):  # at REVIEW (R106)
            return structs.replace(track, code=code)
        case events.FaultEvent():
            faults = (*_without(track.faults, event.part), (event.part, event.what))
            return structs.replace(track, faults=faults)
        case events.FaultClearedEvent():
            return structs.replace(track, faults=_without(track.faults, event.part))
        case _:
            return track


def _without(faults: Faults, part: str) -> Faults:
    return tuple(fault for fault in faults if fault[0] != part)


def _with_effects(track: Track, line: LogLine | None) -> Track:
    """Return a damaged track with what a later line, if it can be read, states of itself."""
    if line is None:
        return track
    track = _with_facts(track, line)
    return structs.replace(track, state=track.state and _stated(track.state, line))


def _stated(state: MatchState, line: LogLine) -> MatchState:
    """Return a state with the phase, reserves, score and winner that a line states."""
    record = line.record
    for side, left_ns in zip(Side, (record.left_ns, record.right_ns), strict=True):
        account = state.players[side].account
        granted = structs.replace(account, granted_ns=account.spent_ns + left_ns)
        state = state.with_player(side, account=granted)
    running = record.running
    turn = None if running is None else Turn(running, record.delay_ns, since_ns=record.at_ns)
    place: dict[str, Any] = {"phase": record.phase, "score": record.score, "at_ns": record.at_ns}
    if record.phase is not Phase.FINISHED:  # or not any more
        place |= {"winner": None, "ended": ""}
    elif isinstance(record.event, events.MatchOverEvent):
        place |= {"winner": record.event.winner, "ended": record.event.why}
    return state.replace(**place, turn=turn, held=False, pause=None)
