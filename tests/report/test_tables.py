"""The tables of a report: whole ones beside their scripts, five disputes among them.

After a change that is meant: `NEW_PICTURES=1 pytest tests/report` writes them anew; read them.
"""

import re
from collections import Counter
from functools import cache
from io import StringIO
from pathlib import Path

import click.testing
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

import clock.report.tables as table_module
from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.durations import clock_text
from clock.match.rules import Reason
from clock.match.types import Pair, ResumeWith
from clock.report.build import summary
from clock.report.rulings_page import rulings_text
from clock.report.summary import Summary
from clock.report.tables import (
    MOST_LISTED,
    SHEETS,
    Sheet,
    TerminalSheet,
    of_stop,
    of_turn,
    only,
    render,
    sheets,
    tables,
)
from clock.ui.i18n import LANGUAGES, sayer
from clock.units import SECOND_NS
from gammonclock.__main__ import main
from lab.support.last_run import continued, match_in
from lab.support.match_scripts import Author, log_of, named, random_match
from lab.support.reports import (
    BANK_NS,
    REPORTS,
    compare,
    lines_of,
    printed,
    settings,
    told,
    words,
)
from lab.support.rows import rest_slow
from lab.support.world import DELAY_NS, LEFT, RIGHT, World, match_settings

S = SECOND_NS


SCRIPTS = sorted(REPORTS.glob("*.script"), key=lambda path: (path.stem != "everything", path))


