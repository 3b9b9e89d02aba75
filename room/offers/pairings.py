"""Pairing lists: board, player, player, as a CSV file of any program."""

import csv
from collections.abc import Collection
from typing import NamedTuple

from clock.config.schema import LONGEST_NAME

MAX_LIST = 64 * 1024  # a list of a thousand boards has 40 KB
SEPARATORS = ",;\t"
CELLS = 3


class Pairing(NamedTuple):
    """Who plays at a board."""

    board: str
    names: tuple[str, str]


class Pairings(NamedTuple):
    """What a list says."""

    pairings: list[Pairing]
    problems: list[str]  # the lines that say nothing usable, in words


def read_pairings(content: bytes, boards: Collection[str]) -> Pairings:
    """Return the pairings of a list; a first line with headings is skipped.

    Args:
        content: of the file, in UTF-8 or as Windows writes it.
        boards: the names of the boards that there are.
    """
    if len(content) > MAX_LIST:
        return Pairings([], [f"the file is larger than {MAX_LIST // 1024} KB"])
    lines = _text(content).splitlines()
    separator = max(SEPARATORS, key=lambda each: sum(line.count(each) for line in lines))
    found: dict[str, Pairing] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
        if not any(cells):
            continue
        problem = _problem(cells, boards, found)
        if not problem:
            found[cells[0]] = Pairing(cells[0], (short_name(cells[1]), short_name(cells[2])))
        elif number > 1 or cells[0].isdecimal():
            problems.append(f"line {number}: {problem}")
    return Pairings(list(found.values()), problems)


def _problem(cells: list[str], boards: Collection[str], found: Collection[str]) -> str:
    """Return what is wrong with a line, or ""."""
    if len(cells) < CELLS or not all(short_name(cell) for cell in cells[1:CELLS]):
        return "expected a board and two players"
    if cells[0] not in boards:
        return f"there is no board {cells[0][:LONGEST_NAME]}"
    return f"board {cells[0]} again" if cells[0] in found else ""


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def short_name(name: str) -> str:
    """Return a name as an offer may have it: printable, and at most `LONGEST_NAME` characters."""
    printable = "".join(each for each in name if each.isprintable())
    return printable.strip()[:LONGEST_NAME].strip()
