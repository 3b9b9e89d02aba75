"""The director's page: its tables read as rows, and a row pressed on a clock.

The tests of the page and the generator of the cards read the page here, so that each press is
written once, in `docs/director.md`.
"""

import re
from typing import NamedTuple

from clock.match.events import AnyEvent
from clock.match.profiles import PROFILES
from clock.match.types import Pair
from clock.ui.dialogue import MenuPage, offered_items
from clock.ui.i18n import sayer
from lab.support.desk import C, Desk, L, R
from lab.support.federations import FEDERATIONS
from lab.support.paths import ROOT
from tests.docs.director_cases import REASONS, SITUATIONS, Case

PAGE = (ROOT / "docs" / "director.md").read_text(encoding="utf-8")
BUTTONS = {"L": L, "R": R, "C": C}
UNNAMED = Pair("Left", "Right")
CLOCK_RUNS = "a clock runs"  # stands where a clock shows nothing particular
ON_PAGE = [name for name in PROFILES if FEDERATIONS[name].page]
"""The profiles of the federations that the page knows."""


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
    language: str = "en"
    """Of the panels that it quotes."""


def profiles_of(names: str) -> list[str]:
    """Return the profiles of federations such as "EBF, DBgF", or "all but NBgF"."""
    if names.startswith("all but "):
        others = profiles_of(names.removeprefix("all but "))
        return [profile for profile in ON_PAGE if profile not in others]
    return [profile for profile in ON_PAGE if FEDERATIONS[profile].page in names.split(", ")]


def profiles_for(title: str) -> list[str]:
    """Return the profiles of the federations before a colon; all profiles without one."""
    names, colon, _ = title.partition(": ")
    return profiles_of(names) if colon else ON_PAGE


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
        if has_delay(profile) or "elay" not in title + comes
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
        if has_delay(profile) or "elay" not in cells[-1]
    ]


def has_delay(profile: str) -> bool:
    """Return whether the rows about a delay are for a profile."""
    return PROFILES[profile].delay_ns > 0


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def letters(presses: str) -> list[str]:
    """Return `C R3` as C, R, R, R."""
    words = [word for word in presses.strip("`").split() if word != "-"]
    return [letter for word in words for letter in word[0] * int(word[1:] or 1)]


# --- pressing ---------------------------------------------------------------------------------


def texts(table: Desk) -> list[str]:
    """Return all texts on both panels; the same text stands at the same place in each language.

    The players have no names, for the page calls them left and right.
    """
    table = table.twin()
    table.state = table.state.replace(names=UNNAMED)
    return [
        text
        for face in table.faces()
        for text in (
            *(face.status, face.name, *face.lines, *face.keys),
            *(face.flag, face.score, face.delay_note),
        )
    ]


def missing(cell: str, table: Desk) -> list[str]:
    """Return what the panels show according to a cell, but do not."""
    shown = "\n".join(texts(table))
    return [text for text in codes(cell) if text not in shown]


def items(cell: str) -> list[str]:
    return re.findall(r"\*([^*]+)\*", cell.split(", see ", maxsplit=1)[0])


def selected_item(table: Desk) -> str | None:
    """Return the text of the item that is selected in the open menu; None if none is open."""
    page, offered = table.dialogue.page, offered_items(table.dialogue, table.state)
    if not isinstance(page, MenuPage):
        return None
    return sayer(table.language)(f"item_{offered[page.index(offered)].name}")


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
    table.language = row.language
    before, presses = len(table.records), letters(row.presses)
    assert missing(row.shows, table) == []
    assert codes(row.shows) or table.state.running is not None
    chosen = press(table, presses[:-1])
    early = [record.event for record in table.records[before:]]
    assert [event for event in early if is_expected(event, row.case)] == []
    chosen += press(table, presses[-1:])
    table.pass_time(0)  # a match that has been decided ends
    assert chosen == items(row.comes)
    assert missing(row.comes, table) == []
    latest = [record.event for record in table.own]
    assert [event for event in latest if is_expected(event, row.case)] != [], latest
    return table
