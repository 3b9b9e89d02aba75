"""The thread that follows directories, whether changes are notified or looked for."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue

import pytest

from lab.support.logs import monkey_logs
from room.lines.events import EarlierLinesRead, LinesRead, SourceEvent
from room.sources.directories import Changes, Directories, Inotify, Polling
from room.sources.raw_clock import now_ns

LOG = max(monkey_logs(3, 60), key=len)


HOUR_NS = 3600 * 10**9


Followed = tuple[Directories, "SimpleQueue[SourceEvent]"]


def write(path: Path, lines: list[bytes]) -> None:
    """Append lines to a log."""
    with path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))


def next_lines(told: "SimpleQueue[SourceEvent]") -> LinesRead:
    while not isinstance(message := told.get(timeout=60), LinesRead):
        pass
    return message


def follow(paths: list[Path], changes: Callable[[], Changes]) -> Followed:
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
    before = len(list(Path("/proc/self/fd").iterdir()))
    write(path := tmp_path / "2026-05-01T10-00-00-7.jsonl", LOG[:3])
    for month in (2, 3, 4):
        write(tmp_path / f"2026-0{month}-01T10-00-00-7.jsonl", LOG[:1])
    source, told = follow([tmp_path], changes)
    assert next_lines(told).lines == tuple(LOG[:3])
    for _ in range(3):
        while not isinstance(told.get(timeout=60), EarlierLinesRead):
            pass
    write(path, LOG[3:4])
    assert next_lines(told).lines == tuple(LOG[3:4])
    assert "directories" in {each.name for each in threading.enumerate()}
    source.close()
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert "directories" not in {each.name for each in threading.enumerate()}


class Late(Polling):
    """A log grows while it is looked at; until then nothing is waited for."""

    interval_ns = HOUR_NS

    def __init__(self, path: Path) -> None:
        """Let the log at a path grow."""
        super().__init__()
        self.path, self.waits = path, SimpleQueue[float]()

    def watch(self, path: Path, files: Iterable[Path]) -> bool:  # noqa: ARG002
        """See `Changes`."""
        is_first = len(self.path.read_bytes().splitlines()) == 1
        if is_first:
            write(self.path, LOG[1:2])
        return is_first

    def wait(self, seconds: float) -> set[Path]:
        """See `Changes`."""
        self.waits.put(seconds)
        return super().wait(seconds)


def test_what_comes_between_a_look_and_the_watch_is_seen(tmp_path: Path) -> None:
    """Then it waits, and not before; to be woken is enough."""
    write(path := tmp_path / "2026-05-01T10-00-00-7.jsonl", LOG[:1])
    changes = Late(path)
    source, told = follow([tmp_path], lambda: changes)
    assert [next_lines(told).lines for _ in range(2)] == [(LOG[0],), (LOG[1],)]
    assert changes.waits.get(timeout=60) == 0
    assert changes.waits.get(timeout=60) > 0
    source.close()


def test_only_the_directory_that_has_changed_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


ELSEWHERE = """
import asyncio, os, sys, time, types, uvicorn
for name in ("fcntl", "termios", "tty", "gpiod", "inotify_simple"):
    sys.modules[name] = None
sys.modules["serial"] = types.SimpleNamespace(Serial=object, serial_for_url=None)
del os.fdatasync, os.posix_fadvise, os.O_NONBLOCK
del time.clock_gettime_ns, time.CLOCK_MONOTONIC_RAW
from pathlib import Path
from queue import SimpleQueue
from room.web.watch import WatchError
from room.sources.raw_clock import now_ns
from room.sources.directories import Directories
from room.web.watch import Options, Watch, listen
told = SimpleQueue()
source = Directories([Path(sys.argv[1])], now_ns)
Watch(Options(), listen("127.0.0.1", 0)).store.close()
source.start(told.put)
print(len(told.get(timeout=60).lines))
source.close()
"""


def test_a_folder_is_followed_without_what_only_linux_has(tmp_path: Path) -> None:
    write(tmp_path / "2026-05-01T10-00-00-7.jsonl", LOG[:3])
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")
