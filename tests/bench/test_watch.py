"""From the box to the page: `gammonclock watch` on the other end of a running clock's serial line.

How soon the page is right is not judged, because that depends on this computer's load. Nor can it
always be soon: the longer a line is unplugged the rarer the clock tries again, at last every 8 s.
That a clock is not heard any more shows after 15 s, which this test does not wait for.
"""

import json
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from clock.match.durations import clock_text
from clock.match.types import Side
from clock.units import SECOND_NS
from room.store.store import Store
from tests.bench.board import CENTRE, LEFT, PROGRAM, RIGHT, Board, MadeEdge
from tests.bench.logbook import Logbook, Record
from tests.bench.plunger import MS_NS
from tests.bench.serial_line import DEVICE, Adapter
from tests.support.watch_program import WatchProgram

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 7, "score": [2, 1]},
    "rules": {"delay": "0:01"},
    "log": {"serial": DEVICE},
}
PATIENCE_S = 120.0  # for an answer, which only a failing test takes
SLEW_NS = 20 * MS_NS  # by which this computer's NTP may shift the guest's clock during the test


class Watch(WatchProgram):
    """The installed `gammonclock watch` of one serial port."""

    @property
    def board(self) -> dict[str, Any]:
        """The one board as /api/boards has it; empty before there is one."""
        boards = json.loads(self.read("boards"))["boards"]
        return dict(boards[0]) if boards else {}

    @property
    def now_ns(self) -> int:
        """The present instant of the hub."""
        return int(json.loads(self.read("clock"))["hub_ns"])

    def read(self, path: str) -> bytes:
        """Return what is at an address of the interface."""
        address = f"{self.address}api/{path}"
        with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:  # noqa: S310 (its own)
            return bytes(answer.read())


class Said(NamedTuple):
    """What the log and the page both say of a match."""

    seq: int
    phase: str
    score: list[int]
    running: str | None  # whose clock runs
    reserves_ns: list[int]  # when that clock began to run, or now


def by_log(log: Logbook) -> Said:
    """Return what the latest line of a log says."""
    last = log.last
    reserves_ns = [last["left_ns"], last["right_ns"]]
    return Said(len(log), last["phase"], last["score"], last["running"], reserves_ns)


def by_page(board: dict[str, Any]) -> Said:
    """Return what the page's board says."""
    turn = board["turn"]
    return Said(
        board["seq"],
        board["state"],
        [board["players"][side]["points"] for side in Side],
        turn and turn["side"],
        [board["reserves"][side]["reserve_ns"] for side in Side],
    )


def reserve_ns(board: dict[str, Any], side: Side, now_ns: int) -> int:
    """Return a reserve at an instant of the hub, by the formula in docs/watch.md."""
    left_ns, turn = int(board["reserves"][side]["reserve_ns"]), board["turn"]
    if turn is None or turn["side"] != side:
        return left_ns
    begun_ns = int(turn["since_ns"] + turn["delay_ns"])
    return max(0, left_ns - max(0, now_ns - begun_ns))


class Table(NamedTuple):
    """A box, the port of the computer beside it, and what that computer shows."""

    box: Board
    adapter: Adapter
    watch: Watch

    def check_page(self, *, certain: bool = True) -> None:
        """Wait until the page says what the log says, and is as certain of it as it may be."""
        seen: list[object] = []

        def right() -> bool:
            board, wanted = self.watch.board, (by_log(self.box.log()), certain)
            seen[:] = [board and (by_page(board), board["certain"]), wanted]
            return seen[0] == wanted

        assert self.box.wait_until(right), seen

    def is_read_from_panels(self) -> bool:
        """Wait until both panels show the reserves of the page at an instant, and whose runs."""

        def same(board: dict[str, Any], side: Side) -> bool:
            panel, turn = self.box.panel(side), board["turn"]
            text = clock_text(reserve_ns(board, side, self.watch.now_ns))
            runs = turn is not None and turn["side"] == side
            return (panel.reserve, panel.inverted) == (text, runs)

        return self.box.wait_until(lambda: all(same(self.watch.board, side) for side in Side))

    def is_in_the_reserve(self, side: Side) -> bool:
        """Wait until a running clock is in its reserve on the page, by a second at least."""
        begun_ns = self.watch.board["reserves"][side]["reserve_ns"]
        return self.box.wait_until(
            lambda: begun_ns - reserve_ns(self.watch.board, side, self.watch.now_ns) > SECOND_NS
        )

    def counts_from(self, made: MadeEdge) -> bool:
        """Return whether the page's turn began neither before its press nor in the future.

        An instant of the clock can only be taken for a later one, by the time that its fastest line
        took; how much that is depends on this computer's load.
        """
        before_ns = self.watch.now_ns - self.box.guest.ask("now")
        since_ns = self.watch.board["turn"]["since_ns"]
        return bool(made.before_ns + before_ns - SLEW_NS <= since_ns <= self.watch.now_ns)


