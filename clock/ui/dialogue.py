"""What the three buttons mean: presses, holds, and the pages that use them while no clock runs.

An edge of a button goes in; the new dialogue and at most one input for the match come out. Presses
on an open page change only the page, until its last one gives the match a single ruling.

The centre button stops a running clock as it goes down. Everywhere else a short press and a hold
of 1.5 s mean different things, so a short press counts when the button comes up.
"""

from typing import NamedTuple

import msgspec

from clock.config.settings import Preset
from clock.eventlog.unfinished import Unfinished
from clock.match.breaks import breaks_left, players_may_break
from clock.match.inputs import (
    DIRECTOR,
    PLAYERS,
    BreakTaken,
    CentrePressed,
    Input,
    MatchWanted,
    Noted,
    OfferRefused,
    Pressed,
    ResumeMatchWanted,
    Ruling,
)
from clock.match.machine import changes_nothing
from clock.match.rules import Recorded
from clock.match.scoring import game_kinds
from clock.match.state import AT_REST, MatchState
from clock.match.types import Button, Crawford, Pair, Phase, Side
from clock.ui.forms import Change, Choice, Entry
from clock.ui.menu import PLAYERS_CRAWFORD, PLAYERS_CUBE, TAKE_UP, Item, items
from clock.ui.menu_fields import Values
from clock.ui.ruling import RulingError, check_ruling

HOLD_NS = 1_500_000_000  # the centre button held this long calls the director
REPEAT_AFTER_NS = 500_000_000  # a plunger held this long on a page repeats (R133)
REPEAT_NS = 125_000_000  # 8 a second
FAST_AFTER_NS = 2_000_000_000
FAST_NS = 50_000_000  # 20 a second
REPEAT_FOR_NS = 15_000_000_000  # then it is stuck rather than held
WRONG_CODES = 3  # in a row, then no code counts for a while
CODE_PAUSE_NS = 30_000_000_000
SAME_MOMENT_NS = 40_000_000  # no hand answers a press so soon: two plungers are one event (R85)
OUT_OF_TURN_NS = 3_000_000_000  # how long a press out of turn is shown

TURN_PHASES = (Phase.RUNNING, Phase.FREE_TURN)  # a turn is being played: the centre stops it


class ButtonMoved(NamedTuple):
    """A button went down or came up."""

    button: Button
    down: bool
    at_ns: int


class BreakPage(msgspec.Struct, frozen=True):
    """READY: how many breaks each player takes; they follow one another."""

    taken: Pair[int] = Pair(0, 0)


class CodePage(msgspec.Struct, frozen=True):
    """The director's code is being entered."""

    entered: str = ""
    wrong: bool = False
    """Whether the code entered before was wrong."""


class MenuPage(msgspec.Struct, frozen=True):
    """The director's menu."""

    name: str = ""
    """The selected item; "" for the first one."""

    def index(self, offered: tuple[Item, ...]) -> int:
        """Return the place of the selected item, which keeps its name when the order changes."""
        names = [item.name for item in offered]
        return names.index(self.name) if self.name in names else 0


class FormPage(msgspec.Struct, frozen=True):
    """An item's entries, one after another, and then a preview of the ruling."""

    item: Item
    entry: Entry | None
    """The entry being made; None once all are: the centre then carries out the ruling."""
    values: Values = ()
    """The values entered so far; None for what is not asked for."""
    proposal: str = ""
    """The id of the proposed ruling that this is, complete; "": it is entered here."""

    @property
    def asks_players(self) -> bool:
        """Whether the players answer it: holding the centre then opens no menu."""
        return self.item.of_players


class PresetPage(msgspec.Struct, frozen=True):
    """The presets, one of which the next match is played under."""

    name: str = ""
    """The selected one; "" for the file's own settings."""
    first: bool = False
    """Whether none has been chosen yet, so that there is no page to go back to."""

    def selected(self, choices: tuple[Preset, ...], step: int = 0) -> Preset:
        """Return the selected preset, or the one `step` places further on."""
        names = [preset.name for preset in choices]
        at = names.index(self.name) if self.name in names else 0  # the file may have changed
        return choices[(at + step) % len(choices)]


