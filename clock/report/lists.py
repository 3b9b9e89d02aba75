"""Lists that other programs wrote: rows of cells from a CSV file of any spreadsheet.

What a file does not say (its separator, often its encoding) follows from what fits; a guess is
named as one. Pure.
"""

import codecs
import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

SEPARATORS = ";\t,|"
DECLARED = re.compile(r'"?sep=(.)"?\s*')  # Excel's own first line
BETWEEN = re.compile(r"\s+(?:vs?\.?|versus|gegen|mod|mot|[-\u2013\u2014:])\s+", re.IGNORECASE)
GUARDED = re.compile(r"\A'(?=\s*[-=+@\uff1d\uff0b\uff0d\uff20])")  # as `fields.csv_bytes` writes it
FORMULA = re.compile(r'\A="(.*)"\Z')  # of a cell that is text for a spreadsheet, such as ="01"
TYPED = re.compile(r"\A[“”„]([^“”„]*)[“”]\Z")  # a cell in quotes as phones and Word write them
ONE_CELL = re.compile(r'\A\s*"((?:[^"]|"")*)"\s*\Z')  # a line in a spreadsheet's first column
NUMBERED = re.compile(r"(.*?\d[.:)]?|.*?[:)])\s+(\S.*)")  # a line such as "Table 1: Ada - Bo"
BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF")  # workbooks, as they are not to be read
MARKS = {codecs.BOM_UTF32_LE: "utf-32-le", codecs.BOM_UTF32_BE: "utf-32-be"}  # begin as UTF-16
MARKS |= {codecs.BOM_UTF8: "utf-8", codecs.BOM_LE: "utf-16-le", codecs.BOM_BE: "utf-16-be"}


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
    lines = [ONE_CELL.sub(lambda cell: cell[1].replace('""', '"'), line) for line in lines]
    if declared:
        return _separated(["", *lines[1:]], declared[1])
    ways = [_with_commas(lines), *(_separated(lines, each) for each in SEPARATORS), _listed(lines)]
    return max(filter(None, ways), key=fitness, default=[])


def _with_commas(lines: list[str]) -> list[Row]:
    """Return rows whose two names are "Family, Given", in a list that has commas between cells."""
    found = _separated([line.replace(", ", "\0") for line in lines], ",")
    rows = [Row(line, [_cell(cell.replace("\0", ", ")) for cell in cells]) for line, cells in found]
    pairs = [sum(", " in cell for cell in row.cells) for row in rows]
    return rows if {0, 2}.issuperset(pairs) else []


def _listed(lines: list[str]) -> list[Row]:
    """Return rows of a list for people: cells are apart by blanks, or a board by a colon or dot."""
    found = []
    for number, line in enumerate(lines, 1):
        cells = re.split(r"\s{2,}|\t", line.strip())
        numbered = NUMBERED.fullmatch(cells[0]) if len(cells) == 1 else None
        found.append(
            Row(number, [_cell(cell) for cell in (numbered.groups() if numbered else cells)])
        )
    return [row for row in found if any(map(str.isalnum, "".join(row.cells)))]


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
    reader = csv.reader(
        (f"{line}\n" for line in lines),
        delimiter=separator,
        skipinitialspace=True,
        strict=strict,
    )
    found, line = [], 1
    for cells in reader:
        found.append(Row(line, [_cell(cell) for cell in cells]))
        line = reader.line_num + 1
    return found


def _cell(text: str) -> str:
    """Return what a cell says, on one line, without the mark that keeps it from being computed."""
    plain = TYPED.sub(r"\1", FORMULA.sub(r"\1", " ".join(text.split())))
    return GUARDED.sub("", plain)


def spread(given: list[Row], key: Callable[[list[str]], str | None]) -> list[Row]:
    """Return rows of a key and two names, of a list that has both in one cell, or a line for each.

    `key` returns that of a row's cells, or None. Other lists are returned as they are.
    """
    filled = [[cell for cell in row.cells if cell] for row in given]
    if any(len(cells) > 2 for cells in filled):  # noqa: PLR2004 (key and name)
        return given
    found, begun = list[Row](), None  # the key of a row that has one name
    for row, cells in zip(given, filled, strict=True):
        own, names = key(row.cells), BETWEEN.split(cells[-1])
        if own and len(cells) == len(names) == 2:  # noqa: PLR2004 (key and names)
            found.append(Row(row.line, [cells[0], *names]))
        elif begun and (own == begun if row.cells[0] else len(cells) == 1):
            found[-1], begun = Row(found[-1].line, [*found[-1].cells[:2], cells[-1]]), None
        else:
            found, begun = [*found, row], own if len(cells) == 2 else None  # noqa: PLR2004
    return found


# --- encodings ----------------------------------------------------------------------------------


def decode(content: bytes) -> Decoded:
    """Return the text of a file: UTF-8, UTF-16, or else of Windows, DOS or a Mac, as it fits best.

    Raises:
        NotTextError: it is none.
    """
    if content.startswith(BINARY):
        raise NotTextError
    for mark, encoding in MARKS.items():
        if content.startswith(mark):
            return _sure(content.removeprefix(mark), encoding)
    zeros = {"utf-16-be": content[::2].count(0), "utf-16-le": content[1::2].count(0)}
    few, many = sorted(zeros.values())
    if many > 3 * few and many * 20 > len(content):  # separators and line ends have one each
        return _sure(content, next(encoding for encoding in zeros if zeros[encoding] == many))
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
# Those of DOS and of old Macs: only where a list cannot be one of Windows.
OLD = dict.fromkeys(("cp850", "mac-roman"), LANGUAGES["windows-1252"])
WORDS = re.compile(r"[^\W\d_]*[^\W\d_\x00-\x7f][^\W\d_]*")  # with a letter that is not ASCII
SIGNS = re.compile(  # that stand in no list of names
    r"[^\w\s\x00-\x7f’‘“”„–—«»…´]|(?<=\w)[‘“”„«»…](?=\w)"
)


class Reading(NamedTuple):
    """How a list reads in an encoding: which of its words are such as a language has them."""

    encoding: str
    text: str
    good: int
    bad: int  # signs, too


def _guessed(content: bytes) -> Decoded:
    found = list(_readings(content, LANGUAGES))
    if all(each.bad for each in found):
        found += _readings(content, OLD)
    best = max(found, key=lambda each: each.good - each.bad)
    usual = any(each.encoding == "windows-1252" and each.text == best.text for each in found)
    return Decoded(best.text, "windows-1252" if usual else best.encoding)


def _readings(content: bytes, encodings: Mapping[str, Sequence[Language]]) -> Iterator[Reading]:
    for encoding, languages in encodings.items():
        with suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            words = WORDS.findall(text)
            good = sum(_is_word(word, languages) for word in words)
            yield Reading(encoding, text, good, len(words) - good + len(SIGNS.findall(text)))


def _is_word(word: str, languages: Sequence[Language]) -> bool:
    if any(a.islower() and b.isupper() and not (a + b).isascii() for a, b in pairwise(word)):
        return False
    small = word.replace("İ", "i").lower()
    return any(
        all(each.isascii() or each in known.letters for each in small)
        and not re.search(known.never, small)
        for known in languages
    )
