"""The page of a match's rulings, as text and as HTML."""

import re

import pytest
from msgspec.structs import replace

from clock.match import inputs
from clock.match.rules import Reason
from clock.match.types import Pair, ResumeWith
from clock.report.rulings_page import WIDTH, rulings_html, rulings_text
from clock.ui.i18n import LANGUAGES, sayer
from lab.support.reports import BANK_NS, REPORTS, compare, told
from lab.support.world import LEFT, RIGHT, World

LINES_OF_A4 = 60


def three_calls() -> World:
    """A match in which the director was called three times and gave time twice."""
    world = World.stopped(length=5)
    for side in (LEFT, RIGHT):
        world.choose(Reason.DIRECTOR_CALLED)
        world.input(inputs.TimeSet, side=side, new_ns=BANK_NS, why="director").centre("1:00")
        world.centre("0:30")
    return world.choose(Reason.DIRECTOR_CALLED).centre()


@pytest.mark.rule("R115")
@pytest.mark.parametrize("language", LANGUAGES)
def test_three_calls_fit_on_one_side(language: str) -> None:
    """Plain text of 80 columns, with the fingerprint of the log and room for three signatures."""
    of = told(three_calls())
    lines = rulings_text(of, sayer(language)).splitlines()
    assert len(lines) <= LINES_OF_A4
    assert max(map(len, lines)) <= WIDTH
    assert of.fingerprint in "".join(lines)
    assert sum("____" in line for line in lines) == 3


@pytest.mark.rule("R115")
def test_a_call_names_clock_reserves_ruling_and_lines() -> None:
    """Of the first call; the third one has no ruling."""
    text = rulings_text(told(three_calls()), sayer("en"))
    assert "1. 10:00:20: Director called, in Left's turn.\n   Left: 9:52 → 10:00\n" in text
    assert re.search(r"#\d+ +10:00:20  Director: Left, 9:52 → 10:00", text)
    assert "No ruling was entered" in text.split("3. ")[1]


def test_a_page_is_as_it_was() -> None:
    """With names that take more than a line; as text and as HTML."""
    of = replace(told(three_calls()), names=Pair("Anna Maria" + " Luisa" * 10, "Bo" + " Li" * 20))
    compare(REPORTS / "rulings.txt", rulings_text(of, sayer("en")))
    compare(REPORTS / "rulings.html", rulings_html(of, sayer("de"), "de"))


def test_no_name_makes_a_line_too_long() -> None:
    longest = 0
    for count in range(30):
        of = replace(told(three_calls()), names=Pair("i" * count + " i" * 60, "Bo"))
        longest = max(longest, *map(len, rulings_text(of, sayer("en")).splitlines()))
    assert longest == 80


def test_names_and_times_are_no_markup() -> None:
    """Nobody checks what the computer's clock has written into a log."""
    of = replace(told(three_calls()), names=Pair("<b>&", "Bo"))
    (case, *_) = of.cases
    odd = [
        each._replace(stamp=each.stamp._replace(on_scale="2026-05-01T<style>"))
        for each in case.lines
    ]
    page = rulings_html(replace(of, cases=(case._replace(lines=tuple(odd)),)), sayer("en"), "en")
    assert "&lt;b&gt;&amp;" in page
    assert "<td>&lt;style&gt;<td>" in page
    assert "<b>" not in page


def test_texts_of_a_log_move_no_cursor() -> None:
    of = told(three_calls())
    stamp = of.first._replace(on_scale="\x9b31m\u202e" + of.first.wall)
    of = replace(of, match="\x1b[2J", first=stamp)
    for page in (rulings_text(of, sayer("en")), rulings_html(of, sayer("en"), "en")):
        assert page.replace("\n", "").isprintable()
        assert "?31m?" in page


def test_players_without_a_name_are_called_by_their_side() -> None:
    of = told(three_calls())
    assert "Links: 9:52" in rulings_text(of, sayer("de"))
    assert "Links: 9:52" in rulings_html(of, sayer("de"), "de")


def test_a_long_ruling_goes_on_below_itself() -> None:
    of = replace(told(three_calls()), names=Pair("Left", "Right"))
    (case, *_) = of.cases
    seats = Pair("Anna " * 20, "Bo")
    lines = tuple(line._replace(seats=seats) for line in case.lines)
    text = rulings_text(replace(of, cases=(case._replace(lines=lines),)), sayer("en"))
    start = next(line for line in text.splitlines() if "Director: Anna" in line)
    below = text.splitlines()[text.splitlines().index(start) + 1]
    assert below.index("Anna") == start.index("Director:")


@pytest.mark.rule("R115")
def test_what_ended_a_call_stands_once() -> None:
    """What lets play go on is a ruling already."""
    world = World.stopped(length=5).choose(Reason.CLOCK_FAULTY).centre()
    world.input(inputs.TurnResumed, side=LEFT, delay=ResumeWith.FULL)
    text = rulings_text(told(world), sayer("en"))
    line = f"#{len(world.records)} "
    assert text.count(line) == 1
