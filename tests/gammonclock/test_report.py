"""`gammonclock report`: which part of it is shown."""

import json
import sys
from collections import Counter
from pathlib import Path

import click.testing
import pytest

from clock.eventlog.codec import Chain
from clock.match.events import Writer
from clock.match.machine import open_match
from clock.report.tables import LONG
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED, WRONG_USAGE
from lab.support.commands import LOG, failed, said
from lab.support.last_run import put_log
from lab.support.logs import renamed
from lab.support.paths import DATA, ROOT
from lab.support.world import match_settings
from tests.eventlog.test_links import ONE, TWO, taken_up

EBF, US = str(DATA / "ebf.jsonl"), str(DATA / "us.jsonl")


def shown(*arguments: str, code: int = 0, columns: int = 80) -> str:
    """What the command prints in a terminal; errors included."""
    runner = click.testing.CliRunner(env={"COLUMNS": str(columns)})
    result = runner.invoke(main, ["report", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.rule("R102")
def test_one_question_gets_one_answer() -> None:
    """A table, a turn, or a stop with its turn; each stands so in the whole report."""
    whole = shown(EBF)
    stops = shown(EBF, "--only", "stops")
    assert stops in whole
    assert stops.startswith("Stops ")
    assert shown(EBF, "--turn", "4") in whole
    illegal_move = shown(EBF, "--stop", "2")
    assert "Illegal" in illegal_move
    assert "Dice" not in illegal_move.split("Turn 6")[0]
    assert shown(EBF, "--turn", "6") in illegal_move
    assert "found 99, allowed 1 to 24" in shown(EBF, "--turn", "99", code=WRONG_USAGE)
    assert "found 99, allowed 1 to 9" in shown(EBF, "--stop", "99", code=WRONG_USAGE)


@pytest.mark.rule("R102")
def test_the_end_of_a_game_needs_no_block_of_turns() -> None:
    """The third game ended in turn 18 without an incident; it can be asked for all the same."""
    assert "Turn 18, and the turns before it" not in shown(EBF)
    assert "Game over / drop" in shown(EBF, "--turn", "18")


def test_a_text_that_is_no_log_is_called_that() -> None:
    said_of_both = shown(EBF, str(ROOT / "README.md"), code=DAMAGED)
    assert "README.md is not a log: " in said_of_both
    assert "Ben wins, Ada's time has expired" in said_of_both


@pytest.mark.slow
@pytest.mark.rule("R83")
@pytest.mark.parametrize(
    ("suffix", "begin"),
    [(".svg", b"<?xml"), (".PNG", b"\x89PNG")],
)
def test_report_prints_tables_and_draws_a_chart(suffix: str, begin: bytes, tmp_path: Path) -> None:
    """The tables on the terminal, the chart in the format of the file's suffix."""
    file = tmp_path / f"match{suffix}"
    result = said("report", LOG, "--chart", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Slowest turns" in result.stdout
    assert file.read_bytes().startswith(begin)


def test_report_says_how_to_get_a_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, the command ends with code 2 and says what to install."""
    monkeypatch.delitem(sys.modules, "clock.report.chart", raising=False)
    monkeypatch.delattr("clock.report.chart", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file = tmp_path / "match.png"
    message = failed(WRONG_USAGE, "report", LOG, "--chart", str(file))
    assert message.startswith(
        'gammonclock: a chart needs the extra "chart": pip install ".[chart]"'
    )
    assert not file.exists()


@pytest.mark.slow
def test_report_says_where_it_cannot_draw(tmp_path: Path) -> None:
    """Exit code 2 for a picture in a folder that is not there."""
    picture = str(tmp_path / "no" / "x.png")
    assert "cannot be written" in failed(WRONG_USAGE, "report", LOG, "--chart", picture)


@pytest.mark.rule("R131")
def test_a_match_of_several_logs_is_reported_whole(tmp_path: Path) -> None:
    """R131: the report of one match, its lines counted on, without the time in between."""
    for name, lines in (("one", ONE), ("two", TWO), ("other", taken_up(ONE, "elsewhere"))):
        put_log(tmp_path / f"{name}.jsonl", lines)
    one, two, other = (str(tmp_path / f"{name}.jsonl") for name in ("one", "two", "other"))
    whole = said("report", two, one, "--turns")
    assert (whole.exit_code, whole.stderr) == (0, "")
    assert f"match, second, verified: {len(ONE) + len(TWO)} records" in whole.stdout
    (match,) = json.loads(said("report", one, two, "--json").stdout)
    assert (match["phase"], match["complete"], match["continues"]) == ("PUT_ASIDE", False, None)
    assert [turn["length_s"] for turn in match["turns"]] == [28.999999994]
    assert match["duration_s"] == 29.999999995
    assert json.loads(said("report", two, "--json").stdout)[0]["continues"] == "match"
    twice = said("report", one, two, other, "--csv")
    assert (twice.exit_code, "resumed 2 times" in twice.stderr) == (DAMAGED, True)
    assert len(twice.stdout.splitlines()) == 3


def test_what_is_printed_is_whole_and_no_line_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a narrow terminal the tables too; a page of rulings is as it would be in a file."""
    for rows_at_once in (LONG, 1):
        monkeypatch.setattr("clock.report.tables.LONG", rows_at_once)
        outputs = (shown(EBF, "--turns", columns=columns) for columns in (30, 300))
        narrow, wide = ("".join(output.replace("─", "").split()) for output in outputs)
        assert Counter(narrow) == Counter(wide)
    for page, end in ((shown(EBF, "--rulings"), "\n"), (shown(EBF, "--rulings", "--html"), ">\n")):
        assert page.endswith(end)
        assert not page.endswith("\n\n")


@pytest.mark.rule("R105")
def test_a_match_that_never_began_is_reported_alone_and_no_row_of_results(tmp_path: Path) -> None:
    """R105: whoever names it wants to see it; in a list it is nothing."""
    _, record = open_match(match_settings(), 0, Writer("test"))
    _, line = Chain("match", "boot").append(record, "2026-05-01T10:00:00+02:00")
    log = tmp_path / "my.jsonl"
    log.write_bytes(line)
    assert len(json.loads(shown(str(log), "--json"))) == 1
    assert [match["file"] for match in json.loads(shown(str(log), EBF, "--json"))] == [EBF]
    other = tmp_path / "other.jsonl"
    put_log(other, renamed([line.rstrip(b"\n")], "other"))
    assert shown(str(log), str(other)) == ""
    results = shown(EBF, US)
    assert results.startswith("Results ")
    assert "Games" not in results


def test_of_a_damaged_log_no_chart_is_drawn(tmp_path: Path) -> None:
    """There is nothing to draw, and that is no fault of the program."""
    log = tmp_path / "my.jsonl"
    log.write_bytes(b"{}\n")
    shown(str(log), "--chart", str(tmp_path / "chart.svg"), code=DAMAGED)
    assert not (tmp_path / "chart.svg").exists()
    [why] = said("report", log).stderr.splitlines()
    assert f"{log} is not a log: name the file of a match" in why


def test_a_chart_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    picture = tmp_path / "match.png"
    picture.touch()
    message = failed(WRONG_USAGE, "report", tmp_path / "missing.jsonl", "--chart", picture)
    assert message.startswith(f"gammonclock: --chart: {picture} exists")
