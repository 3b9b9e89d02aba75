"""The faces of both panels, in each phase of a match and on each page.

Both panels are read together. While no clock runs, each button has a legend that says what it does,
and a button that does nothing has none.
"""

from msgspec import structs

from clock.eventlog.fingerprint import qr_text
from clock.match.breaks import breaks_left, players_may_break
from clock.match.durations import clock_text, elapsed_text
from clock.match.inputs import CentrePressed
from clock.match.lateness import CLOCK, late_event
from clock.match.rules import Reason
from clock.match.scoring import score_text, score_warning
from clock.match.state import AT_REST
from clock.match.stops import offered_reasons
from clock.match.types import Crawford, Pair, Phase, Side
from clock.ui import dialogue
from clock.ui.descriptions import Lines
from clock.ui.director_pages import choosing, code_pages, form_pages, menu_pages
from clock.ui.face import (
    View,
    at_pace,
    both_pages,
    clock_face,
    match_line,
    name_within,
    page_face,
    player_name,
    points_shown,
    turn_shown,
    with_name,
)
from clock.ui.i18n import ABOUT_LINES as PAGE_LINES
from clock.ui.i18n import LINE_LENGTH
from clock.ui.match_pages import (
    bank_and_delay,
    code_line,
    overtime_text,
    pace_times,
    preset_pages,
    resume_match_pages,
)
from clock.ui.preview import describe, preview
from clock.units import MINUTE_NS
from hardware.face import NO_KEYS, Face, Keys


def faces(view: View, now_ns: int) -> Pair[Face]:
    """Return the faces of both panels now."""
    match view.dialogue.page:
        case dialogue.BreakPage(taken=taken):
            return _break_choice(view, taken, now_ns)
        case dialogue.CodePage() as code:
            return code_pages(view, code, now_ns)
        case dialogue.MenuPage() as menu:
            return menu_pages(view, menu, now_ns)
        case dialogue.FormPage() as form:
            return form_pages(view, form, now_ns)
        case dialogue.PresetPage() as choice:
            return preset_pages(view, choice, now_ns)
        case dialogue.ResumeMatchPage() as choosing:
            return resume_match_pages(view, choosing, now_ns)
        case None:
            shown = _phase_faces(view, now_ns)
            if view.state.proposal is None:
                told = () if view.state.phase in AT_REST else view.notice  # the code stays
                return shown.map(lambda face: _with_notice(face, told))
            # A list stays as it is: the other panel says that a ruling is proposed.
            says = (view.say("proposes"),)
            return shown.map(lambda face: _with_notice(face, says if face.selected is None else ()))


def _with_notice(face: Face, notice: Lines) -> Face:
    """Return a page with a notice on top, as far as there is room, without repeating a line.

    It takes the place of a QR code.
    """
    if not notice or not face.lines:
        return face
    lines = (*notice, *(line for line in face.lines if line not in notice))
    return structs.replace(face, lines=lines[:PAGE_LINES], qr="")


def _phase_faces(view: View, now_ns: int) -> Pair[Face]:
    say = view.say
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
            keys = ("", say("game_over_key"), "")
            return both_pages(view, now_ns, say("no_clock"), (say("no_clock_on"),), keys)
        case Phase.FINISHED:
            return _finished(view, now_ns)
        case Phase.PUT_ASIDE:
            return _adjourned(view, now_ns)


def _own(side: Side, legend: str, centre: str) -> Keys:
    return (legend, centre, "") if side is Side.LEFT else ("", centre, legend)


# --- before a game ----------------------------------------------------------------------------


def _review(view: View, side: Side, now_ns: int) -> Face:
    """Return the settings for each player to compare and confirm (EBF 3.5(iii)).

    Lateness has the status and, for what it costs, a line: both may be late (R208).
    """
    say, settings, state = view.say, view.state.settings, view.state
    late = _late(view, side, now_ns)
    times = _times(view, side, now_ns, short=bool(late))
    code = _with_battery(view, code_line(settings, state.code, say))
    confirmed = state.players[side].confirmed
    both = all(player.confirmed for player in view.state.players)
    centre = say("go_on") if both else _refusal(view) or say("hold_td")
    keys = _own(side, "" if confirmed else say("confirm"), centre)
    asked = say("offered") if state.offer else say("review")
    status = late[0] if late else say("confirmed") if confirmed else asked
    lines = (match_line(view), *times, code, *late[1:][-1:])[:PAGE_LINES]
    face = page_face(view, side, now_ns, status, lines, keys)
    return with_name(view, face, side)


