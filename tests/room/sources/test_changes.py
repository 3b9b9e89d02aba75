"""Changes of directories: notified by the kernel, or looked for again and again."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.support.logs import monkey_logs
from room.sources.directories import Inotify, Polling, watch_changes

LOG = max(monkey_logs(3, 60), key=len)


def write(path: Path, lines: list[bytes]) -> None:
    """Append lines to a log."""
    with path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    before = len(list(Path("/proc/self/fd").iterdir()))
    changes = Inotify()
    yield changes
    changes.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_a_directory_that_comes_back_is_watched_again(tmp_path: Path, inotify: Inotify) -> None:
    """The kernel's watch goes with the directory, and so do those of its logs."""
    path, log = tmp_path / "stick", tmp_path / "stick" / "log.jsonl"
    assert not inotify.watch(path, [])
    for name in ("a", "b"):
        path.mkdir()
        assert inotify.watch(path, [])
        assert not inotify.watch(path, [])
        log.touch()
        assert inotify.wait(60) == {path}
        assert inotify.watch(path, [log])
        path.rename(tmp_path / name)
        assert inotify.wait(60) == {path}
        write(tmp_path / name / log.name, LOG[:1])
        assert inotify.wait(0) == set()
    path.mkdir()
    assert inotify.watch(path, [])
    path.rmdir()
    assert inotify.wait(60) == {path}


def test_a_log_that_grows_is_a_change_and_a_checkpoint_is_none(
    tmp_path: Path, inotify: Inotify
) -> None:
    log, checkpoint = tmp_path / "log.jsonl", tmp_path / "checkpoint"
    log.touch()
    checkpoint.touch()
    inotify.watch(tmp_path, [log])
    write(checkpoint, LOG[:1])
    assert inotify.wait(0) == set()
    for line in LOG[:2]:
        write(log, [line])
        assert inotify.wait(60) == {tmp_path}
    checkpoint.unlink()
    assert inotify.wait(60) == {tmp_path}
    assert inotify.watch(log, [log])  # a source of its own
    write(log, LOG[1:2])
    assert inotify.wait(60) >= {log}


def test_a_log_in_the_place_of_another_is_watched(tmp_path: Path, inotify: Inotify) -> None:
    """The kernel watches files, not their names."""
    log, other = tmp_path / "log.jsonl", tmp_path / "other"
    log.touch()
    inotify.watch(tmp_path, [log])
    with log.open("rb"):  # as whoever follows it does
        other.touch()
        other.rename(log)
        assert inotify.wait(60) == {tmp_path}
        assert inotify.watch(tmp_path, [log])
        write(log, LOG[:1])
        assert inotify.wait(60) == {tmp_path}


def test_the_log_of_an_earlier_match_is_not_watched_any_more(
    tmp_path: Path, inotify: Inotify
) -> None:
    """The kernel has not as many watches as there may be matches."""
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.touch()
    second.touch()
    inotify.watch(tmp_path, [first])
    inotify.watch(tmp_path, [second])
    write(first, LOG[:1])
    assert inotify.wait(0) == set()
    watches = Path(f"/proc/self/fdinfo/{inotify._inotify.fileno()}").read_text()
    assert watches.count("inotify wd") == 2


def test_where_the_kernel_tells_nothing_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    assert isinstance(watch_changes(), Polling)
