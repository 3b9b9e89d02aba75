"""The addresses of the offers: who may use them, what they take, what they answer."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from clock.config.offer import offer_key, verify
from lab.support.hubs import DIRECTOR, TOKEN, Room
from lab.support.last_run import Written
from lab.support.offers import MASTER
from lab.support.world import match_settings
from room.boards.offers import REPEAT_NS
from room.hub.room_event import RoomEvent
from room.hub.words import hub_message
from room.lines.events import LinesRead, OfferDelivered, Place
from room.web.director_site import MAX_REQUEST
from room.web.site import application

PLACE = Place("hall/red-7", "red-7", is_file=False, hint="7", clock="red-7")
CABLE = Place("/dev/ttyUSB0", "/dev/ttyUSB0", is_file=False, hint="8")


def opened(place: Place, of: str = "") -> LinesRead:
    """The first line of a match that nobody has confirmed."""
    log = Written()
    log.open(f"m-{place.hint}", match_settings(), of)
    return LinesRead(place, "", tuple(log.lines), 0, live=False)


@pytest.fixture
def room() -> Iterator[Room]:
    """A room with a clock at board 7, and one on a cable at board 8."""
    with closing(Room()) as room:
        yield room.tell(opened(PLACE), opened(CABLE))


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("happens", "state"),
    [("made", "sent"), ("sent", "sent"), ("shown", "shown"), ("withdrawn", "withdrawn")],
)
def test_an_offer_survives_a_restart_of_the_hub(tmp_path: Path, happens: str, state: str) -> None:
    """It is sent again, signed for the latest line; what the panels showed meanwhile is told."""
    with closing(Room(tmp_path / "club.sqlite")) as room:
        room.tell(opened(PLACE))
        [made] = room.offer({"board": "7", "names": ["Ann", "Bob"]}).json()["offers"]
        if happens != "made":  # else the power is cut as soon as the director is told that it is
            room.tell()
        if happens == "withdrawn":
            room.director.delete("/api/1/offers/7")
    with closing(Room(tmp_path / "club.sqlite")) as room:
        before = room.get("/api/1/offers")
        assert (before["offers"], before["known"]) == ([], [made["offer"]])
        room.tell()  # a second passes before the clock is heard
        room.tell(opened(PLACE, made["offer"] if happens == "shown" else ""))
        [found] = room.get("/api/1/offers")["offers"]
        same = ("offer", "by", "match")
        assert [found[each] for each in same] == [made[each] for each in same]
        assert (found["state"], len(room.sent)) == (state, state == "sent")


def test_an_offer_that_was_taken_is_not_made_again_after_a_restart(tmp_path: Path) -> None:
    """The players have begun another match meanwhile, of which the clock could take it again."""
    with closing(Room(tmp_path / "club.sqlite")) as room:
        room.tell(opened(PLACE))
        [made] = room.offer({"board": "7"}).json()["offers"]
        log = Written()
        log.open("offered", match_settings(), made["offer"])
        room.tell(LinesRead(PLACE, "", tuple(log.ready().lines), 0, live=False))
    with closing(Room(tmp_path / "club.sqlite")) as room:
        room.tell(opened(PLACE))
        [found] = room.get("/api/1/offers")["offers"]
        assert (found["state"], room.sent) == ("taken", [])


def test_an_offer_that_is_sent_again_is_not_stored_again(room: Room) -> None:
    """The disk has other work, and a card wears out."""
    written = list[object]()
    room.offer({"board": "7"})
    room.tell()
    assert room.store.flush()
    room.store.listen(written.append)
    room.now_ns += REPEAT_NS
    room.tell()
    assert room.store.flush()
    assert (len(room.sent), written) == (2, [])


# --- what is offered --------------------------------------------------------------------------


def test_an_offer_is_of_the_event_of_the_room(room: Room) -> None:
    room.hub.event = RoomEvent("Open")
    room.hub.enable_offers(MASTER, lambda clock, line: None)
    for given, expected in (({}, "Open"), ({"event": "Blitz"}, "Blitz")):
        [made] = room.offer({"board": "7"}, **given).json()["offers"]
        room.director.delete("/api/1/offers/7")
        assert made["match"]["event"] == expected


@pytest.mark.rule("R134")
def test_an_offer_is_sent_to_the_clock(room: Room) -> None:
    """Signed with its own key, for the latest line that the hub has of it."""
    answer = room.offer({"board": "7", "names": ["Ann", "Bob"]}, length=7, preset="Final")
    assert answer.status_code == 200
    assert [each["state"] for each in answer.json()["offers"]] == ["waiting"]
    room.tell()
    [(clock, line)] = room.sent
    found = verify(line, offer_key(MASTER, "red-7"))
    assert (clock, found.clock, found.after.match, found.after.seq) == ("red-7", "red-7", "m-7", 1)
    assert found.match_settings == {"length": 7, "preset": "Final", "names": ["Ann", "Bob"]}
    events = b"".join(room.hub.feed.since(0, None))
    assert f'"offer":"{found.offer}","state":"sent"'.encode() in events
    assert b"Ann" not in events


@pytest.mark.rule("R134")
def test_a_link_that_cannot_put_it_down_says_why(room: Room) -> None:
    """As text, cleaned like all that clocks say; when it can, the reason goes."""
    room.offer({"board": "7"})
    room.tell()
    room.tell(OfferDelivered(PLACE, 300, put=False, why="/run: no space left\u202e"))
    [found] = room.get("/api/1/offers")["offers"]
    assert (found["state"], found["why"]) == ("sent", "/run: no space left")
    number = room.hub.feed.number
    room.tell()
    assert room.hub.feed.number == number  # nothing new
    room.tell(OfferDelivered(PLACE, 300, put=True))
    [found] = room.get("/api/1/offers")["offers"]
    assert (found["state"], found["why"]) == ("sent", "")


@pytest.mark.rule("R134")
def test_only_clocks_of_the_room_are_offered_matches(room: Room) -> None:
    """A clock on a cable hears nothing; its board is not named."""
    found = room.get("/api/1/offers")
    assert found["boards"] == ["7"]
    assert "nbgf" in found["profiles"]
    refused = room.offer({"board": "8"})
    assert refused.status_code == 400
    assert refused.json()["error"] == "board 8 takes no assignments"


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("match", "names", "why"),
    [
        ({"profile": "ebf", "play": "other"}, None, "rules.time_per_point is not given"),
        ({"length": 0}, None, "length is 0, but must be a whole number from 1 to 99"),
        ({"score": [11, 0]}, None, "match.score is [11,0]"),
        ({"reserves": ["12:34"]}, None, "reserves is"),
        ({"left_ns": 5}, None, "left_ns is an unknown key"),
        ({"delay": "12"}, None, "delay is"),
        ({"preset": "x" * 5000}, None, "preset is"),
        ({}, ["x" * 41, "Bob"], "names is"),
        ({"length": 99999999999999999999}, None, "length is"),
    ],
)
def test_what_every_clock_would_refuse_is_refused_at_once(
    room: Room, match: dict[str, Any], names: Any, why: str
) -> None:
    """With the clock's own words; and then no board is offered anything."""
    answer = room.offer({"board": "7", "names": names}, **match)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"board 7: {why}")
    room.tell()
    assert room.sent == []


