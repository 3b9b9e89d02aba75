"""Whatever lies in the place of a file: nothing is written through a link, and nothing waits."""

import os
import re
import shutil
import stat
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from clock.config.offer import OfferError
from clock.files import READ, NotOursError, open_to_read, replace_file, require_ours
from clock.runtime.crash_guard import FAILURES, CrashGuard
from clock.storage.checkpoint import CHECKPOINT, LOCK, CheckpointFile, JournalError
from clock.storage.clock_id import KEPT, clock_id
from clock.storage.language_file import NAME as LANGUAGE
from clock.storage.language_file import keep_language, kept_language
from clock.storage.log_reader import CURRENT
from clock.storage.offer_file import KEY, OFFER, read_offer
from gammonclock.output_file import OutputFile
from lab.support.journals import LINES, NAME, RAW, found_lines, opened, written
from lab.support.last_run import Now
from room.broker.link import put_offer
from room.cards.private_files import write_private
from room.hub.store.database import DatabaseError, Sqlite, WrongDatabaseError
from tests.test_mirror import PRODUCT, installed

VICTIM = b"of somebody else\n"
ERRORS = (OSError, JournalError, OfferError, DatabaseError, WrongDatabaseError, SystemExit)


def play(directory: Path) -> None:
    """A match begins, and its checkpoint is kept."""
    journal = opened(directory)
    journal.begin(NAME)
    journal.add(LINES[0])
    journal.write_checkpoint(1)
    journal.keep_checkpoint()
    journal.close()


def resume(directory: Path) -> None:
    """A match whose last line was torn goes on."""
    log = directory / f"{NAME}.jsonl"
    if log.is_file() and not log.is_symlink():
        log.write_bytes(LINES[0] + LINES[1][:-9])
    journal = opened(directory)
    journal.reopen()
    journal.add(LINES[1])
    journal.close()


def replace_deleted(directory: Path) -> None:
    """The log of a match is deleted while it is written to."""
    journal = opened(directory)
    journal.reopen()
    (directory / f"{NAME}.jsonl").unlink()
    journal.add(LINES[1])
    journal.retry()
    journal.close()


def continue_elsewhere(directory: Path) -> None:
    """The log lies in another folder, and in this one is another of its name."""
    elsewhere = written(directory.parent / "inner", LINES[:3], NAME)
    (directory / CURRENT).symlink_to(elsewhere)
    (directory / elsewhere.name).write_bytes(b"another log")
    journal = opened(directory)
    journal.reopen()
    journal.add(LINES[3])
    journal.retry()
    journal.close()


def fail(directory: Path) -> None:
    """A start that fails is counted."""
    guard = CrashGuard(directory, Now("boot"))
    with suppress(LookupError), guard.record_failures():
        raise LookupError
    guard.recent_failures()


def choose_language(directory: Path) -> None:
    keep_language(directory, "en", "da")
    kept_language(directory, "en")


def take_offer(directory: Path) -> None:
    put_offer(directory, b"{}")
    read_offer(directory)


def draw(directory: Path) -> None:
    """What a command writes is checked first; here it changes after that."""
    OutputFile("--chart", (), force=True).write(directory / "chart.svg", b"<svg/>")


def store(directory: Path) -> None:
    Sqlite(str(directory / "room.sqlite")).close()


WRITERS: dict[str, Callable[[Path], object]] = {  # a file: what writes it
    LOCK: CheckpointFile,
    CHECKPOINT: play,
    f"{NAME}.{CHECKPOINT}": play,
    f"{NAME}.jsonl": resume,
    f"{NAME}.2.jsonl": continue_elsewhere,
    f"{NAME}.torn": resume,
    f"{NAME}.new": replace_deleted,
    CURRENT: play,
    f".{CURRENT}.new": play,
    FAILURES: fail,
    f"{FAILURES}.new": fail,
    LANGUAGE: choose_language,
    f"{LANGUAGE}.new": choose_language,
    KEPT: lambda directory: clock_id(directory, directory / "no machine id"),
    f"{KEPT}.new": lambda directory: clock_id(directory, directory / "no machine id"),
    OFFER: take_offer,
    f"{OFFER}.new": take_offer,
    KEY: lambda directory: write_private(directory / KEY, b"secret\n"),
    f"{KEY}.new": lambda directory: write_private(directory / KEY, b"secret\n"),
    "chart.svg": draw,
    "room.sqlite": store,
    "room.sqlite-wal": store,
    "room.sqlite-journal": store,
}
GOES_ON = (resume, replace_deleted)  # writers of a log that is there
OBSTACLES: dict[str, Callable[[Path, Path], object]] = {
    "link": lambda path, victim: path.symlink_to(victim),
    "link to nothing": lambda path, victim: path.symlink_to(victim.with_name("nothing")),
    "link within": lambda path, victim: path.symlink_to(
        os.path.relpath(victim.parent / "inner" / ".." / victim.name, path.parent)
    ),
    "pipe": lambda path, _: os.mkfifo(path),
    "device": lambda path, _: path.symlink_to("/dev/full"),
    "directory": lambda path, _: path.mkdir(),
}


