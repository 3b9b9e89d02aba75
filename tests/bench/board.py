"""A box on a table: three plungers, two panels, a memory card, a switch; the clock inside is real.

    with Board({"match": {"length": 7}}, folder) as board:
        board.confirm()
        board.press(LEFT)
        board.wait("0:12")
        assert board.log().last["running"] == "right"

The clock is the `gammonclock run` of the environment that runs the test, on a kernel of its own. In
real time every word takes as long as it says. With `time_travel` the kernel jumps to the next thing
that happens, and the world stands still between two words: hours take seconds, and instants are
exact. Then the log is in the test's folder instead of on the card, for a disk that takes real time
would be waited for by a clock that jumps; what was not synced is lost there too.

The one rule: a word does what a hand could do, or looks at what an eye could see.
"""

import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from bench import configuration, plunger
from bench.card import MOUNTED, Card
from bench.configuration import Config
from bench.logbook import Logbook
from bench.panel import Panel
from bench.panels import PanelPair
from bench.plunger import HELD_NS, NONE, PINS, REST_NS, Bounce, Move
from bench.serial_line import SerialLine
from bench.uml import Guest

from clock.ui.dialogue import HOLD_NS
from clock.match.durations import duration_ns
from clock.match.rules import SECOND_NS
from clock.match.sides import Button, Side

LEFT, RIGHT, CENTRE = Button.LEFT, Button.RIGHT, Button.CENTRE

PROGRAM = str(Path(sys.executable).with_name("gammonclock"))
CONFIG = "/run/gammonclock.toml"  # in the guest
TRAVELS = 20  # times as fast as real time, at least, on a busy computer
STARTS_S = 60.0  # a clock, at most


class Made(NamedTuple):
    """A move that was made: between which instants of the guest's raw clock."""

    before_ns: int
    after_ns: int
    late_ns: int = 0  # by how much later than asked for, at most, it or what belongs to it was made

    def holds(self, at_ns: int) -> bool:
        """Whether a stamp can be its edge's."""
        return self.off_ns(at_ns) == 0

    def off_ns(self, at_ns: int) -> int:
        """By how much a stamp is not its edge's, at least."""
        return max(0, self.before_ns - at_ns, at_ns - self.after_ns)