def _times(view: View, side: Side, now_ns: int, *, short: bool) -> Lines:
    """Return the bank and the delay, each in a line or both in one."""
    say, state, rules = view.say, view.state, view.state.settings.rules
    if at_pace(state):
        return pace_times(view, short=short)
    bank = f"{clock_text(state.reserve_ns(side, now_ns))}{overtime_text(rules)}"
    if short:
        return (bank_and_delay(view, bank, rules),)
    return f"{say('bank')} {bank}", f"{say('delay_runs')} {clock_text(rules.delay_ns)}"


def _battery(view: View) -> Lines:
    return () if view.battery is None else (view.say("battery", percent=view.battery),)


def _with_battery(view: View, line: str) -> str:
    """Return a line with the battery beside it, if both have room; READY has a line for it."""
    both = "  ".join((line, *_battery(view)))
    return both if len(both) <= LINE_LENGTH else line


def _refusal(view: View) -> str:
    return view.say("refuse") if dialogue.refuses_offer(view.dialogue, view.state) else ""


def _ready(view: View, side: Side, now_ns: int) -> Face:
    """Return the page of the opening roll, with the Crawford notice (EBF 4.7)."""
    say, state = view.say, view.state
    ready = say("practice" if state.settings.practice else "ready")
    status = _crawford_notice(view) or _matches(view) or ready
    own = say("starts", side=say(side.other.value))
    may_break = players_may_break(state)
    keys = _own(side, own, say("break_key" if may_break else "hold_td"))
    hold = (say("hold_for_director"),) if may_break else ()
    lines = _late(view, side, now_ns) or (say("low_roller"), *(_battery(view) or hold))
    face = page_face(view, side, now_ns, status, lines, keys)
    game_over = state.games or any(state.legs)
    return structs.replace(face, fingerprint=view.fingerprint) if game_over else face


def _crawford_notice(view: View) -> str:
    """Return that the Crawford game is next (EBF 4.7), or that it is not known; else ""."""
    say, crawford = view.say, view.state.crawford
    if not view.scoreboard:
        return ""
    if crawford is Crawford.UNKNOWN:
        return say("crawford_asked")
    return say("crawford_game") if crawford is Crawford.NOW else ""


def _matches(view: View) -> str:
    legs = _legs(view)
    return view.say("matches", score=legs) if legs else ""


def _legs(view: View, first: Side = Side.LEFT) -> str:
    if not view.state.settings.best_of_three or not view.scoreboard:
        return ""
    legs = view.state.legs
    return score_text(legs if first is Side.LEFT else legs.swapped())


def _late(view: View, side: Side, now_ns: int) -> Lines:
    """Return how late an absent player is, and what lateness costs (EBF, DBgF 2.2(iv)).

    Points stay due when the player has come, until the director gives or waives them (R87).
    """
    player = view.state.players[side]
    if player.absence is None and not player.late.open:
        return ()
    cost = describe(late_event(view.state, side, now_ns, CLOCK), view)
    if player.absence is None:
        return cost
    since = view.say("late_since", time=elapsed_text(now_ns - player.absence.since_ns))
    return (since, *cost[1:])


# --- stopped ----------------------------------------------------------------------------------


