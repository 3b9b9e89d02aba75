"""Where the lines of logs come from: directories, files, serial lines and a broker.

Each source runs in a thread of its own and tells what it finds by the messages of this module. It
never ends with an error: whatever happens to a file or a port is told as trouble, and tried again.
`arrived_ns` is an instant on the raw clock of this computer.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from clock.storage.log_reader import CURRENT
from room.lines.inbox import envelope_of


class Place(NamedTuple):
    """A board as a source knows it."""

    key: str  # unique among all sources
    source: str  # for people: a directory, a file or a port
    is_file: bool = True  # False: a line that spoils bytes, and repeats lines when it is opened
    hint: str = ""  # a name for the board if its log names none
    clock: str = ""  # the clock's name in the room; empty: it cannot be sent offers


class Lines(NamedTuple):
    """Whole lines of one log in their order, without line feeds; they may repeat earlier ones."""

    place: Place
    match: str  # the name of the log; "": each line says to which it belongs
    lines: tuple[bytes, ...]
    arrived_ns: int
    live: bool  # they were written just now; False: some time before


class Heard(NamedTuple):
    """The clock was heard: what it said of its time and its log, if it said anything."""

    place: Place
    arrived_ns: int
    boot: str = ""
    sent_ns: int | None = None  # on the clock of that boot; None: only the place was reached
    match: str = ""
    seq: int = 0  # the latest line of the match, which may still be on its way
    warnings: tuple[str, ...] = ()  # parts with a fault
    alive: bool = False  # without an instant: the clock itself lives, not only its place


class Archived(NamedTuple):
    """The whole log of an earlier match, without line feeds."""

    place: Place
    match: str
    lines: tuple[bytes, ...]


class Present(NamedTuple):
    """Which match a place is playing; the hub may know its lines from before."""

    place: Place
    match: str


class Earlier(NamedTuple):
    """Lines of an earlier match in their order, without line feeds, in parts."""

    place: Place
    match: str
    lines: tuple[bytes, ...]
    is_whole: bool  # as far as is known the log ends with them


class Offered(NamedTuple):
    """What became of an offer that was sent to a clock."""

    place: Place
    size: int  # bytes
    put: bool  # it lies where the clock finds it
    why: str = ""  # why it does not


class Trouble(NamedTuple):
    """What is wrong with a source; an empty text: nothing any more."""

    place: Place
    what: str


Message = Lines | Heard | Archived | Present | Earlier | Offered | Trouble
Tell = Callable[[Message], None]  # called in the source's thread; must not wait


class Source(Protocol):
    """A source of lines."""

    def start(self, tell: Tell) -> None:
        """Begin to tell what is found, in a thread."""

    def close(self) -> None:
        """End the thread."""


def match_name(path: Path, first: bytes) -> str:
    """Return the name of a log's match: that of its file, or of a plain `current.jsonl` its own.

    Args:
        path: of one of the log's files.
        first: its first line; anything.
    """
    envelope = envelope_of(first) if path.name == CURRENT else None
    return path.name.partition(".")[0] if envelope is None else envelope.match
