"""Checks of a match that was loaded from a checkpoint or from the first line of a log.

A state that passes does not make any part of the clock crash.
"""

from msgspec import UNSET

from clock.match.rules import MAX_LENGTH, MatchSettings
from clock.match.state import MatchState
from clock.match.types import Phase, Side
from clock.units import SECOND_NS

MAX_COUNT = 10**6  # of points, games or rulings: more make a checkpoint too large for its slot
_WITH_A_TURN = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN)
_PUT_ASIDE_IN = (Phase.READY, Phase.STOPPED, Phase.GAME_OVER, Phase.NO_CLOCK)


def check(state: MatchState) -> None:
    """Check that the state machine could have made this state.

    Raises:
        ValueError: it could not; the message says which value is impossible.
    """
    check_settings(state.settings)
    if state.next_offer is not None:
        check_settings(state.next_offer.settings)
    flags = [player.flag for player in state.players if player.flag]
    _must(not (state.flagless and flags), "a flag where none falls")
    turn, rules = state.turn, state.settings.rules
    aside = state.phase is Phase.PUT_ASIDE
    _must(aside == (state.put_aside_in in _PUT_ASIDE_IN), "adjourned where no match can be")
    phase = state.put_aside_in or state.phase
    _must(1 <= state.length <= MAX_LENGTH, "length out of range")
    counts = (*state.score, *state.legs, state.games, *state.game_points)
    _must(0 <= min(counts) <= max(counts) <= MAX_COUNT, "score out of range")
    _must((state.running is not None) == (state.phase is Phase.RUNNING), "wrong clock running")
    _must(turn is not None or phase not in _WITH_A_TURN, "no turn on the clock")
    _must((state.pause is not None) == (state.phase is Phase.BREAK), "break in the wrong phase")
    _must(phase is Phase.STOPPED or not state.held, "on hold while not stopped")
    if turn is not None:
        _must(turn.used_ns >= 0 and 0 <= turn.delay_ns <= rules.delay_ns, "turn with wrong times")
    for side in Side:
        player = state.players[side]
        absence = player.absence
        _must(not absence or 0 <= absence.points <= MAX_COUNT, "lateness out of range")
        counts = (player.breaks_taken, player.warnings, player.penalty_points, player.invalid_rolls)
        _must(
            0 <= min(counts) <= max(counts) <= MAX_COUNT, "number of breaks or rulings out of range"
        )


def check_settings(settings: MatchSettings) -> None:
    """Check that a match could be configured and played with these settings.

    Raises:
        ValueError: it could not; the message says which value is impossible.
    """
    rules = settings.rules
    _must(rules.late_step_ns >= SECOND_NS, "lateness step below 1 s")
    _must(rules.bank_step_ns >= 1, "bank step below 1 ns")
    _must(bool(rules.reasons), "no reasons to stop")
    _must(settings.reserves is UNSET or min(settings.reserves) >= 0, "negative time")
    _must(min(rules.delay_ns, rules.break_ns) >= 0, "negative delay or break length")


def _must(holds: bool, what: str) -> None:  # noqa: FBT001 (the claim itself)
    if not holds:
        raise ValueError(f"impossible match: {what}")
