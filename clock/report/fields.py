"""The fields of a result: one list for the table of results, JSON, and the CSV of report and room.

The names and their order are a contract (docs/report.md): fields are added at the end.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from typing import NamedTuple

from clock.match.types import Side
from clock.report.summary import Summary
from clock.report.wording import (
    NONE,
    conditions_text,
    outcome_text,
    player_name,
    standing_text,
    with_names,
)
from clock.text import printable
from clock.ui.descriptions import Say
from clock.units import SECOND_NS

Fields = Mapping[str, object]
# A spreadsheet computes a cell that begins like this; where a semicolon separates cells, also here.
FORMULA = re.compile("(^|;)(?=\\s*[-=+@\uff1d\uff0b\uff0d\uff20])")


class Column(NamedTuple):
    """A column of the table of results."""

    heading: str  # ">": aligned to the right
    text: Callable[[Summary, Say], str]


class Field(NamedTuple):
    """A field of a result."""

    name: str
    value: Callable[[Summary], object]
    column: Column | None = None  # the table shows several fields in one


def seconds(duration_ns: int | None) -> float | None:
    """Return seconds; a nanosecond in a day is still exact."""
    return None if duration_ns is None else duration_ns / SECOND_NS


def _players(of: Summary, say: Say) -> str:
    return " - ".join(player_name(name, say) for name in of.names)


def _outcome(of: Summary, say: Say) -> str:  # or that there is none yet (R105)
    conditions = conditions_text(of, say)
    outcome = outcome_text(with_names(of, say), say, is_short=True)
    return f"{outcome} ({conditions})" if conditions else outcome


def _has_flagged(of: Summary, player: Side) -> bool:
    return any(flag.player is player for flag in of.flags)


def _winner(of: Summary) -> Side | None:
    return of.over[2] if of.over else None


def _name(of: Summary, side: Side | None) -> str | None:
    return of.names[side] if side else None


def _unknown(_: Summary) -> None:
    """Only a hub knows this."""


FIELDS = (
    Field("match", lambda of: of.match),
    Field("board", lambda of: of.board, Column("board", lambda of, _: of.board or NONE)),
    Field("profile", lambda of: of.settings.rules.profile),
    Field("code", lambda of: of.code),
    Field("left", lambda of: of.names.left, Column("players", _players)),
    Field("right", lambda of: of.names.right),
    Field("length", lambda of: of.length, Column(">length_of_match", lambda of, _: str(of.length))),
    Field("score_left", lambda of: of.score.left, Column(">score", standing_text)),
    Field("score_right", lambda of: of.score.right),
    Field("matches_left", lambda of: of.legs.left),
    Field("matches_right", lambda of: of.legs.right),
    Field("phase", lambda of: of.phase.value),
    Field("winner", _winner, Column("result", _outcome)),
    Field("end", lambda of: of.over[1].why if of.over else None),
    Field("began", lambda of: (of.confirmed or of.first).when),
    Field("ended", lambda of: of.ended.when),
    Field("duration_s", lambda of: seconds(of.duration_ns)),
    Field("reserve_left_s", lambda of: seconds(of.left.left)),
    Field("reserve_right_s", lambda of: seconds(of.left.right)),
    Field("flagged_left", lambda of: _has_flagged(of, Side.LEFT)),
    Field("flagged_right", lambda of: _has_flagged(of, Side.RIGHT)),
    Field("restorations", lambda of: len(of.restorations)),
    Field("corrections", lambda of: of.corrections),
    Field("complete", lambda of: of.over is not None),
    Field(
        "head",
        lambda of: of.fingerprint,
        Column("fingerprint_of_log", lambda of, _: of.fingerprint),
    ),
    Field("round", lambda of: of.settings.round or None),
    Field("forks", _unknown),
    Field("damage", _unknown),
    Field("event", lambda of: of.settings.event or None),
    Field("practice", lambda of: of.settings.practice),
    Field("continues", lambda of: of.origin.match if of.origin else None),
    Field("winner_name", lambda of: _name(of, _winner(of))),
    Field("loser_name", lambda of: _name(of, (winner := _winner(of)) and winner.other)),
    Field("limit_from", lambda of: of.limit_from),
    Field("scheduled", lambda of: of.settings.scheduled or None),
    Field("carried_left", lambda of: of.settings.carried.left),
    Field("carried_right", lambda of: of.settings.carried.right),
)
COLUMNS = tuple(field.column for field in FIELDS if field.column)
NAMES = ("file", *(field.name for field in FIELDS))  # a hub has no files


def values(of: Summary) -> Fields:
    """Return the fields of a match, by name."""
    return {field.name: field.value(of) for field in FIELDS}


def csv_bytes(names: Sequence[str], rows: Iterable[Fields]) -> bytes:
    """Return CSV in UTF-8: a line of names, then a line for each row; a missing value is empty."""
    text = StringIO()
    writer = csv.DictWriter(text, names)
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def cell(value: object) -> object:
    """Return a value as it stands in a cell."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return FORMULA.sub(r"\1'", printable(value))
        case _:
            return value
