"""The tables of the store, and every command of SQL but those of `offers` and `taken_out`.

A line is never changed, and never removed before the log that it belongs to is kept as a whole, or
the match is forgotten.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

import msgspec

from room.boards.board import Result
from room.boards.effects import EndedLog, NewLine
from room.boards.results import result_of
from room.hub.store.arranged import ArrangedLog, LineRow, arranged
from room.hub.store.database import Database
from room.hub.store.offers import OFFERS
from room.hub.store.taken_out import TAKEN_OUT
from room.lines.events import Place
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LatestLines, LogKey, Point, Verdict

TABLES = (
    """CREATE TABLE IF NOT EXISTS lines (
        arrival {number},
        source TEXT NOT NULL,
        match TEXT NOT NULL,
        seq BIGINT,                -- NULL: a line that states none, or an impossible one
        verdict TEXT NOT NULL,
        line {bytes} NOT NULL,
        present INTEGER NOT NULL DEFAULT 1  -- 0: of another branch than the log that was kept
    )""",
    "CREATE INDEX IF NOT EXISTS lines_of_match ON lines (match, source)",
    """CREATE TABLE IF NOT EXISTS logs (
        number {number},           -- the log that was kept last has the highest
        match TEXT NOT NULL,
        source TEXT NOT NULL,
        log {bytes} NOT NULL,      -- the file, byte for byte
        UNIQUE (match, source)
    )""",
    """CREATE TABLE IF NOT EXISTS results (
        match TEXT NOT NULL,
        source TEXT NOT NULL,
        result {bytes} NOT NULL,   -- JSON
        PRIMARY KEY (match, source)
    )""",
    """CREATE TABLE IF NOT EXISTS heads (
        source TEXT NOT NULL,
        match TEXT NOT NULL,
        seq BIGINT NOT NULL,       -- of the latest line that continues the log
        hash TEXT NOT NULL,
        day INTEGER NOT NULL,      -- on which it came, counted from 1970-01-01
        PRIMARY KEY (source, match)
    )""",
    """CREATE TABLE IF NOT EXISTS first_heard (
        source TEXT NOT NULL,
        match TEXT NOT NULL,
        heard {bytes} NOT NULL,    -- JSON; it stays when the match is forgotten
        PRIMARY KEY (source, match)
    )""",
    OFFERS,
    TAKEN_OUT,
    "CREATE TABLE IF NOT EXISTS identity (uuid TEXT NOT NULL)",
)
FIRST_DAY = 20454  # 2026-01-01; a computer that has an earlier date does not know it
MAX_SEQ = 2**63 - 1  # of a column


class Finish(NamedTuple):
    """A match has a result: keep its log as a whole."""

    source: str
    result: Result


def make_tables(database: Database) -> None:
    """Create the tables that are missing."""
    for table in TABLES:
        database.run(table.format(number=database.number_type, bytes=database.bytes_type))


# --- reading --------------------------------------------------------------------------------------


def all_results(database: Database) -> dict[LogKey, Result]:
    """Return all results, but those of matches that never began: earlier versions kept them."""
    rows = database.rows("SELECT source, match, result FROM results")
    found = {}
    for source, match, text in rows:
        result = msgspec.json.decode(text, type=Result)
        result = msgspec.structs.replace(result, source=source)  # not in those of earlier versions
        if result.complete or any(result.score) or _has_begun(database, match, source):
            found[source, match] = result
    return found


def _has_begun(database: Database, match: str, source: str) -> bool:
    """Return whether a log is one of a match that began; also if there is no log any more."""
    lines = read_log(database, match, source).lines
    ended = EndedLog(Place(source, source), match, tuple(lines), 0)
    return not lines or result_of(ended) is not None


def all_latest_lines(database: Database) -> LatestLines:
    """Return the latest line of each log."""
    rows = database.rows("SELECT source, match, seq, hash FROM heads")
    return {(source, match): Point(seq, hash_) for source, match, seq, hash_ in rows}


def all_first_heard(database: Database) -> dict[LogKey, FirstHeard]:
    """Return what was seen first of each match."""
    rows = database.rows("SELECT source, match, heard FROM first_heard")
    return {
        (source, match): msgspec.json.decode(heard, type=FirstHeard)
        for source, match, heard in rows
    }


def latest_source(database: Database, match: str) -> str:
    """Return where a match comes from; empty: from nowhere."""
    found = database.rows(
        "SELECT source FROM lines WHERE match = ? AND present = 1 ORDER BY arrival DESC LIMIT 1",
        match,
    ) or database.rows(
        "SELECT source FROM logs WHERE match = ? ORDER BY number DESC LIMIT 1", match
    )
    return str(found[0][0]) if found else ""


def read_log(database: Database, match: str, source: str) -> ArrangedLog:
    """Return a log with the lines that came after it was kept as a whole."""
    rows = database.rows(
        "SELECT arrival, seq, verdict, line FROM lines"
        " WHERE match = ? AND source = ? AND present = 1 ORDER BY arrival",
        match,
        source,
    )
    found = [LineRow(arrival, seq, Verdict(text), line) for arrival, seq, text, line in rows]
    return arranged(ArrangedLog(_kept_log(database, match, source), []), found)


def _kept_log(database: Database, match: str, source: str) -> list[bytes]:
    """Return the lines of a log that was kept as a whole; none if it was not."""
    kept = database.rows("SELECT log FROM logs WHERE match = ? AND source = ?", match, source)
    return kept[0][0].split(b"\n")[:-1] if kept else []


def count_forks(database: Database, match: str, source: str) -> int:
    """Return the forks of a log: those of its result, and those after that was kept."""
    found = database.rows(
        "SELECT result FROM results WHERE match = ? AND source = ?", match, source
    )
    [(later,)] = database.rows(
        "SELECT count(*) FROM lines"
        " WHERE match = ? AND source = ? AND present = 1 AND verdict = 'fork'",
        match,
        source,
    )
    before = msgspec.json.decode(found[0][0], type=Result).forks if found else 0
    return before + int(later)


# --- writing, in a transaction --------------------------------------------------------------------


def write_lines(database: Database, lines: Sequence[NewLine]) -> None:
    """Keep lines."""
    database.run(
        "INSERT INTO lines (source, match, seq, verdict, line) VALUES (?, ?, ?, ?, ?)",
        [
            (each.source, each.match, _possible(each.seq), each.verdict.value, each.line)
            for each in lines
        ],
    )


def _possible(seq: int | None) -> int | None:
    return None if seq is None or seq > MAX_SEQ else seq


def write_latest_lines(database: Database, latest_lines: LatestLines, day: int) -> None:
    """Keep the latest line of each log, and the day on which it came."""
    _replace(
        database,
        "heads",
        ("source", "match", "seq", "hash", "day"),
        [
            (*key, latest_line.seq, latest_line.hash, day)
            for key, latest_line in latest_lines.items()
        ],
    )


def write_first_heard(database: Database, heard: Mapping[LogKey, FirstHeard]) -> None:
    """Keep what was seen first of some matches."""
    rows = [(*key, msgspec.json.encode(each)) for key, each in heard.items()]
    _replace(database, "first_heard", ("source", "match", "heard"), rows)


def write_finish(database: Database, finish: Finish) -> None:
    """Keep a log as a whole; lines of other branches stay."""
    source, match = finish.source, finish.result.match
    log, before = read_log(database, match, source), _kept_log(database, match, source)
    columns = ("source", "match", "result")
    _replace(database, "results", columns, [(source, match, msgspec.json.encode(finish.result))])
    if not log.arrivals:
        return
    database.run("DELETE FROM lines WHERE arrival = ?", [(each,) for each in log.arrivals])
    present = set(log.lines)
    database.run(
        "INSERT INTO lines (source, match, verdict, line) VALUES (?, ?, 'fork', ?)",
        [(source, match, line) for line in before if line not in present],
    )
    database.run("UPDATE lines SET present = 0 WHERE match = ? AND source = ?", [(match, source)])
    whole = b"".join(line + b"\n" for line in log.lines)
    database.run("DELETE FROM logs WHERE match = ? AND source = ?", [(match, source)])
    database.run("INSERT INTO logs (match, source, log) VALUES (?, ?, ?)", [(match, source, whole)])


def _replace(
    database: Database, table: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> None:
    """Write rows in place of those with the same source and match, the first two columns."""
    names, others = ", ".join(columns), ", ".join(f"{each} = excluded.{each}" for each in columns)
    places = ", ".join("?" for _ in columns)
    database.run(
        f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 (names of this module)
        f" ON CONFLICT (source, match) DO UPDATE SET {others}",
        rows,
    )


# --- forgetting -----------------------------------------------------------------------------------


def forget(database: Database, days: int, today: int) -> list[LogKey]:
    """Delete the matches of which no line came for some days; return them.

    The latest line stays known by its hash: a clock that still has the log does not send it again.
    Lines that came while the date was not known count from the first day on which it is.
    """
    if today < FIRST_DAY:
        return []
    database.run("UPDATE heads SET day = ? WHERE day < ?", [(today, FIRST_DAY)])
    found = database.rows(
        "SELECT source, match FROM heads WHERE day < ? AND (EXISTS"
        " (SELECT 1 FROM lines WHERE lines.source = heads.source AND lines.match = heads.match)"
        " OR EXISTS"
        " (SELECT 1 FROM logs WHERE logs.source = heads.source AND logs.match = heads.match))",
        today - days,
    )
    for table in ("lines", "logs", "results"):
        database.run(f"DELETE FROM {table} WHERE source = ? AND match = ?", found)  # noqa: S608
    return [(source, match) for source, match in found]


def identity(database: Database) -> str:
    """Return the name of this database, which no other has."""
    with database.transaction():
        found = database.rows("SELECT uuid FROM identity")
        if not found:
            found = [(str(uuid4()),)]
            database.run("INSERT INTO identity VALUES (?)", found)
    return str(found[0][0])
