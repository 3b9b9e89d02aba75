"""The figures of the whole clock on the bench, each beside the same thing done the usual way.

The bench is a real kernel in a process of this computer: it has the drivers, wires and threads of a
Raspberry Pi, but this computer's speed. The one rule: both clocks are measured alike, in one run.
"""

import signal
import statistics
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.board import LEFT, RIGHT, Made
from bench.host_load import host_load
from bench.i2c_bus import FAST_HZ
from bench.kernel import KernelError, kernel
from bench.match_long import a_long_match
from bench.plunger import MS_NS, pressed, together
from bench.service import ServiceBoard

from benchmarks.boards import CONFIG, OurBoard, UsualBoard, memory_bytes, related
from benchmarks.measure import Figure, at_most
from clock.match.rules import SECOND_NS

IDLE_S, TIMES = 6, 5
PRESSES, APART_NS = 200, 150 * MS_NS  # no digit changes so soon after a press
STAMPED, STAMPED_APART_NS = 60, 300 * MS_NS
STARTS = 5
UNWATCHED_S = 4  # to look costs time there, so it is done when all is over
FIVE_MINUTES = 300  # seconds
SHOWN_S = 30.0  # within which a clock that was started shows something
NO_USUAL = "The usual way is not measured: it takes lgpio, which has no wheel for this Python"


class Idle(NamedTuple):
    """What a clock uses while its game runs and nobody presses."""

    percent: float  # of a core
    wakes: float  # a second
    bytes: float  # a second, on the bus


class Whole(NamedTuple):
    """All that is measured of one clock."""

    idle: list[Idle]
    reactions_ms: list[float]
    stamp_errors_us: list[float]
    memory_mb: tuple[float, float]
    starts_s: list[float]


def figures() -> list[Figure]:
    """All of them; none, with a word, where there is no kernel."""
    try:
        kernel()
    except KernelError as error:
        print(f"The whole clock on the bench is not measured: {error}")
        return []
    ours, usual = _whole(OurBoard), None
    if find_spec("lgpio") is None:
        print(NO_USUAL)
    else:
        usual = _whole(UsualBoard)
    return [*_beside(ours, usual), *_restart(), _long_match()]


def _beside(ours: Whole, usual: Whole | None) -> Iterator[Figure]:
    """Our figures with the usual ones."""

    def figure(name: str, unit: str, goal: float, of: Callable[[Whole], list[float]]) -> Figure:
        beside = None if usual is None else statistics.median(of(usual))
        return at_most(name, of(ours), unit, goal)._replace(usual=beside)

    yield figure("idle, a clock running", "% of a core", 1, lambda of: [i.percent for i in of.idle])
    yield figure("wake-ups meanwhile", "a second", 10, lambda of: [i.wakes for i in of.idle])
    travelled = at_most("bytes on the bus, over 5 minutes", [_bytes()], "a second", 200)
    yield travelled._replace(usual=usual and statistics.median(i.bytes for i in usual.idle))
    yield figure("an edge to the first byte", "ms", 10, lambda of: of.reactions_ms)
    yield figure("the same, 99th percentile", "ms", 20, lambda of: [_late(of.reactions_ms)])
    yield figure("error of a stamp, all cores busy", "us", 50, lambda of: of.stamp_errors_us)
    yield figure("memory (RSS)", "MB", 60, lambda of: [of.memory_mb[0]])
    yield figure("memory (PSS)", "MB", 60, lambda of: [of.memory_mb[1]])
    yield figure("process start to first picture", "s", 1, lambda of: of.starts_s)


def _late(values: list[float]) -> float:
    """The 99th percentile."""
    return statistics.quantiles(values, n=100)[-1]


# --- one clock ------------------------------------------------------------------------------------


