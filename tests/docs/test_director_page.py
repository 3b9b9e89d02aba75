"""The director's page is right: each row of its tables is pressed as printed, and comes out so.

A row is run under the profiles of the federations that it names before a colon, or under all if it
names none. What stands in `code` in its cells must be on the panels before and after the presses,
and the items in *italics* must be the ones that the presses choose.
"""

import re
from itertools import zip_longest
from typing import NamedTuple

import pytest

from clock.match.events import AnyEvent
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.ui.dialogue import MenuPage, offered_items
from clock.ui.i18n import sayer, tables
from tests.docs.director_cases import REASONS, SITUATIONS, Case
from tests.support.desk import C, Desk, L, R, desk
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "director.md").read_text(encoding="utf-8")
SAY = sayer("en")
BUTTONS = {"L": L, "R": R, "C": C}
CLOCK_RUNS = "a clock runs"  # stands where a clock shows nothing particular
PRINTED_LINES = 3 * 60  # three pages of A4
PRINTED_WIDTH = 128  # characters in a line of them
COLUMN_GAP = 2  # characters between the columns of a table
FEDERATIONS = {
    "EBF": ("ebf",),
    "DBgF": ("dbgf",),
    "JBS": ("jbs",),
    "US": ("us", "us-doubles"),
    "NBgF": ("nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"),
}


# --- reading the page -------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of a table, for one profile."""

    title: str
    profile: str
    case: Case
    shows: str
    """What the panels show in the situation."""
    presses: str
    comes: str
    """What comes out."""


def profiles_of(names: str) -> list[str]:
    """Return the profiles of federations such as "EBF, DBgF", or "all but NBgF"."""
    if names.startswith("all but "):
        others = profiles_of(names.removeprefix("all but "))
        return [profile for profile in PROFILES if profile not in others]
    return [profile for name in names.split(", ") for profile in FEDERATIONS[name]]


def profiles_for(title: str) -> list[str]:
    """Return the profiles of the federations before a colon; all profiles without one."""
    names, colon, _ = title.partition(": ")
    return profiles_of(names) if colon else list(PROFILES)


