"""Results and matches in forms that other programs read."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import structs

from clock.eventlog.fingerprint import fingerprint_text
from clock.match.types import Side
from clock.report.build import summary
from clock.report.fields import NAMES, csv_bytes, seconds
from clock.report.results import Reported, as_json
from clock.report.tables import Sheet, sheets
from clock.ui.descriptions import Say
from clock.ui.i18n import sayer
from room.boards.board import Conflict
from room.boards.results import Listed
from room.lines.first_heard import FirstHeard

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def results_csv(results: Iterable[Listed]) -> bytes:
    """Return a line for each result, as `gammonclock report --csv` does; none for practice."""
    return csv_bytes(NAMES, (_row(result) for result in results if not result.practice))


def results_xlsx(results: Iterable[Listed], language: str) -> bytes:
    """Return the same as a workbook for people, the first round first."""
    from clock.report.workbook import workbook  # noqa: PLC0415 - wanted once a day

    rows = [_known(result) | {"day": result.day} for result in results if not result.practice]
    return workbook(reversed(rows), sayer(language))


def results_rows(results: Iterable[Listed]) -> list[dict[str, object]]:
    """Return the same as values, by the names of the columns; None: not known."""
    return [_known(result) for result in results if not result.practice]


def _known(result: Listed) -> dict[str, object]:
    row = dict.fromkeys(NAMES) | _row(result)
    return {name: None if each == "" else each for name, each in row.items()}


def _row(result: Listed) -> dict[str, object]:
    left_ns, right_ns = result.reserves_ns or (None, None)
    return {name: getattr(result, name) for name in NAMES if hasattr(result, name)} | {
        "left": result.players[Side.LEFT],
        "right": result.players[Side.RIGHT],
        "winner_name": result.players[result.winner] if result.winner else None,
        "loser_name": result.players[result.winner.other] if result.winner else None,
        "matches_left": result.legs.left,
        "matches_right": result.legs.right,
        "round": result.named_round or result.round,
        "head": result.fingerprint,
        "score_left": result.score.left,
        "score_right": result.score.right,
        "carried_left": result.carried.left,
        "carried_right": result.carried.right,
        "began": result.begun,
        "reserve_left_s": seconds(left_ns),
        "reserve_right_s": seconds(right_ns),
        "duration_s": seconds(result.duration_ns) if result.begun else None,
        "flagged_left": Side.LEFT in result.flags,
        "flagged_right": Side.RIGHT in result.flags,
    }


def first_heard(conflict: Conflict, first: FirstHeard) -> dict[str, Any]:
    """Return what was seen first of a match from one source, with a fingerprint for the hash."""
    values = structs.asdict(first)
    fingerprint = fingerprint_text(values.pop("hash"))
    del values["begun"]
    said = {"source": conflict.source, "since": conflict.since, "agrees": conflict.agrees}
    return {**said, "seq": first.seq, "head": fingerprint, **values}


def match_report(match: str, logs: Sequence[Sequence[bytes]], language: str) -> dict[str, Any]:
    """Return the report of a match: its tables in a language, and its values.

    If it was adjourned, it has several logs, each of which continues the one before.

    Raises:
        DamagedError: the log does not replay.
    """
    found, say = summary(*logs), sayer(language)
    values: list[Any] = msgspec.json.decode(as_json([Reported(match, found)], say))
    tables = [_table(sheet, say) for sheet in sheets(found, say)]
    return {"tables": tables, "data": values[0]}


def _table(sheet: Sheet, say: Say) -> dict[str, Any]:
    keys = [heading.removeprefix(">") for heading in sheet.headings]
    headings = ["#" if key == "line" else say(f"report_{key}") for key in keys]
    return {"title": sheet.title, "headings": headings, "rows": sheet.rows}