@pytest.mark.rule("R224")
@pytest.mark.parametrize(
    "stands", [{"score": [3, 2]}, {"reserves": ["12:34", "8:05"]}, {"crawford": "now"}]
)
def test_where_a_match_stands_is_for_one_board(room: Room, stands: dict[str, Any]) -> None:
    answer = room.offer({"board": "7"}, {"board": "8"}, **stands)
    assert (answer.status_code, answer.json()["error"]) == (400, hub_message("one_board"))


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"boards":[]}', b'{"boards":[{"board":7}]}', b"[" * 9999]
)
def test_what_is_no_request_is_refused(room: Room, body: bytes) -> None:
    answer = room.director.post("/api/1/offers", content=body)
    assert answer.status_code == 400


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "offers"), ("POST", "offers"), ("DELETE", "offers/7"), ("POST", "pairings")],
)
def test_a_parameter_that_means_nothing_is_refused(room: Room, method: str, path: str) -> None:
    answer = room.director.request(method, f"/api/1/{path}?bord=7")
    assert (answer.status_code, answer.json()) == (400, {"error": "unknown parameter: bord"})


@pytest.mark.rule("R134")
def test_a_long_request_is_refused(room: Room) -> None:
    for path in ("/api/1/offers", "/api/1/pairings"):
        answer = room.director.post(path, content=b" " * (MAX_REQUEST + 1))
        assert answer.status_code == 413


@pytest.mark.rule("R134")
def test_a_board_twice_is_refused(room: Room) -> None:
    answer = room.offer({"board": "7"}, {"board": "7", "names": ["Ann", "Bob"]})
    assert (answer.status_code, answer.json()["error"]) == (400, "board 7 is given 2 times")


@pytest.mark.rule("R134")
def test_a_pending_offer_is_replaced_on_purpose(room: Room) -> None:
    """Another director may have made it: their name is told, and its id has to be given."""
    wanted: dict[str, Any] = {"boards": [{"board": "7"}], "by": "Eva"}
    [first] = room.director.post("/api/1/offers", json=wanted).json()["offers"]
    assert first["by"] == "Eva"
    refused = room.offer({"board": "7"}, length=5)
    assert (refused.status_code, refused.json()["error"]) == (
        409,
        "board 7 has a pending assignment by Eva",
    )
    room.tell(opened(PLACE._replace(key="hall/red-9", hint="9", clock="red-9")))
    assert room.offer({"board": "9"}).status_code == 200  # of another board
    wanted |= {"match": {"length": 5}, "by": "Kim", "replaces": [first["offer"]]}
    second, _ = room.director.post("/api/1/offers", json=wanted).json()["offers"]
    assert (second["by"], second["match"]) == ("Kim", {"length": 5})


