"""What the three buttons mean: presses, holds, and the pages that use them while no clock runs.

A button's edge goes in, and what it means to the match comes out, at most one input for each press.
While a page is open its presses change nothing but the page; what they finally make is one act.

The centre button stops a running clock as it goes down. Everywhere else it has two meanings, and
only letting it go (short) or holding it for 1.5 s tells which.

The one rule: the dialogue knows no time of its own and changes no match.
"""

from typing import NamedTuple

import msgspec

from clock.ui.forms import Entry
from clock.match.inputs import Act, BreakTaken, CentrePressed, Input, Noted, Pressed
from clock.match.ledger import break_possible, breaks_left
from clock.match.state import MatchState
from clock.ui.menu import Item, items
from clock.ui.menu_fields import Values
from clock.match.phases import Phase
from clock.match.sides import Button, Pair, Side

HOLD_NS = 1_500_000_000  # the centre button held this long calls the director
WRONG_CODES = 3  # in a row, then no code counts for a while
CODE_PAUSE_NS = 30_000_000_000
OUT_OF_TURN_NS = 3_000_000_000  # how long a press out of turn is shown

MOVING = (Phase.RUNNING, Phase.FREE_TURN)  # somebody is at his turn: the centre stops at once


class ButtonMoved(NamedTuple):
    """A button went down or came up."""

    button: Button
    down: bool
    at_ns: int


class BreakPage(msgspec.Struct, frozen=True):
    """READY: which breaks are taken; several follow one another."""

    taken: Pair[int] = Pair(0, 0)


class CodePage(msgspec.Struct, frozen=True):
    """The director's code is being entered."""

    entered: str = ""
    wrong: bool = False  # the code entered before was wrong


class MenuPage(msgspec.Struct, frozen=True):
    """The director's menu, with one item selected by name; "": the first."""

    name: str = ""

    def index(self, offered: tuple[Item, ...]) -> int:
        """The selected item's place; the order changes with the situation, the selection not."""
        names = [item.name for item in offered]
        return names.index(self.name) if self.name in names else 0


class FormPage(msgspec.Struct, frozen=True):
    """An item's entries, one after another; after the last one what they would do is shown."""

    item: Item
    entry: Entry | None  # None: everything is entered; the centre does it
    values: Values = ()


Page = BreakPage | CodePage | MenuPage | FormPage


class OutOfTurn(NamedTuple):
    """A player not on move pressed his plunger; shown for a while."""

    side: Side
    until_ns: int


class Dialogue(msgspec.Struct, frozen=True):
    """Where the conversation with the box stands."""

    code: str = ""  # opens the director's menu; "": no code
    page: Page | None = None
    centre_since_ns: int | None = None  # the centre is down and has not meant anything yet
    centre_spent: bool = False  # a clock was started meanwhile: it will not mean anything
    wrong_codes: int = 0
    closed_until_ns: int = 0  # no code counts before
    out_of_turn: OutOfTurn | None = None

    def hold_at_ns(self) -> int | None:
        """The instant at which the centre button, if still down, will have been held."""
        if self.centre_since_ns is None or self.centre_spent:
            return None
        return self.centre_since_ns + HOLD_NS

    def replace(self, **changes: object) -> "Dialogue":
        """The same with something changed."""
        return msgspec.structs.replace(self, **changes)


Answer = tuple[Dialogue, Input | None]


def moved(dialogue: Dialogue, state: MatchState, event: ButtonMoved) -> Answer:
    """What a button's edge means in this state of the match."""
    side = event.button.side
    if side is not None:
        return _plunger(dialogue, state, side, event.at_ns) if event.down else (dialogue, None)
    if not event.down:
        return _let_go(dialogue, state, event.at_ns)
    if state.phase in MOVING:  # stops at once (EBF 4.3(ii))
        stopping = dialogue.replace(centre_since_ns=None, centre_spent=False, out_of_turn=None)
        return stopping, CentrePressed(event.at_ns)
    return dialogue.replace(centre_since_ns=event.at_ns, centre_spent=False), None


def held(dialogue: Dialogue, at_ns: int) -> Answer:
    """The centre has been down for `HOLD_NS`: the director's menu opens, or the page closes."""
    opens = dialogue.page is None
    dialogue = dialogue.replace(centre_since_ns=None, page=_after_hold(dialogue))
    if opens and at_ns < dialogue.closed_until_ns:
        return dialogue, Noted(at_ns, Button.CENTRE, accepted=False, why="code_pause")
    return dialogue, Noted(at_ns, Button.CENTRE)


def _after_hold(dialogue: Dialogue) -> Page | None:
    match dialogue.page:
        case FormPage(item=item):
            return MenuPage(item.name)
        case MenuPage() | CodePage() | BreakPage():
            return None
        case None:
            return CodePage() if dialogue.code else MenuPage()


