"""The loop of a clock on parts that a test holds: its time, buttons, panels, log and settings.

For tests that need a port of the loop: edges that arrive late, a picture that takes long, a thread.
All others take a whole clock, `lab.support.boxes`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from clock.apps.playback import NullPanels
from clock.match.faults import Fault
from clock.match.rules import MatchSettings
from clock.match.state import MatchState
from clock.match.types import Button, Pair, Phase, Side
from clock.runtime.alerts import Alert
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Buttons, Drained, EventLog, Ports, TimeSource
from clock.ui.dialogue import ButtonMoved
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
KEYS = UiOptions(lambda word, **_: word, "test")  # in the place of each text is its key


def make_loop(
    time: TimeSource,
    buttons: Buttons,
    parts: NullPanels,
    log: EventLog,
    options: UiOptions = KEYS,
    begin: tuple[Any, ...] = (),
    **ports: Any,
) -> Runtime:
    """Return a loop whose parts are its panels, its health and its settings, too.

    `begin` is what it goes on with: a recovery, and the preset and the offer of the next match.
    """
    all_ports = Ports(time, buttons, parts, log, parts, parts)._replace(**ports)
    return Runtime(all_ports, options, *begin)


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log, as far as tests look at it."""

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
        """See `TimeSource`."""
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


class LateButtons:
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


class Parts(NullPanels):
    """Panels, log, faults, settings, lamps and buzzer: they keep what they are given."""

    def __init__(self, time: Any, settings: MatchSettings) -> None:
        super().__init__(settings)
        self.shown: list[tuple[int, Pair[Face]]] = []
        self.lines: list[Line] = []
        self.written_ns: list[int] = []  # when each line was
        self.raw: list[bytes] = []
        self.checkpoints: list[tuple[int, int, str, MatchState]] = []
        self.faults: list[Fault] = []
        self.showing_ns = 0  # what showing takes
        self.late_at_ns: int | None = None
        self.begun: list[str] = []
        self.heard: list[tuple[int, Alert]] = []
        self.lamp: Side | None = None
        self._time = time

    def show(self, faces: Pair[Face]) -> None:
        """See `showing_ns`."""
        self.shown.append((self._time.ns, faces))
        self._time.ns += self.showing_ns

    def follow(self, settings: MatchSettings) -> None:
        """The director changes the file."""
        self._settings = settings

    def begin(self, match: str) -> str:
        """See `EventLog`."""
        self.begun.append(match)
        return match

    def append(self, line: bytes) -> None:
        """Kept as it is, and read."""
        self.raw.append(line)
        self.lines.append(msgspec.json.decode(line, type=Line))
        self.written_ns.append(self._time.ns)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """See `EventLog`."""
        self.checkpoints.append((seq, at_ns, boot, state))

    def late_ns(self) -> int | None:
        """Once what a test put there."""
        late_ns, self.late_at_ns = self.late_at_ns, None
        return late_ns

    def drain(self) -> Sequence[Fault]:
        """Once what a test put there."""
        faults, self.faults = self.faults, []
        return faults

    def announce(self, alert: Alert) -> None:
        """See `Outputs`."""
        self.heard.append((self._time.ns, alert))

    def light(self, running: Side | None) -> None:
        """See `Outputs`."""
        self.lamp = running


class LoopClock:
    """A clock on the table; the settings are confirmed and at `START_NS` the left clock starts."""

    def __init__(
        self,
        *,
        late_ns: Sequence[int] = (),
        options: Mapping[str, Any] | None = None,
        **given: Any,
    ) -> None:
        """`given` are ports of the loop, and rules of the match."""
        ports = {name: given.pop(name) for name in Ports._fields if name in given}
        short = {"time_per_point_ns": SECOND_NS, "delay_ns": DELAY_NS, "bank_step_ns": 1}
        self.time = Time()
        self.buttons = LateButtons(self.time, late_ns)
        self.parts = parts = Parts(self.time, match_settings(**(short | given)))
        begin = (self.time, self.buttons, parts, parts, KEYS._replace(**options or {}))
        self.runtime = make_loop(*begin, outputs=parts, **ports)
        for number, button in enumerate((LEFT, RIGHT, CENTRE), 1):
            self.press(button, number * 100 * MS)
        self.press(RIGHT, START_NS)

    def press(
        self, button: Button, at_ns: int, *, held_ns: int = 50 * MS, arriving_ns: int = 0
    ) -> None:
        """A button goes down and comes up again."""
        self.buttons.move(button, at_ns, down=True, arriving_ns=arriving_ns)
        self.buttons.move(button, at_ns + held_ns, down=False, arriving_ns=arriving_ns)

    def untouched(self) -> "LoopClock":
        """Remove the presses that would start the match."""
        self.buttons.edges.clear()
        return self

    def until(self, end_ns: int) -> "LoopClock":
        """Turns of the loop until an instant, at which it is woken."""
        self.buttons.woken_ns = end_ns
        while self.time.ns < end_ns:
            self.runtime.turn()
        return self

    @property
    def faces(self) -> Pair[Face]:
        """What the panels show."""
        return self.parts.shown[-1][1]

    def events(self, event: str) -> list[Line]:
        """The lines of an event."""
        return [line for line in self.parts.lines if line.event == event]
