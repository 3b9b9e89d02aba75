"""A flag, and a press a millisecond before it or after it: never wrong, whatever else goes on.

A press a millisecond before the flag is known to be one only when the contact has settled, which is
milliseconds after the flag's instant: a clock that decides by its own waking gets it wrong.

Each player has one second and no delay. Both of them get to within a millisecond of it and to a
millisecond beyond; then the director gives both their second again, and they go on.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from bench.board import CENTRE, LEFT, RIGHT, Board
from bench.configuration import Config
from bench.fingers import ERROR_NS, Down, check_told, downs
from bench.logbook import Logbook
from bench.plunger import MS_NS
from bench.timetable import GAP_NS, Timetable

from clock.match.rules import SECOND_NS
from clock.match.sides import Side

CONFIG: Config = {
    "match": {"length": 1},
    "rules": {"profile": "nbgf", "time_per_point": "0:01", "delay": "0:00"},
}
BANK_NS = SECOND_NS
# A press that is less than this before the flag is known only after it: the settling time and the
# margin. A busy computer's finger does not come at the very instant.
NEAR_NS = 7 * MS_NS
TIMES = 200  # each
LOADED = 14  # resets of each board in real time: twice as many flags, 2.5 seconds each
ROUNDS = 4  # at most: a hand is held up too often on a computer that others keep busy too
FEWEST = TIMES // 4  # on each side of a flag then
LOOKS = 20  # at the log, until something is there
BOARDS = 8  # at once: four for each core of a small computer
TURNS_TO_RESET = 2  # of the director's menu when both flags are down


def both_flags() -> Timetable:
    """Each flag is missed by a millisecond, and falls a millisecond before a press."""
    table = Timetable().click(CENTRE, 0)  # the left clock goes on
    table.press(LEFT, 999 * MS_NS)  # 1 ms is left
    table.press(RIGHT, 700 * MS_NS)  # 300 ms are left
    table.press(LEFT, 2 * MS_NS)  # the left flag fell 1 ms ago
    table.press(RIGHT, 299 * MS_NS)  # 1 ms is left
    table.press(LEFT)
    table.press(RIGHT, 2 * MS_NS)  # the right flag fell 1 ms ago
    return table.press(LEFT).press(RIGHT)  # for a hand that was held up: both fall


def reset(board: Board) -> list[Down]:
    """The clock is stopped, and the director gives both their time again: no flag is down.

    One press after the other, for a hand that is held up in the middle of several loses some.
    """
    board.press(CENTRE)
    board.hold(CENTRE)
    turned = [Down(RIGHT, board.press(RIGHT), sure=False) for _ in range(TURNS_TO_RESET)]
    for _ in range(2):
        board.press(CENTRE)
    return turned


def corrected(board: Board) -> bool:
    """Whether the director's act is in the log, on a busy computer not at once."""
    for _ in range(LOOKS):
        if board.log().last["event"] == "corrected":
            return True
        board.wait(GAP_NS)
    return False


def played(board: Board, flags: int, error_ns: int = 0) -> list[int]:
    """A match in which both flags fall so often; see `nearness`.

    It ends before if something went otherwise than was meant, because a hand was held up.
    """
    board.confirm()
    made = [Down(RIGHT, board.press(RIGHT), sure=True)]  # the left clock runs
    board.press(CENTRE)
    for _ in range(flags):
        turns = both_flags().moves
        made += downs(turns, board.play(turns)) + reset(board)
        if not corrected(board):
            break
    board.wait("0:02")  # on a busy computer the log takes a moment
    log = board.log()
    check_told(log, made, error_ns)
    return nearness(log)


def nearness(log: Logbook) -> list[int]:
    """How long before its flag (or, below 0, after it) each turn ended, by the stamps alone.

    What the log says of flags and reserves is held against that: a turn that ended in time leaves
    what was left, and no flag; of one that did not, the flag fell at its instant, and stays.
    """
    left_ns = dict.fromkeys(Side, BANK_NS)
    down: set[Side] = set()
    began_ns, near = 0, []
    for before, record in pairwise(log.records):
        mover, at_ns = before["running"] and Side(before["running"]), record["at_ns"]
        if record["event"] == "corrected":
            left_ns, down = dict.fromkeys(Side, BANK_NS), set()
        if mover is None:
            began_ns = at_ns
            continue
        to_flag_ns = began_ns + left_ns[mover] - at_ns
        if record["event"] == "flag_fell":
            down.add(mover)
            assert (record["side"], record["order"], to_flag_ns) == (mover, len(down), 0)
            continue
        near += [to_flag_ns] if left_ns[mover] else []  # else its flag is down already
        left_ns[mover], began_ns = max(0, to_flag_ns), at_ns
        assert (record[f"{mover}_ns"], mover in down) == (left_ns[mover], to_flag_ns <= 0)
    return near


def before(near: list[int]) -> list[int]:
    """How long before their flags the turns ended that ended just in time."""
    return [ns for ns in near if 0 < ns <= NEAR_NS]


def after(near: list[int]) -> list[int]:
    """How long after their flags the turns ended that ended just too late."""
    return [-ns for ns in near if 0 < -ns <= NEAR_NS]


@pytest.mark.rule("R39")
def test_a_millisecond_before_and_after(tmp_path: Path) -> None:
    """Time travels, so each press is where it was meant to be."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        near = played(board, 1 + TIMES // 2)
    assert before(near) == pytest.approx([MS_NS] * (TIMES + 1), abs=10_000)
    assert after(near) == pytest.approx([MS_NS] * (TIMES + 1), abs=10_000)


@pytest.mark.rule("R39")
def test_the_same_under_load(tmp_path: Path) -> None:
    """In real time, on computers of which each has more to do than it can.

    Every turn is judged, however near to its flag it ended; how near, and how many, the load
    decides: a match ends when a hand was held up so long that something else was pressed.
    """
    near: list[int] = []
    for number in range(ROUNDS):
        if min(len(before(near)), len(after(near))) < TIMES:
            near += loaded(tmp_path / str(number))
    assert len(before(near)) >= FEWEST
    assert len(after(near)) >= FEWEST


def loaded(folder: Path) -> list[int]:
    """Boards at once, in each of which something else runs all the time; see `nearness`."""

    def one(number: int) -> list[int]:
        own = folder / str(number)
        own.mkdir(parents=True)
        with Board(CONFIG, own) as board:
            board.load(1)
            return played(board, LOADED, ERROR_NS)

    with ThreadPoolExecutor(BOARDS) as boards:
        return [ns for found in boards.map(one, range(BOARDS)) for ns in found]
