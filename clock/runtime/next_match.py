"""Which match comes next: the file's own, a preset, an offer, or one that is not over yet."""

from typing import NamedTuple

from clock.config.offer import LogHead, OfferError
from clock.eventlog.recovery import Recovery
from clock.eventlog.replay import Match
from clock.match.inputs import PLAYERS, MatchWanted, OfferRefused, TakeUpWanted
from clock.match.rules import MatchSettings, Offer
from clock.match.state import MatchState
from clock.runtime.ports import NextMatch, Offers, Shelf
from clock.ui.dialogue import Dialogue, PresetPage, TakeUpPage


class Opening(NamedTuple):
    """How a match begins."""

    settings: MatchSettings
    preset: str | None  # None: the file's own settings, or an offer
    offer: str  # its id; "": none
    board: str


class MatchChoice:
    """The file, its presets and the offers, and which offers the players did not want."""

    def __init__(self, file: NextMatch, offers: Offers | None, shelf: Shelf | None = None) -> None:
        self._file, self._offers, self._shelf = file, offers, shelf
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

    # --- matches that are not over ------------------------------------------------------------

    def list_unfinished(self, before: Dialogue, dialogue: Dialogue) -> Dialogue:
        """Return the dialogue with the matches on the disk, if their page has just been opened."""
        opened = isinstance(dialogue.page, TakeUpPage) and not isinstance(before.page, TakeUpPage)
        if not opened or self._shelf is None:
            return dialogue
        return dialogue.replace(unfinished=self._shelf.unfinished())

    def take_up(self, wanted: TakeUpWanted) -> Recovery | None:
        """Return the match that was chosen; None: it cannot be taken up."""
        return None if self._shelf is None else self._shelf.take_up(wanted.log, wanted.at_ns)

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

    def give_up(
        self, standing: Offer | None, wanted: MatchWanted | TakeUpWanted
    ) -> OfferRefused | None:
        """Refuse an offer that was shown, because another match begins; None: none was."""
        if standing is None or standing == getattr(wanted, "offer", None):
            return None
        self.refuse(standing.id)
        return OfferRefused(wanted.at_ns, standing.id, PLAYERS, "another match was begun")