def said(*arguments: str) -> str:
    """What a command that ends well prints in a terminal of 80 columns."""
    result = click.testing.CliRunner(env={"COLUMNS": "80"}).invoke(main, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


@pytest.mark.rule("R83", "R102", "R103")
@pytest.mark.parametrize("script", rest_slow(SCRIPTS), ids=lambda path: path.stem)
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
    odd = named(settings(), "[red]A[/]", "B\x1b[2J")
    of = summary(log_of("0 wait", odd))
    assert "[red]A[/]" in (text := printed(of))
    assert "B?[2J" in text
    assert of.passages[0].lines[0].seats == of.names == Pair("[red]A[/]", "B?[2J")


def test_a_name_without_a_space_is_broken_in_a_narrow_terminal() -> None:
    of = summary(log_of("0 wait", named(settings(), "W" * 60, "Bo")))
    assert printed(of, 80).count("W") == printed(of, 300).count("W")


def test_the_log_that_this_one_continues_is_named() -> None:
    """With the line from which on the match goes on, and what was damaged."""
    lines = match_in("STOPPED").lines
    text = words(summary(continued(salvage([*lines, b"torn"], None), "damaged", "new")))
    assert "log match, line 6" in text
    assert "line 7: the hash is wrong" in text
    assert "line 6, its lines replayed, 1 unknown lines, damaged" in text
    assert "Log was damaged" in text.partition("Restarts")[2]
    assert "Program stopped" not in text
    whole = words(summary(continued(salvage(lines, None), "taken_up", "new")))
    assert "line 6, its lines replayed Did not occur" in whole


def test_a_game_whose_result_was_corrected() -> None:
    world = World.between_games(length=5).input(inputs.ScoreSet, side=LEFT, points=2)
    assert "corrected 10:00:00" in words(told(world))


def test_of_what_was_before_the_first_turn_no_heading_stands_alone() -> None:
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
    assert all(table.sheet.rows for table in only(part, told(World.ready()), sayer("en")))


@pytest.mark.rule("R101")
def test_an_absent_players_clock_was_started_by_the_director() -> None:
    author = Author(settings(profile="nbgf"))
    author.direct("absent_clock", RIGHT)
    author.do("press centre", 100)
    author.do("press left", 5)
    of = told(author)
    assert of.confirmed is None
    started = "not confirmed: Bo was absent, and the TD started their clock at 12:00:14"
    assert started in words(of)
    assert "NEVER CONFIRMED" not in words(of)
    assert "Director: Bo late, Bo's clock runs" in words(of)


@pytest.mark.rule("R102")
def test_time_given_at_a_stop() -> None:
    """From after its line to the line that ends it; not what was given at another stop."""

    def rows(world: World) -> list[str]:
        sheet = next(s for s in sheets(told(world), sayer("en")) if s.title == "Stops")
        return [row[-1] for row in sheet.rows]

    world = (
        World.stopped().input(inputs.TimeSet, side=LEFT, new_ns=BANK_NS, why="director").centre()
    )
    assert rows(world) == ["Left -11:52"]
    world.centre().input(inputs.TimeSet, side=RIGHT, new_ns=BANK_NS, why="director")
    assert rows(world) == ["Left -11:52", "Right -12:00"]
    assert rows(world.centre().centre()) == ["Left -11:52", "Right -12:00", "none"]


@pytest.mark.slow
@pytest.mark.rule("R102")
@pytest.mark.parametrize(
    ("language", "profile"), [*((each, "ebf") for each in LANGUAGES), ("nb", "nbgf")]
)
def test_nothing_is_cut_in_a_terminal_of_80(language: str, profile: str) -> None:
    """With the longest names, each letter of a wide terminal is in the narrow one too."""
    of = long_names(profile)
    narrow, wide = (printed(of, width, language) for width in (80, 300))
    assert max(map(len, narrow.splitlines())) <= 80
    assert letters(narrow) == letters(wide)


@cache
def long_names(profile: str) -> Summary:
    """What happened in a match of two players with long names."""
    long = named(match_settings(length=5, profile=profile), "Maximilianus", "Wilhelmina-W")
    return summary(log_of(random_match(long, 2).script, long))


def letters(text: str) -> Counter[str]:
    """How often each letter occurs; lines and spaces do not count."""
    return Counter(letter for letter in text if letter not in " \n─")


def happened() -> World:
    """A match in which something of everything has happened, in both games."""
    world = World.between_games(length=5).press(RIGHT).press(RIGHT).press(LEFT)
    world.stop_for(Reason.TIME_EXPIRED).input(inputs.FlagSet, side=LEFT, order=1)
    world.input(inputs.HoldLifted)
    world.input(inputs.FaultSeen, part="log", what="full").input(inputs.FaultCleared, part="log")
    world.input(inputs.FaultSeen, part="panel", what="gone")
    world.choose(Reason.GAME_OVER).centre().press(LEFT).centre()
    world.give(inputs.Restored(world.now_ns, 0, None))
    return world


def rows(title: str, of: Summary) -> list[tuple[str, ...]]:
    return [row for sheet in sheets(of, sayer("en")) if sheet.title == title for row in sheet.rows]


def test_what_is_not_known_of_a_break_has_a_dash() -> None:
    world = World.ready().take_breaks(1, 0)
    (known,) = rows("Breaks", told(world))
    assert (known[1], known[4]) == ("10:00:00", "-")
    never = summary(lines_of(world, "1970-01-01T00:00:07+00:00"))
    (unknown,) = rows("Breaks", never)
    assert unknown[1:3] == ("-", "-")


def test_where_everything_has_occurred_nothing_has_not() -> None:
    world = happened().take_breaks(1, 0)
    assert "Did not occur -" in words(told(world))


def test_the_result_alone_is_bold() -> None:
    heading, *_ = tables(told(World.ready()), sayer("en"))
    assert isinstance(heading, Table)
    names, values = (list(column.cells) for column in heading.columns)
    bold = [
        str(name)
        for name, value in zip(names, values, strict=True)
        if isinstance(value, Text) and value.style == "bold"
    ]
    assert bold == ["Result"]


def test_all_turns_are_listed_on_request() -> None:
    """Players without a name are called by their side there too."""
    of = told(World.running().press(LEFT))
    assert "All turns" not in printed(of, language="en")
    german = {sheet.title: sheet for sheet in sheets(of, sayer("de"))}
    assert "Alle Züge" not in german
    assert [row[0] for row in german["Spieler"].rows] == ["Links", "Rechts"]
    assert "Alle Züge" in {sheet.title for sheet in sheets(of, sayer("de"), every_turn=True)}


def test_time_that_was_given_stands_below_the_turn_in_which_it_was() -> None:
    """Up to the last line of the log, and up to the line that begins the next turn."""
    world = World.stopped(length=5).input(inputs.TimeSet, side=LEFT, new_ns=S, why="director")
    *_, every = sheets(told(world), sayer("en"), every_turn=True)
    assert [row[0] for row in every.rows] == ["1", ""]
    world.input(inputs.TurnResumed, side=RIGHT, delay=ResumeWith.FULL)
    world.input(inputs.TimeSet, side=RIGHT, new_ns=S, why="director")
    *_, every = sheets(told(world.press(RIGHT, "0:01")), sayer("en"), every_turn=True)
    assert [row[0] for row in every.rows] == ["1", "", "2", "3"]
    taken_up = World.stopped(length=5).choose(Reason.ILLEGAL_MOVE).centre().centre("0:15")
    taken_up.input(inputs.TurnResumed, side=LEFT, delay=ResumeWith.REST).press(LEFT)
    *_, every = sheets(told(taken_up), sayer("en"), every_turn=True)
    assert [row[0] for row in every.rows] == ["1", "2", "", "3", "4"]
    assert every.rows[2][4] == "9:57 → 10:00"
    overtime = World.running(length=5, overtime_ns=60 * S).press(LEFT).wait("30:00")
    assert [row[0] for row in first_table(of_turn(1, told(overtime), sayer("en")))] == ["1"]


def test_steps_through_reasons_and_points_are_counted() -> None:
    world = World.running().press(LEFT).press(RIGHT).press(LEFT).centre()
    while world.state.reason is not Reason.GAME_OVER:
        world.press(LEFT)
    world.centre().press(RIGHT).press(RIGHT)
    texts = [row[3] for row in last_table(of_turn(4, told(world), sayer("en")))]
    assert texts[-3:] == [
        "11x Left's plunger, Game over / drop",
        "Game over / drop",
        "2x Right's plunger",
    ]


def first_table(found: list[Table]) -> list[tuple[str, ...]]:
    """The rows of the first of some tables."""
    return last_table(found[:1])


def last_table(found: list[Table]) -> list[tuple[str, ...]]:
    """The rows of the last of some tables."""
    columns = [[str(cell) for cell in column.cells] for column in found[-1].columns]
    return list(zip(*columns, strict=True))


def test_one_stop_is_shown_with_its_turn() -> None:
    world = (
        World.running().centre("0:05").centre().press(LEFT).centre("0:06").centre().centre("9:00")
    )
    shown = of_stop(2, told(world), sayer("en"))
    (stop,) = first_table(shown)
    assert stop[2] == "2"
    assert "2" in [row[0] for row in last_table(shown[:2])]


CELLS = st.text("a1 é東\u0301→", max_size=12).map(str.strip)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS), min_size=1), st.integers(20, 70))
def test_a_long_table_looks_as_a_short_one_where_there_is_room(
    rows: list[tuple[str, ...]], width: int
) -> None:
    """It is printed row by row, and none is broken; also where a column is empty."""
    sheet = Sheet("All", (">turn", "began", "player", ">length"), rows)
    pictures = []
    for shown, columns in (
        (TerminalSheet(sheet, sayer("en")), width),
        (render(sheet, sayer("en")), 200),
    ):
        console = Console(file=(file := StringIO()), width=columns, force_terminal=True)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(table_module, "LONG", 1)
            console.print(shown, crop=False)
        pictures.append([line.rstrip() for line in file.getvalue().splitlines()])
    assert pictures[0] == pictures[1]


@pytest.mark.rule("R102")
@hypothesis_settings(derandomize=True, max_examples=50)
@given(st.integers(1, 25 * S))
def test_all_tables_and_the_sheet_say_the_same_of_a_reserve(left_ns: int) -> None:
    """A player with a nanosecond left has 0:01 in each of them, never 0.2 in one."""
    world = World.running(LEFT, length=5).press(LEFT, BANK_NS + DELAY_NS - left_ns)
    world.centre().choose(Reason.DIRECTOR_CALLED)
    world.input(inputs.TimeSet, side=LEFT, new_ns=BANK_NS, why="director")
    of, say = told(world), sayer("en")
    rows = {sheet.title: sheet.rows for sheet in sheets(of, say, every_turn=True)}
    text = clock_text(left_ns)
    assert rows["All turns"][0][4] == f"10:00 → {text}"
    assert f"{text} / 10:00" in rows["Stops"][0]
    assert f"{text} → 10:00" in rows["Director's rulings, lateness"][0][-1]
    assert f": {text} → 10:00\n" in rulings_text(of, say)
