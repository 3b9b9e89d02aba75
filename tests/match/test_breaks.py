"""Breaks, lateness, penalty and bonus points, and the matches of a best of three."""

import msgspec
import pytest
from world import LEFT, RIGHT, SECOND_NS, World

from clock.match.events import AnyEvent, BreakEndedEvent, BreakStartedEvent, GameOverEvent, LateEvent, MatchOverEvent, PenaltyEvent, PressedEvent
from clock.match.inputs import AbsenceNoted, BreaksSet, BreakTaken, MatchEnded, MatchShortened, PointsAwarded, ScoreSet, TimeSet
from clock.match.ledger import break_possible, breaks_left
from clock.match.machine import next_deadline
from clock.match.phases import Crawford, Phase
from clock.match.rules import Lateness, Reason
from clock.match.sides import Button, Pair, Side

MINUTE_NS = 60 * SECOND_NS
NO_BREAK = PressedEvent(Button.CENTRE, accepted=False, why="no_break")
BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE


def last(world: World) -> AnyEvent:
    """The latest event of the log."""
    return world.last


def game(world: World, winner: Side, points: int = 1) -> World:
    """One more game, over before anybody has used a second."""
    return world.press(RIGHT).score_game(winner, points)


def between_games(profile: str = "ebf", **changes: object) -> World:
    """READY after a game that LEFT won with one point."""
    return game(World.ready(profile, **changes), LEFT)


def take(world: World, left: int, right: int) -> World:
    """The players take some of their breaks now."""
    return world.give(BreakTaken(world.now_ns, Pair(left, right)))


def late(world: World) -> list[tuple[int, LateEvent]]:
    """What the log says of lateness, each with its instant."""
    return [
        (record.at_ns, record.event)
        for record in world.records
        if isinstance(record.event, LateEvent)
    ]


# --- breaks -----------------------------------------------------------------------------------


