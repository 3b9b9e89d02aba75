"""Points, games and legs, and the Crawford status of the game about to begin.

A leg is one match of a best of three; a single match is one leg.
"""

from msgspec import structs

from clock.match.rules import MatchSettings
from clock.match.state import MatchState, Player
from clock.match.timecontrol import Account, bank_ns
from clock.match.types import Crawford, Pair, Phase, Side

CUBE_VALUES = (1, 2, 4, 8, 16, 32, 64)
GAME_POINTS = frozenset(cube * value for cube in CUBE_VALUES for value in (1, 2, 3))


def new_match(settings: MatchSettings, at_ns: int) -> MatchState:
    """Return a new match that waits for both players to confirm its settings."""
    away = settings.score.map(lambda points: settings.length - points)
    player = Player(Account(bank_ns(settings.rules, away)))
    return MatchState(
        settings=settings,
        at_ns=at_ns,
        phase=Phase.REVIEW,
        players=Pair(player, player),
        names=settings.names,
        length=settings.length,
        score=settings.score,
        crawford=next_crawford(Crawford.BEFORE, away),
    )


def next_leg(state: MatchState) -> MatchState:
    """Start the next leg: only the settings, names, length and legs won are carried over."""
    begin = structs.replace(
        state.settings, names=state.names, length=state.length, score=Pair(0, 0)
    )
    leg = new_match(begin, state.at_ns).with_both_players(confirmed=True)
    leg = leg.replace(settings=state.settings, preset=state.preset)
    return leg.replace(phase=Phase.READY, legs=state.legs)


def score_warning(state: MatchState) -> str | None:
    """Return why the players should check the points entered for a game; None if they need not.

    A game counts once, twice or three times the cube. A match may not end on a dropped cube
    (US 5.14) nor on a dead one (EBF 4.4(vii)).
    """
    entered = max(state.game_points)
    if entered == 0:
        return "no_points"
    if entered not in GAME_POINTS:
        return "impossible_points"
    reached = zip(state.score, state.game_points, strict=True)
    return "match_ends" if any(sum(points) >= state.length for points in reached) else None


def score_game(state: MatchState, winner: Side | None, points: int) -> MatchState:
    """Score a game. The phase becomes READY, or stays GAME_OVER if the match is decided."""
    if winner is None:
        return state.replace(phase=Phase.READY)
    state = add_points(state.replace(games=state.games + 1), winner, points)
    if state.champion is not None:  # reopened, the Crawford game has been played (EBF 4.4(iv)(c))
        done = Crawford.DONE if state.crawford is Crawford.NOW else state.crawford
        return state.replace(crawford=done)
    return state.replace(phase=Phase.READY, crawford=next_crawford(state.crawford, state.away))


def add_points(state: MatchState, side: Side, points: int) -> MatchState:
    """Add points to a side's score; start the next leg if they win this one and it is not the last.

    With 0 points, only check whether the score has won the leg.
    """
    state = state.replace(score=state.score.update(side, lambda score: score + points))
    if state.score[side] < state.length:
        return state
    state = state.replace(legs=state.legs.update(side, lambda legs: legs + 1))
    return state if state.champion is not None else next_leg(state)


def forfeits(state: MatchState, points: int) -> bool:
    """Return whether this many penalty points lose the match: more than half its length.

    EBF 2.2(iv).
    """
    return points * 2 > state.length


def next_crawford(status: Crawford, away: Pair[int]) -> Crawford:
    """Return the Crawford status of the next game, from that of the game before.

    The Crawford game is the first in which a player is exactly one point away (EBF 4.4(iv)).
    """
    if 1 not in (away.left, away.right):
        return Crawford.BEFORE if status is Crawford.BEFORE else Crawford.DONE
    return Crawford.NOW if status is Crawford.BEFORE else Crawford.DONE


def derive_crawford(state: MatchState) -> MatchState:
    """Derive the Crawford status again, after a correction between games."""
    if 1 not in state.away:
        return state.replace(crawford=Crawford.BEFORE)
    if state.crawford is Crawford.BEFORE:
        return state.replace(crawford=Crawford.NOW)
    return state
