"""What each panel shows: the clock, or the frame of a page; and when it changes by itself.

(state, now) becomes faces of finished texts; what stands on the pages is in `pages`. The one rule:
nothing is shown but time, score, length, Crawford, flags and the state of the clock (EBF 1.7(i),
R81); and what is shown is derived anew each time, so it cannot be out of date.
"""

from typing import NamedTuple

import msgspec

from clock.ui.dialogue import MOVING, CodePage, Dialogue
from clock.match.time_format import next_change_ns, next_second_ns, reserve_text, whole_seconds
from clock.match.state import MatchState
from clock.match.phases import Crawford, NextDelay, Phase
from clock.match.rules import SECOND_NS, Method
from clock.match.sides import Pair, Side
from clock.ui.descriptions import Lines, Say

Keys = tuple[str, str, str]

NO_KEYS: Keys = ("", "", "")


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """One panel's content in finished texts; who draws it computes nothing.

    With `lines` it is a page (small reserve on top, lines of text), without them the clock (large
    reserve).
    """

    reserve: str  # "21:37", "1:05:00", "9.4" below 20 s, "0:00" only when flagged
    running: bool = False  # this side's clock runs: the whole panel is inverted
    delay: str = ""  # whole seconds of delay left, rounded up; "" where there is no delay to show
    delay_permille: int = 0  # what is left of the delay: 1000 full, 0 used up
    delay_note: str = ""  # a word beside the delay: "WAIT", "NO DELAY"
    status: str = ""  # what the clock is doing, in the director's language
    score: str = ""  # "3-5/11", with "C" in the Crawford game
    flag: str = ""  # "FLAG 1", "FLAG 2"
    warnings: tuple[str, ...] = ()  # "LOG NOT SAVED", ...
    lines: tuple[str, ...] = ()
    selected: int | None = None  # the line that the buttons act on, highlighted
    keys: tuple[str, str, str] = ("", "", "")  # what left, centre and right would do now
    other_reserve: str = ""  # the other side's reserve, for the day when one panel must show both


class View(NamedTuple):
    """Everything that the panels are drawn from, but the time."""

    state: MatchState
    dialogue: Dialogue
    say: Say
    scoreboard: bool = True
    warnings: tuple[str, ...] = ()
    notice: Lines = ()  # of a restoration, until somebody acknowledges it


def clock_face(view: View, side: Side, now_ns: int) -> Face:
    """The panel of one side as a clock."""
    state = view.state
    running = state.running is side
    delay, permille, note = _delay(view, side, now_ns)
    return Face(
        reserve=reserve_shown(state, side, now_ns),
        running=running,
        delay=delay,
        delay_permille=permille,
        delay_note=note,
        status=_status(view, side, now_ns),
        score=score_shown(view),
        flag=flag_shown(view, side),
        warnings=view.warnings,
    )


def page_face(view: View, side: Side, now_ns: int, status: str, lines: Lines, keys: Keys) -> Face:
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


def both_pages(view: View, now_ns: int, status: str, lines: Lines, keys: Keys) -> Pair[Face]:
    """The same page on both panels, each with the keys that are on its side."""
    left, centre, right = keys
    return Pair(
        page_face(view, Side.LEFT, now_ns, status, lines, (left, centre, "")),
        page_face(view, Side.RIGHT, now_ns, status, lines, ("", centre, right)),
    )


def reserve_shown(state: MatchState, side: Side, now_ns: int) -> str:
    """A side's reserve; with `method = "bronstein"` together with the delay it still has."""
    reserve_ns = state.reserve_ns(side, now_ns)
    flagged = state.players[side].flag is not None
    if state.settings.rules.method is Method.BRONSTEIN and not flagged:
        reserve_ns += delay_ahead_ns(state, side, now_ns)
    return reserve_text(reserve_ns, flagged=flagged)


def delay_ahead_ns(state: MatchState, side: Side, now_ns: int) -> int:
    """The delay left to the side on the clock; to the other side that of its next turn."""
    if state.turn is not None and state.turn.side is side:
        return state.turn.delay_left_ns(now_ns)
    skipped = state.players[side].next_delay is NextDelay.SKIP
    return 0 if skipped else state.settings.rules.delay_ns