@pytest.mark.rule("R52", "R53", "R54")
@pytest.mark.parametrize(
    ("profile", "length", "breaks"),
    [
        *((name, length, 1) for name in ("ebf", "dbgf", "jbs") for length in (3, 5, 15)),
        *((name, length, 2) for name in ("ebf", "dbgf", "jbs") for length in (16, 17, 25, 99)),
        *(
            (name, length, breaks)
            for name in ("nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog")
            for length, breaks in (
                *((7, 1), (11, 1), (12, 2), (13, 2), (18, 2)),
                *((19, 2), (20, 2), (21, 2), (22, 3), (23, 3), (99, 3)),
            )
        ),
        *((name, length, 1) for name in ("us", "us-doubles") for length in (3, 15, 25, 99)),
    ],
)
def test_each_player_has_his_breaks(profile: str, length: int, breaks: int) -> None:
    """EBF and DBgF 2.2(ii), NBgF 2-2-2, US 2.2.6: by the match's length, so many and no more."""
    world = World.ready(profile, length=length, score=(length // 2, 0))
    assert breaks_left(world.state) == Pair(breaks, breaks)
    game(world, RIGHT)
    take(world, breaks + 1, 0)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    take(world, 0, breaks + 1)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    take(world, breaks, breaks)
    assert world.phase is Phase.BREAK
    assert breaks_left(world.state) == Pair(0, 0)


@pytest.mark.rule("R52", "R53", "R54", "R56")
@pytest.mark.parametrize(
    ("profile", "length", "taken", "minutes"),
    [
        ("ebf", 11, (1, 0), 5),
        ("ebf", 11, (0, 1), 5),
        ("ebf", 11, (1, 1), 10),
        ("dbgf", 15, (1, 1), 10),
        ("ebf", 17, (2, 0), 10),
        ("ebf", 17, (2, 1), 15),
        ("dbgf", 17, (2, 2), 20),
        ("nbgf", 11, (1, 0), 5),
        ("us", 11, (1, 0), 10),
        ("us", 25, (1, 1), 20),
    ],
)
def test_breaks_may_follow_one_another(
    profile: str, length: int, taken: tuple[int, int], minutes: int
) -> None:
    """EBF 2.2(ii): a player's own or both players' together; 5 minutes each, in the US 10."""
    world = take(between_games(profile, length=length), *taken)
    started = BreakStartedEvent(Pair(*taken), minutes * MINUTE_NS)
    assert (world.phase, last(world)) == (Phase.BREAK, started)
    world.centre("4:00")
    assert (world.phase, last(world)) == (Phase.READY, BreakEndedEvent(4 * MINUTE_NS))
    assert world.state.players.map(lambda player: player.breaks_taken) == Pair(*taken)


@pytest.mark.rule("R56", "R55")
def test_breaks_are_used_up_one_after_another() -> None:
    """EBF 2.2(ii): two in a row are two breaks; then there is none."""
    world = take(between_games(length=17), 1, 0).centre("5:00")
    take(world, 1, 0).centre("5:00")
    assert breaks_left(world.state) == Pair(0, 2)
    take(world, 1, 0)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    take(world, 0, 2)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R55")
def test_a_break_is_refused_when_none_is_left() -> None:
    """EBF 2.2(ii): used breaks are gone, in later games too; the centre says so."""
    world = game(take(between_games(), 1, 1).centre("5:00"), RIGHT)
    world.centre()
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    assert not break_possible(world.state)


@pytest.mark.rule("R55")
def test_the_director_may_allow_a_break_more() -> None:
    """EBF 2.2(iii): by correcting how many a player has had."""
    world = take(between_games(), 1, 1).centre("5:00").act(BreaksSet, side=LEFT, taken=0)
    take(world, 0, 1)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    take(world, 1, 0)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R55")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_break_inside_a_game_is_denied_and_logged(stopped: bool) -> None:
    """EBF 2.2(ii): only between games; a request in a game is refused, and the log has it."""
    world = between_games().press(RIGHT)
    world = world.centre("0:20") if stopped else world.wait("0:20")
    phase, running, written = world.phase, world.state.running, len(world.records)
    take(world, 1, 0)
    assert (world.phase, world.state.running) == (phase, running)
    assert breaks_left(world.state) == Pair(1, 1)
    assert len(world.records) == written + 1
    assert last(world) == NO_BREAK


@pytest.mark.rule("R55")
def test_a_match_under_way_has_its_breaks_at_once() -> None:
    """EBF 2.3(i)(b): with games already played, the opening roll is between games."""
    world = take(World.ready(score=(3, 1)), 1, 0)
    assert world.phase is Phase.BREAK


@pytest.mark.rule("R57")
def test_a_break_begins_with_both_times_in_the_log() -> None:
    """EBF 4.3(ii)(b), US 2.2.6: the record has what both players write down."""
    world = World.ready().press(RIGHT).press(LEFT, "0:20").press(RIGHT, "0:30").score_game(LEFT)
    record = take(world.wait("1:00"), 1, 0).records[-1]
    assert record.event == BreakStartedEvent(Pair(1, 0), 5 * MINUTE_NS)
    assert record.at_ns == world.now_ns
    assert (record.left_ns, record.right_ns) == (1312 * SECOND_NS, 1302 * SECOND_NS)
    assert (record.phase, record.running) == (Phase.BREAK, None)


@pytest.mark.rule("R57", "R58")
@pytest.mark.parametrize("side", Side)
def test_plungers_are_locked_in_a_break(side: Side) -> None:
    """EBF 4.3(ii)(b): a press starts no clock, and the director can read that there was one."""
    world = take(between_games(), 1, 0)
    stood = world.state
    world.press(side, "2:00")
    assert last(world) == PressedEvent(Button(side.value), accepted=False, why="break")
    assert world.records[-1].at_ns == world.now_ns
    assert world.state == stood.replace(at_ns=world.now_ns)
    world.wait("2:00")
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (1320 * SECOND_NS, 1320 * SECOND_NS)


@pytest.mark.rule("R58")
def test_the_director_sets_times_in_a_break() -> None:
    """EBF 4.3(ii)(b): if the clock ran, he sets it by his best estimate."""
    world = take(between_games(), 1, 0)
    world.act(TimeSet, side=LEFT, new_ns=600 * SECOND_NS, why="best_estimate")
    assert world.phase is Phase.BREAK
    assert world.reserve_ns(LEFT) == 600 * SECOND_NS


@pytest.mark.rule("R55", "R52")
@pytest.mark.parametrize("profile", ["ebf", "dbgf"])
def test_a_best_of_three_has_breaks_between_its_matches_only(profile: str) -> None:
    """EBF and DBgF 2.2(ii): not between games; between matches, one a player for each match."""
    world = between_games(profile, length=3, best_of_three=True)
    take(world, 1, 0)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    game(world, LEFT, 2)
    assert world.state.legs == Pair(1, 0)
    take(world, 1, 1)
    assert last(world) == BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)
    world.centre("5:00")
    take(world, 1, 0)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    game(world, RIGHT)
    take(world, 1, 0)
    assert (world.phase, last(world)) == (Phase.READY, NO_BREAK)
    game(world, RIGHT, 2)
    take(world, 1, 1)
    assert last(world) == BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)


