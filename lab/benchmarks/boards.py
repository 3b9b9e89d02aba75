"""The boards of the two clocks that are measured on the bench: gammonclock and the usual clock."""

import sys
from pathlib import Path
from typing import Any

from lab.bench.board import CENTRE, START_TIMEOUT_S, Board
from lab.bench.card import MOUNTED
from lab.bench.i2c_time import Relation, relate
from lab.bench.plunger import MS_NS, PlungerMove

ROOT = Path(__file__).parents[2]
CONFIG: dict[str, dict[str, Any]] = {"match": {"length": 25}}
LOG = f"{MOUNTED}/current.jsonl"


class OurBoard(Board):
    """A board with gammonclock as it is installed."""

    program = "gammonclock run"  # a part of the process's command line

    def stamps_ns(self) -> list[int]:
        """Return the instants of all presses of the game, on the raw clock."""
        return [each["at_ns"] for each in self.log().of("pressed")]


class UsualBoard(OurBoard):
    """A board with the usual clock, `lab.benchmarks.usual_clock`."""

    program = "lab.benchmarks.usual_clock"

    def start(self) -> None:
        """Start the program; the computer is running already."""
        command = [sys.executable, "-m", self.program, "0", LOG]
        environ = {"PYTHONPATH": str(ROOT)}
        self.guest.ask("start", START_TIMEOUT_S, command=command, environ=environ, log=LOG)

    def stamps_ns(self) -> list[int]:
        """Return the instants of all presses; this clock stamps with the time of day."""
        begun, *presses = self.log().records
        behind_ns = begun["raw_is_behind_ns"]
        return [each["at_ns"] - behind_ns for each in presses if "at_ns" in each]


def memory_bytes(board: OurBoard) -> tuple[int, int]:
    """Return a clock's memory: all of it (RSS), and with its share of shared pages (PSS)."""
    look = f"cat /proc/$(pgrep -o -f '{board.program}')/smaps_rollup"
    said = board.guest.ask("run", command=["sh", "-c", look])
    kib = dict(line.split()[:2] for line in said.splitlines()[1:])
    return int(kib["Rss:"]) * 1024, int(kib["Pss:"]) * 1024


def related(board: Board) -> Relation:
    """Relate the board's clock to this computer's, by moves of a line that stays where it is."""
    still = [PlungerMove(MS_NS, CENTRE, down=False)]
    return relate(lambda: board.play(still)[0].before_ns)
