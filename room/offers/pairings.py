"""Pairing lists: board, player, player, as a CSV file of any program."""

import csv
from collections.abc import Collection, Mapping
from typing import NamedTuple

from clock.config.schema import LONGEST_NAME

MAX_LIST = 64 * 1024  # a list of a thousand boards has 40 KB
SEPARATORS = ",;\t"
CELLS = 3


Words = Mapping[str, str]  # of the pages, in the language of the problems


class Pairing(NamedTuple):
    """Who plays at a board."""

    board: str
    names: tuple[str, str]


class Pairings(NamedTuple):
    """What a list says."""

    pairings: list[Pairing]
    problems: list[str]  # the lines that say nothing usable, in words


def read_pairings(content: bytes, boards: Collection[str], words: Words) -> Pairings:
    """Return the pairings of a list; a first line with headings is skipped.

    Args:
        content: of the file, in UTF-8 or as Windows writes it.
        boards: the names of the boards that there are.
        words: in which problems are told.
    """
    if len(content) > MAX_LIST:
        return Pairings([], [words["pairings_large"].format(n=MAX_LIST // 1024)])
    lines = _text(content).splitlines()
    separator = max(SEPARATORS, key=lambda each: sum(line.count(each) for line in lines))
    found: dict[str, Pairing] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
        if not any(cells):
            continue
        problem = _problem(cells, boards, found, words)
        if not problem:
            found[cells[0]] = Pairing(cells[0], (short_name(cells[1]), short_name(cells[2])))
        elif number > 1 or cells[0].isdecimal():
            problems.append(words["pairings_line"].format(line=number, why=problem))
    return Pairings(list(found.values()), problems)


def _problem(
    cells: list[str], boards: Collection[str], found: Collection[str], words: Words
) -> str:
    """Return what is wrong with a line, or ""."""
    if len(cells) < CELLS or not all(short_name(cell) for cell in cells[1:CELLS]):
        return words["pairings_cells"]
    if cells[0] not in boards:
        return words["pairings_unknown"].format(board=cells[0][:LONGEST_NAME])
    return words["pairings_again"].format(board=cells[0]) if cells[0] in found else ""


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def short_name(name: str) -> str:
    """Return a name as an offer may have it: printable, and at most `LONGEST_NAME` characters."""
    printable = "".join(each for each in name if each.isprintable())
    return printable.strip()[:LONGEST_NAME].strip()
