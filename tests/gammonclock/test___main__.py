"""The program: its commands, their help, exit codes, and what each of them imports."""

import gc
import hashlib
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import TextIO

import click
import pytest

from clock import __version__
from gammonclock import importing, play
from gammonclock.__main__ import READER_GONE, main
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from lab.support.commands import CONFIG, LOG, SCRIPT, program, said
from lab.support.rows import row

COMMANDS = {  # with what their help must name
    "run": ("--config", "--simulate", "--resume LOG", "--offers DIR", "--room FILE"),
    "check-config": ("FILE...",),
    "doctor": ("--config", "--no-input", "--wire PIN", "FAULT", "systemctl stop"),
    "profiles": ("profile =",),
    "play": ("SCRIPT", "--config", "--log", "power cut", "hold centre", "wait"),
    "verify": ("LOG...", "--head", "--results FILE", "current.jsonl"),
    "report": (
        "LOG...",
        "--chart",
        "docs/laptop.md",
        "current.jsonl",
        "--turns",
        "--json",
        "--csv",
        "--language [en|de|da|nb]",
        "default: en.",
        "docs/report.md",
    ),
    "watch": (
        "SOURCE...",
        "--port",
        "--database",
        "--pace",
        "--round-by HH:MM",
        "docs/laptop.md",
        "docs/watch.md",
    ),
    "forecast": ("LOG...", "--check", "power cut"),
    "publish": ("DIR SOURCE...", "--language", "index.html", "[publish]", "docs/laptop.md"),
    "hub": ("--config", "--keys", "--database", "--port"),
    "link": ("--config FILE", "--logs", "--offers"),
    "room-join": ("FILE", "NetworkManager"),
    "room-cards": ("ROOM.TOML", "DIR", "gammonclock-room.toml", "docs/room.md"),
    "logs": ("DIR", "--older-than DAYS", "--delete", "/var/lib/gammonclock"),
}


LOADED = """
import sys
from gammonclock.__main__ import main
from clock.apps import appliance_start
appliance_start.run_appliance = lambda *_: print(*sys.modules)
main(["run"])
"""


@pytest.mark.slow
def test_an_appliance_imports_only_what_it_uses() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "clock.apps.appliance" in loaded
    unused = {"serial", "segno", "clock.config.fallback", "clock.report"}
    assert loaded.isdisjoint({*unused, "matplotlib", "rich", "textual"})


def test_the_exit_codes_are_those_of_the_contract() -> None:
    """0 done, 2 wrong usage or configuration, 3 hardware missing, 4 log damaged."""
    assert (said("profiles").exit_code, WRONG_USAGE, NO_HARDWARE, DAMAGED) == (0, 2, 3, 4)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_the_help_of_each_command_teaches(command: str, flag: str) -> None:
    result = said(command, flag)
    assert result.exit_code == 0
    assert f"Example:  gammonclock {command}" in result.stdout
    for word in COMMANDS[command]:
        assert word in result.stdout
    assert max(len(line) for line in result.stdout.splitlines()) <= 80