class ResumeMatchPage(msgspec.Struct, frozen=True):
    """The matches that are not over, one of which can be resumed (R131)."""

    log: str = ""
    """The log of the selected one; "" for the first."""

    def selected(self, found: tuple[Unfinished, ...], step: int = 0) -> Unfinished | None:
        """Return the selected match, or the one `step` places further on; None: there is none."""
        logs = [each.log for each in found]
        at = logs.index(self.log) if self.log in logs else 0
        return found[(at + step) % len(found)] if found else None


Page = BreakPage | CodePage | MenuPage | FormPage | PresetPage | ResumeMatchPage
# A held plunger turns these again and again.
Turned = MenuPage | FormPage | PresetPage | ResumeMatchPage


class OutOfTurn(NamedTuple):
    """A player pressed who was not on move, or not yet; shown until `until_ns`."""

    side: Side
    until_ns: int
    at_once: bool = False
    """Whether it was in the same moment as the press that ended the opponent's turn."""


class TurnPressed(NamedTuple):
    """A plunger that began the opponent's turn, if it could."""

    side: Side
    at_ns: int


class HeldPlunger(NamedTuple):
    """A plunger that has been down since a page took its press."""

    side: Side
    since_ns: int
    next_ns: int
    """When it repeats next."""


class Dialogue(msgspec.Struct, frozen=True):
    """What the buttons have been used for so far."""

    code: str = ""
    """Opens the director's menu; "" for none."""
    page: Page | None = None
    centre_since_ns: int | None = None
    """Since when the centre has been down, if it has not taken effect yet."""
    centre_void: bool = False
    """Whether a clock was started while the centre was down: it then has no effect."""
    wrong_codes: int = 0
    code_paused_until_ns: int = 0
    """No code is accepted before this instant."""
    out_of_turn: OutOfTurn | None = None
    turn_pressed: TurnPressed | None = None
    choices: tuple[Preset, ...] = ()
    """What the next match can be: the file's own settings, then its presets; () without presets."""
    unfinished: tuple[Unfinished, ...] = ()
    """The matches that can be resumed, as the runtime found them when their page was opened."""
    players_start: bool = True
    """Whether the players may choose the preset of the next match."""

    held: HeldPlunger | None = None

    @property
    def players_choose(self) -> bool:
        """Whether the players can begin the next match, by choosing a preset."""
        return bool(self.choices) and self.players_start

    def hold_at_ns(self) -> int | None:
        """Return the instant at which the centre, if still down, counts as held."""
        if self.centre_since_ns is None or self.centre_void:
            return None
        return self.centre_since_ns + HOLD_NS

    def repeat_at_ns(self) -> int | None:
        """Return the instant at which a plunger, if still down, turns the page again."""
        held = self.held
        if held is None or not isinstance(self.page, Turned):
            return None
        return held.next_ns if held.next_ns - held.since_ns <= REPEAT_FOR_NS else None

    def replace(self, **changes: object) -> "Dialogue":
        """Return a copy with some fields changed."""
        return msgspec.structs.replace(self, **changes)


Answer = tuple[Dialogue, Input | None]


def handle_button(dialogue: Dialogue, state: MatchState, event: ButtonMoved) -> Answer:
    """Return the dialogue after a button's edge, and what the edge means to the match."""
    side = event.button.side
    dialogue = dialogue.replace(held=None)
    if side is not None:
        return _plunger(dialogue, state, side, event.at_ns) if event.down else (dialogue, None)
    if not event.down:
        return _release_centre(dialogue, state, event.at_ns)
    if state.phase in TURN_PHASES:  # stops at once (EBF 4.3(ii))
        stopping = dialogue.replace(centre_since_ns=None, out_of_turn=None)
        return stopping, CentrePressed(event.at_ns)
    return dialogue.replace(centre_since_ns=event.at_ns, centre_void=False), None


def handle_hold(dialogue: Dialogue, state: MatchState, at_ns: int) -> Answer:
    """Answer the centre button that has been down for `HOLD_NS`.

    It refuses an offered match that nobody has confirmed, leaves a page, or opens the director's
    menu.
    """
    if refuses_offer(dialogue, state):
        refused = OfferRefused(at_ns, state.offer, PLAYERS)
        return dialogue.replace(centre_since_ns=None), refused
    opens = _calls_director(dialogue.page)
    dialogue = dialogue.replace(centre_since_ns=None, page=_page_after_hold(dialogue, state))
    if opens and at_ns < dialogue.code_paused_until_ns:
        return dialogue, Noted(at_ns, Button.CENTRE, accepted=False, why="code_pause")
    return dialogue, Noted(at_ns, Button.CENTRE)


