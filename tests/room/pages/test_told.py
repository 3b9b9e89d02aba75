"""What the hub says in English, on pages in other languages: word for word what it really says."""

import asyncio
import functools
import io
import re
import urllib.request
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from starlette.testclient import TestClient

from clock.config.offer import KEY_BYTES, LogHead, OfferError, SignedOffer, check_offer
from clock.config.schema import ConfigFile
from clock.eventlog.codec import Chain
from clock.match.events import Writer
from clock.match.machine import open_match
from clock.ui.i18n import LANGUAGES, texts
from clock.units import SECOND_NS
from lab.support.rows import row
from lab.support.world import match_settings
from room.boards.register import Register
from room.broker.source import TOO_MUCH, ClockList, Mqtt
from room.hub.hub import Hub
from room.hub.notices import Notice
from room.hub.outbox import Outbox
from room.hub.post import PostError, send
from room.hub.public_view import PublicView
from room.hub.store.store import Store
from room.lines.backlog import MOST_LINES, Backlog
from room.lines.quota import Quota
from room.settings.hub import Broker
from room.settings.room import PublishTable
from room.sources.events import LinesRead, Place, TroubleChanged
from room.sources.hall import Hall
from room.web.access import REFUSED, Access
from room.web.director_site import MAX_REQUEST
from room.web.page_files import page_words
from room.web.publish import Publisher
from room.web.ruling_site import GONE_ON, RUNS, SHOWN, UNKNOWN
from room.web.site import application
from room.web.static_site import INDEX
from tests.room.broker.test_source_clock import Memory
from tests.room.pages.engine import PAGES, Engine

TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of these tests)
DIRECTOR = {"authorization": f"Bearer {TOKEN}"}
OTHERS = [language for language in LANGUAGES if language != "en"]


@functools.cache
def pages_in(language: str) -> Engine:
    """The module that says texts of the hub, as a page in this language has loaded it."""
    engine = Engine("told.js")
    engine.run(
        "let made; function load(english, words) {"
        " made = teller(english, sayer(words)); return null }"
        " function told(text) { return made(text) }"
    )
    english, own = ({**texts(each), **page_words(each)} for each in ("en", language))
    engine.call("load", english, own)
    return engine


def told(text: str, language: str = "de") -> str:
    """What a page in a language says for a text of the hub."""
    said: str = pages_in(language).call("told", text)
    return said


def place(board: str, clock: str = "") -> Place:
    """Where a board is followed."""
    return Place(f"hall/{board}", board, is_file=False, hint=board, clock=clock)


def opened(at: Place) -> LinesRead:
    """The first line of a match there."""
    _, record = open_match(match_settings(), 0, Writer("test"))
    _, line = Chain(f"m-{at.hint}", "boot").append(record, "2026-05-01T10:00:00.000+02:00")
    return LinesRead(at, "", (line.rstrip(b"\n"),), 0, live=False)


def refusals() -> Iterator[str]:
    """What the addresses of the offers refuse."""
    store = Store()
    hub = Hub(Register(0), store, lambda: 5)
    client = TestClient(application(hub, access=Access(TOKEN)), headers=DIRECTOR)
    asked = client.post

    def offer(*boards: str, **wanted: Any) -> Any:
        body = {"boards": [{"board": board} for board in boards]} | wanted
        return asked("/api/1/offers", json=body)

    yield client.get("/api/1/offers").json()["error"]
    hub.enable_offers(bytes(KEY_BYTES), lambda clock, line: None)

    async def tell() -> None:
        for each in (place("7", "red-7"), place("8", "red-8"), place("9")):
            hub.put(opened(each))
        hub.update()

    asyncio.run(tell())
    offer("7")
    offer("8", by="Eva")
    for answer in (
        offer("7"),
        offer("8"),
        offer("7", "7"),
        offer("7", "8", match={"score": [3, 2]}),
        offer("9"),
        offer("7", match={"delay": "12"}),
        asked("/api/1/pairings", content=b" " * (MAX_REQUEST + 1)),
        client.delete("/api/1/offers/9"),
        client.get("/api/1/offers", headers={"authorization": "Bearer old"}),
        client.get("/api/1/offers", headers={"origin": "http://elsewhere.example"}),
    ):
        yield answer.json()["error"]
    assert hub.offers is not None
    hub.offers.withdraw = lambda board, by="": False  # type: ignore[method-assign]
    yield client.delete("/api/1/offers/7").json()["error"]
    yield REFUSED
    yield client.get("/api/1/rulings/9").json()["error"]
    for path, by in (("/api/1/rulings/7", ""), ("/api/1/rulings/8", "Eva")):
        ruling = {"after": client.get(path).json()["after"], "item": "approve", "by": by}
        assert asked(path, json=ruling).status_code == 200
        yield asked(path, json=ruling).json()["error"]
    for item, answers in (("none", "[]"), ("approve", "[1]"), ("swap", "[]"), ("score", '["up"]')):
        asks = f"/api/1/rulings/7/form?item={item}&answers={answers}"
        yield client.get(asks).json().get("error", "this would change nothing")
    after = client.get("/api/1/rulings/7").json()["after"]
    yield asked("/api/1/rulings/7", json={"after": after, "item": "score"}).json()["error"]
    yield from (RUNS, GONE_ON, SHOWN, UNKNOWN)
    store.close()


