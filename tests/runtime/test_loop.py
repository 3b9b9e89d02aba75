"""The loop, with ports made by hand: a time, fingers and panels that do what a test wants.

Edges reach the loop a while after they happened, as they do in a box, and the loop may wake late.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.loader import parse_settings
from clock.config.offer import LogHead, OfferError
from clock.config.settings import Preset
from clock.eventlog.recovery import Recovery
from clock.match import inputs
from clock.match.faults import Fault
from clock.match.rules import FirstFlag, MatchSettings
from clock.match.state import MatchState
from clock.match.types import Button, Pair, Phase, Side
from clock.runtime.adapters import HealthAggregator
from clock.runtime.alerts import Alert
from clock.runtime.loop import REREAD_NS, Runtime, UiOptions, first_faces
from clock.runtime.ports import Drained, Offers, Ports
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.ui.pages import faces
from clock.units import SECOND_NS
from hardware.face import Face
from lab.support.world import match_settings

LEFT, RIGHT, CENTRE = Button.LEFT, Button.RIGHT, Button.CENTRE
MS = 1_000_000
MARGIN = 2 * MS  # an edge reaches the loop at most this long after it happened
DELAY_NS = 12 * SECOND_NS
BANK_NS = 11 * SECOND_NS
START_NS = SECOND_NS  # the left clock starts
FLAG_NS = START_NS + DELAY_NS + BANK_NS


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log, as far as these tests look at it."""

    at_ns: int
    event: str
    phase: Phase
    running: Side | None
    left_ns: int
    right_ns: int
    side: str | None = None
    accepted: bool | None = None
    part: str | None = None
    battery: int | None = None


class Time:
    """A time that moves when the loop waits or works."""

    boot = "boot"

    def __init__(self) -> None:
        self.ns = 0
        self.reads = 0
        self.reading_ns = 0  # what reading it takes

    def now_ns(self) -> int:
        self.reads += 1
        self.ns += self.reading_ns
        return self.ns

    def wall(self) -> str:
        """Always the same: so a log is the same, however late its lines are written."""
        return "2000-01-01T12:00:00.000+00:00"


class Arriving(NamedTuple):
    """An edge on its way to the loop."""

    arrives_ns: int
    moved: ButtonMoved

    @property
    def ripe_ns(self) -> int:
        """When it has arrived and none that was before it still can."""
        return max(self.arrives_ns, self.moved.at_ns + MARGIN + 1)


