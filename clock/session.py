"""The clock between its buttons and its log: everything that is decided, as a pure value.

Theory of operation
-------------------
A `Session` is the match, the dialogue that the buttons hold over it, and the little that the clock
remembers beside both. Each method returns a `Step`: the session afterwards, and what was done, in
the order in which it counts. Most of that are records, for the log of the match. The others are
wishes: only the world knows the director's file, the other matches on the disk, and what is on
offer, so a session asks for that and goes on when it has the answer.

| done | what the world does |
|---|---|
| `Record` | writes it into the log of the match |
| `MatchBegun` | begins a log with this record |
| `MatchWanted` | reads the file and answers with `open_match` |
| `ResumeMatchWanted` | reads the log of that match and answers with `resume_match` |
| `ListMatches` | looks for matches that are not over and answers with `list_matches` |
| `LanguageWanted` | words everything in that language from now on, and keeps it over a restart |

The world calls `press` with each edge of a button, in the order of their instants. Before each, and
then up to the instant before which no edge can still come, it calls `pass_time` for as long as
something is due: a flag, a held button. `deadline` says when that will be if no button moves. In
between it looks at the file while the session `follows_file`, for offers while it `takes_offers`,
and for proposed rulings while it `takes_rulings`. A fault of a part, or what another program wants
of the match, goes to `apply`.

Nothing is carried out twice and nothing is lost, whatever the world answers: a match that cannot be
resumed leaves all as it is, and an offer that was shown and not taken is refused in the log of the
match beside which it stood, and never shown again.

The runtime is one world (`clock/runtime/loop.py`); the proof searches the same sessions with a
world without a disk (`lab/prove/buttons.py`).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from clock.config.offer import OfferError
from clock.config.settings import Preset
from clock.eventlog.recovery import Recovery, notice_after
from clock.eventlog.unfinished import Unfinished
from clock.match import machine
from clock.match.events import Record, RestoredEvent, Writer
from clock.match.inputs import (
    CLOCK,
    DIRECTOR,
    PLAYERS,
    CentrePressed,
    FaultCleared,
    FaultSeen,
    Input,
    LanguageWanted,
    MatchEnded,
    MatchWanted,
    Noted,
    OfferMade,
    OfferRefused,
    Pressed,
    ResumeMatchWanted,
    RulingProposed,
    TimePassed,
)
from clock.match.rules import MatchSettings, Offer, Proposal
from clock.match.scoring import new_match
from clock.match.state import AT_REST, MatchState
from clock.match.transitions import DIRECTOR_PHASES
from clock.match.types import Button, Pair, Phase, Side
from clock.text import fields, reason
from clock.ui.dialogue import (
    ButtonMoved,
    Dialogue,
    FormPage,
    PresetPage,
    ResumeMatchPage,
    handle_button,
    handle_hold,
    handle_repeat,
    in_same_moment,
    names_asked,
)
from clock.ui.forms import Choice
from clock.ui.menu_fields import in_file
from clock.ui.ruling import RulingError, check_ruling


class SettingsFile(NamedTuple):
    """What the director's file says at present."""

    own: MatchSettings
    """Of its [match] and [rules]."""
    choices: tuple[Preset, ...] = ()
    """What the next match can be: its own, then its presets; () without presets."""
    board: str = ""
    """The table; "" if it names none."""


class MatchBegun(NamedTuple):
    """A match begins, or goes on in another log: this is the first record of its log."""

    record: Record


class ListMatches(NamedTuple):
    """The page of the matches that are not over has been opened."""


Done = Record | MatchBegun | MatchWanted | ResumeMatchWanted | ListMatches | LanguageWanted


