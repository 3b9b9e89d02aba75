"""The clock as a process of the guest, and programs beside it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from lab.bench.guest.lines import raw_ns, sleep_until

FOLDER = Path("/run/test")  # on the host, so that output outlives a power cut
OUTPUT = FOLDER / "clock.txt"

POLL_NS = 10_000_000  # between two checks whether the clock is ready
SETTLE_NS = 300_000_000  # from then until the clock waits for a press
LONGEST_START_NS = 60_000_000_000


class Program:
    """A clock that has been started, or another program."""

    def __init__(self, name: str, command: list[str], environ: dict[str, str]) -> None:
        """Start it; its output goes to NAME.txt in the test's folder."""
        with (FOLDER / f"{name}.txt").open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=os.environ | environ,
                cwd="/run",
            )

    def wait_until_ready(self, log: Path, listens: Callable[[], bool]) -> None:
        """Wait until the clock listens to its buttons and its log has a line of this boot.

        Raises:
            TimeoutError: it was not ready in time.
            ChildProcessError: it ended.
        """
        boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
        give_up_ns = time.monotonic_ns() + LONGEST_START_NS
        while not (listens() and log.exists() and boot in log.read_bytes()):
            if self._process.poll() is not None:
                raise ChildProcessError(
                    f"the clock ended with {self._process.returncode}: {OUTPUT.read_text()}"
                )
            if time.monotonic_ns() > give_up_ns:
                raise TimeoutError(f"the clock opened no match: {OUTPUT.read_text()}")
            sleep_until(time.monotonic_ns() + POLL_NS)
        sleep_until(time.monotonic_ns() + SETTLE_NS)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._process.send_signal(signal.Signals(number))

    @property
    def running(self) -> bool:
        """Whether it is still running."""
        return self._process.poll() is None

    def wait(self) -> int:
        """Wait until it has ended; return its exit code."""
        return self._process.wait()

    def figures(self) -> dict[str, int]:
        """Return the processor time, context switches, memory, descriptors and threads it uses."""
        folder = Path("/proc") / str(self._process.pid)
        status = [
            dict(line.split(":", 1) for line in text.splitlines())
            for text in (path.read_text() for path in folder.glob("task/*/status"))
        ]
        switches = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
        return {
            "at_ns": raw_ns(),
            "cpu_ns": time.clock_gettime_ns(~self._process.pid << 3 | 2),  # CPUCLOCK_SCHED
            "switches": sum(int(task[name]) for task in status for name in switches),
            "memory_bytes": int(status[0]["VmRSS"].split()[0]) * 1024,
            "descriptors": len(list((folder / "fd").iterdir())),
            "threads": len(status),
        }
