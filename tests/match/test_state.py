"""The state of a match as a value."""

from typing import Any

import msgspec
import pytest

from clock.match import inputs
from clock.match.events import CorrectedEvent
from clock.match.inputs import CentrePressed, Pressed, TimePassed
from clock.match.machine import advance
from clock.match.state import MatchState, crawford_is_open
from clock.match.types import Crawford, Pair, Phase
from clock.units import MINUTE_NS
from lab.support.last_run import PHASES as LAST_RUN_PHASES
from lab.support.last_run import Written, match_in
from lab.support.phases import PHASES, example, kinds
from lab.support.world import LEFT, RIGHT, World, match_settings


def through_json(state: MatchState) -> MatchState:
    """The state as it comes back from disk."""
    return msgspec.json.decode(msgspec.json.encode(state), type=MatchState)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", Phase)
def test_a_state_survives_a_round_trip_through_json(phase: Phase) -> None:
    """Written as JSON and read again it is the same, and every input does the same to it."""
    world = PHASES[phase]
    back = through_json(world.state)
    assert back == world.state
    for kind in kinds():
        happened = example(kind, world.now_ns + 1)
        assert advance(back, happened) == advance(world.state, happened)


@pytest.mark.slow
def test_the_state_does_not_grow() -> None:
    """After 10,000 turns with stops and flags a state takes no more room than after 100."""
    state = World.running().state
    now_ns = 10**14  # instants of 15 digits from the first to the last
    state, _ = advance(state, TimePassed(now_ns))
    sizes = []
    for number in range(10_000):
        now_ns += 11_987_654_321
        state, _ = advance(state, CentrePressed(now_ns))
        state, _ = advance(state, CentrePressed(now_ns))
        state, _ = advance(state, Pressed(now_ns, LEFT if number % 2 == 0 else RIGHT))
        sizes.append(len(msgspec.json.encode(state)))
    assert state.running is LEFT
    assert max(sizes[100:]) - min(sizes[100:]) < 20  # digits
    assert max(sizes) < STATE_BYTES


STATE_BYTES = 4_000  # of a state in JSON, with a margin; settings and names are half of it


@pytest.mark.rule("R106")
@pytest.mark.parametrize(
    ("given", "begun"),
    [
        ([(inputs.LengthSet, {"length": 13, "adjust_banks": True})], {"length": 13}),
        (
            [(inputs.ScoreSet, {"side": LEFT, "points": 2, "adjust_banks": True})],
            {"score": (2, 0)},
        ),
    ],
)
def test_the_code_is_that_of_the_settings_in_force(
    given: list[tuple[type[inputs.Input], dict[str, Any]]], begun: dict[str, Any]
) -> None:
    """A clock on which it was changed shows the code of one whose file says so (EBF 3.5(iii))."""
    world = World(match_settings(length=7))
    before = world.state.code
    assert before == match_settings(length=7).code
    for kind, fields in given:
        world.input(kind, **fields)
    expected = match_settings(**{"length": 7, **begun}).code
    assert world.state.code == expected != before
    own = msgspec.structs.replace(match_settings(**{"length": 7, **begun}), reserves=Pair(0, 1))
    assert World(own).input(inputs.BanksReset).state.code == expected != own.code
    event = world.last()
    assert isinstance(event, CorrectedEvent)
    assert event.code == expected


@pytest.mark.rule("R106")
def test_a_time_of_its_own_and_the_crawford_game_are_in_the_code() -> None:
    world = World(match_settings(length=7, score=(6, 3)))
    codes = {world.state.code}
    for crawford in (Crawford.NOW, Crawford.DONE):
        world = World(match_settings(length=7, score=(6, 3)))
        codes.add(world.input(inputs.CrawfordSet, crawford=crawford).state.code)
    world.input(inputs.TimeSet, side=LEFT, new_ns=MINUTE_NS, why="director")
    assert len(codes | {world.state.code}) == 4
    assert World(match_settings(length=7)).state.code not in codes


@pytest.mark.rule("R119")
def test_when_no_game_has_begun() -> None:
    """The opening roll is still to come; a match that is over has none."""
    before = [phase for phase, world in PHASES.items() if world.state.before_first_game]
    assert before == [Phase.REVIEW, Phase.READY, Phase.BREAK]
    assert not World.between_games().state.before_first_game


@pytest.mark.rule("R72", "R91")
def test_a_decided_score_leaves_nothing_open() -> None:
    """EBF 4.4(iv): the winner needs no point, and no Crawford game is asked for."""
    world = World.ready(length=3, score=(0, 2)).play_game(LEFT, 3)
    assert world.state.away == Pair(0, 1)
    assert not crawford_is_open(world.state.away)


@pytest.mark.rule("R75", "R80")
def test_the_points_of_a_reopened_game_are_those_of_who_scored_them() -> None:
    """The players have changed sides since."""
    world = (
        World.ready(length=3).play_game(LEFT, 3).input(inputs.SidesSwapped).input(inputs.Reopened)
    )
    assert (world.state.score, world.state.game_points) == (Pair(0, 0), Pair(0, 3))


@pytest.mark.rule("R134")
def test_another_match_may_be_offered_while_this_one_is_at_rest_or_unconfirmed() -> None:
    """R134: not once it is confirmed or played without a clock, nor between games."""
    taking = {name for name in LAST_RUN_PHASES if match_in(name).state.takes_offers}
    assert taking == {"FINISHED", "PUT_ASIDE"}
    assert World().state.takes_offers
    unconfirmed = Written().give(inputs.ClockRemoved(0)).state
    assert (unconfirmed.unconfirmed, unconfirmed.takes_offers) == (False, False)
