"""Lines taken by number, from memory and from a log that is late, torn or another match's."""

from io import BytesIO
from pathlib import Path
from typing import IO

import pytest

from hardware.serial.backlog import Backlog

KEEP = 3


def lines(first: int, last: int, match: str = "m") -> list[bytes]:
    return [b'{"seq":%d,"match":"%s"}\n' % (seq, match.encode()) for seq in range(first, last + 1)]


class LogFile:
    """A log whose lines a test sets."""

    def __init__(self, held: list[bytes]) -> None:
        self.held = held
        self.opened: list[BytesIO] = []
        self.error: OSError | None = None

    def __call__(self) -> IO[bytes]:
        if self.error is not None:
            raise self.error
        self.opened.append(BytesIO(b"".join(self.held)))
        return self.opened[-1]


def filled(log: LogFile, appended: list[bytes], *, resumed: bool = False) -> Backlog:
    """Return a backlog to which these lines were appended, and none taken from."""
    backlog = Backlog(log, resumed=resumed, keep=KEEP)
    for line in appended:
        backlog.append(line)
    return backlog


def rest(backlog: Backlog) -> list[bytes]:
    """Take all lines that are left."""
    return list(iter(backlog.next, b""))


def test_lines_in_memory_need_no_log() -> None:
    log = LogFile([])
    assert rest(filled(log, lines(1, 3))) == lines(1, 3)
    assert log.opened == []


@pytest.mark.rule("R84")
def test_older_lines_come_from_the_log_which_is_opened_once() -> None:
    """It is opened once for all of them, and closed when memory has the rest."""
    log = LogFile(lines(1, 100))
    backlog = filled(log, lines(1, 100))
    for _ in range(2):
        assert rest(backlog) == lines(1, 100)
        backlog.rewind()
    assert [each.closed for each in log.opened] == [True, True]
    assert backlog.lost == 0


@pytest.mark.rule("R84")
def test_a_resumed_match_is_read_from_the_log() -> None:
    """After a restart memory is empty; all lines are sent, and new ones are numbered on."""
    backlog = filled(LogFile(lines(1, 50)), lines(51, 52), resumed=True)
    assert rest(backlog) == lines(1, 52)


@pytest.mark.parametrize("readable", [0, 3])
def test_an_unreadable_log_at_the_start_loses_only_its_own_lines(readable: int) -> None:
    """The card fails at once or after some lines: readers get the new lines, from memory."""

    class Failing(BytesIO):
        def __next__(self) -> bytes:
            if self.tell() >= len(b"".join(lines(1, readable))):
                raise OSError(5, "Input/output error")
            return super().__next__()

    backlog = Backlog(lambda: Failing(b"".join(lines(1, 9))), resumed=True, keep=KEEP)
    for line in lines(10, 14):
        backlog.append(line)
    assert rest(backlog) == lines(12, 14)
    assert backlog.lost == 2


def test_lines_in_neither_memory_nor_log_are_lost_and_counted_once() -> None:
    """The disk has failed: each reader gets the lines that are kept."""
    log = LogFile([])
    log.error = OSError(5, "Input/output error")
    backlog = filled(log, lines(1, 10))
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 7
    backlog.rewind()
    assert rest(backlog) == lines(8, 10)
    assert backlog.take_lost() == 7
    assert backlog.lost == 0


@pytest.mark.parametrize(
    "held", [lines(1, 100, "another"), lines(2, 100), [lines(1, 1)[0][:-1]], []], ids=str
)
def test_the_log_of_another_match_is_not_sent(held: list[bytes]) -> None:
    """The first line tells: of another match, of a later segment, torn, or missing."""
    backlog = filled(LogFile(held), lines(1, 10))
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 7


def test_a_torn_line_is_not_sent() -> None:
    torn = [*lines(1, 4), lines(5, 5)[0][:-3]]
    backlog = filled(LogFile(torn), lines(1, 10))
    assert rest(backlog) == [*lines(1, 4), *lines(8, 10)]
    assert backlog.lost == 3


def test_a_log_that_was_replaced_is_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "current.jsonl"
    path.write_bytes(b"".join(lines(1, 3)))
    backlog = Backlog(lambda: path.open("rb"), resumed=False, keep=KEEP)
    for line in lines(1, 10):
        backlog.append(line)
    assert [backlog.next() for _ in range(2)] == lines(1, 2)
    (tmp_path / "new").write_bytes(b"".join(lines(1, 10)))
    (tmp_path / "new").rename(path)
    assert rest(backlog) == lines(3, 10)


def test_a_new_match_ends_the_reading_of_the_old_one() -> None:
    log = LogFile(lines(1, 10))
    backlog = filled(log, lines(1, 10))
    assert backlog.next() == lines(1, 1)[0]
    backlog.begin()
    assert backlog.lost == 9
    for line in lines(1, 5, "next"):
        backlog.append(line)
    log.held = lines(1, 5, "next")
    assert rest(backlog) == lines(1, 5, "next")
    assert backlog.lost == 9


def test_a_log_replaced_by_another_matchs_is_not_sent() -> None:
    log = LogFile(lines(1, 3))
    backlog = filled(log, lines(1, 10))
    assert [backlog.next() for _ in range(3)] == lines(1, 3)
    log.held = lines(1, 10, "another")
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 4


def test_a_match_that_begins_while_a_line_is_read_is_not_mixed_up() -> None:
    """A line read from the old match is dropped if a new one has begun meanwhile."""

    class Late(BytesIO):
        def __next__(self) -> bytes:
            line = super().__next__()
            if line == lines(2, 2)[0]:
                backlog.begin()
                backlog.append(lines(1, 1, "next")[0])
            return line

    backlog = Backlog(lambda: Late(b"".join(lines(1, 10))), resumed=False, keep=KEEP)
    for line in lines(1, 10):
        backlog.append(line)
    assert rest(backlog) == [*lines(1, 1), *lines(1, 1, "next")]


def test_lines_that_an_earlier_reader_has_are_not_lost() -> None:
    """Neither those that memory has dropped, nor those left when a new match begins."""
    backlog = filled(LogFile([]), [])
    for line in lines(1, 5):
        backlog.append(line)
        backlog.next()
    backlog.rewind()
    assert backlog.next() == lines(3, 3)[0]
    backlog.begin()
    assert backlog.lost == 0
    backlog.append(lines(1, 1)[0])  # of the next match no reader has this one
    backlog.begin()
    assert backlog.lost == 1


def test_a_waiting_thread_is_woken_once() -> None:
    """The first line after it found none says that it waits, the second does not."""
    backlog = Backlog(LogFile([]), resumed=False, keep=KEEP)
    assert [backlog.append(line) for line in lines(1, 2)] == [False, False]
    rest(backlog)
    assert [backlog.append(line) for line in lines(3, 4)] == [True, False]


def test_memory_does_not_grow_with_the_match() -> None:
    backlog = filled(LogFile([]), [])
    for line in lines(1, 50_000):
        backlog.append(line)
        if b"7" in line:
            backlog.next()
    assert len(backlog._latest) == KEEP
