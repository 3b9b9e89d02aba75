"""`gammonclock play`: the log of a script, and what is wrong with a script."""

import json
from pathlib import Path

import pytest

from gammonclock.console import DAMAGED, WRONG_USAGE
from lab.support.commands import CONFIG, LOG, SCRIPT, failed, said
from lab.support.logs import separate


def test_the_script_in_the_help_can_be_played(tmp_path: Path) -> None:
    lines = said("play", "--help").stdout.splitlines()
    acts = [line for line in lines if line.strip()[:1].isdigit()]
    assert len(acts) == 10
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    script.write_text("\n".join(acts))
    assert said("play", str(script), "--log", str(log)).exit_code == 0
    assert said("verify", str(log)).exit_code == 0


def test_a_script_error_names_its_line(tmp_path: Path) -> None:
    """Exit code 2; nothing is written."""
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    script.write_text("1 wait\n1 dance\n")
    message = failed(WRONG_USAGE, "play", str(script), "--log", str(log))
    assert message.startswith(f"gammonclock: {script}, line 2: found '1 dance'; allowed is")
    assert not log.exists()


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    message = failed(WRONG_USAGE, "play", SCRIPT, "--log", str(tmp_path))
    assert message == f"gammonclock: {tmp_path}: Is a directory\n"


@pytest.mark.slow
def test_play_prints_the_log_or_writes_it(tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    assert said("play", SCRIPT, "--config", CONFIG, "--log", str(log)).stdout == ""
    printed = said("play", SCRIPT, "--config", CONFIG).stdout_bytes
    assert printed == log.read_bytes() == Path(LOG).read_bytes()
    assert all(json.loads(line) for line in printed.splitlines())


def test_play_writes_each_match_to_a_log_of_its_own(tmp_path: Path) -> None:
    """Each can be verified; printed, one follows the other."""
    script, log = tmp_path / "my.script", tmp_path / "my.jsonl"
    menu = "0 hold centre\n0.2 press left\n0.2 press centre\n0 press centre\n"
    script.write_text(menu * 2)
    assert said("play", str(script), "--log", str(log)).exit_code == 0
    written = [tmp_path / name for name in ("my.jsonl", "my-2.jsonl", "my-3.jsonl")]
    for path in written:
        assert said("verify", str(path)).exit_code == 0
    printed = said("play", str(script)).stdout_bytes
    assert printed == b"".join(path.read_bytes() for path in written)
    assert len(separate(printed.splitlines())) == 3
    first = len(written[0].read_bytes().splitlines())
    log.write_bytes(printed)
    said_of = said("verify", str(log))
    assert said_of.exit_code == DAMAGED
    assert f"line {first + 1}: another log begins here" in said_of.stderr
