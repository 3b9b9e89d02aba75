"""What waits to be written: how old it is, when it is tried again, and how the thread ends."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from room.boards.effects import NewLine
from room.hub.store.items import Item
from room.hub.store.write_queue import WriteQueue
from room.lines.backlog import Backlog
from room.lines.inbox import Verdict

ONE, TWO, THREE = (NewLine("here", "m", seq, Verdict.STORED, b"") for seq in (1, 2, 3))


class Database:
    """A queue and where it writes, with what happens during each write and when it is done."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = 100
        monkeypatch.setattr("room.hub.store.write_queue.time.monotonic_ns", lambda: self.now_ns)
        self.written: list[Item] = []
        self.trouble = ""
        self.meanwhile: Callable[[], object] = lambda: None
        self.afterwards: Callable[[], object] = lambda: None
        self.queue = WriteQueue(self.write)
        self.is_woken = False  # who waits for a change
        self._notify_all = self.queue.changed.notify_all
        self.queue.changed.notify_all = self.wake  # type: ignore[method-assign]

    def wake(self) -> None:
        """Have who waits look again."""
        self.is_woken = True
        self._notify_all()

    def write(self, items: Sequence[Item]) -> str:
        """Take items, unless there is a trouble."""
        begun_ns = self.now_ns
        self.meanwhile()
        if not self.trouble:
            self.written += items
            self.queue.written(len(items), begun_ns)
        self.afterwards()
        return self.trouble

    def run(self, *acts: Callable[[], object]) -> list[float | None]:
        """Do what the thread does, and an act whenever it waits; return how long it would wait."""
        left, waits = iter(acts), list[float | None]()

        def wait_for(ready: Callable[[], object], timeout: float | None = None) -> None:
            if not ready():
                waits.append(timeout)
                self.is_woken = False
                next(left)()
                assert self.is_woken or not ready()
            assert ready() or timeout

        self.queue.changed.wait_for = wait_for  # type: ignore[method-assign,assignment]
        self.queue._run()
        assert next(left, None) is None
        return waits

    def end(self) -> None:
        """Close the queue, as if its thread were another one."""
        self.queue._thread = thread_that(ends=True)
        assert self.queue.close()


def thread_that(*, ends: bool) -> Any:
    joined = list[float]()
    return SimpleNamespace(joined=joined, join=joined.append, is_alive=lambda: not ends)


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    return Database(monkeypatch)


def test_the_age_is_that_of_the_oldest_item(database: Database) -> None:
    """Of what came while others were written: since that began."""
    assert database.queue.backlog() == Backlog(0, 0)
    for database.now_ns, new in ((103, [ONE]), (105, [TWO]), (106, [])):
        database.queue.put(new)
    database.now_ns = 110
    assert database.queue.backlog() == Backlog(2, 7)

    def meanwhile() -> None:
        database.now_ns = 112
        database.queue.put([THREE])
        assert database.queue.writes_ns() == 2

    database.meanwhile = meanwhile
    assert database.queue.writes_ns() == 0
    assert database.queue.write_waiting() == ""
    assert (database.written, database.queue.waiting()) == ([ONE, TWO], [THREE])
    assert (database.queue.backlog(), database.queue.writes_ns()) == (Backlog(1, 2), 0)


def test_what_cannot_be_written_is_tried_again_after_two_seconds(database: Database) -> None:
    """In its order; the trouble is over then."""
    database.trouble = "disk full"

    def mend() -> None:
        assert database.queue.troubles() == ["disk full"]
        database.queue.put([TWO])
        database.trouble = ""

    acts = (lambda: database.queue.put([ONE]), nothing, mend, nothing, database.end)
    assert database.run(*acts) == [None, 0.2, 2, 0.2, None]
    assert (database.written, database.queue.troubles()) == ([ONE, TWO], [])


def test_what_comes_within_a_fifth_of_a_second_is_written_together(database: Database) -> None:
    """Each commit costs more than a line; who flushes does not wait for others."""
    writes = list[list[Item]]()
    database.afterwards = lambda: writes.append(list(database.written))
    database.queue.put([ONE])
    assert database.run(lambda: database.queue.put([TWO]), database.end) == [0.2, None]
    assert writes == [[ONE, TWO]]

    def flushed(_: object) -> None:
        """The thread writes while the caller waits."""
        assert database.is_woken
        assert database.run(database.end) == [None]

    database.queue._closing = False
    database.queue.put([THREE])
    database.is_woken = False
    database.queue.changed.wait_for = flushed  # type: ignore[method-assign,assignment]
    assert database.queue.flush()
    database.queue._closing = False
    database.queue.put([ONE])
    assert database.run(nothing, database.end) == [0.2, None]
    assert database.written == [ONE, TWO, THREE, ONE]


def nothing() -> None:
    """Let the time pass."""


def test_the_end_writes_all_that_can_be_written(database: Database) -> None:
    """What comes during the last write, too; an error ends it at once."""
    more = iter([[TWO], [THREE]])
    database.meanwhile = lambda: database.queue.put(next(more, []))
    database.queue.put([ONE])
    database.end()
    assert database.run() == []
    assert database.written == [ONE, TWO, THREE]
    database.trouble = "disk full"
    database.queue.put([ONE])
    assert database.run() == []
    assert database.queue.waiting() == [ONE]


def test_a_disk_that_hangs_does_not_keep_the_program(database: Database) -> None:
    """It is waited for some seconds; the thread ends with the program."""
    thread = database.queue._thread
    assert (thread.name, thread.daemon) == ("database", True)
    database.queue._thread = hanging = thread_that(ends=False)
    assert not database.queue.close()
    assert hanging.joined == [5]


def test_who_flushes_waits_until_nothing_is_written_any_more(database: Database) -> None:
    ready = list[Callable[[], object]]()
    database.queue.changed.wait_for = ready.append  # type: ignore[method-assign,assignment]
    assert database.queue.flush()
    [is_ready] = ready
    states = [bool(is_ready())]
    database.queue.put([ONE])
    states.append(bool(is_ready()))
    database.afterwards = lambda: states.append(bool(is_ready()))
    database.queue.write_waiting()
    states.append(bool(is_ready()))
    assert states == [True, False, False, True]
    database.trouble = "disk full"
    database.queue.put([TWO])
    database.queue.write_waiting()
    assert is_ready()
    assert not database.queue.flush()


def test_a_thread_writes(database: Database) -> None:
    database.queue.start()
    for item in (ONE, TWO):
        database.queue.put([item])
        assert database.queue.flush()
    assert database.written == [ONE, TWO]
    assert database.queue.close()
