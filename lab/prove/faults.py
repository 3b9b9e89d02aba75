"""Faults that somebody could make in the clock, each of which a law must see.

Every one replaces a function, or an entry of the transition table, while it is in.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple
from unittest.mock import patch

from msgspec.structs import replace

from clock.match import breaks, director, lateness, machine, scoring, stops, turns
from clock.match.events import PressedEvent
from clock.match.inputs import BreakTaken, CentrePressed, Input, Pressed, Restored, TimePassed
from clock.match.rules import Reason
from clock.match.state import Flag, MatchState, Pause, Step
from clock.match.timecontrol import Account, Turn
from clock.match.transitions import TABLE, Transition
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import SECOND_NS as STEP_NS
from lab.prove import laws
from lab.prove import machine as searched
from lab.prove.search import FATE, NO_EXCEPTION, TWINS

Fault = Callable[[], AbstractContextManager[object]]


def replaced(owner: object, name: str, wrong: object) -> Fault:
    """Replace a function of a module or a class."""
    return lambda: patch.object(owner, name, wrong)


def entry(phase: Phase, kind: type[Input], wrong: Callable[[MatchState, Any], Step]) -> Fault:
    """Replace what an input does in a phase."""
    return lambda: patch.dict(TABLE, {(phase, kind): Transition(wrong, tuple(Phase))})


def after(phase: Phase, kind: type[Input], change: Callable[[MatchState], MatchState]) -> Fault:
    """Change the match after what an input does in a phase."""
    right = TABLE[phase, kind].handler

    def wrong(state: MatchState, happened: Input) -> Step:
        state, event = right(state, happened)
        return change(state), event

    return entry(phase, kind, wrong)


def _turn(state: MatchState, **changes: object) -> MatchState:
    """Change the turn on the clock, if there is one."""
    return state.replace(turn=state.turn and replace(state.turn, **changes))


# --- time ---------------------------------------------------------------------------------------


def _stop_forgets(turn: Turn, now_ns: int) -> Turn:
    return replace(turn, since_ns=None)


def _never_stops(turn: Turn, now_ns: int) -> Turn:
    return turn


def _fresh_delay(turn: Turn, now_ns: int) -> Turn:
    return replace(turn, used_ns=max(0, turn.used_ns - turn.delay_ns), since_ns=now_ns)


def _without_delay(turn: Turn, now_ns: int) -> int:
    return turn.elapsed_ns(now_ns)


def _gives_back(account: Account, spent_ns: int) -> Account:
    return Account(account.granted_ns, account.spent_ns + max(0, spent_ns - STEP_NS))


def _charges_more(account: Account, spent_ns: int) -> Account:
    return Account(account.granted_ns, account.spent_ns + spent_ns + STEP_NS)


def _charges_stops(state: MatchState) -> MatchState:
    return _turn(state, used_ns=state.turn.used_ns + STEP_NS) if state.turn else state


def _fast_break(state: MatchState) -> MatchState:
    pause = state.pause
    return state.replace(pause=pause and replace(pause, since_ns=pause.since_ns - 9 * STEP_NS))


def _last_look(
    state: MatchState, happened: Input, records: tuple[Any, ...]
) -> tuple[MatchState, tuple[Any, ...]]:
    """Count a press as of the moment when the clock last looked at the time."""
    if not isinstance(happened, TimePassed):
        happened = replace(happened, at_ns=state.at_ns)
    return _APPLY(state, happened, records)


_APPLY = machine._apply


def _restored_for_nothing(state: MatchState, restored: Restored) -> Step:
    return director.restore(state, replace(restored, used_ns=0))


def _restored_running(state: MatchState, restored: Restored) -> Step:
    turn, event = state.turn, director.restore(state, restored)[1]
    return state.replace(turn=turn and turn.started(state.at_ns)), event


# --- turns --------------------------------------------------------------------------------------


def _anybody_ends(state: MatchState, pressed: Pressed) -> Step:
    side = turns.turn_on_clock(state).side
    return turns.end_turn(state, replace(pressed, side=side))


def _no_wait(state: MatchState, pressed: Pressed) -> Step:
    on_move = pressed.side is state.running
    return turns.end_turn(_turn(state, must_wait=False) if on_move else state, pressed)


def _begins_with(
    change: Callable[[NextDelay], NextDelay], *, once: bool = True
) -> Callable[[MatchState, Side, int], MatchState]:
    def wrong(state: MatchState, side: Side, at_ns: int) -> MatchState:
        due = change(state.players[side].next_delay)
        begun = _START_TURN(state.with_player(side, next_delay=due), side, at_ns)
        return begun if once else begun.with_player(side, next_delay=due)

    return wrong


_START_TURN = turns.start_turn


def _late_starts_clock(state: MatchState, at_ns: int) -> Step:
    state, event = _COUNT_LATE_STEP(state, at_ns)
    return turns.start_turn(state.replace(pause=None), Side.LEFT, at_ns), event


_COUNT_LATE_STEP = lateness.count_late_step


def _refuse_stop(state: MatchState, press: CentrePressed) -> Step:
    return turns.refuse(state, press.button, "free_turn")


def _clock_for_a_free_turn(state: MatchState, at_ns: int) -> Step:
    _, event = _INVALID_ROLL(state, at_ns)
    side = turns.turn_on_clock(state).side
    return turns.restart(state, side, ResumeWith.FULL, at_ns), event


_INVALID_ROLL = stops._invalid_roll


def _refused_and_punished(state: MatchState, button: Any, why: str) -> Step:
    state = state.with_both_players(next_delay=NextDelay.SKIP)
    return state, PressedEvent(button, accepted=False, why=why)


def _accepted_of_the_other(state: MatchState, pressed: Pressed) -> Step:
    return _ACCEPT(state, replace(pressed, side=pressed.side.other))


_ACCEPT = turns.accept


# --- flags --------------------------------------------------------------------------------------


def _flag_moved(by_ns: int) -> Callable[[Turn, int], int | None]:
    right = Turn.flag_at_ns

    def wrong(turn: Turn, left_ns: int) -> int | None:
        at_ns = right(turn, left_ns)
        return None if at_ns is None else at_ns + by_ns

    return wrong


def _always_first(_order: int, at_ns: int) -> Flag:
    return Flag(1, at_ns)


def _claim_clears(state: MatchState, at_ns: int) -> Step:
    state, event = _CLAIM_FLAG(state, at_ns)
    return state.with_both_players(flag=None), event


_CLAIM_FLAG = stops._claim_flag


# --- points -------------------------------------------------------------------------------------


def _twice(state: MatchState, winner: Side | None, points: int) -> MatchState:
    return scoring.score_game(state, winner, 2 * points)


def _still_forfeited(state: MatchState, press: CentrePressed) -> Step:
    due = state.players.map(lambda player: player.next_delay)
    state, event = turns.close_game(state, press)
    for side in Side:
        state = state.with_player(side, next_delay=due[side])
    return state, event


def _times_carried(state: MatchState) -> MatchState:
    leg = _NEXT_LEG(state)
    for side in Side:
        leg = leg.with_player(side, account=state.players[side].account)
    return leg


def late_carried(state: MatchState) -> MatchState:
    """Begin the next match of a best of three with what was settled for lateness, too."""
    leg = _NEXT_LEG(state)
    for side in Side:
        leg = leg.with_player(side, late=state.players[side].late)
    return leg


_NEXT_LEG = scoring.next_leg


def _break_within_a_match(state: MatchState) -> bool:
    return sum(breaks.breaks_left(state)) > 0


def _points_for_both(state: MatchState, pressed: Pressed) -> Step:
    points = state.game_points.update(pressed.side, lambda n: n + 1)
    return turns.accept(state.replace(game_points=points), pressed)


def _no_leg(state: MatchState, side: Side, points: int) -> MatchState:
    return state.replace(score=state.score.update(side, lambda score: score + points))


def _one_point_early(state: MatchState, side: Side, points: int) -> MatchState:
    shorter = _ADD_POINTS(state.replace(length=max(1, state.length - 1)), side, points)
    return shorter.replace(length=state.length)


_ADD_POINTS = scoring.add_points


def _other_wins(state: MatchState, winner: Side, *why: Any) -> Step:
    return _FINISH(state, winner.other, *why)


_FINISH = director.finish


def _crawford_twice(status: Crawford, away: Pair[int]) -> Crawford:
    return Crawford.NOW if 1 in away else status


def _no_points_after_flags(state: MatchState, pressed: Pressed) -> Step:
    if state.flags_down:
        return turns.refuse(state, pressed.button, "flag")
    return turns.enter_point(state, pressed)


def _break_for_nothing(state: MatchState) -> MatchState:
    return state.with_both_players(breaks_taken=0)


def _raises(state: MatchState, at_ns: int) -> Step:
    raise KeyError(Reason.CLOCK_FAULTY)


def _hold_lifted(state: MatchState, pressed: Pressed) -> Step:
    return stops.choose_reason(state.replace(held=False), pressed)


def _review_stays(state: MatchState, press: CentrePressed) -> Step:
    return turns.refuse(state, press.button, "not_confirmed")


def _break_stays(state: MatchState) -> MatchState:
    return state.replace(pause=Pause(STEP_NS, state.at_ns))


def _forgetful_form(state: MatchState, *times: Any) -> object:
    return _FORM(state.with_both_players(next_delay=NextDelay.FULL), *times)


_FORM = searched.form

# --- the table ----------------------------------------------------------------------------------


class Seeded(NamedTuple):
    """A fault, in words that name what goes wrong, and the law that must see it."""

    name: str
    law: str
    fault: Fault
    length: int = 1
    profile: str = "ebf"
    best_of_three: bool = False


def _seeded(name: str, law: laws.MatchLaw, fault: Fault, *match: Any, **kind: Any) -> Seeded:
    return Seeded(name, law.__name__, fault, *match, **kind)


FAULTS: tuple[Seeded, ...] = (
    _seeded(
        "a stop forgets the reserve that the turn has used",
        laws.nobody_makes_time,
        replaced(Turn, "stopped", _stop_forgets),
        profile="nbgf-analog",
    ),
    _seeded(
        "a stop forgets the delay that the turn has used",
        laws.a_stop_keeps_the_delay,
        replaced(Turn, "stopped", _stop_forgets),
    ),
    _seeded(
        "going on after a stop gives a fresh delay",
        laws.a_stop_keeps_the_delay,
        replaced(Turn, "started", _fresh_delay),
    ),
    _seeded(
        "a stop leaves the clock running",
        laws.a_clock_runs_while_a_turn_is_played,
        replaced(Turn, "stopped", _never_stops),
    ),
    _seeded(
        "delay and reserve run down together",
        laws.a_second_costs_a_second,
        replaced(Turn, "reserve_used_ns", _without_delay),
    ),
    _seeded(
        "the end of a turn gives back a second",
        laws.nobody_makes_time,
        replaced(Account, "charge", _gives_back),
    ),
    _seeded(
        "the end of a turn costs a second",
        laws.a_press_takes_no_time,
        replaced(Account, "charge", _charges_more),
    ),
    _seeded(
        "a stop is charged to the player",
        laws.nothing_is_charged_off_the_clock,
        after(Phase.STOPPED, TimePassed, _charges_stops),
    ),
    _seeded(
        "a press counts from the moment when the clock last looked at the time",
        laws.an_act_later_is_the_same,
        replaced(machine, "_apply", _last_look),
    ),
    _seeded(
        "a break runs ten times as fast",
        laws.nothing_is_overdue,
        after(Phase.BREAK, TimePassed, _fast_break),
        length=2,
    ),
    _seeded(
        "a power cut gives back the time of the turn",
        laws.nobody_makes_time,
        entry(Phase.RUNNING, Restored, _restored_for_nothing),
        profile="nbgf-analog",
    ),
    _seeded(
        "the clock runs on after a power cut",
        laws.a_power_cut_stops_the_clock,
        entry(Phase.RUNNING, Restored, _restored_running),
    ),
    _seeded(
        "anybody's press ends the turn",
        laws.the_clock_stays_with_its_player,
        entry(Phase.RUNNING, Pressed, _anybody_ends),
    ),
    _seeded(
        "lateness after a break starts a clock",
        laws.the_clock_stays_with_its_player,
        replaced(lateness, "count_late_step", _late_starts_clock),
        length=2,
    ),
    _seeded(
        "a player who must wait can end the turn",
        laws.the_mover_can_press,
        entry(Phase.RUNNING, Pressed, _no_wait),
    ),
    _seeded(
        "a forfeited delay is given all the same",
        laws.a_turn_begins_with_the_delay_due,
        replaced(turns, "start_turn", _begins_with(lambda _: NextDelay.FULL)),
    ),
    _seeded(
        "a forfeited delay stays forfeited",
        laws.a_turn_begins_with_the_delay_due,
        replaced(turns, "start_turn", _begins_with(lambda due: due, once=False)),
    ),
    _seeded(
        "a turn off the clock cannot be stopped",
        laws.a_stop_is_never_refused,
        entry(Phase.FREE_TURN, CentrePressed, _refuse_stop),
    ),
    _seeded(
        "a refused press costs the delay of the next turn",
        laws.a_refused_press_changes_nothing,
        replaced(turns, "refuse", _refused_and_punished),
    ),
    _seeded(
        "the log names the other player's plunger",
        laws.the_log_replays,
        replaced(turns, "accept", _accepted_of_the_other),
    ),
    _seeded(
        "an invalid roll in a turn off the clock starts the clock",
        laws.a_turn_off_the_clock_stays_so,
        replaced(stops, "_invalid_roll", _clock_for_a_free_turn),
    ),
    _seeded(
        "a flag falls a second early",
        laws.a_flag_falls_when_time_is_used_up,
        replaced(Turn, "flag_at_ns", _flag_moved(-STEP_NS)),
    ),
    _seeded(
        "a flag falls a second late",
        laws.a_flag_falls_when_time_is_used_up,
        replaced(Turn, "flag_at_ns", _flag_moved(STEP_NS)),
    ),
    _seeded(
        "both flags have fallen first",
        laws.it_is_known_which_flag_fell_first,
        replaced(machine, "Flag", _always_first),
    ),
    _seeded(
        "a flag that is announced is cleared",
        laws.nobody_clears_a_flag,
        replaced(stops, "_claim_flag", _claim_clears),
    ),
    _seeded(
        "the points of a game count twice",
        laws.points_are_those_entered,
        replaced(turns, "score_game", _twice),
    ),
    _seeded(
        "points can be entered for both players",
        laws.points_are_those_entered,
        entry(Phase.GAME_OVER, Pressed, _points_for_both),
    ),
    _seeded(
        "a decided match goes on",
        laws.a_match_ends_when_it_is_decided,
        replaced(scoring, "add_points", _no_leg),
    ),
    _seeded(
        "a match ends a point early",
        laws.a_match_ends_when_it_is_decided,
        replaced(scoring, "add_points", _one_point_early),
        length=2,
    ),
    _seeded(
        "the loser wins",
        laws.a_match_ends_when_it_is_decided,
        replaced(director, "finish", _other_wins),
    ),
    _seeded(
        "a finished match can be played on",
        laws.a_finished_match_stays_so,
        entry(Phase.FINISHED, CentrePressed, stops.end_game_without_clock),
    ),
    _seeded(
        "there is a second Crawford game",
        laws.the_crawford_game_comes_once,
        replaced(scoring, "next_crawford", _crawford_twice),
        length=2,
    ),
    _seeded(
        "a delay that is forfeited in a game is forfeited in the next one",
        laws.a_forfeit_ends_with_its_game,
        entry(Phase.GAME_OVER, CentrePressed, _still_forfeited),
        length=2,
    ),
    _seeded(
        "the next match of a best of three goes on with the times of the first",
        laws.the_next_match_begins_as_the_first,
        replaced(scoring, "next_leg", _times_carried),
        best_of_three=True,
    ),
    _seeded(
        "a best of three has breaks within a match",
        laws.breaks_are_as_many_as_allowed,
        replaced(breaks, "break_possible", _break_within_a_match),
        length=2,
        best_of_three=True,
    ),
    _seeded(
        "breaks are not counted",
        laws.breaks_are_as_many_as_allowed,
        after(Phase.READY, BreakTaken, _break_for_nothing),
        length=2,
    ),
    _seeded(
        "a break that is over stays in the state",
        laws.the_state_is_possible,
        after(Phase.BREAK, CentrePressed, _break_stays),
        length=2,
    ),
    Seeded("a reason to stop raises an exception", NO_EXCEPTION, replaced(stops, "_hold", _raises)),
    Seeded(
        "the settings can never be confirmed",
        FATE,
        entry(Phase.REVIEW, CentrePressed, _review_stays),
    ),
    Seeded(
        "after a flag no points can be entered",
        FATE,
        entry(Phase.GAME_OVER, Pressed, _no_points_after_flags),
        profile="nbgf-analog",
    ),
    Seeded(
        "players can go on when only the director may let them",
        FATE,
        entry(Phase.STOPPED, Pressed, _hold_lifted),
        profile="nbgf-analog",
    ),
    Seeded(
        "the search itself forgets which delays are forfeited",
        TWINS,
        replaced(searched, "form", _forgetful_form),
    ),
)


# --- where no flag falls ------------------------------------------------------------------------


def _all_reasons(state: MatchState) -> tuple[Reason, ...]:
    return state.settings.rules.reasons


WITHOUT_LIMIT: tuple[tuple[str, str, Fault], ...] = (  # "pace mode" or "practice", the fault
    (
        "pace mode",
        "a flag falls in pace mode",
        replaced(MatchState, "flagless", property(lambda state: state.settings.practice)),
    ),
    (
        "practice",
        "a flag falls in practice",
        replaced(MatchState, "flagless", property(lambda state: state.settings.rules.pace)),
    ),
    (
        "practice",
        "expired time can be claimed in practice",
        replaced(stops, "offered_reasons", _all_reasons),
    ),
)
