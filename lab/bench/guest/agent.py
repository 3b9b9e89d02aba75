"""The agent inside the guest, which carries out a test's requests one after another.

A request is one line of JSON on a second serial line: a method of `Agent` and its arguments. The
answer is one line too: the result, or a traceback. In real time the agent sleeps until a request
comes. In time travel a sleep would let time jump on while the host works, so the agent polls
instead, which takes no time on the guest's clock.
"""

import ctypes
import fcntl
import json
import os
import socket
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

from lab.bench.guest.command import Command
from lab.bench.guest.lines import GpioBank, LineMove, raw_ns, sleep_until
from lab.bench.guest.program import Program
from lab.bench.guest.slew import slew_monotonic

CONTROL = "/dev/ttyS1"
FOLDER = Path("/run/test")
LONGEST_LINE = 1024  # bytes
YIELDS = 20  # us; at the lowest priority that counts as 7 ms, so that all others run first
POWER_OFF = 0x4321FEDC  # reboot(2)

CLOCK = "clock"  # the name of the program that is tested; others run beside it
SET_FLAGS = 0x8914  # SIOCSIFFLAGS
NETWORK_FLAGS = struct.Struct("16sh14x")  # struct ifreq: an interface's name and flags
UP = 1 << 0  # IFF_UP


class Agent:
    """What a test can request; each public method is one request."""

    def __init__(self, *, travels: bool) -> None:
        """Make the GPIO bank.

        Args:
            travels: whether time travels.
        """
        self._lines = GpioBank(travels=travels)
        self._programs: dict[str, Program] = {}
        self._command: Command | None = None
        self._load: list[subprocess.Popen[bytes]] = []

    # --- lines and time -----------------------------------------------------------------------

    def play(
        self, moves: list[tuple[int, int, bool]], *, polls: bool = True
    ) -> list[tuple[int, int]]:
        """Move lines; see `GpioBank.play`."""
        return list(self._lines.play([LineMove(*move) for move in moves], polls=polls))

    def wait(self, duration_ns: int) -> None:
        """Let time pass."""
        sleep_until(time.monotonic_ns() + duration_ns)

    def now(self) -> int:
        """Return the instant on the raw clock."""
        return raw_ns()

    def slew(self, parts: int) -> None:
        """Let CLOCK_MONOTONIC gain so many of 10,000 parts, as NTP does; negative: lose."""
        slew_monotonic(parts)

    def clocks(self) -> tuple[int, int]:
        """Return the instants on CLOCK_MONOTONIC and on the raw clock."""
        return time.monotonic_ns(), raw_ns()

    def load(self, count: int) -> None:
        """Run `count` programs that keep the processor busy, in place of those before."""
        for busy in self._load:
            busy.kill()
            busy.wait()
        spin = [sys.executable, "-S", "-c", "while True: pass"]
        self._load = [subprocess.Popen(spin) for _ in range(count)]

    # --- the clock, and programs beside it ------------------------------------------------------

    def start(self, command: list[str], environ: dict[str, str], log: str) -> None:
        """Start the clock, and wait until it is ready for presses."""
        program = self._programs[CLOCK] = Program(CLOCK, command, environ)
        program.wait_until_ready(Path(log), lambda: self._lines.claimed > 0)

    def launch(self, name: str, command: list[str], environ: dict[str, str]) -> None:
        """Start a program beside the clock, under a name; one of this name must have ended."""
        self._programs[name] = Program(name, command, environ)

    def signal(self, number: int, name: str = CLOCK) -> None:
        """Send a program a signal."""
        self._named(name).signal(number)

    def end(self, number: int, name: str = CLOCK) -> int:
        """Send a program a signal that ends it; return its exit code."""
        self._named(name).signal(number)
        return self._named(name).wait()

    def running(self, name: str = CLOCK) -> bool:
        """Return whether a program was started and has not ended."""
        return name in self._programs and self._programs[name].running

    def figures(self, name: str = CLOCK) -> dict[str, int]:
        """Return what a program has used so far."""
        return self._named(name).figures()

    def _named(self, name: str) -> Program:
        if name not in self._programs:
            raise LookupError(f"the {name} was not started")
        return self._programs[name]

    def raise_loopback(self) -> None:
        """Let programs of the guest reach each other at 127.0.0.1."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anything:
            fcntl.ioctl(anything, SET_FLAGS, NETWORK_FLAGS.pack(b"lo", UP))

    # --- a keyboard ---------------------------------------------------------------------------

    def begin(self, command: list[str]) -> None:
        """Start a command; the one before it must have ended."""
        self._command = Command(command)

    def hear(self, words: str) -> str:
        """Return the command's output up to these words."""
        return self._begun.hear(words)

    def enter(self) -> tuple[int, str]:
        """Press Enter; return the command's exit code and the rest of its output."""
        return self._begun.enter()

    @property
    def _begun(self) -> Command:
        if self._command is None:
            raise LookupError("no command was begun")
        return self._command

    # --- files --------------------------------------------------------------------------------

    def read(self, path: str) -> str | None:
        """Return the contents of a file; None if it does not exist."""
        return Path(path).read_text(encoding="utf-8") if Path(path).exists() else None

    def write(self, path: str, text: str) -> None:
        """Replace the contents of a file atomically."""
        new = Path(path + ".new")
        new.write_text(text, encoding="utf-8")
        new.rename(path)

    def run(self, command: list[str]) -> str:
        """Run a program to its end; return its output.

        Raises:
            OSError: it failed.
        """
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if done.returncode:
            raise OSError(f"{command} ended with {done.returncode}: {done.stdout}")
        return done.stdout


