"""The page on which a match is chosen that is resumed (R131)."""

import pytest

from clock.match.inputs import Noted, TakeUpWanted
from clock.match.types import Pair
from clock.ui.dialogue import MenuPage, TakeUpPage
from clock.ui.i18n import LANGUAGES, LINE_LENGTH
from clock.units import MINUTE_NS
from lab.support.desk import LEFT, C, L, R, aside, to_take_up
from lab.support.rows import row


@pytest.mark.rule("R131")
def test_the_list_says_what_a_slip_says() -> None:
    """R131: names, date, score, both times, whose turn, head; the centre resumes it."""
    table = to_take_up()
    table.shelf = {"1": aside().state}
    table.open_item("take_up").tap(R)
    left, right = table.faces()
    assert (left.selected, left.lines[1]) == (1, "Ford Prefect - Marvin")
    assert (left.reserve, right.reserve, right.status) == ("9:00", "17:01", "3-5/11")
    assert right.lines == (
        "2026-05-01 21:34",
        "Left is on move",
        "7KQ2-M9XT-4WDA",
        "of another clock",
    )
    table.tap(C)
    assert table.given[-1] == TakeUpWanted(table.now_ns, "1")


def test_a_match_is_marked_that_was_not_put_aside() -> None:
    """Its end may be missing; a damaged one is marked before all else. Names are shortened."""
    marks: dict[str, dict[str, object]] = {
        "of this clock": {"is_own": True},
        "NOT ADJOURNED: check": {"is_put_aside": False},
        "DAMAGED: check all": {"is_put_aside": False, "is_damaged": True},
        "Between games": {"mover": None},
    }
    for says, change in marks.items():
        with row(says):
            table = to_take_up(change).open_item("take_up")
            assert says in table.faces().right.lines
    names = Pair("Ford Prefect of Betelgeuse", "Slartibartfast Magrathea")
    pace = {"names": names, "reserves": Pair(-61 * MINUTE_NS, 0)}
    table = to_take_up(pace).open_item("take_up")
    assert table.faces().left.reserve == "1:01:00"
    assert table.faces().left.lines[0] == "Betelgeu… - Magrathea"
    assert table.faces().left.keys == ("", "resume", "")


def test_without_a_match_the_page_can_only_be_left() -> None:
    """The centre closes it, and so does holding it; nothing is asked of the runtime."""
    table = aside().open_item("take_up")
    for language in LANGUAGES:
        table.language = language
        assert all(len(line) <= LINE_LENGTH for face in table.faces() for line in face.lines)
    table.tap(L, R)
    assert table.dialogue.page == TakeUpPage()
    assert table.twin().tap(C).dialogue.page is None
    assert isinstance(table.twin().tap(C).given[-1], Noted)
    assert table.hold().dialogue.page == MenuPage("take_up")
    assert table.state.turn is not None
    assert table.state.turn.side is LEFT
