"""Measure 100 visitors who practise at once, each with a running clock, in about a minute.

They press once in six seconds over HTTP, and follow their panels by server-sent events. A press is
seen when the event that shows it has come.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from lab.benchmarks.measure import Figure, at_most, at_most_99th_percentile
from lab.benchmarks.room import cpu_ns, memory_mb
from lab.support.watch_program import WatchProgram

VISITORS, MINUTE = 100, 60  # a minute of play, in seconds
PAUSE_S = 6
NEW_PER_MINUTE = 1000  # of one address, for this measurement
START = """
import runpy, sys
import room.practice.desk
room.practice.desk.NEW_PER_MINUTE = %d
sys.argv = ["gammonclock", *sys.argv[1:]]
runpy.run_module("gammonclock", run_name="__main__")
"""


def figures() -> Iterator[Figure]:
    """Measure and yield each figure."""
    program = (sys.executable, "-c", START % NEW_PER_MINUTE)
    with TemporaryDirectory() as folder, WatchProgram(Path(folder), program=program) as watch:
        before_mb = memory_mb(watch.process)
        late_ms, used_ns = asyncio.run(_visits(watch.address, watch.process))
        each_kb = (memory_mb(watch.process) - before_mb) * 1000 / VISITORS
    percent = used_ns / MINUTE / 1e7
    yield at_most("100 visitors who practise", [percent], "% of a core", 8)
    yield at_most("memory of each", [each_kb], "kB", 100)
    yield at_most("press to picture", late_ms, "ms", 10)
    yield at_most_99th_percentile(late_ms, "ms", 50)


async def _visits(address: str, process: int) -> tuple[list[float], int]:
    """Return how late pictures came, in ms, and the processor time of a minute, in ns."""
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=address, limits=limits, timeout=None) as client:
        late_ms: list[float] = []
        visitors = [_Visitor(client, late_ms) for _ in range(VISITORS)]
        for visitor in visitors:
            await visitor.open()
        begun_ns = cpu_ns(process)
        plays = [visitor.play(PAUSE_S * at / VISITORS) for at, visitor in enumerate(visitors)]
        await asyncio.gather(*plays)
        used_ns = cpu_ns(process) - begun_ns
        for visitor in visitors:
            visitor.follows.cancel()
        return late_ms, used_ns


class _Visitor:
    """A visitor and their clock."""

    def __init__(self, client: httpx2.AsyncClient, late_ms: list[float]) -> None:
        self._client, self._late_ms, self._number = client, late_ms, 0
        self._pressed_ns: int | None = None  # a press that is not seen yet
        self.follows: asyncio.Task[None]

    async def open(self) -> None:
        """Open a clock and start it."""
        made = (await self._client.post("practice/clocks", json={"length": 21})).json()
        self._path = f"practice/clocks/{made['id']}"
        self.follows = asyncio.create_task(self._follow())
        for button in ("left", "right", "centre", "right"):
            await self._press(button)

    async def play(self, begin_s: float) -> None:
        """Play for a minute."""
        await asyncio.sleep(begin_s)
        for turn in range(MINUTE // PAUSE_S):
            self._pressed_ns = time.perf_counter_ns()
            await self._press(("left", "right")[turn % 2])
            await asyncio.sleep(PAUSE_S)

    async def _press(self, button: str) -> None:
        for down in (True, False):
            self._number += 1
            pressed = {"number": self._number, "button": button, "down": down}
            await self._client.post(f"{self._path}/press", json=pressed)

    async def _follow(self) -> None:
        async with self._client.stream("GET", f"{self._path}/events") as events:
            async for line in events.aiter_lines():
                if not line.startswith("data: "):
                    continue
                if self._pressed_ns is not None and json.loads(line[6:])["log"]:
                    self._late_ms.append((time.perf_counter_ns() - self._pressed_ns) / 1e6)
                    self._pressed_ns = None
