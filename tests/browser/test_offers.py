"""The director's page of offers, on the real hub: chosen, filled in, sent, and what became of them.

Clocks are logs written by the machine; what is sent to them is kept.
"""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import pytest
import uvicorn
from playwright.sync_api import Browser, Dialog, FilePayload, Page, Route, expect

from clock.config.offer import KEY_BYTES, offer_key, verify
from clock.match.events import Record
from clock.match.inputs import CLOCK, PLAYERS, CentrePressed, OfferRefused, Pressed
from clock.match.types import Side
from clock.text import fields, message
from lab.support.last_run import Written
from lab.support.world import match_settings
from room.boards.register import Register
from room.hub.hub import Hub
from room.hub.store.store import Store
from room.hub.words import hub_message, page_words
from room.lines.events import LinesRead, Place, SourceEvent
from room.web.access import Access
from room.web.site import application
from tests.browser.conftest import LAPTOP, PATIENCE_MS, Judge, View, look
from tests.browser.test_pages import CUT_OFF

MASTER = bytes(range(KEY_BYTES))
TOKEN = "kGq8fT2yVb1nLw0x"  # noqa: S105 (of these tests)
WORDS = page_words("en")
CONFIRM = (Pressed(1, Side.LEFT), Pressed(1, Side.RIGHT), CentrePressed(1))


class RealHub:
    """A hub with its web server, in a thread with a loop of its own."""

    def __init__(self, port: int = 0, database: Path | None = None) -> None:
        """Begin to serve, on any port or on that of a hub that has ended."""
        self.sent: list[tuple[str, bytes]] = []
        self._store = Store(database)
        self._hub = Hub(Register(0), self._store, lambda: 0)
        self._hub.enable_offers(MASTER, lambda clock, line: self.sent.append((clock, line)))
        self._socket = socket.create_server(("127.0.0.1", port))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        app = application(self._hub, access=Access(TOKEN))
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._server.serve([self._socket]))
        self._loop.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End the readers, then the server."""
        self._loop.call_soon_threadsafe(self._hub.feed.end)
        self._server.should_exit = True
        self._thread.join()
        self._store.close()

    def tell(self, message: SourceEvent) -> None:
        """Tell the hub something, as a source does."""
        if self._hub.put(message):
            self._loop.call_soon_threadsafe(self._hub.update_soon)

    def update(self) -> None:
        """Have the hub look for what is due, as it does every second."""

        async def update() -> None:
            self._hub.update()

        asyncio.run_coroutine_threadsafe(update(), self._loop).result()


class RoomClock(Written):
    """A clock whose log the hub hears."""

    settings = match_settings()

    def __init__(self, hub: RealHub, board: str, *, on_cable: bool = False) -> None:
        clock = "" if on_cable else f"red-{board}"
        self.place = Place(f"hall/{board}", clock or "cable", False, board, clock)
        self._hub, self._matches = hub, 0
        self.begin()

    def begin(self, offer: str = "") -> None:
        """Begin a match, offered or not."""
        self._matches += 1
        self.open(f"m{self._matches}-{self.place.hint}", self.settings, offer)

    def write(self, record: Record) -> None:
        super().write(record)
        self._hub.tell(LinesRead(self.place, "", (self.lines[-1],), 0, live=False))


@pytest.fixture
def hub() -> Iterator[RealHub]:
    with RealHub() as hub:
        yield hub


@pytest.fixture
def boards() -> list[str]:
    """The boards at which a clock of the room stands."""
    return ["2", "7", "10"]


@pytest.fixture
def clocks(hub: RealHub, boards: list[str]) -> dict[str, RoomClock]:
    """The clocks of the room by their boards; there is one on a cable, too, at board 8."""
    found = {board: RoomClock(hub, board) for board in boards}
    RoomClock(hub, "8", on_cable=True)
    return found


@pytest.fixture
def locale() -> str:
    """What the director's browser speaks."""
    return "en-GB"


@pytest.fixture
def page(
    browser: Browser, hub: RealHub, clocks: dict[str, RoomClock], locale: str
) -> Iterator[Page]:
    """The director's page; errors in its console are failures."""
    with browser.new_context(viewport=LAPTOP, locale=locale, color_scheme="light") as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{hub.address}/offers?token={TOKEN}")
        expect(page.locator("#rows tr")).to_have_count(len(clocks))
        yield page
        assert problems == []


