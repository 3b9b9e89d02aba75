"""The database: nothing is lost, whatever happens to its file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec import structs

from clock.eventlog.codec import stated_hash
from room.inbox import Head, Point, Verdict, receive
from room.register import Finished, Kept
from room.results import result_of
from room.sources import Place
from room.store import Heads, Store, StoreError
from tests.support.examples import examples
from tests.support.logs import forged, monkey_logs

LOG = next(log for seed in range(99) for log in monkey_logs(seed) if b"FINISHED" in log[-1])
FORK = forged(LOG, 6, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
FOUND = result_of(Finished(Place("here", "/logs"), "m", tuple(LOG), 0))
assert FOUND is not None
RESULT = FOUND


def kept(lines: list[bytes]) -> list[Kept]:
    """Lines with the verdicts of the inbox, as a register has them kept."""
    head, found = Head(), []
    for line in lines:
        head, verdict = receive(head, line)
        if verdict is not Verdict.KNOWN:
            found.append(Kept("here", "m", head.seq, verdict, line))
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database lies."""
    return tmp_path / "club.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A database in a file."""
    found = Store(path)
    yield found
    found.close()


def test_lines_and_results_outlive_the_program(path: Path) -> None:
    """The log is there byte for byte, under way or finished."""
    first = Store(path)
    first.keep(kept(LOG[:9]))
    assert first.close()
    second = Store(path)
    assert second.lines("m") == LOG[:9]
    second.keep(kept(LOG)[9:])
    second.finish("here", RESULT)
    assert second.close()
    third = Store(path)
    assert (third.lines("m"), third.results()) == (LOG, [RESULT])
    third.close()


def test_a_finished_match_is_one_file(path: Path, store: Store) -> None:
    """Its lines are not kept twice; lines that come later follow it."""
    store.keep(kept(LOG[:-1]))
    store.finish("here", RESULT)
    store.keep(kept(LOG)[-1:])
    assert store.flush()
    assert store.lines("m") == LOG
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM lines").fetchone() == (1,)
        (log,) = database.execute("SELECT log FROM logs").fetchone()
    assert log == b"".join(line + b"\n" for line in LOG[:-1])


@pytest.mark.parametrize("when", ["before", "after"])
def test_both_branches_of_a_fork_stay(path: Path, store: Store, when: str) -> None:
    """Whether the match was finished before the fork or not."""
    rows = kept([*LOG[:9], *FORK[5:]])
    store.keep(rows[:9])
    if when == "before":
        store.finish("here", RESULT)
    store.keep(rows[9:])
    assert store.lines("m") == FORK
    store.finish("here", RESULT)
    assert store.flush()
    assert store.lines("m") == FORK
    with closing(sqlite3.connect(path)) as database:
        lines = {line for (line,) in database.execute("SELECT line FROM lines")}
    assert lines == set(LOG[:9]) - set(FORK)


def test_forks_are_counted_over_all_runs(path: Path) -> None:
    """However much of it was written, and whether the match was finished in between."""
    rows = kept([*LOG[:9], *FORK[5:12], *LOG[6:]])
    forks, of_result = [0], 0
    for row in rows:
        store = Store(path)
        store.keep([row])
        forks.append(forks[-1] + (row.verdict is Verdict.FORK))
        if len(forks) % 3 == 0:
            of_result = forks[-1]
            store.finish("here", structs.replace(RESULT, forks=of_result))
        assert store.known("m", "here").forks == forks[-1]
        assert store.close()
        with closing(Store(path)) as again:
            assert again.known("m", "here").forks == forks[-1]
    assert (forks[-1], of_result) == (2, 2)


def test_forks_of_other_logs_do_not_count(store: Store) -> None:
    """Nor of other places."""
    store.keep([*kept([*LOG[:9], *FORK[5:12]])])
    assert [store.known(*of).forks for of in (("m", "here"), ("n", "here"), ("m", "x"))] == [
        1,
        0,
        0,
    ]
    store.finish("x", structs.replace(RESULT, forks=7))
    assert [store.known(*of).forks for of in (("m", "here"), ("m", "x"))] == [1, 7]


