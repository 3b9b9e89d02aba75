"""The database of a hub: lines of matches under way, logs of finished ones, and results.

A thread of its own writes; what cannot be written, because the disk is full, another program has
locked the file or the server is gone, stays in memory and is tried again.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from clock.extras import extra_missing
from room.boards.board import Result, latest_first
from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LogHeads, LogKey, Point, Verdict
from room.settings.room import POSTGRESQL
from room.store.database import Database, DatabaseError, Sqlite, WrongDatabaseError, shown_name
from room.store.items import Forget, Item, groups, heads_of, heard_after, write_group
from room.store.tables import (
    Finish,
    LineRow,
    all_first_heard,
    all_heads,
    all_results,
    arranged,
    count_forks,
    identity,
    latest_source,
    make_tables,
    read_log,
    write_first_heard,
    write_heads,
)

RETRY_S = 2.0  # between attempts to write what could not be written
CLOSE_S = 5.0  # the end of the program does not wait longer for the disk
IN_MEMORY = "What came since is kept in memory until it can be written"


class StoreError(Exception):
    """The database cannot be opened or read; the message says why."""


class WrongStoreError(StoreError):
    """It never can be opened: another file or URL has to be named."""


FoundT = TypeVar("FoundT")


class Store:
    """The database of a hub."""

    def __init__(
        self,
        where: Path | str | None = None,
        today: Callable[[], int] = lambda: 0,
        wall: Callable[[], str] = lambda: "",
    ) -> None:
        """Open the database, or create it.

        Args:
            where: its file, or its URL if it is a PostgreSQL database; None: it is kept in memory
                and ends with the program.
            today: returns the present day, counted from 1970-01-01.
            wall: returns date and time, for people.

        Raises:
            WrongStoreError: it is no database of this program.
            StoreError: it cannot be opened now.
        """
        where = None if where is None else str(where)
        self._name, self._today, self._wall = shown_name(where), today, wall
        try:
            self._database = _opened(where)
            self._load()
        except (WrongDatabaseError, msgspec.DecodeError) as error:
            raise WrongStoreError(f"{self._name}: {error}") from error
        except DatabaseError as error:
            raise StoreError(f"{self._name}: {error}") from error
        self._using = threading.Lock()  # of the connection
        self._changed = threading.Condition()  # of the next four
        self._waiting: list[Item] = []
        self._forgotten: list[str] = []
        self._trouble = ""
        self._closing = False
        self._listeners: list[Callable[[LogHeads], object]] = []
        self._writer = threading.Thread(target=self._run, name="database", daemon=True)
        self._writer.start()

    def _load(self) -> None:
        try:
            make_tables(self._database)
            self._results = all_results(self._database)
            self._heads = all_heads(self._database)
            self._first_heard = all_first_heard(self._database)
            self.uuid = identity(self._database)
        except BaseException:
            self._database.close()
            raise

    # --- from any thread ----------------------------------------------------------------------

    def keep(self, lines: Iterable[NewLine]) -> None:
        """Keep lines; return at once."""
        new = list(lines)
        with self._changed:
            self._first_heard |= heard_after(self._first_heard, new, self._wall())
        self._put(new)

    def finish(self, source: str, result: Result) -> None:
        """Keep the result of a match, and its log as a whole; return at once."""
        self._put([Finish(source, result)])

    def forget(self, days: int) -> None:
        """Delete the matches of which no line came for some days; return at once."""
        self._put([Forget(days)])

    def results(self) -> list[Result]:
        """Return all results, those of the latest matches first."""
        with self._changed:
            return latest_first(self._results.values())

    def drain_forgotten(self) -> list[str]:
        """Return the matches that were deleted since the last call."""
        with self._changed:
            forgotten, self._forgotten = self._forgotten, []
            return forgotten

    def lines(self, match: str, source: str | None = None) -> list[bytes]:
        """Return the lines of a match in their order, without line feeds.

        Args:
            match: its name.
            source: where it comes from; None: wherever its latest line does.
        """
        with self._using:  # nothing is written meanwhile
            with self._changed:
                waiting = [each for each in self._waiting if isinstance(each, NewLine)]
            waiting = [each for each in waiting if each.match == match]
            if source is None:
                source = waiting[-1].source if waiting else self._read(latest_source, match)
            log = self._read(read_log, match, source)
        own = [each for each in waiting if each.source == source]
        return arranged(log, (LineRow(0, each.seq, each.verdict, each.line) for each in own)).lines

    def _read(self, find: Callable[..., FoundT], *values: str) -> FoundT:
        """Return what is found; try twice, as a connection that was lost is made again."""
        try:
            return find(self._database, *values)
        except DatabaseError:
            try:
                return find(self._database, *values)
            except DatabaseError as error:
                raise StoreError(f"{self._name}: {error}") from error

    def head(self, match: str, source: str) -> Point:
        """Return the latest line of a match of a source that is on the disk."""
        with self._changed:
            return self._heads.get((source, match), Point())

    def first_heard(self, match: str) -> dict[str, FirstHeard]:
        """Return what was seen first of a match, by source."""
        with self._changed:
            found = self._first_heard.items()
            return {source: each for (source, name), each in found if name == match}

    def listen(self, committed: Callable[[LogHeads], object]) -> None:
        """Have a function called with the latest lines as soon as they are on the disk.

        It is called in the thread that writes, and must not wait.
        """
        self._listeners.append(committed)

    def known(self, match: str, source: str) -> StoredLog:
        """Return the lines of a log, and how often some of them contradicted earlier ones."""
        with self._using:  # nothing is written meanwhile
            with self._changed:
                waiting = list(self._waiting)
            forks = self._read(count_forks, match, source)
        for each in waiting:
            match each:
                case NewLine() if (each.source, each.match) == (source, match):
                    forks += each.verdict is Verdict.FORK
                case Finish(of, result) if (of, result.match) == (source, match):
                    forks = result.forks
                case _:
                    pass
        return StoredLog(self.lines(match, source), forks)

    def troubles(self) -> list[str]:
        """Return what is wrong with the database, in words."""
        with self._changed:
            return [self._trouble] if self._trouble else []

    def flush(self) -> bool:
        """Wait until everything is written, or cannot be; return whether it is."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting or self._trouble)
            return not self._waiting

    def close(self) -> bool:
        """Write what is left, and close; return whether everything is written."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._writer.join(CLOSE_S)
        if self._writer.is_alive():
            return False
        self._database.close()
        return not self._waiting

    def _put(self, items: Sequence[Item]) -> None:
        if not items:
            return
        with self._changed:
            for item in items:
                if isinstance(item, Finish):
                    self._results[item.source, item.result.match] = item.result
            self._waiting.extend(items)
            self._changed.notify_all()

    # --- the thread that writes ---------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                items = list(self._waiting)
                closing_now = self._closing
            error = self._write(items) if items else ""
            with self._changed:
                self._trouble = error
                self._changed.notify_all()
                if closing_now and (error or not self._waiting):
                    return
                if error:
                    self._changed.wait_for(lambda: self._closing, RETRY_S)

    def _write(self, items: Sequence[Item]) -> str:
        """Write in one transaction; return why that is not possible, or ""."""
        heads, forgotten, today = heads_of(items), list[LogKey](), self._today()
        with self._changed:
            first = {key: self._first_heard[key] for key in heads}
        with self._using:
            try:
                with self._database.transaction():
                    for group in groups(items):
                        forgotten += write_group(self._database, group, today)
                    write_heads(self._database, heads, today)
                    write_first_heard(self._database, first)
            except DatabaseError as error:
                return f"{self._name}: {error}. {IN_MEMORY}"
            with self._changed:
                del self._waiting[: len(items)]
                self._heads |= heads
                for key in forgotten:
                    self._results.pop(key, None)
                self._forgotten += [match for _, match in forgotten]
        for committed in self._listeners:
            committed(heads)
        return ""


def _opened(where: str | None) -> Database:
    if where is None or not where.startswith(POSTGRESQL):
        return Sqlite(where)
    try:
        from room.store.postgresql import PostgreSql  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "psycopg":
            raise
        raise WrongDatabaseError(extra_missing("PostgreSQL", "postgres")) from None
    return PostgreSql(where)
