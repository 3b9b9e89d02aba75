"""Cut the power of a clock again and again at random instants, always with the same memory card.

After each cut a new guest boots with the card, and its kernel replays the file system's journal.
The files are checked before the clock touches them. Then the clock starts, and the power is cut
again: while a match is played, while the clock recovers, or while it opens a match in a new
directory. The instants of the cuts come from a seed; how far the clock has come by then varies.
"""

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from random import Random

from clock.match.types import Button
from clock.units import SECOND_NS
from hardware.buttons.debounce import HAND_NS
from lab.bench import configuration
from lab.bench.board import CENTRE, CONFIG_PATH, LEFT, RIGHT, START_TIMEOUT_S
from lab.bench.card import MOUNTED, Card
from lab.bench.closing import Closing
from lab.bench.logbook import Logbook
from lab.bench.plunger import MS_NS, PINS
from lab.bench.power_cuts_check import Acknowledged, CutResult, Lost, PressRecord, check_log
from lab.bench.serial_line import SerialLine
from lab.bench.uml import Guest, GuestError

CONFIG: dict[str, dict[str, object]] = {
    "match": {"length": 25},
    "rules": {"time_per_point": "10:00"},
}
LONGEST_PLAY_NS = 2_500 * MS_NS
LONGEST_START_NS = 2_000 * MS_NS  # enough for a start on an idle computer
SHORT_PRESS_NS = 30 * MS_NS
SHORT_PAUSE_NS = HAND_NS + MS_NS  # after a release no hand presses the same button sooner
# The longest pause between two presses of a hasty, a quick and a slow player.
LONGEST_PAUSES_NS = (20 * MS_NS, 300 * MS_NS, 1_500 * MS_NS)
STOP_SHARE = 0.1  # of all presses: how often the clock is stopped and resumed instead
BUTTONS_TO_RUN = {  # the presses that start a clock, from each phase that a match may be found in
    "REVIEW": (LEFT, RIGHT, CENTRE, LEFT),
    "READY": (LEFT,),
    "STOPPED": (CENTRE,),
}


class Moment(Enum):
    """When the power is cut; the values are percentages of all cuts."""

    PLAY = 60  # while a clock runs and plungers are pressed
    START = 25  # while the clock starts and recovers a match
    OPENING = 15  # while the clock opens the first match in a new directory


class CutSeries(Closing):
    """A series of power cuts with one card."""

    def __init__(self, folder: Path, seed: int, *, syncs: bool = True) -> None:
        """Make a new card.

        Args:
            folder: a folder for this series; it must not exist.
            seed: the seed of all random choices.
            syncs: whether fsync works; without it the clock must lose data.
        """
        folder.mkdir()
        self._folder = folder
        self._environ = {} if syncs else {"SYNC": "no"}
        self._seed, self._random = seed, Random(seed)
        self._card, self._acknowledged = Card(folder / "card"), Acknowledged()
        self._line = SerialLine(folder / "serial")
        self._directories = 0
        self._presses = PressRecord()  # since the latest start with play
        self._cut_ns = 0  # the latest cut, on this computer's clock

    def close(self) -> None:
        """Kill the guest and remove the serial line."""
        self._guest.kill()
        self._line.unplug()

    def run(self, cuts: int) -> list[CutResult]:
        """Cut the power `cuts` times, with a restart after each; return what was found."""
        moments = self._random.choices(list(Moment), [each.value for each in Moment], k=cuts)
        self._switch_on()
        found = []
        for number, moment in enumerate(moments, 1):
            lost = self._cut(moment)
            name = f"seed {self._seed}, cut {number} ({moment.name.lower()})"
            found.append(CutResult(name, self._acknowledged.latest, self._switch_on(), lost))
        return [*found, CutResult(f"seed {self._seed}, at the end", 0, [], self._started())]

    # --- the power ----------------------------------------------------------------------------

    def _switch_on(self) -> list[str]:
        """Boot a guest with the card, without the clock; return the acknowledged bytes missing."""
        devices = [f"ubd0={self._card.path}", self._line.option]
        self._guest = Guest(self._folder, sys.executable, devices)
        left = self._folder / "left"
        shutil.rmtree(left, ignore_errors=True)
        self._guest.ask("run", command=["mount", "-t", "ext4", "/dev/ubda", MOUNTED])
        self._guest.ask("run", command=["cp", "-dR", MOUNTED, "/run/test/left"])
        return self._acknowledged.missing(left)

    def _cut(self, moment: Moment) -> Lost | None:
        """Start the clock and cut the power; return what an earlier cut in play lost, if known."""
        lost = None
        match moment:
            case Moment.PLAY:
                lost = self._started()
                self._cut_during(LONGEST_PLAY_NS, self._play)
                self._presses.cut(self._cut_ns)
            case Moment.START:
                self._cut_during(LONGEST_START_NS, self._start)
            case Moment.OPENING:
                self._directories, self._presses = self._directories + 1, PressRecord()
                self._cut_during(LONGEST_START_NS, self._start)
        return lost

    def _cut_during(self, longest_ns: int, act: Callable[[], object]) -> None:
        """Begin an action and cut the power at a random instant, at most `longest_ns` later."""
        guest, pulled = self._guest, threading.Event()

        def pull() -> None:
            pulled.set()
            os.killpg(guest.process, signal.SIGKILL)
            self._cut_ns = time.monotonic_ns()

        timer = threading.Timer(self._random.randrange(longest_ns) / SECOND_NS, pull)
        timer.start()
        try:
            act()
        except (GuestError, OSError):
            if not pulled.is_set():  # not because of the cut
                raise
        finally:
            timer.join()
        guest.kill()
        self._acknowledged.read_reports(self._line.heard)

    # --- the clock ----------------------------------------------------------------------------

    def _start(self) -> Logbook:
        """Start the clock; return its log when it is ready for presses."""
        directory = f"{MOUNTED}/{self._directories}"
        config: dict[str, dict[str, object]] = {**CONFIG, "log": {"directory": directory}}
        self._guest.ask("write", path=CONFIG_PATH, text=configuration.to_toml(config))
        command = [
            sys.executable,
            "-m",
            "lab.bench.power_cuts_recorder",
            "run",
            "--config",
            CONFIG_PATH,
        ]
        current = f"{directory}/current.jsonl"
        self._guest.ask(
            "start", START_TIMEOUT_S, command=command, environ=self._environ, log=current
        )
        return Logbook(self._guest.ask("read", path=current))

    def _started(self) -> Lost | None:
        """Start the clock and press until it runs; return what the latest cut in play lost."""
        log = self._start()
        check_log(log)
        played, self._presses = self._presses, PressRecord(log.records[-1]["boot"])
        for button in BUTTONS_TO_RUN[log.last["phase"]]:
            self._press(button)
        return played.lost(log)

    def _play(self) -> None:
        """Press at random until the power is cut."""
        while True:
            longest_ns = self._random.choice(LONGEST_PAUSES_NS)
            self._guest.ask("wait", duration_ns=self._random.randrange(MS_NS, longest_ns))
            if self._random.random() < STOP_SHARE:
                self._press(CENTRE)
                self._press(CENTRE)
            else:
                self._press(self._random.choice((LEFT, RIGHT)))

    def _press(self, button: Button) -> None:
        pin, asked_ns = PINS[button], time.monotonic_ns()
        made = self._guest.ask("play", moves=[(0, pin, False), (SHORT_PRESS_NS, pin, True)])
        self._presses.pressed(button, asked_ns, made)
        # Not a part of the moves: if the release was late, the pause would be shorter.
        self._guest.ask("wait", duration_ns=SHORT_PAUSE_NS)
