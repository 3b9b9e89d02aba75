"""The offers that the link puts down: each is looked at once, and refused with its sentence."""

from pathlib import Path
from typing import Any

import pytest

from clock.config.loader import parse_settings
from clock.config.offer import LogHead, OfferError, offer_key
from clock.match.rules import Offer
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.offer_spool import MOST_REFUSED, OfferSpool
from clock.storage.offer_file import OFFER
from lab.support.journals import RAW
from lab.support.offers import MASTER, OfferDesk

LATE = "too late: the log has gone on since the offer was made"
FORGED = "the MAC is wrong: the offer is for another clock, or not from the hub"


class Spool(OfferDesk):
    """The link's directory, and the clock that looks into it; its log has one line."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder / "logs", RAW[:1])
        self.key = folder / "logs" / "offer.key"
        settings = parse_settings("[match]\nlength = 1\n", "test")
        next_match = ConfiguredMatch(settings, lambda: settings)
        self._spool = OfferSpool(self.directory, folder / "logs", next_match)

    def look(self, *known: str, match: str = "") -> Offer | OfferError | None:
        """What the clock finds."""
        head = self.head
        return self._spool.look(LogHead(match, head.seq, head.hash) if match else head, known)

    def refusal(self, line: bytes) -> tuple[str, str]:
        """Whose offer is refused, and why; it is told once, and a good one counts all the same."""
        self.put(line)
        error = self.look()
        assert isinstance(error, OfferError)
        assert self.look() is None
        self.put(self.line("offer-777", length=5))
        assert isinstance(self.look(), Offer)
        return error.offer, str(error)


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    """Nothing is offered."""
    return Spool(tmp_path)


@pytest.mark.rule("R134")
def test_where_there_is_no_offer_none_is_found(spool: Spool) -> None:
    assert spool.look() is None


def test_an_offer_is_found_once(spool: Spool) -> None:
    """One that is known is nothing new, nor is one that was looked at."""
    assert spool.look() is None
    spool.put(spool.line(length=7, names=["Cid", "Dora"]))
    offer = spool.look()
    assert isinstance(offer, Offer)
    assert (offer.id, offer.settings.length) == ("offer-001", 7)
    assert spool.look() is None
    spool.put(spool.line("offer-002", length=7))
    assert spool.look("offer-002") is None
    (spool.directory / OFFER).unlink()
    assert spool.look() is None


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"after": LogHead("another", 1, "0" * 32), "length": 7}, LATE),
        ({"after": LogHead(), "length": 7}, LATE),
        ({"length": 0}, "length is 0, but must be a whole number from 1 to 99"),
        ({"board": "8"}, "board is an unknown key"),
        ({"left_ns": 1}, "left_ns is an unknown key"),
        ({"names": ["x" * 41, "y"]}, f'names is ["{"x" * 41}","y"], but must be two names'),
        ({"preset": "Final"}, 'preset is "Final", but must be left out'),
    ],
)
def test_an_offer_that_cannot_be_shown_is_refused(
    spool: Spool, settings: dict[str, Any], why: str
) -> None:
    offer, said = spool.refusal(spool.line(**settings))
    assert (offer, said[: len(why)]) == ("offer-001", why)


@pytest.mark.rule("R134")
@pytest.mark.parametrize("bad", ["another's", "changed", "not UTF-8", "cut", "empty"])
def test_of_an_offer_that_is_not_the_hubs_nothing_counts(spool: Spool, bad: str) -> None:
    good = spool.line(length=7)
    cut = "the offer is not complete: it does not end with a MAC"
    line, why = {
        "another's": (spool.line(key=offer_key(MASTER, "red-8"), length=7), FORGED),
        "changed": (good.replace(b'"length":7', b'"length":9'), FORGED),
        "not UTF-8": (good.replace(b'"v":1', b'"v":1,"x":"\xff"'), FORGED),
        "cut": (good[:150], cut),
        "empty": (b"", cut),
    }[bad]
    assert spool.refusal(line) == ("", why)


@pytest.mark.rule("R134")
def test_a_flood_of_bad_offers_is_told_eight_times_in_a_match(spool: Spool) -> None:
    """Else it would fill the log; a good one is found all the same, and the next match counts."""
    told = []
    for number in range(3 * MOST_REFUSED):
        spool.put(spool.line(f"offer-{number:03}", length=100))
        told.append(spool.look())
    assert [isinstance(each, OfferError) for each in told] == [True] * 8 + [False] * 16
    spool.put(spool.line("offer-777", length=5))
    assert isinstance(spool.look(), Offer)
    spool.put(b"bad")
    assert isinstance(spool.look(match="next"), OfferError)


@pytest.mark.rule("R134")
def test_without_a_key_there_are_no_offers(spool: Spool) -> None:
    """They are not even refused: this clock is in no room. A key that is spoilt is told."""
    spool.put(spool.line(length=7))
    spool.key.chmod(0o644)
    assert "other users can read it" in str(spool.look())
    assert spool.look() is None
    spool.key.unlink()
    assert spool.look() is None
