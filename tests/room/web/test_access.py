"""Who sees what: the director with the token, everybody else less, and later."""

import csv
from collections.abc import Iterator
from contextlib import closing
from typing import Self

import pytest
from starlette.testclient import TestClient

from clock.eventlog.codec import stated_hash
from clock.match import inputs
from clock.units import SECOND_NS
from lab.support.hubs import TOKEN, Room
from lab.support.last_run import match_in
from lab.support.paths import DATA
from room.boards.followed_log import StoredLog
from room.hub.public_view import PublicView
from room.hub.store.opening import StoreError
from room.lines.events import EarlierLinesRead, LinesRead, Place
from room.settings.room import Names
from room.web.access import COOKIE, Access
from room.web.site import application

LOG = tuple((DATA / "ebf.jsonl").read_bytes().splitlines())
NAMES = ("Ada", "Ben")
GUARDED = Access(TOKEN, guarded=True)
PLACE = Place("/logs", "/logs", hint="7")
DIRECTORS = ("/room", "/offers", "/rule/7", "/api/1/offers", "/api/1/pairings")
PUBLIC = ("/", "/wall", "/board/7", "/overlay/7", "/results", "/match/m", "/api/1/boards")
PUBLIC_DATA = (
    "/api/1/boards/7",
    "/api/1/results",
    "/api/1/results.csv",
    "/api/1/results.json",
    "/api/1/clock",
)
MATCH = ("/api/1/matches/m", "/api/1/matches/m/log")


class OneMatch(Room):
    """A room with one finished match."""

    def __init__(self, access: Access = GUARDED, names: Names = "full", delay_s: int = 0) -> None:
        super().__init__(access=access, public=PublicView(names, delay_s))
        self.now_ns = 0

    def hear(self, log: tuple[bytes, ...] = LOG) -> Self:
        """Have the hub told of a log, until its result is there."""
        return self.tell(LinesRead(PLACE, "m", log, self.now_ns, live=False))

    def pass_to(self, now_s: int) -> None:
        """Let time pass to an instant."""
        self.now_ns = now_s * SECOND_NS
        self.hub.update(everything=True)


@pytest.fixture
def room() -> Iterator[OneMatch]:
    """A room in which others see boards and results."""
    with closing(OneMatch()) as found:
        found.hear()
        yield found


def statuses(browser: TestClient, addresses: tuple[str, ...]) -> set[int]:
    return {browser.get(address).status_code for address in addresses}


# --- the token --------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/room", "/room%0A", "/offers/", "/api/1/offers/7"])
def test_the_directors_pages_need_the_token(room: OneMatch, address: str) -> None:
    answer = room.browser().get(address)
    assert answer.status_code == 403
    assert "Open it under the address that has the token" in answer.text
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("given", ["", "wrong", TOKEN[:-1], f"{TOKEN}x", "é"])
def test_a_wrong_token_is_no_token(room: OneMatch, given: str) -> None:
    browser = room.browser()
    assert browser.get("/room", params={"token": given}).status_code == 403
    assert browser.cookies == {}
    header = f"Bearer {given}".encode()
    assert browser.get("/room", headers={b"authorization": header}).status_code == 403
    cookie = f"{COOKIE}={given}".encode()
    assert browser.get("/room", headers={b"cookie": cookie}).status_code == 403


def test_the_token_of_the_address_is_kept_by_the_browser(room: OneMatch) -> None:
    """What the page fetches needs no token in its address then, and scripts cannot read it."""
    browser = room.browser()
    answer = browser.get("/", params={"token": TOKEN})
    assert answer.status_code == 200
    assert "HttpOnly; SameSite=Strict; Path=/" in answer.headers["set-cookie"]
    assert browser.get("/room").status_code == 200


@pytest.mark.parametrize(
    "other",
    [
        'theme={"mode":"dark"}',
        "a[b]=1",
        "user=S\xf8ren",
        "x",
        "expires=never",
        "a=b c",
        'q="unterminated',
        "=novalue",
        "xgammonclock=1",
        'session="2|1:0|44:abc=="',
    ],
)
def test_cookies_of_other_programs_do_not_matter(room: OneMatch, other: str) -> None:
    """A cookie knows no port: another program on the same host has cookies of any form."""
    for both in (f"{other}; {COOKIE}={TOKEN}", f"{COOKIE}={TOKEN};{other}"):
        headers = {b"cookie": both.encode("latin-1")}
        assert room.browser().get("/room", headers=headers).status_code == 200


