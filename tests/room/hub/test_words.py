"""What the hub says: in English as ever, on pages in the reader's language by its key."""

import pytest

from clock.config.offer import LatestLine, OfferError, SignedOffer, check_offer
from clock.config.schema import ConfigFile
from clock.text import Message, fields, message, reason
from room.hub.words import hub_message, hub_message_by, page_words
from tests.room.pages.engine import PAGES, Engine


def on_page(text: str, language: str = "de", name: str = "text") -> str:
    """What a page in a language says for a text of an answer."""
    engine = Engine("messages.js", "words.js")
    engine.run(
        "function said(text, words, language) {"
        "  return messageWording(sayer(words), language)(text)"
        "}"
    )
    words = page_words(language)
    found: str = engine.call("said", fields(name, text), words, language)
    return found


def refused(**settings: object) -> str:
    """Why a clock without presets refuses an offer."""
    offer = SignedOffer(1, "abcdefgh", "red-7", LatestLine(), settings)
    with pytest.raises(OfferError) as found:
        check_offer(offer, LatestLine(), ConfigFile())
    return reason(found.value)


def test_a_setting_is_called_as_its_field_is_and_its_faults_are_said_too() -> None:
    """A part of a message is one itself; a board's name and a value stay as they are."""
    why = refused(time_per_point="2")
    said = 'Zeit je Punkt ist "2". Erlaubt: Minuten und Sekunden in Anführungszeichen, etwa "2:00"'
    assert on_page(why).startswith(said)
    of_board = hub_message("of_board", board="{n}", what=why)
    assert on_page(of_board).startswith(f"Tisch {{n}}: {said}")
    assert on_page(of_board, "en") == of_board == f"board {{n}}: {why}"
    assert on_page(refused(preset="Finale")) == 'Vorgabe ist "Finale". Erlaubt: ein leeres Feld'
    assert on_page(refused(names=[" ", "Bob"])).startswith('Namen ist [" ","Bob"]. Erlaubt: zwei ')


def test_a_text_without_a_key_stays_as_it_is() -> None:
    """Also one whose key only a clock of another version has, and one that reads like a phrase."""
    assert on_page("/run: Kein Platz") == "/run: Kein Platz"
    assert on_page(Message("error_new", "of tomorrow", {})) == "of tomorrow"
    hostile = {"key": {"key": "error_line"}, "more": {"key": 5}, "number": None}
    assert on_page(Message("error_line", "line 3", hostile)) == "Zeile {number}"
    assert on_page(hub_message_by("pending", "7", "")) == "Tisch 7 hat eine offene Ansetzung"
    by = hub_message_by("pending", "7", str(message("file")))
    for name in ("message", "why", "text"):  # of an Error, of an offer, of a sentence
        assert on_page(by, name=name) == "Tisch 7 hat eine offene Ansetzung von file"
        assert on_page(by, "en", name) == by


def test_a_page_says_itself_that_the_hub_is_silent() -> None:
    page = (PAGES / "director.js").read_text("utf-8")
    assert f'"{hub_message("silent")}", key: "message_silent"' in page
