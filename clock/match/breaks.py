"""Breaks between games."""

from clock.match.events import BreakEndedEvent, BreakStartedEvent
from clock.match.inputs import DIRECTOR, BreakGranted, BreakTaken, CentrePressed
from clock.match.lateness import carry_open_points
from clock.match.profiles import breaks_allowed
from clock.match.state import MatchState, Pause, Step
from clock.match.turns import refuse
from clock.match.types import Button, Pair, Phase, Side


def breaks_left(state: MatchState) -> Pair[int]:
    """Return the breaks that each player may still take (EBF 2.2(ii), NBgF 2-2-2, US 2.2.6)."""
    allowed = breaks_allowed(state.settings.rules, state.length)
    return state.players.map(lambda player: max(0, allowed - player.breaks_taken))


def break_possible(state: MatchState) -> bool:
    """Return whether the players may take a break between these two games (EBF 2.2(ii), (iii)).

    In a best of three breaks are taken between legs only.
    """
    if state.settings.best_of_three and (state.games or not sum(state.legs)):
        return False
    return sum(breaks_left(state)) > 0


def players_may_break(state: MatchState) -> bool:
    """Return whether the clock offers the players a break (EBF 2.2(ii), (iii); NBgF 1-8).

    Before the first game only the director grants one, which `start_break` does not check, because
    earlier versions logged such breaks. A match entered with a score is beyond its first game.
    """
    begun = state.games or sum(state.legs) or sum(state.settings.score)
    return bool(begun) and break_possible(state)


def start_break(state: MatchState, press: BreakTaken) -> Step:
    """Start a break, which is possible at READY; if both players take one, it is twice as long."""
    left, taken = breaks_left(state), press.taken
    if not break_possible(state) or taken.left > left.left or taken.right > left.right:
        return refuse_break(state, press)
    return _begin_break(state, taken, press.at_ns, "centre")


def grant_break(state: MatchState, ruling: BreakGranted) -> Step:
    """READY: start a break for a player, whether they have one left or not (EBF 2.2(iii))."""
    return _begin_break(state, Pair(0, 0).put(ruling.side, 1), ruling.at_ns, DIRECTOR)


def _begin_break(state: MatchState, taken: Pair[int], at_ns: int, by: str) -> Step:
    allowed_ns = sum(taken) * state.settings.rules.break_ns
    for side in Side:
        used = state.players[side].breaks_taken + taken[side]
        state = state.with_player(side, breaks_taken=used)
    takers = [side for side in Side if taken[side]]
    taker = takers[0] if len(takers) == 1 else None
    state = carry_open_points(state)
    pause = Pause(allowed_ns, at_ns, taker=taker)
    event = BreakStartedEvent(taken, allowed_ns, taker, by)
    return state.replace(phase=Phase.BREAK, pause=pause), event


def refuse_break(state: MatchState, press: BreakTaken | CentrePressed) -> Step:
    """Refuse a break where there is none (EBF 2.2(ii)); the director may allow one."""
    return refuse(state, Button.CENTRE, "no_break")


def end_break(state: MatchState, press: CentrePressed) -> Step:
    """BREAK: end it; the players are back at the board."""
    took_ns = 0 if state.pause is None else press.at_ns - state.pause.since_ns
    return state.replace(phase=Phase.READY, pause=None), BreakEndedEvent(took_ns)
