"""Starts that failed: told apart from a clock that was killed, so that a crash loop ends.

A program that falls over a match it cannot recover is started again and falls over it again. Each
failure is kept beside the logs with its instant, and after some within a minute another way is
taken (`opening`). The one rule: only what this program raised counts; a kill or a power cut is no
failure, and a failure of an earlier boot is forgotten.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clock.runtime.ports import TimeSource
from clock.match.rules import MINUTE_NS

FAILURES = "failures"  # the file: a line each, boot id and instant
RECENT_NS = MINUTE_NS


class Starts:
    """The failures of one clock."""

    def __init__(self, directory: Path, time: TimeSource) -> None:
        """Those that lie in its log directory, which need not exist yet."""
        self._path = directory / FAILURES
        self._time = time

    def failures(self) -> int:
        """How many there were on this boot within the last minute."""
        return len(self._recent())

    @contextmanager
    def watched(self, *expected: type[Exception]) -> Iterator[None]:
        """Have whatever is raised in here count as a failure; it is raised all the same.

        Args:
            expected: errors that a person has to see to; they do not count.
        """
        try:
            yield
        except expected:
            raise
        except Exception:
            self._failed()
            raise

    def _failed(self) -> None:
        """Keep one more; without a place to write there is nothing to be done."""
        lines = [*self._recent(), f"{self._time.boot} {self._time.now_ns()}"]
        with suppress(OSError), self._path.open("w", encoding="ascii") as file:
            file.write("".join(f"{line}\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())

    def _recent(self) -> list[str]:
        try:
            lines = self._path.read_text("ascii", errors="replace").splitlines()
        except OSError:
            return []
        return [line for line in lines if self._is_recent(line)]

    def _is_recent(self, line: str) -> bool:
        boot, _, at_ns = line.partition(" ")
        if boot != self._time.boot or not at_ns.isdecimal():
            return False
        return 0 <= self._time.now_ns() - int(at_ns) <= RECENT_NS
