"""The log on the disk: what is written, how, and what becomes of it when the disk fails."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from logs import monkey_logs
from world import World

from clock.checkpoint import SLOT_SIZE, SLOTS
from clock.journal import CHECKPOINT, CURRENT, Journal, JournalError
from clock.ports import Fault
from clock.replay import replay

LINES = [line + b"\n" for line in monkey_logs(1, 60)[0]]
RAW = [line[:-1] for line in LINES]


class Disk:
    """The system's calls, counted; some of them can be made to fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, int]] = []  # a call's name, and how many bytes it had
        self.failing: dict[str, list[int | None]] = {}  # error numbers of the next calls
        self._patch = patch
        for name in ("write", "fdatasync", "fsync", "pwrite", "open", "rename"):
            self._watch(name)

    def _watch(self, name: str) -> None:
        real = getattr(os, name)

        def call(*args: object, **kwargs: object) -> object:
            size = len(args[1]) if name in {"write", "pwrite"} else 0  # type: ignore[arg-type]
            self.calls.append((name, size))
            faults = self.failing.get(name, [])
            number = faults.pop(0) if faults else None
            if number == errno.EINTR:  # stands for a write that is not whole
                file, data, *_ = args
                return real(file, data[: len(data) // 2])  # type: ignore[index, arg-type]
            if number is not None:
                raise OSError(number, os.strerror(number))
            return real(*args, **kwargs)

        self._patch.setattr(os, name, call)

    def named(self, *names: str) -> list[str]:
        """The calls of these names, in their order."""
        return [name for name, _ in self.calls if name in names]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk whose calls are counted."""
    return Disk(monkeypatch)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """A journal in a directory of its own."""
    journal = Journal(tmp_path)
    yield journal
    journal.close()


def written(tmp_path: Path, lines: list[bytes], match: str = "match") -> Path:
    """A log that the last run left behind."""
    journal = Journal(tmp_path)
    name = journal.begin(match)
    for line in lines:
        journal.append(line)
    journal.close()
    assert journal.drain() == []
    return tmp_path / f"{name}.jsonl"


# --- files ------------------------------------------------------------------------------------


@pytest.mark.rule("R83", "R84")
def test_a_match_has_a_file_and_current_links_to_it(tmp_path: Path) -> None:
    """R83: `<match>.jsonl`; the link is relative, so that a copy of the directory is whole."""
    path = written(tmp_path / "deep" / "logs", LINES)
    assert path.name == "match.jsonl"
    assert path.read_bytes() == b"".join(LINES)
    link = path.parent / CURRENT
    assert link.readlink() == Path("match.jsonl")
    assert {each.name for each in path.parent.iterdir()} == {path.name, CURRENT, CHECKPOINT}


def test_no_log_is_ever_written_over(tmp_path: Path) -> None:
    """Two matches that began in the same second have two names."""
    names = [written(tmp_path, LINES[:number], "match").name for number in (1, 2, 3)]
    assert names == ["match.jsonl", "match-2.jsonl", "match-3.jsonl"]
    assert [(tmp_path / name).read_bytes().count(b"\n") for name in names] == [1, 2, 3]
    assert (tmp_path / CURRENT).readlink() == Path("match-3.jsonl")


def test_the_lines_of_a_match_stay_in_its_file(tmp_path: Path) -> None:
    """The next match begins while the writer is still busy with the last one."""
    journal, names = Journal(tmp_path), set()
    for _ in range(5):
        names.add(journal.begin("match"))
        for line in LINES:
            journal.append(line)
    journal.close()
    assert len(names) == 5
    for name in names:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == b"".join(LINES)


@pytest.mark.rule("R67", "R84")
def test_each_line_is_one_write_and_one_sync(tmp_path: Path, disk: Disk) -> None:
    """R67: durable line by line, and nothing is ever rewritten."""
    written(tmp_path, LINES)
    wanted = [each for line in LINES for each in (("write", len(line)), ("fdatasync", 0))]
    assert disk.calls[-len(wanted) :] == wanted
    assert len(disk.named("write")) == len(LINES)
    assert disk.named("fsync", "rename").count("fsync") == 1  # the directory: its name is durable


@pytest.mark.rule("R67")
def test_a_sign_of_life_is_one_write_of_one_slot_and_one_sync(tmp_path: Path, disk: Disk) -> None:
    """R67: the slots take turns, and the newest is found again."""
    path = written(tmp_path, LINES)
    journal, state = Journal(tmp_path), World.running().state
    assert journal.found() is not None
    begun = len(disk.calls)
    for seq in range(1, 6):
        journal.checkpoint(seq, seq * 10, "boot", state)
    journal.close()
    assert disk.calls[begun:] == [("pwrite", SLOT_SIZE), ("fdatasync", 0)] * 5
    assert (tmp_path / CHECKPOINT).stat().st_size == SLOTS * SLOT_SIZE
    journal = Journal(tmp_path)
    found = journal.found()
    journal.close()
    assert found is not None
    assert found.latest is not None
    latest = found.latest
    assert (latest.match, latest.seq, latest.at_ns, latest.state) == (path.stem, 5, 50, state)


def test_generations_go_on_after_a_restart(tmp_path: Path) -> None:
    """Else an old slot would win over a new one."""
    written(tmp_path, LINES)
    latest = 0
    for signs in (5, 1, 1, 2, 1):
        journal = Journal(tmp_path)
        found = journal.found()
        assert found is not None
        assert (found.latest.seq if found.latest else 0) == latest
        for _ in range(signs):
            latest += 1
            journal.checkpoint(latest, 0, "boot", World().state)
        journal.close()


# --- what the last run left behind ------------------------------------------------------------


def test_nothing_is_found_in_a_new_directory(journal: Journal) -> None:
    """No match to go on with."""
    assert journal.found() is None


def found_lines(tmp_path: Path) -> tuple[bytes, ...] | None:
    """The lines that a new journal finds."""
    journal = Journal(tmp_path)
    try:
        found = journal.found()
        return found and found.lines
    finally:
        journal.close()


@pytest.mark.rule("T12")
def test_a_torn_last_line_is_kept_beside_the_log_and_cut_off(tmp_path: Path) -> None:
    """T12: cut at every byte of the last line; what was whole stays, and the log goes on."""
    path = written(tmp_path, LINES[:3])
    whole, whole_lines = b"".join(LINES[:3]), tuple(RAW[:3])
    torn = path.with_suffix(".torn")
    for length in range(1, len(LINES[3])):
        path.write_bytes(whole + LINES[3][:length])
        assert found_lines(tmp_path) == whole_lines
        assert path.read_bytes() == whole
        assert torn.read_bytes() == LINES[3][:length]
        torn.unlink()


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    "tail",
    [bytes(512), b"\n", b"\xff\n", LINES[2][:-9] + b"\0" * 8 + b"\n", bytes(99) + b"\n", LINES[2]],
    ids=["zeros", "empty", "one byte", "zeroed end", "zeroed", "twice"],
)
def test_a_last_line_that_is_bad_is_torn_whatever_it_ends_with(tmp_path: Path, tail: bytes) -> None:
    """T12: a sector that was never written may lie in the middle of it."""
    path = written(tmp_path, LINES[:3])
    path.write_bytes(b"".join(LINES[:3]) + tail)
    assert found_lines(tmp_path) == tuple(RAW[:3])
    assert path.with_suffix(".torn").read_bytes() == tail


def test_every_torn_line_is_kept(tmp_path: Path) -> None:
    """The second does not take the place of the first."""
    path = written(tmp_path, LINES[:3])
    for tail in (b"first", b"second"):
        with path.open("ab") as log:
            log.write(tail)
        found_lines(tmp_path)
    assert path.with_suffix(".torn").read_bytes() == b"firstsecond"


def test_a_bad_line_before_the_last_is_damage_and_stays(tmp_path: Path) -> None:
    """It is evidence; replaying says where it is."""
    path = written(tmp_path, LINES[:4])
    damaged = b"".join([LINES[0], b"{}\n", *LINES[2:4]])
    path.write_bytes(damaged)
    assert found_lines(tmp_path) == (RAW[0], b"{}", *RAW[2:4])
    assert path.read_bytes() == damaged
    assert not path.with_suffix(".torn").exists()


@pytest.mark.rule("T12")
@pytest.mark.parametrize("data", [b"", b"{", LINES[0][:-1], b"\0" * 512, b"\n"])
def test_a_log_without_a_whole_line_is_no_match(tmp_path: Path, data: bytes) -> None:
    """T12: the power went while the first line was written; the next match can begin."""
    path = written(tmp_path, LINES[:1])
    path.write_bytes(data)
    journal = Journal(tmp_path)
    assert journal.found() is None
    assert journal.begin(path.stem) == f"{path.stem}-2"
    journal.close()


def test_a_found_log_goes_on_where_it_ended(tmp_path: Path) -> None:
    """The next line stands behind the last whole one."""
    path = written(tmp_path, LINES[:3])
    with path.open("ab") as log:
        log.write(LINES[3][:50])
    journal = Journal(tmp_path)
    journal.found()
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(LINES)


# --- a directory that cannot be used ----------------------------------------------------------


def message(directory: Path) -> str:
    """What a director reads."""
    with pytest.raises(JournalError) as caught:
        Journal(directory)
    return str(caught.value)


def test_a_file_in_the_place_of_the_directory(tmp_path: Path) -> None:
    """It is named, and what to do."""
    (tmp_path / "logs").write_bytes(b"")
    assert message(tmp_path / "logs") == (
        f"{tmp_path}/logs: cannot be written to (File exists); set [log] directory to a folder that"
        " the clock may write to"
    )
    assert "Not a directory" in message(tmp_path / "logs" / "deeper")


def test_a_directory_that_may_not_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the checkpoint's file in it may be."""
    Journal(tmp_path).close()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "cannot be written to (Permission denied)" in message(tmp_path)


def test_a_disk_that_is_read_only(tmp_path: Path, disk: Disk) -> None:
    """As it is after an error on some cards."""
    disk.failing["open"] = [errno.EROFS]
    assert "(Read-only file system); set [log] directory" in message(tmp_path)


def test_two_clocks_in_one_directory(tmp_path: Path, journal: Journal) -> None:
    """The second is refused; it would spoil the log of the first."""
    assert "another clock writes its logs there" in message(tmp_path)
    assert journal.found() is None


def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    """It stays; the director may begin a new match."""
    path = written(tmp_path, LINES)
    path.unlink()
    path.mkdir()
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="see to its permissions, or remove it to begin"):
        journal.found()
    journal.close()


def test_a_link_that_leads_nowhere_is_no_match(tmp_path: Path) -> None:
    """Somebody took the log away; a new match can begin."""
    written(tmp_path, LINES).unlink()
    assert found_lines(tmp_path) is None
    assert written(tmp_path, LINES).read_bytes() == b"".join(LINES)


# --- a disk that fails ------------------------------------------------------------------------

FAILURES = [
    pytest.param("write", errno.EIO, "Input/output error", id="write"),
    pytest.param("write", errno.EINTR, "No space left on device", id="half a write"),
    pytest.param("fdatasync", errno.EIO, "Input/output error", id="sync"),
]


@pytest.mark.rule("R84")
@pytest.mark.parametrize(("name", "number", "why"), FAILURES)
def test_after_one_failure_all_lines_are_in_a_new_file(
    tmp_path: Path, disk: Disk, name: str, number: int, why: str
) -> None:
    """R84: nothing is raised, nothing lost; the failed file is not tried again."""
    path = written(tmp_path, LINES[:3])
    inode = path.stat().st_ino
    journal = Journal(tmp_path)
    journal.found()
    disk.failing[name] = [number]
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert path.read_bytes() == b"".join(LINES)
    assert path.stat().st_ino != inode
    assert (tmp_path / CURRENT).readlink() == Path(path.name)
    assert journal.drain() == [Fault("log", f"{why}: lines are not saved"), Fault("log", None)]
    assert {each.suffix for each in tmp_path.iterdir()} == {".jsonl", ""}


@pytest.mark.rule("R84")
@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize(("name", "number", "why"), FAILURES)
def test_while_it_fails_the_lines_wait_in_memory(
    tmp_path: Path, disk: Disk, name: str, number: int, why: str, count: int
) -> None:
    """R84: tried again with every line; said once, and once that it works again."""
    journal = Journal(tmp_path)
    journal.begin("match")
    disk.failing[name] = [number] * count
    for line in LINES:
        journal.append(line)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES)
    assert journal.drain() == [Fault("log", f"{why}: lines are not saved"), Fault("log", None)]
    assert journal.drain() == []


