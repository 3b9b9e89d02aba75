"""A state that no match can have is refused, with the value that is impossible."""

from typing import Any

import pytest
from msgspec.structs import replace

from clock.match.invariants import MAX_COUNT, check
from clock.match.rules import MAX_LENGTH
from clock.match.state import Absence, Flag, MatchState, Pause
from clock.match.types import Pair, Phase
from lab.support.phases import OFFER, PHASES
from lab.support.world import LEFT, World

STOPPED = PHASES[Phase.STOPPED].state
READY = PHASES[Phase.READY].state


def with_rules(**changes: Any) -> MatchState:
    """The match stopped, under rules that no file can give."""
    settings = STOPPED.settings
    return STOPPED.replace(settings=replace(settings, rules=replace(settings.rules, **changes)))


def with_turn(**changes: Any) -> MatchState:
    """The match stopped, in another turn."""
    assert STOPPED.turn is not None
    return STOPPED.replace(turn=replace(STOPPED.turn, **changes))


BAD_OFFER = replace(OFFER, settings=with_rules(reasons=()).settings)
IMPOSSIBLE = {
    "length out of range": (READY.replace(length=0), READY.replace(length=100)),
    "score out of range": (
        READY.replace(score=Pair(-1, 0)),
        READY.replace(games=-1),
        READY.replace(legs=Pair(0, 2**63)),
        READY.replace(game_points=Pair(MAX_COUNT + 1, 0)),
    ),
    "wrong clock running": (with_turn(since_ns=0), READY.replace(phase=Phase.RUNNING)),
    "no turn on the clock": (
        STOPPED.replace(turn=None),
        STOPPED.replace(turn=None, phase=Phase.PUT_ASIDE, put_aside_in=Phase.STOPPED),
    ),
    "adjourned where no match can be": (
        READY.replace(put_aside_in=Phase.READY),
        READY.replace(phase=Phase.PUT_ASIDE),
        READY.replace(phase=Phase.PUT_ASIDE, put_aside_in=Phase.REVIEW),
    ),
    "break in the wrong phase": (READY.replace(pause=Pause(0, 0)),),
    "on hold while not stopped": (READY.replace(held=True),),
    "turn with wrong times": (
        with_turn(used_ns=-1),
        with_turn(delay_ns=-1),
        with_turn(delay_ns=10**12),
    ),
    "lateness out of range": tuple(
        READY.with_player(LEFT, absence=Absence(0, points)) for points in (-1, MAX_COUNT + 1)
    ),
    "number of breaks or rulings out of range": tuple(
        READY.with_player(LEFT, **{name: value})
        for name in ("breaks_taken", "warnings", "penalty_points", "invalid_rolls")
        for value in (-1, 2**63)
    ),
    "lateness step below 1 s": (with_rules(late_step_ns=10**9 - 1),),
    "bank step below 1 ns": (with_rules(bank_step_ns=0),),
    "no reasons to stop": (with_rules(reasons=()), READY.replace(next_offer=BAD_OFFER)),
    "negative time": tuple(
        READY.replace(settings=replace(READY.settings, reserves=Pair(*reserves)))
        for reserves in ((-1, 0), (0, -1))
    ),
    "negative delay or break length": (with_rules(break_ns=-1),),
}


@pytest.mark.parametrize("phase", Phase)
def test_what_a_match_came_to_is_possible(phase: Phase) -> None:
    check(PHASES[phase].state)
    check(World.ready(late_step_ns=10**9, bank_step_ns=1, delay_ns=0, break_ns=0).state)
    check(World.ready(length=MAX_LENGTH).state)
    check(STOPPED.replace(held=True).with_player(LEFT, flag=Flag(1, None)))
    check(READY.replace(settings=replace(READY.settings, reserves=Pair(0, 0))))
    for count in (0, 1, MAX_LENGTH - 1 + 64 * 3, MAX_COUNT):
        many = READY.replace(score=Pair(count, 0))
        check(many.with_player(LEFT, warnings=count, absence=Absence(0, count)))


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_what_no_match_comes_to_is_refused(what: str) -> None:
    for state in IMPOSSIBLE[what]:
        with pytest.raises(ValueError, match=what):
            check(state)
