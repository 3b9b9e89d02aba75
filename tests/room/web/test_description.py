"""The description of the interface: what a request gets is what is described, and nothing else."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import jsonschema
import msgspec
import pytest
from starlette.testclient import TestClient

from lab.support.hubs import DIRECTOR, TOKEN, Room
from lab.support.last_run import match_in
from lab.support.rows import row
from room.hub.notifier import Notifier
from room.hub.offer_desk import OfferDesk
from room.hub.post import About
from room.hub.store.opening import StoreError
from room.lines.events import ClockHeard, Place, TroubleChanged
from room.settings.tables import NotifyTable
from room.web import match_site
from room.web.access import Access
from room.web.site import ForDirector, application
from tests.eventlog.test_links import ONE, taken_up
from tests.room.web.test_site import LOG, closed, get, lines, program_addresses

JOINED = "/api/1/matches/{match}/joined"
JOIN = {"source": "room/2", "earlier": "room/1"}
VALUES = {"id": "7", "board": "7", "match": "second", "item": "swap"}
GUARDED = Access(TOKEN, guarded=True)


class Operation(NamedTuple):
    """What can be done at a path, its description, and a body that it takes."""

    path: str
    method: str
    about: dict[str, Any]
    body: Any

    def needs(self, place: str) -> dict[str, str]:
        """Values of the parameters that it needs in its path, or its query."""
        known = (each for each in self.about["parameters"] if each["required"])
        return {each["name"]: VALUES[each["name"]] for each in known if each["in"] == place}

    def ask(self, client: TestClient, **other: Any) -> Any:
        """Ask for it with what it needs; parts of that may be others."""
        path = self.path.format(**self.needs("path") | other)
        body = other.get("body", self.body)
        content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        params = other.get("params", self.needs("query"))
        return client.request(self.method, path, params=params, content=content)


class Notices(Notifier):
    """Sends nothing."""

    why = ""

    async def test(self, *_: object) -> str:
        """Return why a test notice cannot be sent, if that is so."""
        return self.why


class Interface(Room):
    """A room in which each address has an answer; of board 8 no match is known."""

    def __init__(self) -> None:
        super().__init__()
        clocks = [Place(f"room/{each}", each, is_file=False, clock=each) for each in "123"]
        red, blue = (Place(f"room/{each}", each, hint=each, clock=each) for each in "78")
        log = match_in("STOPPED").lines
        self.tell(lines(log, clocks[0], "match"), lines(ONE, clocks[0], "next"))
        self.tell(lines(taken_up(log, "second"), clocks[1], "second"))
        self.tell(lines(ONE, clocks[1], "next"), lines(LOG, clocks[2], "match"), lines(LOG, red))
        self.tell(lines([b"noise"], blue, "n"), ClockHeard(blue, 5), TroubleChanged(red, "gone"))
        assert self.store.flush()
        for feed in (self.hub.feed, self.public.feed):
            feed.end()  # a stream of events that is opened ends at once
        self.notices = Notices(self.hub, NotifyTable(url="http://box/"), About({}, "open"))
        self.described = self.get("/api/1/openapi.json")
        after = self.get("/api/1/rulings/7")["after"]
        bodies: dict[str, object] = {
            JOINED: JOIN,
            "/api/1/offers": {"boards": [{"board": "7"}]},
            "/api/1/rulings/{board}": {"after": after, "item": "swap"},
            "/api/1/pairings": b"1,Ann,Bob",
        }
        self.operations = [
            Operation(path, method.upper(), about, bodies[path] if "requestBody" in about else b"")
            for path, of in self.described["paths"].items()
            for method, about in of.items()
        ]

    def site(self, access: Access = GUARDED, headers: dict[str, str] = DIRECTOR) -> TestClient:
        """The browser of the director, or of somebody else."""
        director = ForDirector("18:30", self.notices)
        return TestClient(application(self.hub, access=access, director=director), headers=headers)

    def check(self, value: object, schema: Any) -> None:
        """See that JSON is as it is described."""
        jsonschema.validate(value, closed(schema | {"components": self.described["components"]}))


@pytest.fixture
def room() -> Iterator[Interface]:
    with closing(Interface()) as room:
        yield room


def test_what_is_sent_and_taken_is_what_is_described(room: Interface) -> None:
    """Paths, media types and what is in them; a body or a parameter is needed if it says so."""
    director, own = room.site(), {("/api/1/openapi.json", "GET")}
    assert get(director, "/api/1/forecast")["round_by"] == "18:30"
    assert {each[:2] for each in room.operations} == program_addresses(room.app) - own
    for each in room.operations:
        with row(each.method, each.path):
            answer = each.ask(director)
            [(media, content)] = each.about["responses"]["200"]["content"].items()
            assert answer.headers["content-type"].startswith(media)
            if media == "application/json":
                room.check(answer.json(), content["schema"])
            without = [each.ask(director, params={})] if each.needs("query") else []
            if taken := each.about.get("requestBody"):
                [(media, content)] = taken["content"].items()
                if media == "application/json":
                    room.check(each.body, content["schema"])
                    without.append(each.ask(director, body=b""))
                assert taken["required"]
            assert {answer.status_code for answer in without} <= {400}


def test_how_a_request_is_refused_is_as_it_is_described(
    room: Interface, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the token, on closed pages, of a hub without boards, too long, late, or of no use."""
    reader, shut = room.site(headers={}), room.site(GUARDED._replace(public=False), {})
    director, failing = room.site(), room.site(Access(TOKEN, most_streams=0))
    with closing(Room()) as other:
        other.hub.offers = None
        other.hub.feed.end()
        empty = TestClient(application(other.hub, access=GUARDED), headers=DIRECTOR)
        monkeypatch.setattr(match_site, "draw_chart", lambda *_: b"<svg/>")  # quick
        for each in room.operations:
            with row(each.method, each.path), monkeypatch.context() as patch:
                answers = [each.ask(director), each.ask(reader), each.ask(shut), each.ask(empty)]
                assert ("security" in each.about) == (answers[1].status_code != 200)
                answers.append(each.ask(director, params=each.needs("query") | {"bord": "7"}))
                answers.append(each.ask(director, body=b" " * 10**6))
                for name in ("withdraw", "withdraw_ruling"):
                    patch.setattr(OfferDesk, name, lambda *_: False)
                over = JOIN | {"earlier": "room/3"} if each.path == JOINED else each.body
                answers.append(each.ask(director, board="8", body=over))
                patch.setattr(room.store, "lines", unread)
                patch.setattr(room.hub, "publish_trouble", lambda: "disk full")
                patch.setattr(room.notices, "why", "refused")
                answers.append(each.ask(failing))
            statuses = {str(answer.status_code) for answer in answers}
            assert statuses == {*each.about["responses"]}, (each.method, each.path)
            assert all(
                '"error":"' in answer.text for answer in answers[3:] if answer.is_client_error
            )


def unread(*_: object) -> list[bytes]:
    """Read nothing from a database that fails."""
    raise StoreError("gone")
