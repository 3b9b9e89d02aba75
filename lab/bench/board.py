"""A modelled box that runs the real clock: three buttons, two panels, a memory card, a switch.

    with Board({"match": {"length": 7}}, folder) as board:
        board.confirm()
        board.press(LEFT)
        board.wait("0:12")
        assert board.log().last["running"] == "right"

The clock is the `gammonclock run` of the environment that runs the test, on a kernel of its own. In
real time every call takes as long as it says. With `time_travel` the kernel jumps to the next
event, and time stands still between two calls: hours take seconds, and instants are exact. The log
is then in a folder of this computer instead of on the card, because a disk takes real time.
"""

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from clock.match.durations import parse_duration
from clock.match.types import Button, Side
from clock.ui.dialogue import HOLD_NS
from clock.units import SECOND_NS
from lab.bench import configuration, plunger
from lab.bench.card import MOUNTED, Card, folder_in_memory
from lab.bench.configuration import Config
from lab.bench.logbook import Logbook, Record
from lab.bench.panel import Panel
from lab.bench.panels import PanelPair
from lab.bench.plunger import NO_BOUNCE, PAUSE_NS, PINS, PRESS_NS, Bounce, PlungerMove
from lab.bench.serial_line import SerialLine
from lab.bench.uml import Guest

LEFT, RIGHT, CENTRE = Button.LEFT, Button.RIGHT, Button.CENTRE

PROGRAM = str(Path(sys.executable).with_name("gammonclock"))
CONFIG_PATH = "/run/gammonclock.toml"  # in the guest
MIN_SPEEDUP = 20  # time travel against real time, on a busy computer
BATTERY = "/sys/module/test_power/parameters/battery"
START_TIMEOUT_S = 60.0
# A stamp is converted from the kernel's clock to the raw clock by reading both, one after the
# other. On a computer under four times the load that it can take, errors of 0.2 ms were seen.
STAMP_ERROR_NS = 500_000
POLL_NS = 100 * plunger.MS_NS  # between two checks of a condition that is waited for
MAX_POLLS = 1_200  # two minutes, which only a failing test takes


class MadeEdge(NamedTuple):
    """An edge that was made, between two instants of the guest's raw clock."""

    before_ns: int
    after_ns: int
    late_ns: int = 0  # how much later than asked for this edge, or one of its press, was made

    def holds(self, at_ns: int) -> bool:
        """Return whether a stamp lies between the two instants."""
        return self.off_ns(at_ns) == 0

    def off_ns(self, at_ns: int) -> int:
        """Return how far a stamp lies outside the two instants."""
        return max(0, self.before_ns - at_ns, at_ns - self.after_ns)

    def is_near(self, at_ns: int) -> bool:
        """Return whether a stamp is right within the error of a busy computer, in real time."""
        return self.off_ns(at_ns) <= STAMP_ERROR_NS