def handle_repeat(dialogue: Dialogue, state: MatchState, at_ns: int) -> Dialogue:
    """Return the dialogue after a held plunger has turned its page once more (R133).

    A page takes the place of another only by a press, so it is still the one that was turned.
    """
    held, page = dialogue.held, dialogue.page
    if held is None or not isinstance(page, Turned):
        return dialogue
    step_ns = FAST_NS if at_ns - held.since_ns >= FAST_AFTER_NS else REPEAT_NS
    match page:
        case FormPage(entry=Change() as entry):
            turned: Page = msgspec.structs.replace(page, entry=entry.counted_on(_step(held.side)))
        case _:
            turned = _turn_page(dialogue, page, state, held.side)
    return dialogue.replace(page=turned, held=held._replace(next_ns=at_ns + step_ns))


def refuses_offer(dialogue: Dialogue, state: MatchState) -> bool:
    """Return whether holding the centre refuses the match that is shown."""
    return dialogue.page is None and bool(state.offer) and state.unconfirmed


def _calls_director(page: Page | None) -> bool:
    """Return whether holding the centre calls the director; on other pages it goes back."""
    return page is None or (isinstance(page, PresetPage) and page.first)


def _directors_page(state: MatchState) -> Page:
    """Return what the director sees first: a ruling that was proposed, or the menu (R218)."""
    found = state.proposal
    if found is None:
        return MenuPage()
    try:
        item, _, values = check_ruling(state, found.item, found.answers)
    except RulingError:
        return MenuPage()
    return FormPage(item, None, values, proposal=found.id)


def _page_after_hold(dialogue: Dialogue, state: MatchState) -> Page | None:
    if _calls_director(dialogue.page):
        return CodePage() if dialogue.code else _directors_page(state)
    match dialogue.page:
        case FormPage(item=item, asks_players=False):
            return MenuPage(item.name)
        case ResumeMatchPage():
            return MenuPage(TAKE_UP)
        case _:
            return None


def _plunger(dialogue: Dialogue, state: MatchState, side: Side, at_ns: int) -> Answer:
    if dialogue.page is None:
        return _play_press(dialogue, state, side, at_ns)
    if isinstance(dialogue.page, CodePage):
        return _enter_letter(dialogue, dialogue.page, state, side, at_ns)
    if isinstance(dialogue.page, FormPage) and dialogue.page.proposal:
        refused = OfferRefused(at_ns, dialogue.page.proposal, DIRECTOR)
        return dialogue.replace(page=None), refused
    page = _turn_page(dialogue, dialogue.page, state, side)
    turns = page != dialogue.page
    held = HeldPlunger(side, at_ns, at_ns + REPEAT_AFTER_NS) if turns else None
    return dialogue.replace(page=page, held=held), Noted(at_ns, Button(side.value))


def in_same_moment(dialogue: Dialogue, state: MatchState, side: Side, at_ns: int) -> bool:
    """Return whether a press would end a turn that began in this moment (R85).

    Nobody rolls and plays in that time: both players pressed at once, and only the press that ended
    a turn counts. If the player who is not on move was the earlier one, it does so too.
    """
    begun, turn = dialogue.turn_pressed, state.turn
    if begun is None or state.phase not in TURN_PHASES or turn is None:
        return False
    ends_turn = turn.side is side and begun.side is side.other
    return ends_turn and at_ns - begun.at_ns < SAME_MOMENT_NS


def _play_press(dialogue: Dialogue, state: MatchState, side: Side, at_ns: int) -> Answer:
    """Answer a press for the match; one that starts a clock voids the centre."""
    if in_same_moment(dialogue, state, side, at_ns):
        at_once = OutOfTurn(side, at_ns + OUT_OF_TURN_NS, at_once=True)
        refused = Noted(at_ns, Button(side.value), accepted=False, why="same_moment")
        return dialogue.replace(out_of_turn=at_once), refused
    begins = state.phase is Phase.READY
    waiting = state.phase in TURN_PHASES and state.turn is not None and state.turn.side is not side
    ends = state.phase in TURN_PHASES and not waiting
    answered = dialogue.replace(
        centre_void=dialogue.centre_void or (begins and dialogue.centre_since_ns is not None),
        out_of_turn=OutOfTurn(side, at_ns + OUT_OF_TURN_NS) if waiting else None,
        turn_pressed=TurnPressed(side, at_ns) if begins or ends else dialogue.turn_pressed,
    )
    return answered, Pressed(at_ns, side)


