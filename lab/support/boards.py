"""A register of boards that is told of logs, and what follows from that."""

from collections.abc import Iterable

import msgspec

from lab.support.logs import forged, monkey_logs
from room.boards.board import Board
from room.boards.conflicts import ConflictsOf
from room.boards.effects import EndedLog, NewLine
from room.boards.followed_log import StoredLog
from room.boards.register import Register
from room.hub.store.arranged import ArrangedLog, LineRow, arranged
from room.lines.events import ClockHeard, LinesRead, Place, SourceEvent
from room.lines.track import Track, follow

LOG = max(monkey_logs(3, 120), key=len)
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
BOOT = msgspec.json.decode(LOG[0])["boot"]
RUNNING = next(at for at, line in enumerate(LOG, 1) if b'"running":null' not in line)
FILE = Place("file", "/logs", hint="7")
PORT = Place("port", "/dev/ttyUSB0", is_file=False)


def named(lines: list[bytes], board: str) -> list[bytes]:
    """A log of a board with another name."""
    return forged(lines, 0, lambda fields: fields.update(board=board))


def tracks(lines: Iterable[bytes]) -> list[Track]:
    """The tracks after each line."""
    found, track = [], Track()
    for line in lines:
        track = follow(track, line)
        found.append(track)
    return found


def finished_log() -> list[bytes]:
    """The log of a match that is over."""
    return next(log for seed in range(99) for log in monkey_logs(seed) if b"FINISHED" in log[-1])


class Hall:
    """A register with a time, and the effects of the events that it was told of."""

    def __init__(
        self,
        boot: str = "",
        stored: StoredLog | None = None,
        conflicts_of: ConflictsOf = lambda match, source: (),
    ) -> None:
        recall = lambda match, source: stored or StoredLog()  # noqa: E731
        self.register, self.ns = Register(0, boot, recall=recall, conflicts_of=conflicts_of), 0
        self.new: list[NewLine] = []
        self.ended: list[EndedLog] = []
        self.put_back: list[str] = []

    def tell(self, *events: SourceEvent) -> "Hall":
        """Handle events."""
        for event in events:
            effects = self.register.handle(event)
            self.new += effects.lines
            self.ended += effects.ended
            self.put_back += effects.put_back
        return self

    def lines(self, place: Place, lines: Iterable[bytes], *, live: bool = True) -> "Hall":
        """Handle lines that arrive now."""
        match = "m" if place.is_file else ""
        return self.tell(LinesRead(place, match, tuple(lines), self.ns, live=live))

    def heard(self, place: Place, sent_ns: int, seq: int = 0) -> "Hall":
        """Handle a heartbeat that arrives now."""
        return self.tell(ClockHeard(place, self.ns, BOOT, sent_ns, "play-1", seq))

    def board(self) -> Board:
        """The only board."""
        self.register.refresh(self.ns)
        (board,) = self.register.boards.values()
        return board

    def stored(self) -> list[bytes]:
        """The log that the new lines make."""
        return stored_log(self.new)


def stored_log(new: Iterable[NewLine]) -> list[bytes]:
    """The log that a database has of new lines."""
    rows = (LineRow(at, each.seq, each.verdict, each.line) for at, each in enumerate(new))
    return arranged(ArrangedLog([], []), rows).lines
