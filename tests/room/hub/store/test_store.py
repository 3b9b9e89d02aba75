"""The database: nothing is lost, whatever happens to its file."""

import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import date
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec import structs

from clock.eventlog.codec import stated_hash
from clock.match.types import Pair
from clock.units import MINUTE_NS
from lab.support.examples import examples
from lab.support.logs import forged, monkey_logs
from lab.support.postgresql import PostgreSqlServer
from room.boards.board import Conflict
from room.boards.effects import EndedLog, NewLine
from room.boards.results import result_of
from room.hub.store import logs
from room.hub.store.database import LOCK, HeldError
from room.hub.store.opening import StoreError, WrongStoreError, open_database
from room.hub.store.store import Store
from room.lines.backlog import LATE_NS
from room.lines.events import Place
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LatestLines, LogHashes, Point, Verdict, receive

LOG = next(log for seed in range(99) for log in monkey_logs(seed) if b"FINISHED" in log[-1])
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
PATIENT_S = 600.0  # for an answer of the database: a busy computer is no fault
MATCHES = [f"SELECT match FROM {table}" for table in ("lines", "logs", "results")]  # noqa: S608
FOUND = result_of(EndedLog(Place("here", "/logs"), "m", tuple(LOG), 0))
assert FOUND is not None
RESULT = FOUND


def kept(lines: list[bytes], match: str = "m") -> list[NewLine]:
    """Lines with the verdicts of the inbox, as a register has them kept."""
    hashes, found = LogHashes(), []
    for line in lines:
        hashes, verdict = receive(hashes, line)
        if verdict is not Verdict.KNOWN:
            found.append(NewLine("here", match, hashes.seq, verdict, line))
    return found


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSqlServer]:
    with PostgreSqlServer() as running:
        yield running


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file of a database lies."""
    return tmp_path / "club.sqlite"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def where(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a database that does not exist yet, of each kind."""
    monkeypatch.setattr(logs, "SOON_S", PATIENT_S)
    monkeypatch.setattr(Store.lines, "__defaults__", (None, PATIENT_S))
    if request.param == "sqlite":
        return str(request.getfixturevalue("path"))
    found: PostgreSqlServer = request.getfixturevalue("server")
    return found.new_url()


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    """A database of each kind."""
    found = Store(where)
    yield found
    found.close()


@pytest.fixture
def in_file(path: Path) -> Iterator[Store]:
    found = Store(path)
    yield found
    found.close()


def found_in(where: str, command: str) -> list[tuple[Any, ...]]:
    """What another program finds in the database."""
    with closing(open_database(where)) as database:
        return database.rows(command)


def test_lines_and_results_outlive_the_program(where: str) -> None:
    first = Store(where)
    first.keep(kept(LOG[:9]))
    assert first.close()
    second = Store(where)
    assert second.lines("m") == LOG[:9]
    second.keep(kept(LOG)[9:])
    second.finish("here", RESULT)
    assert second.close()
    third = Store(where)
    assert (third.lines("m"), third.results()) == (LOG, [RESULT])
    third.close()


def test_one_hub_alone_holds_a_database(where: str) -> None:
    """Another one is refused, and told by whom, until the first ends; who only reads may.

    A hub that had to wait for its database opens it in another thread than it closes it.
    """
    with ThreadPoolExecutor(1) as thread:
        opened = thread.submit(Store, where, holds="desk, port 8037").result()
    with closing(opened) as first:
        first.keep(kept(LOG[:5]))
        assert first.flush()
        with pytest.raises(
            WrongStoreError, match="the hub on desk, port 8037 uses it; end that one"
        ):
            Store(where, holds="phone")
        with closing(Store(where)) as reading:
            assert reading.lines("m") == LOG[:5]
        first.keep(kept(LOG[:7])[5:])
        assert first.flush()
    with closing(Store(where, holds="phone")) as second:
        assert second.latest_line("m", "here").seq == 7
        with pytest.raises(WrongStoreError, match="the hub on phone uses it"):
            Store(where, holds="desk")


