"""The cards of the director's page: right in their language, whole, legible and up to date."""

import html
import re
from functools import cache
from itertools import combinations

import pytest

from clock.match.profiles import PROFILES
from lab.docs import generate_cards
from lab.docs.cards import CARDS, FOLDER, HEAD, Card, reason_key, reasons, situations
from lab.docs.generate_cards import files_of
from lab.docs.sheet import (
    BOTTOM,
    FONTS,
    MARGIN,
    RIGHT,
    SIZE,
    SVG_FONTS,
    Cell,
    Line,
    Text,
    lines_of,
)
from tests.docs.director_page import check, letters, press, profiles_for, texts

SMALLEST_SIZE = 7.5  # points
MOST_ROWS = 32  # of situations
CHAPTERS = ("before", "during")
FREE = ("reasons", "only", *CHAPTERS)  # tables whose rows depend on the federations of a language
LANGUAGES = {card.language: card for card in CARDS}

marks_of = cache(generate_cards.marks_of)

each_card = pytest.mark.parametrize("card", CARDS, ids=[card.name for card in CARDS])
each_language = pytest.mark.parametrize("language", LANGUAGES)


def svg_texts(svg: bytes) -> list[str]:
    """Return the texts of an SVG in their order."""
    return [html.unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)<", svg.decode())]


def pdf_texts(pdf: bytes) -> list[str]:
    """Return the texts of an uncompressed PDF in their order."""
    found = re.findall(rb"/(F\d\+0) [^(]*\(((?:[^\\)]|\\.)*)\) Tj", pdf)
    octal = re.compile(rb"\\(?:(\d{3})|(.))")
    letters = {name: pdf_letters(pdf, name) for name in {name for name, _ in found}}
    return [
        octal.sub(lambda m: bytes([int(m[1], 8)]) if m[1] else m[2], text)
        .decode("latin-1")
        .translate(letters[name])
        for name, text in found
    ]


def pdf_letters(pdf: bytes, name: bytes) -> dict[int, str]:
    """Return the letter of each code of a font that is embedded in an uncompressed PDF."""
    [number] = re.findall(rb"/Name /" + re.escape(name) + rb"[^>]*/ToUnicode (\d+) ", pdf)
    _, _, table = pdf.partition(b"\n%s 0 obj" % number)
    codes = re.findall(rb"<(\w\w)> <(\w{4})>", table.partition(b"endbfchar")[0])
    return {int(code, 16): chr(int(letter, 16)) for code, letter in codes}


def own_texts(card: Card) -> list[Text]:
    """Return the texts of a card with their places."""
    return [mark for mark in marks_of(card) if isinstance(mark, Text)]


# --- the files ----------------------------------------------------------------------------------


@each_card
def test_the_files_are_up_to_date(card: Card) -> None:
    """`make docs` would write the same bytes."""
    for name, content in files_of(card).items():
        assert (FOLDER / name).read_bytes() == content, name


def test_there_are_no_other_files() -> None:
    expected = {f"{card.name}{kind}" for card in CARDS for kind in (".svg", ".pdf")}
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == expected


@each_card
def test_the_pdf_is_one_page_with_the_same_texts(card: Card) -> None:
    svg, pdf = ((FOLDER / f"{card.name}.{kind}").read_bytes() for kind in ("svg", "pdf"))
    assert len(re.findall(rb"/Type /Page\b", pdf)) == 1
    assert pdf_texts(pdf) == svg_texts(svg)


@each_card
def test_the_pdf_has_its_fonts_in_it(card: Card) -> None:
    """A print shop need have none of them, and every one is one of the free ones kept here."""
    pdf = (FOLDER / f"{card.name}.pdf").read_bytes()
    fonts = re.findall(rb"/BaseFont /[A-Z]{6}\+([\w-]+)", pdf)
    assert {font.decode() for font in fonts} == set(SVG_FONTS)
    assert len(fonts) == len(re.findall(rb"/FontFile2 ", pdf)) == pdf.count(b"/Type /Font ")
    kept = {path.stem for path in FONTS.glob("*.ttf")}
    families = {font.partition("-")[0] for font in kept}
    assert kept == set(SVG_FONTS)
    assert {path.stem for path in FONTS.glob("LICENSE-*")} == {f"LICENSE-{f}" for f in families}


# --- what they say ------------------------------------------------------------------------------


@each_card
def test_each_reason_is_there(card: Card) -> None:
    """A card has the federation's reasons, and those alone, as the panels call them."""
    expected = [card.say(f"reason_{reason.value}") for reason in PROFILES[card.profile].reasons]
    assert [row.title.strip("`") for row in reasons(card)] == expected
    assert set(expected) <= set(svg_texts((FOLDER / f"{card.name}.svg").read_bytes()))


