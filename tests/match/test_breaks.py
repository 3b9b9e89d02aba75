"""Breaks and lateness."""

import msgspec
import pytest

from clock.match.breaks import break_possible, breaks_left
from clock.match.events import (
    BreakEndedEvent,
    BreakStartedEvent,
    LateEvent,
    PressedEvent,
)
from clock.match.inputs import AbsenceNoted, BreaksSet, PointsAwarded, TimeSet
from clock.match.machine import next_deadline
from clock.match.rules import Lateness
from clock.match.types import Button, Pair, Phase, Side
from clock.units import MINUTE_NS, SECOND_NS
from tests.support.world import LEFT, RIGHT, World

NO_BREAK = PressedEvent(Button.CENTRE, accepted=False, why="no_break")


def between_games(profile: str = "ebf", **changes: object) -> World:
    """Return a match at READY, after a game that LEFT won with one point."""
    return World.ready(profile, **changes).play_game(LEFT)


def late_events(world: World) -> list[tuple[int, LateEvent]]:
    """Return the events of lateness, each with its instant."""
    return [
        (record.at_ns, record.event)
        for record in world.records
        if isinstance(record.event, LateEvent)
    ]


# --- breaks -----------------------------------------------------------------------------------


@pytest.mark.rule("R52", "R53", "R54")
@pytest.mark.parametrize(("length", "breaks"), [(11, 1), (17, 2)])
def test_each_player_has_so_many_breaks_and_no_more(length: int, breaks: int) -> None:
    """EBF 2.2(ii): by the match's length; `test_profiles` has each federation's numbers."""
    world = between_games(length=length)
    world.take_breaks(breaks + 1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.take_breaks(0, breaks + 1)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.take_breaks(breaks, breaks)
    assert world.phase is Phase.BREAK
    assert breaks_left(world.state) == Pair(0, 0)


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
    world = between_games(profile, length=length).take_breaks(*taken)
    who = {(True, False): LEFT, (False, True): RIGHT}.get((taken[0] > 0, taken[1] > 0))
    started = BreakStartedEvent(Pair(*taken), minutes * MINUTE_NS, who)
    assert (world.phase, world.last()) == (Phase.BREAK, started)
    world.centre("4:00")
    assert (world.phase, world.last()) == (Phase.READY, BreakEndedEvent(4 * MINUTE_NS))
    assert world.state.players.map(lambda player: player.breaks_taken) == Pair(*taken)


@pytest.mark.rule("R56", "R55")
def test_breaks_are_used_up_one_after_another() -> None:
    """EBF 2.2(ii): two in a row are two breaks; then there is none."""
    world = between_games(length=17).take_breaks(1, 0).centre("5:00")
    world.take_breaks(1, 0).centre("5:00")
    assert breaks_left(world.state) == Pair(0, 2)
    world.take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.take_breaks(0, 2)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R55")
def test_a_break_is_refused_when_none_is_left() -> None:
    """EBF 2.2(ii): used breaks are gone, in later games too; the centre says so."""
    world = between_games().take_breaks(1, 1).centre("5:00").play_game(RIGHT)
    world.centre()
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    assert not break_possible(world.state)


@pytest.mark.rule("R55")
def test_the_director_may_allow_a_break_more() -> None:
    """EBF 2.2(iii): by correcting how many a player has had."""
    world = between_games().take_breaks(1, 1).centre("5:00").act(BreaksSet, side=LEFT, taken=0)
    world.take_breaks(0, 1)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.take_breaks(1, 0)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R55")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_break_inside_a_game_is_denied_and_logged(stopped: bool) -> None:
    """EBF 2.2(ii): only between games; a request in a game is refused, and the log has it."""
    world = between_games().press(RIGHT)
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
    world = World.ready(score=(3, 1)).take_breaks(1, 0)
    assert world.phase is Phase.BREAK


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
    world = between_games().take_breaks(1, 0)
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
    world = between_games().take_breaks(1, 0)
    world.act(TimeSet, side=LEFT, new_ns=600 * SECOND_NS, why="best_estimate")
    assert world.phase is Phase.BREAK
    assert world.reserve_ns(LEFT) == 600 * SECOND_NS


@pytest.mark.rule("R55", "R52")
def test_a_best_of_three_has_breaks_between_its_matches_only() -> None:
    """EBF and DBgF 2.2(ii): not between games; between matches, one a player for each match."""
    world = between_games(length=3, best_of_three=True)
    world.take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(LEFT, 2)
    assert world.state.legs == Pair(1, 0)
    world.take_breaks(1, 1)
    assert world.last() == BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)
    world.centre("5:00")
    world.take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(RIGHT)
    world.take_breaks(1, 0)
    assert (world.phase, world.last()) == (Phase.READY, NO_BREAK)
    world.play_game(RIGHT, 2)
    world.take_breaks(1, 1)
    assert world.last() == BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)