def _whole(kind: type[OurBoard]) -> Whole:
    with _board(kind, bus_hz=FAST_HZ) as board:
        board.press(LEFT)
        board.wait(2 * SECOND_NS)
        idle = [_idle(board) for _ in range(TIMES)]
        memory = memory_bytes(board)
    with _board(kind) as board:
        reactions = _reactions(board)
        errors = _stamp_errors(board)
        starts = [_start(board) for _ in range(STARTS)]
    rss, pss = (size / 1e6 for size in memory)
    return Whole(idle, reactions, errors, (rss, pss), starts)


@contextmanager
def _board(kind: type[OurBoard], **more: object) -> Iterator[OurBoard]:
    """A board whose match is ready to begin."""
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


def _presses(board: OurBoard, count: int, apart_ns: int) -> list[Made]:
    """Turns of both sides; when each began."""
    sides = ((number * apart_ns, (LEFT, RIGHT)[number % 2]) for number in range(count))
    return board.play(together(*((at_ns, pressed(side)) for at_ns, side in sides)))[::2]


def _reactions(board: OurBoard) -> list[float]:
    """From each edge to the next byte, in ms."""
    made = _presses(board, PRESSES, APART_NS)
    relation = related(board)
    begun = [each.begun_ns for each in board.panels.bus.latest]
    edges = [relation.host_ns(each.before_ns) for each in made]
    return [(begun[bisect_left(begun, edge)] - edge) / MS_NS for edge in edges[1:]]


def _stamp_errors(board: OurBoard) -> list[float]:
    """How far each press's stamp is from when its line moved, in us.

    That is known to half of what the moving took; its middle is the best guess.
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
    """How far the nearest stamp is from an instant; presses are far apart."""
    return min(abs(stamp - at_ns) for stamp in stamps)


def _start(board: OurBoard) -> float:
    """From the process's start to a picture on both panels, in s."""
    board.stop()
    board.panels.bus.power_on()  # a clock that is killed leaves its picture
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


def _restart() -> list[Figure]:
    """A service is ready again when it was killed, and ends when told to, by systemd's stamps."""
    with TemporaryDirectory() as folder:
        try:
            table = ServiceBoard(CONFIG, Path(folder))
        except LookupError as error:
            print(f"A restart is not measured: {error}")
            return []
        with table as board:
            board.confirm()
            board.press(LEFT)
            taken = [_killed(board, number) for number in range(1, STARTS + 1)]
            ended = [_ended(board) for _ in range(STARTS)]
    return [
        at_most("SIGKILL to ready again, by systemd", taken, "s", 1),
        at_most("SIGTERM to its end, by systemd", ended, "s", 1),
    ]


def _killed(board: ServiceBoard, number: int) -> float:
    board.kill(signal.SIGKILL)
    board.wait(UNWATCHED_S * SECOND_NS)
    board.ready(number)
    left_us, ready_us = (board.stamp_us(f"Active{each}Timestamp") for each in ("Exit", "Enter"))
    return (ready_us - left_us) / 1e6


def _ended(board: ServiceBoard) -> float:
    board.stop()
    told_us, gone_us = (
        board.stamp_us(f"{each}Timestamp") for each in ("ActiveExit", "InactiveEnter")
    )
    board.start()
    return (gone_us - told_us) / 1e6


# --- in time travel -------------------------------------------------------------------------------


def _bytes() -> float:
    """What a running clock sends in a second."""
    with _board(OurBoard, time_travel=True) as board:
        board.press(LEFT)
        sent = board.panels.bus.bytes
        board.wait(FIVE_MINUTES * SECOND_NS)
        return (board.panels.bus.bytes - sent) / FIVE_MINUTES


def _long_match() -> Figure:
    with TemporaryDirectory() as folder:
        begun = time.perf_counter()
        passed_ns = a_long_match(Path(folder))
        taken = time.perf_counter() - begun
    hours = passed_ns / SECOND_NS / 3600
    return at_most(f"a match of {hours:.1f} h on the bench", [taken], "s", 30)