def _turn_page(dialogue: Dialogue, page: BreakPage | Turned, state: MatchState, side: Side) -> Page:
    """Return the page after a plunger: left goes back or down, right forward or up."""
    step = _step(side)
    match page:
        case BreakPage(taken=taken):
            return BreakPage(taken.update(side, lambda n: (n + 1) % (breaks_left(state)[side] + 1)))
        case MenuPage() as menu:
            offered = offered_items(dialogue, state)
            return MenuPage(offered[(menu.index(offered) + step) % len(offered)].name)
        case PresetPage(first=first) as choice:
            return PresetPage(choice.selected(dialogue.choices, step).name, first)
        case ResumeMatchPage() as choosing:
            found = choosing.selected(dialogue.unfinished, step)
            return ResumeMatchPage("" if found is None else found.log)
        case FormPage(entry=entry):
            turned = None if entry is None else entry.turned(step)
            return msgspec.structs.replace(page, entry=turned)


def names_asked(page: Page | None) -> Choice | None:
    """Return the entry of the players' names, if it is being made."""
    match page:
        case FormPage(entry=Choice(of_names=True) as entry):
            return entry
        case _:
            return None


def _step(side: Side) -> int:
    return 1 if side is Side.RIGHT else -1


def _release_centre(  # noqa: C901, PLR0912 (a case for each page)
    dialogue: Dialogue, state: MatchState, at_ns: int
) -> Answer:
    """Carry out a short press, unless the centre took effect going down or being held."""
    if dialogue.centre_since_ns is None:
        return dialogue, None
    too_late = dialogue.centre_void or state.phase in TURN_PHASES
    dialogue = dialogue.replace(centre_since_ns=None, centre_void=False)
    if too_late:
        return dialogue, Noted(at_ns, Button.CENTRE, accepted=False, why="too_late")
    match dialogue.page:
        case None if state.next_offer is not None:
            return dialogue, MatchWanted(at_ns, offer=state.next_offer)
        case None:
            page = _players_page(dialogue, state)
            if isinstance(page, FormPage):
                return _asking(dialogue, page, state, at_ns)
            pressed = CentrePressed(at_ns) if page is None else Noted(at_ns, Button.CENTRE)
            return dialogue.replace(page=page), pressed
        case BreakPage(taken=taken):
            taking = BreakTaken(at_ns, taken) if sum(taken) else Noted(at_ns, Button.CENTRE)
            return dialogue.replace(page=None), taking
        case MenuPage() as menu:
            offered = offered_items(dialogue, state)
            if offered[menu.index(offered)].kind is None:
                return dialogue.replace(page=None), Noted(at_ns, Button.CENTRE)
            form = _first_page(dialogue, offered[menu.index(offered)], state)
            return dialogue.replace(page=form), Noted(at_ns, Button.CENTRE)
        case PresetPage() as choice:
            chosen = choice.selected(dialogue.choices).name
            return dialogue.replace(page=None), MatchWanted(at_ns, chosen)
        case ResumeMatchPage() as choosing:
            found = choosing.selected(dialogue.unfinished)
            if found is None:
                return dialogue.replace(page=None), Noted(at_ns, Button.CENTRE)
            return dialogue.replace(page=None), ResumeMatchWanted(at_ns, found.log)
        case FormPage() as page:
            return _advance_form(dialogue, page, state, at_ns)
        case CodePage():
            return dialogue.replace(page=None), Noted(at_ns, Button.CENTRE)


def _players_page(dialogue: Dialogue, state: MatchState) -> Page | None:
    if state.phase is Phase.READY and players_may_break(state):
        return BreakPage()
    if state.phase in AT_REST and dialogue.players_choose:
        return _preset_page(state)
    if state.phase is Phase.GAME_OVER and _cube_asked(state):
        return _next_entry(FormPage(PLAYERS_CUBE, None), state)
    if _crawford_asked(state):
        return _next_entry(FormPage(PLAYERS_CRAWFORD, None), state)
    return None


