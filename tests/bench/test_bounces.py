"""Contacts that bounce, chatter, close too briefly or are stuck.

Tests that need exact instants use time travel, because in real time the computer's load lengthens
a bounce.
"""

from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest

from clock.match.types import Button
from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, Board, MadeEdge
from lab.bench.plunger import (
    MIN_EDGE_GAP_NS,
    MS_NS,
    PRESS_NS,
    Bounce,
    PlungerMove,
    pressed,
    together,
)
from lab.bench.press_check import SETTLE_NS, check_bursts, press_in_bursts

CONFIG = {"match": {"length": 7}}
TENTHS = (1, 5, 10, 20, 50, 100, 200)  # of a millisecond
MOST_OPENINGS = 10
PRESSES = 10
EDGES_APART_NS = 2 * MS_NS  # of a contact that chatters
SLICE_NS = SECOND_NS // 2
CUT_OFF_NS = 600 * MS_NS  # after so much chatter a line is cut off, and not yet checked again


def bouncing(button: Button, tenths: int, seeds: Iterator[int]) -> list[PlungerMove]:
    """Return a press in whose bounce no level lasts for the settle time."""
    duration_ns = tenths * MS_NS // 10
    bounce = Bounce(duration_ns, min(MOST_OPENINGS, duration_ns // MIN_EDGE_GAP_NS // 2))
    for seed in seeds:
        moves = pressed(button, PRESS_NS, bounce, seed)
        gaps = [after.after_ns - before.after_ns for before, after in pairwise(moves)]
        if sum(gap_ns >= SETTLE_NS - MS_NS for gap_ns in gaps) == 1:  # the press itself
            return moves
    raise AssertionError("seeds do not end")


def press_bouncing(
    board: Board, button: Button, tenths: int, seeds: Iterator[int]
) -> list[MadeEdge]:
    """Make such a press, and pause; return its edges."""
    made = board.play(bouncing(button, tenths, seeds))
    board.wait(200 * MS_NS)
    return made


@pytest.mark.rule("R85")
def test_a_bouncing_press_counts_once(tmp_path: Path) -> None:
    """A bounce of 0.1 to 20 ms, at press and release, is one press, stamped at its first edge."""
    seeds = count()
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        made = [
            press_bouncing(board, (LEFT, RIGHT)[number % 2], tenths, seeds)[0]
            for tenths in TENTHS
            for number in range(PRESSES)
        ]
        log = board.log()
    log.verified()
    stamps = [each["at_ns"] for each in log.of("pressed")]
    assert len(stamps) == len(TENTHS) * PRESSES
    assert all(each.holds(at_ns) for each, at_ns in zip(made, stamps, strict=True))
    assert not log.of("fault")


@pytest.mark.rule("R85")
def test_a_bounce_in_real_time(tmp_path: Path) -> None:
    """In real time a bouncing press counts as often as its actual edges allow."""
    seeds = count()
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        presses = [
            bouncing((LEFT, RIGHT)[number % 2], tenths, seeds)
            for tenths in TENTHS
            for number in range(4)
        ]
        check_bursts(*press_in_bursts(board, presses))


def chatter(duration_ns: int = SLICE_NS) -> list[PlungerMove]:
    """Return the moves of a left plunger with a loose wire, which is up at the end."""
    edges = range(0, duration_ns, EDGES_APART_NS)
    return [PlungerMove(at_ns, LEFT, number % 2 == 0) for number, at_ns in enumerate(edges)]


def during_chatter(board: Board, button: Button) -> MadeEdge:
    """Press a button during chatter; its effect is logged within 0.1 s, when this returns."""
    press = pressed(button)
    at_ns = SLICE_NS - PRESS_NS - 100 * MS_NS
    moves = together((0, chatter()), (at_ns, press))
    made = board.play(moves)
    return made[moves.index(press[0]._replace(after_ns=at_ns))]


@pytest.mark.rule("R85")
def test_chatter_of_one_button(tmp_path: Path) -> None:
    """A chattering button is cut off with a fault until it is quiet; the others work meanwhile."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(LEFT)  # the right clock runs
        board.play(chatter(SECOND_NS))
        [fault] = board.log().of("fault")
        assert fault["part"] == "buttons"
        assert "left" in fault["what"]
        for number in range(4):
            for button, event in ((CENTRE, "stopped"), (CENTRE, "resumed")):
                made = during_chatter(board, button)
                assert board.log().last["event"] == event
                if event == "stopped":
                    assert made.holds(board.log().last["at_ns"]), number
        made = during_chatter(board, RIGHT)
        assert made.holds(board.log().last["at_ns"])
        log = board.log()
        assert log.last["running"] == "left"
        assert [each["side"] for each in log.of("pressed")] == ["left", "right"]
        assert not log.of("fault_cleared")
        board.wait("0:03")
        [cleared] = board.log().of("fault_cleared")
        assert cleared["part"] == "buttons"
        made = board.press(LEFT)
        log = board.log()
        assert made.holds(log.last["at_ns"])
        assert (log.last["side"], log.last["running"]) == ("left", "right")
        log.verified()


def test_chatter_costs_little(tmp_path: Path) -> None:
    """The edges of a button that is cut off do not wake the clock; it checks once a second."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(RIGHT)
        board.press(CENTRE)  # stop the clock, so that the panels do not change
        board.play(chatter(CUT_OFF_NS))
        before = board.figures()
        edges = len(board.play(chatter(4 * SECOND_NS)))
        after = board.figures()
        assert board.log().of("fault")
    assert after["switches"] - before["switches"] < edges // 4
