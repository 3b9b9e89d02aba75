"""The database of a hub: lines of matches under way, logs of finished ones, and results.

A thread of its own writes; what cannot be written, because the disk is full, another program has
locked the file or the server is gone, stays in memory and is tried again.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path

import msgspec

from room.boards.board import Conflict, Result, latest_first
from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.hub.store import tables
from room.hub.store.database import DatabaseError, HeldError, WrongDatabaseError, shown_name
from room.hub.store.items import Forget, Item, agree, groups, latest_lines_of, write_group
from room.hub.store.logs import Logs, Senders
from room.hub.store.offers import KeptOffer, recent_offers
from room.hub.store.opening import StoreError, WrongStoreError, open_database
from room.hub.store.reader import SOON_S
from room.hub.store.taken_out import KeptOut, all_taken_out
from room.hub.store.write_queue import WriteQueue
from room.hub.words import hub_message
from room.lines.backlog import LATE_NS, Backlog
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LatestLines, LogKey, Point


class Store:
    """The database of a hub."""

    def __init__(
        self,
        where: Path | str | None = None,
        today: Callable[[], int] = lambda: 0,
        wall: Callable[[], str] = lambda: "",
        *,
        holds: str = "",
    ) -> None:
        """Open the database, or create it.

        Args:
            where: its file, or its URL if it is a PostgreSQL database; None: it is kept in memory
                and ends with the program.
            today: returns the present day, counted from 1970-01-01.
            wall: returns date and time, for people.
            holds: the name of the hub that alone writes into it; empty: none holds it.

        Raises:
            WrongStoreError: it is no database of this program, or another hub holds it.
            StoreError: it cannot be opened now.
        """
        where = None if where is None else str(where)
        self._name, self._today, self._wall = shown_name(where), today, wall
        self._using = threading.Lock()  # of the connection
        self._queue = WriteQueue(self._write)
        self._changed = self._queue.changed  # guards the next ones, too
        self._forgotten: list[LogKey] = []
        self.held_by = ""  # why this hub must end: another one holds it now
        try:
            self._database = open_database(where)
            self._logs = Logs(self._database, self._name, self._queue, self._using, self.sources)
            self._load(holds)
        except (WrongDatabaseError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise WrongStoreError(f"{self._name}: {error}") from error
        except DatabaseError as error:
            raise StoreError(f"{self._name}: {error}") from error
        self._listeners: list[Callable[[LatestLines], object]] = []
        self._queue.start()

    def _load(self, holds: str) -> None:
        try:
            if holds:
                self._database.hold(holds)
            tables.make_tables(self._database)
            self._results = tables.all_results(self._database)
            self._latest_lines = tables.all_latest_lines(self._database)
            self._senders = Senders(tables.all_first_heard(self._database), self._latest_lines)
            self.uuid = tables.identity(self._database)
            self.offers = recent_offers(self._database, self._today())  # of an earlier run
            self.taken_out = all_taken_out(self._database)  # by an earlier run
            self._compare(self._senders.keys())
        except BaseException:
            self._database.close()
            raise
        self._senders.drain_conflicts()

    # --- from any thread ----------------------------------------------------------------------

    def keep(self, lines: Iterable[NewLine]) -> None:
        """Keep lines; return at once."""
        new = list(lines)
        with self._changed:
            self._senders.hear(new, self._wall())
        self._queue.put(new)

    def finish(self, source: str, result: Result) -> None:
        """Keep the result of a match, and its log as a whole; return at once."""
        with self._changed:
            self._results[source, result.match] = result
            self._queue.put([tables.Finish(source, result)])

    def keep_offer(self, place: str, offer: bytes) -> None:
        """Keep the latest offer of a place, for the next run; return at once."""
        self._queue.put([KeptOffer(place, offer)])

    def keep_taken_out(self, places: Iterable[str], *, are_out: bool) -> None:
        """Keep whether the boards of places are taken out, for the next run; return at once."""
        self._queue.put([KeptOut(place, are_out) for place in places])

    def forget(self, days: int) -> None:
        """Delete the matches of which no line came for some days; return at once."""
        self._queue.put([Forget(days)])

    def result(self, key: LogKey) -> Result | None:
        """Return the result of a source's log of a match; None: there is none."""
        with self._changed:
            return self._results.get(key)

    def results(self) -> list[Result]:
        """Return all results, those of the latest matches first."""
        with self._changed:
            return latest_first(self._results.values())

    def drain_forgotten(self) -> list[LogKey]:
        """Return the sources and matches that were deleted since the last call."""
        with self._changed:
            forgotten, self._forgotten = self._forgotten, []
            return forgotten

    def drain_conflicts(self) -> dict[LogKey, Result | None]:
        """Return logs, with results, of matches that another source has sent or contradicted."""
        with self._changed:
            return {key: self._results.get(key) for key in self._senders.drain_conflicts()}

    def lines(
        self, match: str, source: str | None = None, patience_s: float = SOON_S
    ) -> list[bytes]:
        """See `Logs.lines`."""
        return self._logs.lines(match, source, patience_s)

    def sources(self, match: str) -> list[str]:
        """Return the keys of the sources that sent a match, that which was first comes first."""
        with self._changed:
            return self._senders.of(match)

    def conflicts(self, match: str, source: str) -> list[Conflict]:
        """Return who sent a match, this source first."""
        with self._changed:
            return self._senders.conflicts(match, source, self._latest_lines)

    def followed_since(self, result: Result) -> str:
        """Return when a match was heard to begin; "" if it was not followed."""
        with self._changed:
            return self._senders.followed_since(result)

    def latest_line(self, match: str, source: str) -> Point:
        """Return the latest line of a match of a source that is on the disk."""
        with self._changed:
            return self._latest_lines.get((source, match), Point())

    def latest_lines(self) -> LatestLines:
        """Return the latest line of each log that is on the disk."""
        with self._changed:
            return dict(self._latest_lines)

    def has_result(self, match: str, source: str) -> bool:
        """Return whether a match of a source has a result."""
        return (source, match) in self._results

    def first_heard(self, match: str) -> dict[str, FirstHeard]:
        """Return what was seen first of a match, by source."""
        with self._changed:
            return self._senders.first_heard(match)

    def listen(self, committed: Callable[[LatestLines], object]) -> None:
        """Have a function called with the latest lines as soon as they are on the disk.

        It is called in the thread that writes, and must not wait.
        """
        self._listeners.append(committed)

    def known(self, match: str, source: str, turn_s: float = inf) -> StoredLog:
        """See `Logs.known`."""
        return self._logs.known(match, source, turn_s)

    def troubles(self) -> list[str]:
        """Return what is wrong with the database, in words."""
        silent = max(self._queue.writes_ns(), self._logs.waits_ns()) >= LATE_NS
        found = self._queue.troubles()
        if silent and not found:
            return [hub_message("memory", name=self._name, why=hub_message("database"))]
        return found

    def backlog(self) -> Backlog:
        """Return what waits until it is on the disk."""
        return self._queue.backlog()

    def flush(self) -> bool:
        """Wait until everything is written and compared, or cannot be; return whether it is."""
        return self._queue.flush()

    def close(self) -> bool:
        """Write what is left, and close; return whether everything is written."""
        self._logs.close()
        if not self._queue.close() or self._logs.waits_ns():
            return False
        self._database.close()
        return not self._queue.waiting()

    # --- the thread that writes ---------------------------------------------------------------

    def _write(self, items: Sequence[Item]) -> str:
        """Write in one transaction; return why that is not possible, or ""."""
        latest_lines, forgotten, today = latest_lines_of(items), list[LogKey](), self._today()
        begun_ns = time.monotonic_ns()
        with self._changed:
            first = self._senders.first_of(latest_lines)
        with self._using:
            try:
                with self._database.transaction():
                    for group in groups(items):
                        forgotten += write_group(self._database, group, today)
                    tables.write_latest_lines(self._database, latest_lines, today)
                    tables.write_first_heard(self._database, first)
            except HeldError as error:
                self.held_by = f"{self._name}: {error}"
                return self.held_by
            except DatabaseError as error:
                return hub_message("memory", name=self._name, why=str(error))
            with self._changed:
                self._queue.written(len(items), begun_ns)
                self._latest_lines |= latest_lines
                for key in forgotten:
                    self._results.pop(key, None)
                self._forgotten += forgotten
        for committed in self._listeners:
            committed(latest_lines)
        with suppress(StoreError):  # the server is gone again: the next lines are compared
            self._compare(latest_lines)
        return ""

    def _compare(self, keys: Iterable[LogKey]) -> None:
        """Note which of some logs contradict those that other sources sent of the same match."""
        with self._changed:
            pairs = self._senders.uncompared(keys)
        for pair in pairs:
            match, *sources = pair
            if not agree(*(self._logs.read_lines(match, source) for source in sources)):
                with self._changed:
                    self._senders.contradict(pair)
