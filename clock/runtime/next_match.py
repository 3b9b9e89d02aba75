"""Which match comes next: the file's own, one of its presets, or one that the director offers."""

from typing import NamedTuple

from clock.config.offer import LogHead, OfferError
from clock.eventlog.replay import Match
from clock.match.inputs import PLAYERS, MatchWanted, OfferRefused
from clock.match.rules import MatchSettings, Offer
from clock.match.state import MatchState
from clock.runtime.ports import NextMatch, Offers
from clock.ui.dialogue import Dialogue, PresetPage


class Opening(NamedTuple):
    """How a match begins."""

    settings: MatchSettings
    preset: str | None  # None: the file's own settings, or an offer
    offer: str  # its id; "": none
    board: str


class MatchChoice:
    """The file, its presets and the offers, and which offers the players did not want."""

    def __init__(self, file: NextMatch, offers: Offers | None) -> None:
        self._file, self._offers = file, offers
        self._refused: set[str] = set()  # ids

    def opening(self, wanted: MatchWanted) -> Opening:
        """Read the file, and return the match as offered, under a preset, or of the file itself."""
        own, board = self._file.settings(), self._file.board
        if wanted.offer is not None:
            return Opening(wanted.offer.settings, None, wanted.offer.id, board)
        named = {each.name: each.match for each in self._file.choices}
        preset = wanted.preset if wanted.preset in named else None
        return Opening(own if preset is None else named[preset], preset, "", board)

    def ask(self, state: MatchState, dialogue: Dialogue) -> Dialogue:
        """Return the dialogue with the choices of the file as it was read last.

        It shows the page of the presets if one must be chosen before the settings are confirmed.
        """
        choices, page = self._file.choices, dialogue.page
        if isinstance(page, PresetPage) and not choices:
            page = None
        none_chosen = state.preset is None and not state.offer and state.unconfirmed
        if none_chosen and choices and page is None:
            page = PresetPage(first=True)
        return dialogue.replace(choices=choices, page=page)

    def follows_file(self, state: MatchState, dialogue: Dialogue) -> bool:
        """Return whether a change of the file shows at once: on its page, and at REVIEW."""
        page = dialogue.page
        return isinstance(page, PresetPage) or (state.unconfirmed and page is None)

    # --- the director's offers ----------------------------------------------------------------

    def takes_offers(self, state: MatchState, dialogue: Dialogue) -> bool:
        """Return whether an offer would be shown now.

        The centre button must not take it unseen.
        """
        page, held = dialogue.page, dialogue.centre_since_ns is not None
        is_free = (page is None or isinstance(page, PresetPage)) and not held
        return self._offers is not None and state.takes_offers and is_free

    def look(self, match: Match) -> Offer | OfferError | None:
        """Return a new offer, or why one is refused; None: nothing new."""
        if self._offers is None:
            return None
        (state, chain), standing = match, match.state.standing_offer
        known = {*self._refused, state.offer, standing.id if standing else ""}
        return self._offers.look(LogHead(chain.match, chain.seq, chain.hash), known)

    def refuse(self, offer: str) -> None:
        """Never show this offer again."""
        self._refused.add(offer)

    def give_up(self, standing: Offer | None, wanted: MatchWanted) -> OfferRefused | None:
        """Refuse an offer that was shown, because another match begins; None: none was."""
        if standing is None or standing == wanted.offer:
            return None
        self.refuse(standing.id)
        return OfferRefused(wanted.at_ns, standing.id, PLAYERS, "another match was begun")
