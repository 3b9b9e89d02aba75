"""The director's pages: the code, the menu, an item's entries, and what they would do.

Both panels are read together: the left one says where we are and what can be chosen, the right one
what it is for, what was entered, what it would do. The one rule: holding the centre leads back from
everywhere.
"""

from msgspec import structs

from clock.ui.dialogue import CodePage, FormPage, MenuPage, proposed_act
from clock.match.time_format import clock_text
from clock.ui.face import Face, View, both_pages, page_face
from clock.ui.forms import Choice, Entry, Number, Time
from clock.ui.menu import items
from clock.ui.preview import would_say
from clock.match.sides import Pair, Side
from clock.ui.descriptions import Lines

CALM_LINES = 3  # with fewer lines a panel would be laid out in another way


def code_pages(view: View, page: CodePage, now_ns: int) -> Pair[Face]:
    """The director's code being entered."""
    say, left_ns = view.say, view.dialogue.closed_until_ns - now_ns
    title = say("refused_wrong_code") if page.wrong else say("code")
    paused = left_ns > 0
    second = say("wait_time", time=clock_text(left_ns)) if paused else "*" * len(page.entered)
    keys = ("", say("close"), "") if paused else ("L", say("close"), "R")
    return both_pages(view, now_ns, say("director"), (title, second), keys)


def menu_pages(view: View, menu: MenuPage, now_ns: int) -> Pair[Face]:
    """Left the items, right what the selected one is for."""
    say, offered = view.say, items(view.state)
    at = menu.index(offered)
    names = tuple(say(f"item_{item.name}") for item in offered)
    about = (*say(f"about_{offered[at].name}").split("\n"), say("hold_back"))
    place = f"{at + 1}/{len(names)}"
    return _choosing(view, now_ns, (say("director"), names, at), (place, about))


def form_pages(view: View, form: FormPage, now_ns: int) -> Pair[Face]:
    """Left the entry, right what has been entered; at the end what the centre will do."""
    say, title = view.say, view.say(f"item_{form.item.name}")
    if form.entry is not None:
        lines, at = _entry_lines(view, form.entry)
        status = say(f"entry_{form.entry.name}")
        told = (*_entered(view, form), say("hold_back"))
        return _choosing(view, now_ns, (status, lines, at), (title, told))
    effect = would_say(view, proposed_act(form, view.state, now_ns))
    keys = ("", say("do_it"), "")
    own = (title, say("hold_back"))
    return Pair(
        page_face(view, Side.LEFT, now_ns, say("do_this"), _calm(own), keys),
        page_face(view, Side.RIGHT, now_ns, say("do_this"), _calm(effect), keys),
    )


def _choosing(
    view: View, now_ns: int, left: tuple[str, Lines, int], right: tuple[str, Lines]
) -> Pair[Face]:
    """Left what the plungers turn, right about it."""
    status, lines, at = left
    turning = page_face(view, Side.LEFT, now_ns, status, _calm(lines), ("◀", "OK", ""))
    title, told = right
    about = page_face(view, Side.RIGHT, now_ns, title, _calm(told), ("", "OK", "▶"))
    return Pair(structs.replace(turning, selected=at), about)


def _calm(lines: Lines) -> Lines:
    """So many lines at least that all pages of the menu are laid out alike."""
    return lines + ("",) * (CALM_LINES - len(lines))


def _entry_lines(view: View, entry: Entry) -> tuple[Lines, int]:
    """What the plungers turn, and which line of it is selected."""
    match entry:
        case Choice(options=options, at=at):
            return tuple(view.say(option.label) for option in options), at
        case Number(value=value):
            return (str(value),), 0
        case Time() as time:
            return (time.text(), f"± {clock_text(time.step_ns)}"), 0


def _entered(view: View, form: FormPage) -> Lines:
    """The entries already made, each in a line."""
    makers = form.item.entries[: len(form.values)]
    made = [make(view.state, form.values) for make in makers]
    return tuple(_value(view, entry, value) for entry, value in zip(made, form.values, strict=True))


def _value(view: View, entry: Entry, value: object) -> str:
    match entry:
        case Choice(options=options):
            return next((view.say(o.label) for o in options if o.value == value), str(value))
        case Number():
            return str(value)
        case Time():
            return clock_text(value) if isinstance(value, int) else ""