def test_a_match_from_its_box_to_the_page(tmp_path: Path) -> None:
    """Both ends are unplugged, and the power is cut: the page follows, the database has all."""
    database = tmp_path / "room.sqlite"
    with (
        Adapter(tmp_path / "adapter") as adapter,
        Watch(adapter.path, "--database", database, program=[PROGRAM]) as watch,
        Board(CONFIG, tmp_path) as box,
    ):
        table = Table(box, adapter, watch)
        assert box.wait_until(lambda: adapter.opened)
        box.serial.follow(adapter.send)
        table.check_page()
        play_turns(table)
        pull_the_clocks_end(table)
        pull_the_computers_end(table)
        cut_the_power(table)
        box.press(CENTRE)
        table.check_page()
        assert watch.board["state"] == "STOPPED"
        assert table.is_read_from_panels()
        match = box.log().last["match"]
        box.switch_off()
        assert box.card is not None
        log = (box.card.read("current.jsonl") or "").encode()
        assert watch.read(f"matches/{match}/log") == log
    assert kept(database, match) == log.split(b"\n")[:-1]


def play_turns(table: Table) -> None:
    """Begin the match and play three turns; the last one is in its reserve."""
    table.box.confirm()
    for button in (RIGHT, LEFT, RIGHT):
        made = table.box.press(button)
        table.check_page()
        assert table.counts_from(made)
    assert table.watch.board["turn"]["side"] == "left"
    assert table.is_in_the_reserve(Side.LEFT)
    assert table.is_read_from_panels()


def pull_the_clocks_end(table: Table) -> None:
    """The clock notices, and sends everything again when its end is back."""
    table.box.serial.unplug()
    table.box.press(LEFT)
    assert table.box.wait_until(lambda: of_serial(table.box.log(), "fault"))
    assert table.watch.board["turn"]["side"] == "left"
    table.box.serial.plug()
    assert table.box.wait_until(lambda: of_serial(table.box.log(), "fault_cleared"))
    table.check_page()
    assert table.watch.board["turn"]["side"] == "right"
    assert table.is_read_from_panels()


def pull_the_computers_end(table: Table) -> None:
    """The clock does not notice: a line is missing, and the page marks what it shows."""
    table.adapter.unplug()
    assert table.box.wait_until(lambda: table.watch.board["faults"])
    table.box.press(RIGHT)
    latest = table.box.wait_for("pressed", 5).text.splitlines()[-1]
    assert table.box.wait_until(lambda: latest in table.box.serial.heard)
    table.adapter.plug()
    assert table.box.wait_until(lambda: table.adapter.opened)
    table.box.press(LEFT)
    table.check_page(certain=False)
    assert "missing" in table.watch.board["damage"]
    assert table.is_read_from_panels()


def cut_the_power(table: Table) -> None:
    """In a turn: the clock restores its match and sends all of it, and play goes on."""
    assert table.is_in_the_reserve(Side.RIGHT)
    table.box.power_cut()
    table.box.switch_on()
    table.check_page()
    board = table.watch.board
    assert (board["state"], board["damage"]) == ("STOPPED", None)
    assert not any(table.adapter.path.name in fault for fault in board["faults"])
    assert table.is_read_from_panels()
    table.box.press(CENTRE)
    table.check_page()
    assert table.watch.board["turn"]["side"] == "right"
    made = table.box.press(RIGHT)
    table.check_page()
    assert table.counts_from(made)
    assert table.is_in_the_reserve(Side.LEFT)
    assert table.is_read_from_panels()


def of_serial(log: Logbook, event: str) -> list[Record]:
    """Return the records of an event about the serial line: a busy bench may have other faults."""
    return [each for each in log.of(event) if each["part"] == "serial"]


def kept(database: Path, match: str) -> list[bytes]:
    """Return the lines of a match in a database that nobody uses any more."""
    store = Store(database)
    lines = store.lines(match)
    store.close()
    return lines
