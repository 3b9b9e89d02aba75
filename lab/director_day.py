"""Play a whole day of a room: three rounds, two directors in a browser, and what goes wrong.

    python -m lab.director_day [CLOCKS [PACE]]    default: 32 clocks, 30 times as fast as people

Broker, hub, links and browser are the real ones, and so are the clocks but for their buttons. In
each round the hub is ended once and killed once, while boards are filled in on *Next match*. In
the second round a clock is killed in mid-match: its board is taken out of the room, and a clock in
reserve gets its place, where the match begins anew at 0-0. In the end each result, winner and code
is compared with the clocks' logs.
"""

import csv
import io
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
from msgspec import structs
from playwright.sync_api import Browser, Locator, expect, sync_playwright

from clock.units import SECOND_NS
from lab.support import second_verifier
from lab.support.mosquitto import Mosquitto, Room, make_room
from lab.support.needs import needs
from lab.support.paths import ROOT
from lab.support.room_hall import AskedHub, Program, link_program, room_file
from room.cards.join import join_simulated
from room.hub.words import page_words
from room.settings.link import FILE_NAME
from room.simulation.players import NAMES
from room.sources.raw_clock import now_ns

ROUNDS, LENGTH = 3, 3
REPLACED_IN = 2  # the round in which a clock dies
DIED_AFTER = 30  # lines of its match
PATIENCE_S, LOOK_S = 300, 0.5  # for anything that is waited for
RESERVE = "reserve"  # the clock that replaces another one
WORDS = page_words("en")
UNFINISHED = 5  # what `verify` ends with: nothing is wrong, but a log has no result
_PAUSE = threading.Event()  # is never set

Pair = tuple[str, str]


class Played(NamedTuple):
    """What a clock's log says of a match that is over, read without the program's own code."""

    players: Pair
    score: tuple[int, int]
    winner: str
    code: str


class Hub(AskedHub):
    """The hub of the room, as programs ask it, which can be ended and killed."""

    def __init__(self, room: Room, folder: Path) -> None:
        super().__init__(room, folder / "room.sqlite")
        self._room = room

    def restart(self, number: int = signal.SIGKILL) -> None:
        """End it by a signal, start it again, and wait until the pages can be opened."""
        super().restart(number)
        assert self.address(), "the hub did not start"

    def give_board(self, clock: str, other: str) -> None:
        """Let two clocks change their boards in the director's file; it counts after a restart."""
        clocks = dict(self._room.settings.clocks)
        clocks[clock], clocks[other] = clocks[other], clocks[clock]
        settings = structs.replace(self._room.settings, clocks=clocks)
        self._room = self._room._replace(settings=settings)
        room_file(self._room)

    def results(self) -> list[dict[str, Any]]:
        """Return the results of matches that are over."""
        found = json.loads(self.read("api/1/results"))["results"]
        return [each for each in found if each["complete"]]

    def boards(self) -> dict[str, dict[str, Any]]:
        """Return the boards by their ids."""
        return {each["id"]: each for each in json.loads(self.read("api/1/boards"))["boards"]}


