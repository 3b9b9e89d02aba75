"""Points, games and legs, and the Crawford status of the game about to begin.

A leg is one match of a best of three; a single match is one leg.
"""

from msgspec import UNSET, structs

from clock.match.rules import Gammon, MatchSettings
from clock.match.state import MatchState, Player, entry_crawford
from clock.match.timecontrol import Account, bank_ns
from clock.match.types import Crawford, Pair, Phase, Side

CUBE_VALUES = (1, 2, 4, 8, 16, 32, 64)
MOST_WITHOUT_CUBE = 3  # a backgammon
GAME_POINTS = frozenset(cube * value for cube in CUBE_VALUES for value in (1, 2, 3))


def score_text(score: Pair[int]) -> str:
    """Return points or matches as people write them, left first."""
    return f"{score.left}-{score.right}"


def new_match(settings: MatchSettings, at_ns: int) -> MatchState:
    """Return a new match that waits for both players to confirm its settings."""
    away = settings.score.map(lambda points: settings.length - points)
    bank = bank_ns(settings.rules, away)
    reserves = Pair(bank, bank) if settings.reserves is UNSET else settings.reserves
    return MatchState(
        settings=settings,
        at_ns=at_ns,
        phase=Phase.REVIEW,
        players=reserves.map(lambda reserve_ns: Player(Account(reserve_ns))),
        names=settings.names,
        length=settings.length,
        score=settings.score,
        crawford=settings.crawford or entry_crawford(away),
    )


def next_leg(state: MatchState) -> MatchState:
    """Start the next leg: settings, names, length, legs won and open points carry over."""
    begin = structs.replace(
        state.settings,
        names=state.names,
        length=state.length,
        score=Pair(0, 0),
        crawford=None,
        reserves=UNSET,
    )
    leg = new_match(begin, state.at_ns).with_both_players(confirmed=True)
    for side in Side:
        player = state.players[side]
        leg = leg.with_player(
            side, late=player.late.carried(), warnings=player.warnings, warned_for=player.warned_for
        )
    leg = leg.replace(settings=state.settings, preset=state.preset, offer=state.offer)
    return leg.replace(phase=Phase.READY, legs=state.legs)


def score_warning(state: MatchState) -> str | None:
    """Return why the players should check the points entered for a game; None if they need not.

    A game counts once, twice or three times the cube, which is not used in the Crawford game
    (EBF 4.4(iv)). That the match ends is said before it does (R120); US 5.14 asks for a drop.
    """
    entered = max(state.game_points)
    if entered == 0:
        return "no_points"
    cubeless = state.crawford is Crawford.NOW
    if entered not in GAME_POINTS or (cubeless and entered > MOST_WITHOUT_CUBE):
        return "impossible_points"
    reached = zip(state.score, state.game_points, strict=True)
    if all(sum(points) < state.length for points in reached):
        return None
    return "match_ends_drop" if state.settings.rules.no_drop_at_end else "match_ends"


def game_kinds(state: MatchState) -> tuple[tuple[int, Gammon], ...]:
    """Return with which cube, and how, the points entered can have been won; () if in no way.

    In a game that ends the match players may enter only the points that are still needed.
    """
    points, cubeless = max(state.game_points), state.crawford is Crawford.NOW
    won = {
        (cube, kind): cube * times
        for cube in CUBE_VALUES[: 1 if cubeless else None]
        for times, kind in enumerate(Gammon, 1)
    }
    exact = [each for each, worth in won.items() if worth == points]
    winner = next((side for side in Side if state.game_points[side]), None)
    ends = winner is not None and state.score[winner] + points >= state.length
    more = [each for each, worth in won.items() if worth > points]
    return (*exact, *(more if ends else ())) if points else ()


def score_game(state: MatchState, winner: Side | None, points: int) -> MatchState:
    """Score a game. The next one is due, unless the match is decided: then it stays GAME_OVER."""
    if winner is None:
        return state.replace(phase=between_games(state))
    state = add_points(state.replace(games=state.games + 1), winner, points)
    if state.champion is not None:
        done = Crawford.DONE if state.crawford is Crawford.NOW else state.crawford
        return state.replace(crawford=done)
    crawford = next_crawford(state.crawford, state.away)
    return state.replace(phase=between_games(state), crawford=crawford)


def between_games(state: MatchState) -> Phase:
    """Return the phase between two games: without a clock it is that of the games too (R118)."""
    return Phase.NO_CLOCK if state.clock_removed else Phase.READY


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

    EBF, DBgF 2.2(iv); other rules do not have this.
    """
    return state.settings.rules.penalty_forfeit and points * 2 > state.length


def next_crawford(status: Crawford, away: Pair[int]) -> Crawford:
    """Return the Crawford status of the next game, from that of the game before.

    The Crawford game is the first in which a player is exactly one point away (EBF 4.4(iv)).
    """
    if status is not Crawford.BEFORE or away.left == away.right == 1:
        return Crawford.DONE
    return Crawford.NOW if 1 in away else Crawford.BEFORE


def derive_crawford(state: MatchState) -> MatchState:
    """Derive the Crawford status again, after a correction between games.

    With one player one point away it stays as it is known, unless no Crawford game was due before.
    """
    away = state.away
    if (away.left == 1) != (away.right == 1) and state.crawford is not Crawford.BEFORE:
        return state
    return state.replace(crawford=next_crawford(Crawford.BEFORE, away))
