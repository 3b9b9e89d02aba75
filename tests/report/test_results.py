"""Results of matches, for people and for programs, with the names of docs/report.md."""

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import click.testing
import pytest

from clock.report.fields import NAMES
from clock.report.results import TURN, _escaped
from clock.ui.i18n import LANGUAGES
from gammonclock.__main__ import main
from gammonclock.console import DAMAGED
from lab.support.paths import DATA, ROOT
from lab.support.reports import REPORTS, compare

LOGS = [str(path) for path in sorted(DATA.glob("*.jsonl"))]
EBF = str(DATA / "ebf.jsonl")
PAGE = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")

Row = dict[str, str]


def report(*arguments: str, code: int = 0) -> click.testing.Result:
    """What the report says in a terminal of 80 columns."""
    runner = click.testing.CliRunner(env={"COLUMNS": "80"})
    result = runner.invoke(main, ["report", *arguments])
    assert result.exit_code == code, result.output
    return result


def rows(*arguments: str) -> list[Row]:
    """The lines of a CSV."""
    text = report(*arguments, "--csv").stdout_bytes.decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def documented(begin: str, end: str) -> set[str]:
    """The names in a part of the page."""
    return set(re.findall(r"`(\w+)`", PAGE.split(begin)[1].split(end)[0]))


@pytest.mark.rule("R105")
def test_several_logs_give_a_table_of_results() -> None:
    """Each with its winner, how it ended and the fingerprint of its log."""
    lines = [" ".join(line.split()) for line in report(*LOGS).stdout.splitlines()]
    assert lines[0] == "Results"
    assert lines[1] == "Board Players To Score Result Log code"
    assert len([line for line in lines if line.startswith("- ")]) == len(LOGS)
    row, more = next(pair for pair in pairwise(lines) if "Ada" in pair[0])
    assert row.startswith("- Ada - Ben 7 2-6 Ben wins, opponent out ")
    assert row.removeprefix("- Ada - Ben 7 2-6 Ben wins, opponent out ") in fingerprint_of(EBF)
    assert more == "of time"


def fingerprint_of(log: str) -> str:
    """What `verify` says of a log."""
    return click.testing.CliRunner().invoke(main, ["verify", log]).output


@pytest.mark.slow
@pytest.mark.rule("R102")
@pytest.mark.parametrize("language", LANGUAGES)
def test_results_fit_a_terminal_in_each_language(language: str) -> None:
    text = report(*LOGS, "--language", language).stdout
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert ("Board" in text) == (language == "en")


@pytest.mark.rule("R102")
@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_match_with_everything_is_as_it_was(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that happened as JSON; the turns as CSV."""
    monkeypatch.chdir(tmp_path)
    script, config = (str(REPORTS / f"everything.{kind}") for kind in ("script", "toml"))
    played = ["play", script, "--config", config, "--log", "match.jsonl"]
    assert click.testing.CliRunner().invoke(main, played).exit_code == 0
    arguments = ("--json",) if form == "json" else ("--csv", "--turns")
    shown = report("match.jsonl", *arguments).stdout_bytes.decode("utf-8")
    compare(REPORTS / f"everything.{form}", shown.replace("\r\n", "\n"))


@pytest.mark.rule("R102")
def test_the_names_are_those_of_the_page() -> None:
    assert documented("line for each match:", "`--csv --turns`") >= set(NAMES)
    assert documented("line for each turn instead:", "`--json`") == {"file", *TURN}
    matches = json.loads(report(*LOGS, "--json").stdout_bytes)
    kinds = {name for name, items in matches[0].items() if isinstance(items, list)}
    assert set(matches[0]) == {*NAMES, *kinds}
    lists = {name: next(match[name] for match in matches if match[name]) for name in kinds}
    for name, items in lists.items():
        expected = set(TURN) if name == "turns" else documented(f"| `{name}` | ", " |\n")
        assert set(items[0]) == expected


@pytest.mark.rule("R102")
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_names_of_any_alphabet_are_utf8_on_any_terminal(form: str, tmp_path: Path) -> None:
    """A terminal that only knows ASCII does not change what a program reads."""
    log = tmp_path / "match.jsonl"
    (tmp_path / "my.toml").write_text('[match]\nnames = ["Žofie", "Øyvind"]\n', encoding="utf-8")
    (tmp_path / "script").write_text("0 wait\n")
    runner = click.testing.CliRunner(charset="ascii")
    command = ["play", str(tmp_path / "script"), "--config", str(tmp_path / "my.toml")]
    assert runner.invoke(main, [*command, "--log", str(log)]).exit_code == 0
    result = runner.invoke(main, ["report", str(log), form])
    assert result.exit_code == 0
    assert "Øyvind" in result.stdout_bytes.decode("utf-8")
    assert runner.invoke(main, ["report", str(log), "--language", "da"]).exit_code == 0


def test_what_cannot_be_printed_is_escaped_in_json() -> None:
    """A name may hold a character that changes how a terminal shows the rest."""
    assert _escaped("Åse\u202e") == "Åse\\u202e"


def test_a_damaged_log_is_left_out(tmp_path: Path) -> None:
    """The others are reported; standard error names the damaged one, and the exit code is 4."""
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(Path(EBF).read_bytes().replace(b"12:00:20", b"12:00:21", 1))
    result = report(EBF, str(damaged), "--csv", code=DAMAGED)
    assert len(result.stdout.splitlines()) == 2
    assert f"{damaged}, line 2" in result.stderr
    assert report(str(damaged), code=DAMAGED).stdout == ""
