"""An offer over the real broker: from the hub's page through the link to the clock, and back."""

import json
from itertools import islice
from pathlib import Path
from urllib.request import urlopen

import pytest

from clock.match.types import Pair, Phase
from clock.storage.offer_file import KEY
from lab.bench.closing import Closing
from lab.support.boxes import Clock
from lab.support.mosquitto import WAIT_S, Mosquitto, Peer, make_room
from lab.support.room_hall import AskedHub, Program, allow_probe
from room.cards.private_files import write_private
from room.cards.toml_text import toml_text
from room.settings.link import FILE_NAME, load_key_file
from tests.stories.test_offers import PLAIN, WAIT
from tests.stories.test_presets import CONFIRM

pytestmark = pytest.mark.slow

NAME = "red-7"
EVENT_LINES = 80  # four make an event, and the hub's tick comes every ten seconds
ANSWERS = 20  # of the link; each new line of the log brings another offer


class Events(Closing):
    """What a hub tells those who look at its pages."""

    def __init__(self, address: str) -> None:
        self._lines = urlopen(address, timeout=WAIT_S)  # noqa: S310 (the hub's own)

    def wait(self, event: str, **fields: object) -> None:
        """Wait until the hub tells this."""
        kind = ""
        for line in islice(self._lines, EVENT_LINES):
            name, _, value = line.decode().strip().partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == event:
                data = json.loads(value)
                if all(data[key] == wanted for key, wanted in fields.items()):
                    return
        raise LookupError(f"the hub did not tell {event} {fields}")

    def close(self) -> None:
        """Look no more."""
        self._lines.close()


@pytest.mark.rule("R134")
def test_an_offer_reaches_the_players_and_the_hub_learns_it(tmp_path: Path) -> None:
    """Broker, link and hub are processes; both players confirm; the page says that it is taken."""
    room = make_room(tmp_path / "cards", {NAME: "7"})
    login = allow_probe(room)
    link_dir, logs, settings = (tmp_path / each for each in ("link", "logs", "link.toml"))
    link_dir.mkdir()
    logs.mkdir()
    card = load_key_file(room.folder / "clocks" / NAME / FILE_NAME)
    write_private(logs / KEY, card.offer_key.encode())
    settings.write_text(toml_text(card.link_settings))
    places = ("--config", settings, "--logs", logs, "--offers", link_dir)
    with (
        Clock(tmp_path, PLAIN, link_dir) as clock,
        Mosquitto(room),
        AskedHub(room, tmp_path / "room.sqlite") as hub,
        Program("-m", "gammonclock", "link", *places),
        Peer(login) as answers,
        Events(f"{hub.url}api/1/events") as events,
    ):
        answers.subscribe("gammonclock/1/test/+/offered")
        events.wait("board", id="7", state="REVIEW")
        boards = [{"board": "7", "names": ["Cid", "Dora"]}]
        wanted = {"boards": boards, "match": {"length": 5}}
        hub.read("api/1/offers", json.dumps(wanted).encode())
        for _ in range(ANSWERS):
            _, answer = answers.next()
            assert json.loads(answer)["put"]
            if clock.do(WAIT).state.standing_offer is not None:
                break
        state = clock.state
        assert (state.phase, state.length, state.names) == (Phase.REVIEW, 5, Pair("Cid", "Dora"))
        events.wait("offer", board="7", state="shown")
        clock.do(CONFIRM)
        events.wait("offer", board="7", state="taken")
        assert clock.state.phase is Phase.READY