class Fingers:
    """Buttons as the loop sees them: edges arrive late, the loop sleeps too long."""

    def __init__(self, time: Time, late_ns: Sequence[int] = ()) -> None:
        self.edges: list[Arriving] = []
        self.waits: list[tuple[int, int | None]] = []  # when, and until when
        self.woken_ns = 0  # when somebody wakes the loop
        self.touched: list[ButtonMoved] = []  # presses that have begun
        self._time = time
        self._late_ns = list(reversed(late_ns))

    def move(self, button: Button, at_ns: int, *, down: bool, arriving_ns: int) -> None:
        """An edge at an instant, which arrives later."""
        moved = ButtonMoved(button, down, at_ns)
        self.edges.append(Arriving(at_ns + arriving_ns, moved))
        self.edges.sort(key=lambda edge: edge.ripe_ns)

    def wait(self, until_ns: int | None) -> None:
        """Jump to an instant (one that has passed: until it can be decided) or the next edge."""
        self.waits.append((self._time.ns, until_ns))
        wakes = [self.woken_ns, *(edge.ripe_ns for edge in self.edges[:1])]
        if until_ns is not None:
            wakes.append(until_ns if self._time.ns < until_ns else until_ns + MARGIN)
        self._time.ns = max(self._time.ns, min(wakes))
        self._time.ns += self._late_ns.pop() if self._late_ns else 0

    def drain(self, now_ns: int) -> Drained:
        """What has arrived, up to the horizon and in the order of the stamps."""
        horizon_ns = now_ns - MARGIN
        ripe = [edge for edge in self.edges if edge.moved.at_ns < horizon_ns]
        assert all(edge.ripe_ns <= now_ns for edge in ripe)
        self.edges = [edge for edge in self.edges if edge not in ripe]
        moved = sorted((edge.moved for edge in ripe), key=lambda moved: moved.at_ns)
        return Drained(moved, horizon_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        """Not known before it has settled, unless a test says so."""
        return self.touched


class Outside:
    """Panels, log, health and settings: they keep what they are given."""

    def __init__(self, time: Time, settings: MatchSettings) -> None:
        self.shown: list[tuple[int, Pair[Face]]] = []
        self.lines: list[Line] = []
        self.written_ns: list[int] = []  # when each line was
        self.raw: list[bytes] = []
        self.checkpoints: list[tuple[int, int, str, MatchState]] = []
        self.faults: list[Fault] = []
        self.showing_ns = 0  # what showing takes
        self.late_at_ns: int | None = None
        self._time = time
        self.following = settings
        self.choices: tuple[Preset, ...] = ()
        self.board = ""
        self.begun: list[str] = []

    def show(self, faces: Pair[Face]) -> None:
        self.shown.append((self._time.ns, faces))
        self._time.ns += self.showing_ns

    def begin(self, match: str) -> str:
        self.begun.append(match)
        return match

    def append(self, line: bytes) -> None:
        """Kept as it is, and read."""
        self.raw.append(line)
        self.lines.append(msgspec.json.decode(line, type=Line))
        self.written_ns.append(self._time.ns)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        self.checkpoints.append((seq, at_ns, boot, state))

    def late_ns(self) -> int | None:
        late_ns, self.late_at_ns = self.late_at_ns, None
        return late_ns

    def drain(self) -> Sequence[Fault]:
        """What a test put there."""
        faults, self.faults = self.faults, []
        return faults

    def settings(self) -> MatchSettings:
        return self.following


class WorthlessOffers:
    """Offers without end, each refused for another reason."""

    def __init__(self) -> None:
        self.looks = 0

    def look(self, latest: LogHead, known: Container[str]) -> OfferError:  # noqa: ARG002
        self.looks += 1
        return OfferError(f"refused {self.looks}")


class Ears:
    """What is heard, and which lamp is lit."""

    def __init__(self, time: Time) -> None:
        self.heard: list[Alert] = []
        self.at_ns: list[int] = []
        self._time = time
        self.lit: Side | None = None

    def announce(self, alert: Alert) -> None:
        self.heard.append(alert)
        self.at_ns.append(self._time.ns)

    def light(self, running: Side | None) -> None:
        self.lit = running


class Box:
    """A clock on the table; the settings are confirmed and at `START_NS` the left clock starts."""

    def __init__(
        self,
        *,
        late_ns: Sequence[int] = (),
        wanted: frozenset[Alert] = frozenset(),
        offers: Offers | None = None,
        battery: int | None = None,
        keep_language: Callable[[str], None] | None = None,
        options: Mapping[str, Any] | None = None,
        **rules: object,
    ) -> None:
        settings = match_settings(
            **({"time_per_point_ns": SECOND_NS, "delay_ns": DELAY_NS, "bank_step_ns": 1} | rules)  # type: ignore[arg-type]
        )
        self.time = Time()
        self.fingers = Fingers(self.time, late_ns)
        self.outside = Outside(self.time, settings)
        ports = Ports(
            self.time, self.fingers, self.outside, self.outside, self.outside, self.outside
        )
        self.ears = Ears(self.time)
        shown = UiOptions(lambda word, **_: word, "test", wanted=wanted)._replace(**options or {})
        ports = ports._replace(outputs=self.ears, offers=offers, battery=lambda: battery)
        self.runtime = Runtime(ports._replace(keep_language=keep_language), shown)
        for number, button in enumerate((LEFT, RIGHT, CENTRE), 1):
            self.press(button, number * 100 * MS)
        self.press(RIGHT, START_NS)

    def press(
        self, button: Button, at_ns: int, *, held_ns: int = 50 * MS, arriving_ns: int = 0
    ) -> None:
        """A button goes down and comes up again."""
        self.fingers.move(button, at_ns, down=True, arriving_ns=arriving_ns)
        self.fingers.move(button, at_ns + held_ns, down=False, arriving_ns=arriving_ns)

    def untouched(self) -> "Box":
        """Remove the presses that would start the match."""
        self.fingers.edges.clear()
        return self

    def until(self, end_ns: int) -> "Box":
        """Turns of the loop until an instant, at which it is woken."""
        self.fingers.woken_ns = end_ns
        while self.time.ns < end_ns:
            self.runtime.turn()
        return self

    @property
    def battery_shown(self) -> bool:
        """Whether both panels say how full the battery is."""
        _, shown = self.outside.shown[-1]
        return all(any("battery" in line for line in face.lines) for face in shown)

    def events(self, event: str) -> list[Line]:
        return [line for line in self.outside.lines if line.event == event]


@pytest.mark.rule("R143")
def test_the_battery_is_shown_before_a_game_and_logged() -> None:
    """At REVIEW and READY only; the first line of the log has it, and replays."""
    box = Box(battery=83).until(50 * MS)
    assert (box.battery_shown, box.events("match_opened")[0].battery) == (True, 83)
    assert (box.until(400 * MS).runtime.state.phase, box.battery_shown) == (Phase.READY, True)
    assert box.until(START_NS + 100 * MS).runtime.state.phase is Phase.RUNNING
    assert not box.battery_shown


# --- the flag and the presses around it -------------------------------------------------------

AROUND = [-MS, *range(-5, 6), MS]


@pytest.mark.rule("R38", "R39", "T11")
@pytest.mark.parametrize("arriving_ns", [0, MS, MARGIN])
@pytest.mark.parametrize("offset_ns", AROUND)
def test_t11_the_stamp_decides_between_the_press_and_the_flag(
    offset_ns: int, arriving_ns: int
) -> None:
    """T11, R39: at every ns around the flag, however late the press arrives."""
    box = Box()
    box.press(LEFT, FLAG_NS + offset_ns, arriving_ns=arriving_ns)
    box.until(FLAG_NS + SECOND_NS)
    press = box.events("pressed")[-1]
    assert (press.at_ns, press.accepted) == (FLAG_NS + offset_ns, True)
    assert press.running is Side.RIGHT
    if offset_ns < 0:
        assert box.events("flag_fell") == []
        assert press.left_ns == -offset_ns
    else:
        [flag] = box.events("flag_fell")
        assert (flag.at_ns, flag.left_ns, press.left_ns) == (FLAG_NS, 0, 0)
        assert box.outside.lines.index(flag) < box.outside.lines.index(press)


@pytest.mark.rule("R38", "T10")
@pytest.mark.parametrize("late_ns", [0, 1, 300 * MS, 5 * SECOND_NS])
def test_t10_a_flag_without_any_press_is_raised_at_its_instant(late_ns: int) -> None:
    """T10, R38: logged as of its instant, as soon as no press before it can still arrive."""
    box = Box().until(FLAG_NS)
    box.time.ns += late_ns
    box.until(FLAG_NS + 6 * SECOND_NS)
    [flag] = box.events("flag_fell")
    assert (flag.at_ns, flag.left_ns) == (FLAG_NS, 0)
    written_ns = box.outside.written_ns[box.outside.lines.index(flag)]
    assert written_ns == FLAG_NS + max(MARGIN, late_ns)


@pytest.mark.rule("R85")
def test_a_press_that_may_have_begun_is_shown_before_anything_else_is_done() -> None:
    """A player waits for the light: not even the time is read before it."""
    box = Box().until(START_NS + SECOND_NS)
    woken_ns, shown = box.time.ns, len(box.outside.shown)
    box.fingers.touched = [ButtonMoved(LEFT, down=True, at_ns=woken_ns)]
    box.time.reading_ns = MS
    box.runtime.turn()
    at_ns, faces = box.outside.shown[shown]
    assert (at_ns, faces.left.running, faces.right.running) == (woken_ns, False, True)


# --- whatever the rest of the box does --------------------------------------------------------

TURNS = [START_NS + number * 13_700 * MS for number in range(1, 8)]


def played(box: Box) -> Box:
    """A few turns, beyond the first flag, with a stop and a held centre."""
    for number, at_ns in enumerate(TURNS):
        box.press(LEFT if number % 2 == 0 else RIGHT, at_ns, arriving_ns=MARGIN)
    box.press(CENTRE, TURNS[-1] + SECOND_NS)
    box.press(CENTRE, TURNS[-1] + 2 * SECOND_NS, held_ns=HOLD_NS + SECOND_NS)
    return box.until(TURNS[-1] + 9 * SECOND_NS)


@pytest.fixture(scope="module")
def usual_log() -> list[bytes]:
    """The log of these turns when nothing is slow."""
    return played(Box()).outside.raw


@pytest.mark.rule("T13")
@pytest.mark.parametrize("showing_ns", [1, MS, SECOND_NS, 3 * SECOND_NS])
def test_t13_a_slow_display_changes_no_line_of_the_log(
    showing_ns: int, usual_log: list[bytes]
) -> None:
    """T13: even if showing blocked the loop for seconds: no press delayed, lost or mis-timed."""
    slow = Box()
    slow.outside.showing_ns = showing_ns
    assert played(slow).outside.raw == usual_log
    assert len(slow.outside.shown) > 10


@pytest.mark.slow
@pytest.mark.rule("T10", "T11", "T13")
@given(late_ns=st.lists(st.integers(0, 4 * SECOND_NS), max_size=60))
def test_the_log_does_not_depend_on_when_the_loop_wakes(
    usual_log: list[bytes], late_ns: list[int]
) -> None:
    """T11: the machine is busy, the loop sleeps too long: the same bytes in the log."""
    assert played(Box(late_ns=late_ns)).outside.raw == usual_log


def test_a_fault_is_logged_shown_and_cleared() -> None:
    """What a part reports between two turns is in the log and on the panels after the next."""
    box = Box().until(START_NS + SECOND_NS)
    box.outside.faults.append(Fault("log", "disk full"))
    box.until(box.time.ns + SECOND_NS)
    assert box.events("fault")[0].part == "log"
    warned = box.outside.shown[-1][1].left.warnings
    assert warned == ("warning_log",)
    box.outside.faults.append(Fault("log", None))
    box.until(box.time.ns + SECOND_NS)
    assert box.events("fault_cleared")[0].part == "log"
    assert not box.outside.shown[-1][1].left.warnings


# --- time and sleep ---------------------------------------------------------------------------


def test_the_time_is_read_once_after_waiting() -> None:
    """What is decided, saved and shown in a turn is as of one instant."""
    box = Box().until(START_NS + SECOND_NS)
    wait, after_waiting = box.fingers.wait, []

    def counted(until_ns: int | None) -> None:
        wait(until_ns)
        after_waiting.append(box.time.reads)

    box.fingers.wait = counted  # type: ignore[method-assign]
    for _ in range(20):
        box.runtime.turn()
        assert box.time.reads - after_waiting[-1] == 1


def faces_of_turns(box: Box, duration_ns: int) -> list[int]:
    """For each turn of the loop in a while: how many faces it showed."""
    outside, end_ns, done = box.outside, box.time.ns + duration_ns, []
    box.fingers.woken_ns = end_ns
    while box.time.ns < end_ns:
        shown = len(outside.shown)
        box.runtime.turn()
        done.append(len(outside.shown) - shown)
    return done


@pytest.mark.parametrize(
    ("per_point_s", "delay_ns", "seconds", "digits"),
    [(600, DELAY_NS, 3600, 3600), (600, 0, 60, 60), (1, 0, 10, 50)],
)
def test_a_running_clock_wakes_for_its_digits_alone(
    per_point_s: int, delay_ns: int, seconds: int, digits: int
) -> None:
    """No tick: an hour has 3,600 digits; each of the last 20 s has five."""
    box = Box(time_per_point_ns=per_point_s * SECOND_NS, delay_ns=delay_ns)
    box.until(START_NS + 100 * MS)
    turns = faces_of_turns(box, seconds * SECOND_NS)
    assert all(turns[:-1])  # the last turn only ends the test
    assert sum(turns) == digits


@pytest.mark.rule("R67")
def test_each_change_is_checkpointed() -> None:
    """R67: the checkpoint follows the lines; its repetition is up to the log."""
    box = Box()
    box.press(LEFT, START_NS + 2 * SECOND_NS)
    box.press(CENTRE, START_NS + 5 * SECOND_NS)
    box.until(START_NS + 60 * SECOND_NS)
    checkpoints = box.outside.checkpoints
    assert [seq for seq, *_ in checkpoints] == list(range(2, 1 + len(box.outside.lines)))
    assert [state.running for *_, state in checkpoints[-3:]] == [Side.LEFT, Side.RIGHT, None]
    assert checkpoints[-1][-1] == box.runtime.state


@pytest.mark.rule("R67")
def test_a_match_that_is_resumed_is_checkpointed_at_once() -> None:
    """R67: the newest checkpoint may be of another match or boot."""
    before = Box().until(START_NS + SECOND_NS)
    ports, after = before.runtime._ports, Outside(before.time, match_settings())
    recovery = Recovery(before.runtime.match, None)
    runtime = Runtime(ports._replace(log=after), before.runtime._options, recovery)
    runtime.turn()
    assert [seq for seq, *_ in after.checkpoints] == [len(before.outside.lines)]


def test_what_is_shown_first_is_what_the_loop_shows_but_for_its_code() -> None:
    """A match after a power cut, and a new one."""
    before = Box().until(START_NS + SECOND_NS)
    ports, options = before.runtime._ports, before.runtime._options
    restored = inputs.Restored(before.time.now_ns(), 0, None, same_boot=True)
    for recovery in (Recovery(before.runtime.match, restored), None):
        told = len(before.outside.lines)
        faults = (Fault("recovery", "gone"),)
        first = first_faces(ports.time, ports.next_match, options, recovery, faults=faults)
        assert len(before.outside.lines) == told
        ports = ports._replace(health=HealthAggregator(lambda: faults))  # noqa: B023 (read at once)
        runtime = Runtime(ports, options, recovery)
        assert first.left.warnings
        assert first == faces(runtime.view()._replace(latest=None), ports.time.now_ns())


def test_while_nothing_runs_it_sleeps_until_a_button_moves() -> None:
    """Stopped: nothing changes, so there is no instant to wake at."""
    box = Box()
    box.press(CENTRE, START_NS + SECOND_NS)
    box.press(LEFT, START_NS + 3600 * SECOND_NS)
    box.until(START_NS + 3600 * SECOND_NS)
    stopped = [until_ns for at_ns, until_ns in box.fingers.waits if at_ns > START_NS + SECOND_NS]
    assert stopped == [None, None]  # until the centre is let go, and until the hour is over


def test_a_press_is_shown_before_it_is_written() -> None:
    """The panels' thread has a start on the disk's; a player waits for the one only."""
    box = Box()
    box.outside.showing_ns = 1
    box.press(LEFT, START_NS + 500 * MS)
    box.until(START_NS + 900 * MS)
    shown_ns, _ = box.outside.shown[-1]
    assert box.outside.written_ns[-1] == shown_ns + 1


@pytest.mark.rule("R84")
@pytest.mark.parametrize("fails", ["show", "drain"])  # the pictures; the faults, looked at before
def test_a_press_is_logged_even_if_the_turn_fails(
    fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R84: a fault of the program costs no press; it is started again, and goes on."""
    box = Box().until(START_NS + 100 * MS)
    box.press(LEFT, START_NS + 500 * MS)
    box.time.ns = START_NS + 600 * MS
    monkeypatch.setattr(box.outside, fails, lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        box.until(START_NS + 900 * MS)
    assert box.events("pressed")[-1].at_ns == START_NS + 500 * MS


@pytest.mark.rule("R84")
def test_the_loop_wakes_when_an_unwritten_line_is_late() -> None:
    """R84: a disk that hangs is reported even if nothing else happens."""
    box = Box()
    box.press(CENTRE, START_NS + SECOND_NS)
    box.until(START_NS + 3 * SECOND_NS)
    box.outside.late_at_ns = START_NS + 4 * SECOND_NS
    box.until(START_NS + 9 * SECOND_NS)
    assert (START_NS + 3 * SECOND_NS, START_NS + 4 * SECOND_NS) in box.fingers.waits


def test_a_digit_that_changes_during_a_turn_is_shown() -> None:
    """The loop wakes for the change after what it has shown, though that has passed by then."""
    box = Box().until(START_NS + 3 * SECOND_NS - 1)
    box.time.ns += 2  # what the turn took
    box.runtime.turn()
    _, until_ns = box.fingers.waits[-1]
    assert until_ns == START_NS + 3 * SECOND_NS


@pytest.mark.rule("R48")
@pytest.mark.parametrize("after_ns", [0, 1, MS, SECOND_NS])
@pytest.mark.parametrize("late_ns", [0, 3 * SECOND_NS])
def test_a_centre_press_after_a_freezing_flag_finds_the_clock_stopped(
    after_ns: int, late_ns: int
) -> None:
    """R48: it is no stop then, but the beginning of a short or long press, as in every stop."""
    box = Box(on_first_flag=FirstFlag.FREEZE)
    box.press(CENTRE, FLAG_NS + after_ns, held_ns=2 * SECOND_NS)
    box.until(FLAG_NS - 1)
    box.time.ns += late_ns
    box.until(FLAG_NS + 8 * SECOND_NS)
    [press] = [line for line in box.events("pressed") if line.at_ns > FLAG_NS]
    assert (press.at_ns, press.side) == (FLAG_NS + after_ns + HOLD_NS, "centre")
    assert box.events("flag_claimed") == []


# --- settings that change ---------------------------------------------------------------------


def test_a_changed_configuration_waits_for_a_press_that_has_begun() -> None:
    """The player who presses has not seen it, and does not confirm it."""
    box = Box().untouched()
    box.outside.following = match_settings(length=5)
    box.fingers.touched.append(ButtonMoved(LEFT, down=True, at_ns=3 * SECOND_NS))
    box.until(3 * SECOND_NS)
    assert box.runtime.state.length == 11
    box.fingers.touched.clear()
    box.press(LEFT, 3 * SECOND_NS)
    box.until(4 * SECOND_NS)
    assert [(line.event, line.at_ns) for line in box.outside.lines] == [
        ("match_opened", 0),
        ("confirmed", 3 * SECOND_NS),
    ]


# --- offers -----------------------------------------------------------------------------------


@pytest.mark.rule("R134")
def test_an_offer_moves_no_stamp() -> None:
    """The loop looks for one before an edge arrives that was made a moment ago."""
    box = Box(offers=WorthlessOffers()).untouched()
    box.press(LEFT, SECOND_NS, arriving_ns=MS)
    box.until(SECOND_NS + MS)
    assert len(box.events("offer_refused")) == 1
    box.until(SECOND_NS + 100 * MS)
    assert [line.at_ns for line in box.events("confirmed")] == [SECOND_NS]


@pytest.mark.rule("R134")
def test_an_offer_waits_for_a_press_that_has_begun() -> None:
    """The player who presses has not seen it: their press is for what is shown."""
    offers = WorthlessOffers()
    box = Box(offers=offers).untouched()
    box.fingers.touched.append(ButtonMoved(LEFT, down=True, at_ns=SECOND_NS))
    box.until(SECOND_NS)
    assert offers.looks == 0
    box.fingers.touched.clear()
    box.until(2 * SECOND_NS)
    assert offers.looks == 1


def test_an_offer_is_looked_for_when_a_match_is_over() -> None:
    offers = WorthlessOffers()
    box = Box(offers=offers).until(START_NS)
    box.runtime.apply_input(inputs.CentrePressed(START_NS))
    box.runtime.apply_input(inputs.MatchEnded(START_NS, Side.LEFT, "director"))
    before = offers.looks
    box.until(START_NS + 10 * SECOND_NS)
    assert offers.looks - before >= 5


def test_an_input_from_outside_is_in_the_log_at_once() -> None:
    """As a restoration when the program starts: the first turn may never come."""
    box = Box().until(START_NS)
    before = len(box.outside.raw)
    box.runtime.apply_input(inputs.CentrePressed(START_NS))
    assert len(box.outside.raw) == before + 1


def test_the_settings_say_how_the_clock_presents_itself() -> None:
    text = """
        [match]
        length = 1
        [display]
        scores = "away"
        scoreboard = false
        [director]
        code = "LRRL"
        players_start = false
        """
    options = UiOptions.of(parse_settings(text, "test"))
    assert (options.away, options.scoreboard) == (True, False)
    assert (options.code, options.players_start) == ("LRRL", False)


# --- the name of a log ------------------------------------------------------------------------


def test_a_board_names_the_log_and_a_changed_one_opens_another() -> None:
    """As long as nobody has confirmed; the settings code stays."""
    box = Box().untouched()
    box.outside.board = "A-12"
    box.until(3 * SECOND_NS)
    first, second = (msgspec.json.decode(raw) for raw in box.outside.raw)
    assert box.outside.begun[1].endswith("-A-12")
    assert (second["match"], second["board"]) == (box.outside.begun[1], "A-12")
    assert (first["clock"], first["code"]) == (second["clock"], second["code"])


# --- the heartbeat ----------------------------------------------------------------------------


def test_a_heartbeat_tells_the_time_the_latest_line_and_the_faults() -> None:
    box = Box().until(SECOND_NS)
    latest = msgspec.json.decode(box.outside.raw[-1])
    box.time.ns += 7
    expected = {
        "v": 2,
        "heartbeat": 3,
        "boot": latest["boot"],
        "now_ns": box.time.ns,
        "match": latest["match"],
        "seq": latest["seq"],
        "log_saved": True,
        "warnings": [],
    }
    line = box.runtime.heartbeat(3)
    assert line.endswith(b"}\n")
    assert list(msgspec.json.decode(line).items()) == list(expected.items())
    box.outside.faults = [Fault("serial", "unplugged"), Fault("log", "full")]
    box.until(2 * SECOND_NS)
    found = msgspec.json.decode(box.runtime.heartbeat(4))
    assert (found["log_saved"], found["warnings"]) == (False, ["serial", "log"])
    assert found["seq"] == len(box.outside.raw)


# --- what is heard and seen from afar ---------------------------------------------------------


@pytest.mark.rule("R82")
def test_an_alert_sounds_once_at_its_instant() -> None:
    """R82: low time a minute before the reserve is used up, the flag when it falls."""
    box = Box(time_per_point_ns=10 * SECOND_NS, wanted=frozenset(Alert))
    low_ns = START_NS + DELAY_NS + 50 * SECOND_NS
    box.until(low_ns + 70 * SECOND_NS)
    assert box.ears.heard == [Alert.LOW_TIME, Alert.FLAG]
    assert box.ears.at_ns == [low_ns + MARGIN, low_ns + 60 * SECOND_NS + MARGIN]


def test_the_lamp_of_the_running_side_is_lit() -> None:
    """From afar: left, right after a press, none when stopped."""
    box = Box().until(START_NS + SECOND_NS)
    lit = [box.ears.lit]
    for button in (LEFT, CENTRE):
        box.press(button, box.time.ns + SECOND_NS)
        lit.append(box.until(box.time.ns + 2 * SECOND_NS).ears.lit)
    assert lit == [Side.LEFT, Side.RIGHT, None]


# --- the dialogue -----------------------------------------------------------------------------


def test_another_language_is_kept_shown_and_logged_as_a_press() -> None:
    kept: list[str] = []
    box = Box(keep_language=kept.append).untouched()
    before = len(box.outside.lines)
    box.runtime.apply_input(inputs.LanguageWanted(5, "de"))
    assert kept == ["de"]
    assert [line.event for line in box.outside.lines[before:]] == ["pressed"]
    box.until(SECOND_NS)
    _, shown = box.outside.shown[-1]
    assert any("Bestätig" in line for face in shown for line in (*face.lines, face.status))
    silent = Box().untouched()
    silent.runtime.apply_input(inputs.LanguageWanted(5, "de"))  # there is nowhere to keep it


def test_before_a_match_is_confirmed_the_file_is_read_again() -> None:
    """The loop wakes for it, though no button moves and no offer can come."""
    box = Box().untouched().until(SECOND_NS)
    assert box.runtime.due_ns() == box.runtime._shown_ns + REREAD_NS


def test_a_plunger_that_is_held_repeats_itself() -> None:
    box = Box().until(START_NS + SECOND_NS)
    box.press(CENTRE, 3 * SECOND_NS)
    box.press(CENTRE, 4 * SECOND_NS, held_ns=HOLD_NS + SECOND_NS)
    begin_ns = 5 * SECOND_NS + HOLD_NS
    box.press(RIGHT, begin_ns, held_ns=4 * SECOND_NS)
    box.until(begin_ns + 5 * SECOND_NS)
    menu = [
        face.selected for at_ns, faces in box.outside.shown for face in faces if at_ns > begin_ns
    ]
    assert len(set(menu)) > 4


def test_points_still_needed_are_shown_to_players_and_not_in_the_status() -> None:
    """To the players if the file says so, and as a score to the service manager."""
    usual, away = Box().untouched(), Box(options={"away": True}).untouched()
    scores = [
        {face.score for face in box.until(SECOND_NS).outside.shown[-1][1]} for box in (usual, away)
    ]
    assert scores[0] != scores[1]
    hidden = Box(options={"scoreboard": False}).untouched().until(SECOND_NS)
    assert usual.runtime._status() == away.runtime._status() == hidden.runtime._status()


@pytest.mark.parametrize("players_start", [True, False])
def test_the_dialogue_knows_who_may_start_a_match(players_start: bool) -> None:
    box = Box(options={"players_start": players_start})
    assert box.runtime.session.dialogue.players_start is players_start
    assert Box().runtime.session.dialogue.players_start
