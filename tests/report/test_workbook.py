"""The results as a workbook: what a program for tables finds in it."""

import zipfile
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from clock.report.fields import NAMES
from clock.report.workbook import COLUMNS, workbook
from clock.ui.i18n import LANGUAGES, sayer

SPACE = {"x": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
ROW = dict.fromkeys(NAMES) | {
    "board": "07",
    "left": "=1+1",
    "right": "http://x.y",
    "score_left": 3,
    "score_right": 7,
    "length": 7,
    "winner": "right",
    "winner_name": "http://x.y",
    "end": "score",
    "complete": True,
    "began": "2026-05-01T23:40:00.000+02:00",
    "ended": "2026-05-02T00:10:30.500+02:00",
    "duration_s": 1830.5,
    "head": "7KQ2-M9XT-4WDA",
    "round": 1,
}


def sheets(content: bytes) -> dict[str, list[list[Any]]]:
    """Return the cells of a workbook by its sheets; a formula would be its own text."""
    with zipfile.ZipFile(BytesIO(content)) as book:
        texts = [
            "".join(each.itertext())
            for each in _tree(book.read("xl/sharedStrings.xml")).findall("x:si", SPACE)
        ]
        titles = _tree(book.read("xl/workbook.xml")).iterfind(".//x:sheet", SPACE)
        found = {}
        for number, title in enumerate(titles, 1):
            tree = _tree(book.read(f"xl/worksheets/sheet{number}.xml"))
            assert tree.find(".//x:f", SPACE) is None
            assert tree.find(".//x:hyperlink", SPACE) is None
            rows = list(tree.iterfind(".//x:row", SPACE))
            assert [row.attrib["r"] for row in rows] == [str(at + 1) for at in range(len(rows))]
            found[title.attrib["name"]] = [[_value(cell, texts) for cell in row] for row in rows]
    return found


def _tree(content: bytes) -> ET.Element:
    return ET.fromstring(content)  # noqa: S314 - it is our own


def _value(cell: ET.Element, texts: list[str]) -> str | float:
    value = cell.findtext("x:v", namespaces=SPACE) or ""
    return texts[int(value)] if cell.get("t") == "s" else float(value)


def test_names_are_names_and_times_are_times() -> None:
    [(_, [_, row])] = sheets(workbook([ROW], sayer("en"))).items()
    board, left, right, score, length, winner, how, began, ended, took, fingerprint = row
    assert (board, left, right, score, length) == ("07", "=1+1", "http://x.y", "3-7", 7)
    assert (winner, how, fingerprint) == ("http://x.y", "by score", "7KQ2-M9XT-4WDA")
    begun = datetime(1899, 12, 30, tzinfo=UTC) + timedelta(began)
    assert begun == datetime(2026, 5, 1, 23, 40, tzinfo=UTC)  # the clock's own time of day
    assert timedelta(ended - began) == timedelta(minutes=30, seconds=30.5)
    assert timedelta(took) == timedelta(seconds=1830.5)


def test_each_round_has_a_sheet() -> None:
    long = "a very long name of a round, 40 letters"
    rounds = [
        "o" * 31,
        1,
        "Final",
        2,
        "FINAL",
        "[Quarter]/final",
        f"{long}a",
        f"{long}b",
        None,
        "History",
    ]
    found = sheets(workbook(({**ROW, "round": each} for each in rounds), sayer("de")))
    assert {title: len(rows) - 1 for title, rows in found.items()} == {
        "o" * 31: 1,
        "Runde 1": 1,
        "Final": 2,
        "Runde 2": 1,
        "-Quarter--final": 1,
        "a very long name of a ro (6)": 1,
        "a very long name of a ro (7)": 1,
        "Ergebnisse": 1,
        "History ": 1,
    }


def test_rounds_of_one_name_fall_apart_by_event_and_those_counted_by_day_too() -> None:
    day, next_day = ({"began": f"2026-05-0{day}T20:00:00.000+02:00"} for day in (1, 2))
    night = {"began": "2026-05-02T01:00:00.000+02:00"}  # of the same evening
    club, cup = {"event": "Club"}, {"event": "Cup"}
    rows = [
        day,
        night | {"event": ""},
        next_day,
        night | {"day": "2026-05-03"},
        day | club,
        day | cup,
    ]
    rows += [each | {"round": "Final"} for each in (day | club, next_day | club, day | cup)]
    found = sheets(workbook(({**ROW, **each} for each in rows), sayer("en")))
    assert [(title, len(rows) - 1) for title, rows in found.items()] == [
        ("Round 1", 2),
        ("Round 1 (2)", 1),
        ("Round 1 (3)", 1),
        ("Round 1 (4)", 1),
        ("Round 1 (5)", 1),
        ("Final", 2),
        ("Final (7)", 1),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_workbook_without_a_result_has_headings(language: str) -> None:
    say = sayer(language)
    [(_, [headings])] = sheets(workbook([], say)).items()
    assert headings == [say(heading) for heading, *_ in COLUMNS]


def test_what_is_not_known_is_empty_or_as_the_log_has_it() -> None:
    unknown = {"complete": False, "winner": None, "winner_name": None, "began": "", "ended": "soon"}
    [(_, [_, row])] = sheets(
        workbook([{**ROW, **unknown, "duration_s": None}], sayer("en"))
    ).items()
    assert row[5:] == ["", "not finished", "soon", "7KQ2-M9XT-4WDA"]
    for end, seconds, shown in (("new", 0, ["new", 0]), ("new", 0.5, ["new", 0.5]), ("", -1, [""])):
        other = {**ROW, "end": end or None, "began": "", "ended": "", "duration_s": seconds}
        [(_, [_, row])] = sheets(workbook([other], sayer("en"))).items()
        assert row[6:-1] == [each / 86400 if isinstance(each, float) else each for each in shown]


def test_the_headings_stay_in_view_and_no_date_is_that_of_the_computer() -> None:
    with zipfile.ZipFile(BytesIO(workbook([ROW], sayer("en")))) as book:
        parts = {name: book.read(name).decode() for name in book.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    assert '<pane ySplit="1" topLeftCell="A2"' in sheet
    assert '<col min="2" max="3" width="28.' in sheet
    assert "<b/>" in parts["xl/styles.xml"]
    assert "1980-01-01T00:00:00Z" in parts["docProps/core.xml"]
