"""`room/hub/notifier.py`, and its addresses."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from urllib.request import Request

import msgspec
import pytest

from clock.units import SECOND_NS
from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.hubs import Room
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.notifier import Notifier
from room.hub.post import About, PostError
from room.hub.store.store import Store
from room.hub.words import page_words
from room.lines.events import Place, TroubleChanged
from room.settings.tables import NotifyTable
from room.web.site import ForDirector

SETTINGS = NotifyTable(url="http://127.0.0.1:1/secret", about=("hub",))
ABOUT = About(page_words("en"), "open")
BROKER = Place("hall", "broker", is_way=True)


@pytest.fixture
def room() -> Iterator[Room]:
    """A room whose broker cannot be reached."""
    with closing(Room()) as room:
        yield room.tell(TroubleChanged(BROKER, "broker: refused"))


async def turns(room: Room, notifier: Notifier, sent: list[bytes], *, fails: bool) -> None:
    """Let the notifier look twice, five seconds apart."""

    def send(request: Request) -> None:
        if fails:
            raise PostError("ntfy.sh: timed out")
        assert isinstance(request.data, bytes)
        sent.append(request.data)

    for seconds in (0, 5):
        room.now_ns += seconds * SECOND_NS
        await notifier.look(send)


def test_troubles_are_sent_and_a_failure_is_a_trouble_of_the_hub(room: Room) -> None:
    """Until it arrives; that is no news for the same address."""
    notifier, sent = Notifier(room.hub, SETTINGS, ABOUT), list[bytes]()
    asyncio.run(turns(room, notifier, sent, fails=True))
    assert room.hub.troubles() == ["Notices cannot be sent: ntfy.sh: timed out. Waiting: 1"]
    room.now_ns += 60 * SECOND_NS
    asyncio.run(turns(room, notifier, sent, fails=False))
    (body,) = sent
    (notice,) = msgspec.json.decode(body)["notices"]
    assert notice["text"] == "broker: refused"
    assert room.hub.troubles() == []


def test_what_is_wrong_is_sent_while_the_hub_runs() -> None:
    """Each trouble as soon as those that come with it are there."""
    sent = list[float]()

    async def run(store: Store) -> None:
        loop = asyncio.get_running_loop()
        hub = Hub(Register(0), store, lambda: round(loop.time() * SECOND_NS))
        notifier = Notifier(hub, msgspec.structs.replace(SETTINGS, per_minute=60), ABOUT)
        task = loop.create_task(notifier.run(lambda _: sent.append(loop.time())))
        for what in ("broker: refused", "broker: gone"):
            hub.put(TroubleChanged(BROKER, what))
            hub.update()
            await asyncio.sleep(8.5)
        task.cancel()

    with closing(Store()) as store, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run(store))
    assert sent == [2, 11]


def test_an_address_without_a_host_has_none(room: Room) -> None:
    assert Notifier(room.hub, NotifyTable(url="http://:80/"), ABOUT).host == ""


def test_the_director_tries_it_with_a_button(room: Room) -> None:
    """Nobody else can; the address may hold a secret, and is not shown."""
    notifier = Notifier(room.hub, SETTINGS, ABOUT)
    with closing(Room(director=ForDirector(notifier=notifier))) as other:
        assert other.get("/api/1/notify") == {"to": "127.0.0.1"}
        sent = list[object]()
        assert asyncio.run(notifier.test(lambda request: sent.append(request.data))) == ""
        assert '"left_out":0' in str(sent)
        failed = other.director.post("/api/1/notify")
        assert failed.status_code == 502
        assert "refused" in failed.json()["error"]
        assert other.reader.post("/api/1/notify").status_code == 403
        elsewhere = {"origin": "http://elsewhere"}
        assert other.director.post("/api/1/notify", headers=elsewhere).status_code == 403
