"""The tables of a report: whole ones beside their scripts, five disputes among them.

After a change that is meant: `NEW_PICTURES=1 pytest tests/report` writes them anew; read them.
"""

import re
from collections import Counter
from pathlib import Path

import click.testing
import pytest

from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.report.build import summary
from clock.report.tables import MOST_LISTED, SHEETS, of_turn, only, sheets
from clock.ui.i18n import LANGUAGES, sayer
from clock.units import SECOND_NS
from gammonclock.__main__ import main
from tests.support.last_run import continued, match_in
from tests.support.match_scripts import Author, log_of, named, random_match
from tests.support.reports import BANK_NS, REPORTS, compare, printed, settings, told, words
from tests.support.world import LEFT, RIGHT, World, match_settings

S = SECOND_NS


SCRIPTS = sorted(REPORTS.glob("*.script"))


def said(*arguments: str) -> str:
    """What a command that ends well prints in a terminal of 80 columns."""
    result = click.testing.CliRunner(env={"COLUMNS": "80"}).invoke(main, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.rule("R83", "R102", "R103")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_report_is_as_it_was(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a terminal of 80 columns, with all turns; players by name and buttons without an owner."""
    own = script.with_suffix(".toml")
    config = own if own.exists() else REPORTS / "dispute.toml"
    monkeypatch.chdir(tmp_path)
    said("play", str(script), "--config", str(config), "--log", "match.jsonl")
    report = said("report", "match.jsonl", "--turns")
    assert max(map(len, report.splitlines())) <= 80
    assert "…" not in report
    compare(script.with_suffix(".txt"), re.sub(r"(?<=program version )\S+", "VERSION", report))


def test_names_are_no_markup() -> None:
    """A name can neither colour a report nor move the cursor."""
    odd = named(settings(), "[red]A[/]", "B\x1b[2J")
    text = printed(summary(log_of("0 wait", odd)))
    assert "[red]A[/]" in text
    assert "B?[2J" in text


def test_a_name_without_a_space_is_broken_in_a_narrow_terminal() -> None:
    """No letter of it is lost."""
    of = summary(log_of("0 wait", named(settings(), "W" * 60, "Bo")))
    assert printed(of, 80).count("W") == printed(of, 300).count("W")


def test_the_log_that_this_one_continues_is_named() -> None:
    """With the line from which on the match goes on, and what was damaged."""
    lines = match_in("STOPPED").lines
    text = words(summary(continued(salvage([*lines, b"torn"], None), "damaged", "new")))
    assert "log match, line 6" in text
    assert "line 7: the hash is wrong" in text


def test_a_game_whose_result_was_corrected() -> None:
    """Says so, with the time of day."""
    world = World.between_games(length=5).act(inputs.ScoreSet, side=LEFT, points=2)
    assert "corrected 10:00:00" in words(told(world))


def test_of_what_was_before_the_first_turn_no_heading_stands_alone() -> None:
    """There is no table of turns."""
    of = told(World.running().press(LEFT).press(RIGHT))
    for number in (0, 1):
        assert all(table.row_count for table in of_turn(number, of, sayer("en")))


def test_many_refused_presses_are_counted() -> None:
    """A player who plays with the button gets one row; up to ten presses have one each."""
    world = World.running()
    for _ in range(MOST_LISTED):
        world.press(RIGHT)
    assert "Presses without effect:" not in printed(told(world))
    assert "Presses without effect: 11" in printed(told(world.press(RIGHT)))


@pytest.mark.parametrize("part", SHEETS)
def test_a_part_of_which_nothing_happened_is_left_out(part: str) -> None:
    """No heading stands alone."""
    assert all(table.row_count for table in only(part, told(World.ready()), sayer("en")))


@pytest.mark.rule("R101")
def test_an_absent_players_clock_was_started_by_the_director() -> None:
    """Nobody confirmed, and the report says why."""
    author = Author(settings(profile="nbgf"))
    author.direct("absent_clock", RIGHT)
    author.do("press centre", 100)
    author.do("press left", 5)
    of = told(author)
    assert of.confirmed is None
    started = "not confirmed: Bo was absent, and the TD started their clock at 12:00:14"
    assert started in words(of)
    assert "NEVER CONFIRMED" not in words(of)
    assert "Director: Bo late, Their clock runs" in words(of)


@pytest.mark.rule("R102")
def test_time_given_at_a_stop() -> None:
    """From after its line to the line that ends it; not what was given at another stop."""

    def rows(world: World) -> list[str]:
        sheet = next(s for s in sheets(told(world), sayer("en")) if s.title == "Stops")
        return [row[-1] for row in sheet.rows]

    world = World.stopped().act(inputs.TimeSet, side=LEFT, new_ns=BANK_NS, why="director").centre()
    assert rows(world) == ["Left -11:52"]
    world.centre().act(inputs.TimeSet, side=RIGHT, new_ns=BANK_NS, why="director")
    assert rows(world) == ["Left -11:52", "Right -12:00"]
    assert rows(world.centre().centre()) == ["Left -11:52", "Right -12:00", "none"]


@pytest.mark.slow
@pytest.mark.rule("R102")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", ["ebf", "nbgf"])
def test_nothing_is_cut_in_a_terminal_of_80(language: str, profile: str) -> None:
    """With the longest names, each letter of a wide terminal is in the narrow one too."""
    long = named(match_settings(length=5, profile=profile), "Maximilianus", "Wilhelmina-W")
    of = summary(log_of(random_match(long, 2).script, long))
    narrow, wide = (printed(of, width, language) for width in (80, 300))
    assert max(map(len, narrow.splitlines())) <= 80
    assert letters(narrow) == letters(wide)


def letters(text: str) -> Counter[str]:
    """How often each letter occurs; lines and spaces do not count."""
    return Counter(letter for letter in text if letter not in " \n─")
