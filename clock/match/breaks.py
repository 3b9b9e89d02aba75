"""Breaks between games, and what it costs to be late.

The clock only proposes points for lateness; the tournament director awards them.
"""

from msgspec import structs

from clock.match.events import BreakEndedEvent, BreakStartedEvent, LateEvent
from clock.match.inputs import BreakTaken, CentrePressed
from clock.match.profiles import breaks_allowed
from clock.match.rules import Format, Lateness
from clock.match.scoring import forfeits
from clock.match.state import MatchState, Pause, Step
from clock.match.turns import refuse
from clock.match.types import Button, Pair, Phase, Side


def breaks_left(state: MatchState) -> Pair[int]:
    """Return the breaks that each player may still take (EBF 2.2(ii), NBgF 2-2-2, US 2.2.6)."""
    allowed = breaks_allowed(state.settings.rules, state.length)
    return state.players.map(lambda player: max(0, allowed - player.breaks_taken))


def break_possible(state: MatchState) -> bool:
    """Return whether the players may take a break between these two games (EBF 2.2(ii), (iii)).

    In a best of three breaks are taken between legs only; in a single match also before the first
    game, if the players agree.
    """
    if state.settings.format is Format.BEST_OF_THREE and (state.games or not sum(state.legs)):
        return False
    return sum(breaks_left(state)) > 0


def start_break(state: MatchState, press: BreakTaken) -> Step:
    """READY: start a break as long as all the breaks that the players take together."""
    left, taken = breaks_left(state), press.taken
    if not break_possible(state) or taken.left > left.left or taken.right > left.right:
        return refuse_break(state, press)
    allowed_ns = sum(taken) * state.settings.rules.break_ns
    for side in Side:
        used = state.players[side].breaks_taken + taken[side]
        state = state.with_player(side, breaks_taken=used)
    takers = [side for side in Side if taken[side]]
    taker = takers[0] if len(takers) == 1 else None
    pause = Pause(allowed_ns, press.at_ns)
    return state.replace(phase=Phase.BREAK, pause=pause), BreakStartedEvent(
        taken, allowed_ns, taker
    )


def refuse_break(state: MatchState, press: BreakTaken | CentrePressed) -> Step:
    """Refuse a break where there is none (EBF 2.2(ii)); the director may allow one."""
    return refuse(state, Button.CENTRE, "no_break")


def end_break(state: MatchState, press: CentrePressed) -> Step:
    """BREAK: end it; the players are back at the board."""
    took_ns = 0 if state.pause is None else press.at_ns - state.pause.since_ns
    return state.replace(phase=Phase.READY, pause=None), BreakEndedEvent(took_ns)


def next_late_ns(state: MatchState) -> int | None:
    """Return the instant at which the next step of lateness is full; None if none is counted."""
    if state.phase is Phase.BREAK and state.pause is not None:
        return _step_full_ns(state, state.pause.end_ns(), state.pause.points)
    if state.phase not in (Phase.REVIEW, Phase.READY):
        return None
    waits = [player.absence for player in state.players if player.absence]
    steps = [_step_full_ns(state, wait.since_ns, wait.points) for wait in waits]
    return min((step for step in steps if step is not None), default=None)


def _step_full_ns(state: MatchState, due_ns: int, points: int) -> int | None:
    """Return the instant at which one more point than `points` is due; None if none ever is."""
    rules = state.settings.rules
    if rules.lateness is Lateness.NONE or (rules.lateness is Lateness.START_CLOCK and points):
        return None
    return due_ns + (points + 1) * rules.late_step_ns


def count_late_step(state: MatchState, at_ns: int) -> Step:
    """Count a full step of lateness: a point after 5 minutes, then every 5 (EBF 2.2(iv))."""
    if state.phase is Phase.BREAK and state.pause is not None:
        pause = structs.replace(state.pause, points=state.pause.points + 1)
        return state.replace(pause=pause), late_event(state, None, pause.points, "clock")
    for side in Side:
        wait = state.players[side].absence
        step = _step_full_ns(state, wait.since_ns, wait.points) if wait else None
        if wait and step is not None and step <= at_ns:
            wait = structs.replace(wait, points=wait.points + 1)
            event = late_event(state, side, wait.points, "clock")
            return state.with_player(side, absence=wait), event
    return state, None


def late_event(state: MatchState, side: Side | None, points: int, by: str) -> LateEvent:
    """Return the event for a late player.

    Args:
        state: the match.
        side: of the late player; None after a break, when the clock cannot know who is late.
        points: proposed so far.
        by: `director` or `clock`, as in `LateEvent.by`.
    """
    rules = state.settings.rules
    if rules.lateness is Lateness.START_CLOCK:
        return LateEvent(side, 0, Lateness.START_CLOCK.value, by, forfeits=False)
    wait = state.players[side].absence if side else None
    before = wait.before if wait else 0
    return LateEvent(side, points, rules.late_award.value, by, forfeits(state, before + points))
