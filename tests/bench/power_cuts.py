"""A clock whose plug is pulled again and again, each time at a random instant.

A career is one card and all that happens to it. After each cut the kernel of the next start replays
the file system's journal, the card is looked at before the clock has touched it, and the clock goes
on with what it finds: with presses until the plug is pulled once more, or it is pulled while the
clock recovers already, or while it opens a match in a new directory.

The one rule: the same seed pulls the plug at the same instants of the same acts; how far the clock
has come by then is never the same twice, and is what is judged.
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
from types import TracebackType
from typing import Self

from bench import configuration
from bench.board import CENTRE, CONFIG, LEFT, RIGHT, STARTS_S
from bench.card import MOUNTED, Card
from bench.logbook import Logbook
from bench.plunger import MS_NS, PINS
from bench.power_cuts_judged import Found, Hands, Lost, Promised, sound
from bench.serial_line import SerialLine
from bench.uml import Guest, GuestError

from clock.match.rules import SECOND_NS
from clock.match.sides import Button

MATCH: dict[str, dict[str, object]] = {
    "match": {"length": 25},
    "rules": {"time_per_point": "10:00"},
}
LONGEST_PLAY_NS = 2_500 * MS_NS
LONGEST_START_NS = 2_000 * MS_NS  # until it is ready, on a computer that does nothing else
HELD_NS = 30 * MS_NS
APART_NS = (20 * MS_NS, 300 * MS_NS, 1_500 * MS_NS)  # hasty, quick and slow players, at most
STOPS = 0.1  # of all acts: the clock is stopped and goes on
KILLED_S = 5.0  # until a guest that was killed is known to be
GOING_ON = {  # what brings a clock to run, from each phase that a match may be found in
    "REVIEW": (LEFT, RIGHT, CENTRE, LEFT),
    "READY": (LEFT,),
    "STOPPED": (CENTRE,),
}


class Moment(Enum):
    """When the plug is pulled, and how often of a hundred times."""

    PLAY = 60  # while a clock runs and plungers are pressed
    START = 25  # while it starts and recovers what there is
    OPENING = 15  # while it opens the first match in a new directory


class Career:
    """A card, and the computers that have it one after another."""

    def __init__(self, folder: Path, seed: int, *, syncs: bool = True) -> None:
        """A new card.

        Args:
            folder: of its own.
            seed: for all that is random.
            syncs: whether what is synced is; without, the clock must lose something.
        """
        folder.mkdir()
        self._folder = folder
        self._environ = {} if syncs else {"SYNC": "no"}
        self._seed, self._random = seed, Random(seed)
        self._card, self._promised = Card(folder / "card"), Promised()
        self._line = SerialLine(folder / "serial")
        self._directories = 0
        self._hands = Hands()  # of the latest start with play
        self._cut_ns = 0  # the latest, on this computer's clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._guest.kill()
        self._line.unplug()

    def live(self, cuts: int) -> list[Found]:
        """Cut so often, and go on after each; what was found each time."""
        moments = self._random.choices(list(Moment), [each.value for each in Moment], k=cuts)
        self._switch_on()
        found = []
        for number, moment in enumerate(moments, 1):
            lost = self._cut(moment)
            name = f"seed {self._seed}, cut {number} ({moment.name.lower()})"
            found.append(Found(name, self._promised.latest, self._switch_on(), lost))
        return [*found, Found(f"seed {self._seed}, at the end", 0, [], self._started())]

    # --- the plug -----------------------------------------------------------------------------

    def _switch_on(self) -> list[str]:
        """A computer that has the card, and no clock yet; what was promised and is missing."""
        devices = [f"ubd0={self._card.path}", self._line.option]
        self._guest = Guest(self._folder, sys.executable, devices)
        left = self._folder / "left"
        shutil.rmtree(left, ignore_errors=True)
        self._guest.ask("run", command=["mount", "-t", "ext4", "/dev/ubda", MOUNTED])
        self._guest.ask("run", command=["cp", "-dR", MOUNTED, "/run/test/left"])
        return self._promised.missing(left)

    def _cut(self, moment: Moment) -> Lost | None:
        """Start the clock and pull the plug; what an earlier cut had taken, if that is seen."""
        lost = None
        match moment:
            case Moment.PLAY:
                lost = self._started()
                self._pulled(LONGEST_PLAY_NS, self._play)
                self._hands.cut(self._cut_ns)
            case Moment.START:
                self._pulled(LONGEST_START_NS, self._start)
            case Moment.OPENING:
                self._directories, self._hands = self._directories + 1, Hands()
                self._pulled(LONGEST_START_NS, self._start)
        return lost

    def _pulled(self, longest_ns: int, act: Callable[[], object]) -> None:
        """Pull the plug some time after an act was begun, whatever it is at then."""
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
            if not pulled.is_set():  # it failed by itself
                raise
        finally:
            timer.join()
        guest.kill()
        self._promised.hear(self._line.heard)

    # --- the clock ----------------------------------------------------------------------------

    def _start(self) -> Logbook:
        """Start it; returns its log when it can be pressed."""
        directory = f"{MOUNTED}/{self._directories}"
        config: dict[str, dict[str, object]] = {**MATCH, "log": {"directory": directory}}
        self._guest.ask("write", path=CONFIG, text=configuration.text(config))
        command = [sys.executable, "-m", "bench.power_cuts_told", "run", "--config", CONFIG]
        current = f"{directory}/current.jsonl"
        self._guest.ask("start", STARTS_S, command=command, environ=self._environ, log=current)
        return Logbook(self._guest.ask("read", path=current))

    def _started(self) -> Lost | None:
        """Start it, and have a clock run; what the latest cut in play had taken."""
        log = self._start()
        sound(log)
        played, self._hands = self._hands, Hands(log.records[-1]["boot"])
        for button in GOING_ON[log.last["phase"]]:
            self._press(button)
        return played.lost(log)

    def _play(self) -> None:
        """Press on until the plug is pulled."""
        while True:
            longest_ns = self._random.choice(APART_NS)
            self._guest.ask("wait", duration_ns=self._random.randrange(MS_NS, longest_ns))
            if self._random.random() < STOPS:
                self._press(CENTRE)
                self._press(CENTRE)
            else:
                self._press(self._random.choice((LEFT, RIGHT)))

    def _press(self, button: Button) -> None:
        pin, asked_ns = PINS[button], time.monotonic_ns()
        moves = [(0, pin, False), (HELD_NS, pin, True), (2 * HELD_NS, pin, True)]
        made = self._guest.ask("play", moves=moves)
        self._hands.pressed(button, asked_ns, made)
