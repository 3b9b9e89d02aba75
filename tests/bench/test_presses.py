"""Both players press one right after the other, in either order; the log has the right order.

If the mover presses first, both presses count, and the opponent's turn lasts 45 milliseconds. If
the opponent presses first, that press is out of turn and only logged, and the mover's press after
it counts. There is no delay, so each millisecond is charged to a player.
"""

from contextlib import ExitStack
from itertools import count, pairwise
from pathlib import Path

import pytest

from clock.match.types import Button, Side
from clock.ui.dialogue import SAME_MOMENT_NS
from clock.units import MINUTE_NS
from lab.bench.board import LEFT, RIGHT, STAMP_ERROR_NS, Board
from lab.bench.configuration import Config
from lab.bench.host_load import host_load
from lab.bench.logbook import Logbook
from lab.bench.plunger import MS_NS, PAUSE_NS
from lab.bench.press_check import PressEdge, check_presses, missing_presses, pressed_edges
from lab.bench.timetable import Timetable

CONFIG: Config = {"match": {"length": 25}, "rules": {"delay": "0:00"}}
BANK_NS = 50 * MINUTE_NS
APART_NS = 45 * MS_NS  # nearer ones are one event, of which the mover's press counts (R217)
NEAR_NS = 60 * MS_NS  # between two presses of a close pair; a busy computer is not exact
ORDERS = (True, False, False)  # whether the mover presses first
AT_ONCE = 10  # pairs in one call
FEWEST = 10  # close pairs that are needed in each order

Pairs = list[tuple[Button, Button]]  # the button pressed first, and that right after it
Effects = list[tuple[str, bool, str]]  # who pressed, whether it counted, whose clock then runs


def pairs(number_of_pairs: int) -> tuple[Pairs, Effects]:
    """Return pairs of presses in both orders, and their effects; at first the right clock runs."""
    mover, other = RIGHT, LEFT
    asked: Pairs = []
    meant: list[tuple[Button, bool, Button]] = []
    for number in range(number_of_pairs):
        if ORDERS[number % len(ORDERS)]:
            asked.append((mover, other))
            meant += [(mover, True, other), (other, True, mover)]
        else:
            asked.append((other, mover))
            meant += [(other, False, mover), (mover, True, other)]
            mover, other = other, mover
    return asked, [(who.value, counts, runs.value) for who, counts, runs in meant]


def play_pairs(board: Board, asked: Pairs, error_ns: int = 0) -> Logbook:
    """Play all pairs; return the log, after a check that it has the presses that were made."""
    board.confirm()
    first = Timetable().press(LEFT)
    made: list[PressEdge] = pressed_edges(first.moves, board.play(first.moves))
    for start in range(0, len(asked), AT_ONCE):
        table = Timetable()
        for one, other in asked[start : start + AT_ONCE]:
            table.press(one).press(other, APART_NS)
        made += pressed_edges(table.moves, board.play(table.moves))
        board.wait(PAUSE_NS)
    board.wait_until(lambda: not missing_presses(board.log(), made, error_ns))
    log = board.log()
    check_presses(log, made, error_ns)
    return log


def check_charges(log: Logbook) -> Effects:
    """Check that each charge is the time between two stamps; return the presses' effects.

    The first press, which starts the first clock, is left out. A busy computer may make two presses
    nearer than they were asked for; then they are one event.
    """
    first, *records = log.of("pressed")
    left_ns, mover, began_ns = dict.fromkeys(Side, BANK_NS), Side(first["running"]), first["at_ns"]
    for record in records:
        spent_ns = record["at_ns"] - began_ns
        one_event = spent_ns < SAME_MOMENT_NS
        assert record["accepted"] == (record["side"] == mover and not one_event)
        assert record[f"{mover}_ns"] == left_ns[mover] - spent_ns
        if record["accepted"]:
            left_ns[mover] -= spent_ns
            mover, began_ns = mover.other, record["at_ns"]
        assert record["running"] == mover
        assert record[f"{mover.other}_ns"] == left_ns[mover.other]
    return [(each["side"], each["accepted"], each["running"]) for each in records]


def close_pairs(log: Logbook) -> list[bool]:
    """Return for each pair of presses within `NEAR_NS` whether the mover's was the first."""
    records = log.of("pressed")
    return [
        before["accepted"]
        for before, after in pairwise(records)
        if before["side"] != after["side"] and after["at_ns"] - before["at_ns"] <= NEAR_NS
    ]


@pytest.mark.rule("R85")
def test_close_presses(tmp_path: Path) -> None:
    """In time travel all presses are exact, and each has the effect that it should have."""
    asked, meant = pairs(300)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        log = play_pairs(board, asked)
    assert check_charges(log) == meant
    assert len(close_pairs(log)) == len(asked)


@pytest.mark.rule("R85")
@pytest.mark.parametrize("busy", [False, True])
def test_close_presses_in_real_time(tmp_path: Path, busy: bool) -> None:
    """In real time the order of presses is right, on an idle computer and on an overloaded one.

    Load makes some pairs come too far apart. All presses are checked as they were made; matches are
    played until there are enough close pairs in each order.
    """
    asked, _ = pairs(150)
    orders: list[bool] = []
    for match in count():
        folder = tmp_path / str(match)
        folder.mkdir()
        with ExitStack() as table:
            if busy:
                table.enter_context(host_load())
            board = table.enter_context(Board(CONFIG, folder))
            board.load(2 if busy else 0)
            log = play_pairs(board, asked, STAMP_ERROR_NS)
        check_charges(log)
        orders += close_pairs(log)
        if min(orders.count(True), orders.count(False)) >= FEWEST:
            break