def write(name: str, folder: Path, before: Callable[[Path], object] = lambda _: None) -> None:
    """Let a file be written; `before` puts something into its place."""
    directory = folder / "logs"
    (folder / "inner").mkdir()
    directory.mkdir()
    if WRITERS[name] in GOES_ON:
        written(directory, LINES[:1], NAME)
    (directory / name).unlink(missing_ok=True)
    before(directory / name)
    WRITERS[name](directory)


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_written_through_what_lies_there(
    tmp_path: Path, name: str, obstacle: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(VICTIM)
    with suppress(*ERRORS):
        write(name, tmp_path, lambda path: OBSTACLES[obstacle](path, victim))
    assert victim.read_bytes() == VICTIM
    assert {each.name for each in tmp_path.iterdir()} == {"inner", "logs", "victim"}


@pytest.mark.parametrize("name", WRITERS)
def test_each_writer_writes_when_nothing_lies_there(tmp_path: Path, name: str) -> None:
    write(name, tmp_path)


def test_a_log_that_lies_elsewhere_goes_on_in_a_file_of_ours(tmp_path: Path) -> None:
    """The link leads out of the folder, or one beside it: that log is never written to."""
    elsewhere = written(tmp_path / "elsewhere", LINES[:3], NAME)
    directory = tmp_path / "logs"
    own = directory / elsewhere.name
    for ours in (None, b"", LINES[0], b"another log"):
        written(directory, LINES[:1])
        (directory / CURRENT).unlink()
        (directory / CURRENT).symlink_to(elsewhere)
        if ours is None:
            own.symlink_to(elsewhere)
        elif ours:
            own.write_bytes(ours)
        journal = opened(directory)
        saved = journal.reopen()
        assert saved is not None
        assert saved.lines == tuple(line[:-1] for line in LINES[:3])
        journal.add(LINES[3])
        journal.retry()
        outside = f"{CURRENT} is a link out of its folder: log lines are not saved"
        assert journal.told() == [outside, None]
        journal.close()
        assert found_lines(directory) == tuple(RAW[:4])
        assert (own.read_bytes(), own.is_symlink()) == (ours or b"".join(LINES[:4]), False)
        assert elsewhere.read_bytes() == b"".join(LINES[:3])
        shutil.rmtree(directory)


@pytest.mark.parametrize("name", [CHECKPOINT, LOCK])
def test_the_panels_say_what_lies_there(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/etc/passwd")
    with pytest.raises(JournalError, match=f"{name} is a link; delete it, or move it elsewhere"):
        opened(tmp_path)


def test_a_checkpoint_that_becomes_a_link_is_a_fault(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.begin(NAME)
    (tmp_path / CHECKPOINT).unlink()
    (tmp_path / CHECKPOINT).symlink_to("/etc/passwd")
    for _ in range(2):
        journal.write_checkpoint(1)
    why = f"{CHECKPOINT} was deleted or replaced"
    assert journal.told() == [f"{why}: checkpoints are not saved"]
    journal.close()


@pytest.mark.parametrize(("owner", "is_ours"), [(1, True), (2, True), (3, False)])
def test_a_file_belongs_to_who_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: int, *, is_ours: bool
) -> None:
    """Or to the owner of the folder: on a card without owners all files are theirs."""
    path = tmp_path / "file"
    path.touch()
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    real = os.lstat

    def lstat(path: Path) -> os.stat_result:
        return os.stat_result((*real(path)[:4], owner, *real(path)[5:]))

    folder = os.stat_result((*real(tmp_path)[:4], 2, *real(tmp_path)[5:]))
    monkeypatch.setattr(os, "lstat", lstat)
    monkeypatch.setattr(Path, "stat", lambda _: folder)
    with nullcontext() if is_ours else pytest.raises(NotOursError, match="file of another user"):
        require_ours(path)


def test_reading_does_not_wait(tmp_path: Path) -> None:
    """What is no file is closed again, and is none either when its name is gone."""
    os.mkfifo(pipe := tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
            open_to_read(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with os.fdopen(os.open(pipe, READ)) as opened_pipe:
        pipe.unlink()
        with pytest.raises(NotOursError, match="a pipe"):
            require_ours(pipe, opened_pipe.fileno())


def test_a_file_is_replaced_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its rights, whatever the user's mask; and a link, not what it leads to.

    All of it is on the disk before it has its name; what an earlier attempt has left is no matter.
    """
    (tmp_path / "file").symlink_to("/etc/passwd")
    (tmp_path / "file.new").write_bytes(b"torn")
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_size))
    before = os.umask(0o077)
    try:
        replace_file(tmp_path / "file", b"new\n")
    finally:
        os.umask(before)
    assert (tmp_path / "file").lstat().st_mode == stat.S_IFREG | 0o644
    assert ((tmp_path / "file").read_bytes(), synced) == (b"new\n", [4])


WRITES = re.compile(
    r"\.write_(?:text|bytes)\(|\bopen\([^)]*[\"'][wax]b?\+?[\"']"
    r"|\bopen\([^)]*O_(?:WRONLY|RDWR|CREAT)|\.touch\(\)|shutil\.(?:copy|move)"
)
ELSEWHERE = {  # where modules open for writing, if not by `replace_file` and `open_for_writing`
    "clock/storage/disk.py": "a new file, and the disk's calls",
    "gammonclock/__main__.py": "/dev/null",
    "hardware/display/i2c.py": "a bus, which is no file",
    "hardware/display/spi.py": "a bus, which is no file",
    "room/simulation/broker.py": "in a temporary directory",
}


def test_no_other_module_opens_a_file_for_writing() -> None:
    files = ((folder, path) for folder in map(installed, PRODUCT) for path in folder.rglob("*.py"))
    found = {
        str(path.relative_to(folder.parent))
        for folder, path in files
        if WRITES.search(path.read_text("utf-8"))
    }
    assert found == ELSEWHERE.keys()
