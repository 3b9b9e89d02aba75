"""Breaks and lateness."""

import pytest

from clock.match.breaks import break_possible, breaks_left, players_may_break
from clock.match.events import BreakEndedEvent, BreakStartedEvent, PressedEvent
from clock.match.inputs import DIRECTOR, BreakGranted, TimeSet
from clock.match.state import Pause
from clock.match.types import Button, Pair, Phase, Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.world import LEFT, RIGHT, World

NO_BREAK = PressedEvent(Button.CENTRE, accepted=False, why="no_break")


# --- breaks -----------------------------------------------------------------------------------


@pytest.mark.rule("R52", "R53", "R54", "R56")
@pytest.mark.parametrize(
    ("profile", "length", "taken", "minutes"),
    [
        ("ebf", 11, (1, 0), 5),
        ("ebf", 11, (0, 1), 5),
        ("ebf", 17, (2, 1), 15),
        ("us", 25, (1, 1), 20),
    ],
)
def test_breaks_may_follow_one_another(
    profile: str, length: int, taken: tuple[int, int], minutes: int
) -> None:
    """EBF 2.2(ii): a player's own or both players' together; 5 minutes each, in the US 10."""
    world = World.between_games(profile, length=length).wait("0:10").take_breaks(*taken)
    who = {(True, False): LEFT, (False, True): RIGHT}.get((taken[0] > 0, taken[1] > 0))
    started = BreakStartedEvent(Pair(*taken), minutes * MINUTE_NS, who)
    assert (world.phase, world.last()) == (Phase.BREAK, started)
    assert world.state.pause == Pause(minutes * MINUTE_NS, 10 * SECOND_NS, taker=who)
    world.centre("4:00")
    assert (world.phase, world.last()) == (Phase.READY, BreakEndedEvent(4 * MINUTE_NS))
    assert world.state.players.map(lambda player: player.breaks_taken) == Pair(*taken)


@pytest.mark.rule("R56", "R55")
def test_breaks_are_used_up_one_after_another() -> None:
    """EBF 2.2(ii): two in a row are two breaks; then there is none."""
    world = World.between_games(length=17).take_breaks(1, 0).centre("5:00")
    world.take_breaks(1, 0).centre("5:00")
    assert breaks_left(world.state) == Pair(0, 2)
    world.take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.take_breaks(0, 1).centre("5:00").take_breaks(0, 1)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R55")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_break_inside_a_game_is_denied_and_logged(stopped: bool) -> None:
    """EBF 2.2(ii): only between games; a request in a game is refused, and the log has it."""
    world = World.between_games().press(RIGHT)
    world = world.centre("0:20") if stopped else world.wait("0:20")
    phase, running, written = world.phase, world.state.running, len(world.records)
    world.take_breaks(1, 0)
    assert (world.phase, world.state.running) == (phase, running)
    assert breaks_left(world.state) == Pair(1, 1)
    assert len(world.records) == written + 1
    assert world.last() == NO_BREAK


@pytest.mark.rule("R55")
def test_a_match_under_way_has_its_breaks_at_once() -> None:
    """EBF 2.3(i)(b): with games already played, the opening roll is between games."""
    world = World.ready(score=(3, 1))
    assert players_may_break(world.state)
    assert world.take_breaks(1, 0).phase is Phase.BREAK


@pytest.mark.rule("R55")
def test_the_players_are_offered_a_break_between_games() -> None:
    """NBgF 1-8: not before the first game, and while there is one left."""
    assert not players_may_break(World.ready().state)
    world = World.between_games()
    assert players_may_break(world.state)
    assert not players_may_break(world.take_breaks(1, 1).centre("5:00").state)


@pytest.mark.rule("R55")
@pytest.mark.parametrize("side", Side)
def test_the_director_grants_a_player_a_break(side: Side) -> None:
    """EBF 2.2(iii): before the first game, too."""
    world = World.ready().input(BreakGranted, side=side)
    taken = Pair(0, 0).put(side, 1)
    assert world.last() == BreakStartedEvent(taken, 5 * MINUTE_NS, side, DIRECTOR)


@pytest.mark.rule("R55")
def test_a_break_beyond_those_allowed_takes_none_from_the_opponent() -> None:
    """EBF 2.2(iii): the director grants one to a player who has none left."""
    world = World.between_games().take_breaks(1, 0).centre("5:00")
    world.input(BreakGranted, side=LEFT).centre("5:00")
    assert breaks_left(world.state) == Pair(0, 1)
    assert world.take_breaks(0, 1).phase is Phase.BREAK


@pytest.mark.rule("R57")
def test_a_break_begins_with_both_times_in_the_log() -> None:
    """EBF 4.3(ii)(b), US 2.2.6: the record has the times that both players write down."""
    world = World.ready().press(RIGHT).press(LEFT, "0:20").press(RIGHT, "0:30").score_game(LEFT)
    record = world.wait("1:00").take_breaks(1, 0).records[-1]
    assert record.event == BreakStartedEvent(Pair(1, 0), 5 * MINUTE_NS, LEFT)
    assert record.at_ns == world.now_ns
    assert (record.left_ns, record.right_ns) == (1312 * SECOND_NS, 1302 * SECOND_NS)
    assert (record.phase, record.running) == (Phase.BREAK, None)


@pytest.mark.rule("R57", "R58")
@pytest.mark.parametrize("side", Side)
def test_plungers_are_locked_in_a_break(side: Side) -> None:
    """EBF 4.3(ii)(b): a press starts no clock, and the director can read that there was one."""
    world = World.between_games().take_breaks(1, 0)
    stood = world.state
    world.press(side, "2:00")
    assert world.last() == PressedEvent(Button(side.value), accepted=False, why="break")
    assert world.records[-1].at_ns == world.now_ns
    assert world.state == stood.replace(at_ns=world.now_ns)
    world.wait("2:00")
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (1320 * SECOND_NS, 1320 * SECOND_NS)


@pytest.mark.rule("R58")
def test_the_director_sets_times_in_a_break() -> None:
    """EBF 4.3(ii)(b): if the clock ran, the TD sets it by a best estimate."""
    world = World.between_games().take_breaks(1, 0)
    world.input(TimeSet, side=LEFT, new_ns=600 * SECOND_NS, why="best_estimate")
    assert world.phase is Phase.BREAK
    assert world.reserve_ns(LEFT) == 600 * SECOND_NS


@pytest.mark.rule("R55", "R52")
def test_a_best_of_three_has_breaks_between_its_matches_only() -> None:
    """EBF and DBgF 2.2(ii): not between games; between matches, one a player for each match."""
    world = World.ready(length=3, best_of_three=True)
    assert not break_possible(world.state)
    world.play_game(LEFT).take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(LEFT, 2)
    assert world.state.legs == Pair(1, 0)
    assert players_may_break(world.state)
    world.take_breaks(1, 0).centre("5:00").take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(RIGHT).take_breaks(0, 1)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(RIGHT, 2)
    world.take_breaks(1, 1)
    assert world.last() == BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)
