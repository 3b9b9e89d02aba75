"""What the loop needs from outside: a time, buttons, panels, a log and so on.

Each port has a real and a simulated implementation. Only `Buttons.wait` may block the loop.
"""

from collections.abc import Callable, Container, Sequence
from typing import NamedTuple, Protocol

from clock.config.offer import LatestLine, OfferError
from clock.config.settings import Preset
from clock.eventlog.recovery import Recovery
from clock.eventlog.unfinished import Unfinished
from clock.match.faults import Fault
from clock.match.rules import MatchSettings, Offer, Proposal
from clock.match.state import MatchState
from clock.match.types import Pair, Side
from clock.runtime.alerts import Alert
from clock.ui.dialogue import ButtonMoved
from hardware.face import Face


class TimeSource(Protocol):
    """The time that is counted, and the one that people read."""

    @property
    def boot(self) -> str:
        """The kernel's boot id: instants of different boots cannot be compared."""

    def now_ns(self) -> int:
        """Return the instant on the raw clock, which cannot be set or slewed."""

    def wall(self) -> str:
        """Return date and time with offset (RFC 3339), for people only."""


class Drained(NamedTuple):
    """The edges of the buttons in the order of their stamps, complete up to the horizon."""

    moved: Sequence[ButtonMoved]
    horizon_ns: int  # nothing stamped before this instant can still arrive


class Buttons(Protocol):
    """Three buttons, each edge with the instant at which it happened."""

    def wait(self, until_ns: int | None) -> None:
        """Return when a button moves or has moved, at an instant (None: never), or when woken."""

    def drain(self, now_ns: int) -> Drained:
        """Return all edges up to the horizon that have not been drained before."""

    def begun(self) -> Sequence[ButtonMoved]:
        """Return the presses that may have begun; each will be drained, or was nothing."""


class Panels(Protocol):
    """Two displays; the newest pair of faces wins."""

    def show(self, faces: Pair[Face]) -> None:
        """Show these soon; return at once."""


class EventLog(Protocol):
    """Where the lines of a match go."""

    def begin(self, match: str) -> str:
        """Begin the log of a new match; return its name, made unique."""

    def append(self, line: bytes) -> None:
        """Write a line durably, soon; return at once."""

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """Write a checkpoint of the match soon; return at once.

        While a clock runs the checkpoint is repeated, with the time by then, so often that a power
        cut costs at most a second of play (R67).
        """

    def late_ns(self) -> int | None:
        """Return when the oldest unwritten line will be late; None: everything is written."""


class Health(Protocol):
    """The faults of all parts."""

    def drain(self) -> Sequence[Fault]:
        """Return the faults and recoveries since the last call, in their order."""


class Outputs(Protocol):
    """The buzzer, and the lamps that show from afar which clock runs."""

    def announce(self, alert: Alert) -> None:
        """Sound an alert; return at once."""

    def light(self, running: Side | None) -> None:
        """Light the lamp of the running side only; return at once."""


class Supervisor(Protocol):
    """The service manager, which restarts the program when it has failed or hangs."""

    @property
    def due_ns(self) -> int | None:
        """When it must hear of the next turn at the latest; None: no limit."""

    def turned(self, horizon_ns: int, status: str) -> None:
        """Report a turn of the loop, with one line for a person; return at once.

        Everything stamped before the horizon has been decided. Only a horizon that moves on proves
        that the loop makes progress.
        """


class NextMatch(Protocol):
    """Where the settings of the next match come from."""

    def settings(self) -> MatchSettings:
        """Return the settings in the director's file at present."""

    @property
    def choices(self) -> tuple[Preset, ...]:
        """What the next match can be, as the file said at the latest `settings`; see `Dialogue`."""

    @property
    def board(self) -> str:
        """The table, as the file named it at the latest `settings`; "" if it names none."""


class Offers(Protocol):
    """Where the director's offers of the next match come from."""

    def look(self, latest: LatestLine, known: Container[str]) -> Offer | OfferError | None:
        """Return a new offer, or why a new one is refused; None: nothing new.

        An offer that was made after another line than the log's latest is refused. The ids of
        offers that are settled are known, and nothing new.
        """


class Rulings(Protocol):
    """Where the rulings that the director proposes come from."""

    def proposed(self, latest: LatestLine) -> Proposal | None:
        """Return a new ruling that was signed for this clock and for the log's latest line.

        None: there is none. One that is shown already was signed for an earlier line.
        """


class ResumableMatches(Protocol):
    """The matches that are not over: of this clock, and of others whose logs were handed over."""

    def unfinished(self) -> tuple[Unfinished, ...]:
        """Return them as they are on the disk now, in the order of their list."""

    def resume_match(self, log: str, at_ns: int) -> Recovery | None:
        """Return a match that goes on in a new log at an instant; None: a fault says why not."""


class Ports(NamedTuple):
    """All ports of one loop."""

    time: TimeSource
    buttons: Buttons
    panels: Panels
    log: EventLog
    health: Health
    next_match: NextMatch
    outputs: Outputs | None = None
    supervisor: Supervisor | None = None
    offers: Offers | None = None
    rulings: Rulings | None = None
    resumable: ResumableMatches | None = None
    keep_language: Callable[[str], None] | None = None  # over a restart; never fails
    battery: Callable[[], int | None] = lambda: None
    """Returns how full the battery is, in percent; None: none is known."""