def test_a_program_sends_the_token_as_a_header(room: OneMatch) -> None:
    answer = room.director.get("/room")
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)


def test_the_first_page_is_the_room_for_the_director_and_the_wall_for_others(
    room: OneMatch,
) -> None:
    page = room.director.get("/").text
    assert page == room.director.get("/room").text
    assert room.browser().get("/").text == room.browser().get("/wall").text != page


def test_without_a_token_everybody_is_the_director() -> None:
    with closing(OneMatch(Access())) as room:
        room.hear()
        assert statuses(room.browser(), ("/", "/room", *PUBLIC, *MATCH)) == {200}
    with closing(OneMatch(Access(guarded=True))) as room:  # nobody is
        assert statuses(room.browser(), DIRECTORS) == {403}


# --- closed pages -----------------------------------------------------------------------------


def test_others_see_boards_and_results(room: OneMatch) -> None:
    """Unless the director decides otherwise."""
    with room.browser() as browser:
        assert statuses(browser, (*PUBLIC, *PUBLIC_DATA, *MATCH)) == {200}


def test_closed_pages_are_closed_to_all_but_the_director() -> None:
    """Every address but those of the files that a page needs; a new one is closed, too."""
    with closing(OneMatch(Access(TOKEN, public=False, guarded=True))) as closed:
        assert statuses(closed.hear().director, (*PUBLIC, *PUBLIC_DATA, *MATCH)) == {200}
        browser = closed.browser()
        paths = [route.path for route in application(closed.hub).routes]  # type: ignore[attr-defined]
        answered = {path for path in paths if browser.get(path).status_code != 403}
    assert answered == {"/static/{path:path}", "/qr/{path:path}", "/api/1/words", "/health"}


# --- names ------------------------------------------------------------------------------------


def everything(browser: TestClient) -> bytes:
    """All that a browser can read."""
    addresses = [*PUBLIC_DATA, "/api/1/boards", *MATCH, "/api/1/matches/m/chart.svg"]
    return b"".join(browser.get(address).content for address in addresses)


@pytest.mark.parametrize("names", ["initials", "none"])
def test_no_name_leaves_the_hub(names: Names) -> None:
    """Not in boards, results, CSV, events, reports, charts or logs; the director has them all."""
    with closing(OneMatch(GUARDED, names)) as room:
        room.hear()
        shown = everything(room.browser())
        shown += b"".join(room.public.feed.since(0, None))
        assert not [name for name in NAMES if f'"{name}"'.encode() in shown]
        assert not [name for name in NAMES if f",{name},".encode() in shown]
        assert statuses(room.browser(), MATCH) == {404}
        own = everything(room.director)
        assert all(f'"{name}"'.encode() in own for name in NAMES)


@pytest.mark.parametrize(("names", "left"), [("full", "Ada"), ("initials", "A."), ("none", "")])
def test_players_are_named_as_the_director_wants(names: Names, left: str) -> None:
    """On the board, in its result, in the list and in its file."""
    with closing(OneMatch(GUARDED, names)) as room:
        room.hear()
        browser = room.browser()
        board = browser.get("/api/1/boards/7").json()
        assert board["players"]["left"]["name"] == (left or None)
        assert board["result"]["players"]["left"] == left
        assert board["damage"] is board["result"]["damage"] is None
        [result] = browser.get("/api/1/results").json()["results"]
        assert result["players"]["left"] == left
        [row] = csv.DictReader(browser.get("/api/1/results.csv").text.splitlines())
        assert row["left"] == left


def test_a_damaged_log_quotes_no_name() -> None:
    log = (*LOG[:5], LOG[5].replace(b'"event"', b'"Ada"'), *LOG[6:])
    with closing(OneMatch(GUARDED, "none")) as room:
        room.hear(log)
        board = room.browser().get("/api/1/boards/7").json()
        assert board["damage"] == board["result"]["damage"] == "damaged"
        assert "line 6" in room.director.get("/api/1/boards/7").json()["damage"]


# --- delay ------------------------------------------------------------------------------------


