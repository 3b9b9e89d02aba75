"""A log directory, whatever happens to its files while they are read."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay
from clock.storage.checkpoint import CHECKPOINT, encode_slot
from clock.storage.log_reader import CURRENT
from hardware.system.clocks import boot_id
from lab.support.logs import body, forged, monkey_logs, sealed
from room.lines.events import ClockHeard, EarlierLinesRead, LinesRead, SourceEvent, TroubleChanged
from room.sources.directory import CHECKPOINT_NS, LINK_NS, DirectoryFollower

LOG = max(monkey_logs(3, 120), key=len)
NEXT = max(monkey_logs(4, 120), key=len)
FIRST, SECOND = "2026-05-01T10-00-00-7", "2026-05-01T12-00-00-7"


class Watcher:
    """A follower, and what it has told."""

    def __init__(self, path: Path) -> None:
        self.ns = 0
        self.told: list[SourceEvent] = []
        self.follower = DirectoryFollower(path, self.told.append, lambda: self.ns)

    def scan(self) -> list[SourceEvent]:
        """What one more look tells."""
        self.told.clear()
        self.follower.scan()
        return list(self.told)

    def reads(self) -> list[LinesRead]:
        """The lines that one more look tells, by log."""
        return [each for each in self.scan() if isinstance(each, LinesRead)]

    def lines(self) -> list[bytes]:
        return [line for each in self.reads() for line in each.lines]

    def earlier(self) -> list[tuple[str, tuple[bytes, ...]]]:
        """The lines of earlier matches that were told since the latest look began."""
        return [
            (each.match, each.lines) for each in self.told if isinstance(each, EarlierLinesRead)
        ]

    def troubles(self) -> list[str]:
        """The troubles that one more look tells."""
        return [each.what for each in self.scan() if isinstance(each, TroubleChanged)]


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watcher]:
    """A follower of a directory."""
    before, found = len(list(Path("/proc/self/fd").iterdir())), Watcher(tmp_path)
    yield found
    found.follower.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def write(path: Path, lines: list[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def begin(directory: Path, match: str, lines: list[bytes]) -> Path:
    """Write a log and lead the link there, as the clock does."""
    path = write(directory / f"{match}.jsonl", lines)
    link = directory / ".new"
    link.symlink_to(path.name)
    link.rename(directory / CURRENT)
    return path


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_new_lines_are_told_once(tmp_path: Path, watcher: Watcher) -> None:
    """As the file grows; a part of a line waits for its rest."""
    path = begin(tmp_path, FIRST, LOG[:5])
    write(tmp_path / f"{FIRST}.2.jsonl", NEXT)  # is called like a part of it
    assert watcher.lines() == LOG[:5]
    assert watcher.lines() == []
    append(path, LOG[5] + b"\n" + LOG[6][:20])
    assert [(each.first, each.lines) for each in watcher.reads()] == [(5, (LOG[5],))]
    append(path, LOG[6][20:] + b"\n")
    assert watcher.lines() == LOG[6:7]


def test_what_is_told_is_on_the_disk(
    tmp_path: Path, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is synced by the reader's own descriptor before its lines are told."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fdatasync", lambda file: synced.append(len(watcher.told)))
    begin(tmp_path, FIRST, LOG[:5])
    write(tmp_path / f"{SECOND}.jsonl", NEXT)
    watcher.scan()
    watcher.told.clear()
    watcher.follower.read_earlier()
    watcher.scan()
    assert synced == [0, 0]


def test_the_old_match_is_read_to_its_end_first(tmp_path: Path, watcher: Watcher) -> None:
    old = begin(tmp_path, FIRST, LOG[:5])
    watcher.scan()
    append(old, b"".join(line + b"\n" for line in LOG[5:]))
    begin(tmp_path, SECOND, NEXT[:2])
    told = [(each.match, each.lines, each.live) for each in watcher.reads()]
    assert told == [(FIRST, tuple(LOG[5:]), True), (SECOND, tuple(NEXT[:2]), False)]
    assert [path.stem for path in watcher.follower.growing] == [SECOND]


def test_the_first_log_of_a_clock_is_one_log(tmp_path: Path, watcher: Watcher) -> None:
    """The clock writes its first lines before the link: a look between finds no log of a board."""
    for match in (FIRST, SECOND):  # once more when somebody has emptied the folder
        watcher.ns += 2 * LINK_NS
        assert watcher.lines() == []
        path = write(tmp_path / f"{match}.jsonl", LOG[:1])
        assert watcher.lines() == []
        (tmp_path / CURRENT).symlink_to(path.name)
        append(path, LOG[1] + b"\n")
        assert [(each.place.key, each.lines) for each in watcher.reads()] == [
            (str(tmp_path), tuple(LOG[:2]))
        ]
        (tmp_path / CURRENT).unlink()
        path.unlink()


def test_a_folder_of_copies_into_which_a_clock_writes_is_one_place(
    tmp_path: Path, watcher: Watcher
) -> None:
    path = write(tmp_path / f"{FIRST}.jsonl", LOG[:1])
    assert [each.place.key for each in watcher.reads()] == [f"{tmp_path}#7"]
    (tmp_path / CURRENT).symlink_to(path.name)
    assert [(each.place.key, each.lines, each.live) for each in watcher.reads()] == [
        (str(tmp_path), tuple(LOG[:1]), False)
    ]
    assert watcher.reads() == []


def test_the_segments_of_a_match_are_one_log(tmp_path: Path, watcher: Watcher) -> None:
    first = begin(tmp_path, FIRST, LOG[:5])
    append(first, LOG[5][:20])  # its card refused the rest
    assert [each.first for each in watcher.reads()] == [0]
    write(tmp_path / f"{FIRST}.2.jsonl", LOG[4:8])
    write(tmp_path / f"{FIRST}.3.jsonl", NEXT)  # is called like a part
    (tmp_path / CURRENT).unlink()
    (tmp_path / CURRENT).symlink_to(f"{FIRST}.2.jsonl")
    told = [(each.match, each.lines, each.first) for each in watcher.reads()]
    assert told == [(FIRST, tuple(LOG[4:8]), None)]
    assert [type(each) for each in watcher.scan()] == [ClockHeard]
    write(first, LOG[:2])
    assert watcher.troubles() == [f"{tmp_path}: {FIRST}.jsonl is shorter than it was"]


@pytest.mark.parametrize("as_file", [False, True])
def test_the_next_match_is_copied_over_a_plain_file(tmp_path: Path, as_file: bool) -> None:
    """A copy of `current.jsonl` has the name that its lines give, and may be longer than before."""
    path, watcher = tmp_path / CURRENT, Watcher(tmp_path / CURRENT if as_file else tmp_path)
    live = []
    for name, lines in (("one", LOG[:3]), ("one", LOG[:4]), ("two", NEXT), ("three", LOG[:2])):
        write(path, sealed([body(line).replace(b"play-1", name.encode()) for line in lines]))
        told = [message for message in watcher.scan() if not isinstance(message, ClockHeard)]
        assert [type(message) for message in told] == [LinesRead]
        assert isinstance(told[0], LinesRead)
        assert (told[0].match, told[0].place.hint) == (name, "")
        live.append(told[0].live)
    assert live == [False, True, False, False]
    watcher.follower.close()


@pytest.mark.parametrize("as_file", [False, True])
def test_a_pointer_that_leads_on_is_followed(tmp_path: Path, as_file: bool) -> None:
    watcher = Watcher(tmp_path / CURRENT if as_file else tmp_path)
    for match in (FIRST, SECOND):
        write(tmp_path / f"{match}.jsonl", LOG[:3])
        pointer = f'{{"log":"{match}.jsonl"}}\n'
        (tmp_path / CURRENT).write_text(pointer, encoding="utf-8")
        assert [(each.match, each.lines) for each in watcher.reads()] == [(match, tuple(LOG[:3]))]
    watcher.follower.close()


def test_a_plain_file_without_a_readable_line_has_its_own_name(
    tmp_path: Path, watcher: Watcher
) -> None:
    path = write(tmp_path / CURRENT, [b"noise"])
    assert [each.match for each in watcher.reads()] == ["current"]
    write(path, LOG[:2])
    assert [each.match for each in watcher.reads()] == ["play-1"]
    append(path, b"noise\n")
    assert [each.match for each in watcher.reads()] == ["play-1"]


def test_a_torn_end_that_is_cut_off_is_no_trouble(tmp_path: Path, watcher: Watcher) -> None:
    path = begin(tmp_path, FIRST, LOG[:5])
    append(path, LOG[5][:30])
    watcher.scan()
    write(path, LOG[:5])
    assert watcher.scan() == [ClockHeard(watcher.follower._place(""), 0)]
    append(path, LOG[5] + b"\n")
    assert watcher.lines() == LOG[5:6]


def test_a_log_that_was_cut_off_is_told_until_it_is_whole(tmp_path: Path, watcher: Watcher) -> None:
    """It is read again: whoever knows the lines finds out what differs."""
    path = begin(tmp_path, FIRST, LOG[:8])
    watcher.scan()
    write(path, LOG[:3])
    told = watcher.scan()
    assert [each.what for each in told if isinstance(each, TroubleChanged)] == [
        f"{tmp_path}: {FIRST}.jsonl is shorter than it was"
    ]
    assert [each.lines for each in told if isinstance(each, LinesRead)] == [tuple(LOG[:3])]
    append(path, LOG[3][:9])
    assert [watcher.troubles() for _ in range(2)] == [[], []]
    append(path, LOG[3][9:] + b"\n" + b"".join(line + b"\n" for line in LOG[4:8]))
    assert watcher.troubles() == [""]


@pytest.mark.rule("R214")
def test_an_end_that_stays_unfinished_is_told(tmp_path: Path, watcher: Watcher) -> None:
    """As after a power cut; one that was written between two looks only waits."""
    path = begin(tmp_path, FIRST, [])
    assert [watcher.reads() for _ in range(2)] == [[], []]
    append(path, LOG[0][:20])
    assert watcher.reads() == []
    append(path, LOG[0][20:] + b"".join(b"\n" + line for line in LOG[1:5]) + b"\n" + LOG[5][:20])
    assert [(each.match, each.lines) for each in watcher.reads()] == [(FIRST, tuple(LOG[:5]))]
    assert watcher.troubles() == [f"{tmp_path}: {FIRST}.jsonl ends in the middle of a line"]
    assert watcher.troubles() == []
    append(path, LOG[5][20:])
    assert watcher.lines() == LOG[5:6]  # only its line feed is missing
    assert watcher.troubles() == []
    append(path, b"\n" + LOG[6])
    assert watcher.lines() == LOG[5:7]
    append(tmp_path / f"{FIRST}.2.jsonl", LOG[7])  # what it continues ends without one, too
    assert [watcher.lines(), watcher.troubles()] == [LOG[7:8], []]


@pytest.mark.rule("R214")
def test_a_log_that_a_pc_has_saved_anew_is_followed(tmp_path: Path, watcher: Watcher) -> None:
    """Also if it is saved again with more lines; no line feed is taken for a changed line."""
    path = begin(tmp_path, FIRST, LOG[:5])
    assert watcher.lines() == LOG[:5]
    for count, encoding in ((6, "utf-8"), (6, "utf-8-sig"), (7, "utf-16"), (8, "utf-8")):
        text = b"\r\n".join([*LOG[:count], b"edited"]).decode()
        path.write_bytes(text.encode(encoding))
        told = [each for _ in range(3) for each in watcher.scan()]
        read = [each for each in told if not isinstance(each, ClockHeard)]
        assert [getattr(each, "lines", each) for each in read] == [(*LOG[:count], b"edited")]
    for end, more in ((b"\r\n", b"\r\n\r\n"), (b"\n", b"")):
        path.write_bytes(b"\xef\xbb\xbf" + end.join(LOG[:8]) + more)
        assert watcher.lines() == LOG[:8]
    append(path, b"\n" + LOG[8] + b"\n")
    assert watcher.lines() == LOG[:9]
    path.write_bytes(b"\r\n".join(LOG[:8]))
    assert watcher.lines() == LOG[:8]
    append(path, b"\r\n" + LOG[8] + b"\r\n")
    assert watcher.lines() == LOG[:9]
    append(write(path, LOG[:8]), LOG[8][:20])  # as a clock writes it again
    assert watcher.lines() == LOG[:8]


@pytest.mark.rule("R214")
@pytest.mark.parametrize("name", ["semi.final.jsonl", "m.jsonl.txt", "M.JSONL", "m (1).jsonl"])
def test_an_earlier_log_is_found_however_it_is_called(
    tmp_path: Path, watcher: Watcher, name: str
) -> None:
    begin(tmp_path, FIRST, LOG[:5])
    write(tmp_path / name, NEXT[:3])
    watcher.scan()
    watcher.follower.read_earlier()
    assert [lines for _, lines in watcher.earlier()] == [tuple(NEXT[:3])]


def test_a_replaced_log_is_read_from_its_beginning(tmp_path: Path, watcher: Watcher) -> None:
    """The clock itself replaces a file that failed; so does a forger."""
    path = begin(tmp_path, FIRST, LOG[:8])
    append(path, LOG[8][:20])
    watcher.scan()
    fork = forged(LOG[:9], 4, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    write(tmp_path / "new", fork).rename(path)
    assert [(each.first, each.lines) for each in watcher.reads()] == [(0, tuple(fork))]


def test_a_deleted_log_is_told(tmp_path: Path, watcher: Watcher) -> None:
    write(tmp_path / f"{SECOND}.jsonl", NEXT)
    path = begin(tmp_path, FIRST, LOG[:5])
    watcher.scan()
    path.unlink()
    assert watcher.troubles() == [f"{tmp_path}: the log is gone"]
    write(path, LOG[:6])
    told = watcher.scan()
    assert [each.what for each in told if isinstance(each, TroubleChanged)] == [""]
    again = [(each.lines, each.first) for each in told if isinstance(each, LinesRead)]
    assert again == [(tuple(LOG[:6]), 0)]


def test_a_vanished_directory_is_told(tmp_path: Path) -> None:
    """As when a stick is pulled out; it may come back."""
    directory = tmp_path / "stick"
    directory.mkdir()
    begin(directory, FIRST, LOG[:5])
    watcher = Watcher(directory)
    watcher.scan()
    shutil.rmtree(directory)
    assert watcher.troubles() == [f"{directory}: No such file or directory"]
    directory.mkdir()
    begin(directory, FIRST, LOG[:6])
    assert watcher.lines() == LOG[:6]
    watcher.follower.close()


def test_every_board_of_a_folder_is_told_of_its_trouble(tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    watcher = Watcher(folder)
    assert watcher.troubles() == [f"{folder}: no log yet"]
    write(folder / f"{FIRST}.jsonl", LOG[:3])
    watcher.ns += LINK_NS
    assert watcher.troubles() == [""]
    shutil.rmtree(folder)
    told = [each for each in watcher.scan() if isinstance(each, TroubleChanged)]
    assert [each.place.hint for each in told if each.what] == ["7"]
    watcher.follower.close()


def test_a_folder_of_many_boards_has_a_board_for_each(tmp_path: Path, watcher: Watcher) -> None:
    """Copies of the logs of a whole room: the newest of each board counts.

    Names end with digits of the clock's start, but for those that 1.0.0 gave.
    """
    second, other = f"{SECOND}_3fa2c1-2", "2026-05-01T10-00-00-A-8_000000"
    for name, lines in ((FIRST, LOG), (second, NEXT), (other, LOG[:3])):
        write(tmp_path / f"{name}.jsonl", lines)
    told = [(each.place.hint, each.match) for each in watcher.reads()]
    assert told == [("7", second), ("A-8", other)]
    watcher.follower.read_earlier()
    [earlier] = [each for each in watcher.told if isinstance(each, EarlierLinesRead)]
    assert (earlier.place.hint, earlier.match) == ("7", FIRST)
    state = replay(NEXT).match.state
    checkpoint(tmp_path, Checkpoint(second, 5, 1000, boot_id(), state))
    watcher.ns += CHECKPOINT_NS
    assert heartbeats(watcher) == []  # of one of the boards, nobody knows which


@pytest.mark.rule("R215")
@pytest.mark.parametrize(("apart_s", "newest"), [(60, FIRST), (0.01, SECOND)])
def test_the_log_that_was_written_last_is_the_present_one(
    tmp_path: Path, watcher: Watcher, apart_s: float, newest: str
) -> None:
    """The date of a clock, and so the name of its log, may go back; of copies the names decide."""
    for at_s, name, lines in ((0, SECOND, NEXT), (apart_s, FIRST, LOG)):
        write(path := tmp_path / f"{name}.jsonl", lines)
        os.utime(path, (1_000_000 + at_s, 1_000_000 + at_s))
    assert [each.match for each in watcher.reads()] == [newest]


def test_earlier_matches_are_told_one_by_one(tmp_path: Path, watcher: Watcher) -> None:
    write(tmp_path / "2026-04-01T10-00-00-7.jsonl", LOG[:3])
    write(tmp_path / "2026-04-02T10-00-00-7.jsonl", LOG[:4])
    (tmp_path / "2026-04-03T10-00-00-7.jsonl").touch()
    begin(tmp_path, FIRST, NEXT)
    watcher.scan()
    watcher.told.clear()
    assert [watcher.follower.read_earlier() for _ in range(4)] == [True, True, False, False]
    told = [
        (each.match, len(each.lines)) for each in watcher.told if isinstance(each, EarlierLinesRead)
    ]
    assert told == [("2026-04-02T10-00-00-7", 4), ("2026-04-01T10-00-00-7", 3)]


def test_lines_that_a_card_took_late_are_told(tmp_path: Path, watcher: Watcher) -> None:
    """Of the match before, and of one that began and ended while the card took nothing."""
    third = "2026-05-01T14-00-00-7"
    write(tmp_path / "2026-04-01T10-00-00-7.jsonl", NEXT[:3])
    begin(tmp_path, FIRST, LOG[:5])
    watcher.scan()
    watcher.follower.read_earlier()
    begin(tmp_path, third, NEXT)
    watcher.scan()
    watcher.ns += CHECKPOINT_NS
    watcher.scan()
    assert watcher.earlier() == []
    write(tmp_path / f"{FIRST}.2.jsonl", LOG[4:8])
    write(tmp_path / f"{SECOND}.jsonl", LOG[:2])
    watcher.ns += CHECKPOINT_NS
    watcher.scan()
    assert watcher.earlier() == [(FIRST, tuple(LOG[:8])), (SECOND, tuple(LOG[:2]))]
    for day in range(2, 9):  # a whole day, copied here
        write(tmp_path / f"2026-04-0{day}T10-00-00-7.jsonl", LOG[:day])
    told = []
    for _ in range(2):
        watcher.ns += CHECKPOINT_NS
        watcher.scan()
        told.append([len(lines) for _, lines in watcher.earlier()])
    assert told == [[2, 3, 4, 5, 6, 7, 8], []]


def test_a_file_that_cannot_be_read_is_read_from_its_first_line_then(
    tmp_path: Path, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(tmp_path, FIRST, LOG[:5])
    with monkeypatch.context() as small:
        small.setattr("room.sources.tail.MAX_LOG", 99)
        assert watcher.troubles() == [f"{tmp_path}: {FIRST}.jsonl: larger than 99 bytes"]
    assert watcher.lines() == LOG[:5]


@pytest.mark.parametrize("kind", ["fifo", "directory"])
def test_what_is_no_file_is_told(tmp_path: Path, watcher: Watcher, kind: str) -> None:
    path = tmp_path / f"{FIRST}.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert watcher.lines() == []
    what = [] if kind == "fifo" else [f"{tmp_path}: {FIRST}.jsonl: Is a directory"]
    assert [each.what for each in watcher.told if isinstance(each, TroubleChanged)] == what


def test_a_checkpoint_is_a_heartbeat(tmp_path: Path, watcher: Watcher) -> None:
    """Its instant tells the time of the clock's computer; an old one of another boot does not."""
    begin(tmp_path, FIRST, LOG[:5])
    state = replay(LOG[:5]).match.state
    checkpoint(tmp_path, Checkpoint(FIRST, 5, 1000, "other", state))
    assert heartbeats(watcher) == []
    checkpoint(tmp_path, Checkpoint(FIRST, 5, 2000, "other", state))
    assert heartbeats(watcher) == []  # not so soon
    watcher.ns = CHECKPOINT_NS
    assert heartbeats(watcher) == [("other", 2000, FIRST, 5)]
    watcher.ns = 2 * CHECKPOINT_NS
    assert heartbeats(watcher) == []  # nothing new
    checkpoint(tmp_path, Checkpoint(FIRST, 5, 3000, "other", state))
    assert heartbeats(watcher) == []
    watcher.ns = 3 * CHECKPOINT_NS
    assert heartbeats(watcher) == [("other", 3000, FIRST, 5)]


def test_the_first_checkpoint_of_this_boot_counts(tmp_path: Path, watcher: Watcher) -> None:
    begin(tmp_path, FIRST, LOG[:5])
    state = replay(LOG[:5]).match.state
    checkpoint(tmp_path, Checkpoint(FIRST, 5, 1000, boot_id(), state))
    assert heartbeats(watcher) == [(boot_id(), 1000, FIRST, 5)]


def checkpoint(directory: Path, found: Checkpoint) -> None:
    """Write a checkpoint as the clock does."""
    at, slot = encode_slot(found.at_ns, found)
    path = directory / CHECKPOINT
    path.touch()
    with path.open("r+b") as file:
        file.seek(at)
        file.write(slot)


def heartbeats(watcher: Watcher) -> list[tuple[str, int | None, str, int]]:
    """What one more look tells of the clock's time."""
    told = [each for each in watcher.scan() if isinstance(each, ClockHeard)]
    return [(each.boot, each.sent_ns, each.match, each.seq) for each in told if each.boot]
