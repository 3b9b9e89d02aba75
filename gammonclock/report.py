"""`gammonclock report`."""

# ruff: noqa: D301 (click keeps the lines of a paragraph that begins with a real backspace)

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from clock.eventlog.codec import DamagedError
from clock.report.build import summary
from clock.report.results import Reported, as_csv, as_json, results_table
from clock.report.summary import Summary
from clock.report.tables import tables
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.i18n import LANGUAGES, sayer
from gammonclock.console import DAMAGED, WRONG_USAGE, complain, fail, needs_extra
from gammonclock.options import FILE_PATH, force_option, log_lines, logs_argument
from gammonclock.output_file import OutputFile

CHART_SUFFIXES = (".png", ".svg", ".pdf")


@click.command()
@logs_argument
@click.option("--turns", "every_turn", is_flag=True, help="List all turns too.")
@click.option("--json", "form", flag_value="json", help="Print JSON, with all that happened.")
@click.option(
    "--csv", "form", flag_value="csv", help="Print CSV: a line a match or, with --turns, a turn."
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="en", help="Of the report; default: en."
)
@click.option(
    "--chart",
    "picture",
    type=FILE_PATH,
    help="Draw a chart of both reserves into this file: .png, .svg or .pdf.",
)
@force_option
def report(
    logs: tuple[Path, ...],
    picture: Path | None,
    form: str | None,
    language: str,
    *,
    every_turn: bool,
    force: bool,
) -> None:
    """Say what happened in LOG: games, flags, stops, breaks, what the director changed.

    For each of these the report shows the turns before it and every press. The log is verified
    first. The numbers under # are those of its lines. Several logs give one table of results. A
    damaged log is left out, and the exit code is 4. docs/report.md describes JSON and CSV. A chart
    needs the extra "chart": docs/laptop.md says how to install it.

    \b
    Example:  gammonclock report current.jsonl --chart match.png
              gammonclock report *.jsonl --csv > results.csv
    """
    if len(logs) > 1 and (picture or (every_turn and form is None)):
        raise click.UsageError("--chart needs a single LOG, and so does --turns without --csv")
    if picture is not None and picture.suffix.lower() not in CHART_SUFFIXES:
        allowed = f"a file that ends in {', '.join(CHART_SUFFIXES)}"
        fail(WRONG_USAGE, f"--chart: found {picture}, allowed {allowed}")
    output = OutputFile("--chart", logs, force=force)
    if picture is not None:
        output.check(picture)
    found = [reported for reported in map(_reported, logs) if reported is not None]
    say = sayer(language)
    if found and picture is not None:
        _draw(found[0].summary, say, picture, output)
    if form is not None:
        click.echo(_exported(found, form, say, every_turn=every_turn), nl=False)
    elif len(logs) > 1 and found:
        _print_tables([results_table(found, say)])
    elif found:
        _print_tables(tables(found[0].summary, say, every_turn=every_turn))
    if len(found) < len(logs):
        sys.exit(DAMAGED)


def _reported(path: Path) -> Reported | None:
    """Read a log; complain and return None if it is damaged."""
    try:
        name = printable(click.format_filename(path), keep="\n")
        return Reported(name, summary(log_lines(path)))
    except DamagedError as damaged:
        complain(f"{path}, {damaged}. A damaged log is not reported.")
        return None


def _exported(found: list[Reported], form: str, say: Say, *, every_turn: bool) -> bytes:
    return as_json(found, say) if form == "json" else as_csv(found, every_turn=every_turn)


def _print_tables(found: list[Table]) -> None:
    console = Console()
    for table in found:
        console.print(table)
        console.print()


def _draw(found: Summary, say: Say, file: Path, output: OutputFile) -> None:
    with needs_extra("a chart", "chart"):
        from clock.report.chart import chart
        from clock.report.chart_file import render
    output.write(file, render(chart(found, say), file.suffix.lower()))
