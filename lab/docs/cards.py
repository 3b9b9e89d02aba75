"""What stands on the cards of the director's page: one for each federation and language.

The presses are those of the page's rows. What the panels show is read from a clock in the card's
language, to which a row brought it; only the words in between are written, in `docs/cards/words`.
"""

import functools
import tomllib
from typing import Any, NamedTuple

from clock.match.durations import duration_text
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.ui import i18n
from clock.ui.i18n import sayer
from lab.support.desk import Desk
from lab.support.federations import FEDERATIONS
from lab.support.paths import ROOT
from tests.docs.director_page import (
    Row,
    check,
    codes,
    items,
    reason_rows,
    situation_rows,
    texts,
)

FOLDER = ROOT / "docs" / "cards"
FINGERPRINT = "7KQ2-M9XT-4WDA"  # such as a fingerprint of a log
ITEMS = {text: key for key, text in i18n.texts("en").items() if key.startswith("item_")}


@functools.cache
def words_in(language: str) -> dict[str, Any]:
    """Return what is written for a language."""
    path = FOLDER / "words" / f"{language}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Card(NamedTuple):
    """A card, named as its files are: `ebf-de`."""

    federation: str
    language: str

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.federation.lower()}-{self.language}"

    @property
    def profile(self) -> str:
        """The profile whose panels are quoted."""
        return self.federation.lower()

    @property
    def page(self) -> str:
        """The federation whose words on the director's page it has."""
        return FEDERATIONS[self.profile].page

    @property
    def words(self) -> dict[str, Any]:
        """What is written for its language."""
        return words_in(self.language)

    def has(self, title: str) -> bool:
        """Return whether a row of its language's file may stand on it: `only` names others'."""
        return bool(self.words["only"].get(title, self.page) == self.page)

    def say(self, key: str, **values: object) -> str:
        """Return a text of the panels in its language."""
        return sayer(self.language)(key, **values)

    def quote(self, key: str, **values: object) -> str:
        """Return a text of the panels, marked as one."""
        return f"`{self.say(key, **values)}`"


CARDS = (
    Card("WBGF", "en"),
    Card("WBGF", "de"),
    Card("WBGF", "da"),
    Card("WBGF", "nb"),
    Card("EBF", "en"),
    Card("EBF", "de"),
    Card("DBgF", "da"),
    Card("NBgF", "nb"),
    Card("US", "en"),
    Card("USBGF", "en"),
    Card("JBS", "en"),
)


def quoted(english: str, table: Desk, language: str) -> list[str]:
    """Return the panels' texts that a cell quotes, whole, as they stand there in a language."""
    table.language = "en"
    places = texts(table)
    found = [
        places.index(code) if code in places else [code in text for text in places].index(True)
        for code in codes(english)
    ]
    table.language = language
    return [f"`{texts(table)[place]}`" for place in found]


def in_words(row: Row, card: Card, situation: str, outcome: str) -> Row:
    """Return a row of the page as a row of a card."""
    shows = quoted(row.shows, row.case.begin(row.profile), card.language)
    comes = quoted(row.comes, check(row), card.language)
    chosen = [f"*{card.say(ITEMS[item])}*" for item in items(row.comes)]
    parts = [part for part in (", ".join(chosen), outcome.format(*comes)) if part]
    return row._replace(
        title=situation,
        shows=", ".join(shows) or card.words["clock_runs"],
        comes=": ".join(parts),
        language=card.language,
    )


def chosen(card: Card, chapter: str) -> list[tuple[Row, tuple[str, str]]]:
    """Return the rows that a language's file chooses, if they are the federation's, with words."""
    own = {row.title: row for row in situation_rows() if row.profile == card.profile}
    words = card.words[chapter].items()
    return [(own[title], said) for title, said in words if title in own and card.has(title)]


@functools.cache
def situations(card: Card, chapter: str) -> list[Row]:
    """Return those rows in the words of the card."""
    return [in_words(row, card, *said) for row, said in chosen(card, chapter)]


def reason_key(card: Card, reason: Reason) -> str:
    """Return the key of a reason's words, with the federation where it has words of its own."""
    title = sayer("en")(f"reason_{reason.value}")
    special = f"{card.page}: {title}"
    return special if special in card.words["reasons"] else title


@functools.cache
def reasons(card: Card) -> list[Row]:
    """Return a row for each reason of the federation, in the panels' order."""
    own = {row.title: row for row in reason_rows() if row.profile == card.profile}
    rows = []
    for reason in PROFILES[card.profile].reasons:
        title, outcome = f"reason_{reason.value}", card.words["reasons"][reason_key(card, reason)]
        rows.append(in_words(own[sayer("en")(title)], card, card.quote(title), outcome))
    return rows


def times(card: Card) -> str:
    """Return the times that the federation's rules set."""
    rules = PROFILES[card.profile]
    point = card.say("per_point", time=duration_text(rules.time_per_point_ns))
    return f"{point}, {card.say('delay_runs')} {duration_text(rules.delay_ns)}"


def warnings(card: Card) -> list[tuple[str, str]]:
    """Return the warnings that ask for an action, and the action."""
    return [(card.quote(f"warning_{part}"), text) for part, text in card.words["warnings"].items()]


def also_shown(card: Card) -> list[tuple[str, str]]:
    """Return what else the panels show to the director, and what it means."""
    flags = ", ".join(card.quote("flag_mark", order=order) for order in (1, 2))
    shown = {"flags": flags, "call": card.quote("call_director"), "fingerprint": f"`{FINGERPRINT}`"}
    return [(shown[key], text) for key, text in card.words["also_shown"].items()]


def power_cut(card: Card) -> str:
    """Return what to do after a power cut."""
    text: str = card.words["power_cut"]
    return text.format(
        off=card.quote("restored_power_loss"),
        lost=card.quote("event_lost", seconds=1),
        unknown=card.quote("event_lost_unknown"),
    )
