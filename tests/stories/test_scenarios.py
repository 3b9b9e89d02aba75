"""Whole matches, told as they are played; each story is one federation's."""

import pytest

from clock.match.events import (
    AdjustedEvent,
    BreakEndedEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    FreeTurnEvent,
    GameOverEvent,
    LateEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    OvertimeEvent,
    PressedEvent,
    ReasonChosenEvent,
    ResumedEvent,
    StoppedEvent,
)
from clock.match.inputs import (
    AbsenceNoted,
    AbsentClockStarted,
    BanksReset,
    BreakTaken,
    ClockRemoved,
    MatchEnded,
    ScoreSet,
    TimeSet,
    TurnResumed,
)
from clock.match.rules import Reason
from clock.match.types import Button, Crawford, Pair, Phase, ResumeWith
from clock.units import MINUTE_NS
from tests.support.world import LEFT, RIGHT, SECOND_NS, World

DELAY_NS = 12 * SECOND_NS


def seconds(world: World) -> tuple[int, int]:
    """Both reserves in seconds; these stories use whole ones."""
    left_ns, right_ns = world.reserve_ns(LEFT), world.reserve_ns(RIGHT)
    assert left_ns % SECOND_NS == right_ns % SECOND_NS == 0
    return left_ns // SECOND_NS, right_ns // SECOND_NS


def told(world: World) -> list[str]:
    """The story as the log has it: the names of its events."""
    return [type(record.event).__name__.removesuffix("Event") for record in world.records]


@pytest.mark.rule("R15", "R19", "R23", "R27", "R31", "R38", "R40", "R43", "R56", "R72", "R77")
def test_seven_points_in_solothurn_with_a_crawford_game_and_a_claimed_flag() -> None:
    """EBF: 7 points; an early pick-up, an illegal move, a break, Crawford, and time runs out."""
    # Both look at the settings, confirm them, and roll for the first move.
    world = World(World.ready(length=7).state.settings).press(LEFT).press(RIGHT, "0:02")
    world.centre("0:03")
    assert seconds(world) == (840, 840)

    # RIGHT rolled the lower number. RIGHT presses, and LEFT moves.
    world.press(RIGHT, "0:09")
    world.press(LEFT, "0:07").press(RIGHT, "0:31").press(LEFT, "0:12")
    assert seconds(world) == (840, 821)

    # RIGHT doubles, LEFT thinks for a minute and takes, RIGHT rolls.
    world.press(RIGHT, "0:04").press(LEFT, "1:00")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, DELAY_NS, 792, 821)

    # LEFT picks the dice up too early. RIGHT stops, they agree; RIGHT moves off the clock.
    world.centre("0:15").choose(Reason.EARLY_PICKUP).centre("0:20")
    assert world.last() == FreeTurnEvent(Reason.EARLY_PICKUP, RIGHT)
    world.press(RIGHT, "0:40")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (LEFT, 0, 792, 818)
    world.press(LEFT, "0:05")
    assert seconds(world) == (787, 818)

    # RIGHT says that this move was illegal. It was: LEFT waits, moves and presses.
    world.centre("0:06").choose(Reason.ILLEGAL_MOVE).centre("0:30")
    assert world.last() == ResumedEvent(Reason.ILLEGAL_MOVE, LEFT, ResumeWith.WAIT, "centre")
    world.press(LEFT, "0:10")
    assert world.last() == PressedEvent(Button.LEFT, accepted=False, why="must_wait")
    world.press(LEFT, "0:06")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, DELAY_NS, 783, 818)

    # A die leans on a checker, 2 s after RIGHT's delay. The delay restarts; the 2 s stay used.
    world.centre("0:14").choose(Reason.INVALID_ROLL).centre()
    assert (world.delay_ns, *seconds(world)) == (DELAY_NS, 783, 816)

    # RIGHT redoubles; LEFT drops and stops the clock: 2 points for RIGHT.
    world.press(RIGHT, "0:03").score_game(RIGHT, 2)
    assert world.last() == GameOverEvent(RIGHT, 2, Pair(0, 2), Pair(0, 0), False, None)

    # They take both their breaks together, and are back in time.
    world.give(BreakTaken(world.now_ns, Pair(1, 1))).centre("9:59")
    assert world.events(BreakStartedEvent) == [BreakStartedEvent(Pair(1, 1), 10 * MINUTE_NS)]
    assert world.last() == BreakEndedEvent(599 * SECOND_NS)

    # A gammon with the cube on 2 brings RIGHT to 6: the next game is the Crawford game.
    world.press(LEFT).score_game(RIGHT, 4)
    assert world.last() == GameOverEvent(RIGHT, 4, Pair(0, 6), Pair(0, 0), True, None)

    # LEFT wins it, and the cube is back.
    world.press(RIGHT).press(LEFT, "3:15").score_game(LEFT, 1)
    assert (world.state.crawford, *seconds(world)) == (Crawford.DONE, 600, 816)

    # LEFT thinks for ten minutes. The flag falls unnoticed; 25 s later RIGHT announces it.
    world.press(RIGHT).wait("10:12")
    assert world.last() == FlagFellEvent(LEFT, 1, None)
    world.press(LEFT, "0:10").press(RIGHT, "0:03").wait("0:27").centre()
    assert world.last() == StoppedEvent(Reason.UNSPECIFIED, LEFT)
    world.press(LEFT).centre()
    assert world.last() == FlagClaimedEvent(LEFT, 25 * SECOND_NS)

    # Only the director can do anything now: LEFT has lost the match.
    world.centre()
    assert world.last() == PressedEvent(Button.CENTRE, accepted=False, why="director_needed")
    world.act(MatchEnded, winner=RIGHT, why="time")
    assert world.last() == MatchOverEvent(RIGHT, "time", Pair(1, 6), [])
    assert (world.phase, *seconds(world)) == (Phase.FINISHED, 0, 816)


