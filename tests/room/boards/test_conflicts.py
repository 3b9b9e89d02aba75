"""A board or a match that two clocks say to have: both are shown, and who says so since when."""

from functools import partial
from typing import Any

import pytest
from msgspec import structs

from clock.match import inputs
from clock.units import SECOND_NS
from lab.support.boards import LOG, Hall, named
from lab.support.last_run import S
from lab.support.logs import forged, renamed
from room.boards.board import Board, Conflict
from room.boards.conflicts import Contender, Continuations, conflicts_on, same_conflicts
from room.boards.signs import SILENCE_NS
from room.lines.events import LinesRead, Place
from tests.eventlog.test_links import ONE, THREE, TWO, taken_up

OWN = Place("hall/red-7", "red-7", is_file=False, hint="7", clock="red-7")
THIEF = Place("hall/red-3", "red-3", is_file=False, hint="3", clock="red-3")
PORT, FOLDER = (Place(key, key, is_file=False) for key in ("/dev/ttyUSB0", "/logs"))


def conflicts_of(match: str, source: str) -> list[Conflict]:
    """What the database of a hub says."""
    ways = ["/dev/ttyUSB0", "/logs"]
    others = {"m": ["hall/red-3", "hall/red-7"], "same": ways, "differ": ways}.get(match, [])
    sources = [source, *(each for each in others if each != source)]
    return [Conflict("match", each, "14:02", 9, agrees=match == "same") for each in sources]


def hall(*said: tuple[Place, str, str]) -> tuple[Hall, dict[str, Board]]:
    """A hall in which each place plays a match at the board that its log names; its boards."""
    found = Hall(conflicts_of=conflicts_of)
    for place, match, board in said:
        lines = renamed(named(LOG[:5], board), match)
        found.tell(LinesRead(place, match, tuple(lines), 0, live=True))
        found.heard(place, 0, 5)
    found.register.refresh(0)
    return found, found.register.boards


@pytest.mark.parametrize("order", [1, -1], ids=["clock first", "thief first"])
@pytest.mark.parametrize("match", ["other", "m"])
def test_a_board_in_conflict_is_that_of_the_director_list(order: int, match: str) -> None:
    """Whoever comes first, as after a restart of the hub; the other has a page of its own."""
    own_match = match if match == "m" else "own"
    _, boards = hall(*[(OWN, own_match, "7"), (THIEF, match, "7")][::order])
    assert {id_: board.source for id_, board in boards.items()} == {"7": "red-7", "7-2": "red-3"}
    for board, other in (("7", "hall/red-3"), ("7-2", "hall/red-7")):
        assert "claimed" in boards[board].attention
        own, conflict = boards[board].conflicts
        assert (conflict.source, conflict.since) == (other, "14:02")
        assert own.what == conflict.what == ("match" if match == "m" else "board")


def test_a_clock_that_is_taken_out_has_no_conflict() -> None:
    """The dead one is switched on to read its log."""
    found, boards = hall((OWN, "own", "7"), (THIEF, "other", "7"))
    assert "claimed" in boards["7-2"].attention
    found.register.taken_out.add(OWN.key)
    found.register.touch([OWN.key])
    found.register.refresh(0)
    assert boards["7-2"].conflicts == []


def _set_clock(id_: str, fields: dict[str, Any]) -> None:
    fields["clock"] = id_


@pytest.mark.parametrize(
    ("thief", "ids", "what"),
    [
        (THIEF, ("3fa2c1d0", "3fa2c1d0"), "clock"),
        (THIEF, ("3fa2c1d0", "3fa2c1d1"), "board"),
        (THIEF, ("00000000", "00000000"), "board"),  # simulated ones, of no card
        (PORT, ("3fa2c1d0", "3fa2c1d0"), "board"),  # one clock on two ways
    ],
)
def test_two_accounts_with_one_clock_id_are_told_as_that(
    thief: Place, ids: tuple[str, str], what: str
) -> None:
    """A card was copied: the boards ask for the director, who is told what to do."""
    found = Hall(conflicts_of=conflicts_of)
    for place, match, id_ in ((OWN, "a", ids[0]), (thief, "b", ids[1])):
        lines = forged(named(LOG[:5], "7"), 0, partial(_set_clock, id_))
        found.tell(LinesRead(place, match, tuple(renamed(lines, match)), 0, live=True))
        found.heard(place, 0, 5)
    found.register.refresh(0)
    conflicts = [board.conflicts for board in found.register.boards.values()]
    assert [[each.what for each in said] for said in conflicts] == [[what] * 2] * 2


def test_a_clock_that_stands_in_for_a_silent_one_has_no_conflict() -> None:
    """One of the two is heard at a time; when both are, both boards say so within a second."""
    found, _ = hall((OWN, "a", "7"))
    found.ns = SILENCE_NS
    found.tell(LinesRead(THIEF, "b", tuple(renamed(named(LOG[:5], "7"), "b")), found.ns, live=True))
    found.heard(THIEF, SILENCE_NS, 5).register.refresh(found.ns)
    assert [board.conflicts for board in found.register.boards.values()] == [[], []]
    found.ns += SECOND_NS
    found.heard(OWN, SILENCE_NS + SECOND_NS, 5).register.refresh(found.ns)
    assert all(board.conflicts for board in found.register.boards.values())