class Board:
    """A clock and its table. Switched on when entered, and gone afterwards."""

    def __init__(
        self,
        config: Config,
        folder: Path,
        *,
        time_travel: bool = False,
        bus_hz: int | None = None,
        kernel: Sequence[str] = (),
        environ: dict[str, str] | None = None,
    ) -> None:
        """A box that is off.

        Args:
            config: what the director wrote: TOML, or its tables.
            folder: the test's own, in which the guest may write; all that it says is kept there.
            time_travel: whether time jumps to the next thing that happens.
            bus_hz: the speed of the panels' bus; None: it takes no time.
            kernel: more arguments for the kernel, such as a device.
            environ: more of it for the clock.
        """
        self.folder = folder
        self.config = configuration.text(config)
        self.card = None if time_travel else Card(folder / "card")
        self._bus_hz = bus_hz
        self._time_travel = time_travel
        self._kernel = kernel
        self._environ = environ or {}
        self._guest: Guest | None = None
        self._seeds = count()

    def __enter__(self) -> Self:
        with ExitStack() as table:
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

    # --- the switch ---------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Power; returns when the clock can be pressed."""
        disk = [] if self.card is None else [f"ubd0={self.card.path}"]
        devices = [*disk, self.serial.option, self.panels.option, *self._kernel]
        self._guest = Guest(self.folder, sys.executable, devices, time_travel=self._time_travel)
        self._mount()
        self.guest.ask("write", path=CONFIG, text=self.config)
        self.start()

    def power_cut(self) -> None:
        """The plug is pulled, this instant."""
        guest, self._guest = self.guest, None
        guest.kill()

    def switch_off(self) -> None:
        """The clock is told to end, then everything is written and the power goes."""
        if self.guest.ask("running"):
            self.stop()
        if self.card is not None:
            self.guest.ask("run", command=["umount", MOUNTED])
        guest, self._guest = self.guest, None
        guest.power_off()

    @property
    def guest(self) -> Guest:
        """The computer inside, switched on."""
        if self._guest is None:
            raise LookupError("the board is off; switch_on() first")
        return self._guest

    # --- the clock as a program ---------------------------------------------------------------

    def start(self) -> None:
        """Start the clock on a computer that runs."""
        self.run()

    def run(self, *options: str) -> None:
        """The same with options of `gammonclock run`."""
        command = [PROGRAM, "run", "--config", CONFIG, *options]
        log = f"{MOUNTED}/current.jsonl"
        self.guest.ask("start", STARTS_S, command=command, environ=self._environ, log=log)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End the clock with a signal; returns its exit code."""
        code: int = self.guest.ask("end", number=int(number))
        return code

    def signal(self, number: signal.Signals) -> None:
        """Send the clock a signal, such as SIGSTOP."""
        self.guest.ask("signal", number=int(number))

    def figures(self) -> dict[str, int]:
        """What the clock uses; see `bench.guest.program.Program.figures`."""
        figures: dict[str, int] = self.guest.ask("figures")
        return figures

    def load(self, programs: int) -> None:
        """Keep the processor (UML has one) busy with so many programs; 0: with none."""
        self.guest.ask("load", count=programs)

    # --- hands --------------------------------------------------------------------------------

    def press(self, button: Button | Side, held_ns: int = HELD_NS, bounce: Bounce = NONE) -> Made:
        """Press a button and let go, as long a hand does; returns when it went down.

        The hand is away again for a moment before this returns.
        """
        moves = plunger.pressed(Button(button.value), held_ns, bounce, next(self._seeds))
        made = self.play(moves)
        self.wait(REST_NS)
        return made[0]._replace(late_ns=max(each.late_ns for each in made))

    def hold(self, button: Button | Side = CENTRE) -> Made:
        """Hold a button until that counts as held, and a little longer."""
        return self.press(button, HOLD_NS + HELD_NS)

    def confirm(self) -> None:
        """Both players accept the settings, then the dice are rolled."""
        for button in (LEFT, RIGHT, CENTRE):
            self.press(button)

    def play(self, moves: list[Move]) -> list[Made]:
        """Many moves, each at its instant; returns when each was made.

        In real time an instant is met within 0.1 ms as a rule, and an edge takes 0.05 ms; but on a
        busy computer the whole guest may be held up for tens of ms in the middle of a bounce, which
        then is a longer one. So judge the log by the instants returned, not by those asked for;
        `late_ns` says how far they are apart. When time travels that is about 1 us.
        """
        lines = [(move.after_ns, PINS[move.button], not move.down) for move in moves]
        takes_s = self._takes_s(moves[-1].after_ns)
        made = self.guest.ask("play", takes_s, moves=lines)
        begun_ns = made[0][0] - moves[0].after_ns
        return [
            Made(before_ns, after_ns, after_ns - begun_ns - move.after_ns)
            for (before_ns, after_ns), move in zip(made, moves, strict=True)
        ]

    def wait(self, duration: str | int) -> None:
        """Let time pass: "0:12", or nanoseconds."""
        ns = duration if isinstance(duration, int) else duration_ns(duration)
        self.guest.ask("wait", self._takes_s(ns), duration_ns=ns)

    # --- eyes ---------------------------------------------------------------------------------

    def log(self) -> Logbook:
        """The log of the match, as it is in the file now; the board must be on."""
        return Logbook(self.guest.ask("read", path=f"{MOUNTED}/current.jsonl") or "")

    def panel(self, side: Button | Side) -> Panel:
        """What a player sees on his side."""
        return self.panels.of[Side(side.value)]

    # --- its parts ----------------------------------------------------------------------------

    def _panels(self) -> PanelPair:
        display = configuration.display(self.config)
        driver, rotate = display.get("driver", "ssd1306"), display.get("rotate", (0, 0))
        return PanelPair(
            self.folder / "i2c",
            driver=driver,
            rotate=rotate,
            hz=self._bus_hz,
            time_travel=self._time_travel,
        )

    def _takes_s(self, ns: int) -> float:
        """How long a while of the guest's is here, at most."""
        return ns / SECOND_NS / (TRAVELS if self._time_travel else 1)

    def _unplug(self) -> None:
        if self._guest is not None:
            self.power_cut()

    def _mount(self) -> None:
        if self.card is not None:
            mount = ["mount", "-t", "ext4", "/dev/ubda", MOUNTED]
        else:
            (self.folder / "log").mkdir(exist_ok=True)
            mount = ["mount", "--bind", "/run/test/log", MOUNTED]
        self.guest.ask("run", command=mount)
