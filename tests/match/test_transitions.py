"""The transition table: an entry for every pair, and where it leads."""

from itertools import product

import pytest

from clock.match.inputs import CentrePressed, Input, PointsAwarded, Reopened, TurnResumed
from clock.match.machine import advance
from clock.match.rules import FirstFlag, Reason
from clock.match.transitions import TABLE
from clock.match.types import Phase, ResumeWith, Side
from lab.support.phases import EVERY_PAIR, PHASES, PROPOSAL, example
from lab.support.rows import row
from lab.support.world import LEFT, World, inputs


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_can_be_reached(phase: Phase) -> None:
    """The examples of the tests below are in the phases that they are meant to be in."""
    assert PHASES[phase].phase is phase


def test_the_table_is_total() -> None:
    """Every pair of phase and input has a row, and no row is for anything else."""
    assert set(TABLE) == set(EVERY_PAIR)
    assert {phase for row in TABLE.values() for phase in row.reachable} <= set(Phase)


@pytest.mark.rule("R18")
def test_no_input_raises_in_any_phase() -> None:
    """Whatever happens in whatever phase leads where its row says, with one record at most.

    What was proposed is void then, unless the match stays as it was, but for a reason turned to.
    """
    for (phase, kind), side in product(EVERY_PAIR, Side):
        world = PHASES[phase]
        with row(phase, kind, side):
            before = world.state.replace(proposal=PROPOSAL, at_ns=world.now_ns + 1)
            state, records = advance(before, example(kind, world.now_ns + 1, side))
            same = state.replace(proposal=PROPOSAL, reason=before.reason) == before
            assert same or state.proposal is None
            assert state.phase in TABLE[phase, kind].reachable
            assert state.at_ns == world.now_ns + 1
            assert len(records) <= 1
            assert (state.running is None) is (state.phase is not Phase.RUNNING)


@pytest.mark.rule("R30", "R75")
def test_the_table_knows_where_a_ruling_leads() -> None:
    """The table is the state diagram: a resumed free turn, a reopened game are in it."""
    free = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).stop_for(Reason.TIME_EXPIRED)
    free.input(TurnResumed, side=LEFT, delay=ResumeWith.REST)
    assert free.phase in TABLE[Phase.STOPPED, TurnResumed].reachable
    decided = (
        World.stopped(score=(10, 10)).input(PointsAwarded, side=LEFT, points=1, why="late").wait(0)
    )
    assert decided.phase is Phase.FINISHED
    decided.input(Reopened)
    assert decided.phase in TABLE[Phase.FINISHED, Reopened].reachable


def taken(world: World, happened: Input) -> tuple[Phase, tuple[Phase, ...]]:
    """The phase that an input led to, and those to which the table says it can lead."""
    row = TABLE[world.phase, type(happened)]
    return world.give(happened).phase, row.reachable


@pytest.mark.rule("R62")
def test_an_absent_players_turn_is_never_a_free_one() -> None:
    """An absent player's clock, frozen by its flag, then a free turn: the centre stops as ever."""
    world = World.ready("ebf", on_first_flag=FirstFlag.FREEZE)
    world.input(inputs.AbsentClockStarted, side=LEFT).wait("60:00")
    world.choose(Reason.EARLY_PICKUP).centre()
    assert world.phase is Phase.FREE_TURN
    phase, to = taken(world, CentrePressed(world.now_ns))
    assert phase in to


@pytest.mark.rule("R131")
@pytest.mark.parametrize("where", [Phase.READY, Phase.STOPPED, Phase.GAME_OVER, Phase.NO_CLOCK])
def test_the_table_knows_where_a_match_is_taken_up(where: Phase) -> None:
    """Where it was adjourned; any other restoration stops what runs."""
    aside, _ = advance(PHASES[where].state, inputs.Adjourned(PHASES[where].now_ns))
    state, _ = advance(aside, inputs.Restored(aside.at_ns, 0, None, inputs.TAKEN_UP))
    assert state.phase is where
    assert where in TABLE[Phase.PUT_ASIDE, inputs.Restored].reachable
    assert TABLE[where, inputs.Restored].reachable == (where,)
