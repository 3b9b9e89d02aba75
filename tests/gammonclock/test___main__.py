"""The program: its commands, their help, exit codes, and what each of them imports."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from clock import __version__
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, NO_HARDWARE, WRONG_USAGE
from lab.support.commands import CONFIG, LOG, SCRIPT, said

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
        "--language",
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


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_says_what_it_is_for(command: str) -> None:
    """Or at least what it is without it."""
    options = [each for each in main.load(command).params if isinstance(each, click.Option)]
    assert [each.name for each in options if not each.help] == []


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