@each_card
def test_what_the_panels_show_is_there(card: Card) -> None:
    """A card explains the warnings, both flags, the call of the director and the head."""
    shown = svg_texts((FOLDER / f"{card.name}.svg").read_bytes())
    warnings = [card.say(f"warning_{part}") for part in ("log", "display", "buttons", "power")]
    flags = [card.say("flag_mark", order=order) for order in (1, 2)]
    for text in (*warnings, *flags, card.say("call_director"), HEAD):
        assert text in shown


@each_card
def test_the_rows_are_the_federations(card: Card) -> None:
    """A card has the rows of its language's file that are the federation's, not too many."""
    chosen = {
        (chapter, title): words[0]
        for chapter in CHAPTERS
        for title, words in card.words[chapter].items()
        if card.profile in profiles_for(title) and card.has(title)
    }
    rows = [row.title for chapter in CHAPTERS for row in situations(card, chapter)]
    assert rows == list(chosen.values())
    assert len(rows) <= MOST_ROWS


def test_the_cards_of_a_federation_have_the_same_rows() -> None:
    presses = {
        card: [row.presses for chapter in CHAPTERS for row in situations(card, chapter)]
        for card in CARDS
    }
    for one, other in combinations(CARDS, 2):
        assert one.federation != other.federation or presses[one] == presses[other]


@each_language
def test_all_words_are_used(language: str) -> None:
    """Each row of a language's file is on a card, and each reason."""
    own = [card for card in CARDS if card.language == language]
    words = own[0].words
    for chapter in CHAPTERS:
        on_cards = {
            title for title in words[chapter] for card in own if card.profile in profiles_for(title)
        }
        assert on_cards == set(words[chapter])
    asked = {reason_key(card, reason) for card in own for reason in PROFILES[card.profile].reasons}
    assert asked == set(words["reasons"])


@each_language
def test_the_languages_have_the_same_words(language: str) -> None:
    """But for the rows, each language has the same keys, in the same order."""
    here, english = LANGUAGES[language].words, LANGUAGES["en"].words
    assert list(here) == list(english)
    for name, value in english.items():
        if isinstance(value, dict) and name not in FREE:
            assert list(here[name]) == list(value)


# --- what they promise --------------------------------------------------------------------------


@each_card
def test_the_situations_come_out_so(card: Card) -> None:
    """Each row, pressed on a clock in the card's language, shows the words before and after."""
    for chapter in CHAPTERS:
        for row in situations(card, chapter):
            assert row.language == card.language
            assert row.case.so(check(row)), row.title


@each_card
def test_the_reasons_come_out_so(card: Card) -> None:
    """The presses select the reason in the card's language, and the centre does what is said."""
    for row in reasons(card):
        table = row.case.begin(row.profile)
        table.language = card.language
        press(table, letters(row.presses)[:-1])
        assert row.title.strip("`") in texts(table)
        assert row.case.so(check(row)), row.title


# --- how they look ------------------------------------------------------------------------------


@each_card
def test_all_is_on_the_page(card: Card) -> None:
    """Nothing is set into the margins, and nothing is too small to read."""
    for mark in marks_of(card):
        assert MARGIN <= mark.x < mark.end <= RIGHT + 0.01, mark
        assert MARGIN <= mark.y <= BOTTOM + 0.01, mark
    assert min(text.size for text in own_texts(card)) >= SMALLEST_SIZE


@each_card
def test_nothing_overlaps(card: Card) -> None:
    marks = marks_of(card)
    boxes = [
        (mark.x, mark.y - 0.75 * mark.size, mark.end, mark.y + 0.2 * mark.size, mark.text)
        if isinstance(mark, Text)
        else (mark.x, mark.y, mark.end, mark.y, "a line")
        for mark in marks
    ]
    texts_of = [box for box, mark in zip(boxes, marks, strict=True) if isinstance(mark, Text)]
    lines = [box for box, mark in zip(boxes, marks, strict=True) if isinstance(mark, Line)]
    pairs = [*combinations(texts_of, 2), *((text, line) for text in texts_of for line in lines)]
    for one, other in pairs:
        beside = one[2] <= other[0] + 0.01 or other[2] <= one[0] + 0.01
        assert beside or one[3] <= other[1] or other[3] <= one[1], (one, other)


def test_what_is_wider_than_its_column_is_refused() -> None:
    """A word that would reach into the next column stops `make docs`."""
    assert [[text.text for text in line] for line in lines_of(Cell("one two"), 3 * SIZE)] == [
        ["one"],
        ["two"],
    ]
    with pytest.raises(ValueError, match="wider than its column"):
        lines_of(Cell("`CARD NEARLY FULL`"), 3 * SIZE)
