"""The director's page is right: each row of its tables is pressed as printed, and comes out so.

A row is run under the profiles of the federations that it names before a colon, or under all if it
names none. What stands in `code` in its cells must be on the panels before and after the presses,
and the items in *italics* must be the ones that the presses choose.
"""

import re

import pytest

from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.text import tables
from clock.ui.i18n import sayer
from lab.docs.page_length import LINES_PER_PAGE, printed_lines
from lab.support.desk import desk
from lab.support.rows import rest_slow, row
from tests.docs.director_cases import REASONS, SITUATIONS
from tests.docs.director_page import (
    CLOCK_RUNS,
    ON_PAGE,
    PAGE,
    REASON_HEAD,
    REASON_LINES,
    SITUATION_LINES,
    Row,
    check,
    codes,
    first_federation,
    letters,
    lines_of_tables,
    press,
    profiles_of,
    reason_rows,
    selected_item,
    situation_rows,
    texts,
)

SAY = sayer("en")


def test_the_page_is_three_pages_in_print() -> None:
    assert printed_lines(PAGE) <= 3 * LINES_PER_PAGE


def test_each_row_is_tried() -> None:
    """Each row of the tables has a case, and each case a row."""
    assert [cells[0] for cells in SITUATION_LINES] == list(SITUATIONS)
    assert [(cells[0], first_federation(cells)) for cells in REASON_LINES] == list(REASONS)


@pytest.mark.parametrize("profile", rest_slow(ON_PAGE))
def test_a_situation(profile: str) -> None:
    """The panels show what the row says, and the last press brings about what it promises."""
    for each in rows_of(profile, situation_rows()):
        with row(each.title):
            assert codes(each.shows) or each.shows == CLOCK_RUNS
            assert each.case.so(check(each))


@pytest.mark.parametrize("profile", ON_PAGE)
def test_a_reason(profile: str) -> None:
    """The presses of the row choose its reason, and the centre does what the row promises."""
    for each in rows_of(profile, reason_rows()):
        with row(each.title):
            table = each.case.begin(profile)
            press(table, letters(each.presses)[:-1])
            assert each.title in texts(table)
            assert each.case.so(check(each))


def rows_of(profile: str, rows: list[Row]) -> list[Row]:
    """Return the rows of a profile, of which there are some."""
    chosen = [each for each in rows if each.profile == profile]
    assert chosen
    return chosen


@pytest.mark.parametrize("profile", ON_PAGE)
def test_the_reasons_of_each_profile(profile: str) -> None:
    """The table has presses for each reason that a profile offers, and for no other."""
    offered = {SAY(f"reason_{reason.value}") for reason in PROFILES[profile].reasons}
    columns = [at for at, names in enumerate(REASON_HEAD[1:-1], 1) if profile in profiles_of(names)]
    listed = [cells[0] for cells in REASON_LINES for at in columns if cells[at] != "-"]
    assert sorted(listed) == sorted(offered)


def test_each_reason_is_on_the_page() -> None:
    """Each reason that the panels may show is on the page, those outside the table too."""
    assert [r for r in Reason if SAY(f"reason_{r.value}") not in PAGE] == []


def test_buttons_are_tried_in_the_menu() -> None:
    """Hold, turn, hold again, as the page says before the round: nothing is confirmed by that."""
    table = desk()
    press(table, ["H"])
    first = selected_item(table)
    press(table, ["R"])
    assert selected_item(table) != first
    press(table, ["L", "H"])
    assert selected_item(table) is None
    assert not any(player.confirmed for player in table.state.players)


def test_what_else_is_shown() -> None:
    """Each text of the table of what the panels also show is one of theirs, or a log code."""
    words = tables("en", "panels")
    texts = "\n".join((*words["status"].values(), *words["lines"].values()))
    known = re.sub(r"\{\w+\}", "1", texts).splitlines()
    cells = [cell for line in lines_of_tables("also shown")[1:] for cell in codes(line[0])]
    others = [text for text in cells if re.sub(r"\d", "1", text) not in known]
    assert others == ["7KQ2-M9XT-4WDA"]
