"""A press a millisecond before the flag ends the turn in time; one a millisecond after does not.

The contact of a press just before the flag settles only after the flag's deadline. So the clock has
to decide by the stamp of the press, not by the instant at which it learns of it.

Each player has one second and no delay. One presses a millisecond before the flag, the other
a millisecond after it; then the director gives both a second again, and the match continues, with
the players exchanged.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import count, pairwise
from pathlib import Path

import pytest

from clock.match.types import Side
from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, STAMP_ERROR_NS, Board
from lab.bench.configuration import Config
from lab.bench.logbook import Logbook
from lab.bench.plunger import MS_NS
from lab.bench.press_check import PressEdge, check_presses, missing_presses, pressed_edges
from lab.bench.timetable import GAP_NS, Timetable

CONFIG: Config = {
    "match": {"length": 1},
    "rules": {"profile": "nbgf", "time_per_point": "0:01", "delay": "0:00"},
}
BANK_NS = SECOND_NS
# The clock learns of a press that is less than this before the flag only after the flag: this is
# the settle time and a margin, as on a busy computer a press is not made at its exact instant.
NEAR_NS = 17 * MS_NS
TIMES = 40  # turns that end just in time, and as many that end just too late
LOADED = 14  # resets of each board in real time: twice as many flags, 2.5 seconds each
LOOKS = 20  # how often the log is read until it has the correction
BOARDS = 8  # at once: four for each core of a small computer
TURNS_TO_RESET = 2  # presses to the menu's entry that resets the times when both flags are down


def both_flags(left_ms: int) -> Timetable:
    """Return presses 1 ms before the flag of one side and 1 ms after that of the other.

    The left player presses after 999 or 1001 ms, the right one after the other of the two.
    """
    table = Timetable().click(CENTRE, 0)  # the left clock runs again
    table.press(LEFT, left_ms * MS_NS)
    table.press(RIGHT, (2000 - left_ms) * MS_NS)
    return table.press(LEFT).press(RIGHT)  # both flags fall, even if the guest was held up


def reset_times(board: Board) -> list[PressEdge]:
    """Stop the clock, and have the director reset both times, so that no flag is down.

    Each press is made by itself: if the guest is held up, presses of one call may get lost.
    """
    board.press(CENTRE)
    board.hold(CENTRE)
    turned = [PressEdge(RIGHT, board.press(RIGHT), sure=False) for _ in range(TURNS_TO_RESET)]
    for _ in range(3):  # the item, no reason, do it
        board.press(CENTRE)
    return turned


def wait_for_correction(board: Board) -> bool:
    """Wait until the director's correction is in the log; return whether it is."""
    for _ in range(LOOKS):
        if board.log().last["event"] == "corrected":
            return True
        board.wait(GAP_NS)
    return False


def play_flags(board: Board, flags: int, error_ns: int = 0) -> list[int]:
    """Play a match in which both flags fall `flags` times; return its `margins_ns`.

    The match ends earlier if the guest was held up so long that a reset failed.
    """
    board.confirm()
    made = [PressEdge(RIGHT, board.press(RIGHT), sure=True)]  # the left clock runs
    board.press(CENTRE)
    for number in range(flags):
        turns = both_flags(999 if number % 2 == 0 else 1001).moves
        made += pressed_edges(turns, board.play(turns)) + reset_times(board)
        if not wait_for_correction(board):
            break
    board.wait_until(lambda: not missing_presses(board.log(), made, error_ns))
    log = board.log()
    check_presses(log, made, error_ns)
    return margins_ns(log)


def margins_ns(log: Logbook) -> list[int]:
    """Return how long before its flag each turn ended, by the stamps; below 0, after its flag.

    Check the log's flags and reserves too: a turn that ended in time leaves the rest of the
    reserve and no flag; in any other turn the flag fell exactly at its deadline, and stays down.
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
        near += [to_flag_ns] if left_ns[mover] else []  # else the flag is down already
        left_ns[mover], began_ns = max(0, to_flag_ns), at_ns
        assert (record[f"{mover}_ns"], mover in down) == (left_ns[mover], to_flag_ns <= 0)
    return near


def just_in_time(near: list[int]) -> list[int]:
    """Return the margins of the turns that ended just in time."""
    return [ns for ns in near if 0 < ns <= NEAR_NS]


def just_too_late(near: list[int]) -> list[int]:
    """Return how late the turns ended that ended just too late."""
    return [-ns for ns in near if 0 < -ns <= NEAR_NS]


@pytest.mark.rule("R39")
def test_a_millisecond_before_and_after(tmp_path: Path) -> None:
    """In time travel each press is exactly a millisecond before or after its flag."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        near = play_flags(board, 1 + TIMES)
    assert just_in_time(near) == pytest.approx([MS_NS] * TIMES, abs=10_000)  # not at first
    assert just_too_late(near) == pytest.approx([MS_NS] * (TIMES + 1), abs=10_000)


@pytest.mark.rule("R39")
def test_presses_near_the_flag_under_load(tmp_path: Path) -> None:
    """In real time on overloaded computers, each press is on the right side of its flag.

    Every turn is checked, however near to its flag it ended. How near it was, and how many turns a
    match has, depends on the load. So matches are played until enough turns have ended near their
    flags.
    """
    near: list[int] = []
    for matches in count():
        found = play_under_load(tmp_path / str(matches))
        assert just_in_time(found) + just_too_late(found), "no turn ended near its flag"
        near += found
        if min(len(just_in_time(near)), len(just_too_late(near))) >= TIMES:
            break


def play_under_load(folder: Path) -> list[int]:
    """Play on several boards at once, each with a busy processor; return all `margins_ns`."""

    def one(number: int) -> list[int]:
        own = folder / str(number)
        own.mkdir(parents=True)
        with Board(CONFIG, own) as board:
            board.load(1)
            return play_flags(board, LOADED, STAMP_ERROR_NS)

    with ThreadPoolExecutor(BOARDS) as boards:
        return [ns for found in boards.map(one, range(BOARDS)) for ns in found]
