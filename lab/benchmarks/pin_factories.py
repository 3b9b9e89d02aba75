"""Measure gpiozero's pin factories on the bench: idle cost, stamps and edges that were missed.

Each factory runs the same program, `lab.benchmarks.edge_listener`, on the same kernel.
"""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from clock.units import SECOND_NS
from lab.bench.board import LEFT, START_TIMEOUT_S, MadeEdge
from lab.bench.host_load import host_load
from lab.bench.kernel import KernelError, kernel
from lab.bench.plunger import MS_NS, PlungerMove
from lab.benchmarks.boards import CONFIG, LOG, ROOT, UsualBoard
from lab.benchmarks.measure import Figure, at_most
from tests.bench.test_factories import FACTORIES, PI_4
from tests.bench.test_lost_edges import overflow_moves

IDLE_S, ROUNDS = 3, 5
STAMPED, APART_NS = 60, 100 * MS_NS


class FactoryCosts(NamedTuple):
    """The figures of a factory."""

    percents: list[float]  # of a core, in each round
    wakes: list[float]  # a second, in each round
    stamp_errors_us: list[float]
    untold: int  # edges that were neither delivered nor counted as lost


class FactoryBoard(UsualBoard):
    """A board with a program that only listens to the buttons."""

    factory = "gpiod"

    def start(self) -> None:
        """Start the program; the computer is running already."""
        command = [sys.executable, "-m", "lab.benchmarks.edge_listener", self.factory, LOG]
        environ = {"PYTHONPATH": str(ROOT), **PI_4}
        self.guest.ask("start", START_TIMEOUT_S, command=command, environ=environ, log=LOG)


def figures() -> Iterator[Figure]:
    """Measure and yield the figures of each factory; none if there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        print(f"The pin factories are not measured: {error}")
        return
    for factory in FACTORIES:
        yield from _figures(factory, _costs(factory))


def _figures(factory: str, costs: FactoryCosts) -> Iterator[Figure]:
    yield _beside_goal(factory, "idle", costs.percents, "% of a core", 0.1)
    yield _beside_goal(factory, "wake-ups when idle", costs.wakes, "a second", 1)
    yield _beside_goal(factory, "error of a stamp, busy", costs.stamp_errors_us, "us", 200)
    yield _beside_goal(factory, "edges missed, not counted", [costs.untold], "", 0)


def _beside_goal(factory: str, name: str, values: list[float], unit: str, goal: float) -> Figure:
    """Return a figure; our factory alone has a goal."""
    figure = at_most(f"{factory}: {name}", values, unit, goal)
    return figure if factory == "gpiod" else figure._replace(goal="", met=True)


def _costs(factory: str) -> FactoryCosts:
    with TemporaryDirectory() as folder, FactoryBoard(CONFIG, Path(folder)) as board:
        board.stop()
        board.factory = factory
        board.guest.ask("run", command=["rm", LOG])
        board.start()
        rounds = [_idle(board) for _ in range(ROUNDS)]
        errors = _stamp_errors(board)
        return FactoryCosts(
            [percent for percent, _ in rounds],
            [wakes for _, wakes in rounds],
            errors,
            _untold(board),
        )


def _idle(board: FactoryBoard) -> tuple[float, float]:
    """Return the percentage of a core and the wake-ups a second."""
    before = board.figures()
    board.wait(IDLE_S * SECOND_NS)
    after = board.figures()
    passed = (after["at_ns"] - before["at_ns"]) / SECOND_NS
    percent = (after["cpu_ns"] - before["cpu_ns"]) / SECOND_NS / passed * 100
    return percent, (after["switches"] - before["switches"]) / passed


def _stamp_errors(board: FactoryBoard) -> list[float]:
    """Return how far each stamp is from the middle of the time in which its line moved, in us."""
    moves = [PlungerMove(number * APART_NS, LEFT, number % 2 == 0) for number in range(STAMPED)]
    board.load(2)
    with host_load():
        made = board.play(moves)
    board.load(0)
    board.wait(SECOND_NS)
    stamps = board.stamps_ns()
    return [_off_ns(stamps, edge) / 1000 for edge in made]


def _off_ns(stamps: list[int], edge: MadeEdge) -> int:
    middle_ns = (edge.before_ns + edge.after_ns) // 2
    return min(abs(stamp - middle_ns) for stamp in stamps)


def _untold(board: FactoryBoard) -> int:
    """Stop the program while the button makes more edges than the kernel keeps."""
    before = len(board.stamps_ns())
    board.signal(signal.SIGSTOP)
    moves = overflow_moves()
    board.play(moves)
    board.signal(signal.SIGCONT)
    board.wait(3 * SECOND_NS)
    log = board.log().records
    counted: int = log[-1]["lost"]
    return max(0, len(moves) - (len(log) - 1 - before) - counted)
