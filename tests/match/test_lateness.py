"""How late a player is, what it costs, and what of it is open."""

import msgspec
import pytest

from clock.match.events import BreakEndedEvent, CorrectedEvent, LateEvent
from clock.match.inputs import AbsenceNoted, AbsentClockStarted, LatenessWaived, PointsAwarded
from clock.match.lateness import late_player
from clock.match.machine import next_deadline
from clock.match.rules import Lateness
from clock.match.state import LateAccount
from clock.match.types import Pair, Phase, Side
from clock.ui.menu import items
from clock.units import MINUTE_NS
from lab.support.world import LEFT, RIGHT, World


@pytest.mark.rule("R59", "R61")
@pytest.mark.parametrize(("profile", "award"), [("ebf", "may"), ("dbgf", "shall")])
def test_a_point_for_every_five_minutes(profile: str, award: str) -> None:
    """EBF 2.2(iv): a point may be given after 5 minutes and after every 5; DBgF: shall be given."""
    world = World.ready(profile).wait("1:00").input(AbsenceNoted, side=RIGHT)
    due_ns = world.now_ns
    assert world.last() == LateEvent(
        RIGHT, 0, award, "director", forfeits=False, next_ns=5 * MINUTE_NS
    )
    world.wait(5 * MINUTE_NS - 1)
    assert len(world.late_events()) == 1
    world.wait("10:30")
    assert world.late_events()[1:] == [
        (
            due_ns + step * 5 * MINUTE_NS,
            LateEvent(RIGHT, step, award, "clock", forfeits=False, next_ns=5 * MINUTE_NS),
        )
        for step in (1, 2, 3)
    ]
    assert world.state.score == Pair(0, 0)
    assert world.state.players[RIGHT].penalty_points == 0


