"""One file of a log: it grows, and after one failure it is never written to again."""

import errno
from pathlib import Path

import pytest

from clock.storage import segment
from clock.storage.segment import Segment
from lab.support.faulty_disk import SHORT, FaultyDisk

DATA = b"a line\n"


@pytest.fixture
def disk(tmp_path: Path) -> FaultyDisk:
    return FaultyDisk(tmp_path)


def created(disk: FaultyDisk, path: Path) -> Segment:
    """A file with one line."""
    made = Segment(path, disk)
    made.create()
    made.append(DATA)
    return made


@pytest.mark.rule("R84")
@pytest.mark.parametrize(
    ("call", "number", "suspect"),
    [("write", errno.EIO, True), ("write", SHORT, False), ("sync_data", errno.EIO, True)],
)
def test_a_file_that_has_failed_is_never_written_to_again(
    tmp_path: Path, disk: FaultyDisk, call: str, number: int, suspect: bool
) -> None:
    """R84: what was saved is read back; a failed sync makes what follows suspect."""
    file = created(disk, tmp_path / "log")
    disk.failing[call] = [number]
    for _ in range(2):
        with pytest.raises(OSError, match=r"error|space|descriptor"):
            file.append(DATA)
    assert disk.named("write") == ["write"] * 2
    assert (file.is_open, file.sync_failed) == (False, suspect)
    assert file.read_back() == DATA


def test_space_is_reserved_ahead(
    tmp_path: Path, disk: FaultyDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a match has room when others fill the disk."""
    created(disk, tmp_path / "first")
    assert [call.args[1] for call in disk.calls if call.name == "reserve"] == [2**20 + len(DATA)]
    disk.calls.clear()
    monkeypatch.setattr(segment, "RESERVE_BYTES", 3 * len(DATA))
    file = created(disk, tmp_path / "log")
    for _ in range(8):
        file.append(DATA)
    sizes = [call.args[1] // len(DATA) for call in disk.calls if call.name == "reserve"]
    assert sizes == [4, 8, 12]
    assert (tmp_path / "log").stat().st_size == 9 * len(DATA)
    file.close()
    assert "truncate" in disk.named("truncate")
