"""The offers that the link puts down: each is looked at once, and refused with its sentence."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from clock.config.loader import parse_settings
from clock.config.offer import LatestLine, OfferError, offer_key
from clock.match.rules import Offer, Proposal
from clock.runtime.adapters import ConfiguredMatch
from clock.runtime.offer_folder import MOST_REFUSED, OfferFolder
from clock.storage.offer_file import OFFER
from lab.support.journals import RAW
from lab.support.offers import MASTER, OfferDesk

LATE = "too late: the log has gone on since the offer was made"
FORGED = "the MAC is wrong: the offer is for another clock, or not from the hub"


class PutOffers(OfferDesk):
    """The link's directory, and the clock that looks into it; its log has one line."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder / "logs")
        self.key = folder / "logs" / "offer.key"
        settings = parse_settings("[match]\nlength = 1\n", "test")
        next_match = ConfiguredMatch(settings, lambda: settings)
        self._folder = OfferFolder(self.directory, folder / "logs", next_match)

    @property
    def latest(self) -> LatestLine:
        return msgspec.json.decode(RAW[0], type=LatestLine)

    def look(self, *known: str, match: str = "") -> Offer | OfferError | None:
        latest = self.latest
        return self._folder.look(
            LatestLine(match, latest.seq, latest.hash) if match else latest,
            known,
        )

    def proposed(self) -> Proposal | None:
        return self._folder.proposed(self.latest)

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
def from_room(tmp_path: Path) -> PutOffers:
    return PutOffers(tmp_path)


@pytest.mark.rule("R134")
def test_where_there_is_no_offer_none_is_found(from_room: PutOffers) -> None:
    assert from_room.look() is None


def test_an_offer_is_found_once(from_room: PutOffers) -> None:
    """One that is known is nothing new, nor is one that was looked at."""
    assert from_room.look() is None
    from_room.put(from_room.line(length=7, names=["Cid", "Dora"]))
    offer = from_room.look()
    assert isinstance(offer, Offer)
    assert (offer.id, offer.settings.length) == ("offer-001", 7)
    assert from_room.look() is None
    from_room.put(from_room.line("offer-002", length=7))
    assert from_room.look("offer-002") is None
    (from_room.directory / OFFER).unlink()
    assert from_room.look() is None


@pytest.mark.rule("R218")
def test_a_ruling_is_found_once(from_room: PutOffers) -> None:
    """It is no offer, and an offer is none."""
    assert from_room.proposed() is None
    from_room.put(from_room.ruling("add_time"))
    assert from_room.look() is None
    found = from_room.proposed()
    assert found is not None
    assert (found.id, found.by, found.item) == ("ruling-01", "Eva", "add_time")
    assert from_room.proposed() is None
    from_room.put(from_room.line())
    assert from_room.proposed() is None
    from_room.file.unlink()
    assert from_room.proposed() is None


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"after": LatestLine("another", 1, "0" * 32), "length": 7}, LATE),
        ({"after": LatestLine(), "length": 7}, LATE),
        ({"length": 0}, "length is 0, but must be a whole number from 1 to 99"),
        ({"board": "8"}, "board is an unknown key"),
        ({"left_ns": 1}, "left_ns is an unknown key"),
        ({"names": ["x" * 41, "y"]}, f'names is ["{"x" * 41}","y"], but must be two names'),
        ({"preset": "Final"}, 'preset is "Final", but must be left out'),
    ],
)
def test_an_offer_that_cannot_be_shown_is_refused(
    from_room: PutOffers, settings: dict[str, Any], why: str
) -> None:
    offer, said = from_room.refusal(from_room.line(**settings))
    assert (offer, said[: len(why)]) == ("offer-001", why)


@pytest.mark.rule("R134")
@pytest.mark.parametrize("bad", ["another's", "changed", "not UTF-8", "cut", "empty"])
def test_of_an_offer_that_is_not_the_hubs_nothing_counts(from_room: PutOffers, bad: str) -> None:
    good = from_room.line(length=7)
    cut = "the offer is not complete: it does not end with a MAC"
    line, why = {
        "another's": (from_room.line(key=offer_key(MASTER, "red-8"), length=7), FORGED),
        "changed": (good.replace(b'"length":7', b'"length":9'), FORGED),
        "not UTF-8": (good.replace(b'"v":1', b'"v":1,"x":"\xff"'), FORGED),
        "cut": (good[:150], cut),
        "empty": (b"", cut),
    }[bad]
    assert from_room.refusal(line) == ("", why)


@pytest.mark.rule("R134")
def test_a_flood_of_bad_offers_is_told_eight_times_in_a_match(from_room: PutOffers) -> None:
    """Else it would fill the log; a good one is found all the same, and the next match counts."""
    told = []
    for number in range(3 * MOST_REFUSED):
        from_room.put(from_room.line(f"offer-{number:03}", length=100))
        told.append(from_room.look())
    assert [isinstance(each, OfferError) for each in told] == [True] * 8 + [False] * 16
    from_room.put(from_room.line("offer-777", length=5))
    assert isinstance(from_room.look(), Offer)
    from_room.put(b"bad")
    assert isinstance(from_room.look(match="next"), OfferError)
    assert from_room.look(match="third") is None  # it was looked at before


@pytest.mark.rule("R134")
def test_without_a_key_there_are_no_offers(from_room: PutOffers) -> None:
    """They are not even refused: this clock is in no room. A key that is spoilt is told."""
    from_room.put(from_room.line(length=7))
    from_room.key.chmod(0o644)
    assert "other users can read it" in str(from_room.look())
    assert from_room.look() is None
    from_room.key.unlink()
    assert from_room.look() is None