def pairings(text: str, encoding: str = "utf-8") -> FilePayload:
    return {"name": "round1.csv", "mimeType": "text/csv", "buffer": text.encode(encoding)}


def offer_sent(hub: RealHub, clock: str) -> tuple[str, dict[str, object]]:
    """The id and the settings of the latest offer that was sent to a clock."""
    line = [line for name, line in hub.sent if name == clock][-1]
    found = verify(line, offer_key(MASTER, clock))
    return found.offer, found.match_settings


def offered(left: str, right: str, state: str) -> str:
    """What stands at a board that was offered a match of seven points."""
    return (
        f"{left} \u2013 {right} · {WORDS['page_offer_length']} 7 · {WORDS[f'page_offer_{state}']}"
    )


@pytest.mark.rule("R134")
def test_a_round_is_offered_from_a_pairing_list(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """The list fills in the players; the page says who was offered what, and what became of it."""
    expect(page.locator("#rows th")).to_have_text(["2", "7", "10"])
    expect(page.locator("#send")).to_be_disabled()
    page.set_input_files("#list", pairings("Board;A;B\n7;Ann;Bob\n10;Cid;Dora\n9;Eve;Fay\n"))
    problem = "2 boards read, 1 line not: line 4: there is no board 9"
    expect(page.locator("#problems li")).to_have_text([problem])
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=2))
    page.get_by_label("Length").fill("7")
    page.get_by_label("Rules").select_option("nbgf")
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
    states = page.locator("td.state")
    hub.update()
    expect(states).to_have_text(["", offered("Ann", "Bob", "sent"), offered("Cid", "Dora", "sent")])
    page.reload()
    expect(states).to_have_text(["", offered("Ann", "Bob", "sent"), offered("Cid", "Dora", "sent")])
    seven, settings = offer_sent(hub, "red-7")
    assert settings == {"length": 7, "profile": "nbgf", "names": ["Ann", "Bob"]}
    clocks["7"].begin(seven)
    ten, _ = offer_sent(hub, "red-10")
    clocks["10"].begin(ten)
    expect(states).to_have_text(
        ["", offered("Ann", "Bob", "shown"), offered("Cid", "Dora", "shown")]
    )
    expect(page.locator("#rows button:visible")).to_have_count(0)  # none is withdrawn any more
    clocks["7"].give(*CONFIRM)
    clocks["10"].give(OfferRefused(1, ten, PLAYERS))
    refused = offered("Cid", "Dora", "refused")
    expect(states).to_have_text(["", WORDS["page_offer_taken"], refused])
    assert {clock for clock, _ in hub.sent} == {"red-7", "red-10"}
    clocks["7"].give(Pressed(2, Side.LEFT))
    row = page.locator("#rows tr", has=page.get_by_role("rowheader", name="7"))
    expect(row).to_contain_text(WORDS["page_playing"])


@pytest.mark.rule("R134")
def test_an_answer_older_than_an_event_takes_nothing_back(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """The hub answers what was asked, and a clock shows the match before the answer is here."""
    shown = page.locator("[data-offer=shown]")

    def hold(route: Route) -> None:
        if route.request.method != "POST":
            route.abort()  # so that no later answer puts it right
            return
        answer = route.fetch()
        hub.update()
        expect(page.locator("[data-offer=sent]")).to_have_count(1)
        clocks["7"].begin(offer_sent(hub, "red-7")[0])
        expect(shown).to_have_count(1)
        route.fulfill(response=answer)

    page.get_by_role("checkbox", name="Board 7").check()
    page.route("**/api/1/offers", hold)
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    clocks["2"].give(*CONFIRM, Pressed(2, Side.LEFT))
    expect(page.locator("#rows tr").first).to_contain_text(WORDS["page_playing"])  # drawn since
    expect(shown).to_have_count(1)


def test_the_next_clock_of_a_board_that_has_gone_is_asked_for_anew(
    hub: RealHub, page: Page
) -> None:
    """The one before took no offers, and the hub is asked about each clock once."""
    with page.expect_response("**/api/1/offers"):
        nine = RoomClock(hub, "9", on_cable=True)

    def now_it_takes_offers(route: Route) -> None:
        answer = route.fetch()
        known = answer.json()
        route.fulfill(response=answer, json={**known, "boards": [*known["boards"], "9"]})

    page.route("**/api/1/offers", now_it_takes_offers)
    hub._loop.call_soon_threadsafe(hub._hub.feed.put_gone, "9")
    hub.update()
    nine.give(*CONFIRM)
    expect(page.locator("#rows th")).to_have_text(["2", "7", "9", "10"])


@pytest.mark.rule("R134")
def test_one_and_all_boards(hub: RealHub, page: Page) -> None:
    """Chosen by hand; without names those of the clock's file stay."""
    page.get_by_role("checkbox", name="Board 7").check()
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=1))
    page.get_by_role("checkbox", name=WORDS["page_offer_all"]).check()
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=3))
    page.locator("#send").click()
    expect(page.locator("#said")).to_be_visible()
    hub.update()
    expect(page.locator("td.state")).to_have_text([WORDS["page_offer_sent"]] * 3)
    assert offer_sent(hub, "red-2")[1] == {}
    rules = page.locator("[name=profile] option").all_text_contents()
    assert len(rules) == len(set(rules)) > 1  # though each answer of the hub has them


