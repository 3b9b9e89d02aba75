"""Run commands: in this process, or in one of its own."""

import os
import subprocess
import sys
from pathlib import Path

import click.testing

from gammonclock.__main__ import main
from gammonclock.console import WRONG_USAGE
from lab.support.paths import DATA

LOG, SCRIPT, CONFIG = (DATA / f"ebf.{kind}" for kind in ("jsonl", "script", "toml"))
LIMIT_S = 120  # of a command that hangs
HANG = """
import signal, sys
signal.alarm(int(sys.argv.pop(1)))
from gammonclock.__main__ import main
main(prog_name="gammonclock")
"""


def said(*arguments: str | Path, charset: str = "utf-8") -> click.testing.Result:
    """Return what a command says; any error but a plain exit is a traceback."""
    result = click.testing.CliRunner(charset=charset).invoke(main, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def failed(code: int, *arguments: str | Path) -> str:
    """Return the message of a command that fails."""
    result = said(*arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    return result.stderr


def refused(*arguments: str | Path) -> str:
    """Return the message of a command that refuses its arguments, or to write."""
    return failed(WRONG_USAGE, *arguments)


def program(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, without a terminal."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    environ |= options.pop("environ", {})  # type: ignore[call-overload]
    command = [sys.executable, "-c", HANG, str(LIMIT_S), *map(str, arguments)]
    standard = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, check=False, env=environ, **(standard | options))  # type: ignore[call-overload, no-any-return]