class Board:
    """A box with a clock. A `with` block switches it on, and off at its end."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        *,
        time_travel: bool = False,
        bus_hz: int | None = None,
        kernel: Sequence[str] = (),
        battery: bool = False,
        environ: dict[str, str] | None = None,
    ) -> None:
        """Make a box that is switched off.

        Args:
            config: the configuration, as TOML or as its tables.
            folder: the test's folder, in which the guest may write; it keeps all output.
            time_travel: whether time jumps to the next event.
            bus_hz: the speed of the panels' bus; None if transfers take no time.
            kernel: more arguments for the kernel, such as a device.
            battery: whether the kernel knows a battery; see `set_battery`.
            environ: more environment variables for the clock.
        """
        self.folder = folder
        self.config = configuration.to_toml(config)
        self.card = None if time_travel else Card(folder / "card")
        self._bus_hz = bus_hz
        self._time_travel = time_travel
        self._kernel, self._battery = kernel, battery
        self._environ = environ or {}
        self._guest: Guest | None = None
        self._seeds = count()

    def __enter__(self) -> Self:
        with ExitStack() as table:
            if self._time_travel:
                table.enter_context(folder_in_memory(self._logs))
            self.serial = table.enter_context(SerialLine(self.folder / "serial"))
            self.panels = table.enter_context(self._panels())
            table.callback(self._unplug)
            self.switch_on()
            self._table = table.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._table:
            if error is None and self._guest is not None:
                self.switch_off()

    @property
    def _logs(self) -> Path:
        """The folder of the logs in time travel."""
        return self.folder / "log"

    # --- the switch ---------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Switch the box on, and wait until the clock is ready for presses."""
        disk = [] if self.card is None else [f"ubd0={self.card.path}"]
        devices = [*disk, self.serial.option, *self.panels.options, *self._kernel]
        self._guest = Guest(
            self.folder,
            sys.executable,
            devices,
            time_travel=self._time_travel,
            battery=self._battery,
        )
        self._mount()
        self.guest.ask("write", path=CONFIG_PATH, text=self.config)
        self.start()

    def power_cut(self) -> None:
        """Cut the power at once."""
        guest, self._guest = self.guest, None
        guest.kill()

    def switch_off(self) -> None:
        """Stop the clock, unmount the card and power the guest off."""
        if self.guest.ask("running"):
            self.stop()
        if self.card is not None:
            self.guest.ask("run", command=["umount", MOUNTED])
        guest, self._guest = self.guest, None
        guest.power_off()

    @property
    def guest(self) -> Guest:
        """The computer in the box.

        Raises:
            LookupError: the box is switched off.
        """
        if self._guest is None:
            raise LookupError("the board is off; switch_on() first")
        return self._guest

    # --- the clock as a program ---------------------------------------------------------------

    def start(self) -> None:
        """Start the clock; the guest is running already."""
        self.run()

    def run(self, *options: str) -> None:
        """Start the clock with options of `gammonclock run`."""
        command = [PROGRAM, "run", "--config", CONFIG_PATH, *options]
        log = f"{MOUNTED}/current.jsonl"
        self.guest.ask("start", START_TIMEOUT_S, command=command, environ=self._environ, log=log)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End the clock with a signal; return its exit code."""
        code: int = self.guest.ask("end", number=int(number))
        return code

    def signal(self, number: signal.Signals) -> None:
        """Send the clock a signal, such as SIGSTOP."""
        self.guest.ask("signal", number=int(number))

    def figures(self) -> dict[str, int]:
        """Return what the clock uses; see `lab.bench.guest.program.Program.figures`."""
        figures: dict[str, int] = self.guest.ask("figures")
        return figures

    def slew(self, parts: int) -> None:
        """Let the guest's CLOCK_MONOTONIC gain so many of 10,000 parts; negative: lose."""
        self.guest.ask("slew", parts=parts)

    def load(self, programs: int) -> None:
        """Keep the guest's processor busy with so many programs, in place of those before."""
        self.guest.ask("load", count=programs)

    def set_battery(self, percent: int, status: str = "discharging") -> None:
        """Set what the kernel's test battery says of itself."""
        for name, value in (("capacity", percent), ("status", status)):
            write = f"echo {value} >{BATTERY}_{name}"
            self.guest.ask("run", command=["sh", "-c", write])

    # --- buttons and time ---------------------------------------------------------------------

    def press(
        self, button: Button | Side, held_ns: int = PRESS_NS, bounce: Bounce = NO_BOUNCE
    ) -> MadeEdge:
        """Press a button, release it and pause; return when it went down."""
        moves = plunger.pressed(Button(button.value), held_ns, bounce, next(self._seeds))
        made = self.play(moves)
        self.wait(PAUSE_NS)
        return made[0]._replace(late_ns=max(each.late_ns for each in made))

    def hold(self, button: Button | Side = CENTRE) -> MadeEdge:
        """Hold a button for long enough to count as held."""
        return self.press(button, HOLD_NS + PRESS_NS)

    def confirm(self) -> None:
        """Press what confirms the settings: both plungers, then the centre button."""
        for button in (LEFT, RIGHT, CENTRE):
            self.press(button)

    def play(self, moves: list[PlungerMove], *, polls: bool = True) -> list[MadeEdge]:
        """Make many moves, each at its instant; return when each was made.

        In real time a move usually comes within 0.1 ms of its instant, and takes 0.05 ms. But a
        busy computer may hold up the whole guest for tens of ms in the middle of a bounce, which
        then lasts longer. So compare the log with the instants returned, not with those asked for;
        `late_ns` is the difference. In time travel it is about 1 us. Without `polls` the clock has
        the processor between two moves of a bounce, as with a real contact; see `GpioBank.play`.
        """
        lines = [(move.after_ns, PINS[move.button], not move.down) for move in moves]
        takes_s = self._takes_s(moves[-1].after_ns)
        made = self.guest.ask("play", takes_s, moves=lines, polls=polls)
        begun_ns = made[0][0] - moves[0].after_ns
        return [
            MadeEdge(before_ns, after_ns, after_ns - begun_ns - move.after_ns)
            for (before_ns, after_ns), move in zip(made, moves, strict=True)
        ]

    def wait(self, duration: str | int) -> None:
        """Let time pass: a duration such as "0:12", or nanoseconds."""
        ns = duration if isinstance(duration, int) else parse_duration(duration)
        self.guest.ask("wait", self._takes_s(ns), duration_ns=ns)

    def wait_until(self, seen: Callable[[], object]) -> bool:
        """Let time pass until a condition holds; return whether it does.

        Use this in real time instead of `wait`: how long the clock takes depends on the computer's
        load. The timeout only ends a test that fails.
        """
        for _ in range(MAX_POLLS):
            if seen():
                return True
            self.wait(POLL_NS)
        return False

    def wait_for(self, event: str, count: int = 1) -> Logbook:
        """Let time pass until the log has `count` records of an event; return the log.

        Raises:
            AssertionError: it has fewer or more.
        """
        self.wait_until(lambda: len(self.log().of(event)) >= count)
        log = self.log()
        assert len(log.of(event)) == count, log.text
        return log

    # --- log and panels -----------------------------------------------------------------------

    def log(self) -> Logbook:
        """Return the log of the match as it is in the file now; the board must be on."""
        return Logbook(self.guest.ask("read", path=f"{MOUNTED}/current.jsonl") or "")

    def logs(self) -> dict[str, bytes]:
        """Return all logs by their match, in the order of time; only in time travel."""
        read = [path.read_bytes() for path in self._logs.glob("*-*.jsonl")]
        logs = [(Logbook(log.decode()).records[0], log) for log in read if log]
        logs.sort(key=lambda each: each[0]["at_ns"])
        return {first["match"]: log for first, log in logs}

    def records(self) -> list[Record]:
        """Return the lines of all logs; only in time travel."""
        return [line for log in self.logs().values() for line in Logbook(log.decode()).records]

    def panel(self, side: Button | Side) -> Panel:
        """Return the panel of one side."""
        return self.panels.of[Side(side.value)]

    # --- its parts ----------------------------------------------------------------------------

    def _panels(self) -> PanelPair:
        display = configuration.display_table(self.config)
        driver, rotate = display.get("driver", "ssd1306"), display.get("rotate", (0, 0))
        return PanelPair(
            self.folder / "i2c",
            driver=driver,
            on_spi=display.get("interface") == "spi",
            rotate=rotate,
            hz=self._bus_hz,
            time_travel=self._time_travel,
        )

    def _takes_s(self, ns: int) -> float:
        """Return how many seconds a duration in the guest takes on this computer, at most."""
        return ns / SECOND_NS / (MIN_SPEEDUP if self._time_travel else 1)

    def _unplug(self) -> None:
        if self._guest is not None:
            self.power_cut()

    def _mount(self) -> None:
        if self.card is not None:
            mount = ["mount", "-t", "ext4", "/dev/ubda", MOUNTED]
        else:
            mount = ["mount", "-t", "hostfs", "hostfs", MOUNTED, "-o", str(self._logs.resolve())]
        self.guest.ask("run", command=mount)
