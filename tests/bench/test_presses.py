"""Both players press within a millisecond, in either order: who was first, the log knows.

The mover's press first: both count, and the other's turn was a millisecond long. The other's first:
it was not his turn, so it is only noted, and the mover's press a millisecond later counts. There is
no delay, so each millisecond is charged to somebody.
"""

from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from bench.board import LEFT, RIGHT, Board
from bench.configuration import Config
from bench.fingers import ERROR_NS, Down, check_told, downs
from bench.host_load import host_load
from bench.logbook import Logbook
from bench.plunger import MS_NS, REST_NS
from bench.timetable import Timetable

from clock.match.rules import MINUTE_NS
from clock.match.sides import Button, Side

CONFIG: Config = {"match": {"length": 25}, "rules": {"delay": "0:00"}}
BANK_NS = 50 * MINUTE_NS
NEAR_NS = 3 * MS_NS  # apart at most; a busy computer's fingers do not come at the very instant
ORDERS = (True, False, False)  # the mover first; or not, each player once
AT_ONCE = 10  # pairs
FEWEST = 10  # in each order, of 50 and 100: a busy computer's hand brings some too far apart

Pairs = list[tuple[Button, Button]]  # who presses, and who does a millisecond later
Meant = list[tuple[str, bool, str]]  # who pressed, whether it counted, whose clock then runs


def pairs(count: int) -> tuple[Pairs, Meant]:
    """Presses in both orders, from when the right clock runs; and what comes of them."""
    mover, other = RIGHT, LEFT
    asked: Pairs = []
    meant: list[tuple[Button, bool, Button]] = []
    for number in range(count):
        if ORDERS[number % len(ORDERS)]:
            asked.append((mover, other))
            meant += [(mover, True, other), (other, True, mover)]
        else:
            asked.append((other, mover))
            meant += [(other, False, mover), (mover, True, other)]
            mover, other = other, mover
    return asked, [(who.value, counts, runs.value) for who, counts, runs in meant]


def played(board: Board, asked: Pairs, error_ns: int = 0) -> Logbook:
    """All of these presses; the log, which tells of them as they were made."""
    board.confirm()
    first = Timetable().press(LEFT)
    made: list[Down] = downs(first.moves, board.play(first.moves))
    for start in range(0, len(asked), AT_ONCE):
        table = Timetable()
        for one, other in asked[start : start + AT_ONCE]:
            table.press(one).press(other, MS_NS)
        made += downs(table.moves, board.play(table.moves))
        board.wait(REST_NS)
    board.wait("0:02")  # on a busy computer the log takes a moment
    log = board.log()
    check_told(log, made, error_ns)
    return log


def effects(log: Logbook) -> Meant:
    """What came of each press but the first; and each charge is what lies between the stamps."""
    first, *records = log.of("pressed")
    left_ns, mover, began_ns = dict.fromkeys(Side, BANK_NS), Side(first["running"]), first["at_ns"]
    for record in records:
        spent_ns = record["at_ns"] - began_ns
        assert record["accepted"] == (record["side"] == mover)
        assert record[f"{mover}_ns"] == left_ns[mover] - spent_ns
        if record["accepted"]:
            left_ns[mover] -= spent_ns
            mover, began_ns = mover.other, record["at_ns"]
        assert record["running"] == mover
        assert record[f"{mover.other}_ns"] == left_ns[mover.other]
    return [(each["side"], each["accepted"], each["running"]) for each in records]


def near(log: Logbook) -> list[bool]:
    """Of each pair of presses that came so close together, whether the mover's was the first."""
    records = log.of("pressed")
    return [
        before["accepted"]
        for before, after in pairwise(records)
        if before["side"] != after["side"] and after["at_ns"] - before["at_ns"] <= NEAR_NS
    ]


@pytest.mark.rule("R85")
def test_a_millisecond_apart(tmp_path: Path) -> None:
    """Time travels, so each press is where it was meant to be, and the log says what was meant."""
    asked, meant = pairs(300)
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        log = played(board, asked)
    assert effects(log) == meant
    assert len(near(log)) == len(asked)


@pytest.mark.rule("R85")
@pytest.mark.parametrize("busy", [False, True])
def test_a_millisecond_apart_in_real_time(tmp_path: Path, busy: bool) -> None:
    """On a computer that is idle, and on one whose cores all have more to do than they can."""
    asked, _ = pairs(150)
    with ExitStack() as table:
        if busy:
            table.enter_context(host_load())
        board = table.enter_context(Board(CONFIG, tmp_path))
        board.load(2 if busy else 0)
        log = played(board, asked, ERROR_NS)
    effects(log)
    orders = near(log)
    assert orders.count(True) >= FEWEST
    assert orders.count(False) >= FEWEST