# --- lateness ---------------------------------------------------------------------------------


@pytest.mark.rule("R59", "R61")
@pytest.mark.parametrize(("profile", "award"), [("ebf", "may"), ("dbgf", "shall")])
def test_a_point_for_every_five_minutes(profile: str, award: str) -> None:
    """EBF 2.2(iv): a point may be given after 5 minutes and after every 5; DBgF: shall be given."""
    world = World.ready(profile).wait("1:00").act(AbsenceNoted, side=RIGHT)
    due_ns = world.now_ns
    assert world.last() == LateEvent(
        RIGHT, 0, award, "director", forfeits=False, next_ns=5 * MINUTE_NS
    )
    world.wait(5 * MINUTE_NS - 1)
    assert len(late_events(world)) == 1
    world.wait("10:30")
    assert late_events(world)[1:] == [
        (
            due_ns + step * 5 * MINUTE_NS,
            LateEvent(RIGHT, step, award, "clock", forfeits=False, next_ns=5 * MINUTE_NS),
        )
        for step in (1, 2, 3)
    ]
    assert world.state.score == Pair(0, 0)
    assert world.state.players[RIGHT].penalty_points == 0


@pytest.mark.rule("R59")
@pytest.mark.parametrize(
    ("duration", "points"), [("4:59", 0), ("5:00", 1), ("9:59", 1), ("10:00", 2)]
)
def test_points_are_full_at_the_full_minute(duration: str, points: int) -> None:
    """EBF 2.2(iv): at 4:59 none, at 5:00 one, at 10:00 two."""
    world = World().act(AbsenceNoted, side=LEFT).wait(duration)
    absence = world.state.players[LEFT].absence
    assert absence is not None
    assert absence.points == points


@pytest.mark.rule("R59")
def test_lateness_counts_from_the_end_of_a_break() -> None:
    """EBF 2.2(iv), NBgF 2-2-4: 5 minutes after the break; the clock cannot know who is late."""
    world = between_games().take_breaks(1, 1)
    since_ns = world.now_ns
    world.wait("14:59")
    assert late_events(world) == []
    world.wait("5:01")
    assert late_events(world) == [
        (
            since_ns + 15 * MINUTE_NS,
            LateEvent(None, 1, "may", "clock", forfeits=False, next_ns=5 * MINUTE_NS),
        ),
        (
            since_ns + 20 * MINUTE_NS,
            LateEvent(None, 2, "may", "clock", forfeits=False, next_ns=5 * MINUTE_NS),
        ),
    ]
    world.centre()
    assert world.last() == BreakEndedEvent(20 * MINUTE_NS)
    assert world.wait("30:00").phase is Phase.READY
    assert len(late_events(world)) == 2