def test_a_conflict_ends_with_the_name_and_comes_with_a_match() -> None:
    found, boards = hall((OWN, "a", "7"), (THIEF, "b", "7"))
    assert boards["7"].conflicts
    found.tell(LinesRead(THIEF, "c", tuple(renamed(named(LOG[:5], "3"), "c")), 0, live=True))
    found.register.refresh(0)
    assert [board.conflicts for board in boards.values()] == [[], []]
    conflict = Conflict("match", THIEF.key, "14:02", 9)
    found.register._conflicts_of = lambda match, source: [*conflicts_of(match, source), conflict]
    found.register.touch([OWN.key, "another room's"])
    [changed] = found.register.refresh_touched(0).boards
    assert [each.source for each in changed.conflicts] == [OWN.key, THIEF.key]
    conflict = structs.replace(conflict, source="hall/red-9")
    found.register.touch([OWN.key])
    [changed] = found.register.refresh_touched(0).boards
    assert [each.source for each in changed.conflicts] == [OWN.key, "hall/red-9"]


def test_one_clock_on_two_ways_is_no_conflict() -> None:
    """A cable and a folder have the same log; other logs of one board are two conflicts."""
    _, same = hall((PORT, "same", "7"), (FOLDER, "same", "7"))
    assert [board.conflicts for board in same.values()] == [[], []]
    _, different = hall((PORT, "differ", "7"), (FOLDER, "differ", "7"))
    assert [each.what for each in different["7"].conflicts] == ["match", "match"]
    _, others = hall((PORT, "a", "7"), (FOLDER, "b", "7"))
    assert all(board.conflicts for board in others.values())


def test_conflicts_are_the_same_while_their_logs_grow() -> None:
    """Else each line of the one would draw the board of the other anew."""
    conflict = Conflict("match", "a", "14:02", 9)
    assert same_conflicts([conflict], [structs.replace(conflict, lines=10)])
    assert not same_conflicts([conflict], [structs.replace(conflict, source="b")])


def test_a_clock_of_which_nothing_is_stored_yet_has_no_conflict() -> None:
    own = Contender(OWN, conflicts_of("own", OWN.key))
    assert conflicts_on(own, [Contender(THIEF, ())]) == []


def test_a_log_that_grows_does_not_draw_the_other_board_anew() -> None:
    found, boards = hall((OWN, "a", "7"), (THIEF, "b", "7"))
    before = boards["7"]
    found.register._conflicts_of = lambda match, source: [
        structs.replace(each, lines=10) for each in conflicts_of(match, source)
    ]
    found.register.touch([OWN.key])
    assert found.register.refresh_touched(0).boards == []
    assert boards["7"] == before


def test_the_board_of_the_list_takes_its_name_from_whoever_has_it() -> None:
    """The first of the others has it no more, since a clock that has left had it before."""
    strangers = [Place(f"hall/x-{at}", f"x-{at}", is_file=False, clock=f"x-{at}") for at in "123"]
    found, boards = hall(*((place, place.key, "7") for place in strangers[:2]))
    gone = renamed(named(LOG[:5], "9"), "gone")
    found.tell(LinesRead(strangers[0], "gone", tuple(gone), 0, live=True)).register.refresh(0)
    for place in (strangers[2], OWN):
        lines = renamed(named(LOG[:5], "7"), place.key)
        found.tell(LinesRead(place, place.key, tuple(lines), 0, live=True)).heard(place, 0, 5)
        found.register.refresh(0)
    assert {id_: board.source for id_, board in boards.items()} == {
        "9": "x-1",
        "7-2": "x-2",
        "7": "red-7",
        "7-3": "x-3",
    }


def test_a_hint_of_no_list_takes_no_board_from_another() -> None:
    folder = Place("/logs/7", "/logs/7", is_file=False, hint="7")
    _, boards = hall((THIEF, "b", "7"), (folder, "a", "7"))
    assert {id_: board.source for id_, board in boards.items()} == {"7": "red-3", "7-2": "/logs/7"}


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


def test_the_rivals_of_a_log_are_the_others_that_continue_the_same_one() -> None:
    """What is told again is no news; a log that names itself, or a circle, was made up."""
    known = Continuations()
    told = [
        *(("second", "first", False), ("second", "first", False), ("first", "", False)),
        *(("other", "", False), ("first", "first", False), ("third", "first", True)),
        *(("third", "first", False), ("first", "second", False)),
        *(("a", "b", False), ("b", "c", False), ("c", "b", True), ("d", "b", True)),
        *(("e", "f", False), ("e", "g", False), ("h", "g", True)),
    ]
    assert [known.note(log, earlier) for log, earlier, _ in told] == [each[2] for each in told]
    rivals = [known.rivals(log) for log in ("second", "third", "unknown", "a", "e")]
    assert rivals == [("third",), ("second",), (), ("c", "d"), ("h",)]