class Session(msgspec.Struct, frozen=True):
    """A match with its buttons, from power on to power off."""

    state: MatchState
    dialogue: Dialogue = Dialogue()
    board: str = ""
    """The table as the file named it when the match was opened."""
    refused: frozenset[str] = frozenset()
    """The ids of offers that the players did not want."""
    warnings: tuple[str, ...] = ()
    """The parts that have failed, in the order in which they did."""
    notice: RestoredEvent | None = None
    """A restoration that nobody has acknowledged yet."""

    def replace(self, **changes: object) -> "Session":
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    # --- buttons and time ---------------------------------------------------------------------

    def deadline(self) -> int | None:
        """Return when something is due even if no button moves; None: nothing ever is."""
        return _earliest(
            machine.next_deadline(self.state),
            self.dialogue.hold_at_ns(),
            self.dialogue.repeat_at_ns(),
        )

    def press(self, moved: ButtonMoved) -> "Step":
        """Return what a button's edge leads to; all that was due before it has been done."""
        dialogue, happened = handle_button(self.dialogue, self.state, moved)
        if self.shows_last_result and isinstance(happened, Pressed | CentrePressed):
            happened = MatchWanted(happened.at_ns, offer=self.state.next_offer)
        opened = isinstance(dialogue.page, ResumeMatchPage)
        lists = opened and not isinstance(self.dialogue.page, ResumeMatchPage)
        after, done = self.replace(dialogue=dialogue).apply(happened)
        return after, (*done, ListMatches()) if lists else done

    def pass_time(self, now_ns: int) -> "Step":
        """Do the first thing that is due by an instant, at its own; nothing if none is."""
        due_ns = self.deadline()
        if due_ns is None or due_ns > now_ns:
            return self, ()
        if due_ns == machine.next_deadline(self.state):
            return self.apply(TimePassed(due_ns))
        if due_ns == self.dialogue.repeat_at_ns():
            return self.replace(dialogue=handle_repeat(self.dialogue, self.state, due_ns)), ()
        dialogue, happened = handle_hold(self.dialogue, self.state, due_ns)
        return self.replace(dialogue=dialogue).apply(happened)

    def running_after(self, begun: Iterable[ButtonMoved]) -> Side | None:
        """Return whose clock will run if these presses, which may have begun, are ones.

        Log and accounts do not depend on it: the panels show it before the contacts have settled.
        """
        mover = self.state.running
        stamps = [press.at_ns for press in begun if press.button.side is mover]
        if mover is None or not stamps:
            return mover
        if in_same_moment(self.dialogue, self.state, mover, stamps[0]):
            return mover
        return machine.running_after(self.state, Pressed(stamps[0], mover))

    # --- what happens to the match ------------------------------------------------------------

    def apply(self, happened: Input | None) -> "Step":
        """Return what an input leads to, whoever made it."""
        match happened:
            case None:
                return self, ()
            case MatchWanted(at_ns=at_ns):
                if self.state.phase is Phase.READY:  # nothing was played in it: no winner
                    after, done = self._advance(MatchEnded(at_ns, None, DIRECTOR))
                else:
                    after, done = self._give_up_offer(happened)
                return after, (*done, happened)
            case ResumeMatchWanted():
                return self, (happened,)
            case LanguageWanted(at_ns=at_ns):
                after, done = self._advance(Noted(at_ns, Button.CENTRE))
                return after, (happened, *done)
            case OfferRefused(at_ns=at_ns, offer=offer, by=by) if by == PLAYERS:
                after, done = self._advance(happened, refused=self.refused | {offer})
                return after, (*done, MatchWanted(at_ns))
            case FaultSeen(part=part):
                return self._advance(happened, warnings=(*self._warnings_but(part), part))
            case FaultCleared(part=part):
                return self._advance(happened, warnings=self._warnings_but(part))
            case _:
                return self._advance(happened)

    def _advance(self, happened: Input, **changes: object) -> "Step":
        state, records = machine.advance(self.state, happened)
        return self._after(state, records, **changes), records

    def _after(self, state: MatchState, records: Sequence[Record], **changes: object) -> "Session":
        notice = self.notice
        for record in records:
            notice = notice_after(notice, record)
        return self.replace(**{"state": state, "notice": notice, **changes})

    def _warnings_but(self, part: str) -> tuple[str, ...]:
        return tuple(warning for warning in self.warnings if warning != part)

    # --- the next match -----------------------------------------------------------------------

    @property
    def shows_last_result(self) -> bool:
        """Whether the match was over, or adjourned, before a power cut: any press begins the next.

        Until then the players can write down what the panels show.
        """
        return self.notice is not None and self.state.phase in AT_REST

    @property
    def follows_file(self) -> bool:
        """Whether a change of the file shows at once: on its pages, and at REVIEW."""
        page = self.dialogue.page
        on_page = isinstance(page, PresetPage) or names_asked(page) is not None
        return on_page or (self.state.unconfirmed and page is None)

    def reread(self, at_ns: int, file: SettingsFile, writer: Writer) -> "Step":
        """Open the match anew if its settings have changed in the file before it is confirmed."""
        wanted = MatchWanted(at_ns, self.state.preset, self.state.standing_offer)
        settings, _, _ = _opening(wanted, file)
        if self.state.unconfirmed and (settings, file.board) != (self.state.settings, self.board):
            return self.open_match(wanted, file, writer)
        return self.ask(file.choices).offer_names(file.own.names), ()

    def offer_names(self, names: Pair[str]) -> "Session":
        """Offer the names of the file, where the director is asked for the players' names."""
        match self.dialogue.page:
            case FormPage(entry=Choice(of_names=True) as entry) as page:
                page = msgspec.structs.replace(page, entry=in_file(entry, self.state, names))
                return self.replace(dialogue=self.dialogue.replace(page=page))
            case _:
                return self

    def open_match(self, wanted: MatchWanted, file: SettingsFile, writer: Writer) -> "Step":
        """Open a match as offered, under a preset, or of the file itself."""
        settings, preset, offer = _opening(wanted, file)
        state, record = machine.open_match(settings, wanted.at_ns, writer, preset, offer)
        after = self._after(state, (record,)).replace(board=file.board)
        return after.ask(file.choices), (MatchBegun(record),)

    def ask(self, choices: tuple[Preset, ...]) -> "Session":
        """Return the session with the choices of the file as it was read last.

        It shows their page if one must be chosen before the settings are confirmed.
        """
        state, page = self.state, self.dialogue.page
        if isinstance(page, PresetPage) and not choices:
            page = None
        none_chosen = state.preset is None and not state.offer and state.unconfirmed
        if none_chosen and choices and page is None:
            page = PresetPage(first=True)
        return self.replace(dialogue=self.dialogue.replace(choices=choices, page=page))

    # --- the director's offers ----------------------------------------------------------------

    @property
    def takes_offers(self) -> bool:
        """Whether an offer would be shown now; the centre button must not take it unseen."""
        page, held = self.dialogue.page, self.dialogue.centre_since_ns is not None
        is_free = (page is None or isinstance(page, PresetPage)) and not held
        return self.state.takes_offers and is_free

    @property
    def known_offers(self) -> frozenset[str]:
        """The ids of offers that are no news."""
        standing = self.state.standing_offer
        return self.refused | {self.state.offer, standing.id if standing else ""}

    def take_offer(self, at_ns: int, offer: Offer | OfferError) -> "Step":
        """Show an offer that has come, or note why it is refused.

        Beside the result of a match that is over it stands; otherwise it is shown to be confirmed.
        """
        if isinstance(offer, OfferError):
            return self.apply(
                OfferRefused(at_ns, offer.offer, CLOCK, **fields("why", reason(offer)))
            )
        if self.state.phase in AT_REST:
            return self.apply(OfferMade(at_ns, offer))
        shown = self.replace(dialogue=self.dialogue.replace(page=None))
        return shown, (MatchWanted(at_ns, offer=offer),)

    @property
    def takes_rulings(self) -> bool:
        """Whether a proposed ruling would be shown now: no clock runs, and no page is open."""
        is_free = self.dialogue.page is None and self.dialogue.centre_since_ns is None
        return self.state.phase in DIRECTOR_PHASES and is_free

    def take_ruling(self, at_ns: int, proposal: Proposal) -> "Step":
        """Let a ruling that was proposed stand, or note that the menu does not have it now (R218).

        Nothing else comes of it before somebody holds the centre, sees it, and presses.
        """
        try:
            check_ruling(self.state, proposal.item, proposal.answers)
        except RulingError as error:
            why = fields("why", reason(error))
            return self.apply(OfferRefused(at_ns, proposal.id, CLOCK, **why))
        return self.apply(RulingProposed(at_ns, proposal))

    def _give_up_offer(self, wanted: MatchWanted | ResumeMatchWanted) -> "Step":
        """Refuse an offer that was shown, because another match begins."""
        standing = self.state.standing_offer
        if standing is None or standing == getattr(wanted, "offer", None):
            return self, ()
        why = "another match was begun"
        refusal = OfferRefused(wanted.at_ns, standing.id, PLAYERS, why)
        return self._advance(refusal, refused=self.refused | {standing.id})

    # --- matches that are not over ------------------------------------------------------------

    def list_matches(self, found: tuple[Unfinished, ...]) -> "Session":
        """Return the session with the matches that were found for their page."""
        return self.replace(dialogue=self.dialogue.replace(unfinished=found))

    def resume_match(
        self, wanted: ResumeMatchWanted, found: Recovery | None, writer: Writer
    ) -> "Step":
        """Go on with a match that is not over; None: it cannot be read, and all stays as it is."""
        if found is None:
            return self._advance(Noted(wanted.at_ns, Button.CENTRE))
        after, done = self._give_up_offer(wanted)
        after, begun = after.resume(found, writer)
        return after, (*done, *begun)

    def resume(self, recovery: Recovery, writer: Writer) -> "Step":
        """Go on, stopped, with a match of an earlier run or of another log."""
        state, restored, origin = recovery.match.state, recovery.restored, recovery.origin
        if restored is None:
            return self.replace(state=state, notice=recovery.notice), ()
        if origin is None:
            state, records = machine.advance(state, restored)
            return self._after(state, records), records
        state, record = machine.restore_match(state, restored, origin, writer)
        return self._after(state, (record,)), (MatchBegun(record),)


Step = tuple[Session, tuple[Done, ...]]
"""The session after something, and what was done, in its order."""


def first_match(
    wanted: MatchWanted, file: SettingsFile, writer: Writer, dialogue: Dialogue
) -> Step:
    """Return a session with its first match opened, at power on."""
    return Session(new_match(file.own, wanted.at_ns), dialogue).open_match(wanted, file, writer)


def _opening(wanted: MatchWanted, file: SettingsFile) -> tuple[MatchSettings, str | None, str]:
    """Return the settings of a match, its preset, and the id of the offer or ""."""
    if wanted.offer is not None:
        return wanted.offer.settings, None, wanted.offer.id
    named = {each.name: each.match for each in file.choices}
    if wanted.preset not in named:
        return file.own, None, ""
    return named[wanted.preset], wanted.preset, ""


def _earliest(*instants: int | None) -> int | None:
    return min((each for each in instants if each is not None), default=None)