@pytest.mark.rule("R29", "R33", "R35", "R37", "R46", "R61", "R62", "R78")
def test_eleven_points_in_norway_with_an_absent_player_a_free_turn_and_gin_denied() -> None:
    """NBgF: RIGHT comes late, LEFT gets a free turn, gin is denied, and both flags fall."""
    # The match is due, RIGHT is not there. After 5 minutes the director starts RIGHT's clock.
    world = World.ready("nbgf").act(AbsenceNoted, side=RIGHT).wait("5:00")
    assert world.last() == LateEvent(RIGHT, 0, "start-clock", "clock", forfeits=False)
    world.act(AbsentClockStarted, side=RIGHT).wait("2:12")

    # RIGHT comes. The director stops the clock and they roll; RIGHT rolled the lower number.
    world.centre()
    assert (world.phase, *seconds(world)) == (Phase.READY, 1320, 1200)
    world.press(RIGHT, "0:20").press(LEFT, "0:08")

    # RIGHT takes the dice up and presses: LEFT stops, rolls and moves without a clock.
    world.press(RIGHT, "0:10").centre("0:04").choose(Reason.DICE_TAKEN).centre("0:10")
    assert world.last() == FreeTurnEvent(Reason.DICE_TAKEN, LEFT)
    world.press(LEFT, "1:30")
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, DELAY_NS, 1320, 1200)

    # A die falls to the floor. The clock stands until it is found.
    world.centre("0:05").choose(Reason.DIE_ON_FLOOR).centre("1:00")
    assert (world.state.running, world.delay_ns) == (RIGHT, 7 * SECOND_NS)
    world.press(RIGHT, "0:05")

    # LEFT moved wrongly. RIGHT stops; LEFT's clock restarts and LEFT moves at once.
    world.press(LEFT, "0:11").centre("0:02").choose(Reason.ILLEGAL_MOVE).centre("0:15")
    assert world.last() == ResumedEvent(Reason.ILLEGAL_MOVE, LEFT, ResumeWith.FULL, "centre")
    world.press(LEFT, "0:03")

    # In their own turn RIGHT says that the game is decided. LEFT does not agree: the director.
    world.wait("0:22").stop_for(Reason.NOT_DECIDED)
    assert world.last() == ReasonChosenEvent(Reason.NOT_DECIDED)
    assert (world.state.held, *seconds(world)) == (True, 1320, 1190)

    # It is not decided. LEFT was right and gets two minutes; RIGHT's turn goes on.
    world.act(TimeSet, side=LEFT, new_ns=1440 * SECOND_NS, why="not_decided")
    assert world.last() == AdjustedEvent(
        LEFT, 1320 * SECOND_NS, 1440 * SECOND_NS, "not_decided", flag_cleared=False
    )
    world.act(TurnResumed, side=RIGHT, delay=ResumeWith.REST)
    assert (world.state.running, world.delay_ns, *seconds(world)) == (RIGHT, 0, 1440, 1190)

    # LEFT wins the game with a backgammon. Much later it is 8-9, and both flags are down.
    world.press(RIGHT, "0:30").score_game(LEFT, 3)
    assert (world.state.score, *seconds(world)) == (Pair(3, 0), 1440, 1160)
    world.act(ScoreSet, side=LEFT, points=8).act(ScoreSet, side=RIGHT, points=9)
    world.press(RIGHT).press(LEFT, "24:15").wait("19:40")
    assert world.events(FlagFellEvent) == [
        FlagFellEvent(LEFT, 1, None),
        FlagFellEvent(RIGHT, 2, (3 + 1172) * SECOND_NS),
    ]

    # It is not known which fell first: the director resets both banks.
    world.stop_for(Reason.TIME_EXPIRED).act(BanksReset)
    assert world.last() == CorrectedEvent(
        "banks", None, [0, 0], [300 * SECOND_NS, 300 * SECOND_NS], flag_cleared=True
    )
    world.act(TurnResumed, side=RIGHT, delay=ResumeWith.FULL).press(RIGHT, "0:13")
    assert seconds(world) == (300, 299)
    world.score_game(RIGHT, 2)
    assert world.last() == MatchOverEvent(RIGHT, "score", Pair(8, 11), [])


