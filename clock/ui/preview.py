"""What would happen if a button were pressed now, in words.

The one rule: what a press would do is not written here, it is tried out on the machine and told
from the event that it would leave.
"""

from clock.match.events import AnyEvent
from clock.ui.face import View
from clock.match.inputs import Input, MatchWanted
from clock.ui.i18n import LINE_LENGTH
from clock.match.transitions import TABLE
from clock.ui.descriptions import Lines, tell

ARROW = " → "


def would(view: View, happened: Input) -> AnyEvent | None:
    """What the log would say if this happened now."""
    state = view.state
    return TABLE[state.phase, type(happened)].do(state.replace(at_ns=happened.at_ns), happened)[1]


def would_say(view: View, happened: Input) -> Lines:
    """The same in words, in lines that a panel has room for."""
    if isinstance(happened, MatchWanted):
        return (view.say("item_new_match"),)
    event = would(view, happened)
    return () if event is None else told(event, view)


def told(event: AnyEvent, view: View) -> Lines:
    """An event in words; a change that is too long for a line goes on in the next."""
    return tuple(part for line in tell(event, view.say) for part in _broken(line))


def _broken(line: str) -> Lines:
    before, arrow, after = line.partition(ARROW)
    if len(line) <= LINE_LENGTH or not arrow:
        return (line,)
    return (before, f"{arrow.strip()} {after}")
