"""The pages of the director: menu, form and code."""

import pytest
from msgspec import structs

from clock.match.durations import clock_text
from clock.match.inputs import OvertimeGranted, TimeSet
from clock.match.rules import Recorded, RulingReason
from clock.match.types import Pair
from clock.ui.dialogue import MenuPage
from clock.ui.forms import Choice
from clock.ui.i18n import ABOUT_LINES, LANGUAGES
from clock.ui.menu import items
from clock.ui.menu_fields import in_file
from clock.units import MINUTE_NS
from lab.support.desk import STILL, C, R, absent, in_break, scored, stopped
from lab.support.rows import rest_slow
from lab.support.world import RIGHT

CONDUCT = RulingReason.CONDUCT


def test_what_was_entered_is_seen() -> None:
    table = stopped().open_item("set_time").enter(RIGHT)
    assert table.faces().right.lines == ("Right", "Hold centre: back", "")
    table.enter(65 * MINUTE_NS)
    assert table.faces().right.lines == ("Right", "1:05:00", "Hold centre: back")
    table.state = table.state.replace(names=Pair("Bo", "Wolfeschlegelsteinhausen"))
    assert table.through().faces().left.lines[1] == "Wolfeschlege… (Right)"


@pytest.mark.rule("R222")
@pytest.mark.parametrize(
    ("item", "entered", "shown"),
    [
        ("end_match", (RIGHT, "director", CONDUCT), ("Right", "director's decision", "Conduct")),
        ("set_time", (RIGHT, 0, "time_penalty", CONDUCT), ("0:00", "Time penalty", "Conduct")),
        ("score", (RIGHT, 3, CONDUCT), ("Right", "3", "Conduct")),
        ("end_without_winner", (CONDUCT,), ("Conduct",)),
        (
            "add_time",
            (RIGHT, -MINUTE_NS, "time_penalty", CONDUCT),
            ("-1:00", "Time penalty", "Conduct"),
        ),
    ],
)
def test_what_was_entered_is_seen_when_it_is_asked_who_rules(
    item: str, entered: tuple[object, ...], shown: tuple[str, ...]
) -> None:
    table = stopped(record=(Recorded.WHO,)).open_item(item).enter(*entered)
    assert table.faces().left.status == "Who rules?"
    assert table.faces().right.lines[: len(shown)] == shown


def test_names_of_the_settings_file_are_seen_when_it_is_asked_who_rules() -> None:
    table, names = stopped(record=(Recorded.WHO,)).open_item("names"), Pair("Bodil", "Ada")
    assert isinstance(table.form.entry, Choice)
    entry = in_file(table.form.entry, table.state, names)
    table.dialogue = table.dialogue.replace(page=structs.replace(table.form, entry=entry))
    assert table.tap(C).faces().right.lines[0] == "Bodil - Ada"


@pytest.mark.rule("R216")
def test_undo_names_one_of_two_players_of_a_family() -> None:
    table = scored()
    table.state = table.state.replace(names=Pair("Jan de Vries", "Pieter de Vries"))
    titles = [line for line in table.hold().faces().left.lines if line.startswith("Undo")]
    assert titles == ["Undo: J. Vries +1"]


@pytest.mark.rule("R212")
def test_undo_says_more_than_whose_ruling_it_takes_back() -> None:
    table = stopped()
    table.input(OvertimeGranted, side=RIGHT, granted_ns=MINUTE_NS)
    assert table.hold().faces().left.lines[0] == "Undo: Right: overt…"
    table = stopped()
    table.input(TimeSet, side=RIGHT, new_ns=table.reserve_ns(RIGHT) - MINUTE_NS, why="director")
    assert table.hold().faces().left.lines[0] == "Undo: Trilli… -1:00"
    table = in_break("us")
    table.language = "da"
    assert table.hold().faces().left.lines[0] == "Fortryd: Pause…"  # no part of a time


def test_without_a_delay_a_clock_is_not_started_with_one() -> None:
    table, told = stopped("nbgf-analog").hold(), set[object]()
    for item in items(table.state):
        table.dialogue = table.dialogue.replace(page=MenuPage(item.name))
        told.add(table.faces().right.lines)
    assert len(told) == len(items(table.state))


def test_the_digit_being_entered_is_seen() -> None:
    table = stopped().open_item("set_time").enter(RIGHT).tap(C, R)
    left = table.faces().left
    reserve = clock_text(table.reserve_ns(RIGHT))
    assert left.lines[:2] == (f" 0 :[3] {reserve[1]} : {reserve[3]}  {reserve[4]} ", "± 10:00")
    assert left.selected == 0


@pytest.mark.parametrize("language", rest_slow(LANGUAGES))
def test_pages_of_the_menu_are_calm(language: str) -> None:
    """Whatever is selected, they are laid out alike: small reserve, three lines or four."""
    for make in STILL.values():
        table = make().hold()
        table.language = language
        for item in items(table.state):
            table.dialogue = table.dialogue.replace(page=MenuPage(item.name))
            left, right = table.faces()
            assert len(left.lines) >= 3
            assert 3 <= len(right.lines) <= ABOUT_LINES


def test_nothing_stands_over_the_plungers_if_there_is_no_choice() -> None:
    """Only the left player is late, and the right plunger selects nobody else."""
    table = absent().pass_time(7 * MINUTE_NS).open_item("waive_late").tap(R)
    assert [face.keys for face in table.faces()] == [("", "OK", "")] * 2
    table = stopped("nbgf-analog").open_item("off_clock").enter(RIGHT)  # one of two
    assert [face.keys for face in table.faces()] == [("◀", "OK", ""), ("", "OK", "▶")]
