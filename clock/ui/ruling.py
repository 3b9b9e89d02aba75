"""A ruling that is proposed from the room: an item of the director's menu with its answers.

Hub and clock read the answers with the items and entries of the menu itself, so that nothing can be
proposed that could not be entered at the box now.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from clock.config.checks import is_names
from clock.match.events import PressedEvent
from clock.match.inputs import Ruling
from clock.match.machine import apply_at_once, changes_nothing
from clock.match.rules import Answer
from clock.match.state import MatchState
from clock.match.types import Pair
from clock.text import message
from clock.ui.forms import UNSET, Change, Choice, Entry, Number, Time
from clock.ui.menu import CHANGE_NO_MATCH, Item, items
from clock.ui.menu_fields import Values
from clock.units import SECOND_NS


class RulingError(Exception):
    """A ruling cannot be entered now; the message says why."""


class Entered(NamedTuple):
    """An item of the menu and the answers to what it asks."""

    item: Item
    entry: Entry | None  # what it asks next; None: nothing more
    values: Values

    def ruling(self, state: MatchState) -> Ruling:
        """Return what the centre would carry out, when nothing more is asked."""
        return self.item.ruling(state, state.at_ns, self.values)


def proposable(state: MatchState) -> tuple[Item, ...]:
    """Return the items of the menu that can be proposed now, most likely first; () in a turn."""
    return tuple(item for item in items(state) if item.kind not in CHANGE_NO_MATCH)


def answered(state: MatchState, name: str, answers: Sequence[Answer]) -> Entered:
    """Return an item of the menu after these answers, with what it asks next.

    Raises:
        RulingError: the item is not offered now, or an answer is none of those that are possible.
    """
    item = next((each for each in proposable(state) if each.name == name), None)
    if item is None:
        raise RulingError(message("rule_impossible"))
    entry, values = item.next_entry(state, ())
    for answer in answers:
        if entry is None:
            raise RulingError(message("rule_less"))
        entry, values = item.next_entry(state, (*values, _value(entry, answer)))
    return Entered(item, entry, values)


def check_ruling(state: MatchState, name: str, answers: Sequence[Answer]) -> Entered:
    """Return a ruling that the centre can carry out now.

    Raises:
        RulingError: it is not complete, or it would change nothing.
    """
    entered = answered(state, name, answers)
    if entered.entry is not None:
        raise RulingError(message("rule_more"))
    ruling = entered.ruling(state)
    _, event = apply_at_once(state, ruling)
    if event is None or isinstance(event, PressedEvent) or changes_nothing(state, ruling):
        raise RulingError(message("rule_nothing"))
    return entered


def answer_of(value: object) -> object:
    """Return the value of an option as it stands in an answer."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _value(entry: Entry, answer: Answer) -> object:
    match entry:
        case Choice(options=options):
            given = msgspec.json.encode(answer)
            for option in options:
                if option is not UNSET and msgspec.json.encode(option.value) == given:
                    return option.value
            if entry.of_names and isinstance(answer, tuple) and is_names(answer):
                return Pair(*answer)
        case Number() | Time() | Change():
            step = 1 if isinstance(entry, Number) else SECOND_NS
            if _is_whole(answer, entry.lowest, entry.highest, step):
                return answer
    raise RulingError(message("rule_value", answer=str(answer)[:40]))


def _is_whole(answer: Answer, lowest: int, highest: int, step: int) -> bool:
    if not isinstance(answer, int) or isinstance(answer, bool):
        return False
    return lowest <= answer <= highest and not answer % step
