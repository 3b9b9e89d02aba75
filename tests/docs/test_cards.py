"""The cards of the director's page: right in their language, whole, legible and up to date."""

import html
import re
from itertools import combinations

import pytest

from clock.match.profiles import PROFILES
from lab.docs.cards import (
    CARDS,
    FINGERPRINT,
    FOLDER,
    Card,
    chosen,
    reason_key,
    reasons,
    situations,
)
from lab.docs.generate_cards import STYLE, page_of
from lab.support.rows import rest_slow
from tests.docs.director_page import check, letters, press, profiles_for, texts

SMALLEST_SIZE = 7.5  # points
MOST_ROWS = 32  # of situations
CHAPTERS = ("before", "during")
FREE = ("reasons", "only", *CHAPTERS)  # tables whose rows depend on the federations of a language
LANGUAGES = {card.language: card for card in CARDS}

each_card = pytest.mark.parametrize("card", CARDS, ids=[card.name for card in CARDS])
each_language = pytest.mark.parametrize("language", LANGUAGES)


def codes_of(card: Card) -> list[str]:
    """Return what stands on a card as on a panel or as presses."""
    page = (FOLDER / f"{card.name}.html").read_text(encoding="utf-8")
    return [html.unescape(code) for code in re.findall("<code>([^<]*)</code>", page)]


# --- the files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("card", rest_slow(CARDS), ids=lambda card: card.name)
def test_the_files_are_up_to_date(card: Card) -> None:
    """`make docs` would write the same."""
    assert (FOLDER / f"{card.name}.html").read_text(encoding="utf-8") == page_of(card)


def test_there_are_no_other_files() -> None:
    expected = {f"{card.name}.html" for card in CARDS}
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == expected


def test_no_letter_is_too_small_to_read() -> None:
    assert (
        min(map(float, re.findall(r"font(?:-size)?: (?:bold )?([\d.]+)pt", STYLE))) == SMALLEST_SIZE
    )


# --- what they say ------------------------------------------------------------------------------


@each_card
def test_each_reason_is_there(card: Card) -> None:
    """A card has the federation's reasons, and those alone, as the panels call them."""
    expected = [card.say(f"reason_{reason.value}") for reason in PROFILES[card.profile].reasons]
    assert [row.title.strip("`") for row in reasons(card)] == expected
    assert set(expected) <= set(codes_of(card))


@each_card
def test_what_the_panels_show_is_there(card: Card) -> None:
    """A card explains the warnings, both flags, the call of the director and the fingerprint."""
    shown = codes_of(card)
    warnings = [card.say(f"warning_{part}") for part in ("log", "display", "buttons", "power")]
    flags = [card.say("flag_mark", order=order) for order in (1, 2)]
    for text in (*warnings, *flags, card.say("call_director"), FINGERPRINT):
        assert text in shown


@each_card
def test_the_rows_are_the_federations(card: Card) -> None:
    """A card has the rows of its language's file that are the federation's, not too many."""
    expected = [
        title
        for chapter in CHAPTERS
        for title in card.words[chapter]
        if card.profile in profiles_for(title) and card.has(title)
    ]
    rows = [row.title for chapter in CHAPTERS for row, _ in chosen(card, chapter)]
    assert rows == expected
    assert len(rows) <= MOST_ROWS


def test_the_cards_of_a_federation_have_the_same_rows() -> None:
    presses = {
        card: [row.presses for chapter in CHAPTERS for row, _ in chosen(card, chapter)]
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


@pytest.mark.slow
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
