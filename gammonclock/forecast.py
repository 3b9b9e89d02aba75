"""`gammonclock forecast`."""

from pathlib import Path

import click

from clock.eventlog.codec import DamagedError
from gammonclock.console import DAMAGED, complain, show
from gammonclock.options import is_log, log_lines, logs_argument
from room.forecast.check import Compared, NotComparedError, compare_forecasts, table


@click.command()
@click.option(
    "--check",
    is_flag=True,
    required=True,
    expose_value=False,  # there is nothing else to do yet
    help="Compare forecasts with these logs.",
)
@logs_argument
def forecast(logs: tuple[Path, ...]) -> None:
    """Say how well the end of each match in LOG could be foreseen.

    Every ten minutes of each match, its end is forecast from the lines up to there, as the room's
    director sees it: an early, a middle and a late time. The table says how many matches had ended
    by then. Matches that were not played to their end are left out, and so are logs that span a
    power cut. A damaged log is left out too, and the exit code is 4.

    \b
    Example:  gammonclock forecast --check *.jsonl
    """
    compared: list[Compared] = []
    matches, damaged = 0, False
    for path in logs:
        lines = log_lines(path)
        if not is_log(path, lines):
            continue
        try:
            found = compare_forecasts(lines)
        except DamagedError as damage:
            complain(f"{path}: left out: {damage}")
            damaged = True
        except NotComparedError as why:
            complain(f"{path}: left out: {why}")
        else:
            compared += found
            matches += bool(found)
    for text in table(matches, compared) if compared else ["no match lasted ten minutes"]:
        show(text)
    if damaged:
        raise SystemExit(DAMAGED)
