"""What a director does with logs and settings works without what only Linux has.

Each command runs in a process from which `lab.support.other_system` has taken what Windows lacks,
and prints and writes there what it does on Linux. What macOS lacks Windows lacks too.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest

from gammonclock.__main__ import main
from gammonclock.console import NO_HARDWARE, WRONG_USAGE
from lab.support import other_system
from lab.support.paths import DATA, ROOT
from lab.support.programs import LIMIT_S, wait_for

# Python's rules for text and names of files are then the strictest that a computer may have. With
# them it imports no compiled module from a folder whose name has an umlaut.
ENVIRON = {
    "LC_ALL": "C" if f"{ROOT}{sys.prefix}".isascii() else "C.UTF-8",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONIOENCODING": "cp1252",
    "PYTHONPATH": os.pathsep.join(sys.path),
    "PYTHONUTF8": "0",
}
LOG, SCRIPT, CONFIG = (str(DATA / f"ebf.{kind}") for kind in ("jsonl", "script", "toml"))
LOGS = [str(path) for path in sorted(DATA.rglob("*.jsonl"))]  # of each release too
FEW = LOGS[:3]
CARDS = [str(path) for path in sorted((ROOT / "config").glob("*.toml"))]
COMMANDS = {
    "verify": ["verify", *LOGS],
    "report": ["report", str(DATA / "nbgf.jsonl"), "--turns", "--language", "nb"],
    "results": ["report", *FEW],
    "json": ["report", "--json", *FEW],
    "csv": ["report", "--csv", "--turns", *FEW],
    "chart": ["report", LOG, "--chart", "match.png"],
    "forecast": ["forecast", "--check", LOG],
    "check-config": ["check-config", *CARDS],
    "profiles": ["profiles"],
    "play": ["play", SCRIPT, "--config", CONFIG],
    "play --log": ["play", SCRIPT, "--config", CONFIG, "--log", "match.jsonl"],
    "logs": ["logs", "logs"],
    "logs --delete": ["logs", "logs", "--older-than", "30d", "--delete"],
}
NEED_HARDWARE = {"run", "doctor"}
DOES_NOT_END = {"watch"}
SAYS_WHEN = {"publish"}  # so that no two outcomes are alike
LINUX_ALONE = {"hub", "link", "room-cards", "room-join"}  # a room's computers: see docs/room.md

Outcome = tuple[int, bytes, bytes, dict[str, bytes]]


def program(system: str, command: list[str]) -> list[str]:
    """Return what runs a command without what a system lacks."""
    start = [sys.executable, "-X", "warn_default_encoding", other_system.__file__, system]
    return [*start, *command]


def environ() -> dict[str, str]:
    home = os.environ.get("HOME", "")  # where matplotlib keeps fonts
    home = home if os.access(home, os.W_OK) else tempfile.gettempdir()
    return {"HOME": home, "PATH": os.environ["PATH"], **ENVIRON}


def outcomes(system: str, folder: Path) -> dict[str, Outcome]:
    """Return what came of each command: its exit code, both outputs and the files left behind."""
    for name in COMMANDS:
        shutil.copytree(DATA / "releases" / "1.0.0", folder / name / "logs")
    subprocess.run(
        program(system, ["--each", str(folder)]),
        input=json.dumps(COMMANDS).encode(),
        check=True,
        env=environ(),
        timeout=LIMIT_S,
    )
    return {name: _outcome(folder, name) for name in COMMANDS}


def _outcome(folder: Path, name: str) -> Outcome:
    code, out, error = ((folder / f"{name}.{kind}").read_bytes() for kind in ("code", "out", "err"))
    files = {path.name: path.read_bytes() for path in (folder / name).rglob("*.*")}
    return int(code), out, error, files


@pytest.mark.slow
def test_a_command_for_the_laptop_works_as_on_linux(tmp_path: Path) -> None:
    """The same text, files and exit code; nothing is opened in the encoding of the place."""
    linux = outcomes("linux", tmp_path / "linux")
    for name, (code, out, error, _) in linux.items():
        assert (name, code, error) == (name, 0, b"")
        assert out or name == "play --log"
    windows = outcomes("win32", tmp_path / "windows")
    for name in COMMANDS:
        assert (name, windows[name]) == (name, linux[name])


def test_each_command_is_for_the_laptop_or_needs_a_clock() -> None:
    """A new command has to be tried here, unless it is for a clock or a room's own computers."""
    tried = {command for command, *_ in COMMANDS.values()} | DOES_NOT_END
    assert tried | SAYS_WHEN | NEED_HARDWARE | LINUX_ALONE == set(main.commands)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "command", "code", "message"),
    [
        ("win32", ["run"], NO_HARDWARE, b"this computer has Windows"),
        ("win32", ["run", "--simulate"], NO_HARDWARE, b"on Linux, WSL or macOS"),
        ("win32", ["doctor"], NO_HARDWARE, b"start it on the Raspberry Pi"),
        ("darwin", ["run"], NO_HARDWARE, b"gammonclock run --simulate"),
        ("darwin", ["run", "--simulate"], WRONG_USAGE, b"needs a terminal"),
    ],
)
def test_a_command_that_needs_a_clock_says_so(
    system: str, command: list[str], code: int, message: bytes
) -> None:
    done = subprocess.run(
        program(system, command), capture_output=True, check=False, env=environ(), timeout=LIMIT_S
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
    assert message in done.stderr


@contextmanager
def watching(*sources: str) -> Iterator[str]:
    """Yield the address of `gammonclock watch`, which then ends by Ctrl-C without a word."""
    with subprocess.Popen(
        program("win32", ["watch", *sources, "--port", "0"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ(),
        text=True,
    ) as watch:
        assert watch.stdout is not None
        first = watch.stdout.readline()
        try:
            yield first.partition("room ")[0]
        finally:
            watch.send_signal(signal.SIGINT)
            _, error = watch.communicate(timeout=LIMIT_S)
    assert (watch.returncode, error) == (0, "")


@pytest.mark.slow
def test_a_folder_without_links_is_watched(tmp_path: Path) -> None:
    """It was copied from a card: `current.jsonl` is a file, and it grows."""
    *lines, last = Path(LOG).read_bytes().splitlines(keepends=True)
    current = tmp_path / "current.jsonl"
    current.write_bytes(b"".join(lines))
    with watching(str(tmp_path)) as address:
        wait_for(address, str(tmp_path), "STOPPED")
        with current.open("ab") as file:
            file.write(last)
        wait_for(address, str(tmp_path), "FINISHED")


@pytest.mark.slow
def test_logs_are_watched(tmp_path: Path) -> None:
    """A folder of logs, and a log at a pace; with a database, pages and results."""
    logs, nbgf = str(DATA / "releases" / "1.0.0"), str(DATA / "nbgf.jsonl")
    database = tmp_path / "club.sqlite"
    with watching(logs, nbgf, "--pace", "1000", "--database", str(database)) as address:
        for source in (logs, nbgf):
            wait_for(address, source, "FINISHED")
        for page in ("room", "board/ebf", "overlay/ebf", "wall", "results", "api/1/results.csv"):
            with urllib.request.urlopen(f"{address}{page}", timeout=LIMIT_S) as answer:  # noqa: S310
                assert answer.read()
    assert database.stat().st_size > 0


@contextmanager
def clock_on_a_line(sent: "SimpleQueue[bytes]") -> Iterator[str]:
    """Yield a port that is a connection (`lab.support.protocol_line`); empty bytes unplug it."""

    def send(listening: socket.socket) -> None:
        with listening.accept()[0] as line:
            while data := sent.get():
                line.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        sending = threading.Thread(target=send, args=[listening], daemon=True)
        sending.start()
        yield f"line://127.0.0.1:{listening.getsockname()[1]}"
        sending.join()


@pytest.mark.slow
def test_a_serial_port_is_watched() -> None:
    """A connection stands for the port: drivers differ. It is unplugged after the last byte."""
    *lines, last = Path(LOG).read_bytes().splitlines(keepends=True)
    sent: SimpleQueue[bytes] = SimpleQueue()
    sent.put(b"".join(lines))
    with clock_on_a_line(sent) as port, watching(port) as address:
        wait_for(address, port, "STOPPED")
        sent.put(last)
        sent.put(b"")
        wait_for(address, port, "FINISHED")
