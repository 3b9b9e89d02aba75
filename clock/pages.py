"""What the panels show while no clock runs: what happened, what can be done, what a button would do.

Both panels are read together: the left one says where we are and what can be chosen, the right one
what it would do. The one rule: what a press would do is not written here, it is tried out on the
machine and told from the event that it would leave.
"""

from msgspec import structs

from clock.dialogue import BreakPage, CodePage, FormPage, MenuPage, proposed_act
from clock.display_time import clock_text
from clock.events import AnyEvent
from clock.face import Face, View, clock_face, flag_shown, reserve_shown, score_shown
from clock.forms import Choice, Number, Time
from clock.inputs import CentrePressed, Input, MatchWanted
from clock.ledger import breaks_left, score_warning
from clock.machine import TABLE
from clock.menu import items
from clock.phases import Crawford, Phase
from clock.rules import MINUTE_NS
from clock.sides import Pair, Side
from clock.telling import tell

Lines = tuple[str, ...]
Keys = tuple[str, str, str]

NO_KEYS: Keys = ("", "", "")


def faces(view: View, now_ns: int) -> Pair[Face]:
    """What both panels show now."""
    page = view.dialogue.page
    match page:
        case BreakPage(taken=taken):
            return _break_choice(view, taken, now_ns)
        case CodePage(entered=entered):
            lines = (view.say("code"), "*" * len(entered))
            return _both(view, now_ns, view.say("director"), lines, ("L", view.say("close"), "R"))
        case MenuPage() as menu:
            return _menu(view, menu, now_ns)
        case FormPage() as form:
            return _form(view, form, now_ns)
        case None:
            return _phase_faces(view, now_ns)


def _phase_faces(view: View, now_ns: int) -> Pair[Face]:
    match view.state.phase:
        case Phase.RUNNING | Phase.FREE_TURN:
            return Pair(clock_face(view, Side.LEFT, now_ns), clock_face(view, Side.RIGHT, now_ns))
        case Phase.REVIEW:
            return Pair(_review(view, Side.LEFT, now_ns), _review(view, Side.RIGHT, now_ns))
        case Phase.READY:
            return Pair(_ready(view, Side.LEFT, now_ns), _ready(view, Side.RIGHT, now_ns))
        case Phase.STOPPED:
            return _stopped(view, now_ns)
        case Phase.GAME_OVER:
            return _game_over(view, now_ns)
        case Phase.BREAK:
            return _break(view, now_ns)
        case Phase.NO_CLOCK:
            return _both(view, now_ns, view.say("no_clock"), (view.say("no_clock_on"),), NO_KEYS)
        case Phase.FINISHED:
            return _finished(view, now_ns)


def page(view: View, side: Side, now_ns: int, status: str, lines: Lines, keys: Keys) -> Face:
    """A panel as a page of text under its reserve."""
    return Face(
        reserve=reserve_shown(view.state, side, now_ns),
        status=status,
        score=score_shown(view),
        flag=flag_shown(view, side),
        warnings=view.warnings,
        lines=lines,
        keys=keys,
    )


def _both(view: View, now_ns: int, status: str, lines: Lines, keys: Keys) -> Pair[Face]:
    left, centre, right = keys
    return Pair(
        page(view, Side.LEFT, now_ns, status, lines, (left, centre, "")),
        page(view, Side.RIGHT, now_ns, status, lines, ("", centre, right)),
    )


def would(view: View, happened: Input) -> AnyEvent | None:
    """What the log would say if this happened now."""
    state = view.state
    return TABLE[state.phase, type(happened)].do(state.replace(at_ns=happened.at_ns), happened)[1]


def would_say(view: View, happened: Input) -> Lines:
    """The same in words."""
    if isinstance(happened, MatchWanted):
        return (view.say("item_new_match"),)
    event = would(view, happened)
    return () if event is None else tell(event, view.say)


# --- before and after a game ------------------------------------------------------------------


def _review(view: View, side: Side, now_ns: int) -> Face:
    """The settings, for each player to compare and confirm (EBF 3.5(iii))."""
    say, settings, rules = view.say, view.state.settings, view.state.settings.rules
    bank = clock_text(view.state.players[side].account.left_ns)
    lines = (
        f"{rules.profile} {say('points', points=view.state.length)}",
        f"{say('bank')} {bank}",
        f"{say('delay_runs')} {clock_text(rules.delay_ns)}",
        f"{say('code')} {settings.code}",
    )
    late = _late_line(view, side, now_ns)
    confirmed = view.state.players[side].confirmed
    both = all(player.confirmed for player in view.state.players)
    own = "" if confirmed else say("confirm")
    keys = (own if side is Side.LEFT else "", say("go_on") if both else "", "")
    keys = (keys[0], keys[1], own if side is Side.RIGHT else "")
    status = say("confirmed") if confirmed else say("review")
    return page(view, side, now_ns, status, (*lines[:3], late) if late else lines, keys)


def _late_line(view: View, side: Side, now_ns: int) -> str:
    absence = view.state.players[side].absence
    if absence is None:
        return ""
    return view.say("late_since", time=clock_text(now_ns - absence.since_ns))


def _ready(view: View, side: Side, now_ns: int) -> Face:
    """The opening roll: whose press starts whose clock, and the Crawford notice (EBF 4.7)."""
    say = view.say
    own = say("starts", side=say(side.other.value))
    crawford = (say("crawford_game"),) if view.state.crawford is Crawford.NOW else ()
    lines = (*crawford, _late_line(view, side, now_ns) or say("low_roller"))
    keys = (own, say("break_key"), "") if side is Side.LEFT else ("", say("break_key"), own)
    return page(view, side, now_ns, say("ready"), lines, keys)


