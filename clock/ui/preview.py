"""What would happen if a button were pressed now, in words.

A press is tried on the state machine, and the event that it would log is described, so that a
preview cannot differ from what then happens.
"""

from clock.match.events import AnyEvent
from clock.match.inputs import Input, MatchWanted
from clock.match.transitions import TABLE
from clock.ui.descriptions import Lines, event_lines
from clock.ui.face import View
from clock.ui.i18n import LINE_LENGTH

ARROW = " → "


def preview(view: View, happened: Input) -> Lines:
    """Return what this input would do now, in lines that fit a panel; () for nothing."""
    state = view.state
    if isinstance(happened, MatchWanted):
        return (view.say("item_new_match"),)
    handler = TABLE[state.phase, type(happened)].handler
    _, event = handler(state.replace(at_ns=happened.at_ns), happened)
    return () if event is None else describe(event, view)


def describe(event: AnyEvent, view: View) -> Lines:
    """Return an event in lines that fit a panel; a change that is too long takes two."""
    return tuple(part for line in event_lines(event, view.say) for part in _broken(line))


def _broken(line: str) -> Lines:
    before, arrow, after = line.partition(ARROW)
    if len(line) <= LINE_LENGTH or not arrow:
        return (line,)
    return (before, f"{arrow.strip()} {after}")
