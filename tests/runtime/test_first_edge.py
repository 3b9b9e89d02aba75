"""A press that ends a turn is shown at its first edge, and recorded when it has settled.

The real buttons on mock pins in virtual time, the real loop, and panels that note when they are
shown what. The left clock runs.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec import structs

from clock.match.types import Pair, Phase, Side
from clock.runtime.adapters import PlungerButtons
from clock.ui.dialogue import ButtonMoved
from clock.units import SECOND_NS
from hardware.buttons.debounce import CHATTER_EDGES, CHATTER_NS
from hardware.buttons.plungers import KERNEL_MARGIN_NS, Plungers
from hardware.buttons.simulated import PINS
from hardware.face import Face
from lab.support.loops import Parts, make_loop
from lab.support.world import match_settings
from tests.hardware.buttons.test_plungers import KernelFactory, VirtualTime

MS = 1_000_000
SETTLE = 5 * MS
KNOWN = SETTLE + KERNEL_MARGIN_NS  # after the last edge of a burst: what it was is known
TICK = 100 * MS  # after the latest `START`: there a second of the delay ends
BACK = SETTLE + 10 * MS  # a glitch's light is taken back within this
PRESS = 80 * MS
LEFT, RIGHT = Side.LEFT, Side.RIGHT

Lights = list[tuple[int, Side | None]]  # since when which panel was lit, from the instant `START`
Moves = list[tuple[int, str]]  # the instants, counted from `START`, at which a button moves


class BoxTime(VirtualTime):
    """A time of day that stands still, beside the time of the buttons."""

    boot = "boot"

    def wall(self) -> str:
        return "2000-01-01T12:00:00.000+00:00"


class LateButtons(PlungerButtons):
    """Buttons that say nothing of a press before it has settled."""

    def begun(self) -> Sequence[ButtonMoved]:
        return ()


class Shown(NamedTuple):
    """What the panels showed, and since when."""

    at_ns: int
    faces: Pair[Face]

    @property
    def lit(self) -> Side | None:
        """The side whose panel is inverted."""
        sides = [side for side in Side if self.faces[side].running]
        assert len(sides) < 2
        return next(iter(sides), None)


class Box:
    """A clock in a match; in its first second the left clock starts."""

    def __init__(self, buttons: type[PlungerButtons] = PlungerButtons, **rules: object) -> None:
        self.time, self.factory = BoxTime(), KernelFactory()
        pins = self.factory
        self.plungers = Plungers(PINS, SETTLE // MS, pins, clock=self.time, arrivals=self.time)
        settings = match_settings(**rules)  # type: ignore[arg-type]
        self.parts = Parts(self.time, settings)
        self.runtime = make_loop(self.time, buttons(self.plungers), self.parts, self.parts)
        self.start_ns = self.time.ns
        self.play([(at_ns, "left") for at_ns in (100 * MS, 180 * MS)])
        self.press("right").press("centre").press("right")
        assert self.runtime.state.running is LEFT

    def press(self, name: str) -> "Box":
        """Press and release a button, a second later."""
        return self.play([(100 * MS, name), (100 * MS + PRESS, name)])

    def play(self, moves: Moves, lasting_ns: int = SECOND_NS) -> "Box":
        """Move buttons, all of which are up, and let time pass; it begins to count anew."""
        self.start_ns, latest_ns = self.time.ns, 0
        for at_ns, name in sorted(moves):
            self.time.at(at_ns - latest_ns, self._toggle(name))
            latest_ns = at_ns
        self.time.at(lasting_ns - latest_ns, self.plungers.wake)
        while self.time.ns < self.start_ns + lasting_ns:
            self.runtime.turn()
        return self

    def _toggle(self, name: str) -> Callable[[], object]:
        pin = self.factory.pin(PINS[name])
        return lambda: pin.drive_high() if pin.state == 0 else pin.drive_low()

    @property
    def seen(self) -> list[Shown]:
        """What was shown since `start_ns`, and before it."""
        all_shown = [Shown(at_ns - self.start_ns, faces) for at_ns, faces in self.parts.shown]
        first = max(number for number, each in enumerate(all_shown) if each.at_ns <= 0)
        return all_shown[first:]

    @property
    def lights(self) -> Lights:
        """The changes of the light since `start_ns`; the first is how it was before."""
        grouped = groupby(self.seen, key=lambda shown: shown.lit)
        return [(max(0, next(shown).at_ns), lit) for lit, shown in grouped]

    @property
    def log(self) -> list[tuple[str, int]]:
        """The events of the log and their stamps since `start_ns`."""
        stamps = ((line.event, line.at_ns - self.start_ns) for line in self.parts.lines)
        return [(event, at_ns) for event, at_ns in stamps if at_ns > 0]


@pytest.fixture(autouse=True)
def _stamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let mock pins stamp with the time of the latest box."""
    made: list[BoxTime] = []
    begin = BoxTime.__init__

    def note(time: BoxTime) -> None:
        begin(time)
        made.append(time)

    monkeypatch.setattr(BoxTime, "__init__", note)
    monkeypatch.setattr("gpiozero.pins.mock.monotonic", lambda: made[-1].monotonic())  # noqa: PLW0108 (the latest at each call)