def test_a_lock_that_cannot_be_used_says_why(path: Path) -> None:
    """Nobody holds the database: nobody is named."""
    with closing(sqlite3.connect(f"{path}{LOCK}")) as lock:
        lock.execute("CREATE TABLE hub (name TEXT, other TEXT)")
    with pytest.raises(StoreError, match="table hub has 2 columns"):
        Store(path, holds="desk")


def test_a_hub_that_finds_its_database_held_by_another_one_says_by_whom(
    in_file: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it writes again, after its connection to a server was lost; see `PostgreSql`."""
    monkeypatch.setattr(in_file._database, "transaction", Mock(side_effect=HeldError("desk")))
    in_file.keep(kept(LOG[:1]))
    assert not in_file.flush()
    assert in_file.held_by.startswith(f"{path}: the hub on desk uses it")
    assert in_file.troubles() == [in_file.held_by]


@pytest.mark.slow
def test_a_lost_connection_of_the_same_hub_is_waited_for(request: pytest.FixtureRequest) -> None:
    """The server may not know yet that it is lost; another hub's name would be a lie."""
    url, own = request.getfixturevalue("server").new_url(), f"Zoë's desk, {'port 8037 ' * 9}"
    with closing(Store(url, holds=own)), pytest.raises(StoreError, match="an earlier conn") as told:
        Store(url, holds=own)
    assert not isinstance(told.value, WrongStoreError)
    Store(url, holds="phone").close()


def test_a_finished_match_is_one_file(where: str, store: Store) -> None:
    """Its lines are not kept twice; lines that come later follow it."""
    store.keep(kept(LOG[:-1]))
    store.finish("here", RESULT)
    store.keep(kept(LOG)[-1:])
    assert store.flush()
    assert store.lines("m") == LOG
    assert found_in(where, "SELECT count(*) FROM lines") == [(1,)]
    [(log,)] = found_in(where, "SELECT log FROM logs")
    assert log == b"".join(line + b"\n" for line in LOG[:-1])


@pytest.mark.parametrize("when", ["before", "after"])
def test_both_branches_of_a_fork_stay(where: str, store: Store, when: str) -> None:
    rows = kept([*LOG[:9], *FORK[5:]])
    store.keep(rows[:9])
    if when == "before":
        store.finish("here", structs.replace(RESULT, forks=2))
    store.keep(rows[9:])
    assert store.flush()
    assert store.known("m", "here").forks == (3 if when == "before" else 1)
    assert store.lines("m") == FORK
    store.finish("here", RESULT)
    assert store.flush()
    assert store.lines("m") == FORK
    lines = {line for (line,) in found_in(where, "SELECT line FROM lines")}
    assert lines == set(LOG[:9]) - set(FORK)


@pytest.mark.slow
def test_forks_are_counted_over_all_runs(where: str) -> None:
    """However much of it was written, and whether the match was finished in between."""
    rows = kept([*LOG[:9], *FORK[5:9], *LOG[6:12]])
    forks, of_result = [0], 0
    for row in rows:
        store = Store(where)
        assert store.known("m", "here").forks == forks[-1]
        store.keep([row])
        forks.append(forks[-1] + (row.verdict is Verdict.FORK))
        if len(forks) % 3 == 0:
            of_result = forks[-1]
            store.finish("here", structs.replace(RESULT, forks=of_result))
        assert store.known("m", "here").forks == forks[-1]
        assert store.close()
    assert (forks[-1], of_result) == (2, 2)


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(50))
def test_the_log_is_the_same_however_it_was_written(seed: int) -> None:
    """In any batches, with the match finished any number of times in between."""
    with closing(Store()) as store:
        write_at_random(store, Random(seed), "m")


@pytest.mark.slow
def test_the_log_is_the_same_on_a_server(server: PostgreSqlServer) -> None:
    with closing(Store(server.new_url())) as store:
        for seed in range(20):
            write_at_random(store, Random(seed), f"m{seed}")


def write_at_random(store: Store, random: Random, match: str) -> None:
    """Write a log with forks in batches, and read it after each."""
    rest, expected = kept([*LOG[:20], *FORK[5:12], *LOG[6:30]], match), list[bytes]()
    result = structs.replace(RESULT, match=match)
    while rest:
        count = random.randrange(1, 12)
        batch, rest = rest[:count], rest[count:]
        store.keep(batch)
        for each in batch:
            assert each.seq is not None
            expected[each.seq - 1 :] = [each.line]
        if random.random() < 0.3:
            store.finish("here", result)
        if random.random() < 0.5:
            store.flush()
        assert store.lines(match) == expected


