"""An offer over the real broker: from the hub's page through the link to the clock, and back."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.request import urlopen

import pytest

from clock.match.types import Pair, Phase
from clock.storage.offer_file import KEY
from lab.support.boxes import Clock
from lab.support.mosquitto import WAIT_S, Mosquitto, Peer, Room, make_room
from lab.support.room_hall import AskedHub, Program, allow_probe
from room.cards.private_files import write_private
from room.cards.toml_text import toml_text
from room.settings.link import FILE_NAME, load_key_file
from tests.stories.test_offers import PLAIN, WAIT

pytestmark = pytest.mark.slow

NAME = "red-7"
EVENT_LINES = 80  # four make an event, and the hub's tick comes every ten seconds
ANSWERS = 20  # of the link; each new line of the log brings another offer


class Hall:
    """A room with one clock, whose link and hub are processes of their own."""

    def __init__(self, folder: Path) -> None:
        self.room: Room = make_room(folder / "cards", {NAME: "7", "red-8": "8"})
        login = allow_probe(self.room)
        self.broker = Mosquitto(self.room)
        self.link_dir, logs = folder / "link", folder / "logs"
        self.link_dir.mkdir()
        logs.mkdir()
        card = load_key_file(self.room.folder / "clocks" / NAME / FILE_NAME)
        write_private(logs / KEY, card.offer_key.encode())
        self.clock = Clock(folder, PLAIN, self.link_dir)
        settings = folder / "link.toml"
        settings.write_text(toml_text(card.link_settings))
        places = ("--config", settings, "--logs", logs, "--offers", self.link_dir)
        self.hub = AskedHub(self.room, folder / "room.sqlite")
        self.link = Program("-m", "gammonclock", "link", *places)
        self.answers = Peer(login)
        self.answers.subscribe("gammonclock/1/test/+/offered")
        self.events = urlopen(f"{self.hub.url}api/1/events", timeout=WAIT_S)  # noqa: S310

    def wait(self, event: str, **fields: object) -> None:
        """Wait until the hub tells this."""
        kind = ""
        for line in islice(self.events, EVENT_LINES):
            name, _, value = line.decode().strip().partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == event:
                data = json.loads(value)
                if all(data[key] == wanted for key, wanted in fields.items()):
                    return
        raise LookupError(f"the hub did not tell {event} {fields}")

    def offer(self, **match: object) -> None:
        """Offer a match to the board, and let the clock look until it shows one."""
        boards = [{"board": "7", "names": ["Cid", "Dora"]}]
        self.hub.read("api/1/offers", json.dumps({"boards": boards, "match": match}).encode())
        for _ in range(ANSWERS):
            _, answer = self.answers.next()
            assert json.loads(answer)["put"]
            self.clock.do(WAIT)
            if self.clock.state.standing_offer is not None:
                return

    def close(self) -> None:
        self.answers.close()
        self.link.close()
        self.events.close()
        self.hub.close()
        self.broker.close()
        self.clock.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    found = Hall(tmp_path)
    yield found
    found.close()


@pytest.mark.rule("R134")
def test_an_offer_reaches_the_players_and_the_hub_learns_it(hall: Hall) -> None:
    """Only its clock gets it; both players confirm; the page says that it is taken."""
    hall.wait("board", id="7", state="REVIEW")
    hall.offer(length=5)
    state = hall.clock.state
    assert (state.phase, state.length, state.names) == (Phase.REVIEW, 5, Pair("Cid", "Dora"))
    hall.wait("offer", board="7", state="shown")
    hall.clock.do("1 press left\n1 press right\n1 press centre")
    hall.wait("offer", board="7", state="taken")
    assert hall.clock.state.phase is Phase.READY


@pytest.mark.rule("R134")
def test_another_clocks_offer_is_of_no_use(hall: Hall) -> None:
    """Whoever has a clock's account cannot send it on, and the clock would not take it."""
    hall.wait("board", id="7", state="REVIEW")
    hall.offer(length=5)
    taken = (hall.link_dir / "offer.json").read_bytes()
    attacker = Peer(hall.room.login("red-8"))
    assert attacker.publish(f"gammonclock/1/test/{NAME}/offer", taken) == "Not authorized"
    attacker.close()
    hall.clock.do("1 press left\n1 press right\n1 press centre")
    hall.clock.do(WAIT)
    assert hall.clock.state.next_offer is None
