"""The two clocks that are measured on the bench: gammonclock, and the usual one beside it.

The one rule: both are the same for whoever measures, a board with a log that has stamps.
"""

import sys
from pathlib import Path
from typing import Any

from bench.board import CENTRE, STARTS_S, Board
from bench.card import MOUNTED
from bench.i2c_time import Relation, relate
from bench.plunger import MS_NS, Move

ROOT = Path(__file__).parent.parent
CONFIG: dict[str, dict[str, Any]] = {"match": {"length": 25}}
LOG = f"{MOUNTED}/current.jsonl"


class OurBoard(Board):
    """gammonclock, as it is installed."""

    program = "gammonclock run"  # in its command line

    def stamps_ns(self) -> list[int]:
        """The raw clock's instants of all presses of the game."""
        return [each["at_ns"] for each in self.log().of("pressed")]


class UsualBoard(OurBoard):
    """The usual clock: `benchmarks.usual_clock`."""

    program = "benchmarks.usual_clock"

    def start(self) -> None:
        """Start it on a computer that runs."""
        command = [sys.executable, "-m", self.program, "0", LOG]
        environ = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
        self.guest.ask("start", STARTS_S, command=command, environ=environ, log=LOG)

    def stamps_ns(self) -> list[int]:
        """See `OurBoard.stamps_ns`; it stamps with the time of day."""
        begun, *presses = self.log().records
        behind_ns = begun["raw_is_behind_ns"]
        return [each["at_ns"] - behind_ns for each in presses if "at_ns" in each]


def memory_bytes(board: OurBoard) -> tuple[int, int]:
    """What a clock keeps in memory: all, and its share of what others use too (RSS, PSS)."""
    look = f"cat /proc/$(pgrep -o -f '{board.program}')/smaps_rollup"
    said = board.guest.ask("run", command=["sh", "-c", look])
    kib = dict(line.split()[:2] for line in said.splitlines()[1:])
    return int(kib["Rss:"]) * 1024, int(kib["Pss:"]) * 1024


def related(board: Board) -> Relation:
    """How the board's clock stands to this computer's; a line is moved to where it is."""
    still = [Move(MS_NS, CENTRE, down=False)]
    return relate(lambda: board.play(still)[0].before_ns)
