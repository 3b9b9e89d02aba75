"""`make bench`: every figure with what was asked for; exits 1 if one was not met."""

import platform
import sys

from rich.console import Console
from rich.table import Table

from benchmarks import game, journal, panels
from benchmarks.measure import Figure


def table(figures: list[Figure]) -> Table:
    """The figures as a table."""
    shown = Table(title=f"gammonclock on Python {platform.python_version()}, {platform.machine()}")
    for heading in ("figure", "median", "lowest", "highest", "", "goal", ""):
        shown.add_column(heading, justify="left" if heading == "figure" else "right")
    for figure in figures:
        values = (f"{value:,.4g}" for value in figure[1:4])
        shown.add_row(figure.name, *values, figure.unit, figure.goal, "ok" if figure.met else "NO")
    return shown


def main() -> int:
    """Measure and print."""
    figures = [*game.figures(), *panels.figures(), *journal.figures()]
    Console(width=110).print(table(figures))
    return 0 if all(figure.met for figure in figures) else 1


sys.exit(main())
