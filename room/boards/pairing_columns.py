"""Which columns of a pairing list hold what, and which board a cell names."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from clock.config.schema import LONGEST_NAME
from clock.report.lists import Row

CELLS = 3  # board, player, player

BOARD = r"(?:t|table|tbl|board|bd|tisch|brett|bord|br[æe]t|clock|uhr|ur|klokke"
BOARD += r"|mesa|tavolo|masa|stół|stůl|asztal|tafel|pöytä|τραπέζι|стол)"
NUMBER = r"(?:no|nr|num|number|nummer)"
# What a column is by the words of its heading; the first that fits counts.
HEADINGS = {
    "board": rf"{BOARD}(?: ?(?:#|{NUMBER}|name|id))?",
    "number": rf"#|№|{NUMBER}",  # of the board if there is one such column, else of the players
    "match": r"match(?: .*)?",  # of the board if no other column is
    "passed": r"(?:.* )?(?:\w*(?:rating|rtg|round|runde|club|klub|verein|team|country|nation"
    r"|federation|point|punkt|score|wertung|uhrzeit)\w*|elo|fed|nat|flag|seed|rank|rang|title|titel"
    r"|land|city|by|ort|sted|id|time|zeit|tid|vs?|wins?|losses|res|result|resultat|ergebnis)"
    r"(?: .*)?",
    "given": r"(?:.* )?(?:(?:first|given|fore)(?: ?names?)?|vorname|fornavn|förnamn|prénom)"
    r"(?: .*)?",
    "player": r".*(?:player|spieler|spiller|spelare|speler|pelaaja|jugador|joueur|giocatore|oyuncu"
    r"|gracz|hráč|παίκτης|игрок|name|navn|namn|white|black|weiss|schwarz|hvid|hvit|sort|svart|home"
    r"|away|heim|gast|hjemme|left|right|links|rechts|venstre|højre|høyre|opponent|gegner|modstander"
    r"|motstander).*|[abp12]|p [12]",
}
HEADING_WORDS = re.compile(r"[^\W\d_]+|[#№\d]")
VERSUS = re.compile(r"(?:v|vs|versus|gegen|mod|mot|contra)\.?|\W*", re.IGNORECASE)
WORN = re.compile(
    rf"[\s'#_(\[-]*(?:{BOARD}?[\s._-]*{NUMBER}?(?![^\W\d_]))?[\s.:#_-]*(.*?)(?:[.,]0+)?[\s.:)\]]*",
    re.IGNORECASE,
)
COUNTRY = re.compile(r"[A-Z]{3}")


class Columns(NamedTuple):
    """Which columns of a list hold what."""

    board: int
    players: tuple[tuple[int, ...], tuple[int, ...]]  # a family name may have its given name apart
    unknown: tuple[int, ...] = ()


PLAIN = Columns(0, ((1,), (2,)))


def layout(
    given: Sequence[Row], known: Mapping[str, str]
) -> tuple[Columns, Sequence[str], list[Row]]:
    """Return the columns of a list, its headings, and its other lines.

    A heading is a line above all others that names a board's and two players' columns, or the
    first one, if two of its cells name columns, or one a board's, and another line fits.
    """
    if not given:
        return PLAIN, (), []
    for index, row in enumerate(given):
        if fits(row.cells, PLAIN, known):
            break
        columns = _by_headings(row.cells)
        if columns is not None:
            lines = [*given[:index], *given[index + 1 :]]
            return _with_others(columns, row.cells, lines), row.cells, lines
    columns = _by_contents(given, known)
    if not any(fits(row.cells, columns, known) for row in given):
        return columns, (), list(given)
    first, *rest = given
    kinds = list(filter(None, map(_kind, first.cells)))
    has_number = any(map(str.isdigit, at(first.cells, columns.board)))  # of a board, known or not
    is_heading = (kinds[1:] or "board" in kinds) and not has_number
    if not is_heading or named_board(first.cells, columns, known) is not None:
        return _with_others(columns, (), given), (), list(given)
    return _with_others(columns, first.cells, rest), first.cells, rest


def _with_others(columns: Columns, heading: Sequence[str], lines: Sequence[Row]) -> Columns:
    """Return columns with those that are neither used, nor empty, nor known by their heading."""
    used = {columns.board, *columns.players[0], *columns.players[1]}
    others = [
        index
        for index in sorted(_said([heading, *(row.cells for row in lines)]) - used)
        if _kind(at(heading, index)) not in {"passed", "number", "match"}
    ]
    return columns._replace(unknown=tuple(others))


def _said(rows: Iterable[Sequence[str]]) -> set[int]:
    """Return the columns in which a cell is neither empty nor "vs.": there may be thousands."""
    return {i for cells in rows for i, cell in enumerate(cells) if not VERSUS.fullmatch(cell)}


def _by_headings(cells: Sequence[str]) -> Columns | None:
    """Return the columns that headings name; None if these are no headings."""
    kinds = [_kind(cell) for cell in cells]
    places = {kind: [i for i, each in enumerate(kinds) if each == kind] for kind in HEADINGS}
    players, given, numbers = places["player"], places["given"], places["number"]
    unnamed = [i for i, cell in enumerate(cells) if cell and not kinds[i]]
    board = places["board"] or numbers * (len(numbers) == 1) or places["match"]
    if not board and players[1:] and places["passed"]:
        board = unnamed * (len(unnamed) == 1)  # in a word that is not known here
    if not board:
        return None
    if len(players) < 2:  # noqa: PLR2004 - both
        players = sorted([*players, *unnamed])
        if len(players) != 2:  # noqa: PLR2004
            return None
    first, second = (
        (player, *given[index : index + 1]) for index, player in enumerate(players[:2])
    )
    return Columns(board[0], (first, second))


@lru_cache
def _kind(heading: str) -> str:
    """Return what a column is by its heading, or ""."""
    text = " ".join(HEADING_WORDS.findall(heading.casefold().replace("ß", "ss")))
    return next((kind for kind, form in HEADINGS.items() if re.fullmatch(form, text)), "")


def _by_contents(given: Sequence[Row], known: Mapping[str, str]) -> Columns:
    """Return the columns of a list without headings: those of numbers alone are no players'."""
    start = min(next(i for i, cell in enumerate(row.cells) if cell) for row in given)
    board = _board_column(start, [row for row in given if len(row.cells) >= CELLS], known)
    plain = Columns(board, ((start + 1,), (start + 2,)))
    lines = [row for row in given if named_board(row.cells, plain, known) is not None]
    written = {i for row in lines for i, cell in enumerate(row.cells) if has_letter(cell)}
    named = sorted((written & _said(row.cells for row in lines)) - {board})
    people = [i for i in named if not all(COUNTRY.fullmatch(at(row.cells, i)) for row in lines)]
    players = people if len(people) > 1 else named
    return plain._replace(players=((players[0],), (players[1],))) if players[1:] else plain