@pytest.mark.rule("R23", "R36", "R44", "R49", "R54", "R76")
def test_five_points_in_the_united_states_with_overtime() -> None:
    """US: both players use their overtime, one flag falls and is not announced."""
    world = World.ready("us", length=5, overtime_ns=60 * SECOND_NS).press(LEFT)
    assert seconds(world) == (600, 600)

    # RIGHT thinks for 10:30 about the first move: 18 s of the overtime are used.
    world.press(RIGHT, "10:30")
    assert world.events(OvertimeEvent) == [OvertimeEvent(RIGHT, 0, 60 * SECOND_NS, "clock")]
    assert seconds(world) == (600, 42)

    # LEFT claims that it is over; RIGHT does not agree; LEFT plays on with the time left.
    world.centre("0:08").choose(Reason.NOT_DECIDED).centre("0:30")
    assert (world.state.running, world.delay_ns) == (LEFT, 4 * SECOND_NS)

    # RIGHT picks up the dice and forfeits the next turn's delay.
    world.stop_for(Reason.EARLY_PICKUP).press(LEFT, "0:20").press(RIGHT, "0:07")
    assert (world.state.running, *seconds(world)) == (LEFT, 600, 35)

    # LEFT wins a gammon. They take ten minutes off.
    world.score_game(LEFT, 2).give(BreakTaken(world.now_ns, Pair(0, 1))).centre("10:00")
    assert world.last() == BreakEndedEvent(600 * SECOND_NS)

    # In the second game LEFT's reserve goes too; the overtime of a minute is left.
    world.press(RIGHT).press(LEFT, "10:22")
    assert world.last() == PressedEvent(Button.LEFT, accepted=True, why=None)
    assert world.events(OvertimeEvent)[-1] == OvertimeEvent(LEFT, 0, 60 * SECOND_NS, "clock")
    assert seconds(world) == (50, 35)

    # RIGHT's 35 s run out. This flag is final, but LEFT is looking at the board.
    world.press(RIGHT, "0:50")
    assert world.events(FlagFellEvent) == [FlagFellEvent(RIGHT, 1, None)]
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)

    # RIGHT wins the game, and with it the match: 5 points. The log remarks on the flag.
    world.score_game(RIGHT, 6)
    assert world.events(GameOverEvent)[-1] == GameOverEvent(
        RIGHT, 6, Pair(2, 6), Pair(0, 1), False, "match_ends_drop"
    )
    assert world.last() == MatchOverEvent(RIGHT, "score", Pair(2, 6), [RIGHT])


@pytest.mark.rule("R38", "R42", "R43", "R45", "R74", "R16")
def test_both_flags_down_in_denmark() -> None:
    """DBgF: both flags are down when somebody looks; the rest is played without a clock."""
    world = World.ready("dbgf", length=3).press(RIGHT)
    assert seconds(world) == (360, 360)
    world.press(LEFT, "6:00").press(RIGHT, "6:05")
    assert seconds(world) == (12, 7)

    # LEFT's flag falls and LEFT moves; 22 s after it RIGHT's falls too.
    world.press(LEFT, "0:27").wait("0:20")
    assert [(record.at_ns, record.event) for record in world.records[-2:]] == [
        (752 * SECOND_NS, PressedEvent(Button.LEFT, accepted=True, why=None)),
        (771 * SECOND_NS, FlagFellEvent(RIGHT, 2, 22 * SECOND_NS)),
    ]

    # LEFT presses by mistake: it is not LEFT's turn. Then they look at the clock.
    world.press(LEFT)
    assert world.last() == PressedEvent(Button.LEFT, accepted=False, why="not_on_move")
    world.stop_for(Reason.TIME_EXPIRED)
    assert world.last() == FlagClaimedEvent(LEFT, 3 * SECOND_NS)

    # The director lets them play on without a clock, and keeps the score.
    world.act(ClockRemoved).press(RIGHT, "9:00").press(LEFT, "9:00")
    assert world.last() == PressedEvent(Button.LEFT, accepted=False, why="no_clock")
    world.act(ScoreSet, side=RIGHT, points=1).act(ScoreSet, side=RIGHT, points=3).wait(0)
    assert world.last() == MatchOverEvent(RIGHT, "corrected", Pair(0, 3), [])
    assert seconds(world) == (0, 0)


@pytest.mark.rule("R20")
def test_a_short_story_is_told_in_full() -> None:
    """The log has one line for each thing that happened, in its order, and no other."""
    world = World(World.ready(length=1).state.settings).press(LEFT).press(RIGHT).centre()
    world.press(RIGHT).press(RIGHT).press(LEFT, "0:20").centre().centre().score_game(RIGHT)
    assert told(world) == [
        *("MatchOpened", "Confirmed", "Confirmed", "Confirmed"),
        *("Pressed", "Pressed", "Pressed", "Stopped", "Resumed"),
        *("Stopped", "ReasonShown", "ReasonChosen", "Pressed", "GameOver", "MatchOver"),
    ]
    assert isinstance(world.records[0].event, MatchOpenedEvent)
    assert world.events(ConfirmedEvent)[-1] == ConfirmedEvent("centre")
