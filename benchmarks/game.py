"""The figures of the game itself: the machine, the log, the faces, the commands."""

import sys
import tracemalloc
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.loads import MANNER, log, script, settings
from benchmarks.measure import Figure, at_least, at_most, process_seconds, seconds
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.match.inputs import CentrePressed, Input, Pressed
from clock.match.machine import advance, open_match
from clock.match.state import MatchState
from clock.ui.pages import faces
from clock.apps.playback import play
from clock.eventlog.replay import replay
from clock.match.rules import SECOND_NS
from clock.match.sides import Side
from hardware.display.glyphs import label
from hardware.display.layout import draw

INPUTS = 20_000
RECORDS = 10_000


def figures() -> list[Figure]:
    """All of them."""
    return [
        _machine(),
        *_log(),
        *_state(),
        *_faces(),
        _check_config(),
        _long_match(),
    ]


def running() -> MatchState:
    """A match with its first turn on the clock."""
    state, _ = open_match(settings(25), 0, "bench")
    opening: list[Input] = [Pressed(0, Side.LEFT), Pressed(0, Side.RIGHT)]
    for happened in [*opening, CentrePressed(0), Pressed(0, Side.RIGHT)]:
        state, _ = advance(state, happened)
    return state


def presses(count: int) -> list[Input]:
    """Turns of 13 s: every one takes delay and reserve."""
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


def _log() -> list[Figure]:
    lines = log(RECORDS)
    taken = seconds(lambda: replay(lines), 5)
    return [at_most(f"replay and verify {RECORDS:,} records", taken, "s", 1)]


def _state() -> list[Figure]:
    """The size of a state, and what memory grows by over 10,000 more inputs."""
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
    return [
        at_most("state after 20,000 inputs against 100", [late / early], "times", 1.05),
        at_most("memory grown over 19,900 inputs", [grown / 1024], "KiB", 16),
    ]


def _faces() -> list[Figure]:
    view = View(running(), Dialogue(), MANNER.say)
    instants = [n * SECOND_NS for n in range(500)]

    def pixels(*, cold: bool) -> list[float]:
        times = []
        for at_ns in instants:
            if cold:
                label.cache_clear()
            times += seconds(partial(_draw, view, at_ns), 1)
        return [taken * 1000 for taken in times]

    return [
        at_most("a face to pixels", pixels(cold=False), "ms", 2),
        at_most("a face to pixels, nothing cached", pixels(cold=True), "ms", 2),
    ]


def _draw(view: View, at_ns: int) -> None:
    draw(faces(view, at_ns).left)


def _check_config() -> Figure:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "gammonclock.toml"
        file.write_text('[rules]\nprofile = "ebf"\n', encoding="utf-8")
        taken = process_seconds([sys.executable, "-m", "clock", "check-config", str(file)])
    return at_most("gammonclock check-config, whole process", taken, "s", 0.4)


def _long_match() -> Figure:
    match = script(25)
    hours = sum(segment.end_ns for segment in match) / SECOND_NS / 3600
    lines: list[bytes] = []
    taken = seconds(lambda: play(match, settings(25), MANNER, lines.append), 3)
    return at_most(f"play of a 25-point match of {hours:.1f} h", taken, "s", 2)