def _board_column(start: int, lines: Sequence[Row], known: Mapping[str, str]) -> int:
    """Return which column has the boards: that of their heading; the first, the second or the last.

    Without a heading it is the first, unless that has the round, or only the last has boards.
    """
    heading = [_kind(cell) for cell in lines[0].cells] if lines else []
    if "board" in heading:
        return heading.index("board")
    end = start + CELLS
    first, second, third = ([at(row.cells, i) for row in lines] for i in range(start, end))

    def are_boards(cells: Sequence[str]) -> bool:
        found = {_known_board(cell, known) for cell in cells}
        return None not in found and len(found) == len(cells) > 1

    if are_boards(second) and len({*first}) == 1 and first[0].isdecimal():
        return start + 1
    is_last = all(len(row.cells) <= end for row in lines)
    are_names = not any(_known_board(cell, known) for cell in first)
    return start + 2 if is_last and are_names and are_boards(third) else start


# --- boards and players -------------------------------------------------------------------------


def known_boards(boards: Collection[str]) -> dict[str, str]:
    """Return boards by what a list may call them: as it is, in small letters, "01", "Table 1"."""
    plain: dict[str, set[str]] = {}
    for board in boards:
        plain.setdefault(_plain(board), set()).add(board)
    single = {name: only for name, (only, *more) in plain.items() if not more}
    return single | {board: board for board in boards}


def _plain(board: str) -> str:
    """Return the name of a board without what programs write around it."""
    name = unicodedata.normalize("NFKC", short_name(board))
    worn = WORN.fullmatch(name)
    name = (worn[1] if worn else "") or name
    return name.strip().lstrip("0").casefold() or name


def named_board(cells: Sequence[str], columns: Columns, known: Mapping[str, str]) -> str | None:
    """Return the board that a row names, if there is such a board."""
    return _known_board(at(cells, columns.board), known)


def _known_board(named: str, known: Mapping[str, str]) -> str | None:
    return known.get(named) or (known.get(_plain(named)) if named else None)


def at(cells: Sequence[str], index: int) -> str:
    """Return a cell; "" if the row has fewer."""
    return cells[index] if index < len(cells) else ""


def players_of(cells: Sequence[str], columns: Columns) -> tuple[str, str]:
    """Return the names of the players of a row."""
    first, second = (
        short_name(", ".join(filter(None, (at(cells, index) for index in of))))
        for of in columns.players
    )
    return first, second


def fits(cells: Sequence[str], columns: Columns, known: Mapping[str, str]) -> bool:
    """Return whether a row has a board and two players."""
    return named_board(cells, columns, known) is not None and all(players_of(cells, columns))


def has_letter(text: str) -> bool:
    """Return whether a cell may be a name."""
    return any(map(str.isalpha, text))


def short_name(name: str) -> str:
    """Return a name as an offer may have it: printable, and at most `LONGEST_NAME` characters."""
    composed = unicodedata.normalize("NFC", name)  # a Mac may write a letter and its accent apart
    printable = "".join(filter(str.isprintable, composed))
    return printable.strip()[:LONGEST_NAME].strip()
