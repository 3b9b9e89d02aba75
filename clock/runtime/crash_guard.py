"""Count failed starts, so that a match that crashes the program does not do so for ever.

Each failure is kept beside the logs with its instant. After several within a minute, `startup`
takes another way. Exceptions of this program count, and starts that did not end: the service
manager killed them because they took too long, or the kernel because memory ran out. A start is
therefore noted before it begins, and the note is removed after it. Failures of an earlier boot are
forgotten, so the file need not survive a power cut.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from clock.files import replace_file
from clock.runtime.ports import TimeSource
from clock.storage.disk import DISK
from clock.units import MINUTE_NS

MAX_BYTES = 1 << 16  # a file with more is none of ours
FAILURES = "failures"  # the file: a line each, boot id and instant, and STARTING if it did not end
RECENT_NS = MINUTE_NS
STARTING = "starting"
UNFINISHED_NS = 5 * MINUTE_NS  # since they began: six starts of TimeoutStartSec= each, and more


class CrashGuard:
    """The recent failures of one clock, in a file of its log directory, which need not exist."""

    def __init__(self, directory: Path, time: TimeSource) -> None:
        self._path = directory / FAILURES
        self._time = time
        self._own = ""  # the note of the present start

    def recent_failures(self) -> int:
        """Return how many failures there were on this boot within the last minute."""
        return len([line for line in self._recent() if line != self._own])

    @contextmanager
    def record_start(self, *expected: type[Exception]) -> Iterator[None]:
        """Count a failure also if the process is killed in the block; see `record_failures`."""
        before = self._recent()
        self._own = f"{self._line()} {STARTING}"
        self._write([*before, self._own])
        try:
            with self.record_failures(*expected):
                yield
        finally:
            self._write([line for line in self._recent() if line != self._own])

    @contextmanager
    def record_failures(self, *expected: type[Exception]) -> Iterator[None]:
        """Count an exception in the block as a failure, and raise it on.

        Errors that are expected do not count: a person has to act on them.
        """
        try:
            yield
        except expected:
            raise
        except Exception:
            self._record()
            raise

    def _record(self) -> None:
        self._write([*self._recent(), self._line()])

    def _line(self) -> str:
        return f"{self._time.boot} {self._time.now_ns()}"

    def _write(self, lines: Sequence[str]) -> None:
        """Write the file, if it can be written; without lines remove it."""
        with suppress(OSError):
            if lines:
                content = "".join(f"{line}\n" for line in lines).encode("ascii")
                replace_file(self._path, content, durable=False)
            else:
                self._path.unlink()

    def _recent(self) -> list[str]:
        try:
            content = DISK.read_file(self._path, MAX_BYTES)
        except OSError:
            return []
        lines = content.decode("ascii", "replace").splitlines()
        return [line for line in lines if self._is_recent(line)]

    def _is_recent(self, line: str) -> bool:
        boot, at_ns, *starting = [*line.split(" "), ""]
        if boot != self._time.boot or not at_ns.isdecimal():
            return False
        age_ns = self._time.now_ns() - int(at_ns)
        return 0 <= age_ns <= (UNFINISHED_NS if STARTING in starting else RECENT_NS)
