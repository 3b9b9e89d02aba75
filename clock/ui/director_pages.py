"""What the director's pages show: the code, the menu, an item's entries, a preview of the ruling.

The left panel shows what can be chosen; the right one what it is for, what has been entered so far,
or what the ruling would do. Holding the centre goes back from every page.
"""

from msgspec import structs

from clock.match.durations import clock_text, signed_text
from clock.match.events import AdjustedEvent, GameOverEvent
from clock.match.inputs import TurnResumed, Undone
from clock.match.types import Pair, Side
from clock.ui.descriptions import Lines, event_lines
from clock.ui.dialogue import CodePage, FormPage, MenuPage, offered_items, proposed_ruling
from clock.ui.face import View, both_pages, name_within, page_face
from clock.ui.forms import Change, Choice, Entry, Number, Option, Time
from clock.ui.i18n import LINE_LENGTH
from clock.ui.menu import Item
from clock.ui.names import both_names, shortened
from clock.ui.preview import preview
from hardware.face import Face, Keys

TITLE_LENGTH = 19  # of an item, which is a little narrower than a line
LEAST_LINES = 3  # with fewer a panel has another layout
MOST_ENTERED = 3  # values that are seen again beside the next entry: the latest


def code_pages(view: View, page: CodePage, now_ns: int) -> Pair[Face]:
    """Return the page on which the director's code is entered; it shows no score."""
    say, left_ns = view.say, view.dialogue.code_paused_until_ns - now_ns
    title = say("refused_wrong_code") if page.wrong else say("code")
    paused = left_ns > 0
    second = say("wait_time", time=clock_text(left_ns)) if paused else "*" * len(page.entered)
    keys = ("", say("close"), "") if paused else ("L", say("close"), "R")
    pages = both_pages(view, now_ns, say("director"), (title, second), keys)
    return pages.map(lambda face: structs.replace(face, score=""))


def menu_pages(view: View, menu: MenuPage, now_ns: int) -> Pair[Face]:
    """Return the items for the left panel, and for the right one what the selected item does."""
    say, offered = view.say, offered_items(view.dialogue, view.state)
    at = menu.index(offered)
    names = tuple(_title(view, item) for item in offered)
    about = (*_about(view, offered[at]).split("\n"), say("hold_back"))
    place = f"{at + 1}/{len(names)}"
    keys = ("◀", "OK" if offered[at].kind else say("close"), "▶")
    return choosing(view, now_ns, (say("director"), names, at), (place, about), keys)


def _title(view: View, item: Item) -> str:
    """Return what an item is called; *Undo* names what it takes back (R212)."""
    title = view.say(f"item_{item.name}")
    if item.kind is not Undone or view.state.done is None:
        return title
    event = view.state.done.event
    what, *_ = event_lines(event, view.say)
    side = event.winner if isinstance(event, GameOverEvent) else None
    if isinstance(event, AdjustedEvent):
        side, what = event.side, f"{what} {signed_text(event.new_ns - event.old_ns)}"
    room = TITLE_LENGTH - len(f"{title}: ")
    if side is not None:
        rest = what.removeprefix(view.say(side.value))
        name = name_within(view.state, side, room - len(rest))
        what = f"{name or view.say(side.value)}{rest}"
    return f"{title}: {shortened(what, room)}"


def _about(view: View, item: Item) -> str:
    """Return what an item is for; where there is no delay, a clock is not started with one."""
    if item.kind is TurnResumed and not view.state.settings.rules.delay_ns:
        return view.say("about_resume_new")
    return view.say(f"about_{item.name}", log=view.fingerprint, settings=view.state.code)


