"""The director's offer from the hub's page to the players, and what the hub learns of it.

Hub, web application and clock are the real ones; the broker between them is a function call that
can lose what it carries, and time is virtual.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Self

import pytest

from clock.match.types import Pair, Phase
from lab.support.boxes import RoomClock
from lab.support.hubs import Room
from lab.support.offers import CLOCK
from room.lines.events import LinesRead, Place
from tests.stories.test_offers import WAIT
from tests.stories.test_presets import CONFIRM

PLACE = Place(f"hall/{CLOCK}", CLOCK, is_file=False, hint="7", clock=CLOCK)


class Hall(Room):
    """A room with a board whose link is a function call."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.board, self.is_lost = RoomClock(folder), False
        self._heard = 0

    def send(self, clock: str, line: bytes) -> None:
        """Bring it to the clock, or lose it."""
        assert clock == CLOCK
        if not self.is_lost:
            self.board.desk.put(line)

    def hear(self) -> Self:
        """The hub hears what the clock has logged, and the clock what the hub sends."""
        for _ in range(3):
            lines = self.board.all_lines[self._heard :]
            self._heard += len(lines)
            told = tuple(line.rstrip() for line in lines)
            self.tell(LinesRead(PLACE, "", told, 0, live=False))
            self.board.do(WAIT)
            self.now_ns += 10**10
        return self

    def press(self, script: str) -> Self:
        """The players press, and everybody hears of it."""
        self.board.do(script)
        return self.hear()

    def assign(self, *names: str, **match: object) -> Self:
        """The director offers a match on the page."""
        answer = self.offer({"board": "7", "names": names or None}, **match)
        assert answer.status_code == 200, answer.text
        return self.hear()

    @property
    def state(self) -> str:
        """What the director's page says of the offer."""
        [offer] = self.get("/api/1/offers")["offers"]
        return f"{offer['state']} {offer['why']}".strip()

    @property
    def page(self) -> dict[str, Any]:
        """The board as the pages show it."""
        board: dict[str, Any] = self.get("/api/1/boards/7")
        return board

    def close(self) -> None:
        self.board.close()
        super().close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall with one board, at which nobody has confirmed."""
    with closing(Hall(tmp_path)) as hall:
        yield hall.hear()


@pytest.mark.rule("R134")
def test_from_the_page_to_the_players_and_back(hall: Hall) -> None:
    """During a match it waits; with the result it is shown; both confirm, and it is taken."""
    hall.press(CONFIRM + "1 press right")
    assert hall.assign("Cid", "Dora", length=5).state == "waiting"
    hall.press("20 press centre\n1 press right\n1 press centre\n1 press left\n1 press centre")
    assert hall.state == "shown"
    assert hall.board.state.phase is Phase.FINISHED
    hall.press("1 press centre")
    assert hall.board.offered == (Phase.REVIEW, hall.board.offered[1], 5, Pair("Cid", "Dora"))
    assert (hall.state, hall.page["says"]) == ("shown", ["offered"])
    assert hall.press("1 press left").state == "shown"
    assert hall.press("1 press right").state == "taken"
    assert hall.press("1 press centre").state == "taken"
    assert hall.page["players"]["left"]["name"] == "Cid"
    assert hall.board.refusals() == []


@pytest.mark.rule("R134")
def test_the_clock_refuses_what_only_it_can_know(hall: Hall) -> None:
    """Its file has no such preset; the page says why."""
    assert hall.assign(preset="Final").state == 'refused preset is "Final", but must be left out'
