"""Which options of `gammonclock report` go together."""

from pathlib import Path
from typing import Any

import click

from gammonclock.console import WRONG_USAGE, fail

VIEWS = ("turn", "stop", "only", "rulings", "json", "csv")  # at most one of them
View = dict[str, Any]  # the options that choose what is shown
CHART_SUFFIXES = (".png", ".svg", ".pdf")


def check_usage(picture: Path | None, view: View) -> None:
    """End the program if options exclude each other."""
    chosen = [f"--{name}" for name in VIEWS if view[name]]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
    if view["html"] and not view["rulings"]:
        raise click.UsageError("--html needs --rulings")
    if picture is not None and picture.suffix.lower() not in CHART_SUFFIXES:
        allowed = f"a file that ends in {', '.join(CHART_SUFFIXES)}"
        fail(WRONG_USAGE, f"--chart: found {picture}, allowed {allowed}")


def require_single(matches: int, picture: Path | None, view: View) -> None:
    """End the program if an option is about one match, and several are given."""
    single = [f"--{name}" for name in VIEWS if view[name] and name not in {"json", "csv"}]
    if view["every_turn"] and not view["csv"]:
        single.append("--turns")
    if picture is not None:
        single.append("--chart")
    if single and matches > 1:
        raise click.UsageError(f"{single[0]} needs a single LOG, or all logs of a single match")


def require_number(option: str, number: int, most: int) -> None:
    """End the program if there are fewer than `number`."""
    if number > most:
        allowed = f"1 to {most}" if most else "none: there is none in this log"
        fail(WRONG_USAGE, f"{option}: found {number}, allowed {allowed}")