# --- lateness ---------------------------------------------------------------------------------


@pytest.mark.rule("R59", "R61")
@pytest.mark.parametrize(
    ("profile", "award"),
    [("ebf", "may"), ("dbgf", "shall"), ("us", "shall"), ("us-doubles", "shall"), ("jbs", "shall")],
)
def test_a_point_for_every_five_minutes(profile: str, award: str) -> None:
    """EBF 2.2(iv): a point may be given after 5 minutes and after every 5; DBgF: shall be given."""
    world = World.ready(profile).wait("1:00").act(AbsenceNoted, side=RIGHT)
    due_ns = world.now_ns
    assert last(world) == LateEvent(RIGHT, 0, award, "director", forfeits=False)
    world.wait(5 * MINUTE_NS - 1)
    assert len(late(world)) == 1
    world.wait("10:30")
    assert late(world)[1:] == [
        (due_ns + step * 5 * MINUTE_NS, LateEvent(RIGHT, step, award, "clock", forfeits=False))
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
    """EBF 2.2(iv), NBgF 2-2-4: 5 minutes after what was allowed; who is missing, it cannot know."""
    world = take(between_games(), 1, 1)
    since_ns = world.now_ns
    world.wait("14:59")
    assert late(world) == []
    world.wait("5:01")
    assert late(world) == [
        (since_ns + 15 * MINUTE_NS, LateEvent(None, 1, "may", "clock", forfeits=False)),
        (since_ns + 20 * MINUTE_NS, LateEvent(None, 2, "may", "clock", forfeits=False)),
    ]
    world.centre()
    assert last(world) == BreakEndedEvent(20 * MINUTE_NS)
    assert world.wait("30:00").phase is Phase.READY
    assert len(late(world)) == 2


@pytest.mark.rule("R59")
def test_both_players_may_be_late() -> None:
    """EBF 2.2(iv): each has a count of his own, from when he was noted absent."""
    world = World().act(AbsenceNoted, side=LEFT).wait("2:00").act(AbsenceNoted, side=RIGHT)
    world.wait("8:00")
    assert [(at_ns // MINUTE_NS, event.side, event.points) for at_ns, event in late(world)[2:]] == [
        (5, LEFT, 1),
        (7, RIGHT, 1),
        (10, LEFT, 2),
    ]


@pytest.mark.rule("R59")
@pytest.mark.parametrize("arrives", ["confirms", "opening roll"])
def test_who_has_come_is_no_longer_late(arrives: str) -> None:
    """DBgF 2.2(iv): the count ends when he has come and begun."""
    world = World() if arrives == "confirms" else World.ready()
    world.act(AbsenceNoted, side=LEFT).wait("6:00").press(LEFT)
    assert world.state.players[LEFT].absence is None
    written = len(late(world))
    world.wait("4:00")
    assert len(late(world)) == written
    assert world.state.players[LEFT].absence is None


@pytest.mark.rule("R60")
@pytest.mark.parametrize(
    ("length", "points"), [(5, 3), (7, 4), (8, 5), (9, 5), (11, 6), (15, 8), (17, 9)]
)
@pytest.mark.parametrize("profile", ["ebf", "dbgf"])
def test_more_points_than_half_the_length_lose_the_match(
    profile: str, length: int, points: int
) -> None:
    """EBF and DBgF 2.2(iv): at 5 minutes a point; proposed, and the match goes on."""
    world = World.ready(profile, length=length).act(AbsenceNoted, side=LEFT).wait("1:00:00")
    forfeits = [event.forfeits for _, event in late(world)[1:]]
    assert forfeits == [step >= points for step in range(1, 13)]
    assert world.phase is Phase.READY


@pytest.mark.rule("R60", "R59")
def test_points_given_before_count_towards_the_forfeit() -> None:
    """EBF 2.2(iv): with 4 points received, the second for lateness is the sixth of 11."""
    world = World.ready().act(PointsAwarded, side=LEFT, points=4, why="slow_play")
    world.act(AbsenceNoted, side=LEFT).wait("10:00")
    assert [event.forfeits for _, event in late(world)] == [False, False, True]


@pytest.mark.rule("R60", "R59")
def test_a_point_for_lateness_counts_once() -> None:
    """EBF 2.2(iv): given while he is away, a point is not counted again when it is proposed."""
    world = World.ready(length=5).act(AbsenceNoted, side=LEFT).wait("5:00")
    world.act(PointsAwarded, side=LEFT, points=1, why="late").wait("5:00")
    assert late(world)[-1][1].forfeits is False  # two points of five
    world.wait("5:00")
    assert late(world)[-1][1].forfeits is True  # three points of five


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
    assert msgspec.to_builtins(last(world)).get("forfeits") is forfeits
    assert world.phase is Phase.READY


@pytest.mark.rule("R61", "R62")
@pytest.mark.parametrize("profile", ["nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"])
def test_in_norway_the_director_is_called_after_five_minutes(profile: str) -> None:
    """NBgF 2-2-4: no points; after 5 minutes his clock is to be started, and that is said once."""
    world = World.ready(profile).act(AbsenceNoted, side=LEFT).wait("30:00")
    assert late(world) == [
        (0, LateEvent(LEFT, 0, "start-clock", "director", forfeits=False)),
        (5 * MINUTE_NS, LateEvent(LEFT, 0, "start-clock", "clock", forfeits=False)),
    ]
    assert world.state.score == Pair(0, 0)


@pytest.mark.rule("R61", "R62")
def test_in_norway_the_director_is_called_after_a_break_too() -> None:
    """NBgF 2-2-4: 5 minutes after the break, once."""
    world = take(between_games("nbgf"), 1, 0).wait("30:00")
    assert late(world) == [
        (10 * MINUTE_NS, LateEvent(None, 0, "start-clock", "clock", forfeits=False))
    ]


@pytest.mark.rule("R63")
@pytest.mark.parametrize("profile", ["ebf", "nbgf", "us"])
@pytest.mark.parametrize(
    ("lateness", "steps"), [(Lateness.POINTS, 4), (Lateness.START_CLOCK, 1), (Lateness.NONE, 0)]
)
def test_the_policy_of_lateness_can_be_chosen(lateness: Lateness, steps: int, profile: str) -> None:
    """WBGF 2023: points, the clock, or nothing, under any profile; after a break too."""
    world = World.ready(profile, lateness=lateness).act(AbsenceNoted, side=LEFT).wait("20:00")
    assert len(late(world)) == 1 + steps
    world = take(between_games(profile, lateness=lateness, break_ns=MINUTE_NS), 1, 0).wait("21:00")
    assert len(late(world)) == steps
    if lateness is Lateness.NONE:
        assert next_deadline(world.state) is None


@pytest.mark.rule("R59", "R63")
def test_the_step_of_lateness_can_be_chosen() -> None:
    """EBF 2.2(iii): a director's own time structure."""
    world = World.ready(late_step_ns=3 * MINUTE_NS).act(AbsenceNoted, side=LEFT).wait("10:00")
    assert [at_ns for at_ns, _ in late(world)] == [0, *(n * 3 * MINUTE_NS for n in (1, 2, 3))]


# --- penalty and bonus points -----------------------------------------------------------------


@pytest.mark.rule("R60", "R59")
@pytest.mark.parametrize("offender", Side)
def test_penalty_points_go_to_the_opponent(offender: Side) -> None:
    """A3, A15: offender and beneficiary stand in the log apart, with the score they led to."""
    world = World.ready().act(PointsAwarded, side=offender, points=2, why="late")
    score = Pair(0, 0).put(offender.other, 2)
    assert last(world) == PenaltyEvent(offender, offender.other, 2, "late", score)
    assert world.state.score == score
    assert world.state.players[offender].penalty_points == 2
    assert world.state.players[offender.other].penalty_points == 0


@pytest.mark.rule("R60")
def test_penalty_points_may_not_count_as_points() -> None:
    """A15: `penalty_points_score` off: they are counted, the score is not touched."""
    world = World.ready(penalty_points_score=False)
    world.act(PointsAwarded, side=LEFT, points=2, why="late")
    assert last(world) == PenaltyEvent(LEFT, RIGHT, 2, "late", Pair(0, 0))
    assert world.state.score == Pair(0, 0)
    assert world.state.players[LEFT].penalty_points == 2


@pytest.mark.rule("R64")
def test_a_bonus_point_is_no_penalty() -> None:
    """NBgF 2-3-1: it counts in the match whatever penalty points do, and for no forfeit."""
    world = World.ready("nbgf", penalty_points_score=False)
    world.act(PointsAwarded, side=LEFT, points=1, why="bonus")
    assert last(world) == PenaltyEvent(LEFT, RIGHT, 1, "bonus", Pair(0, 1))
    assert world.state.players[LEFT].penalty_points == 0


@pytest.mark.rule("R64", "R72")
@pytest.mark.parametrize("phase", [Phase.STOPPED, Phase.GAME_OVER])
@pytest.mark.parametrize("why", ["bonus", "late"])
def test_a_point_in_mid_game_leaves_its_crawford_status(why: str, phase: Phase) -> None:
    """NBgF 2-3-1: the running game stays what it was; the next one is the Crawford game."""
    world = World.ready("nbgf", length=7, score=(5, 3)).press(RIGHT).centre("0:20")
    if phase is Phase.GAME_OVER:
        world.choose(Reason.GAME_OVER).centre()
    world.act(PointsAwarded, side=RIGHT, points=1, why=why)
    assert (world.phase, world.state.score) == (phase, Pair(6, 3))
    assert world.state.crawford is BEFORE
    if phase is Phase.STOPPED:
        world.centre().score_game(RIGHT)
    else:
        world.press(RIGHT).centre()
    assert (world.state.score, world.state.crawford) == (Pair(6, 4), NOW)


@pytest.mark.rule("R64", "R72")
def test_a_point_in_the_crawford_game_leaves_it_the_crawford_game() -> None:
    """NBgF 2-3-1: it is still the Crawford game, and the next is after it."""
    world = World.ready("nbgf", length=7, score=(6, 3)).press(RIGHT).centre("0:20")
    world.act(PointsAwarded, side=LEFT, points=1, why="bonus")
    assert world.state.crawford is NOW
    world.centre().score_game(RIGHT)
    assert (world.state.score, world.state.crawford) == (Pair(6, 5), DONE)


@pytest.mark.rule("R72", "R64")
@pytest.mark.parametrize("phase", [Phase.REVIEW, Phase.READY, Phase.BREAK])
@pytest.mark.parametrize("why", ["bonus", "late"])
def test_a_point_between_games_can_make_the_next_the_crawford_game(why: str, phase: Phase) -> None:
    """EBF 4.4(iv): the game about to begin is the first in which LEFT is one point away."""
    match phase:
        case Phase.REVIEW:
            world = World(World.ready("nbgf", length=7, score=(5, 3)).state.settings)
        case Phase.READY:
            world = World.ready("nbgf", length=7, score=(5, 3))
        case _:
            world = take(World.ready("nbgf", length=7, score=(5, 3)), 1, 0)
    assert world.phase is phase
    world.act(PointsAwarded, side=RIGHT, points=1, why=why)
    assert world.state.score == Pair(6, 3)
    assert world.state.crawford is NOW


@pytest.mark.rule("R64", "R60")
@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPED, Phase.GAME_OVER, Phase.BREAK])
def test_points_given_can_decide_the_match(phase: Phase) -> None:
    """NBgF 2-3-1: bonus points may decide the match, in a game, after it and between games."""
    world = World.ready("nbgf", score=(10, 4))
    if phase is Phase.BREAK:
        take(world, 1, 0)
    elif phase is not Phase.READY:
        world.press(RIGHT).centre("0:20")
        if phase is Phase.GAME_OVER:
            world.choose(Reason.GAME_OVER).centre()
    assert world.phase is phase
    world.act(PointsAwarded, side=RIGHT, points=1, why="bonus").wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, LEFT)
    assert last(world) == MatchOverEvent(LEFT, "score", Pair(11, 4), [])


