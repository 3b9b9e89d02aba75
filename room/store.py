"""The database: the lines of matches under way, the logs of finished ones, and their results.

This is the only module with SQL. A thread of its own writes; what cannot be written, because the
disk is full or another program has locked the file, stays in memory and is tried again. A line is
never changed, and never removed before the log that it belongs to is kept as a whole.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import msgspec

from clock.eventlog.codec import stated_hash
from room.board import Result
from room.inbox import Point, Verdict
from room.register import Kept, Known

RETRY_S = 2.0  # between attempts to write what could not be written
LOCK_S = 1.0  # how long to wait for another program that has locked the file
CLOSE_S = 5.0  # the end of the program does not wait longer for the disk
IN_MEMORY = "What came since is kept in memory until it can be written"
SCHEMA = 1
TABLES = """
CREATE TABLE IF NOT EXISTS lines (
    arrival INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    match TEXT NOT NULL,
    seq INTEGER,               -- NULL: a line that states none
    verdict TEXT NOT NULL,
    line BLOB NOT NULL,
    present INTEGER NOT NULL DEFAULT 1  -- 0: of another branch than the log that was kept
);
CREATE INDEX IF NOT EXISTS lines_of_match ON lines (match, source);
CREATE TABLE IF NOT EXISTS logs (
    match TEXT NOT NULL,
    source TEXT NOT NULL,
    log BLOB NOT NULL,         -- the file, byte for byte
    PRIMARY KEY (match, source)
);
CREATE TABLE IF NOT EXISTS results (
    match TEXT NOT NULL,
    source TEXT NOT NULL,
    result BLOB NOT NULL,      -- JSON
    PRIMARY KEY (match, source)
);
CREATE TABLE IF NOT EXISTS heads (
    source TEXT NOT NULL,
    match TEXT NOT NULL,
    seq INTEGER NOT NULL,      -- of the latest line that continues the log
    hash TEXT NOT NULL,
    PRIMARY KEY (source, match)
);
CREATE TABLE IF NOT EXISTS identity (
    uuid TEXT NOT NULL
);
"""
Heads = dict[tuple[str, str], Point]  # the latest line on the disk, by source and match


class StoreError(Exception):
    """The database cannot be opened; the message says why."""


class Finish(NamedTuple):
    """A match has a result: keep its log as a whole."""

    source: str
    result: Result


class Row(NamedTuple):
    """A line as it was kept."""

    arrival: int
    seq: int | None
    verdict: Verdict
    line: bytes


class Log(NamedTuple):
    """A log, and the rows of `lines` that it is made of."""

    lines: list[bytes]
    arrivals: list[int]


class Store:
    """The database of a hub."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the database, or create it.

        Args:
            path: of its file; None: it is kept in memory and ends with the program.

        Raises:
            StoreError: it cannot be opened, or is no database of this program.
        """
        self._name = "the database in memory" if path is None else str(path)
        try:
            self._database = _opened(path)
            self._results = _all_results(self._database)
            self._heads = _all_heads(self._database)
            self.uuid = _identity(self._database)
        except (sqlite3.Error, msgspec.DecodeError) as error:
            raise StoreError(f"{self._name}: {error}") from error
        self._using = threading.Lock()  # of the connection
        self._changed = threading.Condition()  # of the next three
        self._waiting: list[Kept | Finish] = []
        self._trouble = ""
        self._closing = False
        self._listeners: list[Callable[[Heads], object]] = []
        self._writer = threading.Thread(target=self._run, name="database", daemon=True)
        self._writer.start()

    # --- from any thread ----------------------------------------------------------------------

    def keep(self, lines: Iterable[Kept]) -> None:
        """Keep lines; return at once."""
        self._put(list(lines))

    def finish(self, source: str, result: Result) -> None:
        """Keep the result of a match, and its log as a whole; return at once."""
        self._put([Finish(source, result)])

    def results(self) -> list[Result]:
        """Return all results, those of the latest matches first."""
        with self._changed:
            found = list(self._results.values())
        return sorted(found, key=lambda result: (result.begun, result.match), reverse=True)

    def lines(self, match: str, source: str | None = None) -> list[bytes]:
        """Return the lines of a match in their order, without line feeds.

        Args:
            match: its name.
            source: where it comes from; None: wherever its latest line does.
        """
        with self._using:  # nothing is written meanwhile
            with self._changed:
                waiting = [each for each in self._waiting if isinstance(each, Kept)]
            waiting = [each for each in waiting if each.match == match]
            if source is None:
                source = waiting[-1].source if waiting else _latest_source(self._database, match)
            log = _log(self._database, match, source)
        own = [each for each in waiting if each.source == source]
        return arranged(log, (Row(0, each.seq, each.verdict, each.line) for each in own)).lines

    def head(self, match: str, source: str) -> Point:
        """Return the latest line of a match of a source that is on the disk."""
        with self._changed:
            return self._heads.get((source, match), Point())

    def listen(self, told: Callable[[Heads], object]) -> None:
        """Have the latest lines told as soon as they are on the disk, in the thread that writes."""
        self._listeners.append(told)

    def known(self, match: str, source: str) -> Known:
        """Return the lines of a log, and how often some of them contradicted earlier ones."""
        with self._using:  # nothing is written meanwhile
            with self._changed:
                waiting = list(self._waiting)
            forks = _forks(self._database, match, source)
        for each in waiting:
            match each:
                case Kept(source=of, match=name, verdict=verdict) if (of, name) == (source, match):
                    forks += verdict is Verdict.FORK
                case Finish(of, result) if (of, result.match) == (source, match):
                    forks = result.forks
                case _:
                    pass
        return Known(self.lines(match, source), forks)

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

    def _put(self, items: Sequence[Kept | Finish]) -> None:
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

    def _write(self, items: Sequence[Kept | Finish]) -> str:
        """Write in one transaction; return why that is not possible, or ""."""
        with self._using:
            heads = _heads_of(items)
            try:
                with self._database as database:
                    for item in items:
                        _write_item(database, item)
                    _write_heads(database, heads)
            except sqlite3.Error as error:
                return f"{self._name}: {error}. {IN_MEMORY}"
            with self._changed:
                del self._waiting[: len(items)]
                self._heads |= heads
        for told in self._listeners:
            told(heads)
        return ""


def _heads_of(items: Iterable[Kept | Finish]) -> Heads:
    """Return the latest line of each log that lines continue."""
    return {
        (item.source, item.match): Point(item.seq, stated_hash(item.line) or "")
        for item in items
        if isinstance(item, Kept) and item.seq and item.verdict in (Verdict.STORED, Verdict.FORK)
    }


def arranged(log: Log, rows: Iterable[Row]) -> Log:
    """Return a log with later lines; of two that contradict each other the later one counts."""
    lines, arrivals = list(log.lines), list(log.arrivals)
    for row in rows:
        if row.verdict is Verdict.MISSING:  # it comes again, after those before it
            continue
        if row.seq is not None:  # of a damaged log or another branch nothing counts from here on
            base = len(lines) - len(arrivals)
            del lines[row.seq - 1 :], arrivals[max(0, row.seq - 1 - base) :]
        lines.append(row.line)
        arrivals.append(row.arrival)
    return Log(lines, arrivals)


# --- SQL --------------------------------------------------------------------------------------


def _opened(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(
        ":memory:" if path is None else path, timeout=LOCK_S, check_same_thread=False
    )
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA):
            raise sqlite3.DatabaseError(f"written by a later version ({version})")
        if not version and database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise sqlite3.DatabaseError("the database of another program")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.executescript(TABLES)
        database.execute(f"PRAGMA user_version = {SCHEMA}")
    except sqlite3.Error:
        database.close()
        raise
    return database


def _all_results(database: sqlite3.Connection) -> dict[tuple[str, str], Result]:
    rows = database.execute("SELECT source, match, result FROM results").fetchall()
    return {
        (source, match): msgspec.json.decode(result, type=Result) for source, match, result in rows
    }


def _all_heads(database: sqlite3.Connection) -> Heads:
    rows = database.execute("SELECT source, match, seq, hash FROM heads").fetchall()
    return {(source, match): Point(seq, hash_) for source, match, seq, hash_ in rows}


def _identity(database: sqlite3.Connection) -> str:
    """Return what tells this database from every other."""
    with database:
        found = database.execute("SELECT uuid FROM identity").fetchone()
        if found is None:
            found = (str(uuid4()),)
            database.execute("INSERT INTO identity VALUES (?)", found)
    return str(found[0])


def _write_heads(database: sqlite3.Connection, heads: Heads) -> None:
    database.executemany(
        "INSERT OR REPLACE INTO heads (source, match, seq, hash) VALUES (?, ?, ?, ?)",
        [(*key, head.seq, head.hash) for key, head in heads.items()],
    )


def _latest_source(database: sqlite3.Connection, match: str) -> str:
    """Return where a match comes from."""
    found = database.execute(
        "SELECT source FROM lines WHERE match = ? AND present ORDER BY arrival DESC LIMIT 1",
        (match,),
    ).fetchone()
    found = (
        found
        or database.execute(
            "SELECT source FROM logs WHERE match = ? ORDER BY rowid DESC LIMIT 1", (match,)
        ).fetchone()
    )
    return "" if found is None else str(found[0])


def _kept_log(database: sqlite3.Connection, match: str, source: str) -> list[bytes]:
    """Return the lines of a log that was kept as a whole; none if it was not."""
    kept = database.execute(
        "SELECT log FROM logs WHERE match = ? AND source = ?", (match, source)
    ).fetchone()
    return kept[0].split(b"\n")[:-1] if kept else []


def _log(database: sqlite3.Connection, match: str, source: str) -> Log:
    """Return a log with the lines that came after it was kept as a whole."""
    before = Log(_kept_log(database, match, source), [])
    with closing(
        database.execute(
            "SELECT arrival, seq, verdict, line FROM lines"
            " WHERE match = ? AND source = ? AND present ORDER BY arrival",
            (match, source),
        )
    ) as rows:
        found = [Row(arrival, seq, Verdict(text), line) for arrival, seq, text, line in rows]
    return arranged(before, found)


def _forks(database: sqlite3.Connection, match: str, source: str) -> int:
    """Return the forks of a log: those of its result, and those after that was kept."""
    found = database.execute(
        "SELECT result FROM results WHERE match = ? AND source = ?", (match, source)
    ).fetchone()
    (later,) = database.execute(
        "SELECT count(*) FROM lines"
        " WHERE match = ? AND source = ? AND present AND verdict = 'fork'",
        (match, source),
    ).fetchone()
    before = msgspec.json.decode(found[0], type=Result).forks if found else 0
    return before + int(later)


def _write_item(database: sqlite3.Connection, item: Kept | Finish) -> None:
    match item:
        case Kept(source, match, seq, verdict, line):
            database.execute(
                "INSERT INTO lines (source, match, seq, verdict, line) VALUES (?, ?, ?, ?, ?)",
                (source, match, seq, verdict.value, line),
            )
        case Finish(source, result):
            _write_finish(database, source, result)


def _write_finish(database: sqlite3.Connection, source: str, result: Result) -> None:
    """Keep a log as a whole; lines of other branches stay."""
    match, log = result.match, _log(database, result.match, source)
    database.execute(
        "INSERT OR REPLACE INTO results (match, source, result) VALUES (?, ?, ?)",
        (match, source, msgspec.json.encode(result)),
    )
    if not log.arrivals:
        return
    numbers = [(arrival,) for arrival in log.arrivals]
    database.executemany("DELETE FROM lines WHERE arrival = ?", numbers)
    present, before = set(log.lines), _kept_log(database, match, source)
    database.executemany(
        "INSERT INTO lines (source, match, verdict, line) VALUES (?, ?, 'fork', ?)",
        [(source, match, line) for line in before if line not in present],
    )
    database.execute("UPDATE lines SET present = 0 WHERE match = ? AND source = ?", (match, source))
    database.execute(
        "INSERT OR REPLACE INTO logs (match, source, log) VALUES (?, ?, ?)",
        (match, source, b"".join(line + b"\n" for line in log.lines)),
    )
