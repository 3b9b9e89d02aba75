"""The face of a panel: the clock, or the frame of a page; and when it next changes by itself.

A face is derived anew from the match and the time whenever it is drawn. While a game is on it shows
nothing but time, score, length, Crawford, flags and the state of the clock (EBF 1.7(i), R81).
"""

from typing import NamedTuple

from msgspec import structs

from clock.eventlog.fingerprint import Shown, fingerprint_text
from clock.match.durations import (
    elapsed_text,
    next_change_ns,
    next_second_ns,
    overdrawn_text,
    reserve_text,
    whole_seconds,
)
from clock.match.rules import Method
from clock.match.scoring import score_text
from clock.match.state import MatchState
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side
from clock.ui.descriptions import Lines, Say
from clock.ui.dialogue import CodePage, Dialogue
from clock.ui.names import UNNAMED, rules_name, short_name, short_names
from clock.units import SECOND_NS
from hardware.face import Face, Keys


class View(NamedTuple):
    """Everything that faces are made from, except the time."""

    state: MatchState
    dialogue: Dialogue
    say: Say
    scoreboard: bool = True
    warnings: tuple[str, ...] = ()
    notice: Lines = ()
    """What a restart restored, shown until a button is pressed."""
    latest: Shown | None = None
    """The latest line of the log, whose fingerprint is shown between games; None shows none."""
    battery: int | None = None
    """How full the battery is, in percent, shown before a game; None: none is known."""
    away: bool = False
    """Whether scores are shown as the points that each player still needs (US 1.2.5)."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the log as of its latest line."""
        return fingerprint_text(self.latest.hash) if self.latest else ""


def clock_face(view: View, side: Side, now_ns: int) -> Face:
    """Return the face of one side as a clock."""
    state = view.state
    running = state.running is side
    delay, permille, note = _delay(view, side, now_ns)
    turn = turn_shown(state, side, now_ns)
    return Face(
        reserve=reserve_shown(state, side, now_ns),
        running=running,
        delay=delay,
        delay_permille=permille,
        delay_note=note or (view.say("this_turn") if turn else ""),
        turn=turn,
        status=_status(view, side, now_ns),
        score=score_shown(view),
        flag=flag_shown(view, side),
        warnings=view.warnings,
    )


def lit(shown: Pair[Face], running: Side | None) -> Pair[Face]:
    """Return faces of which only that of the running side has the light; all else is the same."""
    left, right = (structs.replace(shown[side], running=side is running) for side in Side)
    return Pair(left, right)


def page_face(view: View, side: Side, now_ns: int, status: str, lines: Lines, keys: Keys) -> Face:
    """Return the face of one side as a page of text under its reserve."""
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
    """Return the same page for both panels, each with the legends of its side."""
    left, centre, right = keys
    return Pair(
        page_face(view, Side.LEFT, now_ns, status, lines, (left, centre, "")),
        page_face(view, Side.RIGHT, now_ns, status, lines, ("", centre, right)),
    )


def player_name(state: MatchState, side: Side) -> str:
    """Return the name of the player on a side; "" if the settings file gives none."""
    name = state.names[side]
    return "" if name in UNNAMED else name


def name_within(state: MatchState, side: Side, most: int) -> str:
    """Return the name of a player in at most so many characters, not to be taken for the other."""
    return short_name(player_name(state, side), most, player_name(state, side.other))


def with_name(view: View, face: Face, side: Side) -> Face:
    """Return a face with the name of a player, and what it is where there is little room."""
    name, other = (player_name(view.state, each) for each in (side, side.other))
    return structs.replace(face, name=name, short_names=short_names(name, other))


def reserve_shown(state: MatchState, side: Side, now_ns: int) -> str:
    """Return a side's reserve; with `method = "bronstein"` including the delay left.

    In pace mode it is the time that the player has used (R130).
    """
    reserve_ns = state.reserve_ns(side, now_ns)
    if at_pace(state):
        return elapsed_text(-reserve_ns)
    flagged = state.players[side].flag is not None
    if _delay_in_reserve(state) and not flagged:
        reserve_ns += delay_ahead_ns(state, side, now_ns)
    if state.flagless and reserve_ns <= 0:
        return overdrawn_text(-reserve_ns)
    return reserve_text(reserve_ns, flagged=flagged)


def at_pace(state: MatchState) -> bool:
    """Return whether the match is played without a limit (R130)."""
    return state.settings.rules.pace is not None


def turn_shown(state: MatchState, side: Side, now_ns: int) -> str:
    """Return the time of the turn on the clock in pace mode, if it is this side's; else ""."""
    if state.turn is None or state.turn.side is not side or not at_pace(state):
        return ""
    return elapsed_text(state.turn.elapsed_ns(now_ns))


def _delay_in_reserve(state: MatchState) -> bool:
    """Return whether the delay is shown as part of the reserve, not by itself."""
    match state.settings.rules.method:
        case Method.BRONSTEIN:
            return True
        case Method.SIMPLE_DELAY:
            return False


