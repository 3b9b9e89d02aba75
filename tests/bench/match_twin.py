"""The same match in virtual time: what the panels and the log of a board should be.

It is the game alone, without pins, pixels, wires or threads, pressed at the instants at which the
board's plungers were. The one rule: nothing that the board drew or wrote is used but the stamps of
its presses.
"""

from collections import deque
from collections.abc import Iterable

from clock import __version__
from clock.ui.dialogue import ButtonMoved
from clock.ui.face import Face
from clock.ui.i18n import sayer
from clock.apps.playback import Disk, Unseen, VirtualTime
from clock.runtime.ports import Drained, Ports
from clock.match.rules import MatchSettings
from clock.runtime.loop import Manner, Runtime
from clock.match.sides import Pair


class Fingers:
    """Buttons that move when they are told; waiting for them moves the time."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._moves = deque[ButtonMoved]()
        self._until_ns = time.ns

    def follow(self, moves: Iterable[ButtonMoved], until_ns: int) -> None:
        """Move so, and nothing else happens until an instant."""
        self._moves.extend(moves)
        self._until_ns = until_ns

    def wait(self, until_ns: int | None) -> None:
        """Jump to the next move, to the end, or to an instant before."""
        next_ns = self._moves[0].at_ns if self._moves else self._until_ns
        self._time.ns = max(self._time.ns, next_ns if until_ns is None else min(until_ns, next_ns))

    def drain(self, now_ns: int) -> Drained:
        """What has moved by now."""
        moved = []
        while self._moves and self._moves[0].at_ns <= now_ns:
            moved.append(self._moves.popleft())
        return Drained(moved, now_ns)

    @property
    def done(self) -> bool:
        """All has happened, up to the end."""
        return not self._moves and self._time.ns >= self._until_ns


class Twin:
    """A match that was opened when the board's was."""

    def __init__(self, settings: MatchSettings, at_ns: int) -> None:
        """Open it.

        Args:
            settings: the board's.
            at_ns: the instant, on the board's raw clock.
        """
        time, self._panels = VirtualTime(), Unseen(settings)
        time.ns = at_ns
        self.lines: list[bytes] = []
        self._fingers = Fingers(time)
        disk = Disk(self.lines.append)
        ports = Ports(time, self._fingers, self._panels, disk, self._panels, self._panels)
        self._runtime = Runtime(ports, Manner(sayer("en"), __version__))

    def follow(self, moves: Iterable[ButtonMoved], until_ns: int) -> Pair[Face]:
        """Press as the board was pressed; returns what its panels should show then."""
        self._fingers.follow(moves, until_ns)
        self._runtime.turn()
        while not self._fingers.done:
            self._runtime.turn()
        if self._panels.faces is None:
            raise LookupError("the clock has shown nothing yet")
        return self._panels.faces

    @property
    def text(self) -> str:
        """The log that it wrote."""
        return b"".join(self.lines).decode()
