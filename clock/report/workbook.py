"""Results as a workbook for people (the extra `xlsx`): a sheet for each round, times as times."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from io import BytesIO
from typing import Any

import xlsxwriter

from clock.report.fields import Fields
from clock.report.times_of_day import playing_day
from clock.report.wording import player_name
from clock.text import printable
from clock.ui.descriptions import Say

DAY_S = 24 * 60 * 60
LONGEST_TITLE = 31  # characters of a sheet's title, without those that it must not have
MOST_OF_TITLE = 24  # of a longer one, before the number that makes it another one
RESERVED = "history"  # Excel has a sheet of that title
NOT_IN_TITLE = str.maketrans(dict.fromkeys("[]:*?/\\'", "-"))
INSTANT, TIME, NUMBER, TEXT = "yyyy-mm-dd hh:mm:ss", "[h]:mm:ss", "0", "@"  # formats of cells
NEVER = datetime(1980, 1, 1)  # noqa: DTZ001 - when a workbook was made: it has no time zone

Value = Callable[[Fields, Say], object]


def _name(key: str) -> Value:
    return lambda row, say: player_name(str(row[key] or ""), say)


def _seconds(key: str) -> Value:
    def days(row: Fields, _: Say) -> object:
        value = row[key]
        return value / DAY_S if isinstance(value, int | float) and value >= 0 else None

    return days


def _outcome(row: Fields, say: Say) -> str:
    if not row["complete"]:
        return say("report_not_finished")
    try:
        return say(f"end_{row['end']}")
    except KeyError:  # the log of another version
        return str(row["end"] or "")


COLUMNS: tuple[tuple[str, str, int, Value], ...] = (  # heading, format, width, what is in a cell
    ("report_board", TEXT, 8, lambda row, _: row["board"]),
    ("left", TEXT, 28, _name("left")),
    ("right", TEXT, 28, _name("right")),
    ("report_score", TEXT, 8, lambda row, _: f"{row['score_left']}-{row['score_right']}"),
    ("report_length_of_match", NUMBER, 6, lambda row, _: row["length"]),
    ("report_winner", TEXT, 28, _name("winner_name")),
    ("report_result", TEXT, 20, _outcome),
    ("report_began", INSTANT, 20, lambda row, _: _instant(row["began"])),
    ("report_ended", INSTANT, 20, lambda row, _: _instant(row["ended"])),
    ("report_length", TIME, 10, _seconds("duration_s")),
    ("report_event", TEXT, 20, lambda row, _: row["event"]),
    ("report_fingerprint_of_log", TEXT, 18, lambda row, _: row["head"]),
)


def workbook(results: Iterable[Fields], say: Say) -> bytes:
    """Return results as XLSX.

    Args:
        results: the fields of `clock.report.fields.NAMES` of each; `round` is a name, of its
            event, or a number, of its event and `day`: that of `began` unless it is given.
        say: in the language of the headings.
    """
    rounds: dict[object, list[Fields]] = {}
    for result in results:
        rounds.setdefault(_round(result), []).append(result)
    file = BytesIO()
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": NEVER})
    formats = {
        name: book.add_format({"num_format": name}) for name in (INSTANT, TIME, NUMBER, TEXT)
    }
    bold = book.add_format({"bold": True})
    titles: set[str] = set()
    for rows in rounds.values() or [[]]:
        title = _title(rows, titles, say)
        titles.add(title.casefold())
        sheet = book.add_worksheet(title)
        sheet.freeze_panes(1, 0)
        for index, (heading, kind, width, value) in enumerate(COLUMNS):
            sheet.set_column(index, index, width)
            sheet.write_string(0, index, say(heading), bold)
            for line, row in enumerate(rows, 1):
                _write(sheet, (line, index), value(row, say), formats[kind])
    book.close()
    return file.getvalue()


def _write(sheet: Any, at: tuple[int, int], value: object, kind: Any) -> None:
    """Write a cell; a text is never a formula, an address or a number."""
    match value:
        case None:
            pass
        case str():
            sheet.write_string(*at, printable(value), kind)
        case datetime():
            sheet.write_datetime(*at, value, kind)
        case _:
            sheet.write_number(*at, value, kind)


def _instant(wall: object) -> object:
    """Return a wall time as the clock's own time of day: a workbook has no time zones."""
    try:
        return datetime.fromisoformat(str(wall)).replace(tzinfo=None)
    except ValueError:
        return wall or None


def _round(row: Fields) -> tuple[str, ...]:
    """Return what the matches of a round have in common, and no others."""
    event, round_ = (str(row.get(key) or "").casefold() for key in ("event", "round"))
    if isinstance(row.get("round"), int):
        return event, round_, str(row.get("day") or playing_day(str(row["began"] or "")))
    return event, round_


def _title(rows: list[Fields], others: Collection[str], say: Say) -> str:
    """Return the title of a round's sheet: no other has it, and a sheet may."""
    round_ = rows[0].get("round") if rows else None
    named = say("report_round", n=round_) if isinstance(round_, int) else str(round_ or "")
    title = printable(named or say("report_results")).translate(NOT_IN_TITLE).strip()
    cut = title if title.casefold() != RESERVED else f"{title} "
    is_own = len(cut) <= LONGEST_TITLE and cut.casefold() not in others
    return cut if is_own else f"{cut[:MOST_OF_TITLE]} ({len(others) + 1})"