@pytest.mark.rule("R224")
def test_a_clock_is_replaced_in_mid_match(hub: RealHub, page: Page) -> None:
    """Where the match stands is folded away, and is for one board alone."""
    page.locator("summary").click()
    page.get_by_label(WORDS["page_offer_score"]).fill("8-3")
    page.get_by_label(WORDS["page_offer_reserves"]).fill("12:34, 8:05")
    page.locator("[name=length]").fill("9")
    page.locator("[name=crawford]").select_option("done")
    page.locator("#all").check()
    page.locator("#send").click()
    expect(page.locator("#problems li")).to_have_text([WORDS["message_one_board"]])
    page.locator("#all").uncheck()
    page.get_by_role("checkbox", name="Board 7").check()
    page.locator("#send").click()
    expect(page.locator("#said")).not_to_be_empty()
    hub.update()
    (clock,) = {name for name, _ in hub.sent}
    _, settings = offer_sent(hub, clock)
    assert settings == {
        "length": 9,
        "score": [8, 3],
        "reserves": ["12:34", "8:05"],
        "crawford": "done",
    }


@pytest.mark.rule("R134")
def test_what_is_wrong_is_said_and_nothing_is_sent(hub: RealHub, page: Page) -> None:
    """By the page, and by the hub in the words of the settings file; a name chooses its board."""
    page.get_by_label("Left player, board 7").fill("Ann")
    page.get_by_label("Right player, board 7").fill(" ")
    page.locator("#send").click()
    expect(page.locator("#problems li")).to_have_text([WORDS["page_offer_half"].format(board="7")])
    page.get_by_label("Right player, board 7").fill("Bob")
    page.get_by_label("Delay").fill("12")
    page.locator("#send").click()
    expect(page.locator("#problems li")).to_contain_text('board 7: delay is "12", but must be')
    assert hub.sent == []


@pytest.mark.rule("R134")
@pytest.mark.parametrize("locale", ["de-CH", "da-DK", "nb-NO"])
def test_refusals_are_said_in_the_browsers_language(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page, locale: str
) -> None:
    """Of the hub, of the clock and of a list; also that the hub does not answer."""
    words = page_words(locale[:2])
    problem, state = page.locator("#problems li"), page.locator("td.state").nth(1)

    def expect_problem(key: str, **values: object) -> None:
        expect(problem).to_have_text(words[key].format(**values))

    page.set_input_files("#list", pairings("board;A;B\n9;Ann;Bob\n"))
    unknown = words["pairings_unknown"].format(board=9)
    expect(problem).to_contain_text(words["pairings_line"].format(line=2, why=unknown))
    page.get_by_role("checkbox", name=words["page_board"].format(board=7)).check()
    page.locator("[name=delay]").fill("12")
    page.locator("#send").click()
    expect(problem).to_contain_text(f"{words['page_offer_delay']} ")
    expect(problem).not_to_contain_text("must")
    page.locator("[name=delay]").fill("")
    page.route("**/api/1/offers", lambda route: route.abort())
    page.locator("#send").click()
    expect_problem("message_silent")
    page.unroute("**/api/1/offers")

    def come_second(route: Route) -> None:
        wanted = {"boards": [{"board": "7"}], "by": "Eva"}
        bearer = {"authorization": f"Bearer {TOKEN}"}
        page.request.post(f"{hub.address}/api/1/offers", data=wanted, headers=bearer)
        route.continue_()

    page.route("**/api/1/offers", come_second)
    page.locator("#send").click()
    expect_problem("message_pending_by", board=7, by="Eva")
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(1)
    why = message("setting", key="preset", found='"Finale"', allowed=message("left_out"))
    refused = OfferRefused(1, offer_sent(hub, "red-7")[0], CLOCK, **fields("why", why))
    clocks["7"].give(refused)
    allowed = words["error_left_out"]
    said = words["error_setting"].format(
        key=words["page_offer_preset"], found='"Finale"', allowed=allowed
    )
    expect(state).to_have_text(f"{words['page_offer_refused']} (Eva): {said}")