def _stopped(view: View, now_ns: int) -> Pair[Face]:
    """Return left the reasons as a list, right the place of the chosen one and what it would do."""
    state, say = view.state, view.say
    reason = say(f"reason_{state.reason.value}")
    if state.held:
        lines = (reason, say("hold_for_director"))
        called = both_pages(view, now_ns, say("call_director"), lines, NO_KEYS)
        return called.map(lambda face: structs.replace(face, fingerprint=view.fingerprint))
    does, do_it = preview(view, CentrePressed(now_ns))
    effect = tuple(line for line in does if line != reason)
    is_called = state.reason is Reason.DIRECTOR_CALLED
    if is_called:  # by turning to this reason
        effect = (say("director_is_called"), *effect)
    if state.reason is Reason.ROLL_DISPUTED:  # the next one is that it was invalid (EBF 4.3(v))
        effect = (say("roll_is_valid"), *effect)
    reasons = offered_reasons(state)
    if state.reason not in reasons:  # a plunger turns on from the first place
        reasons = (state.reason, *reasons[1:])
    at, keys = reasons.index(state.reason), ("◀", do_it, "▶")
    names = tuple(say(f"reason_{each.value}") for each in reasons)
    delay = () if is_called else _delay_left(view, now_ns)
    about = (*effect, *delay, say("hold_for_director"))[:PAGE_LINES]
    place = f"{at + 1}/{len(reasons)}"
    return choosing(view, now_ns, (say("stopped"), names, at), (place, about), keys)


def _delay_left(view: View, now_ns: int) -> Lines:
    turn = view.state.turn
    if turn is not None and at_pace(view.state):
        return (view.say("turn_took", time=turn_shown(view.state, turn.side, now_ns)),)
    if turn is None or not view.state.settings.rules.delay_ns:
        return ()
    time = clock_text(turn.delay_left_ns(now_ns))
    return (view.say("delay_left", side=view.say(turn.side.value), time=time),)


# --- the end of a game ------------------------------------------------------------------------


def _game_over(view: View, now_ns: int) -> Pair[Face]:
    """Return the page where a game's points are entered, with the score they make."""
    say, state = view.say, view.state
    side = next((side for side in Side if state.game_points[side]), None)
    keys = (f"{say('left')} +1", say("confirm"), f"{say('right')} +1")
    if side is None:
        lines: Lines = (say("who_won"), say("press_points"))
        keys = (keys[0], say("no_points_key"), keys[2])
        return _named(view, both_pages(view, now_ns, say("game_over"), lines, keys))
    points = state.game_points[side]
    score = state.score.update(side, lambda before: before + points)
    shown = f" → {points_shown(view, score)}" if view.scoreboard else ""
    warning = score_warning(state)
    warned = (say(f"warn_{warning}"),) if warning else ()
    lines = (f"{say(side.value)} +{points}{shown}", *warned)
    return _named(view, both_pages(view, now_ns, say("game_over"), lines, keys))


def _named(view: View, pages: Pair[Face]) -> Pair[Face]:
    return Pair(with_name(view, pages.left, Side.LEFT), with_name(view, pages.right, Side.RIGHT))


def _finished(view: View, now_ns: int) -> Pair[Face]:
    """Return who won and why, with the score, the fingerprint of the log and its QR code.

    Both panels say in words who won, by name where there is one (R121). Why stands under that and
    the score under the left player's name, as its first number is theirs. The code is on the right
    panel alone, so that its reserve is large. Each panel alone tells the truth (R209): beside the
    code stand no time and no flag of a player who has not won.
    """
    say, state = view.say, view.state
    practice = say("practice") if state.settings.practice else ""
    ended = say(f"end_{state.ended}")
    lines = (_outcome(view), f"{practice}: {ended}" if practice else ended)
    keys = _next_match(view)
    pages = _of_sides(view, both_pages(view, now_ns, practice or say("finished"), lines, keys))
    if view.latest is None:
        return pages
    left = structs.replace(pages.left, fingerprint=view.fingerprint)
    right = structs.replace(pages.right, fingerprint=view.fingerprint, qr=qr_text(view.latest))
    if state.winner is not Side.RIGHT:
        right = structs.replace(right, reserve="", flag="")
    if state.winner is None:
        result = (practice or say("finished"),)
        return Pair(left, structs.replace(right, name="", short_names=(), result=result))
    right = structs.replace(right, result=(say("wins"), *filter(None, [practice])))
    return Pair(left, _with_own_name(view, right, state.winner))


