"""Lines by their numbers, from memory and from a log that is late, torn or another match's."""

from io import BytesIO
from pathlib import Path
from typing import IO

import pytest

from hardware.serial.backlog import Backlog

KEEP = 3


def lines(first: int, last: int, match: str = "m") -> list[bytes]:
    """Of a match."""
    return [b'{"seq":%d,"match":"%s"}\n' % (seq, match.encode()) for seq in range(first, last + 1)]


class Disk:
    """A log that holds what a test says."""

    def __init__(self, held: list[bytes]) -> None:
        self.held = held
        self.opened: list[BytesIO] = []
        self.error: OSError | None = None

    def __call__(self) -> IO[bytes]:
        """Open it."""
        if self.error is not None:
            raise self.error
        self.opened.append(BytesIO(b"".join(self.held)))
        return self.opened[-1]


def filled(disk: Disk, told: list[bytes], *, resumed: bool = False) -> Backlog:
    """All of these appended, none taken."""
    backlog = Backlog(disk, resumed=resumed, keep=KEEP)
    for line in told:
        backlog.append(line)
    return backlog


def rest(backlog: Backlog) -> list[bytes]:
    """All that there is to be taken."""
    return list(iter(backlog.next, b""))


def test_what_is_in_memory_needs_no_log() -> None:
    """Three lines are kept: the disk is not even looked at."""
    disk = Disk([])
    assert rest(filled(disk, lines(1, 3))) == lines(1, 3)
    assert disk.opened == []


@pytest.mark.rule("R84")
def test_older_lines_come_from_the_log_which_is_read_once() -> None:
    """Opened once for all of them, and closed when it is not needed any more."""
    disk = Disk(lines(1, 100))
    backlog = filled(disk, lines(1, 100))
    for _ in range(2):
        assert rest(backlog) == lines(1, 100)
        backlog.rewind()
    assert [log.closed for log in disk.opened] == [True, True]
    assert backlog.lost == 0


@pytest.mark.rule("R84")
def test_a_match_that_goes_on_is_in_the_log_alone() -> None:
    """After a restart: nothing in memory, all sent; and what follows is counted on."""
    backlog = filled(Disk(lines(1, 50)), lines(51, 52), resumed=True)
    assert rest(backlog) == lines(1, 52)


@pytest.mark.parametrize("readable", [0, 3])
def test_a_log_that_cannot_be_read_at_the_start_does_not_keep_the_clock_from_it(
    readable: int,
) -> None:
    """The card fails, at once or after some lines: readers get what follows, from memory alone."""

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


def test_what_neither_memory_nor_log_has_is_lost_and_counted_once() -> None:
    """The disk has failed: the newest that are kept come, again for each reader."""
    disk = Disk([])
    disk.error = OSError(5, "Input/output error")
    backlog = filled(disk, lines(1, 10))
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 7
    backlog.rewind()
    assert rest(backlog) == lines(8, 10)
    assert backlog.forget_losses() == 7
    assert backlog.lost == 0


@pytest.mark.parametrize(
    "held", [lines(1, 100, "another"), lines(2, 100), [lines(1, 1)[0][:-1]], []], ids=str
)
def test_a_log_that_is_not_this_matchs_is_not_sent(held: list[bytes]) -> None:
    """Known by its first line: another match's, a later segment, a torn one, an empty one."""
    backlog = filled(Disk(held), lines(1, 10))
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 7


def test_a_log_that_ends_early_or_in_a_torn_line() -> None:
    """What is there is sent, and the torn line is not."""
    torn = [*lines(1, 4), lines(5, 5)[0][:-3]]
    backlog = filled(Disk(torn), lines(1, 10))
    assert rest(backlog) == [*lines(1, 4), *lines(8, 10)]
    assert backlog.lost == 3


def test_a_log_that_gets_another_file_is_opened_again(tmp_path: Path) -> None:
    """The journal puts a new file in the place of one that failed."""
    path = tmp_path / "current.jsonl"
    path.write_bytes(b"".join(lines(1, 3)))
    backlog = Backlog(lambda: path.open("rb"), resumed=False, keep=KEEP)
    for line in lines(1, 10):
        backlog.append(line)
    assert [backlog.next() for _ in range(2)] == lines(1, 2)
    (tmp_path / "new").write_bytes(b"".join(lines(1, 10)))
    (tmp_path / "new").rename(path)
    assert rest(backlog) == lines(3, 10)


def test_a_new_match_while_the_old_one_is_being_read() -> None:
    """Nothing of the old one follows, and what nobody got of it is lost."""
    disk = Disk(lines(1, 10))
    backlog = filled(disk, lines(1, 10))
    assert backlog.next() == lines(1, 1)[0]
    backlog.begin()
    assert backlog.lost == 9
    for line in lines(1, 5, "next"):
        backlog.append(line)
    disk.held = lines(1, 5, "next")
    assert rest(backlog) == lines(1, 5, "next")
    assert backlog.lost == 9


def test_a_log_that_becomes_another_matchs_is_left() -> None:
    """It ended, was opened again, and has another first line: what it has now is not sent."""
    disk = Disk(lines(1, 3))
    backlog = filled(disk, lines(1, 10))
    assert [backlog.next() for _ in range(3)] == lines(1, 3)
    disk.held = lines(1, 10, "another")
    assert rest(backlog) == lines(8, 10)
    assert backlog.lost == 4


def test_a_match_that_begins_while_the_log_is_read_is_not_mixed_up() -> None:
    """A line of the old match was read, and a new one begun, before it could be taken."""

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


def test_whoever_waits_is_called_once() -> None:
    """After it has found nothing, for the next line only."""
    backlog = Backlog(Disk([]), resumed=False, keep=KEEP)
    assert [backlog.append(line) for line in lines(1, 2)] == [False, False]
    rest(backlog)
    assert [backlog.append(line) for line in lines(3, 4)] == [True, False]


def test_memory_does_not_grow_with_the_match() -> None:
    """A day of lines, with and without a reader: no more than what is kept."""
    backlog = filled(Disk([]), [])
    for line in lines(1, 50_000):
        backlog.append(line)
        if b"7" in line:
            backlog.next()
    assert len(backlog._latest) == KEEP