@pytest.mark.rule("R134")
@pytest.mark.parametrize("locale", ["en", "de", "da", "nb"])
def test_refusals_are_read_in_full_on_a_phone(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page, locale: str
) -> None:
    """Of the hub above the boards, and of a clock beside its board: nothing is wider."""
    page.set_viewport_size({"width": 320, "height": 640})
    words = page_words(locale)
    name = words["page_board"].format(board=7)
    page.get_by_role("checkbox", name=name).check()
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(words["page_offer_made"].format(n=1))
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(1)
    allowed = message("one_of", values=f'"Final", "{"Consolation" * 4}"')
    why = message("setting", key="preset", found=f'"{"Finale" * 8}"', allowed=allowed)
    refused = OfferRefused(1, offer_sent(hub, "red-7")[0], CLOCK, **fields("why", why))
    clocks["7"].give(refused)
    expect(page.locator("[data-offer=refused]")).to_have_count(1)
    page.locator("[name=delay]").fill("12")
    page.get_by_role("checkbox", name=name).check()
    page.locator("#rows tr").last.scroll_into_view_if_needed()
    page.locator("#send").click()
    expect(page.locator("#problems li")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.locator("#problems bdi, td.state bdi").evaluate_all(CUT_OFF) == []


@pytest.mark.rule("R134")
def test_an_offer_is_withdrawn(hub: RealHub, clocks: dict[str, RoomClock], page: Page) -> None:
    """As long as the panels do not show it; during a match it waits."""
    clocks["7"].give(*CONFIRM)
    page.get_by_role("checkbox", name="Board 7").check()
    page.locator("#send").click()
    row = page.locator("#rows tr").nth(1)
    expect(row.locator(".state")).to_have_text(WORDS["page_offer_waiting"])
    row.get_by_role("button").click()
    expect(row.locator(".state")).to_have_text(WORDS["page_offer_withdrawn"])
    expect(row.get_by_role("button")).to_be_hidden()
    clocks["7"].begin()
    hub.update()
    expect(row).to_contain_text("Confirm")
    assert hub.sent == []


@pytest.mark.rule("R134")
def test_enter_in_a_field_sends_nothing_and_hidden_boards_are_not_sent(
    hub: RealHub, page: Page
) -> None:
    page.get_by_label("Left player, board 7").fill("Ann")
    page.get_by_label("Right player, board 7").fill("Bob")
    page.get_by_label(WORDS["report_event"]).fill("Open")
    for field in ("#rows input[maxlength]", "[name=length]", "[name=round]", "#by"):
        page.locator(field).first.press("Enter")
    page.get_by_role("checkbox", name="Board 10").check()
    page.locator("[name=round]").fill("Final")
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=2))
    page.locator("#search").fill("7")
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=1))
    assert hub.sent == []
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    hub.update()
    expect(page.get_by_role("button", name="sent: 1")).to_be_visible()
    expect(page.locator("#rows tr:visible .of-round")).to_have_text("Final · Open")
    names = ["Ann", "Bob"]
    assert offer_sent(hub, "red-7")[1] == {"names": names, "event": "Open", "round": "Final"}
    assert {clock for clock, _ in hub.sent} == {"red-7"}
    page.locator("#search").fill("")
    expect(page.locator("#rows input:checked")).to_have_accessible_name("Board 10")
    page.locator("#search").fill("7")
    page.locator("#all").check()
    page.locator("#all").uncheck()
    expect(page.locator("#rows input:checked")).to_have_count(0)


