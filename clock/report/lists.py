"""Lists that other programs wrote: rows of cells from a CSV file of any spreadsheet.

What a file does not say (its separator, often its encoding) follows from what fits; a guess is
named as one. Pure.
"""

import csv
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

SEPARATORS = ";\t,|"
DECLARED = re.compile(r'"?sep=(.)"?\s*')  # Excel's own first line
BETWEEN = re.compile(r"\s+(?:vs?\.?|versus|gegen|mod|mot|[-\u2013\u2014:])\s+", re.IGNORECASE)
GUARDED = re.compile(r"'(?=\s*[-=+@\uff1d\uff0b\uff0d\uff20])")  # as `fields.csv_bytes` writes it
BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")  # workbooks, as they are not to be read
# The bytes of UTF-16 without a mark: every second one of Latin letters is 0.
UTF_16 = {"utf-16-le": slice(1, None, 2), "utf-16-be": slice(0, None, 2)}
MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


class NotTextError(Exception):
    """A file is a workbook or something else that is no text."""


class Row(NamedTuple):
    """A row that has a letter or a digit."""

    line: int  # its first line in the file, from 1
    cells: list[str]


class Decoded(NamedTuple):
    """A text, and how its bytes were read."""

    text: str
    guess: str  # the encoding, if another one would fit too; else empty