def score_shown(view: View) -> str:
    """`3-5/11`, with `C` in the Crawford game; left player first (EBF 4.7)."""
    if not view.scoreboard:
        return ""
    state = view.state
    crawford = " C" if state.crawford is Crawford.NOW else ""
    return f"{state.score.left}-{state.score.right}/{state.length}{crawford}"


def flag_shown(view: View, side: Side) -> str:
    """The mark of a fallen flag with its order (FIDE 5.4.2)."""
    flag = view.state.players[side].flag
    return "" if flag is None else view.say("flag_mark", order=flag.order)


def _delay(view: View, side: Side, now_ns: int) -> tuple[str, int, str]:
    """The delay's number, its bar and the word beside it."""
    state, rules = view.state, view.state.settings.rules
    if not rules.delay_ns or rules.method is Method.BRONSTEIN:
        return "", 0, _delay_note(view, side, now_ns)
    seconds = whole_seconds(delay_ahead_ns(state, side, now_ns))
    permille = min(1000, seconds * SECOND_NS * 1000 // rules.delay_ns)
    return str(seconds), permille, _delay_note(view, side, now_ns)


def _delay_note(view: View, side: Side, now_ns: int) -> str:
    turn, due = view.state.turn, view.state.players[side].next_delay
    if turn is not None and turn.side is side:
        return view.say("wait") if turn.must_wait and turn.delay_left_ns(now_ns) else ""
    return "" if due is NextDelay.FULL else view.say(f"delay_{due.value}")


def _status(view: View, side: Side, now_ns: int) -> str:
    """The word on top: what this side's clock is doing."""
    state, say = view.state, view.say
    if state.turn is None or state.turn.side is not side:
        return say("not_on_move") if _out_of_turn(view, now_ns) else ""
    if state.turn.absent:
        return say("absent")
    if state.phase is Phase.FREE_TURN:
        return say("free_turn")
    return say("delay_runs") if state.turn.delay_left_ns(now_ns) else say("time_runs")


def _out_of_turn(view: View, now_ns: int) -> int | None:
    """Until when it is shown that the player not on move has pressed his plunger."""
    pressed, turn = view.dialogue.out_of_turn, view.state.turn
    if pressed is None or view.state.phase not in MOVING or now_ns >= pressed.until_ns:
        return None
    return pressed.until_ns if turn is not None and turn.side is not pressed.side else None


# --- when a face changes by itself ------------------------------------------------------------


def next_face_ns(view: View, now_ns: int) -> int | None:
    """The next instant at which a face will look different by itself; None if none will.

    So the loop sleeps until a digit changes, and not a moment longer.
    """
    state, page = view.state, view.dialogue.page
    if isinstance(page, CodePage):
        left_ns = view.dialogue.closed_until_ns - now_ns
        return now_ns + next_second_ns(left_ns) if left_ns > 0 else None
    if page is not None:  # nothing on it moves
        return None
    changes = (
        _clock_change(state, now_ns),
        _wait_change(state, now_ns),
        _out_of_turn(view, now_ns),
    )
    return min((change for change in changes if change is not None), default=None)


def _clock_change(state: MatchState, now_ns: int) -> int | None:
    """When a digit of the running side changes, or its delay is over."""
    turn = state.turn
    if turn is None or turn.since_ns is None:
        return None
    delay_ns, reserve_ns = turn.delay_left_ns(now_ns), state.reserve_ns(turn.side, now_ns)
    if not delay_ns:
        return now_ns + next_change_ns(reserve_ns) if reserve_ns else None
    if state.settings.rules.method is Method.SIMPLE_DELAY:
        return now_ns + next_second_ns(delay_ns)
    flagged = state.players[turn.side].flag is not None
    return now_ns + (delay_ns if flagged else min(delay_ns, next_change_ns(reserve_ns + delay_ns)))


def _wait_change(state: MatchState, now_ns: int) -> int | None:
    """When a break or somebody's lateness is a second older."""
    if state.phase is Phase.BREAK and state.pause is not None:
        return now_ns + next_second_ns(state.pause.end_ns() - now_ns)
    if state.phase not in (Phase.REVIEW, Phase.READY):
        return None
    waits = [player.absence.since_ns for player in state.players if player.absence]
    return min((now_ns + next_second_ns(since - now_ns) for since in waits), default=None)
