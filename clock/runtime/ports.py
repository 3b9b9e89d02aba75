"""What the runtime needs from the outside: a time, buttons, panels and a log.

Each has a real and a simulated side; the runtime cannot tell which it has. The one rule: nothing of
these may block the loop but `Buttons.wait`.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from clock.ui.dialogue import ButtonMoved
from clock.ui.face import Face
from clock.match.state import MatchState
from clock.match.rules import MatchSettings
from clock.match.sides import Pair, Side
from clock.runtime.alerts import Signal


class TimeSource(Protocol):
    """The time that is counted, and the one that people read."""

    @property
    def boot(self) -> str:
        """The kernel's boot id: instants of different boots cannot be compared."""

    def now_ns(self) -> int:
        """The instant on the raw clock, which nobody can set or slew."""

    def wall(self) -> str:
        """The date and time with offset (RFC 3339), for people only."""


class Drained(NamedTuple):
    """What the buttons did, in the order of their stamps, and up to when that is all."""

    moved: Sequence[ButtonMoved]
    horizon_ns: int  # nothing stamped before this instant can still arrive


class Buttons(Protocol):
    """Three buttons, each edge with the instant at which it happened."""

    def wait(self, until_ns: int | None) -> None:
        """Return when a button has moved, or at an instant (None: never), or when woken."""

    def drain(self, now_ns: int) -> Drained:
        """All edges up to the horizon that have not been drained before."""


class Panels(Protocol):
    """Two displays; the newest pair of faces wins."""

    def show(self, faces: Pair[Face]) -> None:
        """Have these shown, soon; returns at once."""


class Log(Protocol):
    """Where the lines of a match go."""

    def begin(self, match: str) -> str:
        """A new match begins; returns the name it has in the log, which is unused so far."""

    def append(self, line: bytes) -> None:
        """Have a line written durably, soon; returns at once."""

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Have it written, soon, that the match is this now; returns at once.

        While its clock runs that is written again and again, with the time by then, as signs of
        life: so often that a power cut costs at most a second of play (R67).
        """

    def late_ns(self) -> int | None:
        """When what is not written yet will be late, which is a fault; None: all is written."""


PARTS = frozenset(  # of a clock that may fail; each has its warning in the language tables
    (
        "buttons",
        "buzzer",
        "config",
        "display",
        "lamps",
        "log",
        "power",
        "recovery",
        "serial",
        "space",
    )
)


class Fault(NamedTuple):
    """A part that failed or works again."""

    part: str  # one of `PARTS`
    what: str | None  # None: it works again


class Health(Protocol):
    """What became of the parts since it was last asked."""

    def drain(self) -> Sequence[Fault]:
        """Faults and recoveries in their order."""


class Signs(Protocol):
    """What can be heard, and seen from afar, of the box besides its panels."""

    def signal(self, signal: Signal) -> None:
        """Have this heard; returns at once."""

    def lamps(self, running: Side | None) -> None:
        """Have the lamp of the running side lit; returns at once."""


class Supervisor(Protocol):
    """Who starts the program again when it has failed or hangs, and tells a director how it is."""

    @property
    def due_ns(self) -> int | None:
        """When it wants to hear of the next turn at the latest; None: whenever there is one."""

    def turned(self, horizon_ns: int, status: str) -> None:
        """Told after each turn of the loop; returns at once.

        Args:
            horizon_ns: what was stamped before has been decided. That it moves on is the proof that
                the loop makes progress, and there is no other.
            status: one line for a person.
        """


class NextMatch(Protocol):
    """Where the settings of the next match come from."""

    def settings(self) -> MatchSettings:
        """As the director has written them by now."""


class Ports(NamedTuple):
    """All of them."""

    time: TimeSource
    buttons: Buttons
    panels: Panels
    log: Log
    health: Health
    next_match: NextMatch
    signs: Signs | None = None
    supervisor: Supervisor | None = None
