"""Watches a room, and stops it at the first law that does not hold."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from clock.eventlog.codec import stated_hash
from lab.room_seeds import laws
from lab.room_seeds.laws import Broken, LogKey, Stored
from lab.room_seeds.truth import ROOM, Truth, clock_of
from room.boards.board import Board
from room.broker.packets import Message
from room.broker.topics import Ack, Topic, address_of, decode
from room.hub.store.database import Row, Sqlite
from room.hub.store.store import Store


class Violation(NamedTuple):
    """A law that does not hold."""

    law: str
    what: str
    at_ns: int


class Observer:
    """What has been told and stored so far."""

    def __init__(self, truth: Truth, now_ns: Callable[[], int], stop: Callable[[], None]) -> None:
        """Begin with nothing.

        Args:
            truth: what the clocks write.
            now_ns: the present instant.
            stop: ends the room.
        """
        self.truth, self._now_ns, self._stop = truth, now_ns, stop
        self.boards: dict[str, str] = {}  # by clock
        self.cards: dict[str, bool] = {}  # by clock: whether its card has not failed or lied so far
        self.liars: set[str] = set()  # clocks whose cards have lied
        self.checks = 0
        self._has: dict[LogKey, set[str]] = {}  # hashes on the hub's disk
        self._told: dict[LogKey, set[str]] = {}  # those that the hub has told
        self.violation: Violation | None = None

    def check(self, law: Callable[..., Broken], *facts: object) -> None:
        """Ask a law."""
        self.checks += 1
        what = law(*facts)
        if what is not None:
            self.report(law.__name__, what)

    def report(self, law: str, what: str) -> None:
        """Note that a law does not hold, and end the room."""
        if self.violation is None:
            self.violation = Violation(law, what, self._now_ns())
            self._stop()

    def let_end(self) -> None:
        """Stop nothing any more: the room ends."""
        self._stop = lambda: None

    # --- what happens -------------------------------------------------------------------------

    def committed(self, rows: Iterable[Row]) -> None:
        """Look at lines that are on the hub's disk now."""
        for source, match, _, verdict, line in rows:
            stored = Stored(clock_of(source), match, verdict, line)
            self.check(laws.each_line_was_written, stored, self.truth)
            self.check(laws.only_lost_lines_fork, stored, self.cards)
            self._has.setdefault((stored.clock, match), set()).add(stated_hash(line) or "")

    def heard(self, _client: str, message: Message) -> None:
        """Look at a message: at what the hub acknowledges."""
        address = address_of(ROOM, message.topic)
        if address is None or address.topic is not Topic.ACK:
            return
        ack = decode(message.payload, Ack)
        if ack is None:
            return
        self.check(laws.hub_tells_what_it_has, address.clock, ack, self._has)
        for match, point in ack.have.items():
            if point.seq:
                self._told.setdefault((address.clock, match), set()).add(point.hash)

    def shown(self, board: Board, began_ns: int) -> None:
        """Look at a board that has changed."""
        self.check(laws.boards_show_what_was_written, board, self.truth)
        self.check(laws.boards_know_their_clock, board, self.boards)
        self.check(laws.no_time_is_taken, board, began_ns, self.truth)

    def opened(self, store: Store, database: Sqlite) -> None:
        """Look at the whole database."""
        for key in self.truth.lines:
            clock, match = key
            source = f"{ROOM}/{clock}"
            self.check(laws.stored_logs_are_whole, key, store.lines(match, source), self.truth)
            has = [line for (line,) in database.rows(LINES_OF, match, source)]
            for (log,) in database.rows(LOG_OF, match, source):
                has += log.split(b"\n")[:-1]
            self.check(laws.told_lines_stay, key, self._told.get(key, ()), has)

    def went_back(self, database: Sqlite) -> None:
        """Forget what the hub has told: its disk has lied, and has lost some of it."""
        self._told.clear()
        self._has.clear()
        for source, match, line in database.rows("SELECT source, match, line FROM lines"):
            self._has.setdefault((clock_of(source), match), set()).add(stated_hash(line) or "")
        for source, match, log in database.rows("SELECT source, match, log FROM logs"):
            hashes = {stated_hash(line) or "" for line in log.split(b"\n")[:-1]}
            self._has.setdefault((clock_of(source), match), set()).update(hashes)


LINES_OF = "SELECT line FROM lines WHERE match = ? AND source = ?"
LOG_OF = "SELECT log FROM logs WHERE match = ? AND source = ?"
