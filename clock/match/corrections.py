"""The director puts the match right: points, score, length, Crawford, sides, breaks taken.

The one rule: what a correction changes beside its own value (a bank, the Crawford game, the end of
the match) follows from the rules, not from the director's memory.
"""

from msgspec import structs

from clock.match.adjustments import given, refused_act
from clock.match.events import AnyEvent, CorrectedEvent, PenaltyEvent
from clock.match.inputs import BreaksSet, CrawfordSet, LengthSet, MatchShortened, PointsAwarded, ScoreSet, SidesSwapped
from clock.match.ledger import forfeits, with_points
from clock.match.state import MatchState, Step
from clock.match.phases import Crawford, Phase
from clock.match.sides import Side

BONUS = "bonus"  # the reason of points that are no penalty (NBgF 2-3-1)
SHORTEN_BY = 2  # points (NBgF 2-3-1)


def award_points(state: MatchState, act: PointsAwarded) -> Step:
    """Points against one player; whether they count in the match the rules say (EBF 2.2(iv))."""
    offender, winner = act.side, act.side.other
    lost = False
    if act.why != BONUS:
        points = state.players[offender].penalty_points + act.points
        state = state.with_player(offender, penalty_points=points)
        lost = forfeits(state, points)
    if act.why == BONUS or state.settings.rules.penalty_points_score:
        between = state.turn is None and state.phase in (Phase.REVIEW, Phase.READY, Phase.BREAK)
        state = with_points(state, winner, act.points)
        if between and state.champion is None:
            state = crawford_derived(state)
    return state, PenaltyEvent(offender, winner, act.points, act.why, state.score, lost)


def set_score(state: MatchState, act: ScoreSet) -> Step:
    """The score is corrected; the players' cards decide (EBF 4.7, US 5.13)."""
    old = state.score[act.side]
    if not 0 <= act.points <= state.length:
        return refused_act(state, "score_outside_match")
    state = state.replace(score=state.score.put(act.side, act.points))
    if act.points == state.length and state.phase is not Phase.FINISHED:
        state = with_points(state, act.side, 0)
    elif state.turn is None:
        state = crawford_derived(state)
    return state, CorrectedEvent("score", act.side, old, act.points)


def set_length(state: MatchState, act: LengthSet) -> Step:
    """The length is corrected: between games, and not if that ends the match (EBF 4.8)."""
    if state.phase not in (Phase.REVIEW, Phase.READY, Phase.BREAK):
        return refused_act(state, "not_between_games")
    if act.length <= max(state.score):
        return refused_act(state, "length_ends_match")
    old = state.length
    return _with_length(state, act.length, adjust=act.adjust_banks, old=old, what="length")


def shorten(state: MatchState, act: MatchShortened) -> Step:
    """Two points shorter, for slow play by both; that may decide the match (NBgF 2-3-1)."""
    length = max(1, state.length - SHORTEN_BY)
    leader = max(Side, key=lambda side: state.score[side])
    tied = state.score.left == state.score.right
    if state.score[leader] >= length and tied:
        return refused_act(state, "length_ends_match")
    shorter, event = _with_length(
        state, length, adjust=False, old=state.length, what="length_shortened"
    )
    if shorter.score[leader] >= length:
        shorter = with_points(shorter, leader, 0)
    return shorter, event


def _with_length(
    state: MatchState, length: int, *, adjust: bool, old: int, what: str
) -> tuple[MatchState, AnyEvent | None]:
    """The match at another length; the banks differ by the formula's difference (R70)."""
    before = state.bank_ns()
    state = state.replace(length=length)
    difference = state.bank_ns() - before if adjust else 0
    for side in Side:
        left = max(0, state.reserve_ns(side, state.at_ns) + difference)
        state = given(state, side, left) if difference else state
    if state.turn is None:
        state = crawford_derived(state)
    return state, CorrectedEvent(what, None, old, length, difference)


def crawford_derived(state: MatchState) -> MatchState:
    """The Crawford status derived anew after a correction between games."""
    if 1 not in state.away:
        return state.replace(crawford=Crawford.BEFORE)
    if state.crawford is Crawford.BEFORE:
        return state.replace(crawford=Crawford.NOW)
    return state


def set_crawford(state: MatchState, act: CrawfordSet) -> Step:
    """The Crawford status is corrected (EBF 4.4(iv))."""
    event = CorrectedEvent("crawford", None, state.crawford.value, act.crawford.value)
    return state.replace(crawford=act.crawford), event


def swap_sides(state: MatchState, act: SidesSwapped) -> Step:
    """The players change sides with all that is theirs (EBF 3.5(iv))."""
    old, new = list(state.names), list(state.names.swapped())
    turn = state.turn and structs.replace(state.turn, side=state.turn.side.other)
    state = state.replace(
        players=state.players.swapped(),
        names=state.names.swapped(),
        score=state.score.swapped(),
        legs=state.legs.swapped(),
        game_points=state.game_points.swapped(),
        turn=turn,
        recent=(),
        winner=state.winner and state.winner.other,
    )
    return state, CorrectedEvent("sides", None, ", ".join(old), ", ".join(new))


def set_breaks(state: MatchState, act: BreaksSet) -> Step:
    """The breaks a player has had are corrected; the director may so allow one more."""
    old = state.players[act.side].breaks_taken
    state = state.with_player(act.side, breaks_taken=act.taken)
    return state, CorrectedEvent("breaks_taken", act.side, old, act.taken)
