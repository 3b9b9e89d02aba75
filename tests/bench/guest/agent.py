"""The hands and eyes of a test inside the guest: does what it is told, one word after another.

A request is one line of JSON on a serial line that the clock does not know of: the word, and what
it is about. The answer is one line too: what was found, or how it failed. Waiting for a request
costs nothing, except when time travels: then it would fly on while the host thinks, so the agent
waits awake, which the guest's clock does not notice, and the world stands still.

The one rule: it ends with the test: when the line is closed, the guest is switched off.
"""

import ctypes
import fcntl
import json
import os
import struct
import subprocess
import sys
import termios
import time
import traceback
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.guest.command import Command
from bench.guest.lines import Lines, Move, raw_ns, sleep_until
from bench.guest.program import Program

CONTROL = "/dev/ttyS1"
FOLDER = Path("/run/test")
LONGEST_LINE = 1024  # bytes
GIVE_WAY = 20  # us; at the lowest priority that counts as 7 ms: everybody else is first
POWER_OFF = 0x4321FEDC  # reboot(2)


class Agent:
    """All that a test can have done; each public method is a word."""

    def __init__(self, *, travels: bool) -> None:
        """A guest in which nothing runs yet."""
        self._lines = Lines(travels=travels)
        self._program: Program | None = None
        self._command: Command | None = None
        self._load: list[subprocess.Popen[bytes]] = []

    # --- the table ----------------------------------------------------------------------------

    def play(self, moves: list[tuple[int, int, bool]]) -> list[tuple[int, int]]:
        """Move lines; see `Lines.play`."""
        return list(self._lines.play([Move(*move) for move in moves]))

    def wait(self, duration_ns: int) -> None:
        """Let time pass."""
        sleep_until(time.monotonic_ns() + duration_ns)

    def now(self) -> int:
        """The instant on the raw clock."""
        return raw_ns()

    def load(self, count: int) -> None:
        """Have programs run that do nothing but keep the processor busy; 0: none any more."""
        for busy in self._load:
            busy.kill()
            busy.wait()
        spin = [sys.executable, "-S", "-c", "while True: pass"]
        self._load = [subprocess.Popen(spin) for _ in range(count)]

    # --- the clock ----------------------------------------------------------------------------

    def start(self, command: list[str], environ: dict[str, str], log: str) -> None:
        """Start the clock; returns when it can be pressed."""
        self._program = Program(command, environ)
        self._program.wait_until_ready(Path(log), lambda: self._lines.claimed > 0)

    def signal(self, number: int) -> None:
        """Send the clock a signal."""
        self._clock.signal(number)

    def end(self, number: int) -> int:
        """Send the clock a signal that ends it; returns its exit code."""
        self._clock.signal(number)
        return self._clock.wait()

    def running(self) -> bool:
        """Whether the clock was started and has not ended."""
        return self._program is not None and self._program.running

    def figures(self) -> dict[str, int]:
        """What the clock has used so far."""
        return self._clock.figures()

    @property
    def _clock(self) -> Program:
        if self._program is None:
            raise LookupError("the clock was not started")
        return self._program

    # --- a keyboard ---------------------------------------------------------------------------

    def begin(self, command: list[str]) -> None:
        """Begin a command; the one before it must have ended."""
        self._command = Command(command)

    def hear(self, words: str) -> str:
        """What the command says until it has said these words."""
        return self._begun.hear(words)

    def enter(self) -> tuple[int, str]:
        """Press Enter; the command's exit code, and the rest of what it says."""
        return self._begun.enter()

    @property
    def _begun(self) -> Command:
        if self._command is None:
            raise LookupError("no command was begun")
        return self._command

    # --- files --------------------------------------------------------------------------------

    def read(self, path: str) -> str | None:
        """What is in a file; None if there is none."""
        return Path(path).read_text(encoding="utf-8") if Path(path).exists() else None

    def write(self, path: str, text: str) -> None:
        """Put a text into a file, in one step."""
        new = Path(path + ".new")
        new.write_text(text, encoding="utf-8")
        new.rename(path)

    def run(self, command: list[str]) -> str:
        """Run a program to its end; returns all that it said."""
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode:
            raise OSError(f"{command} ended with {done.returncode}: {done.stdout}")
        return done.stdout


def serve(agent: Agent, control: int, *, travels: bool) -> None:
    """Answer requests until the line is closed."""
    received = b""
    while data := _received(control, travels=travels):
        *requests, received = (received + data).split(b"\n")
        for request in requests:
            _send(control, _answer(agent, _opened(json.loads(request))))


def _received(control: int, *, travels: bool) -> bytes:
    if travels:
        _stand_still(control)
    try:
        return os.read(control, 1 << 16)
    except OSError:
        return b""


def _stand_still(control: int) -> None:
    """Wait awake for a request; whoever else has anything to do comes first.

    Who was woken before this moment has not had a turn yet, and there is no tick to give him one
    while time stands still. Each system call that fails takes 1 us, for just such cases.
    """
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    for _ in range(GIVE_WAY):
        with suppress(OSError):
            os.close(-1)
    while not _waiting(control):
        pass
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _waiting(control: int) -> int:
    """How many bytes there are to read. Asking takes no time, even when time travels."""
    count: int = struct.unpack("i", fcntl.ioctl(control, termios.FIONREAD, bytes(4)))[0]
    return count


def _answer(agent: Agent, request: dict[str, Any]) -> bytes:
    word: Callable[..., object] = getattr(agent, request.pop("word"))
    try:
        answer = {"found": word(**request)}
    except Exception:  # noqa: BLE001 (the test is told)
        answer = {"failed": traceback.format_exc()}
    return _enveloped(json.dumps(answer).encode())


def _opened(request: dict[str, Any]) -> dict[str, Any]:
    """A long request is in a file."""
    if "file" not in request:
        return request
    opened: dict[str, Any] = json.loads((FOLDER / request["file"]).read_bytes())
    return opened


def _enveloped(answer: bytes) -> bytes:
    """A long answer goes into a file: UML's lines may stop for ever when a buffer fills."""
    if len(answer) > LONGEST_LINE:
        (FOLDER / "answer.json").write_bytes(answer)
        answer = b'{"file": "answer.json"}'
    return answer + b"\n"


def _send(control: int, data: bytes) -> None:
    while data:
        data = data[os.write(control, data) :]


def main() -> None:
    """Be the agent of this guest."""
    travels = "time-travel=inf-cpu" in Path("/proc/cmdline").read_text(encoding="ascii")
    control = os.open(CONTROL, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(control)
    try:
        agent = Agent(travels=travels)
        _send(control, b'{"found": "ready"}\n')
        serve(agent, control, travels=travels)
    finally:
        os.sync()
        ctypes.CDLL(None).reboot(POWER_OFF)


if __name__ == "__main__":
    main()
