"""Measure the whole clock on the bench, and the usual clock beside it.

The bench is a real kernel in a process of this computer: drivers, buses and threads are as on a
Raspberry Pi, but the speed is this computer's. Both clocks are measured alike, in the same run.
"""

import signal
import statistics
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

from clock.units import SECOND_NS
from lab.bench import uml
from lab.bench.board import LEFT, RIGHT, MadeEdge
from lab.bench.host_load import host_load
from lab.bench.i2c_bus import FAST_HZ
from lab.bench.kernel import KernelError, kernel
from lab.bench.match_long import play_long_match
from lab.bench.plunger import MS_NS, NO_BOUNCE, Bounce, pressed, together
from lab.bench.service import ServiceBoard
from lab.benchmarks.boards import CONFIG, OurBoard, UsualBoard, memory_bytes, related
from lab.benchmarks.measure import Figure, at_most

IDLE_S, TIMES = 6, 5
PRESSES, APART_NS = 100, 150 * MS_NS  # no digit changes so soon after a press
BOUNCES_MS = (0, 2, 5, 10)
OPENINGS = 3  # of a contact that bounces
STAMPED, STAMPED_APART_NS = 60, 300 * MS_NS
ROUNDS, STARTS = 3, 7  # turn about, so that a computer that slows down slows both
RESTARTS = 5  # by systemd
UNWATCHED_S = 4  # `systemctl show` would take the guest's time, so it is called afterwards
FIVE_MINUTES = 300  # seconds
SHOWN_S = 30.0  # timeout for the first picture of a clock
USUAL = find_spec("lgpio") is not None
NO_USUAL = "The usual way is not measured: it needs lgpio, which has no wheel for this Python"


class Idle(NamedTuple):
    """What a clock uses while a turn runs and nobody presses."""

    percent: float  # of a core
    wakes: float  # a second
    bytes: float  # a second, on the bus


class RunningCosts(NamedTuple):
    """The figures of a clock while a turn runs and nobody presses."""

    idle: list[Idle]
    rss_mb: float
    pss_mb: float

    def percents(self) -> list[float]:
        """Return the share of a core that each round took."""
        return [each.percent for each in self.idle]

    def wakes(self) -> list[float]:
        """Return how often the clock woke a second in each round."""
        return [each.wakes for each in self.idle]


class PressCosts(NamedTuple):
    """The figures of presses."""

    reactions_ms: dict[int, list[float]]
    """By how long the contact bounced, in ms."""
    stamp_errors_us: list[float]

    def reactions(self, bounce_ms: int) -> list[float]:
        """Return the reactions to presses that bounced for so long."""
        return self.reactions_ms[bounce_ms]

    def latest(self) -> list[float]:
        """Return the 99th percentile of all reactions."""
        together = list(chain.from_iterable(self.reactions_ms.values()))
        return [statistics.quantiles(together, n=100)[-1]]


Measured = TypeVar("Measured")


