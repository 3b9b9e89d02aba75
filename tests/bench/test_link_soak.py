"""Five hours of a clock in a room: the hub has every line, and the link neither grows nor polls.

Two things would take more real time than all else here, and are left to `test_link`. The hub runs
for a minute an hour only, because its web server wakes ten times a second; and the link finds no
program that tells the state of the clock's service, which it would start every ten seconds.
"""

import signal
from itertools import pairwise
from pathlib import Path
from statistics import median

from clock.units import SECOND_NS
from lab.bench.guest_room import BROKER, HUB, LINK, LINK_MEMORY, RoomBoard
from lab.bench.match_long import TOML, one_hour_script, settings_of
from lab.bench.match_script import all_moves
from lab.support.match_scripts import Author

HOURS = 5
CATCH_UP = "1:00"  # longer than the longest pause of the hub between two attempts to connect
# 20 to 120 kB an hour were measured, for lines that the link keeps, and once a step of the heap.
# A leak of 400 bytes for each heartbeat, or of 16 bytes for each wake-up, is more than this limit.
GROWTH = 140_000  # bytes, in the middle one of the hours after the first
# One for the MQTT library, a half to look at the directory, and some for changes and heartbeats.
WAKES = 3  # a second


def let_the_hub_run(board: RoomBoard) -> None:
    """Let the hub run until it has everything, and stop it."""
    board.signal_program(HUB, signal.SIGCONT)
    board.wait(CATCH_UP)
    board.signal_program(HUB, signal.SIGSTOP)


def test_five_hours(tmp_path: Path) -> None:
    """A match an hour; the hub takes its lines when it is over."""
    settings = settings_of(tmp_path, 3)
    figures = []
    with RoomBoard(TOML.format(length=3), tmp_path, has_systemctl=False) as board:
        board.launch(BROKER, HUB, LINK)
        let_the_hub_run(board)
        for number in range(HOURS):
            board.play(all_moves(one_hour_script(Author(settings, number))))
            let_the_hub_run(board)
            figures.append(board.figures_of(LINK))
        board.signal_program(HUB, signal.SIGCONT)
        assert len(board.logs()) == HOURS + 1
        assert board.kept() == board.logs()
    warm, last = figures[0], figures[-1]
    hours_ns = last["at_ns"] - warm["at_ns"]
    assert hours_ns >= (HOURS - 1) * 3600 * SECOND_NS
    assert last["memory_bytes"] <= LINK_MEMORY
    grown = [later["memory_bytes"] - each["memory_bytes"] for each, later in pairwise(figures)]
    assert median(grown) <= GROWTH, figures
    assert last["switches"] - warm["switches"] <= WAKES * hours_ns // SECOND_NS
    for name in ("descriptors", "threads"):
        assert {each[name] for each in figures[1:]} == {warm[name]}, figures
