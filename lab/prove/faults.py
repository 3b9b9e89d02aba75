"""Faults that somebody could make in the clock, each of which a law must see."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from clock.match import breaks, director, lateness, machine, scoring, stops, turns
from clock.match.events import PressedEvent
from clock.match.inputs import BreakTaken, CentrePressed, Input, Pressed, Restored, TimePassed
from clock.match.rules import Reason
from clock.match.state import Flag, MatchState, Pause, Step
from clock.match.timecontrol import Account, Turn
from clock.match.types import Crawford, NextDelay, Phase, ResumeWith, Side
from clock.units import SECOND_NS as STEP_NS
from lab.prove import laws
from lab.prove import machine as searched
from lab.prove.search import FATE, NO_EXCEPTION, TWINS
from lab.support.faults import after, entry, replaced, seeded, wrapped


def _turn(state: MatchState, **changes: object) -> MatchState:
    return state.replace(turn=state.turn and replace(state.turn, **changes))


# --- time ---------------------------------------------------------------------------------------


def _stop_forgets(turn: Turn, _now_ns: int) -> Turn:
    return replace(turn, since_ns=None)


def _fresh_delay(turn: Turn, now_ns: int) -> Turn:
    return replace(turn, used_ns=max(0, turn.used_ns - turn.delay_ns), since_ns=now_ns)


def _charges_stops(state: MatchState) -> MatchState:
    return _turn(state, used_ns=state.turn.used_ns + STEP_NS) if state.turn else state


def _fast_break(state: MatchState) -> MatchState:
    pause = state.pause
    return state.replace(pause=pause and replace(pause, since_ns=pause.since_ns - 9 * STEP_NS))


def _last_look(apply: Any, state: MatchState, happened: Input, records: tuple[Any, ...]) -> Any:
    """Count a press as of the moment when the clock last looked at the time."""
    if not isinstance(happened, TimePassed):
        happened = replace(happened, at_ns=state.at_ns)
    return apply(state, happened, records)


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
) -> Callable[..., MatchState]:
    def wrong(start: Any, state: MatchState, side: Side, at_ns: int) -> MatchState:
        due = change(state.players[side].next_delay)
        begun: MatchState = start(state.with_player(side, next_delay=due), side, at_ns)
        return begun if once else begun.with_player(side, next_delay=due)

    return wrong


def _late_starts_clock(count: Any, state: MatchState, at_ns: int) -> Step:
    state, event = count(state, at_ns)
    return turns.start_turn(state.replace(pause=None), Side.LEFT, at_ns), event


def _clock_for_a_free_turn(right: Any, state: MatchState, at_ns: int) -> Step:
    _, event = right(state, at_ns)
    return turns.restart(state, turns.turn_on_clock(state).side, ResumeWith.FULL, at_ns), event


def _refused_and_punished(state: MatchState, button: Any, why: str) -> Step:
    state = state.with_both_players(next_delay=NextDelay.SKIP)
    return state, PressedEvent(button, accepted=False, why=why)


# --- flags --------------------------------------------------------------------------------------


def _flag_moved(by_ns: int) -> Callable[[Any, Turn, int], int | None]:
    def wrong(right: Any, turn: Turn, left_ns: int) -> int | None:
        at_ns = right(turn, left_ns)
        return None if at_ns is None else at_ns + by_ns

    return wrong


def _claim_clears(claim: Any, state: MatchState, at_ns: int) -> Step:
    state, event = claim(state, at_ns)
    return state.with_both_players(flag=None), event


# --- points -------------------------------------------------------------------------------------


def _still_forfeited(state: MatchState, press: CentrePressed) -> Step:
    due = state.players.map(lambda player: player.next_delay)
    state, event = turns.close_game(state, press)
    for side in Side:
        state = state.with_player(side, next_delay=due[side])
    return state, event


def carried(*what: str) -> Callable[[Any, MatchState], MatchState]:
    """Begin the next match of a best of three with something that the players have, too."""

    def wrong(next_leg: Any, state: MatchState) -> MatchState:
        leg: MatchState = next_leg(state)
        for side in Side:
            kept = {each: getattr(state.players[side], each) for each in what}
            leg = leg.with_player(side, **kept)
        return leg

    return wrong


def _points_for_both(state: MatchState, pressed: Pressed) -> Step:
    points = state.game_points.update(pressed.side, lambda n: n + 1)
    return turns.accept(state.replace(game_points=points), pressed)


def _no_leg(state: MatchState, side: Side, points: int) -> MatchState:
    return state.replace(score=state.score.update(side, lambda score: score + points))


def _one_point_early(add: Any, state: MatchState, side: Side, points: int) -> MatchState:
    shorter: MatchState = add(state.replace(length=max(1, state.length - 1)), side, points)
    return shorter.replace(length=state.length)


def _no_points_after_flags(state: MatchState, pressed: Pressed) -> Step:
    if state.flags_down:
        return turns.refuse(state, pressed.button, "flag")
    return turns.enter_point(state, pressed)


def _raises(state: MatchState, at_ns: int) -> Step:
    raise KeyError(Reason.CLOCK_FAULTY)


# --- the table ----------------------------------------------------------------------------------

FAULTS = seeded(
    {
        laws.nobody_makes_time: {
            "a stop forgets the reserve that the turn has used": replaced(
                Turn, "stopped", _stop_forgets, profile="nbgf-analog"
            ),
            "the end of a turn gives back a second": replaced(
                Account,
                "charge",
                lambda own, ns: Account(own.granted_ns, own.spent_ns + max(0, ns - STEP_NS)),
            ),
            "a power cut gives back the time of the turn": entry(
                Phase.RUNNING,
                Restored,
                lambda state, restored: director.restore(state, replace(restored, used_ns=0)),
                profile="nbgf-analog",
            ),
        },
        laws.a_stop_keeps_the_delay: {
            "a stop forgets the delay that the turn has used": replaced(
                Turn, "stopped", _stop_forgets
            ),
            "going on after a stop gives a fresh delay": replaced(Turn, "started", _fresh_delay),
        },
        laws.a_clock_runs_while_a_turn_is_played: {
            "a stop leaves the clock running": replaced(Turn, "stopped", lambda turn, _: turn)
        },
        laws.a_second_costs_a_second: {
            "delay and reserve run down together": replaced(
                Turn, "reserve_used_ns", Turn.elapsed_ns
            )
        },
        laws.a_press_takes_no_time: {
            "the end of a turn costs a second": wrapped(
                Account, "charge", lambda charge, own, ns: charge(own, ns + STEP_NS)
            )
        },
        laws.nothing_is_charged_off_the_clock: {
            "a stop is charged to the player": after(Phase.STOPPED, TimePassed, _charges_stops)
        },
        laws.an_act_later_is_the_same: {
            "a press counts from the moment when the clock last looked at the time": wrapped(
                machine, "_apply", _last_look
            )
        },
        laws.nothing_is_overdue: {
            "a break runs ten times as fast": after(Phase.BREAK, TimePassed, _fast_break, length=2)
        },
        laws.a_power_cut_stops_the_clock: {
            "the clock runs on after a power cut": entry(Phase.RUNNING, Restored, _restored_running)
        },
        laws.the_clock_stays_with_its_player: {
            "anybody's press ends the turn": entry(Phase.RUNNING, Pressed, _anybody_ends),
            "lateness after a break starts a clock": wrapped(
                lateness, "count_late_step", _late_starts_clock, length=2
            ),
        },
        laws.the_mover_can_press: {
            "a player who must wait can end the turn": entry(Phase.RUNNING, Pressed, _no_wait)
        },
        laws.a_turn_begins_with_the_delay_due: {
            "a forfeited delay is given all the same": wrapped(
                turns, "start_turn", _begins_with(lambda _: NextDelay.FULL)
            ),
            "a forfeited delay stays forfeited": wrapped(
                turns, "start_turn", _begins_with(lambda due: due, once=False)
            ),
        },
        laws.a_stop_is_never_refused: {
            "a turn off the clock cannot be stopped": entry(
                Phase.FREE_TURN,
                CentrePressed,
                lambda state, press: turns.refuse(state, press.button, "free_turn"),
            )
        },
        laws.a_refused_press_changes_nothing: {
            "a refused press costs the delay of the next turn": replaced(
                turns, "refuse", _refused_and_punished
            )
        },
        laws.the_log_replays: {
            "the log names the other player's plunger": wrapped(
                turns,
                "accept",
                lambda accept, state, press: accept(state, replace(press, side=press.side.other)),
            )
        },
        laws.a_turn_off_the_clock_stays_so: {
            "an invalid roll in a turn off the clock starts the clock": wrapped(
                stops, "_invalid_roll", _clock_for_a_free_turn
            )
        },
        laws.a_flag_falls_when_time_is_used_up: {
            "a flag falls a second early": wrapped(Turn, "flag_at_ns", _flag_moved(-STEP_NS)),
            "a flag falls a second late": wrapped(Turn, "flag_at_ns", _flag_moved(STEP_NS)),
        },
        laws.it_is_known_which_flag_fell_first: {
            "both flags have fallen first": replaced(
                machine, "Flag", lambda _order, at_ns: Flag(1, at_ns)
            )
        },
        laws.nobody_clears_a_flag: {
            "a flag that is announced is cleared": wrapped(stops, "_claim_flag", _claim_clears)
        },
        laws.points_are_those_entered: {
            "the points of a game count twice": wrapped(
                turns,
                "score_game",
                lambda score, state, winner, points: score(state, winner, 2 * points),
            ),
            "points can be entered for both players": entry(
                Phase.GAME_OVER, Pressed, _points_for_both
            ),
        },
        laws.a_match_ends_when_it_is_decided: {
            "a decided match goes on": replaced(scoring, "add_points", _no_leg),
            "a match ends a point early": wrapped(
                scoring, "add_points", _one_point_early, length=2
            ),
            "the loser wins": wrapped(
                director,
                "finish",
                lambda finish, state, winner, *why: finish(state, winner.other, *why),
            ),
        },
        laws.a_finished_match_stays_so: {
            "a finished match can be played on": entry(
                Phase.FINISHED, CentrePressed, stops.end_game_without_clock
            )
        },
        laws.the_crawford_game_comes_once: {
            "there is a second Crawford game": replaced(
                scoring,
                "next_crawford",
                lambda status, away: Crawford.NOW if 1 in away else status,
                length=2,
            )
        },
        laws.a_forfeit_ends_with_its_game: {
            "a delay that is forfeited in a game is forfeited in the next one": entry(
                Phase.GAME_OVER, CentrePressed, _still_forfeited, length=2
            )
        },
        laws.the_next_match_begins_as_the_first: {
            "the next match of a best of three goes on with the times of the first": wrapped(
                scoring, "next_leg", carried("account"), best_of_three=True
            )
        },
        laws.breaks_are_as_many_as_allowed: {
            "a best of three has breaks within a match": replaced(
                breaks,
                "break_possible",
                lambda state: sum(breaks.breaks_left(state)) > 0,
                length=2,
                best_of_three=True,
            ),
            "breaks are not counted": after(
                Phase.READY,
                BreakTaken,
                lambda state: state.with_both_players(breaks_taken=0),
                length=2,
            ),
        },
        laws.the_state_is_possible: {
            "a break that is over stays in the state": after(
                Phase.BREAK,
                CentrePressed,
                lambda state: state.replace(pause=Pause(STEP_NS, state.at_ns)),
                length=2,
            )
        },
        NO_EXCEPTION: {"a reason to stop raises an exception": replaced(stops, "_hold", _raises)},
        FATE: {
            "the settings can never be confirmed": entry(
                Phase.REVIEW,
                CentrePressed,
                lambda state, press: turns.refuse(state, press.button, "not_confirmed"),
            ),
            "after a flag no points can be entered": entry(
                Phase.GAME_OVER, Pressed, _no_points_after_flags, profile="nbgf-analog"
            ),
            "players can go on when only the director may let them": entry(
                Phase.STOPPED,
                Pressed,
                lambda state, press: stops.choose_reason(state.replace(held=False), press),
                profile="nbgf-analog",
            ),
        },
        TWINS: {
            "the search itself forgets which delays are forfeited": wrapped(
                searched,
                "form",
                lambda form, state, *times: form(
                    state.with_both_players(next_delay=NextDelay.FULL), *times
                ),
            )
        },
        laws.no_flag_falls_without_a_limit: {
            "a flag falls in pace mode": replaced(
                MatchState,
                "flagless",
                property(lambda state: state.settings.practice),
                kind="pace mode",
            ),
            "a flag falls in practice": replaced(
                MatchState,
                "flagless",
                property(lambda state: state.settings.rules.pace),
                kind="practice",
            ),
            "expired time can be claimed in practice": replaced(
                stops,
                "offered_reasons",
                lambda state: state.settings.rules.reasons,
                kind="practice",
            ),
        },
    }
)
