"""Pairing lists: board, player, player, as a CSV file of any program."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from clock.config.schema import LONGEST_NAME
from clock.report.lists import NotTextError, Row, decode, rows, spread
from room.boards.pairing_columns import (
    CELLS,
    PLAIN,
    Columns,
    at,
    fits,
    has_letter,
    known_boards,
    layout,
    named_board,
    players_of,
)

MAX_LIST = 64 * 1024  # a list of a thousand boards has 40 KB
MOST_TOLD = 40  # columns and cells of a problem are cut to so many characters

Words = Mapping[str, str]  # of the pages, in the language of the problems


class Pairing(NamedTuple):
    """Who plays at a board."""

    board: str
    names: tuple[str, str]


class Pairings(NamedTuple):
    """What a list says."""

    pairings: list[Pairing]
    problems: list[str]  # the lines and columns that say nothing usable, in words
    guess: str = ""  # the encoding, if only a guess: the names are to be looked at
    summary: str = ""  # how much of the list was read, in words


BYE = re.compile(
    r"[\W\d]*(?:(?:bye|freilos|spielfrei|oversidder|frirunde|frirond|fripla(?:ds|ss|ts)|exempt"
    r"|descansa|riposo|vrij|wolny los|volný los|walk[ -]?over|w[./]?o|x|unpaired|not paired"
    r"|sits? out)[\W\d]*)+|\W+",
    re.IGNORECASE,
)


def read_pairings(content: bytes, boards: Collection[str], words: Words) -> Pairings:
    """Return the pairings of a list, and what is not understood of it.

    Args:
        content: of the file, in any encoding that `decode` knows.
        boards: the names of the boards that there are.
        words: in which problems are told.
    """
    if len(content) > MAX_LIST:
        why = words["pairings_large"].format(n=MAX_LIST // 1024)
        return Pairings([], [why], summary=why)
    try:
        text, guess = decode(content)
    except NotTextError:
        return Pairings([], [words["pairings_no_text"]], summary=words["pairings_no_text"])
    known = known_boards(boards)
    key = partial(named_board, columns=PLAIN, known=known)

    def fitness(given: list[Row]) -> tuple[int, int, int]:
        columns, _, lines = layout(spread(given, key), known)
        return (
            sum(fits(row.cells, columns, known) for row in lines),
            sum(named_board(row.cells, columns, known) is not None for row in lines),
            sum(len(row.cells) >= CELLS for row in lines),
        )

    columns, heading, lines = layout(spread(rows(text, fitness), key), known)
    found: dict[str, Pairing] = {}
    unread = []
    for line, cells in lines:
        board = named_board(cells, columns, known)
        problem = _problem(cells, columns, board, found, words)
        if not problem and board is not None:
            found[board] = Pairing(board, players_of(cells, columns))
        else:
            unread.append(words["pairings_line"].format(line=line, why=problem))
    others = [(at(heading, index) or str(index + 1))[:MOST_TOLD] for index in columns.unknown]
    problems = [words["pairings_column"].format(column=name) for name in others] + unread
    read = [_counted(len(found), "pairings_read", words)]
    read += [_counted(len(unread), "pairings_not", words)] if unread else []
    said = [", ".join(read), "; ".join(problems)]
    return Pairings(list(found.values()), problems, guess, ": ".join(filter(None, said)))


def _counted(number: int, key: str, words: Words) -> str:
    return words[f"{key}_one" if number == 1 else key].format(n=number)


def _problem(
    cells: Sequence[str],
    columns: Columns,
    board: str | None,
    found: Collection[str],
    words: Words,
) -> str:
    """Return what is wrong with a line, or ""."""
    names, named = players_of(cells, columns), at(cells, columns.board)[:LONGEST_NAME]
    if any(map(BYE.fullmatch, names)):
        return words["pairings_bye"]
    if not named or not all(map(has_letter, names)):
        return words["pairings_cells"]
    if board is None:
        return words["pairings_unknown"].format(board=named)
    return words["pairings_again"].format(board=board) if board in found else ""