def test_a_match_that_two_accounts_sent_is_kept_of_both(where: str) -> None:
    """Who came first counts as first, whoever sent the latest line; logs that differ are told."""
    walls = iter(("10:00", "10:05", "10:09"))
    store = Store(where, wall=lambda: next(walls))
    store.keep(kept(LOG[:9]))
    store.keep(from_account("a thief", LOG[:5]))
    assert store.flush()
    own = Conflict("match", "here", "10:00", 9)
    assert store.conflicts("m", "here") == [own, Conflict("match", "a thief", "10:05", 5)]
    store.finish("here", RESULT)
    store.drain_conflicts()
    store.keep(from_account("a thief", FORK)[5:])
    assert store.flush()
    for _ in range(2):
        thief = Conflict("match", "a thief", "10:05", len(FORK), agrees=False)
        assert store.conflicts("m", "here") == [own, thief]
        assert [each.source for each in store.conflicts("m", "a thief")] == ["a thief", "here"]
        assert (store.lines("m"), store.lines("m", "a thief")) == (LOG[:9], FORK)
        assert [each.key for each in store.results()] == [("here", "m")]
        assert store.close()
        store = Store(where)
    assert store.drain_conflicts() == {}
    assert store.close()


def test_another_account_is_told_when_it_comes_and_when_it_contradicts(store: Store) -> None:
    logs = [("here", "m"), ("thief", "m")]
    for lines, told in ((LOG[:5], logs), (LOG[5:7], []), (FORK[6:7], logs), (FORK[7:8], [])):
        new = [each for each in from_account("thief", [*LOG, *FORK[6:]]) if each.line in lines]
        store.keep([*(kept(LOG[:9]) if lines == LOG[:5] else []), *new])
        assert store.flush()
        assert sorted(store.drain_conflicts()) == told


def from_account(source: str, lines: list[bytes]) -> list[NewLine]:
    """The same lines from another source."""
    return [each._replace(source=source) for each in kept(lines)]


def test_results_of_an_earlier_version_have_their_source(where: str) -> None:
    """It stands beside them; and that of a match that never began is left out, by its log."""
    with closing(Store(where)) as store:
        for match, lines in (("gone", []), ("m", LOG), ("never", LOG[:2])):
            store.keep(kept(lines, match))
            cut = structs.replace(RESULT, match=match, source="", score=Pair(0, 0), complete=False)
            store.finish("here", cut)
    with closing(Store(where)) as store:
        assert [each.key for each in store.results()] == [("here", "m"), ("here", "gone")]


@pytest.mark.parametrize(
    ("match", "seq"), [("m", 10**30), ("m", 2**63), ("a\0b", 7), ("\udcff", 7)]
)
def test_what_a_line_states_cannot_stop_the_writing(store: Store, match: str, seq: int) -> None:
    """A number without end, a NUL, half a character: what comes after is kept."""
    store.keep([NewLine("here", match, seq, Verdict.MISSING, LOG[3])])
    store.keep(kept(LOG[:9]))
    assert store.flush()
    assert store.lines("m") == LOG[:9]
    assert store.troubles() == []


def test_a_number_that_a_column_can_hold_is_kept_in_it(where: str) -> None:
    with closing(Store(where)) as store:
        store.keep([NewLine("here", "m", 2**63 + at, Verdict.MISSING, b"{}") for at in (-1, 0)])
    assert found_in(where, "SELECT seq FROM lines ORDER BY arrival") == [(2**63 - 1,), (None,)]


# --- forgetting -------------------------------------------------------------------------------


FIRST_DAY = (date(2026, 1, 1) - date(1970, 1, 1)).days
TODAY = FIRST_DAY + 100


