"""`make watch`, in a terminal beside that of `make run`."""

import os
import subprocess
from pathlib import Path

from lab.support.paths import ROOT

WAITS = "No match is played yet: start one with `make run` in another terminal."


def said(state: Path) -> list[str]:
    """What `make watch` says, and with which arguments it starts the program."""
    program = state / "venv" / "bin" / "gammonclock"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    installed = f"--old-file={state}/venv/.with-room"
    command = ["make", "--silent", installed, f"VENV={state}/venv", "watch"]
    environ = os.environ | {"XDG_STATE_HOME": str(state)}
    for name in ("ARGS", "MAKEFLAGS", "MAKELEVEL"):
        environ.pop(name, None)
    made = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=True)
    return made.stdout.decode().splitlines()


def test_before_make_run_it_waits_and_says_so(tmp_path: Path) -> None:
    """It follows the folder of the match that begins later; a match that is there needs no word."""
    logs = tmp_path / "gammonclock"
    watch = f"watch {logs} --open"
    assert said(tmp_path) == [WAITS, watch]
    (logs / "current.jsonl").touch()
    assert said(tmp_path) == [watch]
