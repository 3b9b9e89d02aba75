"""`room/hub/notifier.py`, and its addresses."""

import asyncio
from collections.abc import Iterator
from urllib.request import Request

import msgspec
import pytest
from starlette.testclient import TestClient

from clock.units import SECOND_NS
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.notifier import Notifier
from room.hub.post import About, PostError
from room.hub.store.store import Store
from room.hub.words import page_words
from room.lines.events import Place, TroubleChanged
from room.settings.tables import NotifyTable
from room.web.access import Access
from room.web.site import ForDirector, application
from tests.room.web.test_site import fill

TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of these tests)
DIRECTOR = {"authorization": f"Bearer {TOKEN}"}
SETTINGS = NotifyTable(url="http://127.0.0.1:1/secret", about=("hub",))
ABOUT = About(page_words("en"), "open")
BROKER = Place("hall", "broker", is_way=True)


class Time:
    """The hub's clock."""

    ns = 0


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub whose clock stands at `Time.ns`, and whose broker cannot be reached."""
    store = Store()
    hub = Hub(Register(0), store, lambda: Time.ns)
    fill(hub, TroubleChanged(BROKER, "broker: refused"))
    yield hub
    store.close()


async def turns(notifier: Notifier, sent: list[bytes], *, fails: bool) -> None:
    """Let the notifier look twice, five seconds apart."""

    def send(request: Request) -> None:
        if fails:
            raise PostError("ntfy.sh: timed out")
        assert isinstance(request.data, bytes)
        sent.append(request.data)

    for seconds in (0, 5):
        Time.ns += seconds * SECOND_NS
        await notifier.look(send)


def test_troubles_are_sent_and_a_failure_is_a_trouble_of_the_hub(hub: Hub) -> None:
    """Until it arrives; that is no news for the same address."""
    notifier, sent = Notifier(hub, SETTINGS, ABOUT), list[bytes]()
    asyncio.run(turns(notifier, sent, fails=True))
    assert hub.troubles() == ["Notices cannot be sent: ntfy.sh: timed out. Waiting: 1"]
    Time.ns += 60 * SECOND_NS
    asyncio.run(turns(notifier, sent, fails=False))
    (body,) = sent
    (notice,) = msgspec.json.decode(body)["notices"]
    assert notice["text"] == "broker: refused"
    assert hub.troubles() == []


def test_the_director_tries_it_with_a_button(hub: Hub) -> None:
    """Nobody else can; the address may hold a secret, and is not shown."""
    page = TestClient(
        application(
            hub,
            access=Access(TOKEN),
            director=ForDirector(notifier=Notifier(hub, SETTINGS, ABOUT)),
        )
    )
    assert page.get("/api/1/notify", headers=DIRECTOR).json() == {"to": "127.0.0.1"}
    failed = page.post("/api/1/notify", headers=DIRECTOR)
    assert failed.status_code == 502
    assert "refused" in failed.json()["error"]
    assert page.post("/api/1/notify").status_code == 403
    elsewhere = DIRECTOR | {"origin": "http://elsewhere"}
    assert page.post("/api/1/notify", headers=elsewhere).status_code == 403