def pressed(name: str, at_ns: int, bounce: Sequence[int] = ()) -> Moves:
    """Return the moves of a press and its release; `bounce` are instants of the press's edges."""
    assert len(bounce) % 2 == 0
    return [(at_ns + each, name) for each in (0, *bounce, PRESS)]


# --- presses of the player on move ------------------------------------------------------------

BOUNCES = [(), (1 * MS, 2 * MS), (1, 2, 3 * MS, 6 * MS), (4 * MS, 8 * MS, 9 * MS, 10 * MS)]


@pytest.mark.rule("R85")
@pytest.mark.parametrize("bounce", BOUNCES)
def test_a_press_is_shown_at_its_first_edge_and_recorded_when_it_has_settled(
    bounce: Sequence[int],
) -> None:
    """The light changes once, however the contact bounces; stamp and record are as ever."""
    box = Box().play(pressed("left", 300 * MS, bounce))
    assert box.lights == [(0, LEFT), (300 * MS, RIGHT)]
    assert box.log == [("pressed", 300 * MS)]
    written_ns = box.parts.written_ns[-1] - box.start_ns
    assert written_ns == 300 * MS + max(bounce, default=0) + KNOWN


def test_at_the_first_edge_nothing_changes_but_the_light() -> None:
    """The same texts on both panels: the bus needs the inversion of each, and no picture."""
    _, before, lit, after, *_ = Box().play(pressed("left", 300 * MS)).seen
    assert (before.at_ns, lit.at_ns) == (TICK, 300 * MS)
    assert [structs.replace(face, running=False) for face in lit.faces] == [
        structs.replace(face, running=False) for face in before.faces
    ]
    assert after.faces != lit.faces  # a new delay, once the press is recorded


def test_the_light_stays_while_a_digit_changes_before_the_press_has_settled() -> None:
    box = Box().play(pressed("left", TICK - 6 * MS, (4 * MS, 8 * MS, 9 * MS, 10 * MS)))
    settled_ns = TICK + 4 * MS + KNOWN
    assert [shown.at_ns for shown in box.seen[1:]] == [TICK - 6 * MS, TICK, settled_ns]
    assert box.lights == [(0, LEFT), (TICK - 6 * MS, RIGHT)]


# --- and what is none -------------------------------------------------------------------------


@pytest.mark.rule("T8")
@pytest.mark.parametrize("closed_ns", [1, MS, SETTLE - 1])
def test_a_glitch_takes_the_light_back(closed_ns: int) -> None:
    """T8: within the settle time and 10 ms of its last edge, without a line in the log."""
    box = Box().play([(300 * MS, "left"), (300 * MS + closed_ns, "left")])
    back_ns = 300 * MS + closed_ns + KNOWN
    assert box.lights == [(0, LEFT), (300 * MS, RIGHT), (back_ns, LEFT)]
    assert back_ns - 300 * MS - closed_ns <= BACK
    assert box.log == []


@pytest.mark.rule("T8")
def test_a_tap_too_short_hides_no_light_of_the_press_after_it() -> None:
    """T8: the light of a tap of 3 ms goes, and comes again with the press."""
    tap = [(300 * MS, "left"), (303 * MS, "left")]
    box = Box().play([*tap, *pressed("left", 350 * MS)])
    off_ns = 303 * MS + KNOWN
    assert box.lights == [(0, LEFT), (300 * MS, RIGHT), (off_ns, LEFT), (350 * MS, RIGHT)]
    assert box.log == [("pressed", 350 * MS)]


