"""The simulated clock on a real terminal: it ends with it, and the match is resumed."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.support import other_system

LIMIT_S = 120  # of a program that does not end, on a busy machine
COMMAND = [sys.executable, "-m", "gammonclock", "run", "--simulate"]
LIKE_MAKE = ["sh", "-c", 'trap : HUP; "$@"; exit $?', "sh"]  # waits, and passes no SIGHUP on
RESTORED = b"\x1b[?1049l"  # out of the alternate screen


class Window:
    """A terminal window with the clock in it."""

    def __init__(self, state: Path, before: list[str], command: list[str]) -> None:
        """Start the clock, and wait until it is on the screen."""
        self.master, slave = os.openpty()
        self.attributes = termios.tcgetattr(slave)
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
        self.program = subprocess.Popen(
            [*before, *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ | {"XDG_STATE_HOME": str(state)},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(slave)
        self.seen = b""
        while b"LEFT" not in self.seen:
            self.seen += os.read(self.master, 65536)  # an error if it ends before

    def close(self) -> int:
        """Close the window; return the exit code of what runs in it."""
        os.close(self.master)
        self.master = -1
        return self.program.wait(LIMIT_S)

    def kill(self, number: int) -> tuple[bytes, list[object]]:
        """Send a signal; return what is shown after it, and the terminal's attributes."""
        os.kill(self.program.pid, number)
        shown = b""
        while RESTORED not in shown:
            shown += os.read(self.master, 65536)  # an error if it ends before
        self.program.wait(LIMIT_S)
        return shown, termios.tcgetattr(self.master)


@contextmanager
def window(state: Path, before: list[str], command: list[str] = COMMAND) -> Iterator[Window]:
    """Open a window; whatever happens, nothing is left of it."""
    opened = Window(state, before, command)
    try:
        yield opened
    finally:
        if opened.master >= 0:
            os.close(opened.master)
        if opened.program.poll() is None:
            os.killpg(opened.program.pid, signal.SIGKILL)
            opened.program.wait()


@pytest.mark.slow
@pytest.mark.parametrize("before", [[], LIKE_MAKE], ids=["alone", "make"])
def test_the_clock_ends_with_its_window_and_the_match_is_resumed(
    tmp_path: Path, before: list[str]
) -> None:
    """Also if another process does not pass SIGHUP on, as `make` does not; no folder is taken."""
    for _ in range(2):
        with window(tmp_path, before) as opened:
            assert opened.close() == 0
    [log] = [path for path in (tmp_path / "gammonclock").glob("2*.jsonl") if path.stat().st_size]
    events = [json.loads(line)["event"] for line in log.read_bytes().splitlines()]
    assert events.count("match_opened") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: int) -> None:
    """Its screen, its cursor and its line discipline; the exit code is that of `q`."""
    with window(tmp_path, []) as opened:
        shown, attributes = opened.kill(number)
        assert RESTORED in shown
        assert attributes == opened.attributes
        assert opened.program.returncode == 0


@pytest.mark.slow
def test_it_runs_without_what_macos_lacks(tmp_path: Path) -> None:
    """The whole program, with its log; a serial port only fails, and is reported."""
    config = tmp_path / "clock.toml"
    config.write_text('[log]\nserial = "/dev/does-not-exist"\n', encoding="utf-8")
    command = [sys.executable, other_system.__file__, "darwin", *COMMAND[3:], "--config", config]
    with window(tmp_path, [], [*map(str, command)]) as opened:
        assert opened.close() == 0
    [log] = [path for path in (tmp_path / "gammonclock").glob("2*.jsonl") if path.stat().st_size]
    first = json.loads(log.read_bytes().splitlines()[0])
    assert first["event"] == "match_opened"


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["stdin", "stdout", "stderr"])
def test_without_a_terminal_it_does_not_start(tmp_path: Path, missing: str) -> None:
    master, slave = os.openpty()
    standard = {"stdin": slave, "stdout": slave, "stderr": slave}
    standard[missing] = subprocess.DEVNULL if missing == "stdin" else subprocess.PIPE
    environ = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    program = subprocess.Popen(COMMAND, env=environ, **standard)  # type: ignore[call-overload]
    out, error = program.communicate(timeout=LIMIT_S)
    os.close(slave)
    message = error if missing == "stderr" else os.read(master, 4096)
    os.close(master)
    assert program.returncode == 2
    assert b"the simulated clock needs a terminal" in message
    assert not (tmp_path / "state").exists()
    assert not out
