"""The match clock itself, `clock.match.machine`, as a system to be searched.

Time is counted in steps of one second. Delay, bank, break and step of lateness are a few of them,
so that the states of a small match can be counted. Nothing in the machine knows how long a second
is: it adds and compares times, and all constants are multiples of the step. So a match with a delay
of two steps is also one with a delay of a second that is acted upon every half second.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from clock.match.breaks import players_may_break
from clock.match.events import Record, Writer
from clock.match.inputs import BreakTaken, CentrePressed, Input, Pressed, Restored, TimePassed
from clock.match.machine import advance, next_deadline, open_match
from clock.match.profiles import PROFILES
from clock.match.rules import (
    BothFlags,
    Format,
    Gin,
    LateAward,
    Lateness,
    MatchSettings,
    Method,
    Rules,
)
from clock.match.state import MatchState, Player
from clock.match.types import Pair, Phase, Side
from clock.units import SECOND_NS as STEP_NS
from lab.prove.search import END

# --- matches small enough -----------------------------------------------------------------------


def small(rules: Rules, delay: int, per_point: int) -> Rules:
    """Return rules with times of a few steps, and without what no transition depends on.

    Who may win from gin, whether a late player's clock may run in place of points, what is proposed
    when both flags are down, when penalty points lose the match and what the players are asked at
    its end: the log and the panels say it, and no act of the players depends on it.
    """
    made = replace(
        rules.timed(),
        method=Method.SIMPLE_DELAY,
        time_per_point_ns=per_point * STEP_NS,
        time_per_match_ns=0,
        delay_ns=delay * STEP_NS if rules.timed().delay_ns else 0,
        bank_step_ns=1,
        overtime_ns=STEP_NS if rules.overtime_ns else 0,
        not_decided_ns=STEP_NS if rules.not_decided_ns else 0,
        lateness=Lateness.POINTS if rules.lateness is Lateness.EITHER else rules.lateness,
        late_award=LateAward.MAY,
        late_step_ns=STEP_NS,
        slow_play_step_ns=STEP_NS if rules.slow_play_step_ns else 0,
        penalty_forfeit=True,
        no_drop_at_end=False,
        gin=Gin.NEVER,
        both_flags=BothFlags.RESET,
        breaks=tuple((2, count) for longest, count in rules.breaks if longest >= 2)[:1],
        break_ns=STEP_NS,
    )
    return made if rules.pace is None else made.at_pace()


def groups() -> dict[str, Rules]:
    """Return the profiles that differ to a search: the names of all that are alike, and one."""
    named: dict[Rules, list[str]] = {}
    for name, rules in PROFILES.items():
        named.setdefault(replace(small(rules, 1, 2), profile=""), []).append(name)
    return {", ".join(names): PROFILES[names[0]] for names in named.values()}


def beginning(
    rules: Rules, length: int, *, practice: bool = False, best_of_three: bool = False
) -> MatchState:
    """Return a match that waits to be confirmed."""
    settings = MatchSettings(
        length=length,
        score=Pair(0, 0),
        names=Pair("Left", "Right"),
        format=Format.BEST_OF_THREE if best_of_three else Format.SINGLE,
        rules=rules,
        practice=practice,
    )
    state, _ = open_match(settings, 0, Writer("0"))
    return state


# --- acts ---------------------------------------------------------------------------------------


class Moment:
    """A match, the records of the act that led to it, and what many laws ask about it."""

    __slots__ = ("delay_ns", "form", "records", "reserves", "state")

    def __init__(self, state: MatchState, records: tuple[Record, ...] = ()) -> None:
        self.state, self.records = state, records
        self.reserves = [state.reserve_ns(side, state.at_ns) for side in Side]
        self.delay_ns = state.delay_left_ns(state.at_ns)
        self.form = form(state, self.reserves, self.delay_ns)


Make = Callable[[MatchState, int], Input]  # from the state and the instant of the act


class Act(NamedTuple):
    """Something that can happen, at the instant of the state or later."""

    name: str  # as in a script for `gammonclock play`; several lines if it takes several presses
    make: Make
    steps: int = 0  # later, in steps


def _power_cut(state: MatchState, at_ns: int) -> Restored:
    """Return the restoration of a clock that was dead for a moment and has forgotten nothing."""
    used_ns = None if state.turn is None else state.turn.elapsed_ns(at_ns)
    return Restored(at_ns, lost_ns=0, used_ns=used_ns)


def _break(left: int, right: int) -> Act:
    presses = ["press centre", *["press left"] * left, *["press right"] * right, "press centre"]
    return Act("\n".join(presses), lambda _, at_ns: BreakTaken(at_ns, Pair(left, right)))


WAIT = Act("wait", lambda _, at_ns: TimePassed(at_ns), 1)
LEFT = Act("press left", lambda _, at_ns: Pressed(at_ns, Side.LEFT))
RIGHT = Act("press right", lambda _, at_ns: Pressed(at_ns, Side.RIGHT))
CENTRE = Act("press centre", lambda _, at_ns: CentrePressed(at_ns))
POWER_CUT = Act("power cut", _power_cut)
BUTTONS = (WAIT, LEFT, RIGHT, CENTRE)
WITH_POWER_CUT = (*BUTTONS, POWER_CUT)
# The centre offers a break where the players may take one.
WITH_BREAKS = (WAIT, LEFT, RIGHT, _break(1, 0), _break(0, 1), _break(1, 1))


def players_acts(moment: Moment) -> Sequence[Act]:
    """Return what can happen without the director: time, presses, and the plug pulled."""
    state = moment.state
    match state.phase:
        case Phase.RUNNING | Phase.FREE_TURN | Phase.BREAK:
            return WITH_POWER_CUT
        case Phase.READY if players_may_break(state):
            return WITH_BREAKS
        case _:
            return BUTTONS


def step(moment: Moment, act: Act) -> Moment:
    """Return the match after an act."""
    state = moment.state
    return Moment(*advance(state, act.make(state, state.at_ns + act.steps * STEP_NS)))


# --- what the future depends on -----------------------------------------------------------------


def form(state: MatchState, reserves: Sequence[int], delay_ns: int) -> object:
    """Return what the players' acts can tell two matches apart by.

    Left out, because nothing that players can do depends on it:
    - instants: times count from now;
    - how a reserve came about: what is left counts, and nothing below zero, where in pace mode
      and practice the time that was used is shown;
    - names, and what the settings say of the beginning;
    - counters and evidence: invalid rolls, warnings, penalty points, recent presses, slow play;
    - what only an act of the director reads: points due for lateness, absences, the turn that a
      reason interrupted, what decided the match;
    - more points than the match needs, and more than one game played;
    - why the match is over, and a reason when the clock is not stopped.
    """
    turn, length = state.turn, state.length
    (left, right), score, points = state.players, state.score, state.game_points
    clock = turn and (
        turn.side,
        delay_ns,
        turn.since_ns is not None,
        turn.must_wait,
        turn.free,
        turn.absent,
    )
    return (
        state.phase,
        _player(left, max(0, reserves[0])),
        _player(right, max(0, reserves[1])),
        state.settings.rules.pace is None,
        clock,
        state.put_aside_in,
        state.reason if (state.put_aside_in or state.phase) is Phase.STOPPED else "",
        state.held,
        length,
        (min(score.left, length), min(score.right, length)),
        (min(points.left, length), min(points.right, length)),
        state.legs,
        state.crawford,
        state.games > 0,
        state.clock_removed,
        state.winner,
        state.pause and (state.pause.allowed_ns, next_deadline_left_ns(state)),
    )


def _player(player: Player, reserve_ns: int) -> object:
    flag = player.flag
    return (
        reserve_ns,
        flag and (flag.order, flag.claimed),
        player.overtime_used,
        player.next_delay,
        player.breaks_taken,
        player.confirmed,
    )


def next_deadline_left_ns(state: MatchState) -> int | None:
    """Return the time until the next timed transition; None if there will be none."""
    due_ns = next_deadline(state)
    return None if due_ns is None else due_ns - state.at_ns


def fate(moment: Moment) -> str:
    """Return whether the match is over, or waits for the director, and why."""
    state = moment.state
    if state.phase is Phase.FINISHED:
        return END
    return state.reason.value if state.held else ""


# --- a script that shows it ---------------------------------------------------------------------

CHOICES = ("on_first_flag", "early_pickup", "lateness")
TIMES = ("time_per_point", "time_per_match", "delay", "overtime", "late_step")


def script(first: Moment, acts: Sequence[Act]) -> str:
    """Return the acts as a script for `gammonclock play`, after the settings that it needs."""
    seconds, lines = 0, []
    for act in acts:
        seconds += act.steps
        if act is not WAIT:
            for press in act.name.split("\n"):
                lines.append(f"{seconds} {press}")
                seconds = 0
    return "\n".join([*_settings(first.state), *lines, f"{seconds} wait"])


def _settings(state: MatchState) -> list[str]:
    rules = state.settings.rules
    times = {name: getattr(rules.timed(), f"{name}_ns") for name in TIMES} | {
        "break_length": rules.break_ns
    }
    if rules.pace is not None:
        del times["time_per_point"]
    return [
        "# Settings for `gammonclock play --config`:",
        "# [match]",
        f"# length = {state.settings.length}",
        *["# practice = true"] * state.settings.practice,
        *['# format = "best-of-three"'] * state.settings.best_of_three,
        "# [rules]",
        f'# profile = "{rules.profile}"',
        *['# time_per_point = "none"'] * (rules.pace is not None),
        *(f'# {name} = "0:{time_ns // STEP_NS:02}"' for name, time_ns in times.items()),
        *(f'# {name} = "{getattr(rules, name)}"' for name in CHOICES),
    ]