# --- best of three ----------------------------------------------------------------------------


def series() -> World:
    """A best of three to 3 points, at the first opening roll."""
    return World.ready(length=3, best_of_three=True)


@pytest.mark.rule("R77", "R72")
def test_two_matches_of_three_decide() -> None:
    """Each match has its points and its Crawford game; two won matches win."""
    world = game(game(series(), LEFT, 2), RIGHT)
    assert world.state.crawford is DONE
    game(world, LEFT)
    assert last(world) == GameOverEvent(LEFT, 1, Pair(0, 0), Pair(1, 0), False, "match_ends")
    assert (world.phase, world.state.crawford) == (Phase.READY, BEFORE)
    game(world, RIGHT, 2)
    assert world.state.crawford is NOW
    game(world, RIGHT)
    assert (world.phase, world.state.legs) == (Phase.READY, Pair(1, 1))
    game(world, RIGHT, 4)
    assert world.state.legs == Pair(1, 2)
    assert last(world) == MatchOverEvent(RIGHT, "score", Pair(0, 4), [])
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)


@pytest.mark.rule("R77")
def test_two_matches_in_a_row_are_enough() -> None:
    """There is no third match when two are won."""
    world = game(game(series(), RIGHT, 3), RIGHT, 3)
    assert (world.phase, world.state.legs) == (Phase.FINISHED, Pair(0, 2))


