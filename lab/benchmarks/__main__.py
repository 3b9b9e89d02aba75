"""`make bench`: print each figure with its goal as soon as it is measured.

`make bench ARGS=whole_clock` measures only some of `GROUPS`. The exit code is 0 if every goal was
met, 1 if not or if nothing was measured, 2 for an unknown group and 130 after Ctrl-C.
"""

import platform
import sys
from collections.abc import Iterable

from lab.benchmarks import (
    contacts,
    dependencies,
    floods,
    forecast,
    game,
    journal,
    panels,
    room_load,
    whole_clock,
)
from lab.benchmarks.measure import Figure

GROUPS = {
    "game": game.figures,
    "panels": panels.figures,
    "journal": journal.figures,
    "contacts": contacts.figures,
    "dependencies": dependencies.figures,
    "forecast": forecast.figures,
    "room_load": room_load.figures,
    "floods": floods.figures,
    "whole_clock": whole_clock.figures,
}
INTERRUPTED = 130  # the shell's exit code for a program that Ctrl-C ended
HEADINGS = ("figure", "median", "lowest", "highest", "", "goal", "", "the usual way")


def row(cells: Iterable[str]) -> str:
    """Return a row of the table; the first column is aligned to the left."""
    name, median, lowest, highest, unit, goal, met, usual = cells
    values = f"{median:>9} {lowest:>9} {highest:>9} {unit:<11}"
    return f"{name:<47} {values} {goal:>10} {met:<3} {usual}".rstrip()


def text(figure: Figure) -> str:
    """Return a figure as a row of the table."""
    values = (f"{value:,.4g}" for value in (figure.median, figure.lowest, figure.highest))
    met = "ok" if figure.met else "NO"
    return row((figure.name, *values, figure.unit, figure.goal, met, usual(figure)))


def usual(figure: Figure) -> str:
    """Return what the same costs the usual way, and how many times as much that is."""
    if figure.usual is None:
        return ""
    return f"{figure.usual:,.4g} ({figure.usual / figure.median:,.2g} x)"


def main() -> int:
    """Measure the groups that the command line names; return the exit code."""
    wanted = sys.argv[1:] or list(GROUPS)
    if unknown := [name for name in wanted if name not in GROUPS]:
        print(f"There is no group {unknown[0]!r}; there are {', '.join(GROUPS)}")
        return 2
    print(f"gammonclock on Python {platform.python_version()}, {platform.machine()}\n")
    print(row(HEADINGS), flush=True)
    met = []
    try:
        for name in wanted:
            for figure in GROUPS[name]():
                print(text(figure), flush=True)
                met.append(figure.met)
    except KeyboardInterrupt:
        print(f"\nStopped after {len(met)} figures.")
        return INTERRUPTED
    return 0 if met and all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
