"""The thread that follows directories, told of changes by the kernel or looking by itself."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from room.sources.changes import Changes, Inotify, Polling, watch_changes
from room.sources.directories import Directories
from room.sources.events import EarlierLinesRead, LinesRead, SourceEvent
from room.sources.raw_clock import now_ns
from tests.support.logs import monkey_logs

LOG = max(monkey_logs(3, 60), key=len)
HOUR_NS = 3600 * 10**9
Followed = tuple[Directories, "SimpleQueue[SourceEvent]"]


def write(path: Path, lines: list[bytes]) -> None:
    """Append lines to a log."""
    with path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))


def next_lines(told: "SimpleQueue[SourceEvent]") -> LinesRead:
    """The next lines that are told."""
    while not isinstance(message := told.get(timeout=60), LinesRead):
        pass
    return message


def follow(paths: list[Path], changes: Callable[[], Changes]) -> Followed:
    """Follow directories."""
    told: SimpleQueue[SourceEvent] = SimpleQueue()
    found = Directories(paths, now_ns, changes)
    found.start(told.put)
    return found, told


@pytest.mark.parametrize("changes", [Inotify, Polling])
def test_a_growing_log_is_followed(
    tmp_path: Path, changes: Callable[[], Changes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the changes alone that the kernel tells, or by looking alone."""
    monkeypatch.setattr(Inotify, "interval_ns", HOUR_NS)
    monkeypatch.setattr(Polling, "interval_ns", 10**6)
    path = tmp_path / "2026-05-01T10-00-00-7.jsonl"
    write(path, LOG[:3])
    (tmp_path / "2026-04-01T10-00-00-7.jsonl").write_bytes(LOG[0] + b"\n")
    source, told = follow([tmp_path], changes)
    assert next_lines(told).lines == tuple(LOG[:3])
    while not isinstance(told.get(timeout=60), EarlierLinesRead):
        pass
    write(path, LOG[3:4])
    assert next_lines(told).lines == tuple(LOG[3:4])
    source.close()


def test_only_the_directory_that_has_changed_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are."""
    monkeypatch.setattr(Inotify, "interval_ns", HOUR_NS)
    paths = [tmp_path / name for name in ("7", "8")]
    for path in paths:
        path.mkdir()
        write(path / "log.jsonl", LOG[:1])
    source, told = follow(paths, Inotify)
    assert {next_lines(told).place.source for _ in paths} == {str(path) for path in paths}
    write(paths[1] / "log.jsonl", LOG[1:2])
    after = [next_lines(told), told.get(timeout=60)]
    source.close()
    while not told.empty():
        after.append(told.get())
    assert {message.place.source for message in after} == {str(paths[1])}


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    """What the kernel tells."""
    changes = Inotify()
    yield changes
    changes.close()


def test_a_directory_that_comes_back_is_watched_again(tmp_path: Path, inotify: Inotify) -> None:
    """The kernel's watch goes with the directory."""
    path = tmp_path / "stick"
    assert not inotify.watch(path, [])
    for _ in range(2):
        path.mkdir()
        assert inotify.watch(path, [])
        assert not inotify.watch(path, [])
        (path / "log.jsonl").touch()
        assert inotify.wait(60) == {path}
        (path / "log.jsonl").unlink()
        path.rmdir()
        assert inotify.wait(60) == {path}


def test_a_log_that_grows_is_a_change_and_a_checkpoint_is_none(
    tmp_path: Path, inotify: Inotify
) -> None:
    """A checkpoint is written twice a second, in its place."""
    log, checkpoint = tmp_path / "log.jsonl", tmp_path / "checkpoint"
    log.touch()
    checkpoint.touch()
    inotify.watch(tmp_path, [log])
    write(checkpoint, LOG[:1])
    assert inotify.wait(0) == set()
    write(log, LOG[:1])
    assert inotify.wait(60) == {tmp_path}


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


def test_where_the_kernel_tells_nothing_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows and macOS."""
    monkeypatch.setitem(sys.modules, "inotify_simple", None)
    assert isinstance(watch_changes(), Polling)


ELSEWHERE = """
import asyncio, os, sys, time, types, uvicorn
for name in ("fcntl", "termios", "tty", "gpiod", "inotify_simple"):
    sys.modules[name] = None
sys.modules["serial"] = types.SimpleNamespace(Serial=object, serial_for_url=None)
del os.fdatasync, os.posix_fadvise, os.O_NONBLOCK
del time.clock_gettime_ns, time.CLOCK_MONOTONIC_RAW
from pathlib import Path
from queue import SimpleQueue
from room.watch.watch import WatchError
from room.sources.raw_clock import now_ns
from room.sources.directories import Directories
from room.watch.watch import Options, Watch
told = SimpleQueue()
source = Directories([Path(sys.argv[1])], now_ns)
Watch(Options(port=0)).store.close()
source.start(told.put)
print(len(told.get(timeout=60).lines))
source.close()
"""


def test_a_folder_is_followed_without_what_only_linux_has(tmp_path: Path) -> None:
    """On a director's laptop with Windows or macOS."""
    write(tmp_path / "2026-05-01T10-00-00-7.jsonl", LOG[:3])
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")