def delay_ahead_ns(state: MatchState, side: Side, now_ns: int) -> int:
    """Return the delay left in this side's turn, or that of its next turn."""
    if state.turn is not None and state.turn.side is side:
        return state.turn.delay_left_ns(now_ns)
    skipped = state.players[side].next_delay is NextDelay.SKIP
    return 0 if skipped else state.settings.rules.delay_ns


def score_shown(view: View) -> str:
    """Return `3-5/11`, with `C` in the Crawford game; left player first (EBF 4.7)."""
    if not view.scoreboard:
        return ""
    state = view.state
    crawford = " C" if state.crawford is Crawford.NOW else ""
    return f"{points_shown(view, state.score)}/{state.length}{crawford}"


def points_shown(view: View, score: Pair[int]) -> str:
    """Return a score left first: `3-5`, or as the points still needed, `8a-6a` (US 1.2.5)."""
    if not view.away:
        return score_text(score)
    left, right = score.map(lambda points: max(0, view.state.length - points))
    return f"{left}a-{right}a"


def match_line(view: View) -> str:
    """Return the rules and the match length; in practice that word in place of the rules."""
    settings = view.state.settings
    kind = view.say("practice") if settings.practice else rules_name(settings.rules.profile)
    return f"{kind}, {length_shown(view)}"


def length_shown(view: View) -> str:
    """Return the match length, or score and length if the match is under way."""
    score, length = view.state.score, view.state.length
    if not view.scoreboard or not sum(score):
        return str(view.say("points", points=length))
    return f"{points_shown(view, score)}/{length}"


def flag_shown(view: View, side: Side) -> str:
    """Return the mark of a fallen flag with its order (FIDE 5.4.2)."""
    flag = view.state.players[side].flag
    return "" if flag is None else view.say("flag_mark", order=flag.order)


def _delay(view: View, side: Side, now_ns: int) -> tuple[str, int, str]:
    """Return the delay's number, its bar in permille and the word beside it."""
    state, rules = view.state, view.state.settings.rules
    if not rules.delay_ns or _delay_in_reserve(state):
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
    state, say = view.state, view.say
    pressed = view.dialogue.out_of_turn
    if pressed is not None and pressed.side is side and _out_of_turn(view, now_ns):
        return say("at_once" if pressed.at_once else "not_on_move")
    if state.turn is None or state.turn.side is not side:
        return _limit(view)
    if state.turn.absent:
        return say("absent")
    if state.phase is Phase.FREE_TURN:
        return say("free_turn")
    if state.turn.delay_left_ns(now_ns):
        return say("delay_runs")
    used_up = state.flagless and state.reserve_ns(side, now_ns) <= 0
    return _limit(view) if used_up else say("time_runs")


def _limit(view: View) -> str:
    """Return what the reserve means where no flag falls; "" where one does."""
    if at_pace(view.state):
        return view.say("used_in_all")
    return view.say("practice") if view.state.flagless else ""


def _out_of_turn(view: View, now_ns: int) -> int | None:
    """Return until when a press out of turn is shown; None if none is shown now."""
    pressed = view.dialogue.out_of_turn
    return None if pressed is None or now_ns >= pressed.until_ns else pressed.until_ns


# --- when a face changes by itself ------------------------------------------------------------


def next_face_ns(view: View, now_ns: int) -> int | None:
    """Return the next instant at which a face changes by itself; None if none will.

    The loop sleeps until then.
    """
    state, page = view.state, view.dialogue.page
    if isinstance(page, CodePage):
        left_ns = view.dialogue.code_paused_until_ns - now_ns
        return now_ns + next_second_ns(left_ns) if left_ns > 0 else None
    if page is not None:  # a page changes only when a button is pressed
        return None
    changes = (
        _clock_change(state, now_ns),
        _wait_change(state, now_ns),
        _out_of_turn(view, now_ns),
    )
    return min((change for change in changes if change is not None), default=None)


def _clock_change(state: MatchState, now_ns: int) -> int | None:
    """Return when a digit of the running side changes or its delay ends."""
    turn = state.turn
    if turn is None or turn.since_ns is None:
        return None
    delay_ns, reserve_ns = turn.delay_left_ns(now_ns), state.reserve_ns(turn.side, now_ns)
    if at_pace(state):
        passed = (reserve_ns, -turn.elapsed_ns(now_ns))
        return now_ns + min(next_second_ns(time_ns) for time_ns in passed)
    if not delay_ns:
        return now_ns + next_change_ns(reserve_ns) if reserve_ns or state.flagless else None
    if not _delay_in_reserve(state):
        return now_ns + next_second_ns(delay_ns)
    flagged = state.players[turn.side].flag is not None
    return now_ns + (delay_ns if flagged else min(delay_ns, next_change_ns(reserve_ns + delay_ns)))


def _wait_change(state: MatchState, now_ns: int) -> int | None:
    """Return when a break or a player's lateness is a second longer."""
    if state.pause is not None:
        return now_ns + next_second_ns(state.pause.end_ns() - now_ns)
    if state.phase not in (Phase.REVIEW, Phase.READY):
        return None
    waits = [player.absence.since_ns for player in state.players if player.absence]
    return min((now_ns + next_second_ns(since - now_ns) for since in waits), default=None)
