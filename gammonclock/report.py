"""`gammonclock report`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console, RenderableType

from clock.eventlog.codec import DamagedError
from clock.eventlog.links import GivenLog, begun_at_score, chains, links
from clock.report.build import summary
from clock.report.results import Reported, results_table
from clock.report.rulings_page import WIDTH, rulings_html, rulings_text
from clock.report.summary import Summary
from clock.report.tables import SHEETS, of_stop, of_turn, only, tables
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.i18n import sayer
from gammonclock import report_usage
from gammonclock.console import DAMAGED, complain, needs_extra
from gammonclock.options import (
    FILE_PATH,
    force_option,
    is_log,
    language_option,
    log_lines,
    logs_argument,
)
from gammonclock.output_file import OutputFile
from gammonclock.report_usage import View


@click.command()
@logs_argument
@click.option("--turns", "every_turn", is_flag=True, help="List all turns too.")
@click.option("--turn", type=click.IntRange(min=1), help="Only this turn, and those before it.")
@click.option(
    "--stop", type=click.IntRange(min=1), help="Only this stop, counted from 1, and its turn."
)
@click.option(
    "--only",
    type=click.Choice(list(SHEETS)),
    metavar="PART",
    help=f"Only this part: {', '.join(SHEETS)}.",
)
@click.option("--rulings", is_flag=True, help="Only a page of the director's rulings, to print.")
@click.option("--html", is_flag=True, help="With --rulings: as HTML.")
@click.option("--json", is_flag=True, help="Print JSON, with all that happened.")
@click.option("--csv", is_flag=True, help="Print CSV: a line a match or, with --turns, a turn.")
@click.option(
    "--xlsx",
    type=FILE_PATH,
    is_flag=False,
    flag_value=report_usage.STDOUT,
    help="Write a workbook for Excel: a sheet for each round; without a file to standard output.",
)
@language_option("the report")
@click.option(
    "--chart",
    "picture",
    type=FILE_PATH,
    help="Draw a chart of both reserves into this file: .png, .svg or .pdf.",
)
@force_option
def report(
    logs: tuple[Path, ...], picture: Path | None, language: str, *, force: bool, **view: Any
) -> None:
    """Say what happened in LOG: games, flags, stops, breaks, what the director changed.

    For each of these the report shows the turns before it and every press. The log is verified
    first. The numbers under # are those of its lines. Several logs give one table of results,
    without matches that never began; the logs of a match that was adjourned are one match. A
    damaged log is left out, and the exit code is 4.
    docs/report.md describes JSON and CSV. A chart needs the extra "chart", a workbook "xlsx":
    docs/laptop.md says how to install them.

    \b
    Example:  gammonclock report current.jsonl --chart match.png
              gammonclock report current.jsonl --stop 2
              gammonclock report current.jsonl --rulings
              gammonclock report *.jsonl --csv > results.csv
              gammonclock report *.jsonl --xlsx results.xlsx
    """
    report_usage.check_usage(picture, view)
    chart_file = OutputFile("--chart", logs, force=force)
    if picture is not None:
        chart_file.check(picture)
    book = OutputFile("--xlsx", logs, force=force)
    if (book_path := report_usage.workbook_path(view)) is not None:
        book.check(book_path)
    undamaged = [each for each in map(_undamaged, logs) if each is not None]
    given = [log for log, _ in undamaged]
    matches = chains(given)
    report_usage.require_single(len(logs) - len(given) + len(matches), picture, view)
    alone = {log.name: found for log, found in undamaged}
    read = [_reported(match, alone) for match in matches]
    found = [each for each in read if each.summary.is_begun or len(matches) == 1]  # R105
    if found and picture is not None:
        _draw(found[0].summary, sayer(language), picture, chart_file)
    content = report_usage.for_programs(found, sayer(language), view)
    if content is not None and book_path is not None:
        book.write(book_path, content)
    elif content is not None:
        click.echo(content, nl=False)
    elif len(matches) > 1 and found:
        _print_tables([results_table(found, sayer(language))])
    elif found:
        _show(found[0].summary, language, view)
    objections = links(given).objections
    for remark in (*objections, *(begun_at_score(given) if len(given) > 1 else ())):
        complain(remark)
    if len(given) < len(logs) or objections:
        sys.exit(DAMAGED)


def _show(of: Summary, language: str, view: View) -> None:
    say = sayer(language)
    if view["rulings"]:
        page = rulings_html(of, say, language) if view["html"] else rulings_text(of, say)
        click.echo(page, nl=False)
    elif view["turn"]:
        report_usage.require_number("--turn", view["turn"], len(of.turns))
        _print_tables(of_turn(view["turn"], of, say))
    elif view["stop"]:
        report_usage.require_number("--stop", view["stop"], len(of.stops))
        _print_tables(of_stop(view["stop"], of, say))
    elif view["only"]:
        _print_tables(only(view["only"], of, say))
    else:
        _print_tables(tables(of, say, every_turn=view["every_turn"]))


def _undamaged(path: Path) -> tuple[GivenLog, Summary] | None:
    """Return a log and what it says alone; None if it is damaged, which is then said."""
    lines = log_lines(path)
    if not is_log(path, lines):
        return None
    try:
        found = summary(lines)
    except DamagedError as damaged:
        complain(f"{path}, {damaged}. A damaged log is not reported.")
        return None
    return GivenLog(printable(click.format_filename(path), keep="\n"), lines), found


def _reported(match: list[GivenLog], alone: dict[str, Summary]) -> Reported:
    """Return a match, which may have several logs (R131)."""
    name = " + ".join(log.name for log in match)
    return Reported(name, summary(*(log.lines for log in match)) if match[1:] else alone[name])


def _print_tables(found: Sequence[RenderableType]) -> None:
    console = Console()
    console.width = max(console.width, WIDTH)  # words that cannot be broken would be lost
    for table in found:
        console.print(table, crop=False)
        console.print()


def _draw(found: Summary, say: Say, file: Path, output: OutputFile) -> None:
    with needs_extra("a chart", "chart"):
        from clock.report.chart import chart
        from clock.report.chart_file import render
    output.write(file, render(chart(found, say), file.suffix.lower()))
