"""What a director does with logs and settings works without what only Linux has.

Each command runs in a process from which `tests.support.other_system` has taken what Windows or
macOS lacks, and prints and writes there what it does on Linux.
"""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from clock.apps.console import WRONG_USAGE
from clock.cli import NO_HARDWARE, main
from tests.support import other_system
from tests.support.paths import DATA, ROOT

LIMIT_S = 120  # of a program that does not end, on a busy machine
# Python's rules for text and names of files are then the strictest that a computer may have.
ENVIRON = {
    "LC_ALL": "C",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONIOENCODING": "cp1252",
    "PYTHONPATH": os.pathsep.join(sys.path),
    "PYTHONUTF8": "0",
}
LOG, SCRIPT, CONFIG = (str(DATA / f"ebf.{kind}") for kind in ("jsonl", "script", "toml"))
LOGS = [str(path) for path in sorted(DATA.rglob("*.jsonl"))]  # of each release too
CARDS = [str(path) for path in sorted((ROOT / "config").glob("*.toml"))]
COMMANDS = {
    "verify": ["verify", *LOGS],
    "report": ["report", str(DATA / "nbgf.jsonl"), "--turns", "--language", "nb"],
    "results": ["report", *LOGS],
    "json": ["report", "--json", *LOGS],
    "csv": ["report", "--csv", "--turns", *LOGS],
    "chart": ["report", LOG, "--chart", "match.png"],
    "check-config": ["check-config", *CARDS],
    "profiles": ["profiles"],
    "play": ["play", SCRIPT, "--config", CONFIG],
    "play --log": ["play", SCRIPT, "--config", CONFIG, "--log", "match.jsonl"],
    "logs": ["logs", "logs"],
    "logs --delete": ["logs", "logs", "--older-than", "30d", "--delete"],
}
NEED_HARDWARE = {"run", "doctor"}

Outcome = tuple[int, bytes, bytes, dict[str, bytes]]


def outcome(system: str, command: list[str]) -> Outcome:
    """Return the exit code of a command, both outputs and the files that are there afterwards."""
    with TemporaryDirectory() as folder:
        shutil.copytree(DATA / "releases" / "0.2.0", Path(folder, "logs"))
        program = [sys.executable, "-X", "warn_default_encoding", other_system.__file__, system]
        environ = {key: os.environ[key] for key in ("HOME", "PATH")} | ENVIRON
        done = subprocess.run(
            [*program, *command],
            capture_output=True,
            check=False,
            cwd=folder,
            env=environ,
            timeout=LIMIT_S,
        )
        files = {path.name: path.read_bytes() for path in Path(folder).rglob("*.*")}
        return done.returncode, done.stdout, done.stderr, files


@cache
def on_linux(name: str) -> Outcome:
    """Return what a command does where nothing is absent."""
    return outcome("linux", COMMANDS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_a_command_for_the_laptop_works_as_on_linux(system: str, name: str) -> None:
    """The same text, files and exit code; nothing is opened in the encoding of the place."""
    code, out, error, _ = on_linux(name)
    assert (code, error) == (0, b"")
    assert out or name == "play --log"
    assert outcome(system, COMMANDS[name]) == on_linux(name)


def test_each_command_is_for_the_laptop_or_needs_a_clock() -> None:
    """A new command has to be tried here."""
    assert {command for command, *_ in COMMANDS.values()} | NEED_HARDWARE == set(main.commands)


@pytest.mark.parametrize(
    ("system", "command", "code", "message"),
    [
        ("win32", ["run"], NO_HARDWARE, b"this computer has Windows"),
        ("win32", ["run", "--simulate"], NO_HARDWARE, b"on Linux, WSL or macOS"),
        ("win32", ["doctor"], NO_HARDWARE, b"start it on the Raspberry Pi"),
        ("darwin", ["run"], NO_HARDWARE, b"gammonclock run --simulate"),
        ("darwin", ["run", "--simulate"], WRONG_USAGE, b"needs a terminal"),
        ("darwin", ["doctor"], NO_HARDWARE, b"start it on the Raspberry Pi"),
    ],
)
def test_a_command_that_needs_a_clock_says_so(
    system: str, command: list[str], code: int, message: bytes
) -> None:
    """In one sentence, and not in a traceback."""
    returned, out, error, _ = outcome(system, command)
    assert (returned, out, error.count(b"\n")) == (code, b"", 1)
    assert message in error
