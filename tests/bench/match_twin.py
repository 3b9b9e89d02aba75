"""Play a board's match again in virtual time, to get the expected panels and log.

The twin is the game alone, without pins, pixels, wires or threads. It is pressed at the instants
at which the board's plungers were pressed. It uses nothing else of the board.
"""

from collections import deque
from collections.abc import Iterable

from clock import __version__
from clock.apps.playback import Disk, NullPanels, VirtualTime
from clock.match.rules import MatchSettings
from clock.match.types import Pair
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Drained, Ports
from clock.ui.dialogue import ButtonMoved
from clock.ui.face import Face
from clock.ui.i18n import sayer


class ScriptedButtons:
    """Buttons that move at given instants; waiting for them advances the virtual time."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._moves = deque[ButtonMoved]()
        self._until_ns = time.ns

    def follow(self, moves: Iterable[ButtonMoved], until_ns: int) -> None:
        """Schedule these moves, and none after them until `until_ns`."""
        self._moves.extend(moves)
        self._until_ns = until_ns

    def wait(self, until_ns: int | None) -> None:
        """Advance the time to the next move or to the end, but not beyond `until_ns`."""
        next_ns = self._moves[0].at_ns if self._moves else self._until_ns
        self._time.ns = max(self._time.ns, next_ns if until_ns is None else min(until_ns, next_ns))

    def drain(self, now_ns: int) -> Drained:
        """Return the moves up to now."""
        moved = []
        while self._moves and self._moves[0].at_ns <= now_ns:
            moved.append(self._moves.popleft())
        return Drained(moved, now_ns)

    def begun(self) -> tuple[ButtonMoved, ...]:
        """Return nothing: contacts settle at once."""
        return ()

    @property
    def done(self) -> bool:
        """Whether all moves have been made and the time has reached the end."""
        return not self._moves and self._time.ns >= self._until_ns


class Twin:
    """A match that is opened at the same instant as the board's."""

    def __init__(self, settings: MatchSettings, at_ns: int) -> None:
        """Open the match.

        Args:
            settings: the settings of the board's match.
            at_ns: when the board's match was opened, on its raw clock.
        """
        time, self._panels = VirtualTime(), NullPanels(settings)
        time.ns = at_ns
        self.lines: list[bytes] = []
        self._buttons = ScriptedButtons(time)
        disk = Disk(self.lines.append)
        ports = Ports(time, self._buttons, self._panels, disk, self._panels, self._panels)
        self._runtime = Runtime(ports, UiOptions(sayer("en"), __version__))

    def follow(self, moves: Iterable[ButtonMoved], until_ns: int) -> Pair[Face]:
        """Make the moves of the board's buttons; return what its panels should show then.

        Raises:
            LookupError: nothing has been shown yet.
        """
        self._buttons.follow(moves, until_ns)
        self._runtime.turn()
        while not self._buttons.done:
            self._runtime.turn()
        if self._panels.faces is None:
            raise LookupError("the clock has shown nothing yet")
        return self._panels.faces

    @property
    def text(self) -> str:
        """The log that the match wrote."""
        return b"".join(self.lines).decode()
