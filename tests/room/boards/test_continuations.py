"""A match that was resumed twice: each board that goes on with it says so (R131)."""

import pytest

from clock.match import inputs
from lab.support.boards import Hall
from lab.support.last_run import S
from lab.support.logs import renamed
from room.boards.board import Board
from room.boards.continuations import Continuations
from room.sources.events import LinesRead, Place
from tests.eventlog.test_links import ONE, THREE, TWO, taken_up

PLACES = [Place(f"hall/{name}", name, is_file=False, hint=name) for name in ("1", "2", "3")]
PLAYED = (inputs.CentrePressed(6), inputs.CentrePressed(9 * S))
RIVAL = taken_up(ONE, "rival", *PLAYED)


def told(hall: Hall, at: int, match: str, lines: list[bytes]) -> dict[str, Board]:
    """The boards after a clock has sent a log."""
    hall.tell(LinesRead(PLACES[at], match, tuple(lines), 0, live=True))
    hall.heard(PLACES[at], 0, len(lines))
    hall.register.refresh_touched(0)
    return hall.register.boards


@pytest.mark.rule("R131")
def test_both_boards_of_a_match_taken_up_twice_say_so() -> None:
    """R131: the one that was first, too; each names the other log."""
    hall = Hall()
    boards = told(hall, 0, "second", TWO[:3])
    assert (boards["1"].rivals, boards["1"].attention) == ([], [])
    boards = told(hall, 1, "rival", RIVAL[:2])
    assert [(id_, each.rivals) for id_, each in boards.items()] == [
        ("1", ["rival"]),
        ("2", ["second"]),
    ]
    assert all(each.attention == ["twice"] for each in boards.values())


@pytest.mark.rule("R131")
def test_it_stays_known_when_one_of_the_two_goes_on() -> None:
    """R131: in a third log, with another match at its clock, or over before the hub was started."""
    hall = Hall()
    told(hall, 0, "second", TWO)
    told(hall, 0, "other", renamed(ONE, "other"))
    assert told(hall, 1, "rival", RIVAL)["2"].rivals == ["second"]
    assert told(hall, 2, "third", THREE)["3"].rivals == ["rival"]
    later = Hall()
    later.register.note_continuation("second", "match")
    assert told(later, 1, "rival", RIVAL)["2"].rivals == ["second"]
    assert told(later, 0, "other", renamed(ONE, "other"))["1"].rivals == []


def test_a_log_that_is_sent_again_is_no_rival() -> None:
    """Nor one that names itself, or a circle of logs that somebody made up."""
    known = Continuations()
    assert not known.note("second", "first")
    assert not known.note("second", "first")
    assert not known.note("first", "")
    assert not known.note("first", "first")
    assert known.note("third", "first")
    assert known.rivals("second") == ("third",)
    assert not known.note("first", "second")
    assert known.rivals("second") == ("third",)
    assert known.rivals("unknown") == ()


def test_what_is_known_or_continues_nothing_is_no_news() -> None:
    """A log that begins with its match, and one that is told again."""
    known = Continuations()
    assert [known.note(log, "") for log in ("a", "b")] == [False, False]
    assert [known.note(log, "first") for log in ("a", "b", "b")] == [False, True, False]


def test_logs_that_continue_one_another_in_a_circle_end() -> None:
    known = Continuations()
    for log, earlier in (("a", "b"), ("b", "c"), ("c", "b")):
        known.note(log, earlier)
    assert known.rivals("a") == ("c",)