def test_others_see_everything_later() -> None:
    """State and clock together; a match can be read when its result is shown."""
    with closing(OneMatch(delay_s=30)) as room:
        room.pass_to(100)
        room.hear()
        browser, director = room.browser(), room.director
        for now_s in (100, 129):
            room.pass_to(now_s)
            assert browser.get("/api/1/boards").json()["boards"] == []
            assert browser.get("/api/1/results").json()["results"] == []
            assert statuses(browser, MATCH) == {404}
            assert list(room.public.feed.since(0, None)) == []
        room.pass_to(130)
        mine, theirs = (each.get("/api/1/boards/7").json() for each in (director, browser))
        assert mine == theirs
        assert len(browser.get("/api/1/results").json()["results"]) == 1
        assert b"event: result" in b"".join(room.public.feed.since(0, None))
        assert statuses(browser, MATCH) == {200}
        hub_ns = [each.get("/api/1/clock").json()["hub_ns"] for each in (director, browser)]
        assert hub_ns == [130 * SECOND_NS, 100 * SECOND_NS]


@pytest.mark.parametrize(
    ("names", "delay_s", "readable"), [("full", 0, "mn"), ("full", 9, "m"), ("none", 0, "")]
)
def test_who_may_read_a_log_finds_it_listed(names: Names, delay_s: int, readable: str) -> None:
    """Of this hub's own clocks; as over if it has a result. The director reads all of them."""
    with closing(OneMatch(GUARDED, names, delay_s)) as room:
        room.tell(EarlierLinesRead(Place("@x/c", "x: c", hall="x"), "h", LOG))
        room.hear().pass_to(delay_s)
        room.tell(LinesRead(Place("/b", "/b", hint="8"), "n", LOG[:9], 0, live=True))
        assert room.store.flush()
        for browser, listed in ((room.director, "mn"), (room.reader, readable)):
            answer = browser.get("/api/1/logs")
            assert answer.status_code == (200 if listed else 403)
            logs = {each["match"]: each["has_result"] for each in answer.json().get("logs", ())}
            assert logs == {match: match == "m" for match in listed}
            for match in "mn":
                assert statuses(browser, (f"/api/1/matches/{match}/log",)) == {
                    200 if match in logs else 404
                }


def test_a_match_that_is_reopened_is_read_as_far_as_its_result() -> None:
    match = match_in("FINISHED")
    before = tuple(match.lines)
    with closing(OneMatch(delay_s=30)) as room:
        room.hear(before).pass_to(30)
        room.hear(tuple(match.give(inputs.Reopened(1)).lines))
        assert room.store.flush()
        for reader, lines in ((room.reader, before), (room.director, tuple(match.lines))):
            log = reader.get(f"{MATCH[0]}/log").content
            assert tuple(log.splitlines()) == lines
            [named] = reader.get("/api/1/logs").json()["logs"]
            assert (named["seq"], named["hash"]) == (len(lines), stated_hash(lines[-1]))


# --- forgetting -------------------------------------------------------------------------------


def test_a_forgotten_result_is_told_to_nobody(room: OneMatch) -> None:
    today = [30_000]
    room.store._today = lambda: today[0]
    for today[0] in (30_000, 30_001):
        room.store.forget(0)
        assert room.store.flush()
    room.hub.update()
    for browser in (room.browser(), room.director):
        assert browser.get("/api/1/results").json()["results"] == []
    for feed in (room.hub.feed, room.public.feed):
        assert not [event for event in feed.since(0, None) if b"event: result" in event]


def test_what_is_told_while_the_database_cannot_be_read_waits(
    room: OneMatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is dropped: it is handled when the database answers again."""
    errors = [StoreError("gone")]

    def recall(match: str, source: str) -> StoredLog:
        if errors:
            raise errors.pop()
        return StoredLog()

    monkeypatch.setattr(room.hub.register, "_recall", recall)
    room.hub.put(LinesRead(Place("b", "b", hint="8"), "n", LOG[:5], 0, live=False))
    room.hub.update()
    assert "8" not in room.hub.register.boards
    room.hub.update()
    assert room.hub.register.boards["8"].seq == 5

    def unread(*_: object) -> list[bytes]:
        raise StoreError("gone")

    monkeypatch.setattr(room.store, "lines", unread)
    assert statuses(room.director, MATCH) == {503}
