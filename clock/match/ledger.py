"""The match's accounts that are not time: points, games and matches, breaks, lateness.

The one rule: the clock counts and proposes; who is late and what it costs, the director says.
"""

from msgspec import structs

from clock.match.events import BreakEndedEvent, BreakStartedEvent, LateEvent, PressedEvent
from clock.match.inputs import BreakTaken, CentrePressed
from clock.match.state import MatchState, Pause, Player, Step, next_crawford
from clock.match.phases import Crawford, Phase
from clock.match.profiles import breaks_allowed
from clock.match.rules import Format, Lateness
from clock.match.sides import Button, Pair, Side
from clock.match.timecontrol import Account, bank_ns

CUBE_VALUES = (1, 2, 4, 8, 16, 32, 64)
GAME_POINTS = frozenset(cube * value for cube in CUBE_VALUES for value in (1, 2, 3))


# --- points -----------------------------------------------------------------------------------


def score_warning(state: MatchState) -> str | None:
    """What the players should look at before they close a game; None if nothing.

    A game counts the cube once, twice or three times; a match may not end on a dropped cube
    (US 5.14) nor by a dead one (EBF 4.4(vii)).
    """
    entered = max(state.game_points)
    if entered == 0:
        return "no_points"
    if entered not in GAME_POINTS:
        return "impossible_points"
    reached = zip(state.score, state.game_points, strict=True)
    return "match_ends" if any(sum(points) >= state.length for points in reached) else None


def scored(state: MatchState, winner: Side | None, points: int) -> MatchState:
    """The state after a game: READY, or still GAME_OVER if it has decided the match."""
    if winner is None:
        return state.replace(phase=Phase.READY)
    state = with_points(state.replace(games=state.games + 1), winner, points)
    if state.champion is not None:  # reopened, the Crawford game has been played (EBF 4.4(iv)(c))
        done = Crawford.DONE if state.crawford is Crawford.NOW else state.crawford
        return state.replace(crawford=done)
    return state.replace(phase=Phase.READY, crawford=next_crawford(state.crawford, state.away))


def with_points(state: MatchState, side: Side, points: int) -> MatchState:
    """Points for a side; a match of a best of three that they end makes way for the next."""
    state = state.replace(score=state.score.update(side, lambda score: score + points))
    if state.score[side] < state.length:
        return state
    state = state.replace(legs=state.legs.update(side, lambda legs: legs + 1))
    return state if state.champion is not None else next_leg(state)


def next_leg(state: MatchState) -> MatchState:
    """The next match of a best of three: what belongs to one match begins anew."""
    away = Pair(state.length, state.length)
    player = Player(Account(bank_ns(state.settings.rules, away)), confirmed=True)
    return MatchState(
        settings=state.settings,
        at_ns=state.at_ns,
        phase=Phase.READY,
        players=Pair(player, player),
        names=state.names,
        length=state.length,
        score=Pair(0, 0),
        legs=state.legs,
        crawford=next_crawford(Crawford.BEFORE, away),
    )


# --- breaks -----------------------------------------------------------------------------------


def breaks_left(state: MatchState) -> Pair[int]:
    """The breaks that each player may still take (EBF 2.2(ii), NBgF 2-2-2, US 2.2.6)."""
    allowed = breaks_allowed(state.settings.rules, state.length)
    return state.players.map(lambda player: max(0, allowed - player.breaks_taken))


def break_possible(state: MatchState) -> bool:
    """Whether this is a time for a break: between games; in a best of three, between matches.

    Before the first game players may agree on one too; nobody has been kept waiting (EBF 2.2(iii)).
    """
    if state.settings.format is Format.BEST_OF_THREE and (state.games or not sum(state.legs)):
        return False
    return sum(breaks_left(state)) > 0


def start_break(state: MatchState, press: BreakTaken) -> Step:
    """READY: a break begins; breaks may follow one another, so several make one long one."""
    left, taken = breaks_left(state), press.taken
    if not break_possible(state) or taken.left > left.left or taken.right > left.right:
        return deny_break(state, press)
    allowed_ns = sum(taken) * state.settings.rules.break_ns
    for side in Side:
        used = state.players[side].breaks_taken + taken[side]
        state = state.with_player(side, breaks_taken=used)
    pause = Pause(allowed_ns, press.at_ns)
    return state.replace(phase=Phase.BREAK, pause=pause), BreakStartedEvent(taken, allowed_ns)


def deny_break(state: MatchState, press: BreakTaken) -> Step:
    """A break was asked for where there is none (EBF 2.2(ii))."""
    return state, PressedEvent(Button.CENTRE, accepted=False, why="no_break")


def end_break(state: MatchState, press: CentrePressed) -> Step:
    """BREAK: back at the board."""
    took_ns = 0 if state.pause is None else press.at_ns - state.pause.since_ns
    return state.replace(phase=Phase.READY, pause=None), BreakEndedEvent(took_ns)


# --- lateness ---------------------------------------------------------------------------------


def next_late_ns(state: MatchState) -> int | None:
    """The instant at which lateness costs another step; None if nobody is awaited."""
    if state.phase is Phase.BREAK and state.pause is not None:
        return _step_ns(state, state.pause.end_ns(), state.pause.points)
    if state.phase not in (Phase.REVIEW, Phase.READY):
        return None
    waits = [player.absence for player in state.players if player.absence]
    steps = [_step_ns(state, wait.since_ns, wait.points) for wait in waits]
    return min((step for step in steps if step is not None), default=None)


def _step_ns(state: MatchState, due_ns: int, points: int) -> int | None:
    rules = state.settings.rules
    if rules.lateness is Lateness.NONE or (rules.lateness is Lateness.START_CLOCK and points):
        return None
    return due_ns + (points + 1) * rules.late_step_ns


def late(state: MatchState, at_ns: int) -> Step:
    """Another step of lateness is full (EBF 2.2(iv): a point after 5 minutes, then every 5)."""
    if state.phase is Phase.BREAK and state.pause is not None:
        pause = structs.replace(state.pause, points=state.pause.points + 1)
        return state.replace(pause=pause), late_event(state, None, pause.points, "clock")
    for side in Side:
        wait = state.players[side].absence
        step = _step_ns(state, wait.since_ns, wait.points) if wait else None
        if wait and step is not None and step <= at_ns:
            wait = structs.replace(wait, points=wait.points + 1)
            event = late_event(state, side, wait.points, "clock")
            return state.with_player(side, absence=wait), event
    return state, None


def late_event(state: MatchState, side: Side | None, points: int, by: str) -> LateEvent:
    """What the log says of lateness; points are proposed, never given by the clock."""
    rules = state.settings.rules
    if rules.lateness is Lateness.START_CLOCK:
        return LateEvent(side, 0, Lateness.START_CLOCK.value, by, forfeits=False)
    wait = state.players[side].absence if side else None
    before = wait.before if wait else 0
    return LateEvent(side, points, rules.late_award.value, by, forfeits(state, before + points))


def forfeits(state: MatchState, points: int) -> bool:
    """More penalty points than half the match length lose the match (EBF 2.2(iv))."""
    return points * 2 > state.length
