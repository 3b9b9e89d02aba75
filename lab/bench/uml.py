"""A guest: a Linux kernel that runs as processes of this computer, and the agent inside it.

No guest outlives its test. A guest that does not answer in time is killed; the error quotes its
last output.
"""

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from lab.bench import session
from lab.bench.closing import Closing
from lab.bench.kernel import kernel
from lab.support.paths import ROOT

INIT = Path(__file__).parent / "guest" / "init.sh"
MEMORY = "256M"
PATIENCE_S = 60.0  # for an answer, in addition to the time that the request itself takes
NICE = -10
# A guest has one processor. Its kernel and its programs are processes of this computer that hand
# over to each other at each system call and each page fault. On one core that takes half the time.
# Processes that run tests beside each other ("gw0", "gw1") begin with different cores.
FIRST_CORE = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
CORES = sorted(os.sched_getaffinity(0))
guests = count(FIRST_CORE)  # the numbers of those that are started
LONGEST_LINE = 1024  # bytes; longer requests go through a file
OUTPUT_TAIL = 4000  # characters of output that an error quotes


class GuestError(Exception):
    """The guest failed or did not answer; the message quotes its last output."""


class Guest(Closing):
    """A running guest. Its console output goes to `console.txt` in its folder."""

    def __init__(
        self,
        folder: Path,
        python: str,
        arguments: Sequence[str] = (),
        *,
        time_travel: bool = False,
        battery: bool = False,
    ) -> None:
        """Start the guest and wait until its agent answers.

        Args:
            folder: the only folder of this computer in which the guest may write.
            python: the path of the agent's Python interpreter.
            arguments: more arguments for the kernel, such as "ubd0=disk".
            time_travel: whether time jumps to the next event.
            battery: whether the kernel's test battery is there.

        Raises:
            GuestError: the guest did not start.
        """
        self._folder = folder
        self._received = b""
        self._requests = 0  # requests that were too long for the line
        self._console = folder / "console.txt"
        self._socket, other = socket.socketpair()
        control = other.fileno()
        command = [
            *("setarch", "-R", str(kernel()), f"mem={MEMORY}", f"uml_dir={folder}"),
            *("rootfstype=hostfs", "rootflags=/", "ro", f"init={INIT}", "quiet"),
            *("con=null", "con0=fd:0,fd:1", "ssl=null", f"ssl1=fd:{control}"),
            *(["time-travel=inf-cpu"] if time_travel else []),
            *([] if battery else ["initcall_blacklist=test_power_init"]),
            *arguments,
            *(f'{name}="{value}"' for name, value in self._environ(python).items()),
        ]
        with self._console.open("ab") as console, other:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                pass_fds=[control],
                start_new_session=True,
                env=dict(os.environ),
            )
        with suppress(PermissionError):  # so that other programs disturb the clock less
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE)
        os.sched_setaffinity(self._process.pid, {CORES[next(guests) % len(CORES)]})
        try:
            self._answer("the guest's start", PATIENCE_S)
        except BaseException:
            self.kill()
            raise

    def close(self) -> None:
        """Kill the guest."""
        self.kill()

    def ask(self, method: str, takes_s: float = 0.0, **arguments: object) -> Any:
        """Have the agent call one of its methods; return the result.

        Args:
            method: a method of `lab.bench.guest.agent.Agent`.
            takes_s: how long the call itself takes, in seconds.
            arguments: the arguments of the method.

        Raises:
            GuestError: the call failed, or there was no answer in time.
        """
        request = json.dumps({"method": method, **arguments}).encode()
        if len(request) > LONGEST_LINE:
            request = self._via_file(request)
        self._socket.sendall(request + b"\n")
        return self._answer(method, takes_s + PATIENCE_S)

    @property
    def process(self) -> int:
        """The id of the guest's process, session and process group."""
        return self._process.pid

    def kill(self) -> None:
        """Cut the power: kill all processes of the guest at once."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        session.end(self._process.pid)
        self._socket.close()

    def power_off(self) -> None:
        """Have the guest sync its files and end by itself."""
        self._socket.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            raise self._killed_error("it was not switched off in time") from late
        finally:
            self.kill()

    @property
    def output(self) -> str:
        """The last output of the guest's kernel and of its clock."""
        texts = [self._console, self._folder / "clock.txt"]
        return "\n".join(
            f"{path.name}: {path.read_text(errors='replace')[-OUTPUT_TAIL:]}"
            for path in texts
            if path.exists()
        )

    # --- its parts ----------------------------------------------------------------------------

    def _environ(self, python: str) -> dict[str, str]:
        environ = {
            "BENCH_FOLDER": str(self._folder),
            "BENCH_PYTHON": python,
            "PYTHONPATH": str(ROOT),
        }
        caches = os.environ.get("PYTHONPYCACHEPREFIX")
        return environ | ({"PYTHONPYCACHEPREFIX": caches} if caches else {})

    def _via_file(self, request: bytes) -> bytes:
        """Put a long request into a new file; the guest may have cached one that it has read."""
        self._requests += 1
        path = self._folder / f"request-{self._requests}.json"
        path.write_bytes(request)
        return json.dumps({"file": path.name}).encode()

    def _answer(self, method: str, limit_s: float) -> Any:
        while b"\n" not in self._received:
            if not select.select([self._socket], [], [], limit_s)[0]:
                raise self._killed_error(f"no answer to {method!r} in {limit_s:.0f} s")
            data = self._socket.recv(1 << 16)
            if not data:
                raise self._killed_error(f"the guest ended at {method!r}")
            self._received += data
        line, self._received = self._received.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        if "file" in answer:
            answer = json.loads((self._folder / answer["file"]).read_bytes())
        if "failed" in answer:
            raise GuestError(f"{method!r} failed in the guest: {answer['failed']}\n{self.output}")
        return answer["found"]

    def _killed_error(self, what: str) -> GuestError:
        self.kill()
        return GuestError(f"{what}; it was killed. {self.output}")