def form_pages(view: View, form: FormPage, now_ns: int) -> Pair[Face]:
    """Return the entry on the left, what was entered on the right; after the last one a preview."""
    say, title = view.say, _title(view, form.item)
    if form.entry is not None:
        lines, at = _entry_lines(view, form.entry)
        status = say(f"entry_{form.entry.name}")
        entered = (*_entered(view, form)[-MOST_ENTERED:], say("hold_back"))
        unset = isinstance(form.entry, Choice) and not form.entry.complete
        left, right = _plunger_keys(view, form.entry)
        keys = (left, "" if unset else "OK", right)
        return choosing(view, now_ns, (status, lines, at), (title, entered), keys)
    ruling = proposed_ruling(form, view.state, now_ns)
    refuse = say("refuse_this") if form.proposal else ""
    effect, centre = preview(view, ruling)
    if form.proposal and (reason := getattr(ruling, "reason", None)) is not None:
        effect = (*effect, say(f"why_{reason.value}"))  # nobody has entered it here
    concerned = tuple(_player(view, value) for value in form.values if isinstance(value, Side))
    own = (title, *concerned, _proposer(view) if form.proposal else say("hold_back"))
    return Pair(
        page_face(view, Side.LEFT, now_ns, say("do_this"), _padded(own), (refuse, centre, "")),
        page_face(view, Side.RIGHT, now_ns, say("do_this"), _padded(effect), ("", centre, refuse)),
    )


def _proposer(view: View) -> str:
    """Return who proposes the ruling that is shown, as they call themselves (R218)."""
    by = view.state.proposal.by if view.state.proposal else ""
    return view.say("proposed_by", who=by)[:LINE_LENGTH] if by else view.say("offered")


def _plunger_keys(view: View, entry: Entry) -> tuple[str, str]:
    """Return what the plungers do to an entry: between the sides each names its own."""
    of_sides = isinstance(entry, Choice) and entry.is_of_sides
    back, on = (view.say("left"), view.say("right")) if of_sides else ("◀", "▶")
    left = back if entry.turned(-1) != entry else ""
    return left, on if entry.turned(1) != entry else ""


def choosing(
    view: View,
    now_ns: int,
    left: tuple[str, Lines, int],
    right: tuple[str, Lines],
    keys: Keys = ("◀", "OK", "▶"),
) -> Pair[Face]:
    """Return what is chosen from on the left, what the choice means on the right."""
    (status, lines, at), (title, text) = left, right
    back, centre, on = keys
    turning = page_face(view, Side.LEFT, now_ns, status, _padded(lines), (back, centre, ""))
    about = page_face(view, Side.RIGHT, now_ns, title, _padded(text), ("", centre, on))
    return Pair(structs.replace(turning, selected=at), about)


def _padded(lines: Lines) -> Lines:
    """Return at least `LEAST_LINES` lines, so that all pages of the menu have the same layout."""
    return lines + ("",) * (LEAST_LINES - len(lines))


def _entry_lines(view: View, entry: Entry) -> tuple[Lines, int]:
    match entry:
        case Choice(options=options, at=at):
            return tuple(_label(view, option) for option in options), at
        case Number(value=value):
            return (str(value),), 0
        case Time() | Change() as time:
            return (time.text(), f"± {clock_text(time.step_ns)}"), 0


def _label(view: View, option: Option) -> str:
    return view.say(option.label, n=option.number)


def _player(view: View, side: Side) -> str:
    """Return whom a ruling is about: the player's name, where there is one, and the side (R210)."""
    word = view.say(side.value)
    name = name_within(view.state, side, LINE_LENGTH - len(f" ({word})"))
    return f"{name} ({word})" if name else word


def _entered(view: View, form: FormPage) -> Lines:
    makers = form.item.asked(view.state)
    made = [(makers[at](view.state, form.values[:at]), v) for at, v in enumerate(form.values)]
    return tuple(_value(view, entry, value) for entry, value in made if entry is not None)


def _value(view: View, entry: Entry, value: object) -> str:
    match entry:
        case Choice(of_names=True) if isinstance(value, Pair):
            return both_names(value, LINE_LENGTH)
        case Choice(options=options):
            return next((_label(view, o) for o in options if o.value == value), str(value))
        case Number():
            return str(value)
        case Time():
            return clock_text(value) if isinstance(value, int) else ""
        case Change():
            return signed_text(value) if isinstance(value, int) else ""