def test_the_help_leads_to_the_commands() -> None:
    result = said("--help")
    assert "gammonclock run --simulate" in result.stdout
    assert set(COMMANDS) == set(main.commands)
    for name, listed in main.commands.items():
        assert f"\n  {name} " in result.stdout
        assert listed.get_short_help_str(62) == main.load(name).get_short_help_str(62)
    assert __version__ in said("--version").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fly",),
        ("verify",),
        ("play",),
        ("check-config",),
        ("run", "--fast"),
        ("verify", "--heed", "b"),
        ("report", str(LOG), "--language", "xx"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2_and_names_help(arguments: tuple[str, ...]) -> None:
    result = said(*arguments)
    assert result.exit_code == WRONG_USAGE
    assert "--help" in result.output


def module(*arguments: str | Path, probe: bool = False) -> subprocess.CompletedProcess[str]:
    """`python -m gammonclock`, as a person starts it."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}
    options = ["-X", "importtime"] if probe else []
    command = [sys.executable, *options, "-m", "gammonclock", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environ)


@pytest.mark.slow
def test_python_m_gammonclock_is_gammonclock() -> None:
    result = module("verify", "missing")
    assert (result.returncode, result.stdout) == (WRONG_USAGE, "")
    assert result.stderr == "gammonclock: missing: No such file or directory\n"
    assert module("--version").stdout == f"gammonclock, version {__version__}\n"


GAME = {"clock.match.machine", "clock.eventlog.replay"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (
            ("--help",),
            {*GAME, "PIL", "textual", "rich", "gpiozero"},
        ),
        (
            ("check-config", CONFIG),
            {*GAME, "PIL", "textual", "rich"},
        ),
        (("verify", LOG), {"PIL", "textual", "rich", "clock.storage.journal", "gpiozero"}),
        (("play", SCRIPT), {"PIL", "textual", "rich", "gpiozero"}),
        (("report", LOG), {"PIL", "matplotlib", "numpy", "textual", "clock.storage.journal"}),
    ],
    ids=["help", "check-config", "verify", "play", "report"],
)
def test_a_command_imports_only_what_it_needs(
    arguments: tuple[str, ...], needless: set[str]
) -> None:
    """Each starts at once, on a Pi Zero too; and a log is read without pins and pixels."""
    result = module(*arguments, probe=True)
    assert result.returncode == 0
    imported = {line.rsplit("|", 1)[-1].strip() for line in result.stderr.splitlines()}
    assert "click" in imported
    assert not imported & needless


@pytest.mark.slow
@pytest.mark.parametrize("command", [("report", LOG), ("play", SCRIPT)])
def test_the_program_ends_well_wherever_its_output_goes(command: tuple[str | Path, ...]) -> None:
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
@pytest.mark.parametrize("command", [("--help",), ("report", LOG)])
def test_a_reader_that_has_gone_ends_the_program_quietly(command: tuple[str | Path, ...]) -> None:
    """As SIGPIPE ends others: 141 in the shell."""
    reader, writer = os.pipe()
    os.close(reader)
    done = program(*command, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (READER_GONE, b"")


@pytest.mark.slow
def test_a_full_error_output_changes_no_exit_code() -> None:
    with Path("/dev/full").open("w") as full:
        assert program("verify", SCRIPT, stderr=full).returncode == DAMAGED
        assert program("verify", "missing", stderr=full).returncode == WRONG_USAGE
        assert program("fly", stderr=full).returncode == WRONG_USAGE


def test_each_option_is_explained_and_each_argument_has_a_name_of_its_own() -> None:
    for name in main.commands:
        for each in main.load(name).params:
            with row(name, each.name):
                assert (
                    each.help if isinstance(each, click.Option) else each.metavar or name == "play"
                )


def test_garbage_is_collected_again_when_a_command_is_imported() -> None:
    """Else the program would grow and grow. What was left out can be imported then."""
    sys.modules.pop("this", None)
    with importing(without=("this", "json")):
        assert not gc.isenabled()
        assert import_module("json") is json
        with pytest.raises(ImportError):
            import_module("this")
    assert gc.isenabled()
    import_module("this")


def ended(stdout: TextIO, *arguments: str) -> object:
    """Return the exit code of a command in this process, and close its output."""
    with pytest.MonkeyPatch.context() as patched, stdout:
        patched.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit) as end:
            main.main(arguments, prog_name="gammonclock")
    return end.value.code


def unread() -> TextIO:
    """Return an output whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


def test_an_output_that_is_full_is_told_from_one_that_nobody_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing is left that Python would try to write at its end."""
    with Path("/dev/full").open("w") as full:
        assert ended(full, "profiles") == WRONG_USAGE
    assert "the output cannot be written: No space left on device" in capsys.readouterr().err
    assert ended(unread(), "profiles") == READER_GONE
    assert capsys.readouterr().err == ""


def test_a_library_that_ends_the_program_for_a_gone_reader_does_not_name_the_code() -> None:
    """rich, which prints reports, would end it with 1, as if the command had failed."""
    assert ended(unread(), "report", str(LOG)) == READER_GONE


def test_no_file_stays_open_for_an_output_that_is_gone() -> None:
    """A program that calls commands would have no file left in the end."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        ended(unread(), "profiles")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_letter_that_the_output_lacks_is_a_question_mark(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text('[[preset]]\nname = "Škoda Cup"\n', encoding="utf-8")
    with (tmp_path / "printed").open("w", encoding="latin-1") as printed:
        assert ended(printed, "check-config", str(tmp_path / "my.toml")) == 0
    assert "?koda Cup" in (tmp_path / "printed").read_text()


def test_an_error_that_no_output_has_raised_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(play, "parse_bytes", broken)
    monkeypatch.setattr(play, "fail", broken)
    with pytest.raises(OSError, match="Input/output error"):
        main.main(["play", str(SCRIPT)], prog_name="gammonclock")


def test_modules_can_be_left_out_of_an_import_and_are_there_afterwards() -> None:
    """Hashes are computed all the same, and a log is written without OpenSSL."""
    program = (
        "import sys; from gammonclock import HEAVY, importing\n"
        "with importing(without=HEAVY): import gammonclock.run\n"
        "assert not set(HEAVY) & set(sys.modules)\n"
        "import hashlib, _hashlib, typing_extensions\n"
        "print(hashlib.sha256(b'a line').hexdigest())"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == hashlib.sha256(b"a line").hexdigest()