def serve(agent: Agent, control: int, *, travels: bool) -> None:
    """Answer requests until the line is closed."""
    received = b""
    while data := _receive(control, travels=travels):
        *requests, received = (received + data).split(b"\n")
        for request in requests:
            _send(control, _answer(agent, _request_of(json.loads(request))))


def _receive(control: int, *, travels: bool) -> bytes:
    if travels:
        _poll(control)
    try:
        return os.read(control, 1 << 16)
    except OSError:
        return b""


def _poll(control: int) -> None:
    """Poll for a request, after all other threads have done what they can.

    A thread that was woken just now has not run yet, and no timer tick lets it run while time
    stands still. So the agent lowers its priority, and makes system calls that fail: in time travel
    each of them takes 1 us.
    """
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    for _ in range(YIELDS):
        with suppress(OSError):
            os.close(-1)
    while not _waiting(control):
        pass
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def _waiting(control: int) -> int:
    """Return how many bytes can be read. In time travel this call takes no time."""
    count: int = struct.unpack("i", fcntl.ioctl(control, termios.FIONREAD, bytes(4)))[0]
    return count


def _answer(agent: Agent, request: dict[str, Any]) -> bytes:
    method: Callable[..., object] = getattr(agent, request.pop("method"))
    try:
        answer = {"found": method(**request)}
    except Exception:  # noqa: BLE001 (it goes to the test)
        answer = {"failed": traceback.format_exc()}
    return _via_file(json.dumps(answer).encode())


def _request_of(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request, from its file if it was too long for the line."""
    if "file" not in request:
        return request
    opened: dict[str, Any] = json.loads((FOLDER / request["file"]).read_bytes())
    return opened


def _via_file(answer: bytes) -> bytes:
    """Put a long answer into a file: UML's serial lines may block for ever on a full buffer."""
    if len(answer) > LONGEST_LINE:
        (FOLDER / "answer.json").write_bytes(answer)
        answer = b'{"file": "answer.json"}'
    return answer + b"\n"


def _send(control: int, data: bytes) -> None:
    while data:
        data = data[os.write(control, data) :]


def main() -> None:
    """Serve requests, then switch the guest off."""
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
