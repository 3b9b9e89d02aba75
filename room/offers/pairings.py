"""Pairing lists: board, player, player, as a CSV file of any program."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from clock.config.schema import LONGEST_NAME
from clock.report.lists import NotTextError, Row, decode, rows, spread

MAX_LIST = 64 * 1024  # a list of a thousand boards has 40 KB
CELLS = 3  # board, player, player
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


BOARD = r"(?:table|board|tisch|brett|bord|br[æe]t|mesa|tavolo|masa|stół|stůl|asztal|τραπέζι|стол)"
NUMBER = r"(?:no|nr|num|number|nummer)"
# What a column is by the words of its heading; the first that fits counts.
HEADINGS = {
    "board": rf"{BOARD}(?: (?:#|{NUMBER}|name|id))?",
    "number": rf"#|№|{NUMBER}",  # of the board if there is one such column, else of the players
    "passed": r"(?:.* )?(?:\w*(?:rating|rtg|round|runde|club|klub|verein|team|country|nation"
    r"|federation|point|punkt|score|wertung|uhrzeit)\w*|elo|fed|flag|seed|rank|rang|title|titel"
    r"|land|city|by|ort|sted|id|time|zeit|tid|vs?|wins?|losses|res|result|resultat|ergebnis)"
    r"(?: .*)?",
    "given": r"(?:.* )?(?:(?:first|given|fore)(?: ?names?)?|vorname|fornavn|förnamn|prénom)"
    r"(?: .*)?",
    "player": r".*(?:player|spieler|spiller|spelare|jugador|joueur|giocatore|oyuncu|gracz|hráč"
    r"|παίκτης|игрок|name|navn|namn|white|black|weiss|schwarz|hvid|hvit|sort|svart|home|away|left"
    r"|right|links|rechts|venstre|højre|høyre|opponent|gegner|modstander|motstander).*|[ab12]",
}
HEADING_WORDS = re.compile(r"[^\W\d_]+|[#№\d]")
BYE = re.compile(
    r"\W*(?:bye|freilos|spielfrei|oversidder|frirunde|friplads|walk-?over)\W*\d*\W*|\W+",
    re.IGNORECASE,
)
VERSUS = re.compile(r"v|vs|versus|gegen|mod|mot|contra|\W*", re.IGNORECASE)
WORN = re.compile(
    rf"(?:(?:{BOARD}|{NUMBER})(?![^\W\d_]))?[\s.#№]*(.*?)(?:[.,]0+)?\s*[.:)]?", re.IGNORECASE
)


class Columns(NamedTuple):
    """Which columns of a list hold what."""

    board: int
    players: tuple[tuple[int, ...], tuple[int, ...]]  # a family name may have its given name apart
    unknown: tuple[int, ...] = ()


PLAIN = Columns(0, ((1,), (2,)))


def read_pairings(content: bytes, boards: Collection[str], words: Words) -> Pairings:
    """Return the pairings of a list, and what is not understood of it.

    Args:
        content: of the file, in UTF-8, UTF-16, or as Windows writes it.
        boards: the names of the boards that there are.
        words: in which problems are told.
    """
    if len(content) > MAX_LIST:
        return Pairings([], [words["pairings_large"].format(n=MAX_LIST // 1024)])
    try:
        text, guess = decode(content)
    except NotTextError:
        return Pairings([], [words["pairings_no_text"]])
    known = _known(boards)
    key = partial(_board, columns=PLAIN, known=known)

    def fitness(given: list[Row]) -> tuple[int, int, int]:
        columns, _, lines = _layout(spread(given, key), known)
        return (
            sum(_fits(row.cells, columns, known) for row in lines),
            sum(_board(row.cells, columns, known) is not None for row in lines),
            sum(len(row.cells) >= CELLS for row in lines),
        )

    columns, heading, lines = _layout(spread(rows(text, fitness), key), known)
    found: dict[str, Pairing] = {}
    unread = []
    for line, cells in lines:
        board = _board(cells, columns, known)
        problem = _problem(cells, columns, board, found, words)
        if not problem and board is not None:
            found[board] = Pairing(board, _names(cells, columns))
        else:
            unread.append(words["pairings_line"].format(line=line, why=problem))
    problems = _unknown_columns(columns, heading, lines, words) + unread
    read = [_counted(len(found), "pairings_read", words)]
    read += [_counted(len(unread), "pairings_not", words)] if unread else []
    said = [", ".join(read), "; ".join(problems)]
    return Pairings(list(found.values()), problems, guess, ": ".join(filter(None, said)))


def _counted(number: int, key: str, words: Words) -> str:
    return words[f"{key}_one" if number == 1 else key].format(n=number)


# --- boards and players -------------------------------------------------------------------------


def _known(boards: Collection[str]) -> dict[str, str]:
    """Return boards by what a list may call them: as it is, in small letters, "01", "Table 1"."""
    plain: dict[str, set[str]] = {}
    for board in boards:
        plain.setdefault(_plain(board), set()).add(board)
    single = {name: only for name, (only, *more) in plain.items() if not more}
    return single | {board: board for board in boards}


def _plain(board: str) -> str:
    """Return the name of a board without what programs write around it."""
    worn = WORN.fullmatch(board.strip())
    name = (worn[1] if worn else "") or board
    return name.strip().lstrip("0").casefold() or name


def _board(cells: Sequence[str], columns: Columns, known: Mapping[str, str]) -> str | None:
    named = _at(cells, columns.board)
    return known.get(named) or (known.get(_plain(named)) if named else None)


def _at(cells: Sequence[str], index: int) -> str:
    return cells[index] if index < len(cells) else ""


def _names(cells: Sequence[str], columns: Columns) -> tuple[str, str]:
    first, second = (
        short_name(", ".join(filter(None, (_at(cells, index) for index in of))))
        for of in columns.players
    )
    return first, second


def _fits(cells: Sequence[str], columns: Columns, known: Mapping[str, str]) -> bool:
    return _board(cells, columns, known) is not None and all(_names(cells, columns))


def _problem(
    cells: Sequence[str],
    columns: Columns,
    board: str | None,
    found: Collection[str],
    words: Words,
) -> str:
    """Return what is wrong with a line, or ""."""
    names, named = _names(cells, columns), _at(cells, columns.board)[:LONGEST_NAME]
    if any(name and BYE.fullmatch(name) for name in names):
        return words["pairings_bye"]
    if not all(map(_has_letter, names)):
        return words["pairings_cells"]
    if board is None:
        return words["pairings_unknown"].format(board=named)
    return words["pairings_again"].format(board=board) if board in found else ""


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))


# --- columns ------------------------------------------------------------------------------------


def _layout(
    given: Sequence[Row], known: Mapping[str, str]
) -> tuple[Columns, Sequence[str], list[Row]]:
    """Return the columns of a list, its headings, and its other lines.

    A heading is a line above all others that names a board's and two players' columns, or the
    first one, if two of its cells name columns, or one a board's, and another line fits.
    """
    for index, row in enumerate(given):
        if _fits(row.cells, PLAIN, known):
            break
        columns = _by_headings(row.cells)
        if columns is not None:
            return columns, row.cells, [*given[:index], *given[index + 1 :]]
    columns = _by_contents(given, known)
    if not given or not any(_fits(row.cells, columns, known) for row in given):
        return columns, (), list(given)
    first, *rest = given
    kinds = list(filter(None, map(_kind, first.cells)))
    is_heading = kinds[1:] or "board" in kinds
    if not is_heading or _board(first.cells, columns, known) is not None:
        return columns, (), list(given)
    named = tuple(index for index, cell in enumerate(first.cells) if cell and not _kind(cell))
    return columns._replace(unknown=named), first.cells, rest


def _by_headings(cells: Sequence[str]) -> Columns | None:
    """Return the columns that headings name; None if these are no headings."""
    kinds = [_kind(cell) for cell in cells]
    places = {kind: [i for i, each in enumerate(kinds) if each == kind] for kind in HEADINGS}
    players, given, numbers = places["player"], places["given"], places["number"]
    board = places["board"] or numbers * (len(numbers) == 1)
    if not board:
        return None
    if len(players) < 2:  # noqa: PLR2004 - both
        named = [i for i, each in enumerate(kinds) if each == "" and cells[i]]
        players = sorted([*players, *named])
        if len(players) != 2:  # noqa: PLR2004
            return None
    first, second = (
        (player, *given[index : index + 1]) for index, player in enumerate(players[:2])
    )
    used = {board[0], *numbers, *first, *second}
    others = (i for i, each in enumerate(kinds) if i not in used and each != "passed" and cells[i])
    return Columns(board[0], (first, second), tuple(others))


def _kind(heading: str) -> str:
    """Return what a column is by its heading, or ""."""
    text = " ".join(HEADING_WORDS.findall(heading.casefold().replace("ß", "ss")))
    return next((kind for kind, form in HEADINGS.items() if re.fullmatch(form, text)), "")


def _by_contents(given: Sequence[Row], known: Mapping[str, str]) -> Columns:
    """Return the columns of a list without headings: those of numbers alone are no players'."""
    starts = (next((i for i, cell in enumerate(row.cells) if cell), 0) for row in given)
    board = min(starts, default=0)  # others are empty in front of it
    plain = Columns(board, ((board + 1,), (board + 2,)))
    lines = [row.cells for row in given if _board(row.cells, plain, known) is not None]
    width = max(map(len, lines), default=0)
    between = [
        index
        for index in range(board + 1, width)
        if all(VERSUS.fullmatch(_at(cells, index).rstrip(".")) for cells in lines)
    ]
    columns = [index for index in range(board + 1, width) if index not in between]
    named = [i for i in columns if any(_has_letter(_at(cells, i)) for cells in lines)]
    if len(named) < 2:  # noqa: PLR2004 - both
        return plain
    others = tuple(index for index in columns if index not in named[:2])
    return Columns(board, ((named[0],), (named[1],)), others)


def _unknown_columns(
    columns: Columns, heading: Sequence[str], lines: Sequence[Row], words: Words
) -> list[str]:
    """Return a text for each column that is not understood."""
    filled = [i for i in columns.unknown if heading or any(_at(row.cells, i) for row in lines)]
    names = [(_at(heading, index) or str(index + 1))[:MOST_TOLD] for index in filled]
    return [words["pairings_column"].format(column=name) for name in names]


def short_name(name: str) -> str:
    """Return a name as an offer may have it: printable, and at most `LONGEST_NAME` characters."""
    printable = "".join(each for each in name if each.isprintable())
    return printable.strip()[:LONGEST_NAME].strip()