@pytest.mark.rule("R134")
def test_an_offer_that_is_shown_is_not_withdrawn(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room.hub.offers, "withdraw", lambda board, by: False)
    answer = room.director.delete("/api/1/offers/7")
    assert answer.status_code == 409
    assert answer.json()["error"].startswith("too late: the players see the assignment")


@pytest.mark.rule("R134")
def test_an_offer_is_withdrawn(room: Room) -> None:
    assert room.director.delete("/api/1/offers/7").status_code == 200
    room.offer({"board": "7"})
    for _ in range(2):
        [found] = room.director.delete("/api/1/offers/7").json()["offers"]
        assert found["state"] == "withdrawn"
    room.tell()
    assert room.sent == []
    assert room.director.delete("/api/1/offers/9").status_code == 404


@pytest.mark.rule("R134")
def test_a_pairing_list_is_read(room: Room) -> None:
    answer = room.director.post("/api/1/pairings", content=b"7;Ann;Bob\n9;C;D\n")
    assert answer.json() == {
        "pairings": [{"board": "7", "names": ["Ann", "Bob"]}],
        "problems": ["line 2: there is no board 9"],
        "guess": "",
        "summary": "1 board read, 1 line not: line 2: there is no board 9",
    }
    german = room.director.post("/api/1/pairings?lang=de", content=b"9;C;D\n").json()
    assert german["problems"] == ["Zeile 1: es gibt keinen Tisch 9"]
    room.tell()
    assert room.sent == []


# --- who may ----------------------------------------------------------------------------------

REQUESTS = [
    ("GET", "/api/1/offers"),
    ("POST", "/api/1/offers"),
    ("DELETE", "/api/1/offers/7"),
    ("POST", "/api/1/pairings"),
]
WANTED = b'{"boards":[{"board":"7"}]}'


@pytest.mark.rule("R134")
@pytest.mark.parametrize(("method", "path"), REQUESTS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer "},
        {"authorization": "Bearer wrong"},
        {"authorization": TOKEN},
        {"authorization": f"Bearer {TOKEN}x"},
        DIRECTOR | {"origin": "http://evil.example"},
        DIRECTOR | {"origin": "null"},
        DIRECTOR | {"origin": "http://testserver:81"},
    ],
    ids=str,
)
def test_nobody_else_offers_matches(
    room: Room, method: str, path: str, headers: dict[str, str]
) -> None:
    """Without the token, or from a page of another address: nothing is done or told."""
    answer = room.reader.request(method, path, content=WANTED, headers=headers)
    assert answer.status_code == 403
    assert set(answer.json()) <= {"error", "key", "values"}
    room.tell()
    assert room.sent == []


@pytest.mark.rule("R134")
def test_the_token_in_the_address_is_not_enough(room: Room) -> None:
    """A link cannot offer a match: the page has to send the token itself."""
    assert room.reader.post(f"/api/1/offers?token={TOKEN}", content=WANTED).status_code == 403


@pytest.mark.rule("R134")
def test_the_own_page_may(room: Room) -> None:
    headers = {"origin": "http://testserver"}
    assert room.director.post("/api/1/offers", content=WANTED, headers=headers).status_code == 200


@pytest.mark.rule("R134")
@pytest.mark.parametrize(("method", "path"), REQUESTS)
def test_a_hub_without_a_token_takes_no_offers(room: Room, method: str, path: str) -> None:
    client = TestClient(application(room.hub))
    for headers in ({}, {"authorization": "Bearer "}, DIRECTOR):
        assert client.request(method, path, content=WANTED, headers=headers).status_code == 403


@pytest.mark.rule("R134")
def test_a_hub_without_clocks_of_a_room_says_so(room: Room) -> None:
    """As `gammonclock watch` on a folder."""
    room.hub.offers = None
    answer = room.director.get("/api/1/offers")
    assert (answer.status_code, answer.json()["key"]) == (404, "message_no_offers")


def answered(room: Room, *parts: Message) -> Message:
    """The beginning of the answer to a director's request whose body comes in parts."""
    answers, coming = list[Message](), iter(parts)

    async def receive() -> Message:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: Message) -> None:
        answers.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/1/offers",
        "query_string": b"",
        "headers": [(b"authorization", DIRECTOR["authorization"].encode())],
    }
    asyncio.run(room.app(scope, receive, send))
    return answers[0]


def test_a_client_may_leave_in_mid_body(room: Room) -> None:
    """Its phone went to sleep: that is no error of the hub, and nothing to be logged."""
    begun = {"type": "http.request", "body": b"[{", "more_body": True}
    assert answered(room, begun)["status"] == 400


def test_a_long_request_in_short_parts_is_refused(room: Room) -> None:
    half = {"type": "http.request", "body": b" " * (MAX_REQUEST // 2), "more_body": True}
    assert answered(room, half, half, half, half)["status"] == 413
