"""A match that came from outside whole, in a checkpoint or the first line of a log: can it be?

What the machine made itself needs no check. The one rule: what passes here, no part of the clock
falls over.
"""

from clock.match.state import MatchState
from clock.match.phases import Phase
from clock.match.rules import MAX_LENGTH, SECOND_NS, MatchSettings
from clock.match.sides import Pair, Side

_WITH_A_TURN = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN, Phase.GAME_OVER)


def check(state: MatchState) -> None:
    """Refuse a match that never was.

    Raises:
        ValueError: the clock never makes such a match; the message says what is wrong with it.
    """
    check_settings(state.settings)
    turn, rules = state.turn, state.settings.rules
    _must(1 <= state.length <= MAX_LENGTH, "its length")
    _must(min(*state.score, *state.legs, state.games, *state.game_points) >= 0, "its score")
    _must((state.running is not None) == (state.phase is Phase.RUNNING), "the clock that runs")
    decided = state.champion is not None
    _must(turn is not None or decided or state.phase not in _WITH_A_TURN, "a turn that is missing")
    _must((state.pause is not None) == (state.phase is Phase.BREAK), "its break")
    _must(state.phase is Phase.STOPPED or not state.held, "what it waits for")
    _must(turn is None or (turn.used_ns >= 0 and 0 <= turn.delay_ns <= rules.delay_ns), "its turn")
    for side in Side:
        absence = state.players[side].absence
        _must(absence is None or absence.points >= 0, "a player's lateness")
        _must(state.players[side].breaks_taken >= 0, "its breaks")


def check_settings(settings: MatchSettings) -> None:
    """Refuse settings that cannot be configured and that nobody could play under.

    Raises:
        ValueError: the message says what is wrong.
    """
    rules = settings.rules
    _must(rules.late_step_ns >= SECOND_NS, "a lateness that would never cease to grow")
    _must(rules.bank_step_ns >= 1, "its rounding")
    _must(bool(rules.reasons), "its reasons to stop")
    _must(min(Pair(rules.delay_ns, rules.break_ns)) >= 0, "its times")


def _must(holds: bool, what: str) -> None:  # noqa: FBT001 (a claim is what is said to hold)
    if not holds:
        raise ValueError(f"no clock has ever written {what}")
