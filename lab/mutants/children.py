"""Child processes, each of which tries one fault and tells which tests notice it."""

import contextlib
import ctypes
import os
import resource
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Never, TypeVar

SILENT_NS = 60 * 10**9  # a child that says nothing for so long waits for what never comes
MEMORY_BYTES = 3 * 2**30  # a fault that fills the memory ends with a MemoryError
PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>
TEST_S = 10  # processor time of one test, at the least; see `starts`
SLOWER = 10  # times what the test takes without a fault


@dataclass
class Outcome:
    """What became of one fault."""

    noticed: list[str] = field(default_factory=list)
    """The tests that failed."""
    is_hanging: bool = False
    """Whether a test did not end."""
    seconds: float = 0
    """Processor time."""
    latest: str = ""
    """The test that began last."""


class Report:
    """What a child tells."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def starts(self, test: str, usual_s: float = 0) -> None:
        """Tell which test begins, and limit its processor time."""
        signal.setitimer(signal.ITIMER_PROF, TEST_S + SLOWER * usual_s)
        os.write(self._descriptor, f"starts\t{test}\n".encode())

    def noticed(self, test: str) -> None:
        """Tell which test has noticed the fault."""
        os.write(self._descriptor, f"noticed\t{test}\n".encode())


Work = Callable[[Report], None]
Task = TypeVar("Task")


class _Child:
    def __init__(self, work: Work) -> None:
        self.outcome = Outcome()
        self._scratch = tempfile.mkdtemp(prefix="mutants-")
        Path(self._scratch).chmod(0o755)  # servers that tests start run as another user
        self.pipe, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            _be_child(work, writing, self._scratch)
        os.close(writing)
        self.heard_ns = time.monotonic_ns()
        self._rest = ""

    def hear(self) -> bool:
        """Take in what the child has written; return whether it is still there."""
        data = os.read(self.pipe, 65536).decode()
        self.heard_ns = time.monotonic_ns()
        *lines, self._rest = (self._rest + data).split("\n")
        for line in lines:
            word, _, test = line.partition("\t")
            if word == "noticed":
                self.outcome.noticed.append(test)
            self.outcome.latest = test
        return bool(data)

    def end(self) -> Outcome:
        """Kill the child, if it has not ended, with all that it started."""
        is_silent = time.monotonic_ns() - self.heard_ns > SILENT_NS
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL if is_silent else 0)
        _, status, usage = os.wait4(self._pid, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        os.close(self.pipe)
        shutil.rmtree(self._scratch, ignore_errors=True)
        outcome = self.outcome
        outcome.seconds = usage.ru_utime + usage.ru_stime
        code = os.waitstatus_to_exitcode(status)
        outcome.is_hanging = is_silent or code == -signal.SIGPROF
        assert code == 0 or outcome.latest, "a fault could not be put in; MUTANTS_OUTPUT=1 says why"
        if code != 0 and outcome.latest not in outcome.noticed:
            outcome.noticed.append(outcome.latest)
        return outcome


def _be_child(work: Work, writing: int, scratch: str) -> Never:
    """Do the work in a session and folder of its own, and end."""
    code = 1
    try:
        os.setsid()
        end_with_parent()
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in () if os.environ.get("MUTANTS_OUTPUT") else (0, 1, 2):
            os.dup2(silent, descriptor)
        os.environ["TMPDIR"] = os.environ["PYTEST_DEBUG_TEMPROOT"] = tempfile.tempdir = scratch
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        work(Report(writing))
        code = 0
    except BaseException:  # noqa: BLE001 - nothing above may go on in this process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def end_with_parent() -> None:
    """Have this process killed when its parent ends, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def outcomes(tasks: Iterable[tuple[Task, Work]], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Do all work, each in a child, and yield what became of it."""
    waiting, running = iter(tasks), selectors.DefaultSelector()
    while True:
        while len(running.get_map()) < jobs and (task := next(waiting, None)) is not None:
            child = _Child(task[1])
            running.register(child.pipe, selectors.EVENT_READ, (task[0], child))
        if not running.get_map():
            return
        ready = {key.fd for key, _ in running.select(timeout=1)}
        for key in list(running.get_map().values()):
            task, child = key.data
            if key.fd in ready and child.hear():
                continue
            if key.fd in ready or time.monotonic_ns() - child.heard_ns > SILENT_NS:
                running.unregister(key.fd)
                yield task, child.end()
