"""The presses of the director's frequent acts: as the clock takes them, and as in the document."""

import pytest

from clock.match.events import AdjustedEvent, PenaltyEvent
from clock.ui.menu import MENU
from clock.units import SECOND_NS
from lab.menu_presses import CONDUCT, GROUPS, MORE_TIME, NOW, begin, cost, grouped, table
from lab.support.desk import LEFT
from lab.support.paths import ROOT
from tests.docs.director_page import letters, press


@pytest.mark.rule("R133")
def test_the_table_is_in_the_document() -> None:
    """R133: before, now, and in groups; ten acts and their sum."""
    text = (ROOT / "docs" / "decisions" / "0017-repeats-not-groups.md").read_text(encoding="utf-8")
    lines = table()
    assert len(lines) == 2 + 10 + 1
    assert "\n".join(lines) in text


@pytest.mark.rule("R133")
def test_the_acts_that_the_page_does_not_have_come_out() -> None:
    """R133: those of the other rows are pressed by the tests of the page."""
    clock = begin(MORE_TIME)
    press(clock, letters(NOW[MORE_TIME]))
    changed = clock.events(AdjustedEvent)[-1]
    assert isinstance(changed, AdjustedEvent)
    assert changed.new_ns - changed.old_ns == 72 * SECOND_NS
    clock = begin(CONDUCT)
    press(clock, letters(NOW[CONDUCT]))
    given = clock.last()
    assert isinstance(given, PenaltyEvent)
    assert (given.side, given.why, given.points) == (LEFT, "conduct", 1)
    assert max(cost(NOW[title]).presses for title in (MORE_TIME, CONDUCT)) <= 10


def test_each_item_is_in_one_group() -> None:
    """The comparison leaves none out; the left plunger goes around, as in the list."""
    assert sorted(name for group in GROUPS for name in group) == sorted(m.name for m in MENU)
    assert grouped("time expired and claimed").split() == ["H", "L", "C", "R", "C", "C", "C", "C"]


def test_a_held_plunger_is_one_press() -> None:
    """From five steps on: 0.5 s, then eight a second; the centre is pressed each time."""
    held, tapped = cost("R12 C"), cost("R12 C", repeats=False)
    assert (held.presses, tapped.presses) == (2, 13)
    assert round(tapped.later_s - held.later_s, 2) == round(12 * 0.28 - (0.5 + 10 / 8), 2)
    assert cost("H R2 C").first_s - cost("H R2 C").later_s == pytest.approx(2 * 1.35)
