"""Let two directors rule at simulated boards from a browser, in each other's way.

    python -m lab.rulings [BOARDS [RULINGS [SEED]]]    each director's rulings; default: 32, 10, 1

The boxes are the real program on real files in virtual time; the broker is a function call.
Between two taps of a director anything may happen: a ruling is carried out or refused, a clock runs
again or loses its power, a link brings an old line, or one for another board, the hub starts again.
In the end every log replays, each ruling is in the log of its own board, once or not at all, and
the page has said which, or that the hub has forgotten it.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec
from playwright.sync_api import BrowserContext, Error, Page, expect, sync_playwright

from clock.config.offer import SignedRuling, offer_key
from clock.storage.offer_file import KEY
from clock.units import SECOND_NS
from lab.support.needs import needs
from lab.support.offers import MASTER, OfferDesk
from lab.support.ruled_clock import ANSWERS, GOES_ON, RuledClock
from room.lines.events import LinesRead, Place
from tests.browser.test_offers import TOKEN, WORDS, RealHub

RESTARTS = 0.03  # chance between two taps that the hub starts again, and that a box does
ENDS = ("done", "refused", "late", "withdrawn")
PATIENCE = 200  # times that a director looks what has become of a ruling
SLOW_MS = 60_000
GONE_MS = 4_000  # after which a button that cannot be pressed is gone


class Proposal(NamedTuple):
    """What a director has proposed."""

    board: str
    seconds: int  # more for one player; no other ruling has as many


class Box(RuledClock):
    """A clock of a room, whose link and players are function calls."""

    def __init__(self, folder: Path, board: str) -> None:
        self.board, self.name = board, f"red-{board}"
        self.place = Place(f"hall/{board}", self.name, False, board, self.name)
        logs = folder / "logs"
        folder.mkdir()
        self._desk = OfferDesk(folder, logs)
        key = offer_key(MASTER, self.name).hex()
        (logs / KEY).write_text(f"{key}\n", encoding="ascii")
        super().__init__(folder, (f"Anna {board}", f"Bob {board}"), self._desk.directory, logs)
        self._told = 0

    def bring(self, line: bytes) -> None:
        """The link brings a line, and the clock looks at it."""
        self._desk.put(line)
        self.look()

    def tell(self, hub: RealHub) -> None:
        """The hub hears what was logged since it heard last."""
        lines = tuple(line.rstrip(b"\n") for line in self.all_lines[self._told :])
        self._told += len(lines)
        if lines:
            hub.tell(LinesRead(self.place, "", lines, 0, live=False))

    def begin_to_tell(self) -> None:
        """A hub that starts has heard nothing."""
        self._told = 0


class Hall:
    """The boxes, the hub, and all that happens between two taps."""

    def __init__(self, folder: Path, boards: int, random: Random) -> None:
        self.random, self._database = random, folder / "club.sqlite"
        self.hub = RealHub(database=self._database).__enter__()
        self.boxes = [Box(folder / str(number), str(number)) for number in range(1, boards + 1)]
        self.done: Counter[str] = Counter()
        self.signed: dict[str, SignedRuling] = {}  # all rulings that the hub has sent, by their ids
        self._sent = 0
        self._tell()

    def happen(self) -> None:
        """Something happens at some of the boards, or nothing."""
        self.hub.update()
        news, self._sent = self.hub.sent[self._sent :], len(self.hub.sent)
        for name, line in news:
            ruling = msgspec.json.decode(line, type=SignedRuling)
            self.signed[ruling.offer] = ruling
            if self.random.random() < 0.5:
                self._do("brought to another board", self.random.choice(self.boxes), name, line)
            self._do("sent", next(each for each in self.boxes if each.name == name), name, line)
        if self.hub.sent and self.random.random() < 0.3:
            self._do("replayed", None, *self.random.choice(self.hub.sent))
        for box in self.boxes:
            if box.state.proposal is None or self.random.random() < 0.5:
                continue
            box.do(self.random.choice((*ANSWERS, ANSWERS[0], GOES_ON)))
        if self.random.random() < 0.2:
            self.done["clocks that ran again"] += 1
            self.random.choice(self.boxes).do(GOES_ON)
        if self.random.random() < RESTARTS:
            self.done["power cuts"] += 1
            self.random.choice(self.boxes).cut()
        if self.random.random() < RESTARTS:
            self.done["restarts of the hub"] += 1
            self._restart()
        self._tell()

    def close(self) -> None:
        """End everything."""
        self.hub.__exit__(None, None, None)
        for box in self.boxes:
            box.close()

    def _restart(self) -> None:
        """The hub ends, with what it knows of rulings, and starts again."""
        port = urlsplit(self.hub.address).port
        assert port is not None
        self.hub.__exit__(None, None, None)
        self.hub, self._sent = RealHub(port, self._database).__enter__(), 0
        for box in self.boxes:
            box.begin_to_tell()

    def _do(self, what: str, box: Box | None, name: str, line: bytes) -> None:
        if box is None:
            box = next(each for each in self.boxes if each.name == name)
        elif what != "sent" and box.name == name:
            return
        self.done[what] += 1
        box.bring(line)

    def _tell(self) -> None:
        for box in self.boxes:
            box.tell(self.hub)
        self.hub.update()


class Director:
    """A director with a phone."""

    def __init__(self, context: BrowserContext, hall: Hall, name: str, number: int) -> None:
        self._hall, self._random, self._number = hall, hall.random, number
        self.page: Page = context.new_page()
        self.page.set_default_timeout(GONE_MS)
        self.page.set_default_navigation_timeout(SLOW_MS)
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.goto(f"{hall.hub.address}/?token={TOKEN}")
        self.page.evaluate("(name) => localStorage.setItem('gammonclock.by', name)", name)
        self._answer: dict[str, Any] = {}  # of the hub, to the latest proposal
        self.ends: dict[
            str, tuple[Proposal, str]
        ] = {}  # by the ids of the rulings: what became of it

    def rule(self, rulings: int) -> Generator[None, None, None]:
        """Make so many rulings; yield after each tap."""
        while len(self.ends) < rulings:
            board = self._random.choice(self._hall.boxes).board
            seconds = 2 * len(self.ends) + self._number + 1
            id_ = yield from self._propose(Proposal(board, seconds))
            if id_:
                end = yield from self._end(board, id_)
                self.ends[id_] = Proposal(board, seconds), end

    def _propose(self, proposal: Proposal) -> Generator[None, None, str]:
        """Return the id of the ruling; "" if the board went on first."""
        page = self.page
        page.goto(f"{self._hall.hub.address}/rule/{proposal.board}?token={TOKEN}")
        expect(page.locator("[data-item=add_time]")).to_be_visible()
        taps = (
            lambda: page.locator("[data-item=add_time]").click(),
            lambda: page.locator("#choices button").nth(self._random.randrange(2)).click(),
            lambda: page.locator("[name=seconds]").fill(str(proposal.seconds)),
            lambda: page.locator("#go").click(),
            lambda: page.locator("#choices button").nth(1).click(),
        )
        for tap in taps:
            yield
            if not self._tap(tap):
                return ""
            expect(page.locator(":is(#entry, #by, #items):visible").first).to_be_visible()
        yield
        if not self._tap(self._send):
            return ""
        found = self._answer
        if "error" in found:
            self._hall.done["refused by the hub"] += 1
            return ""
        return str(found["ruling"]["id"])

    def _send(self) -> None:
        with self.page.expect_response(lambda each: each.request.method == "POST") as answered:
            self.page.locator("#go").click()
        self._answer = answered.value.json()

    def _tap(self, tap: Callable[[], object]) -> bool:
        """Do something with the form; return False if the board went on and the page closed it."""
        try:
            tap()
        except Error:
            if self.page.locator("#form").is_visible():
                raise
            return False
        return True

    def _end(self, board: str, id_: str) -> Generator[None, None, str]:
        """Return what the page says has become of a ruling, or that another one replaced it."""
        for _ in range(PATIENCE):
            yield
            found = self._look(board)
            latest = found["ruling"] or found["standing"]
            if latest is None:
                said = "|".join(re.escape(WORDS[f"page_rule_{each}"]) for each in ("lost", *ENDS))
                expect(self.page.locator("#state:visible")).to_contain_text(re.compile(said))
                return "lost"
            if latest["id"] != id_:
                return "replaced"
            if latest.get("state") in ENDS:
                said = WORDS[f"page_rule_{latest['state']}"]
                expect(self.page.locator("#state")).to_contain_text(said)
                return str(latest["state"])
        raise AssertionError(f"nothing became of {id_} at board {board}")

    def _look(self, board: str) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {TOKEN}"}
        address = f"{self._hall.hub.address}/api/1/rulings/{board}"
        found: dict[str, Any] = self.page.request.get(address, headers=headers).json()
        return found


def check(hall: Hall, ends: dict[str, tuple[Proposal, str]]) -> int:
    """Compare what the directors were told with the logs, and count what was carried out."""
    carried_out = 0
    for box in hall.boxes:
        box.prove()
        rulings = box.carried_out()
        own = {id_ for id_, signed in hall.signed.items() if signed.clock == box.name}
        assert {line["proposal"] for line in box.logged("proposed")} <= own, "at a wrong board"
        for id_, ruling in rulings.items():
            proposal, end = ends[id_]
            assert proposal.board == box.board
            assert end in ("done", "replaced", "lost")
            assert hall.signed[id_].ruling.answers[:2] == (
                ruling["side"],
                proposal.seconds * SECOND_NS,
            )
        told = {
            id_ for id_, (each, end) in ends.items() if (each.board, end) == (box.board, "done")
        }
        assert told <= rulings.keys(), "the page says done, and the log does not"
        carried_out += len(rulings)
    return carried_out


def run(folder: Path, boards: int, rulings: int, seed: int) -> tuple[Counter[str], int]:
    """Let two directors rule; return what happened, and how many rulings were carried out."""
    random = Random(seed)
    expect.set_options(timeout=SLOW_MS)
    hall = Hall(folder, boards, random)
    with ExitStack() as opened:
        opened.callback(hall.close)
        playwright = opened.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=needs("chromium"))
        opened.callback(browser.close)
        directors = [
            Director(browser.new_context(locale="en-GB"), hall, name, number)
            for number, name in enumerate(("Eva", "Kim"))
        ]
        busy = {director: director.rule(rulings) for director in directors}
        while busy:
            director = random.choice(list(busy))
            if next(busy[director], StopIteration) is StopIteration:
                del busy[director]
            hall.happen()
        ends = directors[0].ends | directors[1].ends
        assert len(ends) == 2 * rulings
        hall.done.update(end for _, end in ends.values())
        return hall.done, check(hall, ends)


def main() -> None:
    """Run, and say what was done."""
    boards, rulings, seed = (*map(int, sys.argv[1:]), *(32, 10, 1)[len(sys.argv) - 1 :])
    with TemporaryDirectory() as folder:
        done, carried_out = run(Path(folder), boards, rulings, seed)
    click.echo(f"{boards} boards, {2 * rulings} rulings {dict(done)}: {carried_out} in the logs")


if __name__ == "__main__":
    main()
