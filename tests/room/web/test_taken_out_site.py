"""A board that is taken out of the room: what counts it no more, and what brings it back."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lab.support.boards import BOOT, LOG
from lab.support.hubs import Room
from room.boards.outlook import outlook
from room.hub.store.store import Store
from room.lines.events import ClockHeard, HallBoard, LinesRead, Place, TroubleChanged
from room.web.static_wall import static_wall

PLACE = Place("hall/red-7", "red-7", is_file=False, hint="7", clock="red-7")
OUT = "/api/1/taken_out/7"


def running() -> int:
    """How many lines of the log end in a turn."""
    return next(at for at, line in enumerate(LOG, 1) if b'"RUNNING"' in line)


def read(place: Place, count: int, *, live: bool = False) -> LinesRead:
    """The first lines of a log."""
    return LinesRead(place, "", tuple(LOG[:count]), 0, live=live)


def board(room: Room) -> Any:
    """The board as pages see it."""
    return room.get("/api/1/boards/7")


@pytest.fixture
def room() -> Iterator[Room]:
    """A room in which the clock of board 7 died in a turn."""
    with closing(Room()) as room:
        yield room.tell(read(PLACE, running()), TroubleChanged(PLACE, "dead"))


def test_it_stands_in_no_count_and_asks_for_nothing(room: Room) -> None:
    """Its log and its page stay; one request takes it out, one puts it back."""
    log = room.director.get("/api/1/matches/play-1/log").content

    def counted() -> tuple[bool, ...]:
        boards = room.hub.register.boards.values()
        followed = outlook(room.hub.register.followed(), 0)
        return (
            bool(board(room)["attention"]),
            "gammonclock_boards{" in room.director.get("/metrics").text,
            bool(followed.boards or followed.without),
            static_wall(list(boards), 0, lambda key, **values: key) != "",
            room.director.get("/api/1/offers").json()["boards"] == ["7"],
        )

    assert set(counted()) == {True}
    answer = room.director.post(OUT)
    assert (answer.status_code, answer.json()["taken_out"]) == (200, True)
    assert set(counted()) == {False}
    assert room.director.get("/api/1/matches/play-1/log").content == log
    assert room.director.delete(OUT).json()["taken_out"] is False
    assert set(counted()) == {True}


def test_a_restart_of_the_hub_keeps_it(tmp_path: Path) -> None:
    for before, request, after in (
        (False, "POST", True),
        (True, "DELETE", False),
        (False, "POST", True),
    ):
        with closing(Room(tmp_path / "club.sqlite")) as room:
            room.tell(read(PLACE, running()))
            assert board(room)["taken_out"] is before
            room.director.request(request, OUT)
            assert board(room)["taken_out"] is after


def test_only_the_director_takes_it_out(room: Room) -> None:
    for request in ("POST", "DELETE"):
        assert room.reader.request(request, OUT).status_code == 403
        elsewhere = {"origin": "http://elsewhere"}
        assert room.director.request(request, OUT, headers=elsewhere).status_code == 403
        assert room.director.request(request, "/api/1/taken_out/9").status_code == 404
    assert board(room)["taken_out"] is False


@pytest.mark.parametrize(("live", "is_out"), [(True, False), (False, True)])
def test_it_comes_back_by_itself_when_it_is_played_at(
    tmp_path: Path, *, live: bool, is_out: bool
) -> None:
    """Lines of before that come late do not bring it back; what came back stays."""
    first = running()
    again = next(at for at, line in enumerate(LOG[first:], first + 1) if b'"RUNNING"' in line)
    with closing(Room(tmp_path / "club.sqlite")) as room:
        room.tell(read(PLACE, first))
        room.director.post(OUT)
        room.tell(read(PLACE, first, live=True), ClockHeard(PLACE, 5, BOOT, 5, "play-1"))
        assert board(room)["taken_out"] is True
        room.tell(read(PLACE, again, live=live))
        assert board(room)["taken_out"] is is_out
    with closing(Store(tmp_path / "club.sqlite")) as store:
        assert bool(store.taken_out) is is_out


def test_a_board_of_another_hall_is_taken_out_there(room: Room) -> None:
    """What that hall has taken out asks for nothing here, also while that hub is silent."""
    room.director.post(OUT)
    shown = room.director.get("/api/1/boards/7").content
    room.tell(HallBoard(Place("a", "a", hint="7", hall="A"), shown, 0, silent_ns=1))
    assert room.hub.register.boards["A-7"].taken_out
    assert room.hub.register.boards["A-7"].attention == []
    assert room.director.delete("/api/1/taken_out/A-7").status_code == 404