def lines_of_tables(heading: str) -> list[list[str]]:
    """Return the lines of all tables whose first cell is `heading`, in cells, with one headline."""
    found = re.findall(rf"^(\| {heading} \|.*)\n\|-.*\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    lines = [found[0][0], *(line for _, body in found for line in body.splitlines())]
    return [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines]


SITUATION_LINES = lines_of_tables("situation")[1:]
REASON_HEAD, *REASON_LINES = lines_of_tables("reason")


def first_federation(cells: list[str]) -> str:
    """Return the first federation that has presses in a line of the table of reasons."""
    at = next(at for at, cell in enumerate(cells[1:], 1) if cell != "-")
    return REASON_HEAD[at].split(", ")[0]


def situation_rows() -> list[Row]:
    """Return the rows of the tables of situations that have a case."""
    return [
        Row(title, profile, SITUATIONS[title], shows, presses, comes)
        for title, shows, presses, comes in SITUATION_LINES
        if title in SITUATIONS
        for profile in profiles_for(title)
    ]


def reason_rows() -> list[Row]:
    """Return the rows of the table of reasons that have a case."""
    return [
        Row(cells[0], profile, REASONS[key], CLOCK_RUNS, presses, cells[-1])
        for cells in REASON_LINES
        if (key := (cells[0], first_federation(cells))) in REASONS
        for names, presses in zip(REASON_HEAD[1:-1], cells[1:-1], strict=True)
        if presses != "-"
        for profile in profiles_of(names)
    ]


def codes(cell: str) -> list[str]:
    """Return what stands in `code` in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def letters(presses: str) -> list[str]:
    """Return `C R3` as C, R, R, R."""
    words = [word for word in presses.strip("`").split() if word != "-"]
    return [letter for word in words for letter in word[0] * int(word[1:] or 1)]


# --- pressing ---------------------------------------------------------------------------------


def shown(table: Desk) -> str:
    """Return all texts on both panels, one a line."""
    texts = (
        (face.status, face.name, *face.lines, *face.keys, face.flag, face.score, face.delay_note)
        for face in table.faces()
    )
    return "\n".join(text for each in texts for text in each)


def missing(cell: str, table: Desk) -> list[str]:
    """Return what the panels show according to a cell, but do not."""
    return [text for text in codes(cell) if text not in shown(table)]


def selected_item(table: Desk) -> str | None:
    """Return the text of the item that is selected in the open menu; None if none is open."""
    page, offered = table.dialogue.page, offered_items(table.dialogue, table.state)
    return SAY(f"item_{offered[page.index(offered)].name}") if isinstance(page, MenuPage) else None


def press(table: Desk, presses: list[str]) -> list[str]:
    """Press buttons one after another; return the items that were chosen."""
    chosen = []
    for letter in presses:
        item = selected_item(table)
        if letter == "H":
            table.hold()
        else:
            table.tap(BUTTONS[letter])
        if letter == "C" and item is not None:
            chosen.append(item)
    return chosen


def is_expected(event: AnyEvent, case: Case) -> bool:
    """Return whether an event is the one that a case ends with."""
    return isinstance(event, case.event) and {
        name: getattr(event, name) for name in case.values
    } == dict(case.values)


def check(row: Row) -> Desk:
    """Run a row; return the table before the last check of its case."""
    table = row.case.begin(row.profile)
    before, presses = len(table.records), letters(row.presses)
    assert missing(row.shows, table) == []
    assert row.shows != CLOCK_RUNS or table.state.running is not None
    chosen = press(table, presses[:-1])
    early = [record.event for record in table.records[before:]]
    assert [event for event in early if is_expected(event, row.case)] == []
    chosen += press(table, presses[-1:])
    table.pass_time(0)  # a match that has been decided ends
    assert chosen == re.findall(r"\*([A-Z][\w/ ]+)\*", row.comes.split(", see ")[0])
    assert missing(row.comes, table) == []
    latest = [record.event for record in table.own]
    assert [event for event in latest if is_expected(event, row.case)] != [], latest
    return table


# --- the tests --------------------------------------------------------------------------------


def named(rows: list[Row]) -> list[object]:
    """Return rows as parameters with names for pytest."""
    return [pytest.param(row, id=f"{row.profile}-{row.title}") for row in rows]


def test_each_row_is_tried() -> None:
    """Each row of the tables has a case, and each case a row."""
    assert [cells[0] for cells in SITUATION_LINES] == list(SITUATIONS)
    assert [(cells[0], first_federation(cells)) for cells in REASON_LINES] == list(REASONS)


@pytest.mark.parametrize("row", named(situation_rows()))
def test_a_situation(row: Row) -> None:
    """The panels show what the row says, and the last press brings about what it promises."""
    assert codes(row.shows) or row.shows == CLOCK_RUNS
    assert row.case.so(check(row))


@pytest.mark.parametrize("row", named(reason_rows()))
def test_a_reason(row: Row) -> None:
    """The presses of the row choose its reason, and the centre does what the row promises."""
    table = row.case.begin(row.profile)
    press(table, letters(row.presses)[:-1])
    assert row.title in shown(table)
    assert row.case.so(check(row))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_reasons_of_each_profile(profile: str) -> None:
    """The table has presses for each reason that a profile offers, and for no other."""
    offered = {SAY(f"reason_{reason.value}") for reason in PROFILES[profile].reasons}
    columns = [at for at, names in enumerate(REASON_HEAD[1:-1], 1) if profile in profiles_of(names)]
    listed = [cells[0] for cells in REASON_LINES for at in columns if cells[at] != "-"]
    assert sorted(listed) == sorted(offered)


def test_each_reason_is_on_the_page() -> None:
    """Each reason that the panels may show is on the page, those outside the table too."""
    assert [r for r in Reason if SAY(f"reason_{r.value}") not in PAGE] == []


def test_buttons_are_tried_in_the_menu() -> None:
    """Hold, turn, hold again, as the page says before the round: nothing is confirmed by that."""
    table = desk()
    press(table, ["H"])
    first = selected_item(table)
    press(table, ["R"])
    assert selected_item(table) != first
    press(table, ["L", "H"])
    assert selected_item(table) is None
    assert not any(player.confirmed for player in table.state.players)


def wrapped(text: str, width: int) -> int:
    """Return how many lines a text takes in a column."""
    return max(1, -(-len(text) // width))


def printed_table(lines: list[str]) -> int:
    """Return how many lines a table takes if all its columns but the last are as wide as needed."""
    rows = [line.strip("| ").split(" | ") for line in lines if not line.startswith("|-")]
    *others, _ = (max(len(cell) for cell in column) for column in zip_longest(*rows, fillvalue=""))
    rest = PRINTED_WIDTH - sum(width + COLUMN_GAP for width in others)
    return sum(wrapped(row[-1], rest) for row in rows)


def test_the_page_has_three_printed_pages() -> None:
    """The page as it is printed, without its marks, has at most three pages."""
    blocks = re.findall(r"(?:^\|.*\n)+|^.*\n", re.sub(r"[`*]", "", PAGE), re.MULTILINE)
    lines = [
        printed_table(block.splitlines())
        if block.startswith("|")
        else wrapped(block.rstrip(), PRINTED_WIDTH)
        for block in blocks
    ]
    assert sum(lines) <= PRINTED_LINES


def test_what_else_is_shown() -> None:
    """Each text of the table of what the panels also show is one of theirs, or a head of a log."""
    texts = "\n".join(text for name in ("status", "lines") for text in tables("en")[name].values())
    known = re.sub(r"\{\w+\}", "1", texts).splitlines()
    cells = [cell for line in lines_of_tables("also shown")[1:] for cell in codes(line[0])]
    others = [text for text in cells if re.sub(r"\d", "1", text) not in known]
    assert others == ["7KQ2-M9XT-4WDA"]
