"""`gammonclock forecast`."""

from pathlib import Path

from click.testing import CliRunner

from gammonclock.__main__ import main
from gammonclock.console import DAMAGED
from lab.support.commands import refused
from lab.support.paths import DATA


def test_forecasts_are_compared_with_logs_and_others_are_left_out(tmp_path: Path) -> None:
    """Each with its reason; a damaged log decides the exit code."""
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes((DATA / "us.jsonl").read_bytes().replace(b'"length":', b'"length" :', 1))
    logs = [DATA / "ebf.jsonl", DATA / "us-doubles.jsonl", DATA / "ebf.script", damaged]
    result = CliRunner().invoke(main, ["forecast", "--check", *map(str, logs)])
    assert "forecasts of 1 match, one every 10 minutes" in result.stdout
    assert "ended before the middle time" in result.stdout
    assert "us-doubles.jsonl: left out: its log spans a power cut" in result.stderr
    assert "ebf.script is not a log" in result.stderr
    assert "damaged.jsonl: left out: line 1" in result.stderr
    assert result.exit_code == DAMAGED


def test_logs_that_are_whole_end_well() -> None:
    for log in ("ebf.jsonl", "us-doubles.jsonl"):
        assert CliRunner().invoke(main, ["forecast", "--check", str(DATA / log)]).exit_code == 0


def test_what_to_do_with_the_logs_has_to_be_said() -> None:
    assert "Missing option '--check'" in refused("forecast", DATA / "ebf.jsonl")
