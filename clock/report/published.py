"""The list of results that hung on the wall: heads, as report and room export them."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from clock.eventlog.head import HeadError, parse_head
from clock.eventlog.verification import VerifiedLine, VerifiedLog
from clock.report.lists import NotTextError, Row, decode, rows

Heads = Mapping[str, list[str]]  # by match; a room may have it from several clocks


class PublishedError(Exception):
    """A file is no list of results; the message says what one is."""


def read_heads(data: bytes) -> Heads:
    """Return the heads in CSV or JSON of `gammonclock report`, or of a room.

    A spreadsheet may have saved the CSV again, with its own separator, encoding and line ends.

    Raises:
        PublishedError: it is neither, or has no heads.
    """
    try:
        text = decode(data).text
        found = _of_json(text) if text.lstrip().startswith(("[", "{")) else _of_csv(text)
        heads = defaultdict(list)
        for row in found:
            heads[str(row["match"])].append(str(row["head"] or ""))
    except (NotTextError, ValueError, LookupError, TypeError, csv.Error) as error:
        raise PublishedError(
            "no list of results: it takes the CSV or JSON of gammonclock report or of a room's"
            f" results, with match and head ({error!r})"
        ) from error
    return heads


def _of_json(text: str) -> Iterable[Mapping[str, Any]]:
    found = json.loads(text)
    listed: Iterable[Mapping[str, Any]] = found["results"] if isinstance(found, dict) else found
    return listed


def _of_csv(text: str) -> Iterable[Mapping[str, Any]]:
    names, *others = rows(text, _fitness) or [Row(1, [])]
    known = [name.casefold() for name in names.cells]
    known.index("head")  # a list without lines has one too
    return [dict(zip_longest(known, row.cells[: len(known)], fillvalue="")) for row in others]


def _fitness(given: list[Row]) -> tuple[int, ...]:
    return (len({"match", "head"} & set(map(str.casefold, given[0].cells))) if given else 0,)


def compare(log: VerifiedLog, published: Heads) -> tuple[list[str], list[str]]:
    """Return what a list of results confirms of a log, and its objections to it."""
    match = log.match.chain.match
    heads = dict.fromkeys(published.get(match, []))
    if not heads:
        return [], [f"the results do not have the match {match}"]
    lines = {head: log.line_of(_parsed(head)) for head in heads}
    confirmed = [_confirmation(line, log) for line in lines.values() if line is not None]
    never = [head for head in heads if not lines.get(head)]
    return confirmed, [_objection(head, is_other=bool(confirmed)) for head in never]


def _confirmation(line: VerifiedLine, log: VerifiedLog) -> str:
    rest = log.lines[-1].seq - line.seq
    after = f"; the {rest} after it are not covered" if rest else ", the end"
    return f"the results have the head {line.head} of line {line.seq}{after}"


def _parsed(head: str) -> str:
    try:
        return parse_head(head)
    except HeadError:
        return head


def _objection(head: str, *, is_other: bool) -> str:
    if not head:
        return "the results have no head for this match: its log was damaged"
    if is_other:
        return (
            f"the results have the head {head}, which this log never showed, too: several clocks"
            " sent this match, and the list does not say which of them is right"
        )
    return (
        f"the results have the head {head}, which this log never showed. Either it was changed, or"
        " its end is missing"
    )
