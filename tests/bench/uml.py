"""A guest: a Linux kernel that is a process of this computer, and the agent inside it.

The one rule: no guest outlives its test, and none keeps it waiting: one that does not answer in
time is killed, and what it said last is in the error.
"""

import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench import session
from bench.kernel import kernel

INIT = Path(__file__).parent / "guest" / "init.sh"
MEMORY = "256M"
PATIENCE_S = 20.0  # for an answer, besides what the request itself takes
NICE = -10
# A guest has one processor. Its kernel and its programs are processes of this computer that take
# turns at each system call and each page; on one core that takes half the time that it may on two.
CORES = cycle(sorted(os.sched_getaffinity(0)))
LONGEST_LINE = 1024  # bytes; what is longer goes through a file
TOLD = 4000  # characters of what the guest said last, in an error


class GuestError(Exception):
    """The guest failed, or did not answer; with what it said last."""


class Guest:
    """A running guest. Its console is `console.txt` in its folder."""

    def __init__(
        self, folder: Path, python: str, arguments: Sequence[str] = (), *, time_travel: bool = False
    ) -> None:
        """Switch it on; returns when its agent answers.

        Args:
            folder: the guest may write there, and nowhere else on this computer.
            python: what the agent runs in; an environment is found by its path.
            arguments: for the kernel, such as "ubd0=disk".
            time_travel: whether time jumps to the next thing that happens.

        Raises:
            GuestError: it did not get that far.
        """
        self._folder = folder
        self._received = b""
        self._requests = 0  # that were too long for the line
        self._console = folder / "console.txt"
        self._socket, other = socket.socketpair()
        control = other.fileno()
        command = [
            *("setarch", "-R", str(kernel()), f"mem={MEMORY}", f"uml_dir={folder}"),
            *("rootfstype=hostfs", "rootflags=/", "ro", f"init={INIT}", "quiet"),
            *("con=null", "con0=fd:0,fd:1", "ssl=null", f"ssl1=fd:{control}"),
            *(["time-travel=inf-cpu"] if time_travel else []),
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
        with suppress(PermissionError):  # others' load is not the clock's
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE)
        os.sched_setaffinity(self._process.pid, {next(CORES)})
        try:
            self._answer("the guest's start", PATIENCE_S)
        except BaseException:
            self.kill()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def ask(self, word: str, takes_s: float = 0.0, **arguments: object) -> Any:
        """Have the agent do something; returns what it found.

        Args:
            word: a method of `bench.guest.agent.Agent`.
            takes_s: how long that takes by itself.
            arguments: the method's.

        Raises:
            GuestError: it failed, or there was no answer.
        """
        request = json.dumps({"word": word, **arguments}).encode()
        if len(request) > LONGEST_LINE:
            request = self._enveloped(request)
        self._socket.sendall(request + b"\n")
        return self._answer(word, takes_s + PATIENCE_S)

    @property
    def process(self) -> int:
        """Its number, which is its session's and its group's too."""
        return self._process.pid

    def kill(self) -> None:
        """Cut its power."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        session.end(self._process.pid)
        self._socket.close()

    def power_off(self) -> None:
        """Have it end by itself, with everything written."""
        self._socket.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            raise self._failed("it was not switched off in time") from late
        finally:
            self.kill()

    @property
    def said(self) -> str:
        """The end of what the guest and its clock said."""
        texts = [self._console, self._folder / "clock.txt"]
        return "\n".join(
            f"{path.name}: {path.read_text(errors='replace')[-TOLD:]}"
            for path in texts
            if path.exists()
        )

    # --- its parts ----------------------------------------------------------------------------

    def _environ(self, python: str) -> dict[str, str]:
        environ = {
            "BENCH_FOLDER": str(self._folder),
            "BENCH_PYTHON": python,
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }
        caches = os.environ.get("PYTHONPYCACHEPREFIX")
        return environ | ({"PYTHONPYCACHEPREFIX": caches} if caches else {})

    def _enveloped(self, request: bytes) -> bytes:
        """A long request goes into a file of its own: the guest may remember one it has read."""
        self._requests += 1
        path = self._folder / f"request-{self._requests}.json"
        path.write_bytes(request)
        return json.dumps({"file": path.name}).encode()

    def _answer(self, word: str, limit_s: float) -> Any:
        while b"\n" not in self._received:
            if not select.select([self._socket], [], [], limit_s)[0]:
                raise self._failed(f"no answer to {word!r} in {limit_s:.0f} s")
            data = self._socket.recv(1 << 16)
            if not data:
                raise self._failed(f"the guest ended at {word!r}")
            self._received += data
        line, self._received = self._received.split(b"\n", 1)
        answer: dict[str, Any] = json.loads(line)
        if "file" in answer:
            answer = json.loads((self._folder / answer["file"]).read_bytes())
        if "failed" in answer:
            raise GuestError(f"{word!r} failed in the guest: {answer['failed']}\n{self.said}")
        return answer["found"]

    def _failed(self, what: str) -> GuestError:
        self.kill()
        return GuestError(f"{what}; it was killed. {self.said}")
