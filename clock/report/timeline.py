"""A log as a row of moments: what happened, how the match stood before and after, what was played.

Two things of a log are awkward for whoever counts: instants begin anew with each boot, and players
change sides. Both are put right here and nowhere else. The one rule: time counts as played only as
far as the log proves it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from clock.eventlog.codec import Line
from clock.match.events import AnyEvent, CorrectedEvent, RestoredEvent
from clock.match.state import MatchState
from clock.eventlog.replay import replayed_lines
from clock.match.sides import Pair, Side
from clock.report.summary import Stamp, Told
from clock.match.timecontrol import Turn

T = TypeVar("T")


class Standing(NamedTuple):
    """A match at one instant, seen by players instead of sides."""

    state: MatchState
    raw_ns: int  # on that boot's clock
    swapped: bool

    def player(self, side: Side) -> Side:
        """Who sits on a side."""
        return side.other if self.swapped else side

    def by_player(self, sides: Pair[T]) -> Pair[T]:
        """What belongs to the sides, by players."""
        return sides.swapped() if self.swapped else sides

    @property
    def running(self) -> Side | None:
        """The player whose clock runs."""
        return self.state.running and self.player(self.state.running)

    @property
    def reserves(self) -> Pair[int]:
        """What each player has left, in ns."""
        left, right = (self.state.reserve_ns(side, self.raw_ns) for side in Side)
        return self.by_player(Pair(left, right))

    @property
    def elapsed_ns(self) -> int:
        """What the turn on the clock has used."""
        return 0 if self.state.turn is None else self.state.turn.elapsed_ns(self.raw_ns)


class Moment(NamedTuple):
    """A line of the log."""

    stamp: Stamp
    line: Line
    before: Standing  # as the line before left it
    after: Standing
    since: Stamp  # the line before
    played_ns: int  # by the player whose clock ran, from then on
    reboot: bool = False  # the computer was switched on since then

    @property
    def event(self) -> AnyEvent:
        """What happened."""
        return self.line.record.event

    @property
    def turn(self) -> Turn | None:
        """The turn that was on the clock before."""
        return self.before.state.turn

    @property
    def length_ns(self) -> int:
        """What that turn had used when this happened."""
        return self.before.elapsed_ns + self.played_ns

    @property
    def spent_ns(self) -> int:
        """What was taken from the reserve since the line before."""
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
        return reserves.update(mover, lambda left: max(0, left - self.spent_ns))

    @property
    def told(self) -> Told:
        """What happened, and who sat where."""
        seats = self.before.state.names.map(printable)
        return Told(self.stamp, self.event, seats, self.before.swapped)


def printable(text: str) -> str:
    """A text without what a terminal or a picture could take for something else."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def moments(lines: Iterable[bytes]) -> Iterator[Moment]:
    """The moments of a log; the first one's `before` is its `after`.

    Args:
        lines: the log's lines, without their line feeds.

    Raises:
        DamagedError: a line is not what the clock wrote, or does not follow from those before it.
    """
    latest: Moment | None = None
    boot = ""
    for (state, _), line in replayed_lines(lines):
        latest = _opened(line, state) if latest is None else _next(latest, line, state, boot)
        boot = line.envelope.boot
        yield latest


def _opened(line: Line, state: MatchState) -> Moment:
    stamp = Stamp(line.envelope.seq, 0, line.envelope.wall)
    standing = Standing(state, line.record.at_ns, swapped=False)
    return Moment(stamp, line, standing, standing, stamp, 0)


def _next(latest: Moment, line: Line, state: MatchState, boot: str) -> Moment:
    before, (envelope, record) = latest.after, line
    played_ns = _played_ns(before, record.event, record.at_ns)
    reboot = envelope.boot != boot
    passed_ns = played_ns if reboot else record.at_ns - before.raw_ns
    stamp = Stamp(envelope.seq, latest.stamp.at_ns + passed_ns, envelope.wall)
    changed = isinstance(record.event, CorrectedEvent) and record.event.what == "sides"
    after = Standing(state, record.at_ns, before.swapped != changed)
    return Moment(stamp, line, before, after, latest.stamp, played_ns, reboot)


def _played_ns(before: Standing, event: AnyEvent, raw_ns: int) -> int:
    """How long a clock ran since the line before; after a power cut, as far as that is known."""
    turn = before.state.turn
    if turn is None:
        return 0
    if isinstance(event, RestoredEvent):
        used_ns = before.elapsed_ns if event.used_ns is None else event.used_ns
        return used_ns - before.elapsed_ns
    return turn.elapsed_ns(raw_ns) - before.elapsed_ns
