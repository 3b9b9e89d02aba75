"""Which options of `gammonclock report` go together, and what they ask for."""

from pathlib import Path
from typing import Any

import click

from clock.report.fields import values
from clock.report.results import Reported, as_csv, as_json
from clock.ui.descriptions import Say
from gammonclock.console import WRONG_USAGE, fail, needs_extra

VIEWS = ("turn", "stop", "only", "rulings", "json", "csv", "xlsx")  # at most one of them
View = dict[str, Any]  # the options that choose what is shown
STDOUT = Path("-")  # in place of a file
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
    single = [f"--{name}" for name in VIEWS if view[name] and name not in {"json", "csv", "xlsx"}]
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


def workbook_path(view: View) -> Path | None:
    """Return the file for a workbook; None: none is wanted, or on standard output."""
    path: Path | None = view["xlsx"]
    return None if path == STDOUT else path


def for_programs(found: list[Reported], say: Say, view: View) -> bytes | None:
    """Return the matches in the form that an option asks for; None: in none of these."""
    if view["json"]:
        return as_json(found, say)
    if view["csv"]:
        return as_csv(found, every_turn=view["every_turn"])
    if not view["xlsx"]:
        return None
    with needs_extra("a workbook", "xlsx"):
        from clock.report.workbook import workbook
    return workbook((values(log.summary) for log in found), say)