@pytest.mark.rule("R77", "R41")
def test_each_match_of_three_begins_with_everything_anew() -> None:
    """EBF 3.5(vi): full banks at 0-0, and nothing owed from the match before."""
    world = series().act(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT)
    world.press(LEFT, "0:20").press(RIGHT, "0:40").score_game(RIGHT, 3)
    assert world.state.legs == Pair(0, 1)
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (360 * SECOND_NS, 360 * SECOND_NS)
    assert world.state.flags_down == 0
    assert (world.state.score, world.state.games) == (Pair(0, 0), 0)
    assert breaks_left(world.state) == Pair(1, 1)
    world.press(LEFT)
    assert world.state.running is RIGHT


@pytest.mark.rule("R77", "R64")
@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPED])
def test_points_given_can_decide_a_match_of_three(phase: Phase) -> None:
    """A15: points of any kind count in the match in which they were given."""
    world = game(series(), LEFT, 2)
    if phase is Phase.STOPPED:
        world.press(RIGHT).centre("0:20")
    world.act(PointsAwarded, side=RIGHT, points=1, why="late").wait(0)
    assert (world.state.legs, world.state.score) == (Pair(1, 0), Pair(0, 0))
    assert (world.phase, world.state.turn) == (Phase.READY, None)


@pytest.mark.rule("R78", "R77")
@pytest.mark.parametrize("how", ["points", "score"])
def test_a_hold_ends_with_the_match_it_was_in(how: str) -> None:
    """EBF 5.1: decided by the director, the next match is nobody's dispute any more."""
    world = game(series(), LEFT, 2).press(RIGHT).wait("0:20").stop_for(Reason.TIME_EXPIRED)
    if how == "points":
        world.act(PointsAwarded, side=RIGHT, points=1, why="late")
    else:
        world.act(ScoreSet, side=LEFT, points=3)
    assert (world.phase, world.state.legs) == (Phase.READY, Pair(1, 0))
    world.press(RIGHT, "2:00").centre("0:05").centre("0:05")
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    assert not world.state.held


