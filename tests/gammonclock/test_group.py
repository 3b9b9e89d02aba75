"""The group of the commands: wherever the output goes, none ends in a traceback."""

import os
import sys
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from itertools import product
from pathlib import Path

import pytest

from clock.apps import doctor
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from gammonclock.group import READER_GONE
from tests.support.commands import LOG, SCRIPT, program, said
from tests.support.doctor_box import Patient
from tests.support.rows import row

PRINTS = {  # with the exit code of a good end
    "help": (("--help",), 0),
    "version": (("--version",), 0),
    "profiles": (("profiles",), 0),
    "check-config": (("check-config", "{tmp}/my.toml"), 0),
    "play": (("play", str(SCRIPT)), 0),
    "verify": (("verify", "{tmp}/Zoë \u2654.jsonl"), 0),
    "report": (("report", "{tmp}/Zoë \u2654.jsonl"), 0),
    "doctor": (("doctor", "--no-input"), NO_HARDWARE),
    "run": (("run", "--simulate"), WRONG_USAGE),
    "no such command": (("fly \u2654",), WRONG_USAGE),
    "no such file": (("verify", "\u2654"), WRONG_USAGE),
    "no log": (("verify", str(SCRIPT)), DAMAGED),
}


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Return what makes the words of a command; its files have names that are not ASCII."""
    monkeypatch.setattr(doctor, "probe_computer", Patient(tmp_path, monkeypatch).probe)
    names = '[match]\nnames = ["Søren", "\u2654\U0001f3b2"]\n'
    (tmp_path / "my.toml").write_text(names, encoding="utf-8")
    log = tmp_path / "Zoë \u2654.jsonl"
    assert said("play", SCRIPT, "--config", tmp_path / "my.toml", "--log", log).exit_code == 0
    return lambda name: [word.format(tmp=tmp_path) for word in PRINTS[name][0]]


@pytest.mark.slow
def test_letters_that_the_output_lacks_are_replaced(arguments: Callable[[str], list[str]]) -> None:
    """The exit code is the usual one."""
    for name in PRINTS:
        with row(name):
            usual = said(*arguments(name))
            for charset in ("ascii", "latin-1", "cp437"):
                assert said(*arguments(name), charset=charset).exit_code == usual.exit_code


@pytest.mark.slow
def test_a_full_output_is_reported(
    arguments: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2; where the messages cannot be written, the exit code is the usual one."""
    for name, stream in product(PRINTS, ("stdout", "stderr")):
        usual = said(*arguments(name))
        with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
            for each in ("stdout", "stderr"):
                patched.setattr(sys, each, full if each == stream else TextIOWrapper(BytesIO()))
            with row(name, stream), pytest.raises(SystemExit) as ended:
                main.main(arguments(name), prog_name="gammonclock")
        prints = bool(getattr(usual, stream))
        failed = WRONG_USAGE if stream == "stdout" and prints else usual.exit_code
        assert ended.value.code == failed, (name, stream)


@pytest.mark.slow
@pytest.mark.parametrize("command", [("profiles",), ("report", LOG), ("play", SCRIPT)])
def test_the_program_ends_well_wherever_its_output_goes(command: tuple[str | Path, ...]) -> None:
    """Also at its very end, when Python writes what is left."""
    with Path("/dev/full").open("w") as full:
        done = program(*command, stdout=full)
    message = b"gammonclock: the output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (WRONG_USAGE, message)
    done = program(*command, preexec_fn=lambda: os.close(1), stdout=None)
    assert (done.returncode, done.stderr) == (0, b"")
    done = program(*command, environ={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.slow
@pytest.mark.parametrize("command", [("--help",), ("report", LOG), ("play", SCRIPT)])
def test_a_reader_that_has_gone_ends_the_program_quietly(command: tuple[str | Path, ...]) -> None:
    """As SIGPIPE ends others: 141 in the shell."""
    reader, writer = os.pipe()
    os.close(reader)
    done = program(*command, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (READER_GONE, b"")


@pytest.mark.slow
def test_a_full_error_output_changes_no_exit_code() -> None:
    """Nobody can be told, but a script still sees what happened."""
    with Path("/dev/full").open("w") as full:
        assert program("verify", SCRIPT, stderr=full).returncode == DAMAGED
        assert program("verify", "missing", stderr=full).returncode == WRONG_USAGE
        assert program("fly", stderr=full).returncode == WRONG_USAGE