class Director:
    """A director with *Next match* open in a browser, who has some of the boards."""

    def __init__(
        self, browser: Browser, hub: Hub, name: str, width: int, boards: list[str]
    ) -> None:
        self.boards, self._hub, self.sent = boards, hub, 0
        size = {"width": width, "height": 844}
        self._context = browser.new_context(viewport=size, locale="en-GB")  # type: ignore[arg-type]
        self._context.set_default_timeout(PATIENCE_S * 1000)
        self.page = self._context.new_page()
        self.page.on("dialog", lambda dialog: dialog.accept())
        self.page.goto(f"{hub.url}offers?token={hub.token}")
        self.page.locator("#by").fill(name)

    def paste(self, pairs: dict[str, Pair]) -> None:
        """Paste the pairings of this director's boards, as a spreadsheet copies them."""
        mine = {board: pairs[board] for board in self.boards}
        for board in mine:
            expect(self._row(board)).to_be_attached()
        lines = (f"{board}\t{left}\t{right}\n" for board, (left, right) in mine.items())
        self.page.locator("#paste").fill("".join(lines))
        wait_for(f"{len(mine)} boards filled in", lambda: self.filled() == mine)

    def filled(self) -> dict[str, Pair]:
        """Return the players that are filled in, by board."""
        script = """rows => rows.map((row) => [row.querySelector("th").textContent,
            ...[...row.querySelectorAll("td.name input")].map((field) => field.value)])"""
        found = self.page.locator("#rows tr").evaluate_all(script)
        return {board: (left, right) for board, left, right in found if left or right}

    def check_kept(self, pairs: dict[str, Pair]) -> None:
        """Wait until the hub has heard all boards again; what is filled in must still be there."""
        unheard = self.page.locator("#rows td.now", has_text=WORDS["page_offer_unheard"])
        wait_for("all boards", lambda: set(self.boards) <= {*self._hub.boards()})
        expect(unheard).to_have_count(0)
        wanted = {board: pairs[board] for board in self.boards}
        assert self.filled() == wanted, (self.filled(), wanted)
        expect(self.page.locator("#rows input:checked")).to_have_count(len(wanted))

    def send(self, round_: str) -> None:
        """Send what is chosen."""
        self.page.locator("[name=length]").fill(str(LENGTH))
        self.page.locator("[name=round]").fill(round_)
        self.sent += self.page.locator("#rows input:checked").count()
        self.page.locator("#send").click()
        expect(self.page.locator("#rows input:checked")).to_have_count(0)

    def follow(self, round_: str, boards: Collection[str] = ()) -> int:
        """Send again what players refuse, until these boards have accepted; without any: all.

        Return how much was sent again.
        """
        wanted = set(boards or self.boards)
        again = 0
        until_ns = now_ns() + PATIENCE_S * SECOND_NS
        while wanted & self.filled().keys():
            if now_ns() > until_ns:
                rows = [self._row(board).text_content() for board in self.filled()]
                found = [self._hub.boards().get(board) for board in self.filled()]
                raise AssertionError(f"not accepted: {self.filled()}, {rows}, {found}")
            mine = [self._row(board) for board in self.filled()]
            refused = [row for row in mine if row.get_attribute("data-offer") == "refused"]
            for row in refused:
                row.get_by_role("checkbox").check()
            if refused:
                self.send(round_)
                again += len(refused)
            self.page.wait_for_timeout(LOOK_S * 1000)
        return again

    def fill_in(self, board: str, pair: Pair) -> None:
        """Type the players of one board."""
        for side, name in zip(("Left", "Right"), pair, strict=True):
            self.page.get_by_label(f"{side} player, board {board}", exact=True).fill(name)

    def take_out(self, board: str) -> None:
        """Take a board out of the room, on its page."""
        page = self._context.new_page()
        page.goto(f"{self._hub.url}board/{board}?token={self._hub.token}")
        page.get_by_role("button", name=WORDS["page_take_out"]).click()
        expect(page.get_by_role("button", name=WORDS["page_put_back"])).to_be_visible()
        page.close()

    def check_room(self, boards: int, out: int) -> None:
        """Look at the room's page: so many boards are counted, and so many are taken out."""
        page = self._context.new_page()
        page.goto(f"{self._hub.url}room?token={self._hub.token}")
        expect(page.locator("[data-filter=all] .count")).to_have_text(str(boards))
        expect(page.locator("[data-filter=out] .count")).to_have_text(str(out))
        page.close()

    def _row(self, board: str) -> Locator:
        rows = self.page.locator("#rows tr")
        return rows.filter(has=self.page.get_by_role("checkbox", name=f"Board {board}", exact=True))


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    """Wait until something is so.

    Raises:
        AssertionError: it has not become so.
    """
    until_ns = now_ns() + PATIENCE_S * SECOND_NS
    while not is_so():
        assert now_ns() < until_ns, f"not seen: {what}"
        _PAUSE.wait(LOOK_S)


