"""`make bench`: every figure with what was asked for; exits 1 if one was not met, or none measured.

`make bench ARGS=whole_clock` measures only these, of those in `KINDS`.
"""

import platform
import sys

from rich.console import Console
from rich.table import Table

from benchmarks import game, journal, panels, whole_clock
from benchmarks.measure import Figure

KINDS = {
    "game": game.figures,
    "panels": panels.figures,
    "journal": journal.figures,
    "whole_clock": whole_clock.figures,
}


def table(figures: list[Figure]) -> Table:
    """The figures as a table."""
    shown = Table(title=f"gammonclock on Python {platform.python_version()}, {platform.machine()}")
    for heading in ("figure", "median", "lowest", "highest", "", "goal", "", "the usual way"):
        shown.add_column(heading, justify="left" if heading == "figure" else "right")
    for figure in figures:
        values = (f"{value:,.4g}" for value in figure[1:4])
        met = "ok" if figure.met else "NO"
        shown.add_row(figure.name, *values, figure.unit, figure.goal, met, usual(figure))
    return shown


def usual(figure: Figure) -> str:
    """The same thing done the usual way, and how many times as much that is."""
    if figure.usual is None:
        return ""
    return f"{figure.usual:,.4g} ({figure.usual / figure.median:,.2g} x)"


def main() -> int:
    """Measure and print."""
    wanted = sys.argv[1:] or list(KINDS)
    if unknown := [name for name in wanted if name not in KINDS]:
        print(f"There are no figures of {unknown[0]!r}; there are {', '.join(KINDS)}")
        return 2
    figures = [figure for name in wanted for figure in KINDS[name]()]
    if figures:
        Console(width=130).print(table(figures))
    return 0 if figures and all(figure.met for figure in figures) else 1


sys.exit(main())
