"""The timeline of a log: each line with the match before and after it, and the time played.

Statistics need instants that go on across boots, and players instead of sides: both are worked out
here. After a power cut, time counts as played only as far as the log proves it.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from sys import intern
from typing import NamedTuple, TypeVar

from clock.eventlog.replay import ReplayStep, replay_lines
from clock.match.events import (
    AnyEvent,
    LateEvent,
    Origin,
    PressedEvent,
    RestoredEvent,
    ResumedEvent,
    UndoneEvent,
    swaps_sides,
)
from clock.match.rules import Gammon, Ruler
from clock.match.state import AT_REST, MatchState
from clock.match.timecontrol import Turn
from clock.match.types import Pair, Phase, ResumeWith, Side
from clock.report.summary import SeatedEvent, Stamp
from clock.report.times_of_day import TimeOfDay, Written, times_of_day

T = TypeVar("T")
TURN_PHASES = (Phase.READY, Phase.RUNNING, Phase.FREE_TURN)  # in them a press begins a turn


class PlayerView(NamedTuple):
    """A match at one instant, by players instead of sides."""

    state: MatchState
    raw_ns: int  # the instant, on that boot's clock
    swapped: bool  # the players have changed sides

    def player(self, side: Side) -> Side:
        """Return the player who sits on a side."""
        return side.other if self.swapped else side

    def by_player(self, sides: Pair[T]) -> Pair[T]:
        """Return values of left and right as those of the players, who may have changed sides."""
        return sides.swapped() if self.swapped else sides

    @property
    def running(self) -> Side | None:
        """The player whose clock runs."""
        return self.state.running and self.player(self.state.running)

    @property
    def reserves(self) -> Pair[int]:
        """What each player has left, in ns."""
        of, now_ns = self.state.reserve_ns, self.raw_ns
        return self.by_player(Pair(of(Side.LEFT, now_ns), of(Side.RIGHT, now_ns)))

    @property
    def elapsed_ns(self) -> int:
        """How long the turn on the clock has lasted, in ns."""
        return 0 if self.state.turn is None else self.state.turn.elapsed_ns(self.raw_ns)


class Moment(NamedTuple):
    """A line of the log in the course of the match."""

    stamp: Stamp
    log: str  # the name of its match
    event: AnyEvent
    before: PlayerView  # the match after the previous line
    after: PlayerView
    since: Stamp  # the previous line
    fingerprint_hash: str  # of the line whose fingerprint the panels showed
    played_ns: int  # since then, by the player whose clock ran
    reboot: bool = False  # the computer has started since then
    clock_set_ns: int = 0  # by which the computer's clock was set since then
    ruling: int = 0  # the line of the latest ruling or game that could be taken back; 0: none
    takes_back: int = 0  # the line of the ruling or game that this line takes back; 0: none
    ruled_by: Ruler | None = None  # these three: as in `Record`
    cube: int = 0
    gammon: Gammon | None = None

    @property
    def interrupts(self) -> bool:
        """Whether the match was restored: into another log, or not beside its result."""
        if not isinstance(self.event, RestoredEvent):
            return False
        return self.event.origin is not None or self.after.state.phase not in AT_REST

    @property
    def turn(self) -> Turn | None:
        """The turn that was on the clock before."""
        return self.before.state.turn

    @property
    def length_ns(self) -> int:
        """How long that turn had lasted when this happened, in ns."""
        return self.before.elapsed_ns + self.played_ns

    @property
    def spent_ns(self) -> int:
        """What was taken from the reserve since the previous line, in ns."""
        if self.turn is None:
            return 0
        delay_ns = self.turn.delay_ns
        return max(0, self.length_ns - delay_ns) - max(0, self.before.elapsed_ns - delay_ns)

    @property
    def reserves(self) -> Pair[int]:
        """What each player had left just before this happened, in ns."""
        reserves, mover = self.before.reserves, self.before.running
        if mover is None:
            return reserves
        left_ns = reserves[mover] - self.spent_ns
        return reserves.put(mover, left_ns if self.before.state.flagless else max(0, left_ns))

    @property
    def begins_turn(self) -> bool:
        """Whether a turn began; one that is resumed exactly does not begin again."""
        match self.event:
            case PressedEvent(accepted=True, why=None):
                return self.before.state.phase in TURN_PHASES
            case ResumedEvent(delay=delay):
                if delay is ResumeWith.REST:
                    return self.takes_up_turn
                return not self.is_free_throughout
            case LateEvent():
                return self.after.running is not None
            case RestoredEvent(origin=Origin()):  # the log begins in the middle of it
                return self.turn is not None and self.since == self.stamp
            case _:
                return False

    @property
    def takes_up_turn(self) -> bool:
        """Whether the turn that a reason had interrupted by mistake goes on (R111)."""
        match self.event:
            case ResumedEvent(side=side, delay=ResumeWith.REST):
                return self.turn is not None and self.turn.side is not side
            case _:
                return False

    @property
    def is_free_throughout(self) -> bool:
        """Whether a free turn goes on as one, of the same player (R108)."""
        old, new = self.turn, self.after.state.turn
        if old is None or new is None:
            return False
        return old.free and new.free and old.side is new.side

    @property
    def seated_event(self) -> SeatedEvent:
        """The event, and which player sat on which side."""
        seats, running = self.before.state.names, self.after.state.running
        swapped, back, by = self.before.swapped, self.takes_back, self.ruled_by
        return SeatedEvent(self.stamp, self.event, seats, swapped, running, back, by)


def moments(lines: Iterable[bytes], *later: Iterable[bytes]) -> Iterator[Moment]:
    """Yield the moments of a log, and of `later` ones that continue it.

    In the first one, `before` is the same as `after`. The time for which the match was adjourned
    is left out, and lines are counted on.

    Raises:
        DamagedError: a line is not what the clock wrote, or does not follow from those before it.
    """
    steps = [_step(each) for each in chain.from_iterable(map(replay_lines, (lines, *later)))]
    times = times_of_day([step.written for step in steps])
    latest: Moment | None = None
    boot = ""
    for step, time in zip(steps, times, strict=True):
        latest = _first(step, time) if latest is None else _next(latest, step, boot, time)
        boot = step.written.boot
        yield latest


class _Step(NamedTuple):
    """What the timeline needs of a line that was replayed: a long log has many of them."""

    log: str
    written: Written
    event: AnyEvent
    state: MatchState
    fingerprint_hash: str
    said: tuple[Ruler | None, int, Gammon | None]


def _step(replayed: ReplayStep) -> _Step:
    (state, chained), (envelope, record) = replayed
    log, boot = intern(envelope.match), intern(envelope.boot)  # each text once, not once a line
    written = Written(boot, envelope.at_ns, envelope.wall)
    said = (record.ruled_by, record.cube, record.gammon)
    return _Step(log, written, record.event, state, chained.fingerprint_hash, said)


def _first(step: _Step, time: TimeOfDay) -> Moment:
    stamp = Stamp(1, 0, step.written.wall, time.wall)
    standing = PlayerView(step.state, step.written.at_ns, swapped=False)
    return Moment(stamp, step.log, step.event, standing, standing, stamp, step.fingerprint_hash, 0)


def _next(latest: Moment, step: _Step, boot: str, time: TimeOfDay) -> Moment:
    before, event, raw_ns = latest.after, step.event, step.written.at_ns
    played_ns = _played_ns(before, event, raw_ns)
    joined = isinstance(event, RestoredEvent) and event.origin is not None
    reboot = step.written.boot != boot and not joined
    passed_ns = played_ns if reboot or joined else raw_ns - before.raw_ns
    at_ns = latest.stamp.at_ns + passed_ns
    stamp = Stamp(latest.stamp.line + 1, at_ns, step.written.wall, time.wall)
    after = PlayerView(step.state, raw_ns, before.swapped != swaps_sides(event))
    known = (latest.stamp, step.fingerprint_hash, played_ns, reboot, time.set_ns)
    done = step.state.done
    ruling = stamp.line if done and done.event == event else latest.ruling
    takes_back = latest.ruling if isinstance(event, UndoneEvent) else 0
    return Moment(stamp, step.log, event, before, after, *known, ruling, takes_back, *step.said)


def taken_back(history: Iterable[Moment]) -> frozenset[int]:
    """Return the lines of the rulings and games that were taken back later (R212)."""
    return frozenset(moment.takes_back for moment in history)


def _played_ns(before: PlayerView, event: AnyEvent, raw_ns: int) -> int:
    """Return how long a clock ran since the previous line, as far as that is known."""
    turn = before.state.turn
    if turn is None:
        return 0
    if isinstance(event, RestoredEvent):
        used_ns = before.elapsed_ns if event.used_ns is None else event.used_ns
        return used_ns - before.elapsed_ns
    return turn.elapsed_ns(raw_ns) - before.elapsed_ns