def figures() -> Iterator[Figure]:
    """Measure and yield each figure; none if there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        print(f"The whole clock on the bench is not measured: {error}")
        return
    if not USUAL:
        print(NO_USUAL)
    yield from _running_figures()
    yield from _press_figures()
    yield from _start_figures()
    yield from _restart()
    yield _long_match()


def _running_figures() -> Iterator[Figure]:
    both = _both(_running)
    percent = "% of a core"
    yield _figure("idle, a clock running", percent, 1, both, RunningCosts.percents)
    yield _figure("wake-ups meanwhile", "a second", 10, both, RunningCosts.wakes)
    yield _figure("memory (RSS)", "MB", 60, both, lambda of: [of.rss_mb])
    yield _figure("memory (PSS)", "MB", 60, both, lambda of: [of.pss_mb])
    sent = at_most("bytes on the bus, over 5 minutes", [_bytes()], "a second", 200)
    yield _beside(sent, both[1] and [each.bytes for each in both[1].idle])


def _press_figures() -> Iterator[Figure]:
    both = _both(_pressed)
    for bounce_ms in BOUNCES_MS:
        name = f"first edge to first byte, {bounce_ms} ms of bounce"
        goal = 4 if bounce_ms else 2.5
        yield _figure(name, "ms", goal, both, partial(PressCosts.reactions, bounce_ms=bounce_ms))
    yield _figure("the same, 99th percentile", "ms", 8, both, PressCosts.latest)
    yield _figure("error of a stamp, all cores busy", "us", 50, both, lambda of: of.stamp_errors_us)


def _start_figures() -> Iterator[Figure]:
    rounds = [_both(_started) for _ in range(ROUNDS)]
    names = ("process start to first picture", "SIGKILL to first picture")
    for name, ending in zip(names, (signal.SIGTERM, signal.SIGKILL), strict=True):
        ours = [taken for each, _ in rounds for taken in each[ending]]
        usual = [taken for _, each in rounds if each for taken in each[ending]]
        yield _beside(at_most(name, ours, "s", 0.7), usual)


def _figure(
    name: str,
    unit: str,
    goal: float,
    both: tuple[Measured, Measured | None],
    values: Callable[[Measured], list[float]],
) -> Figure:
    """Return a figure of our clock beside the usual one."""
    ours, usual = both
    beside = None if usual is None else values(usual)
    return _beside(at_most(name, values(ours), unit, goal), beside)


def _both(measure: Callable[[type[OurBoard]], Measured]) -> tuple[Measured, Measured | None]:
    """Measure our clock and the usual one on the same core; None for that if lgpio is missing."""
    uml.guests = count()
    ours = measure(OurBoard)
    uml.guests = count()
    return ours, measure(UsualBoard) if USUAL else None


def _beside(figure: Figure, usual: list[float] | None) -> Figure:
    """Return a figure with the median of the usual way's values."""
    return figure._replace(usual=statistics.median(usual)) if usual else figure


# --- one clock ------------------------------------------------------------------------------------


def _running(kind: type[OurBoard]) -> RunningCosts:
    with _board(kind, bus_hz=FAST_HZ) as board:
        board.press(LEFT)
        board.wait(2 * SECOND_NS)
        idle = [_idle(board) for _ in range(TIMES)]
        rss, pss = memory_bytes(board)
    return RunningCosts(idle, rss / 1e6, pss / 1e6)


def _pressed(kind: type[OurBoard]) -> PressCosts:
    with _board(kind) as board:
        reactions = {ms: _reactions(board, ms) for ms in BOUNCES_MS}
        errors = _stamp_errors(board)
        return PressCosts(reactions, errors)


def _started(kind: type[OurBoard]) -> dict[signal.Signals, list[float]]:
    with _board(kind) as board:
        return {
            ending: [_start(board, ending) for _ in range(STARTS)]
            for ending in (signal.SIGTERM, signal.SIGKILL)
        }


@contextmanager
def _board(kind: type[OurBoard], **more: object) -> Iterator[OurBoard]:
    """Yield a board with a match that is ready to begin."""
    with TemporaryDirectory() as folder, kind(CONFIG, Path(folder), **more) as board:  # type: ignore[arg-type]
        board.confirm()
        yield board


def _idle(board: OurBoard) -> Idle:
    sent, before = board.panels.bus.bytes, board.figures()
    board.wait(IDLE_S * SECOND_NS)
    after = board.figures()
    passed = (after["at_ns"] - before["at_ns"]) / SECOND_NS
    percent = (after["cpu_ns"] - before["cpu_ns"]) / SECOND_NS / passed * 100
    wakes = (after["switches"] - before["switches"]) / passed
    return Idle(percent, wakes, (board.panels.bus.bytes - sent) / passed)