def test_an_old_match_is_forgotten(where: str) -> None:
    """Its lines, its log and its result; a match of which a line came since stays."""
    today = [TODAY]
    store = Store(where, lambda: today[0])
    store.keep(kept(LOG, "old"))
    store.finish("here", structs.replace(RESULT, match="old"))
    store.keep(kept(LOG[:9], "under way"))
    assert store.flush()
    today[0] += 1
    store.keep(kept(LOG, "new"))
    store.finish("here", structs.replace(RESULT, match="new"))
    assert store.flush()
    today[0] += 90
    store.forget(90)
    assert store.flush()
    assert [store.lines(match) for match in ("old", "under way", "new")] == [[], [], LOG]
    assert [result.match for result in store.results()] == ["new"]
    forgotten = [("here", "old"), ("here", "under way")]
    assert (sorted(store.drain_forgotten()), store.drain_forgotten()) == (forgotten, [])
    assert store.close()
    assert {match for each in MATCHES for (match,) in found_in(where, each)} == {"new"}
    again = Store(where)
    assert [result.match for result in again.results()] == ["new"]
    assert again.close()


def test_a_forgotten_match_is_not_asked_for_again(where: str) -> None:
    today = [TODAY]
    store = Store(where, lambda: today[0])
    store.keep(kept(LOG))
    assert store.flush()
    today[0] += 91
    store.forget(90)
    assert store.close()
    again = Store(where)
    assert again.lines("m") == []
    assert again.latest_line("m", "here") == Point(len(LOG), stated_hash(LOG[-1]) or "")
    assert again.close()


def test_a_computer_without_the_date_forgets_nothing(where: str) -> None:
    """What came in 1970 counts from the first day on which the date is known."""
    today = [0]
    store = Store(where, lambda: today[0])
    store.keep(kept(LOG))
    last_day = FIRST_DAY + 90
    for today[0], lines in (
        (0, LOG),
        (400, LOG),
        (FIRST_DAY, LOG),
        (last_day, LOG),
        (last_day + 1, []),
    ):
        store.forget(90)
        assert store.flush()
        assert store.lines("m") == lines
    assert store.close()


# --- a server ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_server_that_is_gone_is_told_and_tried_again(
    server: PostgreSqlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("room.hub.store.write_queue.RETRY_S", 0.01)
    store = Store(server.new_url())
    store.keep(kept(LOG[:9]))
    assert store.flush()
    server.stop()
    store.keep(kept(LOG)[9:])
    assert not store.flush()
    [trouble] = store.troubles()
    assert trouble.startswith("postgresql:///postgres: ")
    assert trouble.endswith("What came since is kept in memory until it can be written")
    with pytest.raises(StoreError, match="postgresql:///postgres: "):
        store.lines("m")
    server.start()
    assert wait_until_written(store)
    assert (store.troubles(), store.lines("m")) == ([], LOG)
    assert store.close()


@pytest.mark.slow
def test_a_connection_that_was_lost_is_made_again_to_read(server: PostgreSqlServer) -> None:
    """Whoever opens a page after a restart of the server sees no error."""
    store = Store(server.new_url())
    store.keep(kept(LOG))
    assert store.flush()
    server.stop()
    server.start()
    assert store.lines("m") == LOG
    assert store.close()


def test_no_password_is_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Store("postgresql://hub:secret@127.0.0.1:1/room?password=secret")
    assert str(caught.value).startswith("postgresql://127.0.0.1:1/room: connection ")
    assert "secret" not in str(caught.value)


# --- files ------------------------------------------------------------------------------------