def _of_sides(view: View, pages: Pair[Face]) -> Pair[Face]:
    """Return pages with whose time each has, seen alone: the player's name, or that of the side."""
    left, right = (_with_own_name(view, pages[side], side) for side in Side)
    return Pair(left, right)


def _with_own_name(view: View, face: Face, side: Side) -> Face:
    if player_name(view.state, side):
        return with_name(view, face, side)
    return structs.replace(face, name=view.say(side.value), short_names=())


def _next_match(view: View) -> tuple[str, str, str]:
    """Return what the buttons do where the clock is free for another match.

    Normally only the centre does something; after a power cut any press begins the next match.
    """
    if view.state.next_offer is not None:
        centre = view.say("offered_match")
    else:
        is_players = view.dialogue.players_choose or view.notice
        centre = view.say("next_match" if is_players else "hold_td")
    own = centre if view.notice else ""
    return own, centre, own


def _adjourned(view: View, now_ns: int) -> Pair[Face]:
    """Return what the players write down or photograph, so that they can go on later (R131)."""
    say, state = view.say, view.state
    mover = state.turn.side if state.turn and state.put_aside_in is Phase.STOPPED else None
    turn = say("between_games") if mover is None else say("turn_of", side=say(mover.value))
    keys = _next_match(view)
    pages = _of_sides(
        view, both_pages(view, now_ns, say("put_aside"), (turn, say("write_times")), keys)
    )
    if view.latest is None:
        return pages
    right = structs.replace(
        pages.right,
        fingerprint=view.fingerprint,
        qr=qr_text(view.latest),
        result=(say("put_aside"),),
    )
    return Pair(structs.replace(pages.left, fingerprint=view.fingerprint), right)


def _outcome(view: View) -> str:
    """Return who won, by name where there is one, and in a best of three their matches first."""
    say, state = view.say, view.state
    if state.winner is None:
        return say("event_ended")
    legs = _legs(view, state.winner)
    rest = f"{say('event_wins', side='')} {legs}".rstrip()
    name = name_within(state, state.winner, LINE_LENGTH - len(rest))
    return f"{name or say(state.winner.value)}{rest}"


# --- breaks -----------------------------------------------------------------------------------


def _break_choice(view: View, taken: Pair[int], now_ns: int) -> Pair[Face]:
    """Return how many breaks each player takes; they make one long break (EBF 2.2(ii))."""
    say, left = view.say, breaks_left(view.state)
    minutes = sum(taken) * view.state.settings.rules.break_ns // MINUTE_NS
    centre = say("break_start" if sum(taken) else "close")

    def face(side: Side) -> Face:
        own = say("breaks_taken_of", taken=taken[side], left=left[side])
        keys = _own(side, say("take") if left[side] else "", centre)
        lines = (own, say("minutes", n=minutes))
        return page_face(view, side, now_ns, say("break"), lines, keys)

    return Pair(face(Side.LEFT), face(Side.RIGHT))


def _break(view: View, now_ns: int) -> Pair[Face]:
    """Return the page of a break: time left, what to write down (EBF 4.3(ii)(b)), lateness."""
    say, pause = view.say, view.state.pause
    left_ns = 0 if pause is None else pause.end_ns() - now_ns
    ends = say("break_ends", time=clock_text(left_ns))
    if left_ns <= 0:
        ends = say("break_over", time=elapsed_text(-left_ns))
    cost = _break_cost(view, now_ns) if left_ns <= 0 else ()
    lines = (ends, *(cost or (say("write_times"),)))
    return both_pages(view, now_ns, say("break"), lines, ("", say("play_on"), ""))


def _break_cost(view: View, now_ns: int) -> Lines:
    """Return who is late, if one player took the break or the TD has said it, and the cost."""
    pause = view.state.pause
    event = late_event(view.state, None if pause is None else pause.late, now_ns, CLOCK)
    who, *cost = describe(event, view)
    return (who, *cost) if cost and (event.side or event.taker) else tuple(cost)