def _presses(
    board: OurBoard, count: int, apart_ns: int, bounce: Bounce = NO_BOUNCE, *, polls: bool = True
) -> list[MadeEdge]:
    """Press both sides by turns; return when the first edge of each press was made."""
    presses = [
        (number * apart_ns, pressed((LEFT, RIGHT)[number % 2], bounce=bounce, seed=number))
        for number in range(count)
    ]
    made = board.play(together(*presses), polls=polls)
    return made[:: len(made) // count]


def _reactions(board: OurBoard, bounce_ms: int) -> list[float]:
    """Return the time from the first edge of each press to the next byte, in ms."""
    bounce = Bounce(bounce_ms * MS_NS, OPENINGS) if bounce_ms else NO_BOUNCE
    made = _presses(board, PRESSES, APART_NS, bounce, polls=False)
    relation = related(board)
    begun = [each.begun_ns for each in board.panels.bus.latest]
    edges = [relation.host_ns(each.before_ns) for each in made]
    return [(begun[bisect_left(begun, edge)] - edge) / MS_NS for edge in edges[1:]]


def _stamp_errors(board: OurBoard) -> list[float]:
    """Return how far each stamp is from the edge, in us.

    The edge is taken to be in the middle of the time in which its line was moved.
    """
    board.load(2)
    with host_load():
        made = _presses(board, STAMPED, STAMPED_APART_NS)
    board.load(0)
    board.wait(SECOND_NS)
    stamps = sorted(board.stamps_ns())
    moved_ns = [(each.before_ns + each.after_ns) // 2 for each in made]
    return [_off_ns(stamps, at_ns) / 1000 for at_ns in moved_ns]


def _off_ns(stamps: list[int], at_ns: int) -> int:
    """Return how far the nearest stamp is from an instant; presses are far apart."""
    return min(abs(stamp - at_ns) for stamp in stamps)


def _start(board: OurBoard, ending: signal.Signals) -> float:
    """Return the time from the start of the process to a picture on both panels, in s.

    The process before ends by a signal; after SIGKILL the match is resumed.
    """
    board.stop(ending)
    board.panels.bus.power_on()  # dark panels, as the clock before may have left its picture
    shown: list[int] = []

    def look() -> None:
        both = [board.panel(side) for side in (LEFT, RIGHT)]
        if board.panels.wait(lambda: not any(panel.dark for panel in both), SHOWN_S):
            shown.append(time.monotonic_ns())

    eyes = threading.Thread(target=look)
    begun_ns = time.monotonic_ns()
    eyes.start()
    board.start()
    eyes.join()
    return (shown[0] - begun_ns) / SECOND_NS


def _restart() -> Iterator[Figure]:
    """Measure by systemd's stamps how soon a killed service is ready."""
    with TemporaryDirectory() as folder:
        try:
            table = ServiceBoard(CONFIG, Path(folder))
        except LookupError as error:
            print(f"A restart is not measured: {error}")
            return
        with table as board:
            board.confirm()
            board.press(LEFT)
            taken = [_killed(board, number) for number in range(1, RESTARTS + 1)]
            yield at_most("SIGKILL to ready again, by systemd", taken, "s", 0.8)


def _killed(board: ServiceBoard, number: int) -> float:
    board.kill(signal.SIGKILL)
    board.wait(UNWATCHED_S * SECOND_NS)
    board.wait_until_restarted(number)
    left_us, ready_us = (board.stamp_us(f"Active{each}Timestamp") for each in ("Exit", "Enter"))
    return (ready_us - left_us) / 1e6


# --- in time travel -------------------------------------------------------------------------------


def _bytes() -> float:
    """Return how many bytes a clock sends in a second while a turn runs."""
    with _board(OurBoard, time_travel=True) as board:
        board.press(LEFT)
        sent = board.panels.bus.bytes
        board.wait(FIVE_MINUTES * SECOND_NS)
        return (board.panels.bus.bytes - sent) / FIVE_MINUTES


def _long_match() -> Figure:
    with TemporaryDirectory() as folder:
        begun = time.perf_counter()
        passed_ns = play_long_match(Path(folder))
        taken = time.perf_counter() - begun
    hours = passed_ns / SECOND_NS / 3600
    return at_most(f"a match of {hours:.1f} h on the bench", [taken], "s", 20)
