"""The director's offer from the hub's page to the players, and what the hub learns of it.

Hub, web application and clock are the real ones; the broker between them is a function call that
can lose what it carries, and time is virtual.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from starlette.testclient import TestClient

from clock.match.types import Pair, Phase
from lab.support.offers import CLOCK, MASTER
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.store.store import Store
from room.lines.events import LinesRead, Place
from room.web.access import Access
from room.web.site import application
from tests.room.web.test_site import fill
from tests.stories.test_offers import WAIT, Board
from tests.stories.test_presets import CONFIRM

TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of these tests)
DIRECTOR = {"authorization": f"Bearer {TOKEN}"}
PLACE = Place(f"hall/{CLOCK}", CLOCK, is_file=False, hint="7", clock=CLOCK)


class Hall:
    """A hub, its pages, and a board whose link is a function call."""

    def __init__(self, folder: Path) -> None:
        self.board = Board(folder)
        self.store = Store()
        self.hub = Hub(Register(0), self.store, lambda: self.now_ns)
        self.hub.enable_offers(MASTER, self._send)
        self.client = TestClient(application(self.hub, access=Access(TOKEN)))
        self.now_ns = 0
        self.is_lost = False
        self._heard = 0

    def _send(self, clock: str, line: bytes) -> None:
        assert clock == CLOCK
        if not self.is_lost:
            self.board.desk.put(line)

    def hear(self) -> Self:
        """The hub hears what the clock has logged, and the clock what the hub sends."""
        for _ in range(3):
            lines = self.board.clock.all_lines[self._heard :]
            self._heard += len(lines)
            told = [LinesRead(PLACE, "", tuple(line.rstrip() for line in lines), 0, live=False)]
            fill(self.hub, *told)
            self.board.press(WAIT)
            self.now_ns += 10**10
        return self

    def press(self, script: str) -> Self:
        """The players press, and everybody hears of it."""
        self.board.press(script)
        return self.hear()

    def offer(self, *names: str, **match: object) -> Self:
        """The director offers a match on the page, and confirms that it replaces a pending one."""
        pending = self.client.get("/api/1/offers", headers=DIRECTOR).json()["offers"]
        wanted = {
            "boards": [{"board": "7", "names": names or None}],
            "match": match,
            "replaces": [offer["offer"] for offer in pending if offer["offer"]],
        }
        answer = self.client.post("/api/1/offers", json=wanted, headers=DIRECTOR)
        assert answer.status_code == 200, answer.text
        return self.hear()

    @property
    def state(self) -> str:
        """What the director's page says of the offer."""
        [offer] = self.client.get("/api/1/offers", headers=DIRECTOR).json()["offers"]
        return f"{offer['state']} {offer['why']}".strip()

    @property
    def page(self) -> dict[str, Any]:
        """The board as the pages show it."""
        board: dict[str, Any] = self.client.get("/api/1/boards/7").json()
        return board


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A hall with one board, at which nobody has confirmed."""
    hall = Hall(tmp_path).hear()
    yield hall
    hall.board.clock.close()
    hall.store.close()


@pytest.mark.rule("R134")
def test_from_the_page_to_the_players_and_back(hall: Hall) -> None:
    """During a match it waits; with the result it is shown; both confirm, and it is taken."""
    hall.press(CONFIRM + "1 press right")
    assert hall.offer("Cid", "Dora", length=5).state == "waiting"
    hall.press("20 press centre\n1 press right\n1 press centre\n1 press left\n1 press centre")
    assert hall.state == "shown"
    assert hall.board.clock.state.phase is Phase.FINISHED
    hall.press("1 press centre")
    assert hall.board.shown == (Phase.REVIEW, hall.board.shown[1], 5, Pair("Cid", "Dora"))
    assert (hall.state, hall.page["says"]) == ("shown", ["offered"])
    assert hall.press("1 press left").state == "shown"
    assert hall.press("1 press right").state == "taken"
    assert hall.press("1 press centre").state == "taken"
    assert hall.page["players"]["left"]["name"] == "Cid"
    assert hall.board.refusals() == []


@pytest.mark.rule("R134")
def test_the_clock_refuses_what_only_it_can_know(hall: Hall) -> None:
    """Its file has no such preset; the page says why."""
    assert hall.offer(preset="Final").state == 'refused preset is "Final", but must be left out'