@pytest.mark.rule("R59")
def test_lateness_counts_from_the_end_of_a_break() -> None:
    """EBF 2.2(iv), NBgF 2-2-4: 5 minutes after the break; the clock cannot know who is late."""
    world = World.between_games().take_breaks(1, 1)
    since_ns = world.now_ns
    world.wait("14:59")
    assert world.late_events() == []
    world.wait("5:01")
    assert world.late_events() == [
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
    assert len(world.late_events()) == 2


@pytest.mark.rule("R59")
def test_both_players_may_be_late() -> None:
    """EBF 2.2(iv): each player's lateness counts from when they were noted absent."""
    world = World().input(AbsenceNoted, side=LEFT).wait("2:00").input(AbsenceNoted, side=RIGHT)
    world.wait("8:00")
    assert [
        (at_ns // MINUTE_NS, event.side, event.points) for at_ns, event in world.late_events()[2:]
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
    world.input(AbsenceNoted, side=LEFT).wait("6:00").press(LEFT)
    assert world.state.players[LEFT].absence is None
    written = len(world.late_events())
    world.wait("4:00")
    assert len(world.late_events()) == written
    assert world.state.players[LEFT].absence is None


@pytest.mark.rule("R60", "R59")
def test_a_point_for_lateness_counts_once() -> None:
    """EBF 2.2(iv): a point given during an absence is not counted again when proposed."""
    world = World.ready(length=5).input(AbsenceNoted, side=LEFT).wait("5:00")
    world.input(PointsAwarded, side=LEFT, points=1, why="late").wait("5:00")
    assert world.late_events()[-1][1].forfeits is False  # two points of five
    world.wait("5:00")
    assert world.late_events()[-1][1].forfeits is True  # three points of five


@pytest.mark.rule("R60", "R90")
@pytest.mark.parametrize(
    ("length", "points", "forfeits"), [(11, 5, False), (11, 6, True), (8, 4, False), (8, 5, True)]
)
def test_points_that_were_given_propose_the_forfeit_too(
    length: int, points: int, forfeits: bool
) -> None:
    """EBF 2.2(iv): penalty points of any kind; more than half the length lose the match."""
    world = World.ready(length=length)
    world.input(PointsAwarded, side=LEFT, points=points - 1, why="slow_play")
    world.input(PointsAwarded, side=LEFT, points=1, why="conduct")
    assert msgspec.to_builtins(world.last()).get("forfeits") is forfeits
    assert world.phase is Phase.READY


@pytest.mark.rule("R61", "R62")
def test_in_norway_the_director_is_called_after_five_minutes() -> None:
    """NBgF 2-2-4: no points; after 5 minutes the TD is told once to start the clock."""
    world = World.ready("nbgf").input(AbsenceNoted, side=LEFT).wait("30:00")
    assert world.late_events() == [
        (0, LateEvent(LEFT, 0, "start-clock", "director", forfeits=False, next_ns=5 * MINUTE_NS)),
        (5 * MINUTE_NS, LateEvent(LEFT, 0, "start-clock", "clock", forfeits=False)),
    ]
    assert world.state.score == Pair(0, 0)
    assert world.state.players[LEFT].late == LateAccount()  # no points are due


@pytest.mark.rule("R63")
@pytest.mark.parametrize("profile", ["ebf", "nbgf", "us"])
@pytest.mark.parametrize(
    ("lateness", "steps"),
    [
        (Lateness.POINTS, 4),
        (Lateness.EITHER, 4),
        (Lateness.START_CLOCK, 1),
        (Lateness.NONE, 0),
    ],
)
def test_lateness_can_be_configured(lateness: Lateness, steps: int, profile: str) -> None:
    """WBGF 2023: points, the clock, or nothing, under any profile; after a break too."""
    world = World.ready(profile, lateness=lateness).input(AbsenceNoted, side=LEFT).wait("20:00")
    assert len(world.late_events()) == 1 + steps
    world = (
        World.between_games(profile, lateness=lateness, break_ns=MINUTE_NS)
        .take_breaks(1, 0)
        .wait("21:00")
    )
    assert len(world.late_events()) == steps
    if lateness is Lateness.NONE:
        assert next_deadline(world.state) is None


@pytest.mark.rule("R129")
@pytest.mark.parametrize(("lateness", "due"), [(Lateness.EITHER, 0), (Lateness.POINTS, 2)])
def test_the_clock_of_a_late_player_takes_the_place_of_points(lateness: Lateness, due: int) -> None:
    """WBGF 2.2(iv): both are proposed; under other rules the points stay due beside the clock."""
    world = World.ready("wbgf", lateness=lateness).input(AbsenceNoted, side=LEFT).wait("11:00")
    assert world.state.players[LEFT].late.open == 2
    names = [item.name for item in items(world.state)[1:4]]
    assert (names == ["penalty", "waive_late", "absent_clock"]) == (lateness is Lateness.EITHER)
    world.input(AbsentClockStarted, side=LEFT)
    assert (world.state.running, world.state.players[LEFT].late.open) == (LEFT, due)


@pytest.mark.rule("R59", "R87")
@pytest.mark.parametrize("late", Side)
def test_points_given_after_a_break_say_who_was_late(late: Side) -> None:
    """EBF 2.2(iv): both took it; from then on the points are due from that player alone."""
    world = World.between_games().take_breaks(1, 1).wait("15:00")
    assert [player.late.open for player in world.state.players] == [1, 1]
    world.input(PointsAwarded, side=late, points=1, why="late").wait("5:00")
    assert world.state.pause is not None
    assert world.state.pause.late is late_player(world.state) is late
    assert [world.state.players[side].late.open for side in (late, late.other)] == [1, 0]
    told = LateEvent(late, 2, "may", "clock", forfeits=False, next_ns=5 * MINUTE_NS, settled=1)
    assert world.last() == told
    assert world.state.players[late].late == LateAccount(due=2, settled=1)


def test_only_what_was_counted_for_both_is_taken_back() -> None:
    """One of them had been late before: when they are late again, the other one owes nothing."""
    world = World().input(AbsenceNoted, side=LEFT).wait("5:00").press(LEFT).press(RIGHT).centre()
    world.play_game(LEFT).take_breaks(1, 1).wait("15:00")
    assert [player.late.open for player in world.state.players] == [2, 1]
    world.input(PointsAwarded, side=LEFT, points=1, why="late")
    assert [player.late.open for player in world.state.players] == [1, 0]


@pytest.mark.rule("R98")
def test_lateness_that_is_backdated_twice_counts_once() -> None:
    """What was counted of this absence is counted anew; what an earlier one left open stays due."""
    world = World().input(AbsenceNoted, side=LEFT).wait("5:00").press(LEFT)
    world.input(AbsenceNoted, side=LEFT, late_ns=12 * MINUTE_NS)
    assert world.state.players[LEFT].late.due == 1 + 2
    world.input(AbsenceNoted, side=LEFT, late_ns=7 * MINUTE_NS)
    assert world.state.players[LEFT].late.due == 1 + 1
    world.input(AbsenceNoted, side=LEFT, late_ns=20 * MINUTE_NS).wait("5:00")
    assert world.state.players[LEFT].late.due == 1 + 5


@pytest.mark.rule("R87")
def test_what_is_waived_is_settled_whole_and_a_new_break_is_another_occasion() -> None:
    """What was given or waived is forgotten with the occasion; what is open counts on."""
    world = World.between_games(length=17).take_breaks(1, 1).wait("20:00")
    world.input(LatenessWaived, side=LEFT)
    assert world.last() == CorrectedEvent("late_points", LEFT, 2, 0)
    assert world.state.players.map(lambda player: player.late) == Pair(
        LateAccount(due=2, settled=2), LateAccount()
    )
    world.wait("5:00").centre().take_breaks(1, 0)
    assert world.state.players[LEFT].late == LateAccount(due=1)


@pytest.mark.rule("R59", "R87")
@pytest.mark.parametrize("late", Side)
def test_of_a_break_that_one_player_took_the_other_one_may_be_late(late: Side) -> None:
    """EBF 2.2(iv): the clock counts for who took it, until the director names the late player."""
    world = World.between_games().take_breaks(1, 0).wait("10:00")
    assert late_player(world.state) is LEFT
    assert [player.late.open for player in world.state.players] == [1, 0]
    world.input(PointsAwarded, side=late, points=1, why="late")
    assert late_player(world.state) is late
    world.wait("5:00")
    assert world.late_events()[-1][1].side is late
    assert world.state.players[late].late.due == (2 if late is LEFT else 1)
    assert world.state.players[late.other].late == LateAccount()


@pytest.mark.rule("R98")
def test_an_absence_that_is_noted_again_keeps_what_was_given_for_it() -> None:
    """What was given for an earlier one has nothing to do with the next."""
    world = World().input(AbsenceNoted, side=LEFT, late_ns=12 * MINUTE_NS)
    world.input(PointsAwarded, side=LEFT, points=1, why="late")
    world.input(AbsenceNoted, side=LEFT, late_ns=12 * MINUTE_NS)
    assert world.state.players[LEFT].late == LateAccount(due=2, settled=1)
    world.press(LEFT).input(AbsenceNoted, side=LEFT)
    assert world.state.players[LEFT].late == LateAccount(due=1)
    assert world.wait("5:00").state.players[LEFT].late == LateAccount(due=2)


def test_after_one_step_the_other_absent_players_is_counted_still() -> None:
    """NBgF 2-2-4: one step each."""
    world = World.ready("nbgf").input(AbsenceNoted, side=LEFT).wait("1:00")
    world.input(AbsenceNoted, side=RIGHT).wait("10:00")
    counted = [event.side for _, event in world.late_events() if event.by == "clock"]
    assert counted == [LEFT, RIGHT]


@pytest.mark.rule("R63", "R129")
def test_where_lateness_costs_nothing_it_can_be_noted_and_the_clock_started() -> None:
    world = World.ready(lateness=Lateness.NONE).input(AbsenceNoted, side=LEFT)
    assert world.last() == LateEvent(LEFT, 0, "may", "director", forfeits=False)
    assert world.input(AbsentClockStarted, side=LEFT).state.running is LEFT


@pytest.mark.rule("R60")
def test_half_the_length_is_no_forfeit_after_a_break() -> None:
    """EBF 2.2(iv): more than half; nobody's penalty points are added while nobody is named."""
    world = World.between_games().take_breaks(1, 1).wait("40:00")
    assert [event.forfeits for _, event in world.late_events()] == [*[False] * 5, True]