@pytest.mark.rule("R134")
def test_who_withdraws_another_directors_offer_is_asked_and_named(hub: RealHub, page: Page) -> None:
    asked: list[str] = []

    def refuse(box: Dialog) -> None:
        asked.append(box.message)
        box.dismiss()

    other = page.context.new_page()
    other.goto(f"{hub.address}/offers?token={TOKEN}")
    page.get_by_label(WORDS["page_offer_by"]).fill("Eva")
    page.get_by_role("checkbox", name="Board 7").check()
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    hub.update()
    row = other.locator("#rows tr").nth(1)
    expect(row.locator(".state")).to_contain_text("Eva")
    other.get_by_label(WORDS["page_offer_by"]).fill("Finn")
    other.once("dialog", refuse)
    row.get_by_role("button").click()
    expect(row.get_by_role("button")).to_be_visible()
    other.once("dialog", Dialog.accept)
    row.get_by_role("button").click()
    said = f"{WORDS['page_offer_withdrawn_by'].format(by='Finn')} (Eva)"
    expect(row.locator(".state")).to_have_text(said)
    hub.update()
    expect(page.locator("#rows tr").nth(1).locator(".state")).to_have_text(said)
    assert asked == [WORDS["page_offer_withdraw_other"].format(by="Eva", board=7)]


@pytest.mark.rule("R134")
def test_another_directors_offer_is_replaced_only_if_that_is_meant(
    hub: RealHub, page: Page
) -> None:
    """The page names the board and who offered; who says no changes nothing."""
    asked: list[str] = []

    def refuse(box: Dialog) -> None:
        asked.append(box.message)
        box.dismiss()

    other = page.context.new_page()
    for each, name in ((page, "Eva"), (other, "Finn")):
        each.goto(f"{hub.address}/offers?token={TOKEN}")
        each.get_by_role("checkbox", name="Board 7").check()
        each.get_by_label(WORDS["page_offer_by"]).fill(name)
    for side, player in (("Left", "Ann"), ("Right", "Bob")):
        page.get_by_label(f"{side} player, board 7").fill(player)
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    hub.update()
    expect(other.locator("td.state").nth(1)).to_contain_text("Eva")
    expect(other.locator("td.state").nth(1)).to_contain_text("Ann \u2013 Bob")
    other.once("dialog", refuse)
    other.locator("#send").click()
    expect(other.locator("td.state").nth(1)).to_contain_text("Eva")
    expect(other.get_by_role("checkbox", name="Board 7")).to_be_checked()
    other.once("dialog", Dialog.accept)
    other.locator("#send").click()
    expect(other.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    hub.update()
    expect(page.locator("td.state").nth(1)).to_contain_text("Finn")
    assert asked == [WORDS["page_offer_replace"].format(boards="7 (Eva)")]


@pytest.mark.rule("R134")
def test_a_round_is_pasted_and_the_clocks_that_took_it_are_found(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """As a spreadsheet copies it; *All boards* chooses those that the search shows."""
    page.get_by_label(WORDS["page_offer_paste"]).fill("7\tAnna\tBob\n10\tCid\tDora\n")
    expect(page.locator("#rows input:checked")).to_have_count(2)
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
    hub.update()
    expect(page.get_by_role("button", name=f"{WORDS['page_offer_sent']}: 2")).to_be_visible()
    offer, _ = offer_sent(hub, "red-7")
    clocks["7"].begin(offer)
    hub.update()
    page.get_by_role("button", name=f"{WORDS['page_offer_shown']}: 1").click()
    expect(page.locator("#rows tr:visible")).to_have_count(1)
    expect(page.locator("#rows tr:visible th")).to_have_text("7")
    expect(page.locator("#states [data-state=shown]")).to_be_focused()  # though drawn anew
    page.get_by_role("button", name=f"{WORDS['page_offer_shown']}: 1").click()
    page.locator("#search").fill("cid")
    page.get_by_role("checkbox", name=WORDS["page_offer_all"]).check()
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=1))
    page.locator("#search").press("Enter")
    expect(page.locator("#rows input:checked")).to_have_accessible_name("Board 10")
    assert len(hub.sent) == 2


