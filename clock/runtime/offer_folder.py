"""What the link puts down for the clock, offers and rulings: each is looked at once.

What is refused is told too, but not again and again: a link that floods the directory must not
flood the log.
"""

from collections.abc import Container
from pathlib import Path

from clock.config.offer import (
    LatestLine,
    OfferError,
    SignedOffer,
    SignedRuling,
    check_offer,
    verify_any,
)
from clock.match.rules import Offer, Proposal
from clock.runtime.adapters import ConfiguredMatch
from clock.storage.offer_file import read_key, read_offer
from clock.text import printable

MOST_REFUSED = 8  # refusals told in one match; later ones are silent
MOST_RULINGS = 100  # shown in one match, each with its line in the log; later ones are nothing


class OfferFolder:
    """See `ports.Offers` and `ports.Rulings`."""

    def __init__(self, offers: Path, logs: Path, next_match: ConfiguredMatch) -> None:
        """Look at nothing yet.

        The link puts an offer into the directory `offers`; this clock's key is beside its logs. An
        offer changes the settings file of `next_match`.
        """
        self._offers, self._logs, self._next_match = offers, logs, next_match
        self._seen: bytes | None = None  # the offer that was looked at last
        self._seen_ruling: bytes | None = None
        self._rulings: tuple[str, int] = "", 0  # the match, and how many were shown in it
        self._match = ""
        self._refused: set[tuple[str, str]] = set()  # in this match: id and why

    def look(self, latest: LatestLine, known: Container[str]) -> Offer | OfferError | None:
        """See `ports.Offers.look`."""
        try:
            return self._look(latest, known)
        except OfferError as error:
            return error if self._is_news(error, latest.match) else None

    def proposed(self, latest: LatestLine) -> Proposal | None:
        """See `ports.Rulings.proposed`. What is forged or late is nothing: no line tells of it."""
        try:
            key = read_key(self._logs)
            line = None if key is None else read_offer(self._offers)
            if key is None or line is None or line == self._seen_ruling:
                return None
            self._seen_ruling = line
            signed = verify_any(line, key)
        except OfferError:
            return None
        if not isinstance(signed, SignedRuling) or signed.after != latest:
            return None
        match, shown = self._rulings
        self._rulings = latest.match, shown + 1 if match == latest.match else 1
        if self._rulings[1] > MOST_RULINGS:
            return None
        by = printable(signed.by)
        return Proposal(signed.offer, by, signed.ruling.item, signed.ruling.answers)

    def _look(self, latest: LatestLine, known: Container[str]) -> Offer | None:
        key = read_key(self._logs)
        line = None if key is None else read_offer(self._offers)
        if key is None or line is None or line == self._seen:
            return None
        self._seen = line
        signed = verify_any(line, key)
        if not isinstance(signed, SignedOffer) or signed.offer in known:
            return None
        return check_offer(signed, latest, self._next_match.file)

    def _is_news(self, error: OfferError, match: str) -> bool:
        if match != self._match:
            self._match, self._refused = match, set()
        refusal = (error.offer, str(error))
        if refusal in self._refused or len(self._refused) >= MOST_REFUSED:
            return False
        self._refused.add(refusal)
        return True
