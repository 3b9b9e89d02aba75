"""Follow several halls with one watch, while their hubs are killed and cut off at random.

    python -m lab.halls                   10 halls of 200 clocks, 60 kills and cuts
    python -m lab.halls 3 3 4 1 0.01      3 halls of 3, 4 kills and cuts, seed 1, a step of 0.01 s

In the end the one list of results must have each match once, and the one database each log, byte
for byte as its clock wrote it.
"""

import json
import sys
import threading
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click

from clock.units import SECOND_NS
from lab.support.boards import named
from lab.support.cut_proxy import CutProxy
from lab.support.logs import monkey_logs, renamed
from lab.support.programs import cpu_ns, memory_mb
from lab.support.room_hall import LoggedClock, Program, log_name
from lab.support.watch_program import WatchProgram
from room.hub.store.store import Store
from room.simulation.broker import free_port
from room.sources.raw_clock import now_ns

MATCHES = 2  # of each clock
STEP_S = 1.0  # between two kills
CHANCE = 0.25  # that a clock writes a line meanwhile: twice as often as players do
SETTLE_NS, LOOK_S = 600 * SECOND_NS, 0.5  # how long the last logs may take
DATABASE = "all.sqlite"
_PAUSE = threading.Event()  # is never set


class Told(NamedTuple):
    """What was measured."""

    kills: int
    cuts: int
    lines: int
    settled_s: float  # from the last line to the last log
    cpu_s: float  # of the one watch, in all
    run_s: float
    memory_mb: float

    def __str__(self) -> str:
        """In a line for the terminal."""
        return (
            f"{self.kills} kills and {self.cuts} cuts; {self.lines} lines: each log once, bytes"
            f" equal, {self.settled_s:.0f} s after the last line; the one watch used"
            f" {100 * self.cpu_s / self.run_s:.0f} % of a core and {self.memory_mb:.0f} MB"
        )


class Hall:
    """A hall: its clocks, its hub, and the way to it, which can be cut."""

    def __init__(
        self, folder: Path, name: str, clocks: int, base: list[bytes], opened: ExitStack
    ) -> None:
        """Start the hub; `base` is the log that each match has."""
        self.clocks = [
            LoggedClock(folder / f"{name}-{at}", _logs(base, f"{name}-{at}", str(at)))
            for at in range(1, clocks + 1)
        ]
        options = ("--port", port := free_port(), "--database", folder / f"{name}.sqlite")
        directories = [clock.directory for clock in self.clocks]
        command = ("-m", "gammonclock", "watch", *directories, *options)
        self.hub = opened.enter_context(Program(*command))
        self.proxy = opened.enter_context(CutProxy(port))


def _logs(base: list[bytes], clock: str, board: str) -> list[list[bytes]]:
    return [renamed(named(base, board), log_name(clock, at)) for at in range(MATCHES)]


def run(folder: Path, halls: int, clocks: int, kills: int, seed: int, step_s: float) -> Told:
    """Return what was measured.

    Raises:
        AssertionError: a log or a result is missing, twice or another one.
    """
    random, database = Random(seed), folder / DATABASE
    logs = [log for each in range(60) for log in monkey_logs(each)]
    base = min((log for log in logs if b"FINISHED" in log[-1]), key=len)
    with ExitStack() as opened:
        rooms = [Hall(folder, f"h{at}", clocks, base, opened) for at in range(halls)]
        addresses = [f"http://127.0.0.1:{room.proxy.port}/" for room in rooms]
        begun_ns = now_ns()
        one = opened.enter_context(WatchProgram(*addresses, "--database", database))
        done = _disturb(rooms, kills, step_s, random)
        written = {
            match: log
            for room in rooms
            for clock in room.clocks
            for match, log in clock.written.items()
        }
        ended_ns = now_ns()
        _settle(one.address, database, written)
        settled_ns = now_ns()
        return Told(
            *done,
            sum(map(len, written.values())),
            (settled_ns - ended_ns) / SECOND_NS,
            cpu_ns(one.process) / SECOND_NS,
            (settled_ns - begun_ns) / SECOND_NS,
            memory_mb(one.process),
        )


def _disturb(rooms: list[Hall], kills: int, step_s: float, random: Random) -> tuple[int, int]:
    """Let all clocks play to the end, while hubs are killed and cut off."""
    done = {"kill": 0, "cut": 0}
    clocks = [clock for room in rooms for clock in room.clocks]
    while any(clock.left for clock in clocks):
        for clock in clocks:
            if clock.left and random.random() < CHANCE:
                clock.write()
        if sum(done.values()) < kills:
            room, kind = random.choice(rooms), random.choice(list(done))
            done[kind] += 1
            if kind == "kill":
                room.hub.restart()
            else:
                room.proxy.cut(Random(random.random()), 1)
        _PAUSE.wait(step_s)
    return done["kill"], done["cut"]


def _settle(address: str, database: Path, logs: dict[str, list[bytes]]) -> None:
    """Wait until the one list has each match once, and the one database each log.

    Raises:
        AssertionError: a log or a result is missing, twice or another one.
    """
    until_ns = now_ns() + SETTLE_NS
    while (lacks := _lacks(address, database, logs)) and now_ns() < until_ns:
        _PAUSE.wait(LOOK_S)
    assert lacks == [], lacks


def _lacks(address: str, database: Path, logs: dict[str, list[bytes]]) -> list[str]:
    """Return the matches without a result, or without their log byte for byte."""
    with urllib.request.urlopen(f"{address}api/1/results") as answer:  # noqa: S310 (its own)
        found = [each["match"] for each in json.load(answer)["results"] if each["complete"]]
    lacking = sorted(logs.keys() - found) or [each for each in found if found.count(each) > 1]
    if lacking:
        return lacking
    with closing(Store(database)) as store:
        return [match for match, log in logs.items() if store.lines(match) != log]


def main() -> None:
    """Run, and say what was measured."""
    given = sys.argv[1:]
    usual = ("10", "200", "60", "1")
    halls, clocks, kills, seed = map(int, (*given[:4], *usual[len(given) :]))
    step_s = float(given[4]) if len(given) > 4 else STEP_S
    with TemporaryDirectory() as folder:
        told = run(Path(folder), halls, clocks, kills, seed, step_s)
    assert told.kills + told.cuts == kills, "the clocks had played before"
    click.echo(f"{halls} halls of {clocks} clocks: {told}")


if __name__ == "__main__":
    main()