def _crawford_asked(state: MatchState) -> bool:
    """Return whether the players must say if the Crawford game has been played (R91)."""
    confirmed = all(player.confirmed for player in state.players)
    return state.phase is Phase.REVIEW and confirmed and state.crawford is Crawford.UNKNOWN


def _cube_asked(state: MatchState) -> bool:
    """Return whether cube and gammon are recorded, and can be known."""
    return Recorded.CUBE in state.settings.rules.record and bool(game_kinds(state))


def offered_items(dialogue: Dialogue, state: MatchState) -> tuple[Item, ...]:
    """Return the items of the director's menu."""
    return items(state, presets=bool(dialogue.choices))


def _first_page(
    dialogue: Dialogue, item: Item, state: MatchState
) -> FormPage | PresetPage | ResumeMatchPage:
    """Return the page that an item of the menu opens: with presets, a new match is one of them."""
    if item.kind is ResumeMatchWanted:
        return ResumeMatchPage()
    if item.kind is MatchWanted and dialogue.choices:
        return _preset_page(state)
    return _next_entry(FormPage(item, None), state)


def _preset_page(state: MatchState) -> PresetPage:
    return PresetPage(state.preset or "")


def _next_entry(page: FormPage, state: MatchState) -> FormPage:
    """Return the page of an item's next entry, or of the preview after the last one."""
    entry, values = page.item.next_entry(state, page.values)
    return msgspec.structs.replace(page, entry=entry, values=values)


def _advance_form(dialogue: Dialogue, page: FormPage, state: MatchState, at_ns: int) -> Answer:
    if page.entry is None:
        ruling = proposed_ruling(page, state, at_ns)
        if changes_nothing(state, ruling):
            return dialogue.replace(page=None), Noted(at_ns, Button.CENTRE)
        return dialogue.replace(page=None), msgspec.structs.replace(
            ruling, carries_out=page.proposal
        )
    if isinstance(page.entry, Choice) and not page.entry.complete:
        return dialogue, Noted(at_ns, Button.CENTRE, accepted=False, why="not_chosen")
    value, following = page.entry.value, page.entry.next_place()
    if following is not None:
        page = msgspec.structs.replace(page, entry=following)
    else:
        page = msgspec.structs.replace(page, values=(*page.values, value))
        page = _next_entry(page, state)
    return _asking(dialogue, page, state, at_ns)


def _asking(dialogue: Dialogue, page: FormPage, state: MatchState, at_ns: int) -> Answer:
    """Show a page; where cube and gammon are known, the points that were seen before count."""
    if page.item is PLAYERS_CUBE and page.entry is None:
        return dialogue.replace(page=None), proposed_ruling(page, state, at_ns)
    return dialogue.replace(page=page), Noted(at_ns, Button.CENTRE)


def proposed_ruling(page: FormPage, state: MatchState, at_ns: int) -> Ruling:
    """Return the ruling that the centre would carry out on a page whose entries are complete."""
    return page.item.ruling(state, at_ns, page.values)


def _enter_letter(
    dialogue: Dialogue, page: CodePage, state: MatchState, side: Side, at_ns: int
) -> Answer:
    """Add a letter to the code; after `WRONG_CODES` wrong codes none counts for a while."""
    press = Noted(at_ns, Button(side.value))
    if at_ns < dialogue.code_paused_until_ns:
        return dialogue, msgspec.structs.replace(press, accepted=False, why="code_pause")
    entered = page.entered + ("L" if side is Side.LEFT else "R")
    if len(entered) < len(dialogue.code):
        return dialogue.replace(page=CodePage(entered)), press
    if entered == dialogue.code:
        return dialogue.replace(page=_directors_page(state), wrong_codes=0), press
    wrong = dialogue.wrong_codes + 1
    until_ns = at_ns + CODE_PAUSE_NS if wrong % WRONG_CODES == 0 else dialogue.code_paused_until_ns
    dialogue = dialogue.replace(
        page=CodePage(wrong=True), wrong_codes=wrong, code_paused_until_ns=until_ns
    )
    return dialogue, msgspec.structs.replace(press, accepted=False, why="wrong_code")
