"""The addresses of the practice clocks."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from clock.match.types import Button
from clock.units import SECOND_NS
from room.boards.register import Register
from room.hub.hub import Hub
from room.practice.desk import Desk
from room.practice.lessons import LESSONS
from room.practice.wishes import Wishes, wanted_clock
from room.store.store import Store
from room.web.practice_site import _Pictures
from room.web.site import application

NOW_NS = 9_000 * SECOND_NS


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A browser on a hub with practice clocks."""
    store = Store()
    desk = Desk(lambda: NOW_NS, lambda: "2026-05-01T10:00:00+02:00")
    hub = Hub(Register(0), store, lambda: 5)
    with TestClient(application(hub, practice=desk)) as client:
        yield client
        desk.end()
    store.close()


def opened(client: TestClient, **wishes: object) -> str:
    """Open a clock; return its address."""
    answer = client.post("/practice/clocks", json=wishes)
    assert answer.status_code == 200, answer.text
    assert answer.json()["lessons"] == [*LESSONS]
    return f"/practice/clocks/{answer.json()['id']}"


def pressed(client: TestClient, path: str, **changes: object) -> int:
    """Press the left plunger; return the status."""
    body = {"number": 1, "button": "left", "down": True} | changes
    return client.post(f"{path}/press", json=body).status_code


def test_a_visitor_opens_a_clock_and_presses(client: TestClient) -> None:
    assert client.get("/practice").status_code == 200
    path = opened(client, profile="us", length=7, language="da")
    assert opened(client) != path
    assert pressed(client, path) == 200


@pytest.mark.parametrize(
    "wishes",
    [{"profile": "xyz"}, {"length": 0}, {"length": 99}, {"length": "7"}, {"names": ["a"]}],
)
def test_what_cannot_be_is_refused(client: TestClient, wishes: dict[str, object]) -> None:
    answer = client.post("/practice/clocks", json=wishes)
    assert answer.status_code == 400
    assert answer.json()["error"]


def test_a_press_that_cannot_be_is_refused(client: TestClient) -> None:
    """Of another page, of no button, of no clock, or longer than a press is."""
    path = opened(client)
    body = b'{"number": 1, "button": "left", "down": true}'
    elsewhere = client.post(
        f"{path}/press", content=body, headers={"origin": "http://evil.example"}
    )
    assert elsewhere.status_code == 403
    assert client.post(f"{path}/press", content=body + b" " * 200).status_code == 413
    assert pressed(client, path, button="middle") == 400
    assert pressed(client, f"{path}x") == 404
    assert client.get(f"{path}x/events").status_code == 404


def test_the_page_is_told_each_change_once_until_the_end() -> None:
    """Only the panel that has changed is sent again; the end of the hub ends the stream."""
    heard: list[dict[str, Any]] = []

    async def follow() -> None:
        desk, news = Desk(lambda: NOW_NS, lambda: "2026-05-01T10:00:00+02:00"), asyncio.Event()
        visit = desk.open("10.0.0.1", lambda: wanted_clock(Wishes(), *desk.times))

        async def send(message: Any) -> None:
            body: bytes = message.get("body", b"")
            if body.startswith(b"event: shown\ndata: "):
                heard.append(json.loads(body.partition(b"data: ")[2]))
                news.set()

        async def receive() -> Any:
            await asyncio.Event().wait()

        stream = asyncio.create_task(_Pictures(visit)({"type": "http"}, receive, send))
        await news.wait()
        news.clear()
        desk.press(visit, 1, Button.LEFT, down=True)
        await news.wait()
        desk.end()
        await stream

    asyncio.run(follow())
    whole, change = heard
    assert all(whole["panels"])
    assert [panel is not None for panel in change["panels"]] == [True, False]
    assert (len(whole["log"]), len(change["log"])) == (1, 1)
    assert "Left confirmed" in change["log"][0]


def test_without_practice_there_is_no_page() -> None:
    store = Store()
    client = TestClient(application(Hub(Register(0), store, lambda: 5)))
    assert client.get("/practice").status_code == 404
    store.close()
