"""Measure a figure in several rounds.

Quote the median; the range shows how noisy the machine was.
"""

import statistics
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

ROUNDS = 7


class Figure(NamedTuple):
    """A measured figure and its goal."""

    name: str
    median: float
    lowest: float
    highest: float
    unit: str
    goal: str
    met: bool
    usual: float | None = None  # the same thing done the usual way, measured in the same run


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return how long a piece of work takes in each round."""
    times = []
    for _ in range(rounds):
        begin_ns = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - begin_ns) / 1e9)
    return times


def process_seconds(command: list[str], rounds: int = ROUNDS) -> list[float]:
    """Return how long a whole process takes in each round, after one that is not counted."""

    def run() -> None:
        subprocess.run(command, check=True, capture_output=True)

    run()
    return seconds(run, rounds)


def at_most(name: str, values: list[float], unit: str, goal: float) -> Figure:
    """Return a figure that should not exceed its goal."""
    median = statistics.median(values)
    return Figure(name, median, min(values), max(values), unit, f"<= {goal:g}", median <= goal)


def at_most_99th_percentile(values: list[float], unit: str, goal: float) -> Figure:
    """Return the 99th percentile as a figure that should not exceed its goal."""
    return at_most("the same, 99th percentile", [percentile_99(values)], unit, goal)


def percentile_99(values: list[float]) -> float:
    """Return the 99th percentile, which is never more than the highest value."""
    return statistics.quantiles(values, n=100, method="inclusive")[-1]


def at_least(name: str, values: list[float], unit: str, goal: float) -> Figure:
    """Return a figure that should reach its goal."""
    median = statistics.median(values)
    return Figure(name, median, min(values), max(values), unit, f">= {goal:,.0f}", median >= goal)
