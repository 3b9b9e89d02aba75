"""The list of results that hung on the wall: heads, as report and room export them."""

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from clock.eventlog.head import HeadError, parse_head
from clock.eventlog.verification import VerifiedLine, VerifiedLog

Heads = Mapping[str, list[str]]  # by match; a room may have it from several clocks


class PublishedError(Exception):
    """A file is no list of results; the message says what one is."""


def read_heads(data: bytes) -> Heads:
    """Return the heads in CSV or JSON of `gammonclock report`, or of a room.

    Raises:
        PublishedError: it is neither, or has no heads.
    """
    try:
        text = data.decode("utf-8-sig")
        rows = _of_json(text) if text.lstrip().startswith(("[", "{")) else _of_csv(text)
        heads = defaultdict(list)
        for row in rows:
            heads[str(row["match"]).removeprefix("'")].append(str(row["head"] or ""))
    except (ValueError, LookupError, TypeError, csv.Error) as error:
        raise PublishedError(
            "no list of results: it takes the CSV or JSON of gammonclock report or of a room's"
            f" results, with match and head ({error!r})"
        ) from error
    return heads


def _of_json(text: str) -> Iterable[Mapping[str, Any]]:
    found = json.loads(text)
    rows: Iterable[Mapping[str, Any]] = found["results"] if isinstance(found, dict) else found
    return rows


def _of_csv(text: str) -> Iterable[Mapping[str, Any]]:
    """Return the rows; a spreadsheet may have written them with semicolons."""
    lines = text.splitlines()
    return csv.DictReader(lines, delimiter=";" if ";" in lines[0] else ",")


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