def settings_refused() -> Iterator[str]:
    """What a clock refuses: its file has no preset, and no name is blank."""
    for settings in ({"preset": "Final"}, {"names": [" ", "Bob"]}):
        offer = SignedOffer(1, "abcdefgh", "red-7", LogHead(), settings)
        with pytest.raises(OfferError) as found:
            check_offer(offer, LogHead(), ConfigFile())
        yield str(found.value)


def troubles(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What is wrong with a hub."""
    emitted: list[TroubleChanged] = []
    broker = Broker(host="192.168.8.2", port=8883, ca="", password="x" * 20)
    mqtt = Mqtt("open", broker, ClockList({}, Quota(60, 64)), lambda: 0, Memory())
    mqtt._emit = emitted.append  # type: ignore[assignment]
    mqtt.disconnected(OSError("[Errno 111] Connection refused"))
    hall = Hall("http://192.168.8.3:8037/", lambda: 0)

    def end(event: TroubleChanged) -> None:
        emitted.append(event)
        hall._stopping.set()

    hall._emit = end  # type: ignore[assignment]
    monkeypatch.setattr(hall._client, "events", lambda latest: iter(()))
    hall._follow()
    yield from (each.what for each in emitted)
    yield TOO_MUCH
    behind = Backlog(7, 6 * SECOND_NS).trouble
    yield from (behind, Backlog(MOST_LINES, 6 * SECOND_NS).trouble, f"Hall B: {behind}; {behind}")
    store = Store()
    monkeypatch.setattr(store._queue, "writes_ns", lambda: 60 * SECOND_NS)
    yield from (each.replace("the database in memory", "watch.db") for each in store.troubles())
    monkeypatch.undo()
    store.close()
    outbox = Outbox(1)
    outbox.add([Notice("call", "7", "")], 0)
    error = HTTPError("", 403, "Forbidden", Message(), io.BytesIO())
    monkeypatch.setattr(urllib.request.OpenerDirector, "open", lambda *_, **__: _raise(error))
    with pytest.raises(PostError) as refused:
        send(urllib.request.Request("https://ntfy.sh/open"))
    outbox.failed(str(refused.value), 0)
    yield from (str(refused.value), outbox.trouble)


def unpublished(folder: Path) -> Iterator[str]:
    """Why a hub cannot publish its pages."""
    store = Store()
    hub = Hub(Register(0), store, lambda: 5, PublicView())
    publisher = Publisher(hub, PublishTable(folder=str(folder)))
    (folder / INDEX).touch()
    asyncio.run(publisher.look())
    yield from hub.troubles()
    store.close()


def _raise(error: Exception) -> None:
    raise error


def of_pages() -> Iterator[str]:
    """What the pages themselves say of a hub."""
    source = (PAGES / "director.js").read_text(encoding="utf-8")
    yield from re.findall(r'const SILENT = "(.*)";', source)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Everything that a hub says to a director."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        return [
            *refusals(),
            *settings_refused(),
            *troubles(monkeypatch),
            *unpublished(tmp_path_factory.mktemp("pages")),
            *of_pages(),
        ]


@pytest.mark.parametrize("language", OTHERS)
def test_whatever_is_refused_or_wrong_is_said_in_the_readers_language(
    language: str, said: list[str]
) -> None:
    for text in said:
        with row(text):
            found = told(text, language)
            assert found != text
            assert not re.search(r"\b(the|board|must be|lines wait|answers|Waiting)\b", found)
            assert sorted(re.findall(r"\d+|Eva|ntfy\.sh|Hall B", found)) == sorted(
                re.findall(r"\d+|Eva|ntfy\.sh|Hall B", text)
            )


def test_each_of_these_texts_is_one_that_is_really_said(said: list[str]) -> None:
    phrases = {key: text for key, text in page_words("en").items() if key.startswith("told_")}
    engine = Engine("told.js")
    engine.run(
        "function used(english, said) {"
        " const keys = new Set(), say = (key) => { keys.add(key); return key };"
        " said.forEach((text) => teller(english, say)(text));"
        " return [...keys].filter((key) => key.startsWith('told_')) }"
    )
    assert set(engine.call("used", phrases, said)) == set(phrases)


def test_a_setting_is_called_as_its_field_is() -> None:
    text = 'board 7: time_per_point is "2", but must be one of "2:00"'
    assert told(text) == 'Tisch 7: Zeit je Punkt ist "2". Erlaubt: eines von "2:00"'
    assert told('preset is "Finale", but must be left out') == (
        'Vorgabe ist "Finale". Erlaubt: ein leeres Feld'
    )


def test_names_are_no_phrases() -> None:
    """A director who calls themselves as a phrase is; braces; a text that nobody knows."""
    assert told("board 7 has a pending assignment by file") == (
        "Tisch 7 hat eine offene Ansetzung von file"
    )
    assert told("board {n} takes no assignments") == "Tisch {n} nimmt keine Ansetzungen an"
    assert told("/run: Kein Platz") == "/run: Kein Platz"
