"""Measure the game itself: state machine, log, faces and commands."""

import sys
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from clock.apps.playback import play
from clock.eventlog.replay import replay
from clock.match.events import Writer
from clock.match.inputs import CentrePressed, Input, Pressed
from clock.match.machine import advance, open_match
from clock.match.state import MatchState
from clock.match.types import Side
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.pages import faces
from clock.units import SECOND_NS
from hardware.display.glyphs import label, width
from hardware.display.layout import draw
from lab.benchmarks.loads import UI_OPTIONS, log, script, settings
from lab.benchmarks.measure import Figure, at_least, at_most, process_seconds, seconds

INPUTS = 20_000
RECORDS = 10_000


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    yield _machine()
    yield _log()
    yield from _state()
    yield from _faces()
    yield _check_config()
    yield _long_match()


def running() -> MatchState:
    """Return a match in which the first turn's clock runs."""
    state, _ = open_match(settings(25), 0, Writer("bench"))
    opening: list[Input] = [Pressed(0, Side.LEFT), Pressed(0, Side.RIGHT)]
    for happened in [*opening, CentrePressed(0), Pressed(0, Side.RIGHT)]:
        state, _ = advance(state, happened)
    return state


def presses(count: int) -> list[Input]:
    """Return presses that end turns of 13 s: each uses the delay and some reserve."""
    return [
        Pressed(13 * SECOND_NS * n, (Side.RIGHT, Side.LEFT)[n % 2]) for n in range(1, count + 1)
    ]


def _machine() -> Figure:
    begun, happened = running(), presses(INPUTS)

    def work() -> None:
        state = begun
        for press in happened:
            state, _ = advance(state, press)

    rates = [INPUTS / taken for taken in seconds(work)]
    return at_least("inputs through advance", rates, "a second", 100_000)


def _log() -> Figure:
    lines = log(RECORDS)
    taken = seconds(lambda: replay(lines), 5)
    return at_most(f"replay and verify {RECORDS:,} records", taken, "s", 1)


def _state() -> Iterator[Figure]:
    """Measure how a state and the memory grow over 19,900 inputs."""
    state = running()
    happened = presses(INPUTS)
    for press in happened[:100]:
        state, _ = advance(state, press)
    early = len(msgspec.json.encode(state))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for press in happened[100:]:
        state, _ = advance(state, press)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    late = len(msgspec.json.encode(state))
    yield at_most("state after 20,000 inputs against 100", [late / early], "times", 1.05)
    yield at_most("memory grown over 19,900 inputs", [grown / 1024], "KiB", 16)


def _faces() -> Iterator[Figure]:
    view = View(running(), Dialogue(), UI_OPTIONS.say)
    instants = [n * SECOND_NS for n in range(500)]

    def pixels(*, cold: bool) -> list[float]:
        times = []
        for at_ns in instants:
            if cold:
                label.cache_clear()
                width.cache_clear()
            times += seconds(partial(_draw, view, at_ns), 1)
        return [taken * 1000 for taken in times]

    yield at_most("a face to pixels", pixels(cold=False), "ms", 2)
    yield at_most("a face to pixels, nothing cached", pixels(cold=True), "ms", 2)


def _draw(view: View, at_ns: int) -> None:
    draw(faces(view, at_ns).left)


def _check_config() -> Figure:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "gammonclock.toml"
        file.write_text('[rules]\nprofile = "ebf"\n', encoding="utf-8")
        taken = process_seconds([sys.executable, "-m", "gammonclock", "check-config", str(file)])
    return at_most("gammonclock check-config, whole process", taken, "s", 0.4)


def _long_match() -> Figure:
    match = script(25)
    hours = sum(segment.end_ns for segment in match) / SECOND_NS / 3600
    lines: list[bytes] = []
    taken = seconds(lambda: play(match, settings(25), UI_OPTIONS, lines.append), 3)
    return at_most(f"play of a 25-point match of {hours:.1f} h", taken, "s", 2)