class Day:
    """The room, its directors and their day."""

    def __init__(self, folder: Path, clocks: int, pace: float, opened: ExitStack) -> None:
        self.boards, self._opened = [str(number) for number in range(1, clocks + 1)], opened
        self.dying = f"clock-{clocks}"
        names = {f"clock-{board}": board for board in self.boards} | {RESERVE: "R"}
        self._room = room = make_room(folder / "cards", names)
        self.directories = {name: folder / "logs" / name for name in names}
        for name, directory in self.directories.items():
            directory.mkdir(parents=True)
            join_simulated(room.folder / "clocks" / name / FILE_NAME, directory)
        opened.enter_context(Mosquitto(room))
        self.hub = opened.enter_context(Hub(room, folder))
        dying = [self.directories[self.dying]]
        others = [each for each in self.directories.values() if each not in dying]
        self.programs = [self._start(each, room, pace, opened) for each in (others, dying)]
        browser = opened.enter_context(sync_playwright()).chromium.launch(
            executable_path=needs("chromium")
        )
        opened.callback(browser.close)
        half = (clocks + 1) // 2
        self.directors = [
            Director(browser, self.hub, "Eva", 1280, self.boards[:half]),
            Director(browser, self.hub, "Finn", 390, self.boards[half:]),
        ]
        self.again = 0  # offers that players refused, and that were sent again

    @staticmethod
    def _start(of: list[Path], room: Room, pace: float, opened: ExitStack) -> list[Program]:
        """Start clocks and their links, each in a process."""
        clocks = Program("-m", "lab.support.day_clocks", pace, *of)
        return [opened.enter_context(each) for each in (clocks, link_program(room, of))]

    def pairs(self, number: int) -> dict[str, Pair]:
        """Return who plays at each board in a round; no name is there twice."""

        def name(at: int) -> str:
            return f"{NAMES[at % len(NAMES)]} {at // len(NAMES) + number * 10}"

        return {board: (name(2 * at), name(2 * at + 1)) for at, board in enumerate(self.boards)}

    def play(self) -> None:
        """Play all rounds."""
        for director in self.directors:
            director.paste(self.pairs(1))
        for number in range(1, ROUNDS + 1):
            self._play_round(number)
            click.echo(f"Round {number}: {len(self.hub.results())} results")
        self._look_at_dead_clock()

    def _play_round(self, number: int) -> None:
        """One director has sent their boards, the other has filled theirs in: the hub is ended."""
        name, pairs, (first, second) = f"Round {number}", self.pairs(number), self.directors
        first.send(name)
        self._restart(signal.SIGTERM)
        second.check_kept(pairs)
        second.send(name)
        if number == REPLACED_IN:  # before that match is over
            self._replace(name, pairs)
        self.again += sum(director.follow(name) for director in self.directors)
        following = self.pairs(number + 1)  # after the last round it is only filled in
        for director in self.directors:
            director.paste(following)
        self._restart(signal.SIGKILL)
        for director in self.directors:
            director.check_kept(following)
        wait_for(f"the results of {name}", lambda: len(self._of(name)) == len(self.boards))

    def _restart(self, number: int) -> None:
        """End the hub by a signal and start it again; return when all pages know that."""
        with ExitStack() as noticed:
            for director in self.directors:
                noticed.enter_context(director.page.expect_response("**/api/1/offers"))
            self.hub.restart(number)

    def _of(self, name: str) -> list[dict[str, Any]]:
        return [each for each in self.hub.results() if each["named_round"] == name]

    def _replace(self, name: str, pairs: dict[str, Pair]) -> None:
        """Kill a clock in mid-match; the one in reserve begins its match anew."""
        board, second = self.boards[-1], self.directors[-1]
        self.again += second.follow(name, [board])

        def is_under_way() -> bool:
            found = self.hub.boards()[board]
            return found["turn"] is not None and found["seq"] > DIED_AFTER

        wait_for("a turn of the clock that dies", is_under_way)
        for program in self.programs[1]:
            program.kill()
        second.take_out(board)
        second.check_room(len(self.boards), 1)
        self.hub.give_board(self.dying, RESERVE)
        self._restart(signal.SIGKILL)
        wait_for(
            "the clock in reserve",
            lambda: self.hub.boards().get(board, {}).get("state") == "REVIEW",
        )
        second.check_room(len(self.boards), 0)  # nothing is heard of the other one
        second.fill_in(board, pairs[board])
        second.send(name)

    def _look_at_dead_clock(self) -> None:
        """Have its log sent when the day is over: the hub still knows that it was taken out."""
        link = self._opened.enter_context(link_program(self._room, [self.directories[self.dying]]))
        wait_for("the dead clock", lambda: "R" in self.hub.boards())
        self.directors[-1].check_room(len(self.boards), 1)
        link.close()

    def compare(self, folder: Path) -> tuple[int, int]:
        """Compare what the hub has with the logs; return how many results and logs there are."""
        for clocks, _ in self.programs[:1]:
            clocks.close()
        logs = [each for folder in self.directories.values() for each in folder.glob("2*.jsonl")]
        played = {log.stem: found for log in logs if (found := played_in(log))}
        results = {each["match"]: result_of(each) for each in self.hub.results()}
        assert results == played, differences(results, played)
        rows = list(
            csv.DictReader(io.StringIO(self.hub.read("api/1/results.csv").decode("utf-8-sig")))
        )
        in_csv = {each["match"]: row_of(each) for each in rows}
        assert in_csv == played, differences(in_csv, played)
        for number in range(1, ROUNDS + 1):
            of = {each["board"]: result_of(each).players for each in self._of(f"Round {number}")}
            assert of == self.pairs(number), differences(of, self.pairs(number))
        file = folder / "results.csv"
        file.write_bytes(self.hub.read("api/1/results.csv"))
        given = [*logs, "--results", file]
        command = [sys.executable, "-m", "gammonclock", "verify", *map(str, given)]
        verified = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        unfinished = verified.stdout.count("which is not over in this log")
        assert (verified.returncode, unfinished) == (UNFINISHED, 1), (
            verified.stdout + verified.stderr
        )
        return len(results), len(logs)