def _game_over(view: View, now_ns: int) -> Pair[Face]:
    say, points = view.say, view.state.game_points
    told = [f"{say(side.value)} +{points[side]}" for side in Side if points[side]]
    warning = score_warning(view.state)
    lines = (*(told or [say("who_won")]), *([say(f"warn_{warning}")] if warning else []))
    keys = (f"{say('left')} +1", say("confirm"), f"{say('right')} +1")
    return _both(view, now_ns, say("game_over"), lines, keys)


def _finished(view: View, now_ns: int) -> Pair[Face]:
    winner = view.state.winner
    told = (
        view.say("told_ended")
        if winner is None
        else view.say("told_wins", side=view.say(winner.value))
    )
    score = f"{view.state.score.left}-{view.state.score.right}"
    result = f"{score} {view.say(f'end_{view.state.ended}')}"
    return _both(view, now_ns, view.say("finished"), (told, result), NO_KEYS)


# --- stopped ----------------------------------------------------------------------------------


def _stopped(view: View, now_ns: int) -> Pair[Face]:
    """Left the reason chosen, right what the centre would do."""
    state, say = view.state, view.say
    reason = say(f"reason_{state.reason.value}")
    if state.held:
        return _both(
            view, now_ns, say("call_director"), (reason, say("hold_for_director")), NO_KEYS
        )
    effect = tuple(line for line in would_say(view, CentrePressed(now_ns)) if line != reason)
    status, do_it = say("stopped"), say("do_it")
    return Pair(
        page(view, Side.LEFT, now_ns, status, (reason,), ("◀", do_it, "")),
        page(view, Side.RIGHT, now_ns, status, effect, ("", do_it, "▶")),
    )


# --- breaks -----------------------------------------------------------------------------------


def _break_choice(view: View, taken: Pair[int], now_ns: int) -> Pair[Face]:
    """Which breaks are taken; several make one long one (EBF 2.2(ii))."""
    say, left = view.say, breaks_left(view.state)
    minutes = sum(taken) * view.state.settings.rules.break_ns // MINUTE_NS
    status = say("break")
    centre = say("break_start", minutes=minutes) if sum(taken) else say("close")

    def face(side: Side) -> Face:
        lines = (
            say("breaks_taken_of", taken=taken[side], left=left[side]),
            say("minutes", n=minutes),
        )
        keys = (say("take"), centre, "") if side is Side.LEFT else ("", centre, say("take"))
        return page(view, side, now_ns, status, lines, keys)

    return Pair(face(Side.LEFT), face(Side.RIGHT))


def _break(view: View, now_ns: int) -> Pair[Face]:
    say, pause = view.say, view.state.pause
    left_ns = 0 if pause is None else pause.end_ns() - now_ns
    told = "break_ends" if left_ns >= 0 else "break_over"
    lines = (say(told, time=clock_text(abs(left_ns))), say("write_times"))
    return _both(view, now_ns, say("break"), lines, ("", say("play_on"), ""))


# --- the director's menu ----------------------------------------------------------------------


def _menu(view: View, menu: MenuPage, now_ns: int) -> Pair[Face]:
    """Left the items, right what the selected one is for."""
    offered = items(view.state)
    at = menu.index(offered)
    names = tuple(view.say(f"item_{item.name}") for item in offered)
    left = page(view, Side.LEFT, now_ns, view.say("director"), names, ("◀", "OK", ""))
    told = view.say(f"about_{offered[at].name}").split("\n")
    right = page(view, Side.RIGHT, now_ns, f"{at + 1}/{len(names)}", tuple(told), ("", "OK", "▶"))
    return Pair(_select(left, at), right)


def _form(view: View, form: FormPage, now_ns: int) -> Pair[Face]:
    """Left the entry, right what has been entered; at the end what the centre will do."""
    say, title = view.say, view.say(f"item_{form.item.name}")
    if form.entry is None:
        effect = would_say(view, proposed_act(form, view.state, now_ns))
        keys = ("", say("do_it"), say("hold_back"))
        return Pair(
            page(view, Side.LEFT, now_ns, say("do_this"), (title,), keys),
            page(view, Side.RIGHT, now_ns, say("do_this"), effect, keys),
        )
    lines, at = _entry_lines(view, form.entry)
    left = page(view, Side.LEFT, now_ns, say(f"entry_{form.entry.name}"), lines, ("◀", "OK", ""))
    right = page(view, Side.RIGHT, now_ns, title, _entered(view, form), ("", "OK", "▶"))
    return Pair(_select(left, at), right)


def _entry_lines(view: View, entry: Choice | Number | Time) -> tuple[Lines, int | None]:
    match entry:
        case Choice(options=options, at=at):
            return tuple(view.say(option.label) for option in options), at
        case Number(value=value):
            return (str(value),), 0
        case Time() as time:
            return (time.text(),), None


def _entered(view: View, form: FormPage) -> Lines:
    """The entries already made, each in a line."""
    told = []
    for make, value in zip(form.item.entries, form.values, strict=False):
        entry = make(view.state, form.values)
        told.append(_value(view, entry, value))
    return (*told, view.say("hold_back_long"))


def _value(view: View, entry: Choice | Number | Time, value: object) -> str:
    match entry:
        case Choice(options=options):
            return next((view.say(o.label) for o in options if o.value == value), str(value))
        case Number():
            return f"{value}"
        case Time():
            return clock_text(value) if isinstance(value, int) else ""


def _select(face: Face, at: int | None) -> Face:
    return structs.replace(face, selected=at)
