"""What the lines of one log say, with one more line."""

from functools import reduce

import pytest

from clock.match.events import AdjustedEvent
from clock.match.inputs import FaultCleared, FaultSeen, HoldLifted, LengthSet, TimeSet
from clock.match.rules import Reason
from room.lines.track import Track, follow
from tests.support.reports import lines_of
from tests.support.world import LEFT, RIGHT, World, match_settings


def track_of(lines: list[bytes]) -> Track:
    """What lines say, one after the other."""
    return reduce(follow, lines, Track())


@pytest.mark.rule("R106")
def test_the_code_follows_a_change_at_review() -> None:
    """A board whose length was corrected has the rules of one whose file has that length."""
    world = World(match_settings(length=7)).act(LengthSet, length=9, adjust_banks=True)
    assert track_of(lines_of(world)).code == match_settings(length=9).code


@pytest.mark.rule("R106")
def test_the_code_follows_a_time_set_at_review() -> None:
    """The line says the code of what is in force."""
    world = World().act(TimeSet, side=LEFT, new_ns=1, why="director")
    event = world.last()
    assert isinstance(event, AdjustedEvent)
    assert event.code == track_of(lines_of(world)).code != world.state.settings.code


def test_faults_last_until_their_part_works_again() -> None:
    """The latest of a part counts."""
    world = World.running()
    for fault in (("log", "full"), ("panel", "gone"), ("serial", "cut"), ("log", "slow")):
        world.give(FaultSeen(0, *fault))
    world.give(FaultCleared(0, "serial"))
    assert track_of(lines_of(world)).faults == (("panel", "gone"), ("log", "slow"))


@pytest.mark.parametrize(
    "made",
    [
        World.between_games().take_breaks(1, 0),
        World.running(LEFT).stop_for(Reason.CLOCK_FAULTY),
    ],
    ids=["break", "hold"],
)
def test_after_a_damaged_line_each_line_tells_what_it_states(made: World) -> None:
    """What no line states, a break or a hold, is over."""
    whole = len(lines_of(made))
    made.act(HoldLifted).centre("0:05").press(RIGHT, "0:10").press(LEFT, "0:40").wait("0:15")
    lines, record = lines_of(made), made.records[-1]
    assert made.state.running is RIGHT
    track = track_of([*lines[:whole], b"damaged", *lines[whole + 1 :]])
    state = track.state
    assert state is not None
    assert (track.damage or "").startswith(f"line {whole + 1}")
    assert (track.lines, track.seq) == (len(lines), len(lines))
    assert (state.phase, state.running, state.score) == (record.phase, RIGHT, record.score)
    assert (state.held, state.pause) == (False, None)
    reserves = (state.reserve_ns(LEFT, record.at_ns), state.reserve_ns(RIGHT, record.at_ns))
    assert reserves == (record.left_ns, record.right_ns)