def test_a_locked_database_is_told_and_tried_again(
    path: Path, in_file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program has it; the lines wait in memory, and can be read there."""
    store = in_file
    monkeypatch.setattr("room.hub.store.write_queue.RETRY_S", 0.01)
    store._database.run("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store.keep(kept(LOG[:9]))
        assert not store.flush()
        with monkeypatch.context() as patch:
            patch.setattr("room.hub.store.store.LATE_NS", 0)  # it gives no other answer for long
            [trouble] = store.troubles()
        why = "database is locked. What came since is kept in memory until it can be written"
        assert trouble == f"{path}: {why}"
        assert store.lines("m") == LOG[:9]
        other.rollback()
    assert wait_until_written(store)
    assert store.troubles() == []
    assert store.lines("m") == LOG[:9]


def test_a_full_disk_is_told_and_tried_again(
    in_file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = in_file
    monkeypatch.setattr("room.hub.store.write_queue.RETRY_S", 0.01)
    [(pages,)] = store._database.rows("PRAGMA page_count")
    store._database.run(f"PRAGMA max_page_count = {pages}")
    store.keep(kept(LOG))
    assert not store.flush()
    assert "database or disk is full" in store.troubles()[0]
    assert store.lines("m") == LOG
    with store._using:
        store._database.run(f"PRAGMA max_page_count = {10**6}")
    assert wait_until_written(store)
    assert (store.troubles(), store.lines("m")) == ([], LOG)


def test_what_waits_belongs_to_its_log(path: Path, in_file: Store) -> None:
    in_file._database.run("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        in_file.keep(kept([*LOG[:9], *FORK[6:8]]))
        in_file.keep(kept(LOG[:5], "n"))
        in_file.finish("x", structs.replace(RESULT, forks=7))
        assert not in_file.flush()
        for match, source, lines, forks in (
            ("m", "here", FORK[:8], 1),
            ("n", "here", LOG[:5], 0),
            ("m", "x", [], 7),
        ):
            found = in_file.known(match, source)
            assert (list(found.lines), found.forks) == (lines, forks)
            assert in_file.lines(match, source) == lines
        other.rollback()
    assert in_file.has_result("m", "x")
    assert not in_file.has_result("m", "here")


@pytest.mark.parametrize(("part", "name"), [("_queue", "writes_ns"), ("_logs", "waits_ns")])
def test_a_database_that_does_not_answer_is_told(
    in_file: Store, monkeypatch: pytest.MonkeyPatch, part: str, name: str
) -> None:
    assert in_file.troubles() == []
    with monkeypatch.context() as patched:
        patched.setattr(getattr(in_file, part), name, lambda: LATE_NS)
        [trouble] = in_file.troubles()
    assert "the database gives no answer" in trouble


@pytest.mark.parametrize("part", ["_queue", "_logs"])
def test_a_database_that_hangs_is_not_closed(
    in_file: Store, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    hung = {"_queue": ("close", lambda: False), "_logs": ("waits_ns", lambda: 1)}[part]
    monkeypatch.setattr(getattr(in_file, part), *hung)
    assert not in_file.close()
    assert in_file._database.rows("SELECT 1") == [(1,)]


def wait_until_written(store: Store) -> bool:
    """Wait until nothing is in memory only."""
    with store._changed:
        return store._changed.wait_for(
            lambda: not store._queue.waiting() and not store.troubles(), 60
        )


def test_a_lock_is_waited_for_a_second(in_file: Store) -> None:
    assert in_file._database.rows("PRAGMA busy_timeout") == [(1000,)]


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_another_file_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"club\.sqlite: "):
        Store(path)
    assert path.read_bytes() == content


def test_a_database_of_a_later_version_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="later version"):
        Store(path)


def test_a_database_of_another_program_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipes (name)")
    made, connect = list[sqlite3.Connection](), sqlite3.connect

    def make(*values: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*values, **options))
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", make)
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")


@pytest.mark.parametrize(
    ("name", "why"),
    [("a/b", "no folder .*a"), ("", "this is a folder"), ("pipe", "a pipe or a device")],
)
def test_what_can_never_be_a_file_is_told(tmp_path: Path, name: str, why: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WrongStoreError, match=f"unable to open: .*{why}"):
        Store(tmp_path / name)


def test_the_latest_lines_are_told_when_they_are_on_the_disk(where: str) -> None:
    """Whoever sent the lines may forget them; another program finds them in the file then."""
    first, told = Store(where), list[LatestLines]()

    def found(latest_lines: LatestLines) -> None:
        assert found_in(where, "SELECT count(*) FROM lines") == [(9,)]
        told.append(latest_lines)

    first.listen(found)
    first.keep(kept(LOG[:9]))
    assert first.flush()
    latest_line = Point(9, stated_hash(LOG[8]) or "")
    assert (first.latest_line("m", "here"), first.latest_line("other", "here")) == (
        latest_line,
        Point(),
    )
    assert first.close()
    assert told == [{("here", "m"): latest_line}]
    second = Store(where)
    assert second.latest_line("m", "here") == latest_line
    second.close()


def test_the_latest_line_follows_a_fork(store: Store) -> None:
    """The latest line is that of the branch that counts, even if it has a smaller number."""
    store.keep(kept([*LOG[:9], FORK[6]]))
    assert store.flush()
    assert store.latest_line("m", "here") == Point(7, stated_hash(FORK[6]) or "")


def test_a_database_has_an_identity_of_its_own(tmp_path: Path) -> None:
    """It is the same each time the file is opened, and no other file has it."""
    uuids = []
    for name in ("a", "a", "b"):
        store = Store(tmp_path / name)
        uuids.append(store.uuid)
        store.close()
    assert uuids[0] == uuids[1] != uuids[2]


# --- what was seen first ----------------------------------------------------------------------


def test_a_database_says_by_which_version_it_was_written(tmp_path: Path) -> None:
    """The next version must know it, and one that does not must leave it alone."""
    Store(tmp_path / "club.sqlite").close()
    assert found_in(str(tmp_path / "club.sqlite"), "PRAGMA user_version") == [(1,)]


@pytest.mark.rule("R83")
def test_what_was_seen_first_stays_for_ever(where: str) -> None:
    """R83: another branch has come, the match was forgotten, and the hub started again."""
    walls = iter(("10:00", "10:05", "10:06"))
    store = Store(where, lambda: 30_000, lambda: next(walls))
    for lines in (LOG[:9], [FORK[6]], FORK[7:]):
        store.keep([each for each in kept([*LOG[:9], *FORK[6:]]) if each.line in lines])
    assert store.close()
    again = Store(where, lambda: 40_000)
    first = again.first_heard("m")
    assert first == {"here": FirstHeard(9, stated_hash(LOG[8]) or "", "10:00", 7, "10:05", "10:00")}
    again.forget(1)
    assert again.close()
    last = Store(where)
    assert (last.lines("m"), last.first_heard("m")) == ([], first)
    last.close()


def test_a_result_is_followed_since_its_own_first_line() -> None:
    walls = [f"2026-05-01T10:{minute}:00+02:00" for minute in ("00", "30")]
    with closing(Store(wall=iter(walls).__next__)) as store:
        store.keep(kept(LOG[:1]))
        store.keep(kept(LOG)[1:])
        result = structs.replace(RESULT, duration_ns=40 * MINUTE_NS)
        assert store.followed_since(result) == walls[0]
        assert store.followed_since(structs.replace(result, match="other")) == ""


def test_what_was_seen_first_is_asked_of_one_match(in_file: Store) -> None:
    """The witness is told of no other, nor of a line that proves nothing yet."""
    in_file.keep(kept(LOG[:2]))
    in_file.keep([each._replace(source="there") for each in kept(LOG[:2], "n")])
    in_file.keep([NewLine("too early", "m", 7, Verdict.MISSING, LOG[6])])
    assert list(in_file.first_heard("m")) == ["here"]


@pytest.mark.parametrize("result", [b"none", b'{"match":"\xff"}'])
def test_a_database_with_a_result_that_cannot_be_read_is_refused(path: Path, result: bytes) -> None:
    store = Store(path)
    store.keep(kept(LOG))
    store.finish("here", RESULT)
    assert store.close()
    assert not path.with_name(f"{path.name}-wal").exists()  # it is closed
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE results SET result = ?", (result,))
    with pytest.raises(WrongStoreError, match=path.name):
        Store(path)
    assert not path.with_name(f"{path.name}-wal").exists()  # it is closed again


def test_a_match_of_which_no_line_is_one_of_a_log_comes_from_where_it_was_heard(path: Path) -> None:
    for _ in range(2):
        store = Store(path)
        store.keep([NewLine("here", "m", 0, Verdict.DAMAGED, b"noise")])
        assert store.lines("m") == store.lines("m", "here")
        assert store.flush()
        assert store.lines("m") == store.lines("m", "here") != []
        assert store.close()
    with closing(Store(path)) as store:
        store.finish("here", RESULT)
        assert store.flush()
        assert store.lines("m") == store.lines("m", "here") != []