@pytest.mark.rule("R84")
def test_a_disk_that_never_recovers_leaves_what_was_saved(tmp_path: Path, disk: Disk) -> None:
    """R84: one fault, no error; the log on the disk is good as far as it goes."""
    path = written(tmp_path, LINES[:3])
    journal = Journal(tmp_path)
    journal.found()
    disk.failing["write"] = [errno.EINTR, *[errno.ENOSPC] * 999]
    for line in LINES[3:]:
        journal.append(line)
    journal.close()
    assert [fault.what for fault in journal.drain()] == [
        "No space left on device: lines are not saved"
    ]
    assert path.read_bytes().startswith(b"".join(LINES[:3]))
    disk.failing.clear()
    assert replay(found_lines(tmp_path) or ()).match.chain.seq == 3


@pytest.mark.rule("R84")
def test_a_match_begins_though_its_file_cannot_be_made(tmp_path: Path, disk: Disk) -> None:
    """R84: its lines wait in memory; the last match's file is left as it is."""
    last = written(tmp_path, LINES)
    journal = Journal(tmp_path)
    disk.failing["open"] = [errno.ENOSPC] * 3
    name = journal.begin("match")
    for line in LINES:
        journal.append(line)
    journal.close()
    assert name == "match-2"
    assert (tmp_path / "match-2.jsonl").read_bytes() == last.read_bytes() == b"".join(LINES)
    assert [fault.what for fault in journal.drain()] == [
        "No space left on device: lines are not saved",
        None,
    ]