@pytest.mark.rule("R134")
def test_what_is_filled_in_survives_a_restart_of_the_hub(browser: Browser) -> None:
    """Rows stay though their boards have not come again; what was sent is chosen again."""
    with browser.new_context(viewport=LAPTOP, locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        rows, chosen = page.locator("#rows tr"), page.locator("#rows input:checked")
        with RealHub() as first:
            for board in ("2", "7", "10"):
                RoomClock(first, board)
            page.goto(f"{first.address}/offers?token={TOKEN}")
            expect(rows).to_have_count(3)
            page.locator("#paste").fill("2\tAnna\tBob\n7\tCid\tDora\n")
            page.locator("#send").click()
            expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
            page.get_by_label("Left player, board 10").fill("Eve")
            page.get_by_label("Right player, board 10").fill("Finn")
        with RealHub(urlsplit(first.address).port or 0) as second:
            RoomClock(second, "7")
            expect(page.locator("#said")).to_have_text(WORDS["page_offer_lost"].format(n=2))
            expect(
                page.locator("#rows td.now", has_text=WORDS["page_offer_unheard"])
            ).to_have_count(2)
            expect(chosen).to_have_count(3)
            page.once("dialog", Dialog.accept)
            page.locator("#send").click()
            expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
            expect(page.get_by_label("Left player, board 10")).to_have_value("Eve")
            RoomClock(second, "10")
            RoomClock(second, "2")
            gone = page.locator("#rows td.now", has_text=WORDS["page_offer_unheard"])
            expect(gone).to_have_count(0)
            expect(chosen).to_have_count(2)


@pytest.mark.rule("R134")
def test_offers_survive_a_restart_of_a_hub_with_a_database(
    browser: Browser, tmp_path: Path
) -> None:
    """Nothing is chosen again; who accepted meanwhile reads so."""
    with browser.new_context(viewport=LAPTOP, locale="en-GB") as context:
        context.set_default_timeout(PATIENCE_MS)
        page, database = context.new_page(), tmp_path / "club.sqlite"
        with RealHub(database=database) as first:
            for board in ("2", "7"):
                RoomClock(first, board)
            page.goto(f"{first.address}/offers?token={TOKEN}")
            expect(page.locator("#rows tr")).to_have_count(2)
            page.locator("#paste").fill("2\tAnna\tBob\n7\tCid\tDora\n")
            page.locator("#send").click()
            expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
            first.update()
            expect(page.get_by_role("button", name="sent: 2")).to_be_visible()
            taken, _ = offer_sent(first, "red-7")
        with RealHub(urlsplit(first.address).port or 0, database) as second:
            RoomClock(second, "2")
            clock = RoomClock(second, "7")
            clock.begin(taken)
            clock.give(*CONFIRM)
            second.update()
            expect(page.get_by_role("button", name="sent: 1")).to_be_visible()
            expect(page.get_by_role("button", name="accepted: 1")).to_be_visible()
            expect(page.locator("#rows input:checked")).to_have_count(0)
            expect(page.get_by_label("Left player, board 7")).to_have_value("")
            expect(page.get_by_label("Left player, board 2")).to_have_value("Anna")


@pytest.mark.rule("R134")
def test_a_second_list_replaces_the_first_and_a_guess_is_shown_before_it_is_used(
    page: Page,
) -> None:
    asked: list[str] = []
    answers = iter([Dialog.dismiss, Dialog.accept, Dialog.accept])

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        next(answers)(dialog)

    page.on("dialog", answer)
    chosen, paste = page.locator("#rows input:checked"), page.locator("#paste")
    paste.fill("2\tAnna\tBob\n7\tCid\tDora\n")
    expect(chosen).to_have_count(2)
    guessed = pairings("10;Łoś;Bo\n", "cp1250")
    page.set_input_files("#list", guessed)
    expect(page.locator("#problems li")).to_have_text([WORDS["page_pairings_refused"]])
    expect(page.locator("#said")).to_have_text("")
    expect(page.locator("#list")).to_have_value("")  # so that the same file can be chosen again
    expect(chosen).to_have_count(2)
    page.set_input_files("#list", guessed)
    expect(chosen).to_have_count(1)
    expect(page.get_by_label("Left player, board 10")).to_have_value("Łoś")
    expect(page.get_by_label("Left player, board 2")).to_have_value("")
    guess = WORDS["page_pairings_guess"].format(encoding="windows-1250") + "\n\nŁoś"
    assert asked == [guess, guess, WORDS["page_pairings_replace"].format(n=2)]


@pytest.mark.rule("R134")
@pytest.mark.parametrize("boards", [[f"A{number}" for number in range(1, 501)]], ids=["500"])
def test_a_round_of_500_boards_is_pasted_in_either_format(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """Boards are chosen by a search; what the clocks have taken, and have not, is counted."""
    chosen, paste = page.locator("#rows input:checked"), page.locator("#paste")
    everything = page.get_by_role("checkbox", name=WORDS["page_offer_all"])
    last = page.get_by_label("Right player, board A500")
    for separator, opponent in ((",", "Bob"), ("\t", "Bo Nord")):
        line = "{0}{1}Ann {0}{1}{2} {0}"
        paste.fill("\n".join(line.format(board, separator, opponent) for board in clocks))
        expect(last).to_have_value(f"{opponent} A500")
        expect(chosen).to_have_count(500)
        everything.uncheck()
        expect(chosen).to_have_count(0)
    page.locator("#search").fill("nord a4")
    everything.check()
    wanted = [board for board in clocks if board.startswith("A4")]
    expect(page.locator("#send")).to_have_text(WORDS["page_offer_send"].format(n=len(wanted)))
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=len(wanted)))
    page.locator("#search").fill("")
    hub.update()
    sent = page.locator("#states [data-state=sent]")
    expect(sent).to_have_text(f"{WORDS['page_offer_sent']}: {len(wanted)}")
    assert sorted(name for name, _ in hub.sent) == sorted(f"red-{board}" for board in wanted)
    takers = wanted[:30]
    for board in takers:
        clocks[board].begin(offer_sent(hub, f"red-{board}")[0])
        clocks[board].give(*CONFIRM)
    page.get_by_role("button", name=f"{WORDS['page_offer_taken']}: {len(takers)}").click()
    expect(page.locator("#rows tr:visible th")).to_have_text(takers)
    expect(sent).to_have_text(f"{WORDS['page_offer_sent']}: {len(wanted) - len(takers)}")


