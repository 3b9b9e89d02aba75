"""The list of results that hung on the wall: fingerprints, as report and room export them."""

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, NamedTuple

from clock.eventlog.fingerprint import FingerprintError, parse_fingerprint
from clock.eventlog.verification import VerifiedLine, VerifiedLog
from clock.match.types import Phase
from clock.report.build import summary
from clock.report.fields import cell, values
from clock.report.lists import NotTextError, Row, decode, rows
from clock.text import check_nesting, quoted

KEYS = {"match", "head"}  # the columns without which a list proves nothing
PLAYERS = {"left", "right"}  # columns with names
UNSURE = re.compile(r"[^!-~]+")  # what another encoding may have otherwise, blanks too
DECIMALS = re.compile(r"(?<=\d)[.,]0+$")  # that a spreadsheet gives a whole number
SPELT = (*PLAYERS, "winner_name", "loser_name")  # columns in which capitals count
COMPARED = (
    *("left", "right", "length", "score_left", "score_right", "matches_left", "matches_right"),
    *("winner", "winner_name", "loser_name", "end"),
)


class Listed(NamedTuple):
    """A row of a list of results."""

    fingerprint: str
    said: Mapping[str, str] = {}
    is_guess: bool = False  # its encoding: of names ASCII alone is certain

    @classmethod
    def of(cls, row: Mapping[str, Any], *, is_guess: bool = False) -> "Listed":
        """Return what a row of an export says."""
        said = {name: _said(row[name]) for name in COMPARED if row.get(name) is not None}
        for name in said.keys() - SPELT:
            said[name] = DECIMALS.sub("", said[name]).casefold()
        return cls(str(row["head"] or ""), said, is_guess)


Fingerprints = Mapping[str, Sequence[Listed]]  # by match; a room may have it from several clocks


class Published(dict[str, list[Listed]]):
    """What a list has of each match."""

    others: tuple[int, ...] = ()
    """Lines that are no result of a match, such as a sum; what has no lines has none."""


class PublishedError(Exception):
    """A file is no list of results; the message says what one is."""


def read_fingerprints(data: bytes) -> Published:
    """Return the fingerprints in CSV or JSON of `gammonclock report`, or of a room.

    A spreadsheet may have saved the CSV again, with its own separator, encoding and line ends.

    Raises:
        PublishedError: it is neither, or has no fingerprints.
    """
    try:
        text, guess = decode(data)
        found = _of_json(text) if text.lstrip().startswith(("[", "{")) else _of_csv(text)
        fingerprints, others = Published(), []
        for line, row in found:
            if line and not _is_result(row):
                others.append(line)
                continue
            fingerprints.setdefault(str(row["match"]), []).append(
                Listed.of(row, is_guess=bool(guess))
            )
        fingerprints.others = tuple(others)
    except NotTextError as error:
        raise PublishedError(
            "no list of results: if it is a workbook that a spreadsheet made of such a list, save"
            " it there as CSV; instead of one of report --xlsx give the CSV of report --csv"
        ) from error
    except (ValueError, LookupError, TypeError, csv.Error) as error:
        raise PublishedError(
            "no list of results: it takes the CSV or JSON of gammonclock report or of a room's"
            f" results, with match and head ({error})"
        ) from error
    return fingerprints


Lines = Iterable[tuple[int, Mapping[str, Any]]]  # with their numbers, 0 in JSON


def _of_json(text: str) -> Lines:
    check_nesting(text.encode())
    found = json.loads(text)
    return ((0, row) for row in (found["results"] if isinstance(found, dict) else found))


def _of_csv(text: str) -> Lines:
    given = rows(text, _fitness)
    found = [at for at, row in enumerate(given) if _named(row) == len(KEYS)]
    if not found:
        raise LookupError("it has no line with these headings")
    known = [name.casefold() for name in given[found[0]].cells]
    for row in given[found[0] + 1 :]:
        yield row.line, dict(zip_longest(known, row.cells[: len(known)], fillvalue=""))


def _is_result(row: Mapping[str, Any]) -> bool:
    """Return whether a line is of a match: one whose log is damaged has names alone."""
    names = [row[name] for name in PLAYERS & row.keys()]
    return bool(row["match"]) and bool(row["head"] or not names or any(names))


def _fitness(given: list[Row]) -> tuple[int, ...]:
    return (max(map(_named, given)),)


def _named(row: Row) -> int:
    """Return how many of the columns that a list needs are headings in a row."""
    return len(KEYS & set(map(str.casefold, row.cells)))


def compare(
    log: VerifiedLog, published: Fingerprints, given: Sequence[bytes] = ()
) -> tuple[list[str], list[str]]:
    """Return what a list of results confirms of a log, and its objections to it.

    With the lines that were `given` its names, score and winner are compared, too. A match that
    is not over need not be in the list.
    """
    match = log.match.chain.match
    listed = published.get(match, [])
    if not listed:
        is_over = log.match.state.phase is Phase.FINISHED
        return [], [f"the results do not have the match {match}"] * is_over
    shown = {row.fingerprint: log.line_of(_parsed(row.fingerprint)) for row in listed}
    confirmed = [_confirmation(line, log) for line in shown.values() if line is not None]
    never = [fingerprint for fingerprint, line in shown.items() if line is None]
    rows_shown = [(row, line) for row in listed if (line := shown[row.fingerprint]) is not None]
    other = [_other(row, line, given) for row, line in rows_shown if given]
    objections = [_objection(fingerprint, is_other=bool(confirmed)) for fingerprint in never]
    return confirmed, [*objections, *filter(None, other)]


def _other(row: Listed, line: VerifiedLine, lines: Sequence[bytes]) -> str:
    """Return what a row says otherwise than the log up to its fingerprint; "": nothing."""
    ours = values(summary(lines[: line.seq]))
    different = [
        f"{name} {quoted(theirs)}, the log {quoted(_said(ours[name]))}"
        for name, theirs in row.said.items()
        if not _is_same(theirs, _said(ours[name]), row)
    ]
    return f"the results have {' and '.join(different)}" if different else ""


def _is_same(theirs: str, own: str, row: Listed) -> bool:
    if not row.is_guess:
        return theirs == own
    return UNSURE.sub("?", theirs) == UNSURE.sub("?", own)


def _said(value: object) -> str:
    """Return a value as it is read in a cell, where a list joins white space (`lists.rows`)."""
    return "" if value is None else " ".join(str(cell(value)).split())


def _confirmation(line: VerifiedLine, log: VerifiedLog) -> str:
    end = ", the end" if line.seq == log.end.seq else ""
    return (
        f"the results have the log code {line.fingerprint} of line {line.seq}{end}{log.after(line)}"
    )


def _is_fingerprint(fingerprint: str) -> bool:
    with suppress(FingerprintError):
        return bool(parse_fingerprint(fingerprint))
    return False


def _parsed(fingerprint: str) -> str:
    try:
        return parse_fingerprint(fingerprint)
    except FingerprintError:
        return fingerprint


def _objection(fingerprint: str, *, is_other: bool) -> str:
    if not fingerprint:
        return "the results have no log code for this match: its log was damaged"
    if not _is_fingerprint(fingerprint):
        return (
            f"the results have the log code {fingerprint}, which this log never showed: it is none."
            " A spreadsheet may have changed it; take the list as it was exported"
        )
    if is_other:
        return (
            f"the results have the log code {fingerprint}, which this log never showed, too:"
            " several clocks sent this match, and the list does not say which of them is right"
        )
    return (
        f"the results have the log code {fingerprint}, which this log never showed. Either it was"
        " changed, or its end is missing"
    )