@pytest.mark.rule("R84")
def test_signs_of_life_that_fail_are_a_fault_too(tmp_path: Path, disk: Disk) -> None:
    """R84: the lines are saved all the same; the next sign may succeed."""
    journal, state = Journal(tmp_path), World.running().state
    journal.begin("match")
    disk.failing["pwrite"] = [errno.EIO, errno.EIO]
    for seq in range(1, 4):
        journal.append(LINES[seq - 1])
        journal.checkpoint(seq, 0, "boot", state)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == b"".join(LINES[:3])
    why = "Input/output error: signs of life are not saved"
    assert journal.drain() == [Fault("log", why), Fault("log", None)]


def test_a_state_too_large_for_its_slot_is_a_fault(tmp_path: Path) -> None:
    """It never happens; and if it does, the other slot is not spoilt and the lines are saved."""
    journal = Journal(tmp_path)
    journal.begin("match")
    journal.checkpoint(1, 0, "boot", World().state)
    journal.checkpoint(2, 0, "boot", World().state.replace(ended="x" * SLOT_SIZE))
    journal.append(LINES[0])
    journal.close()
    [fault] = journal.drain()
    assert str(fault.what).endswith(f"{SLOT_SIZE} at most: signs of life are not saved")
    journal = Journal(tmp_path)
    found = journal.found()
    journal.close()
    assert found is not None
    assert found.latest is not None
    assert found.latest.seq == 1
