"""What is known of a board beside its log, and what asks for the director there."""

from collections.abc import Iterator
from typing import NamedTuple

from clock.match.rules import Reason
from clock.match.state import AT_REST, MatchState
from clock.match.types import Phase, Side
from clock.units import MINUTE_NS, SECOND_NS
from room.boards.board import Conflict, Result
from room.boards.sanitized import clean, safe
from room.lines.track import Track

LOW_TIME_NS = MINUTE_NS  # Berlin: the players are warned about a minute before
SILENCE_NS = 15 * SECOND_NS  # one heartbeat of the serial line may be lost
PLAYING = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN)


class Signs(NamedTuple):
    """What is known of a board beside its log, at one instant of the hub."""

    now_ns: int
    offset_ns: int | None  # what to add to the clock's instants; None: not known
    heard_ns: int | None
    complete: bool  # no line is known to be on its way
    expected_code: str | None = None
    trouble: str = ""  # of the source
    warnings: tuple[str, ...] = ()  # parts with a fault, as heartbeats say
    result: Result | None = None
    conflicts: tuple[Conflict, ...] = ()  # all who say to have the board or match, if several
    rivals: tuple[str, ...] = ()  # other logs that continue the same one
    taken_out: bool = False  # of the room, by the director

    @property
    def heard(self) -> bool:
        """Whether the clock was heard lately."""
        return self.heard_ns is not None and self.now_ns - self.heard_ns < SILENCE_NS

    def at(self, clock_ns: int) -> int:
        """Return an instant of the clock as one of the hub; now, if that is not known."""
        offset_ns = self.offset_ns
        return self.now_ns if offset_ns is None else safe(clock_ns + offset_ns)

    def clock_ns(self, state: MatchState) -> int:
        """Return the present instant on the clock, never before the latest line."""
        now_ns = state.at_ns if self.offset_ns is None else self.now_ns - self.offset_ns
        return max(state.at_ns, now_ns)


def is_certain(track: Track, signs: Signs) -> bool:
    """Return whether the times of a board are those that the clock shows."""
    undamaged = track.damage is None and track.state is not None
    runs = track.state is not None and (track.state.running or track.state.pause)
    return (
        undamaged and signs.complete and signs.heard and (not runs or signs.offset_ns is not None)
    )


def faults_of(track: Track, signs: Signs) -> list[str]:
    """Return what is wrong, in words: of the log, of heartbeats, and of the source."""
    known = {part for part, _ in track.faults}
    parts = [f"{part}: {what}" for part, what in track.faults]
    parts += [part for part in signs.warnings if part not in known]
    return [clean(text) for text in (*parts, signs.trouble) if text]


def attention_of(track: Track, signs: Signs) -> list[str]:
    """Return what asks for the director at a board, the most important first."""
    if signs.taken_out:
        return []
    state = track.state
    expected, code = signs.expected_code, track.code
    asks = {} if state is None else _asks(state, signs.clock_ns(state))
    asks |= {
        "claimed": bool(signs.conflicts),
        "twice": bool(signs.rivals),
        "fault": bool(faults_of(track, signs)),
        "damaged": track.damage is not None,
        "not_heard": not signs.heard,
        "settings": bool(expected and code and expected != code),
    }
    return [name for name, does in asks.items() if does]


def begins_now(track: Track, signs: Signs) -> bool:
    """Return whether times that run are shown as if they began now: the clock's is not known."""
    state = track.state
    if signs.offset_ns is not None:
        return False
    if state is None:
        return track.record is not None and track.record.running is not None
    is_late = any(player.absence for player in state.players)
    return is_late or state.running is not None or state.pause is not None


def changes_at_ns(track: Track, signs: Signs) -> int | None:
    """Return from when on time alone may change a board; None: never."""
    if begins_now(track, signs):
        return signs.now_ns
    at_ns = list[int]()
    if track.state is not None and signs.offset_ns is not None:
        at_ns = [each + signs.offset_ns for each in _instants(track.state)]
    if signs.heard_ns is not None:
        at_ns.append(signs.heard_ns + SILENCE_NS)
    return min((each for each in at_ns if each > signs.now_ns), default=None)


def _instants(state: MatchState) -> Iterator[int]:
    """Yield the instants of the clock from which on `_asks` may return something else."""
    if state.pause is not None:
        yield state.pause.end_ns() + 1
    if state.turn is not None:
        left_ns = state.players[state.turn.side].account.left_ns
        low_ns = state.turn.flag_at_ns(left_ns - LOW_TIME_NS)
        if low_ns is not None:
            yield low_ns


def _asks(state: MatchState, now_ns: int) -> dict[str, bool]:
    """Return which states of a match ask for the director."""
    stopped, over = state.phase is Phase.STOPPED, state.phase in AT_REST
    called = stopped and (state.held or state.reason is Reason.DIRECTOR_CALLED)
    overdue = state.pause is not None and now_ns > state.pause.end_ns()
    owed = any(player.absence or player.late.open for player in state.players)
    low = not state.flagless and any(state.reserve_ns(side, now_ns) <= LOW_TIME_NS for side in Side)
    return {
        "call": called,
        "flag": bool(state.flags_down) and not over,
        "late": (overdue or owed) and not over,
        "low": low and state.phase in PLAYING and not state.flags_down,
    }