def played_in(log: Path) -> Played | None:
    """Return what a log says of its match; None: it is not over."""
    data = log.read_bytes()
    lines = [json.loads(line) for line in data.splitlines()]
    ends = [at for at, line in enumerate(lines) if line["event"] == "match_over"]
    fingerprints = second_verifier.fingerprints(data)
    if not ends:
        return None
    end = lines[ends[-1]]  # the next match may have been offered since, with its players
    named = next(line["settings"]["names"] for line in lines[ends[-1] :: -1] if "settings" in line)
    return Played((named[0], named[1]), tuple(end["score"]), end["winner"], fingerprints[ends[-1]])


def result_of(result: dict[str, Any]) -> Played:
    """Return a result of the hub."""
    players = result["players"]["left"], result["players"]["right"]
    return Played(players, tuple(result["score"]), result["winner"], result["head"])


def row_of(row: dict[str, str]) -> Played:
    """Return a line of the CSV file."""
    score = int(row["score_left"]), int(row["score_right"])
    return Played((row["left"], row["right"]), score, row["winner"], row["head"])


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[object]:
    """Return what differs, each with what was wanted."""
    keys = sorted(found.keys() | wanted.keys())
    return [
        (key, found.get(key), wanted.get(key)) for key in keys if found.get(key) != wanted.get(key)
    ]


def main() -> None:
    """Play the day, and say what was compared."""
    given = dict(enumerate(sys.argv))
    clocks, pace = int(given.get(1, 32)), float(given.get(2, 30))
    begun_ns = now_ns()
    with TemporaryDirectory(prefix="gammonclock-day-") as folder, ExitStack() as opened:
        expect.set_options(timeout=PATIENCE_S * 1000)
        day = Day(Path(folder), clocks, pace, opened)
        day.play()
        results, logs = day.compare(Path(folder))
        sent = sum(director.sent for director in day.directors)
        click.echo(
            f"{ROUNDS} rounds on {clocks} boards, {sent} offers sent by two directors, of which"
            f" {day.again} were refused at first; {day.hub.starts - 1} restarts of the hub, one"
            f" clock replaced: {results} results, winners and codes are those of {logs} logs;"
            f" {(now_ns() - begun_ns) // SECOND_NS} s"
        )


if __name__ == "__main__":
    main()