@given(st.integers(0, 10**9))
@hypothesis_settings(max_examples=examples(100))
def test_the_log_is_the_same_however_it_was_written(seed: int) -> None:
    """In any batches, with the match finished any number of times in between."""
    random, store = Random(seed), Store()
    rest, expected = kept([*LOG[:20], *FORK[5:12], *LOG[6:30]]), list[bytes]()
    while rest:
        count = random.randrange(1, 12)
        batch, rest = rest[:count], rest[count:]
        store.keep(batch)
        for each in batch:
            assert each.seq is not None
            expected[each.seq - 1 :] = [each.line]
        if random.random() < 0.3:
            store.finish("here", RESULT)
        if random.random() < 0.5:
            store.flush()
        assert store.lines("m") == expected
    store.close()


def test_a_locked_database_is_told_and_tried_again(
    path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program has it; the lines wait in memory, and can be read there."""
    monkeypatch.setattr("room.store.RETRY_S", 0.01)
    store._database.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        store.keep(kept(LOG[:9]))
        assert not store.flush()
        assert store.troubles() == [
            f"{path}: database is locked. What came since is kept in memory until it can be written"
        ]
        assert store.lines("m") == LOG[:9]
        other.rollback()
    assert wait_until_written(store)
    assert store.troubles() == []
    assert store.lines("m") == LOG[:9]


def test_a_full_disk_is_told_and_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """When there is room again everything is written, in its order."""
    monkeypatch.setattr("room.store.RETRY_S", 0.01)
    (pages,) = store._database.execute("PRAGMA page_count").fetchone()
    store._database.execute(f"PRAGMA max_page_count = {pages}")
    store.keep(kept(LOG))
    assert not store.flush()
    assert "database or disk is full" in store.troubles()[0]
    assert store.lines("m") == LOG
    with store._using:
        store._database.execute(f"PRAGMA max_page_count = {10**6}")
    assert wait_until_written(store)
    assert (store.troubles(), store.lines("m")) == ([], LOG)


def wait_until_written(store: Store) -> bool:
    """Wait until nothing is in memory only."""
    with store._changed:
        return store._changed.wait_for(lambda: not store._waiting and not store._trouble, 60)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_another_file_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    """It is not written over."""
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"club\.sqlite: "):
        Store(path)
    assert path.read_bytes() == content


def test_a_database_of_a_later_version_is_refused(path: Path) -> None:
    """Nothing is known about it."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="later version"):
        Store(path)


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    """Its tables are its own."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipes (name)")
    with pytest.raises(StoreError, match="another program"):
        Store(path)


def test_a_directory_that_is_missing_is_told(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(StoreError, match="unable to open"):
        Store(tmp_path / "missing" / "club.sqlite")


def test_heads_are_told_when_they_are_on_the_disk(path: Path) -> None:
    """Whoever sent the lines may forget them; another program finds them in the file then."""
    first, told = Store(path), list[Heads]()

    def found(heads: Heads) -> None:
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT count(*) FROM lines").fetchone() == (9,)
        told.append(heads)

    first.listen(found)
    first.keep(kept(LOG[:9]))
    assert first.flush()
    head = Point(9, stated_hash(LOG[8]) or "")
    assert (first.head("m", "here"), first.head("other", "here")) == (head, Point())
    assert first.close()
    assert told == [{("here", "m"): head}]
    second = Store(path)
    assert second.head("m", "here") == head
    second.close()


def test_a_head_follows_a_fork(store: Store) -> None:
    """The latest line is that of the branch that counts, even if it has a smaller number."""
    store.keep(kept([*LOG[:9], FORK[6]]))
    assert store.flush()
    assert store.head("m", "here") == Point(7, stated_hash(FORK[6]) or "")


def test_a_database_has_an_identity_of_its_own(tmp_path: Path) -> None:
    """It is the same each time the file is opened, and no other file has it."""
    uuids = []
    for name in ("a", "a", "b"):
        store = Store(tmp_path / name)
        uuids.append(store.uuid)
        store.close()
    assert uuids[0] == uuids[1] != uuids[2]
