"""The clock's figures, judged by virtual time, counts and ratios, which no busy machine changes.

`make bench ARGS=whole_clock` measures the same in real time, beside the usual way.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clock.match.durations import clock_text
from clock.match.types import Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.bench import session
from lab.bench.board import LEFT, Board
from lab.bench.plunger import MS_NS

TOML = '[match]\nlength = 1\n[rules]\ntime_per_point = "1:00"\ndelay = "0:00"\n'
PROMPT_NS = 20 * MS_NS  # a digit that changes later than this is late
SECONDS = 30
WAKES = 5  # a second, of all threads: the loop and the panels once, the writer twice
MEMORY = 60 << 20  # bytes
TENTHS_WAKES, TENTHS_BYTES = 14, 1_000  # a second, in the last twenty seconds: five pictures

CLOCK = "import gc; gc.disable(); import gammonclock.run, clock.apps.appliance_start"
LIBRARIES = (  # what the clock cannot do without
    "import gc; gc.disable()\n"
    "import click, gpiod, gpiozero, msgspec, tomllib, luma.core.interface.serial, luma.oled.device"
)
ROUNDS = 7

LONG_TOML = "[match]\nlength = 25\n"
STARTS = 3
# Parts of the processor time of a start; 0.2 and 0.9 to 1.0 were measured.
MINUTE_SHARE, RESTART_SHARE = 0.4, 1.25
DEARER = 2.0  # times the processor time of the libraries alone; 1.3 to 1.6 were measured


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """Return a board on which the right player's clock of one minute has just been started."""
    with Board(TOML, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(LEFT)
        yield board


def wait_for_instant(board: Board, at_ns: int) -> None:
    """Let the time of the board pass until an instant of its raw clock."""
    board.wait(at_ns - board.figures()["at_ns"])


def processor_s(code: str) -> float:
    """Return the processor time that a Python program takes, in seconds."""
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


def test_each_second_is_shown_at_its_instant(board: Board) -> None:
    """Both panels show the old time until the second is over, and the new one 20 ms after it."""
    begun_ns = board.log().of("pressed")[-1]["at_ns"]
    for second in range(1, 40):
        changes_ns = begun_ns + second * SECOND_NS
        wait_for_instant(board, changes_ns - PROMPT_NS)
        assert board.panel(Side.RIGHT).says(clock_text(MINUTE_NS - (second - 1) * SECOND_NS))
        wait_for_instant(board, changes_ns + PROMPT_NS)
        assert board.panel(Side.RIGHT).says(clock_text(MINUTE_NS - second * SECOND_NS))


def test_a_second_costs_few_wake_ups_and_little_memory(board: Board) -> None:
    """While a clock runs, the program wakes for digits and checkpoints alone.

    Neither the bus nor the disk takes time here, so that no thread waits for them.
    """
    before = board.figures()
    board.wait(SECONDS * SECOND_NS)
    after = board.figures()
    assert after["switches"] - before["switches"] <= SECONDS * WAKES
    assert after["memory_bytes"] <= MEMORY


def test_tenths_cost_five_pictures_a_second(board: Board) -> None:
    """In the last twenty seconds the panel shows five times a second what is left."""
    board.wait(42 * SECOND_NS)
    before, sent = board.figures(), board.panels.bus.bytes
    board.wait(15 * SECOND_NS)
    assert board.figures()["switches"] - before["switches"] <= 15 * TENTHS_WAKES
    assert board.panels.bus.bytes - sent <= 15 * TENTHS_BYTES
    assert board.panel(Side.RIGHT).says("3.0")


def guest_s(board: Board, act: Callable[[], object]) -> float:
    """Return the processor time of this computer that a board takes for an act, in seconds.

    In virtual time this is the work itself: however long others hold the board up, it is the same.
    """
    before_s = session.processor_s(board.guest.process)
    act()
    return session.processor_s(board.guest.process) - before_s


def test_a_minute_of_play_and_a_restart_cost_little(tmp_path: Path) -> None:
    """A minute of play costs a part of a start; a start that resumes a match costs no more.

    The control is the start of the same clock on the same board, before a match.
    """
    starts, restarts, minutes = [], [], []
    with Board(LONG_TOML, tmp_path, time_travel=True) as board:
        for _ in range(STARTS):
            board.stop()
            starts.append(guest_s(board, board.start))
        board.confirm()
        board.press(LEFT)
        for _ in range(STARTS):
            minutes.append(guest_s(board, lambda: board.wait("1:00")))
            board.stop(signal.SIGKILL)
            restarts.append(guest_s(board, board.start))
            assert board.log().of("restored") == []  # the match goes on, and its clock runs
    assert min(minutes) <= MINUTE_SHARE * min(starts)
    assert min(restarts) <= RESTART_SHARE * min(starts)


def test_a_start_costs_little_more_than_its_libraries() -> None:
    """The least processor time of several starts, taken in turns, up to the first act."""
    rounds = [(processor_s(CLOCK), processor_s(LIBRARIES)) for _ in range(ROUNDS)]
    ours, theirs = map(min, zip(*rounds, strict=True))
    assert ours <= DEARER * theirs
