"""The thread that follows directories, whether changes are notified or looked for."""

import subprocess
import sys
from collections.abc import Callable
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
from room.web.watch import Options, Watch
told = SimpleQueue()
source = Directories([Path(sys.argv[1])], now_ns)
Watch(Options(port=0)).store.close()
source.start(told.put)
print(len(told.get(timeout=60).lines))
source.close()
"""


def test_a_folder_is_followed_without_what_only_linux_has(tmp_path: Path) -> None:
    write(tmp_path / "2026-05-01T10-00-00-7.jsonl", LOG[:3])
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")