@pytest.mark.rule("R134")
def test_what_was_taken_leaves_the_form_and_what_was_refused_stays(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """Board by board; the settings of all boards go with the last one, unless they were changed."""
    left = page.get_by_label("Left player, board 7")
    page.get_by_label("Length").fill("9")
    page.get_by_label(WORDS["page_offer_paste"]).fill("7\tAnn\tBob\n10\tCid\tDora\n")
    expect(page.locator("#rows input:checked")).to_have_count(2)
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(2)
    offers = {board: offer_sent(hub, f"red-{board}")[0] for board in ("7", "10")}
    clocks["7"].begin(offers["7"])
    clocks["10"].begin(offers["10"])
    expect(page.locator("[data-offer=shown]")).to_have_count(2)
    expect(left).to_have_value("Ann")
    clocks["7"].give(*CONFIRM)
    expect(left).to_have_value("")
    clocks["10"].give(OfferRefused(1, offers["10"], PLAYERS))
    expect(page.locator("[data-offer=refused]")).to_have_count(1)
    expect(page.get_by_label("Left player, board 10")).to_have_value("Cid")
    expect(page.get_by_label("Length")).to_have_value("9")
    page.get_by_role("checkbox", name="Board 10").check()
    page.locator("#send").click()
    expect(page.locator("[data-offer=refused]")).to_have_count(0)
    left.fill("Eve")  # of the next round already
    clocks["10"].begin()
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(1)
    clocks["10"].begin(offer_sent(hub, "red-10")[0])
    clocks["10"].give(*CONFIRM)
    expect(page.get_by_label("Left player, board 10")).to_have_value("")
    expect(page.get_by_label("Length")).to_have_value("")
    expect(page.get_by_label(WORDS["page_offer_paste"])).to_have_value("")
    expect(left).to_have_value("Eve")


@pytest.mark.rule("R134")
def test_what_was_typed_since_stays_when_the_offer_is_taken(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """Only names that stand as they were sent leave the form: others are of the next round."""
    left, right = (page.get_by_label(f"{side} player, board 7") for side in ("Left", "Right"))
    left.fill("Ann")
    right.fill("Bob")
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(1)
    clocks["7"].begin(offer_sent(hub, "red-7")[0])
    expect(page.locator("[data-offer=shown]")).to_have_count(1)
    left.fill("Eve")
    clocks["7"].give(*CONFIRM)
    expect(page.locator("[data-offer=taken]")).to_have_count(1)
    expect(left).to_have_value("Eve")
    expect(right).to_have_value("Bob")


@pytest.mark.rule("R134")
def test_what_was_taken_before_the_hubs_answer_came_leaves_the_form(
    hub: RealHub, clocks: dict[str, RoomClock], page: Page
) -> None:
    """As on a slow network: the event that the clock has taken the offer is there first."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/1/offers", hold, times=1)
    page.get_by_label(WORDS["page_offer_paste"]).fill("7\tAnn\tBob\n")
    expect(page.locator("#rows input:checked")).to_have_count(1)
    with page.expect_request("**/api/1/offers"):
        page.locator("#send").click()
    while not held:  # the route is handled after the request is told
        page.wait_for_timeout(10)
    [route] = held
    answer = route.fetch()
    hub.update()
    with page.expect_response("**/api/1/offers"):  # whose players are of no event
        clocks["7"].begin(offer_sent(hub, "red-7")[0])
        clocks["7"].give(*CONFIRM)
    expect(page.locator("[data-offer=taken]")).to_have_count(1)
    route.fulfill(response=answer)
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=1))
    expect(page.get_by_label("Left player, board 7")).to_have_value("")
    expect(page.get_by_label(WORDS["page_offer_paste"])).to_have_value("")


@pytest.mark.rule("R134")
def test_only_the_directors_address_leads_there(hub: RealHub, page: Page) -> None:
    """Without the token the room's page has no such link, and this page only says why."""
    page.goto(f"{hub.address}/?token={TOKEN}&lang=de")
    page.get_by_role("link", name=page_words("de")["page_offers"]).press("Enter")
    expect(page.locator("#rows tr")).to_have_count(3)
    browser = page.context.browser
    assert browser is not None
    with browser.new_context() as context:
        other = context.new_page()
        other.goto(f"{hub.address}/")
        expect(other.locator(".tile")).to_have_count(4)
        expect(other.locator("a[data-director]")).to_be_hidden()
        other.goto(f"{hub.address}/offers")
        expect(other.locator("#none")).to_have_text(WORDS["page_offer_director"])
        expect(other.locator("#form")).to_be_hidden()


@pytest.mark.parametrize("locale", ["de"])
def test_the_room_says_in_the_browsers_language_what_became_of_a_test_notice(
    hub: RealHub, page: Page
) -> None:
    """The other program's own words stay; a hub that is away is said, too."""
    words = page_words("de")
    why = hub_message("answers", host="ntfy.sh", status="403 Forbidden")
    failed, refused = words[why.key].format(**why.values), fields("error", why)

    def answer(route: Route) -> None:
        if route.request.method == "GET":
            route.fulfill(json={"to": "ntfy.sh"})
        else:
            route.fulfill(status=502, json=refused)

    page.route("**/api/1/notify", answer)
    page.goto(f"{hub.address}/room?token={TOKEN}")
    page.locator("#notify-test").click()
    said = page.locator("#notify-said")
    expect(said).to_have_text(words["page_notify_failed"].format(why=failed))
    page.unroute("**/api/1/notify")
    page.route("**/api/1/notify", lambda route: route.abort())
    page.locator("#notify-test").click()
    expect(said).to_have_text(words["page_notify_failed"].format(why=words["message_silent"]))


@pytest.mark.rule("R134")
def test_the_page_stays_the_directors_and_its_address_does_not_say_so(
    hub: RealHub, page: Page
) -> None:
    """After a look at the results, too; who reads the screen does not learn the token."""
    page.goto(f"{hub.address}/?token={TOKEN}&lang=en")
    page.get_by_role("link", name=WORDS["report_results"]).click()
    page.get_by_role("link", name=WORDS["page_room"]).click()
    page.wait_for_url(f"{hub.address}/?lang=en")
    for _ in range(2):  # from the room, and from the results back
        page.get_by_role("link", name=WORDS["page_offers"]).click()
        expect(page.locator("#rows tr")).to_have_count(3)
        assert page.url == f"{hub.address}/offers?lang=en"
        page.get_by_role("link", name=WORDS["report_results"]).click()


@pytest.mark.rule("R134")
def test_everybody_can_read_it(page: Page, hub: RealHub, view: View, problems_of: Judge) -> None:
    look(page, view)
    page.reload()
    expect(page.locator("#rows tr")).to_have_count(3)
    page.set_input_files("#list", pairings("7;Ann;Bob\n9;Eve;Fay\n"))
    expect(page.locator("#problems li")).to_have_count(1)
    page.get_by_role("checkbox", name="Board 2").check()
    page.locator("#send").click()
    expect(page.locator("#said")).to_have_text(WORDS["page_offer_made"].format(n=2))
    hub.update()
    expect(page.locator("[data-offer=sent]")).to_have_count(2)
    page.set_input_files("#list", pairings("7;Ann;Bob\n9;Eve;Fay\n10;Cid;Dora\n"))
    expect(page.locator("#problems li")).to_have_count(1)
    assert problems_of(page) == []