@pytest.mark.rule("R65", "R77")
def test_a_shortened_match_of_three_can_be_decided() -> None:
    """NBgF 2-3-1: shortening may decide the match, and so begin the next."""
    world = game(World.ready("nbgf", length=5, best_of_three=True), LEFT, 4)
    world.act(MatchShortened).wait(0)
    assert (world.phase, world.state.legs, world.state.score) == (
        Phase.READY,
        Pair(1, 0),
        Pair(0, 0),
    )


@pytest.mark.rule("R43", "R77")
def test_a_match_of_three_lost_on_time_is_one_match() -> None:
    """EBF 4.3(iii): who runs out of time loses the match, not the two after it."""
    world = series().act(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT)
    world.wait("0:20").stop_for(Reason.TIME_EXPIRED).act(MatchEnded, winner=RIGHT, why="time")
    world.wait(0)
    assert world.state.legs == Pair(0, 1)
    assert world.phase is Phase.READY
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (360 * SECOND_NS, 360 * SECOND_NS)


@pytest.mark.rule("R44", "R77")
def test_a_flag_that_nobody_announced_is_noted_in_a_match_of_three_too() -> None:
    """EBF 4.3(iii): the match is decided by its score; the record of its end names the flag."""
    world = series().act(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT)
    world.wait("0:20").score_game(LEFT, 3)
    assert world.state.legs == Pair(1, 0)
    assert msgspec.to_builtins(last(world)).get("unclaimed_flags") == ["left"]