def _plunger(dialogue: Dialogue, state: MatchState, side: Side, at_ns: int) -> Answer:
    if dialogue.page is None:
        return _pressed(dialogue, state, side, at_ns), Pressed(at_ns, side)
    if isinstance(dialogue.page, CodePage):
        return _code_letter(dialogue, dialogue.page, side, at_ns)
    page = _turned(dialogue.page, state, side)
    return dialogue.replace(page=page), Noted(at_ns, Button(side.value))


def _pressed(dialogue: Dialogue, state: MatchState, side: Side, at_ns: int) -> Dialogue:
    """A press that is the match's: a centre that is down while a clock starts is spent."""
    waiting = state.phase in MOVING and state.turn is not None and state.turn.side is not side
    return dialogue.replace(
        centre_spent=state.phase is Phase.READY and dialogue.centre_since_ns is not None,
        out_of_turn=OutOfTurn(side, at_ns + OUT_OF_TURN_NS) if waiting else None,
    )


def _turned(page: BreakPage | MenuPage | FormPage, state: MatchState, side: Side) -> Page:
    """A plunger on a page: left back or down, right on or up."""
    step = 1 if side is Side.RIGHT else -1
    match page:
        case BreakPage(taken=taken):
            return BreakPage(taken.update(side, lambda n: (n + 1) % (breaks_left(state)[side] + 1)))
        case MenuPage() as menu:
            offered = items(state)
            return MenuPage(offered[(menu.index(offered) + step) % len(offered)].name)
        case FormPage(entry=entry):
            return (
                page if entry is None else msgspec.structs.replace(page, entry=entry.turned(step))
            )


def _let_go(dialogue: Dialogue, state: MatchState, at_ns: int) -> Answer:
    """The centre came up: a short press, unless going down or being held was it already."""
    if dialogue.centre_since_ns is None:
        return dialogue, None
    too_late = dialogue.centre_spent or state.phase in MOVING
    dialogue = dialogue.replace(centre_since_ns=None, centre_spent=False)
    if too_late:
        return dialogue, Noted(at_ns, Button.CENTRE, accepted=False, why="too_late")
    match dialogue.page:
        case None if state.phase is Phase.READY and break_possible(state):
            return dialogue.replace(page=BreakPage()), Noted(at_ns, Button.CENTRE)
        case None:
            return dialogue, CentrePressed(at_ns)
        case BreakPage(taken=taken):
            return _close_break(dialogue, taken, at_ns)
        case MenuPage() as menu:
            offered = items(state)
            form = _form(offered[menu.index(offered)], state, ())
            return dialogue.replace(page=form), Noted(at_ns, Button.CENTRE)
        case FormPage() as page:
            return _form_entered(dialogue, page, state, at_ns)
        case CodePage():
            return dialogue.replace(page=None), Noted(at_ns, Button.CENTRE)


def _close_break(dialogue: Dialogue, taken: Pair[int], at_ns: int) -> Answer:
    closed = dialogue.replace(page=None)
    return closed, BreakTaken(at_ns, taken) if sum(taken) else Noted(at_ns, Button.CENTRE)


def _form(item: Item, state: MatchState, values: Values) -> FormPage:
    """The page for the next entry that an item needs."""
    if len(values) == len(item.entries):
        return FormPage(item, None, values)
    return FormPage(item, item.entries[len(values)](state, values), values)


def _form_entered(dialogue: Dialogue, page: FormPage, state: MatchState, at_ns: int) -> Answer:
    if page.entry is None:
        return dialogue.replace(page=None), proposed_act(page, state, at_ns)
    value, following = page.entry.value, page.entry.entered()
    if following is not None:
        page = msgspec.structs.replace(page, entry=following)
    else:
        page = _form(page.item, state, (*page.values, value))
    return dialogue.replace(page=page), Noted(at_ns, Button.CENTRE)


def proposed_act(page: FormPage, state: MatchState, at_ns: int) -> Act:
    """What the centre would do on a page whose entries are complete."""
    return page.item.act(state, at_ns, page.values)


def _code_letter(dialogue: Dialogue, page: CodePage, side: Side, at_ns: int) -> Answer:
    """Another letter of the code; after three wrong codes none counts for a while."""
    press = Noted(at_ns, Button(side.value))
    if at_ns < dialogue.closed_until_ns:
        return dialogue, msgspec.structs.replace(press, accepted=False, why="code_pause")
    entered = page.entered + ("L" if side is Side.LEFT else "R")
    if len(entered) < len(dialogue.code):
        return dialogue.replace(page=CodePage(entered)), press
    if entered == dialogue.code:
        return dialogue.replace(page=MenuPage(), wrong_codes=0), press
    wrong = dialogue.wrong_codes + 1
    until_ns = at_ns + CODE_PAUSE_NS if wrong % WRONG_CODES == 0 else dialogue.closed_until_ns
    again = dialogue.replace(page=CodePage(wrong=True), wrong_codes=wrong, closed_until_ns=until_ns)
    return again, msgspec.structs.replace(press, accepted=False, why="wrong_code")
