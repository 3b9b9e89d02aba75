"""What a source of lines reports: lines, heartbeats, matches, troubles.

Each source runs in a thread of its own and reports what it finds as the events of this module. It
never ends with an error: whatever happens to a file or a port is reported as trouble, and tried
again. `arrived_ns` is an instant on the raw clock of this computer.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Place(NamedTuple):
    """A board as a source knows it."""

    key: str  # unique among all sources
    source: str  # for people: a directory, a file or a port
    is_file: bool = True  # False: a line that spoils bytes, and repeats lines when it is opened
    hint: str = ""  # a name for the board if its log names none
    clock: str = ""  # the clock's name in the room; empty: it cannot be sent offers
    is_way: bool = False  # no clock, but the way to all of them: a broker, or another hub
    hall: str = ""  # whose hub reports it; empty: this hub's own


class LinesRead(NamedTuple):
    """Whole lines of one log in their order, without line feeds; they may repeat earlier ones."""

    place: Place
    match: str  # the name of the log; "": each line says to which it belongs
    lines: tuple[bytes, ...]
    arrived_ns: int
    live: bool  # they were written just now; False: some time before
    first: int | None = None  # how many lines of the file stand before; None: that says nothing


class ClockHeard(NamedTuple):
    """A heartbeat of a clock with its time and its latest line, or a sign that it is reachable."""

    place: Place
    arrived_ns: int
    boot: str = ""
    sent_ns: int | None = None  # on the clock of that boot; None: only the place was reached
    match: str = ""
    seq: int = 0  # the latest line of the match, which may still be on its way
    warnings: tuple[str, ...] = ()  # parts with a fault
    alive: bool = False  # without an instant: the clock itself lives, not only its place


class MatchBegan(NamedTuple):
    """The match that a place plays; it may come again, and the hub may know its lines already."""

    place: Place
    match: str


class EarlierLinesRead(NamedTuple):
    """Lines of an earlier match in their order, without line feeds: its log, or a part of it."""

    place: Place
    match: str
    lines: tuple[bytes, ...]
    is_whole: bool = True  # as far as is known the log ends with them; a file comes in one part


class HallBoard(NamedTuple):
    """A board as the hub of another hall shows it."""

    place: Place
    shown: bytes  # the board as JSON; empty: it is gone
    offset_ns: int  # from the instants of that hub to the raw clock of this computer
    silent_ns: int | None = None  # when that hub was heard last; None: it is heard


class OfferDelivered(NamedTuple):
    """Whether the clock can find an offer that was sent to it."""

    place: Place
    size: int  # bytes
    put: bool  # its file is where the clock looks
    why: str = ""  # why it is not


class TroubleChanged(NamedTuple):
    """What is wrong with a source; an empty text: nothing any more."""

    place: Place
    what: str


class RoomTaken(NamedTuple):
    """Another hub has the room of this one."""

    place: Place
    why: str


SourceEvent = (
    LinesRead
    | ClockHeard
    | MatchBegan
    | EarlierLinesRead
    | HallBoard
    | OfferDelivered
    | TroubleChanged
    | RoomTaken
)
Emit = Callable[[SourceEvent], None]  # called in the source's thread; must not wait


class Source(Protocol):
    """A source of lines."""

    def start(self, emit: Emit) -> None:
        """Begin to emit events, in a thread."""

    def close(self) -> None:
        """End the thread."""