@pytest.mark.rule("R16")
def test_a_release_gives_no_light() -> None:
    """The left plunger was pressed before the turn began, and comes up in it."""
    box = Box().play([*pressed("left", 100 * MS), *pressed("right", 700 * MS)])
    box.play([(300 * MS, "left")])
    box.play(pressed("right", 300 * MS)).play([(300 * MS, "left")])
    assert box.runtime.state.running is LEFT
    assert box.lights == [(0, LEFT)]


def test_a_press_at_a_clock_that_is_stopped_gives_no_light() -> None:
    """Nor does one before the first turn, which starts a clock: it is shown when it has settled."""
    box = Box().press("centre")
    assert box.runtime.state.phase is Phase.STOPPED
    box.play([*pressed("left", 300 * MS), *pressed("right", 600 * MS)])
    assert box.lights == [(0, None)]


def test_a_press_that_the_rules_refuse_gives_no_light() -> None:
    """A player who must wait until the delay is over cannot end the turn before."""
    box = Box()
    state = box.runtime.state
    assert state.turn is not None
    waiting = state.replace(turn=msgspec.structs.replace(state.turn, must_wait=True))
    box.runtime.session = box.runtime.session.replace(state=waiting)
    box.play(pressed("left", 300 * MS))
    assert box.lights == [(0, LEFT)]


@pytest.mark.rule("R85")
def test_both_plungers_at_once_when_the_mover_is_first() -> None:
    """R85: the mover's press gives the light, and the other's, right after it, takes none back."""
    box = Box().play([*pressed("left", 300 * MS), *pressed("right", 301 * MS)])
    assert box.lights == [(0, LEFT), (300 * MS, RIGHT)]
    assert box.log == [("pressed", 300 * MS), ("pressed", 301 * MS)]


@pytest.mark.rule("R16", "R85")
@pytest.mark.parametrize("bounce", BOUNCES)
def test_both_plungers_at_once_when_the_other_is_first(bounce: Sequence[int]) -> None:
    """R16, R85: the press out of turn gives no light, and its bounce takes none away.

    The mover's press has settled before, and waits to be recorded after the other one.
    """
    box = Box().play([*pressed("right", 300 * MS, bounce), *pressed("left", 301 * MS)])
    assert box.lights == [(0, LEFT), (301 * MS, RIGHT)]
    assert box.log == [("pressed", 300 * MS), ("pressed", 301 * MS)]


def test_a_button_that_is_ignored_gives_no_light() -> None:
    """While it chatters and is cut off or observed, the light changes no more."""
    chatter = [(300 * MS + number * MS, "left") for number in range(CHATTER_EDGES + 2)]
    box = Box().play(chatter, 600 * MS)
    cut_off_ns = chatter[CHATTER_EDGES][0]
    assert box.lights == [(0, LEFT), (300 * MS, RIGHT), (cut_off_ns, LEFT)]
    more = [(number * 4 * MS, "left") for number in range(2 * CHATTER_NS // (4 * MS))]
    box.play(more, 2 * CHATTER_NS)
    assert box.lights == [(0, LEFT)]
    assert [report[0] for report in box.plungers.faults()] == ["buttons"]  # it never was well


# --- the log does not depend on it ------------------------------------------------------------

NAMES = ("left", "right", "centre")
GAPS = st.sampled_from([1, MS, 4 * MS, SETTLE, 8 * MS, 60 * MS, 300 * MS, 1600 * MS])


@pytest.mark.slow
@pytest.mark.rule("R85")
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(GAPS, st.sampled_from(NAMES)), max_size=12))
def test_the_log_is_the_same_without_any_light(steps: list[tuple[int, str]]) -> None:
    """Whatever the buttons do: line by line, with or without the hint of the first edge."""
    moves, at_ns = [], 0
    for gap_ns, name in steps:
        at_ns += gap_ns
        moves.append((at_ns, name))
    with_light = Box().play(moves, at_ns + SECOND_NS)
    assert with_light.parts.raw == Box(LateButtons).play(moves, at_ns + SECOND_NS).parts.raw