def rows(text: str, fitness: Callable[[list[Row]], tuple[int, ...]]) -> list[Row]:
    """Return the rows of a list, separated as `fitness` finds best.

    Args:
        text: of the file.
        fitness: returns how well rows fit; the best is the largest.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    declared = DECLARED.fullmatch(lines[0])
    if declared:
        return _separated(["", *lines[1:]], declared[1])
    ways = [_separated(lines, each) for each in SEPARATORS]
    return max(ways, key=fitness)


def _separated(lines: list[str], separator: str) -> list[Row]:
    """Return rows; where quotes do not match, each line is one, with its quotes as they are."""
    try:
        found = _read(lines, separator, strict=True)
    except csv.Error:
        found = [
            Row(number, row.cells)
            for number, line in enumerate(lines, 1)
            for row in _read([line], separator, strict=False)
        ]
    return [row for row in found if any(map(str.isalnum, "".join(row.cells)))]


def _read(lines: list[str], separator: str, *, strict: bool) -> list[Row]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=strict)
    found, line = [], 1
    for cells in reader:
        found.append(Row(line, [_cell(cell) for cell in cells]))
        line = reader.line_num + 1
    return found


def _cell(text: str) -> str:
    """Return what a cell says, on one line, without the mark that keeps it from being computed."""
    return GUARDED.sub("", " ".join(text.split()), count=1)


def spread(given: list[Row], key: Callable[[list[str]], str | None]) -> list[Row]:
    """Return rows of a key and two names, of a list that has both in one cell, or a line for each.

    `key` returns that of a row's cells, or None. Other lists are returned as they are.
    """
    filled = [[cell for cell in row.cells if cell] for row in given]
    if any(len(cells) > 2 for cells in filled):  # noqa: PLR2004 (key and name)
        return given
    found, begun = list[Row](), ""  # the key of a row that has one name
    for row, cells in zip(given, filled, strict=True):
        own, names = key(row.cells), BETWEEN.split(cells[-1])
        if own and len(cells) == len(names) == 2:  # noqa: PLR2004 (key and names)
            found.append(Row(row.line, [cells[0], *names]))
        elif begun and (own == begun if row.cells[0] else len(cells) == 1):
            found[-1], begun = Row(found[-1].line, [*found[-1].cells[:2], cells[-1]]), ""
        else:
            found, begun = [*found, row], (own or "") if len(cells) == 2 else ""  # noqa: PLR2004
    return found


# --- encodings ----------------------------------------------------------------------------------


def decode(content: bytes) -> Decoded:
    """Return the text of a file: UTF-8 or UTF-16, or else as Windows writes it where it fits best.

    Raises:
        NotTextError: it is none.
    """
    if content.startswith(BINARY):
        raise NotTextError
    for mark, encoding in MARKS.items():
        if content.startswith(mark):
            return _sure(content.removeprefix(mark), encoding)
    for encoding, zeros in UTF_16.items():
        if content and content[zeros].count(0) * 2 > len(content[zeros]):
            return _sure(content, encoding)
    if 0 in content:
        raise NotTextError
    try:
        return Decoded(content.decode(), "")
    except UnicodeDecodeError:
        return _guessed(content)


def _sure(content: bytes, encoding: str) -> Decoded:
    return Decoded(content.decode(encoding, errors="replace").replace("\0", "?"), "")


class Language(NamedTuple):
    """The letters of a language that are not ASCII, and where its words never have them."""

    letters: str
    never: str = "(?!)"


# The encodings of Windows, the likelier first: of those that differ in a list, the one whose words
# are words of its languages is right.
LANGUAGES = {
    "windows-1254": (Language("çğıöşüâîû", r"^ğ|[^aeıioöuüâîû]ğ|[qwx]"),),
    "windows-1252": (
        Language("äöüß"),
        Language("æøåéöüäô", r"[aeiouyæøå]æ|æ$|ø[aeiouæå]"),
        Language("äöåéü"),
        Language("áðéíóúýþæö", r"^ð|[aeiouyáéíóúýæö]þ|þ$|[cqwz]"),
        Language("àâçéèêëîïôùûüÿ", r"^[èêâô]|[bcdfghjklmnpqrstvwxzèœ]ê[bcdfghjklmnpqrvwxz]|sz|cz"),
        Language("áéíñóúüçàèòï", r"^[èò]"),
        Language("ãõáâàçéêíóôúü", r"õ(?!e)|ã(?!o|e|$|n)"),
        Language("àèéìíòóù", "^[èì]"),
        Language("äëéèïöüôû", "sz|cz"),
    ),
    "windows-1250": (
        Language("ąćęłńóśźż"),
        Language("áčďéěíňóřšťúůýžäľĺŕô"),
        Language("áéíóöőúüű"),
        Language("čćđšž"),
        Language("ăâîşţ"),
        Language("äöüß"),
    ),
    "windows-1253": (
        Language("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐ", "[a-z]|ς.|[βγδζθκλμξπστφχψ]$"),
    ),
    "windows-1251": (Language("".join(map(chr, range(0x430, 0x460))) + "ґ", "[a-z]"),),
    "windows-1257": (Language("ąčęėįšųūž"), Language("āčēģīķļņšūž"), Language("äõöüšž")),
}
WORDS = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")  # with a letter that is not ASCII
SIGNS = re.compile(r"[^\w\s\x00-\x7f’‘“”„–—«»…´]")  # that stand in no list of names


def _guessed(content: bytes) -> Decoded:
    found = {}
    for encoding in LANGUAGES:
        try:
            found[encoding] = content.decode(encoding)
        except UnicodeDecodeError:
            continue
    if not found:
        return Decoded(content.decode("windows-1252", errors="replace"), "windows-1252")
    best = max(found, key=lambda encoding: _plausibility(found[encoding], encoding))
    usual = next(each for each, text in sorted(found.items()) if text == found[best])
    return Decoded(found[best], usual if usual == "windows-1252" else best)


def _plausibility(text: str, encoding: str) -> int:
    """Return how many words are such as a language has them, less the others and the signs."""
    words = WORDS.findall(text)
    good = sum(_is_word(word, LANGUAGES[encoding]) for word in words)
    return 2 * good - len(words) - len(SIGNS.findall(text))


def _is_word(word: str, languages: Sequence[Language]) -> bool:
    if any(a.islower() and b.isupper() and not b.isascii() for a, b in pairwise(word)):
        return False
    small = word.replace("İ", "i").lower()
    return any(
        all(each.isascii() or each in known.letters for each in small)
        and not re.search(known.never, small)
        for known in languages
    )
