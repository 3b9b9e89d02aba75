"""The page of a match's rulings, on paper: each call for the director, and what they ruled.

It is what a director signs and a committee reads (EBF 5.4, 5.5): as plain text, and as HTML that
prints in black and white.
"""

from collections.abc import Iterator
from html import escape
from textwrap import wrap
from typing import NamedTuple

from clock.match.events import ResumedEvent
from clock.match.types import Pair, ResumeWith, Side
from clock.report import wording
from clock.report.summary import Case, SeatedEvent, Summary
from clock.text import printable
from clock.ui.descriptions import Say
from clock.ui.names import rules_name

WIDTH = 80  # columns of the plain text
RULE = "_" * 24

STYLE = """@page { size: A4; margin: 15mm }
body { font: 11pt/1.35 sans-serif; max-width: 180mm; margin: 1em auto }
body { color: #000; background: #fff }
h1 { font-size: 16pt; margin: 0 0 .3em } h2 { font-size: 12pt; margin: 1em 0 .2em }
th { text-align: left; font-weight: normal; padding-right: 1em; vertical-align: top }
td { padding-right: 1em; vertical-align: top } td.line { text-align: right; white-space: nowrap }
section { break-inside: avoid } .fingerprint { font-family: monospace; font-weight: bold }
footer { margin-top: 2.5em; display: flex; gap: 2em } footer span { flex: 1; border-top: 1px solid }
"""


class RuledCase(NamedTuple):
    """A call for the director, as the page shows it."""

    title: str
    effects: tuple[str, ...]  # on both reserves, and on the score if it was changed
    rows: tuple[tuple[str, str, str], ...]  # line, time of day, what happened


def rulings_text(summary: Summary, say: Say) -> str:
    """Return the page as plain text of 80 columns."""
    summary = wording.with_names(summary, say)
    lines = [say("report_rulings"), "=" * len(say("report_rulings"))]
    for label, value in _heading(summary, say):
        lines += wrap(f"{label}: {value}", WIDTH, subsequent_indent="  ")
    for number, ruled in enumerate(_rulings(summary, say), 1):
        lines += ["", *wrap(f"{number}. {ruled.title}", WIDTH, subsequent_indent="   ")]
        for text in ruled.effects:
            lines += wrap(f"   {text}", WIDTH, subsequent_indent=" " * 6)
        for line, time, what in ruled.rows:
            start = f"   {f'#{line}' if line else '':<6}{time:<8}  "
            lines += wrap(start + what, WIDTH, subsequent_indent=" " * len(start))
    lines += ["", ""]
    for label in _signatures(summary, say):
        lines += wrap(f"{label}: {RULE}", WIDTH, subsequent_indent="  ")
    return printable("\n".join(lines) + "\n", keep="\n")


def rulings_html(summary: Summary, say: Say, language: str) -> str:
    """Return the page as HTML without colours, of one side of A4 for three calls."""
    summary = wording.with_names(summary, say)
    title = escape(say("report_rulings"))
    heading = "".join(
        f"<tr><th>{escape(label)}<td>{escape(value)}\n" for label, value in _heading(summary, say)
    )
    sections = "".join(
        _section(number, ruled) for number, ruled in enumerate(_rulings(summary, say), 1)
    )
    signatures = "".join(f"<span>{escape(label)}</span>" for label in _signatures(summary, say))
    page = (
        f'<!doctype html>\n<html lang="{language}"><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<table>{heading}</table>\n{sections}<footer>{signatures}</footer>\n"
    )
    return printable(page, keep="\n")


def _section(number: int, ruled: RuledCase) -> str:
    rows = "".join(
        f'<tr><td class="line">{line and f"#{line}"}<td>{escape(time)}<td>{escape(what)}\n'
        for line, time, what in ruled.rows
    )
    effects = "<br>".join(map(escape, ruled.effects))
    return (
        f"<section><h2>{number}. {escape(ruled.title)}</h2>\n<p>{effects}</p>\n"
        f"<table>{rows}</table></section>\n"
    )


# --- what the page says -------------------------------------------------------------------------


def _heading(summary: Summary, say: Say) -> Iterator[tuple[str, str]]:
    settings = summary.settings
    if place := wording.place_text(summary, say):
        yield say("report_event"), place
    yield say("report_match"), f"{' - '.join(summary.names)}, {wording.length_text(summary, say)}"
    yield (
        say("report_result"),
        f"{wording.standing_text(summary, say)}, {wording.outcome_text(summary, say)}",
    )
    conditions = wording.conditions_text(summary, say)
    rules = ", ".join(filter(None, (rules_name(settings.rules.profile), conditions)))
    yield say("report_settings"), f"{rules}, {say('code')} {summary.code}"
    yield say("report_date"), ", ".join((summary.period, *wording.clock_sets(summary, say)))
    records = say("report_records", records=summary.records)
    yield say("report_log"), f"{summary.match}, {records}"
    yield say("report_fingerprint"), summary.fingerprint
    if not summary.cases:
        yield say("report_rulings"), say("report_no_rulings")


def _signatures(summary: Summary, say: Say) -> Iterator[str]:
    yield say("director")
    yield from summary.names


def _rulings(summary: Summary, say: Say) -> Iterator[RuledCase]:
    for case in summary.cases:
        effects = [text for effect in EFFECTS for text in effect(case, summary, say)]
        yield RuledCase(_title(case, summary, say), tuple(effects), _rows(case, say))


def _title(case: Case, summary: Summary, say: Say) -> str:
    about = wording.about_text(case, summary, say)
    clock = f". {say('report_no_clock_ran')}"
    if case.player is not None:
        clock = f", {say('report_turn_of', side=summary.names[case.player])}"
    return f"{case.begun.time_of_day or case.begun.time}: {about}{clock}."


def _reserves(case: Case, summary: Summary, say: Say) -> Iterator[str]:
    for player in Side:
        reserves = Pair(case.left.left[player], case.left.right[player])
        texts = [wording.reserve_at(each, case.begun, summary, say) for each in reserves]
        yield f"{summary.names[player]}: {_change(texts)}"


def _score(case: Case, summary: Summary, say: Say) -> Iterator[str]:
    before, after = case.standing
    if before != after:
        texts = [wording.score_and_matches(each, summary, say) for each in case.standing]
        yield f"{say('report_score')}: {_change(texts)}"


def _game(case: Case, summary: Summary, say: Say) -> Iterator[str]:
    if case.game is not None:
        number, *results = case.game
        texts = [wording.result_text(each, summary, say) for each in results]
        yield f"{say('report_game')} {number}: {_change(texts)}"


EFFECTS = (_reserves, _game, _score)


def _change(texts: list[str]) -> str:
    return " → ".join(dict.fromkeys(texts))


def _rows(case: Case, say: Say) -> tuple[tuple[str, str, str], ...]:
    """Return the evidence and the rulings, and how play went on."""
    rows = [_row(each, say) for each in case.lines]
    if not case.is_ruled:
        rows.append(("", "", say("report_no_ruling")))
    if case.ended is not None and case.ended not in case.lines:
        rows.append(_row(case.ended, say))
    return tuple(rows)


def _row(happened: SeatedEvent, say: Say) -> tuple[str, str, str]:
    text = wording.event_text(happened, say)
    match happened.event:
        case ResumedEvent(by="centre", reason=reason, delay=delay) if delay is not ResumeWith.REST:
            text = f"{say(f'reason_{reason.value}')}, {text}"
        case _:
            pass
    return str(happened.stamp.line), happened.stamp.time, text