@pytest.mark.rule("R59")
def test_both_players_may_be_late() -> None:
    """EBF 2.2(iv): each player's lateness counts from when they were noted absent."""
    world = World().act(AbsenceNoted, side=LEFT).wait("2:00").act(AbsenceNoted, side=RIGHT)
    world.wait("8:00")
    assert [
        (at_ns // MINUTE_NS, event.side, event.points) for at_ns, event in late_events(world)[2:]
    ] == [
        (5, LEFT, 1),
        (7, RIGHT, 1),
        (10, LEFT, 2),
    ]


@pytest.mark.rule("R59")
@pytest.mark.parametrize("arrives", ["confirms", "opening roll"])
def test_a_player_who_has_come_is_no_longer_late(arrives: str) -> None:
    """DBgF 2.2(iv): the count ends when the player has come and begun."""
    world = World() if arrives == "confirms" else World.ready()
    world.act(AbsenceNoted, side=LEFT).wait("6:00").press(LEFT)
    assert world.state.players[LEFT].absence is None
    written = len(late_events(world))
    world.wait("4:00")
    assert len(late_events(world)) == written
    assert world.state.players[LEFT].absence is None


@pytest.mark.rule("R60")
@pytest.mark.parametrize(("length", "points"), [(7, 4), (8, 5), (11, 6)])
def test_more_points_than_half_the_length_lose_the_match(length: int, points: int) -> None:
    """EBF and DBgF 2.2(iv): at 5 minutes a point; proposed, and the match goes on."""
    world = World.ready(length=length).act(AbsenceNoted, side=LEFT).wait("1:00:00")
    forfeits = [event.forfeits for _, event in late_events(world)[1:]]
    assert forfeits == [step >= points for step in range(1, 13)]
    assert world.phase is Phase.READY


@pytest.mark.rule("R60", "R59")
def test_points_given_before_count_towards_the_forfeit() -> None:
    """EBF 2.2(iv): with 4 points received, the second for lateness is the sixth of 11."""
    world = World.ready().act(PointsAwarded, side=LEFT, points=4, why="slow_play")
    world.act(AbsenceNoted, side=LEFT).wait("10:00")
    assert [event.forfeits for _, event in late_events(world)] == [False, False, True]


@pytest.mark.rule("R60", "R59")
def test_a_point_for_lateness_counts_once() -> None:
    """EBF 2.2(iv): a point given during an absence is not counted again when proposed."""
    world = World.ready(length=5).act(AbsenceNoted, side=LEFT).wait("5:00")
    world.act(PointsAwarded, side=LEFT, points=1, why="late").wait("5:00")
    assert late_events(world)[-1][1].forfeits is False  # two points of five
    world.wait("5:00")
    assert late_events(world)[-1][1].forfeits is True  # three points of five


@pytest.mark.rule("R60")
@pytest.mark.parametrize(
    ("length", "points", "forfeits"), [(11, 5, False), (11, 6, True), (8, 4, False), (8, 5, True)]
)
def test_points_that_were_given_propose_the_forfeit_too(
    length: int, points: int, forfeits: bool
) -> None:
    """EBF 2.2(iv): penalty points of any kind; more than half the length lose the match."""
    world = World.ready(length=length)
    world.act(PointsAwarded, side=LEFT, points=points - 1, why="slow_play")
    world.act(PointsAwarded, side=LEFT, points=1, why="conduct")
    assert msgspec.to_builtins(world.last()).get("forfeits") is forfeits
    assert world.phase is Phase.READY


@pytest.mark.rule("R61", "R62")
def test_in_norway_the_director_is_called_after_five_minutes() -> None:
    """NBgF 2-2-4: no points; after 5 minutes the TD is told once to start the clock."""
    world = World.ready("nbgf").act(AbsenceNoted, side=LEFT).wait("30:00")
    assert late_events(world) == [
        (0, LateEvent(LEFT, 0, "start-clock", "director", forfeits=False, next_ns=5 * MINUTE_NS)),
        (5 * MINUTE_NS, LateEvent(LEFT, 0, "start-clock", "clock", forfeits=False)),
    ]
    assert world.state.score == Pair(0, 0)


@pytest.mark.rule("R61", "R62")
def test_in_norway_the_director_is_called_after_a_break_too() -> None:
    """NBgF 2-2-4: 5 minutes after the break, once."""
    world = between_games("nbgf").take_breaks(1, 0).wait("30:00")
    assert late_events(world) == [
        (10 * MINUTE_NS, LateEvent(None, 0, "start-clock", "clock", forfeits=False))
    ]


@pytest.mark.rule("R63")
@pytest.mark.parametrize("profile", ["ebf", "nbgf", "us"])
@pytest.mark.parametrize(
    ("lateness", "steps"), [(Lateness.POINTS, 4), (Lateness.START_CLOCK, 1), (Lateness.NONE, 0)]
)
def test_lateness_can_be_configured(lateness: Lateness, steps: int, profile: str) -> None:
    """WBGF 2023: points, the clock, or nothing, under any profile; after a break too."""
    world = World.ready(profile, lateness=lateness).act(AbsenceNoted, side=LEFT).wait("20:00")
    assert len(late_events(world)) == 1 + steps
    world = (
        between_games(profile, lateness=lateness, break_ns=MINUTE_NS)
        .take_breaks(1, 0)
        .wait("21:00")
    )
    assert len(late_events(world)) == steps
    if lateness is Lateness.NONE:
        assert next_deadline(world.state) is None


@pytest.mark.rule("R59", "R63")
def test_the_lateness_step_can_be_configured() -> None:
    """EBF 2.2(iii): a director may set other times."""
    world = World.ready(late_step_ns=3 * MINUTE_NS).act(AbsenceNoted, side=LEFT).wait("10:00")
    assert [at_ns for at_ns, _ in late_events(world)] == [
        0,
        *(n * 3 * MINUTE_NS for n in (1, 2, 3)),
    ]
