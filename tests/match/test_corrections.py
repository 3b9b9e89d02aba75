"""The director's corrections of times, score, length, sides and breaks."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from clock.match.events import (
    AdjustedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    MatchOverEvent,
    OvertimeEvent,
    PenaltyEvent,
    WarnedEvent,
    swaps_sides,
)
from clock.match.inputs import (
    BreaksSet,
    BreakTaken,
    ClockRemoved,
    CrawfordSet,
    DelayRuled,
    FlagSet,
    LengthSet,
    MatchEnded,
    MatchShortened,
    NamesSet,
    OvertimeGranted,
    PointsAwarded,
    Reopened,
    ScoreSet,
    SidesSwapped,
    TimesBegun,
    TimeSet,
    Undone,
)
from clock.match.machine import changes_nothing
from clock.match.rules import Reason, RulingReason
from clock.match.state import Flag
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.units import MINUTE_NS
from lab.support.phases import PHASES, in_phase
from lab.support.world import (
    BANK_NS,
    DELAY_NS,
    LEFT,
    RIGHT,
    SECOND_NS,
    World,
    match_settings,
    refused,
)

BEFORE, NOW, DONE, UNKNOWN = Crawford
REST, FULL, WAIT = ResumeWith.REST, ResumeWith.FULL, ResumeWith.WAIT


# --- times ------------------------------------------------------------------------------------


@pytest.mark.rule("R66")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("new_ns", [0, 1, 90 * SECOND_NS, 2 * BANK_NS])
def test_a_time_is_set(new_ns: int, side: Side) -> None:
    """EBF 4.3(iv): one side's reserve, old, new and why; the other side's is untouched."""
    world = World.stopped()
    old = Pair(BANK_NS - 8 * SECOND_NS, BANK_NS)
    world.input_once(TimeSet, side=side, new_ns=new_ns, why="restored")
    assert world.last() == AdjustedEvent(side, old[side], new_ns, "restored", flag_cleared=False)
    assert Pair(*world.reserves()) == old.put(side, new_ns)
    assert world.phase is Phase.STOPPED
    record = world.records[-1]
    assert Pair(record.left_ns, record.right_ns) == old.put(side, new_ns)


@pytest.mark.rule("R66")
def test_a_negative_time_is_refused() -> None:
    world = World.stopped()
    world.input_once(TimeSet, side=LEFT, new_ns=-1, why="time_penalty")
    assert world.last() == refused("negative_time")
    assert world.reserves() == (BANK_NS - 8 * SECOND_NS, BANK_NS)


@pytest.mark.rule("R132")
def test_in_practice_a_time_may_be_below_zero() -> None:
    world = World(replace(match_settings(), practice=True)).press(LEFT).press(RIGHT).centre()
    world.input_once(TimeSet, side=LEFT, new_ns=-SECOND_NS, why="restored")
    assert world.last() == AdjustedEvent(LEFT, BANK_NS, -SECOND_NS, "restored", False)
    assert world.reserves() == (-SECOND_NS, BANK_NS)


@pytest.mark.rule("R66")
def test_one_nanosecond_is_time() -> None:
    """A reserve of so much has no flag down; less than that is no overtime."""
    world = World.stopped().input(FlagSet, side=LEFT, order=1)
    world.input_once(TimeSet, side=LEFT, new_ns=1, why="restored")
    assert world.last() == AdjustedEvent(LEFT, BANK_NS - 8 * SECOND_NS, 1, "restored", True)
    assert world.state.flags_down == 0
    world.input_once(OvertimeGranted, side=LEFT, granted_ns=0)
    assert world.last() == refused("negative_time")
    world.input_once(OvertimeGranted, side=LEFT, granted_ns=1)
    assert world.last() == OvertimeEvent(LEFT, 1, 2, "director")


@pytest.mark.rule("R130")
def test_the_reason_for_beginning_times_is_recorded() -> None:
    """EBF 2.3(i)(b): both players get the bank that the formula gives at this score."""
    settings = match_settings()
    world = World(replace(settings, rules=settings.rules.at_pace()))
    world.input(TimesBegun, reason=RulingReason.SLOW_PLAY)
    event = world.last()
    assert isinstance(event, CorrectedEvent)
    assert (event.adjusted_ns, event.reason) == (BANK_NS, RulingReason.SLOW_PLAY)


@pytest.mark.rule("R66", "R41")
@pytest.mark.parametrize("order", [1, 2])
def test_a_flag_is_entered_and_cleared(order: int) -> None:
    """EBF 3.7(ii): the flags of a clock that was replaced, in their order; old and new."""
    world = World.ready().input_once(FlagSet, side=RIGHT, order=order)
    assert world.last() == CorrectedEvent("flag", RIGHT, 0, order)
    assert world.state.players[RIGHT].flag == Flag(order, None)
    assert world.state.players[LEFT].flag is None
    world.input_once(FlagSet, side=RIGHT, order=0)
    assert world.last() == CorrectedEvent("flag", RIGHT, order, 0, flag_cleared=True)
    assert world.state.flags_down == 0


@pytest.mark.rule("R49", "R66")
@pytest.mark.parametrize(("profile", "warning"), [("us", 0), ("usbgf", 1)])
def test_overtime_is_granted_by_hand(profile: str, warning: int) -> None:
    """USBGF: the record has the reserve before and after; a flag is cleared, with one warning."""
    world = World.running(LEFT, profile).wait("30:00").centre()
    for count in (warning, 0):
        world.input(TimeSet, side=LEFT, new_ns=0, why="restored").input(FlagSet, side=LEFT, order=1)
        world.input_once(OvertimeGranted, side=LEFT, granted_ns=MINUTE_NS)
        granted = OvertimeEvent(LEFT, 0, MINUTE_NS, "director", flag_cleared=True, warning=count)
        assert (world.last(), world.state.players.left.warnings) == (granted, warning)
    assert world.reserves() == (MINUTE_NS, BANK_NS)
    assert world.state.flags_down == 0
    world.input_once(OvertimeGranted, side=RIGHT, granted_ns=MINUTE_NS)
    assert world.last() == OvertimeEvent(RIGHT, BANK_NS, BANK_NS + MINUTE_NS, "director")
    assert [player.overtime_used for player in world.state.players] == [True, True]


@pytest.mark.rule("R24", "R66")
@pytest.mark.parametrize(
    ("ruled", "delay_ns", "waits"),
    [
        (NextDelay.SKIP, 0, False),
        (NextDelay.WAIT, DELAY_NS, True),
        (NextDelay.FULL, DELAY_NS, False),
    ],
)
def test_the_delay_of_a_next_turn_is_ruled(ruled: NextDelay, delay_ns: int, waits: bool) -> None:
    """EBF 4.1(v)(b): forfeited, to be waited out, or given back; once."""
    world = World.running(LEFT).stop_for(Reason.EARLY_PICKUP).centre()
    world.input_once(DelayRuled, side=RIGHT, delay=ruled)
    assert world.last() == CorrectedEvent("next_delay", RIGHT, "skip", ruled.value)
    world.centre().press(LEFT)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.delay_ns, turn.must_wait) == (RIGHT, delay_ns, waits)
    assert world.state.players[RIGHT].next_delay is NextDelay.FULL


def test_without_delays_a_next_turn_is_on_the_clock_or_off_it() -> None:
    """NBgF 3-4-5, 4-1-6: there is none to lose, whatever is ruled."""
    world = World.stopped("nbgf-analog").input(DelayRuled, side=RIGHT, delay=NextDelay.SKIP)
    world.input_once(DelayRuled, side=RIGHT, delay=NextDelay.FREE)
    assert world.last() == CorrectedEvent("next_delay", RIGHT, "on_clock", "free")
    assert world.state.players.right.next_delay is NextDelay.FREE


# --- score ------------------------------------------------------------------------------------


@pytest.mark.rule("R74")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(
    "make",
    [
        World,
        World.ready,
        World.stopped,
        lambda: World.stopped().input(ClockRemoved),
        lambda: World.stopped().input(MatchEnded, winner=LEFT, why="director"),
    ],
    ids=["REVIEW", "READY", "STOPPED", "NO_CLOCK", "FINISHED"],
)
def test_a_score_is_corrected(make: Callable[[], World], side: Side) -> None:
    """EBF 4.7, US 5.13: the cards decide; at any time, with old and new."""
    world = make()
    phase = world.phase
    world.input_once(ScoreSet, side=side, points=4)
    assert replace(world.last(), code=None) == CorrectedEvent("score", side, 0, 4)
    world.input_once(ScoreSet, side=side, points=3)
    assert replace(world.last(), code=None) == CorrectedEvent("score", side, 4, 3)
    assert world.state.score == Pair(0, 0).put(side, 3)
    assert world.phase is phase


@pytest.mark.rule("R74")
@pytest.mark.parametrize("points", [-1, 12])
def test_a_score_outside_the_match_is_refused(points: int) -> None:
    world = World.ready().input_once(ScoreSet, side=LEFT, points=points)
    assert world.last() == refused("score_outside_match")
    assert world.state.score == Pair(0, 0)


@pytest.mark.rule("R74", "R45")
@pytest.mark.parametrize(
    "make",
    [World.ready, World.stopped, lambda: World.stopped().input(ClockRemoved)],
    ids=["READY", "STOPPED", "NO_CLOCK"],
)
def test_a_score_that_reaches_the_length_ends_the_match(make: Callable[[], World]) -> None:
    """US 5.14: with a clock or without, a match that is decided is over."""
    world = make().input(ScoreSet, side=RIGHT, points=11).wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    assert world.last() == MatchOverEvent(RIGHT, "corrected", Pair(0, 11), [])


@pytest.mark.rule("R72", "R74")
@pytest.mark.parametrize(
    ("score", "side", "points", "crawford"),
    [
        ((5, 3), LEFT, 6, NOW),  # LEFT is one point away after all
        ((6, 3), LEFT, 5, BEFORE),  # LEFT is not
        ((6, 3), RIGHT, 4, UNKNOWN),  # as the score that the match was entered with
    ],
)
def test_crawford_follows_a_score_corrected_between_games(
    score: tuple[int, int], side: Side, points: int, crawford: Crawford
) -> None:
    """EBF 4.4(iv): the next game is the first in which a player is exactly a point away, or not."""
    world = World.ready(length=7, score=score).input(ScoreSet, side=side, points=points)
    assert world.state.crawford is crawford


@pytest.mark.rule("R72", "R64")
def test_crawford_is_left_alone_by_a_correction_in_mid_game() -> None:
    """NBgF 2-3-1: the running game stays what it was."""
    world = World.stopped(length=7, score=(5, 3)).input(ScoreSet, side=LEFT, points=6)
    assert world.state.crawford is BEFORE
    world = World.stopped(length=7, score=(6, 3)).input(CrawfordSet, crawford=NOW)
    assert world.input(ScoreSet, side=RIGHT, points=4).state.crawford is NOW


@pytest.mark.rule("R72")
@pytest.mark.parametrize("new", list(Crawford))
def test_crawford_is_corrected(new: Crawford) -> None:
    """EBF 4.4(iv), A17: the director has the last word, old and new in the log."""
    world = World.ready(length=7, score=(6, 3)).input_once(CrawfordSet, crawford=new)
    assert world.last() == CorrectedEvent("crawford", None, "unknown", new.value)
    assert world.state.crawford is new


# --- length -----------------------------------------------------------------------------------


@pytest.mark.rule("R69")
@pytest.mark.parametrize(
    ("length", "score", "new", "possible"),
    [
        (7, (5, 2), 5, False),
        (7, (2, 6), 5, False),
        (7, (4, 2), 5, True),
        (7, (4, 2), 4, False),
        (5, (4, 4), 7, True),
    ],
)
def test_a_correction_of_the_length_may_not_end_the_match(
    length: int, score: tuple[int, int], new: int, possible: bool
) -> None:
    """EBF 4.8: a shorter length that would end the match at once: the wrong one is played."""
    world = World.ready(length=length, score=score)
    world.input_once(LengthSet, length=new, adjust_banks=False)
    if possible:
        assert world.last() == CorrectedEvent("length", None, length, new, 0)
        assert world.state.length == new
    else:
        assert world.last() == refused("length_ends_match")
        assert world.state.length == length
    assert world.phase is Phase.READY


@pytest.mark.rule("R69", "R71")
@pytest.mark.parametrize(
    "make",
    [
        World.stopped,
        lambda: World.stopped().choose(Reason.GAME_OVER).centre(),
        lambda: World.ready(length=5, score=(4, 0)).play_game(LEFT),
    ],
    ids=["STOPPED", "GAME_OVER", "FINISHED"],
)
def test_a_length_is_not_corrected_during_a_game_or_after_the_match(
    make: Callable[[], World],
) -> None:
    """EBF 4.8: the running game is unaffected; a match completed on a wrong length stands."""
    world = make()
    before = world.state
    world.input_once(LengthSet, length=13, adjust_banks=True)
    assert world.last() == refused("not_between_games")
    assert world.state == before


@pytest.mark.rule("R70")
@pytest.mark.parametrize(
    ("profile", "length", "new", "difference_ns"),
    [
        ("ebf", 9, 11, 240 * SECOND_NS),
        ("ebf", 11, 9, -240 * SECOND_NS),
        ("nbgf-analog", 9, 11, 600 * SECOND_NS),
        ("nbgf-lyn", 7, 8, 12 * SECOND_NS),
        ("us-doubles", 9, 10, 150 * SECOND_NS),
        ("jbs", 9, 10, 120 * SECOND_NS),  # 22:30 was 23:00; 25:00 is 25:00
    ],
)
@pytest.mark.parametrize("adjust", [True, False])
def test_a_new_length_gives_the_difference_of_the_formula(
    adjust: bool, profile: str, length: int, new: int, difference_ns: int
) -> None:
    """EBF 4.8, A16: both reserves by the points added, if the director says so; used stays used."""
    world = World.ready(profile, length=length, score=(2, 1))
    world.press(RIGHT).press(LEFT, "0:30").score_game(LEFT)
    before = world.reserves()
    world.input_once(LengthSet, length=new, adjust_banks=adjust)
    given_ns = difference_ns if adjust else 0
    assert world.reserves() == (before[0] + given_ns, before[1] + given_ns)
    assert world.last() == CorrectedEvent("length", None, length, new, given_ns)


@pytest.mark.rule("R70")
def test_a_shorter_length_takes_no_more_than_there_is() -> None:
    """A16: no flag falls by a correction."""
    world = World.ready().input(TimeSet, side=LEFT, new_ns=100 * SECOND_NS, why="best_estimate")
    world.input(LengthSet, length=9, adjust_banks=True)
    assert world.reserves() == (0, BANK_NS - 240 * SECOND_NS)
    assert world.state.flags_down == 0
    world.press(RIGHT).wait("0:13").stop_for(Reason.TIME_EXPIRED)
    assert world.last() == FlagClaimedEvent(LEFT, SECOND_NS)


def shortened(old: int, new: int, since_ns: int | None = None, early_ns: int = 0) -> CorrectedEvent:
    """The match was shortened, so long after the latest warning or ruling for slow play."""
    event = CorrectedEvent("length_shortened", None, old, new, 0, reason=RulingReason.SLOW_PLAY)
    return replace(event, since_ns=since_ns, early_ns=early_ns)


@pytest.mark.rule("R65", "R128")
@pytest.mark.parametrize("make", [World.ready, World.stopped], ids=["READY", "STOPPED"])
def test_a_match_is_shortened_by_two(make: Callable[..., World]) -> None:
    """NBgF 2-3-1: for slow play by both, in mid-game too; the banks stay."""
    world = make("nbgf", score=(3, 3))
    before = world.reserves()
    world.input_once(MatchShortened)
    assert world.last() == shortened(11, 9, early_ns=5 * MINUTE_NS)
    assert (world.state.length, world.state.score) == (9, Pair(3, 3))
    world.wait("5:00").input_once(MatchShortened)
    assert world.last() == shortened(9, 7, since_ns=5 * MINUTE_NS)
    assert world.reserves() == before


@pytest.mark.rule("R65")
@pytest.mark.parametrize(
    ("score", "winner"), [((9, 3), LEFT), ((8, 10), RIGHT), ((9, 10), RIGHT), ((8, 7), None)]
)
@pytest.mark.parametrize("make", [World.ready, World.stopped], ids=["READY", "STOPPED"])
def test_shortening_may_decide_the_match(
    make: Callable[..., World], score: tuple[int, int], winner: Side | None
) -> None:
    """NBgF 2-3-1: a leader who then has enough points has won."""
    world = make("nbgf", score=score).input(MatchShortened).wait(0)
    assert world.state.winner is winner
    assert (world.phase is Phase.FINISHED) == (winner is not None)
    if winner is not None:
        assert world.last() == MatchOverEvent(winner, "shortened", Pair(*score), [])


@pytest.mark.rule("R65")
def test_shortening_cannot_decide_for_both() -> None:
    """NBgF 2-3-1: refused if both players would then have enough points."""
    world = World.ready("nbgf", score=(9, 9)).input_once(MatchShortened)
    assert world.last() == refused("length_ends_match")
    assert (world.phase, world.state.length) == (Phase.READY, 11)


@pytest.mark.rule("R65")
def test_a_match_is_not_shortened_to_nothing() -> None:
    """NBgF 2-3-1: one point is the shortest match."""
    world = World.ready("nbgf", length=2).input(MatchShortened)
    assert world.state.length == 1
    ruled = world.input(MatchShortened).state  # the time since a ruling is counted from the latest
    assert not changes_nothing(ruled, MatchShortened(world.now_ns + 1))


@pytest.mark.rule("R65", "R72", "R64")
def test_shortening_in_mid_game_leaves_its_crawford_status() -> None:
    """NBgF 2-3-1: between games the next can become the Crawford game; the running one cannot."""
    world = World.stopped("nbgf", length=9, score=(6, 3)).input(MatchShortened)
    assert world.state.crawford is BEFORE
    world.centre().score_game(RIGHT)
    assert world.state.crawford is NOW
    between = World.ready("nbgf", length=9, score=(6, 3)).input(MatchShortened)
    assert between.state.crawford is NOW


# --- sides and breaks --------------------------------------------------------------------------


@pytest.mark.rule("R80")
@pytest.mark.parametrize(
    "make", [World, World.ready, World.stopped], ids=["REVIEW", "READY", "STOPPED"]
)
def test_the_players_change_sides_with_everything_of_theirs(
    make: Callable[..., World],
) -> None:
    """EBF 3.5(iv): name, score, reserve, flag, forfeits, breaks, penalty points, turn."""
    world = make()
    world.input(ScoreSet, side=LEFT, points=4).input(TimeSet, side=LEFT, new_ns=77, why="restored")
    world.input(FlagSet, side=LEFT, order=1).input(BreaksSet, side=LEFT, taken=1)
    world.input(PointsAwarded, side=LEFT, points=1, why="late")
    world.input(DelayRuled, side=LEFT, delay=NextDelay.SKIP)
    players, turn = world.state.players, world.state.turn
    world.input_once(SidesSwapped)
    swapped = CorrectedEvent("sides", None, "Left, Right", "Right, Left")
    assert replace(world.last(), code=None) == swapped
    assert world.state.names == Pair("Right", "Left")
    assert world.state.score == Pair(1, 4)
    assert world.state.players == Pair(players.right, players.left)
    assert world.reserves() == (BANK_NS, 77)
    if turn is not None:
        assert world.state.turn == replace(turn, side=RIGHT)
    before = world.state
    twice = world.input(SidesSwapped).input(SidesSwapped).state
    assert twice.replace(done=None) == before.replace(done=None)
    assert swaps_sides(world.input(Undone).last())


@pytest.mark.rule("R80", "R77")
def test_matches_won_and_points_entered_change_sides() -> None:
    """A best of three: legs and points move along, also after the last game."""
    world = World.ready(length=3, best_of_three=True).play_game(LEFT, 3)
    world.press(RIGHT).stop_for(Reason.GAME_OVER).press(LEFT).press(LEFT).input(SidesSwapped)
    assert world.state.legs == Pair(0, 1)
    assert world.state.game_points == Pair(0, 2)
    world.press(RIGHT).centre().wait(0).input(SidesSwapped)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, LEFT)
    assert world.state.legs == Pair(2, 0)


def test_what_can_be_taken_back_changes_sides_too() -> None:
    """A turn that a reason has interrupted was the other player's; so was the score before."""
    world = World.stopped().choose(Reason.ILLEGAL_MOVE).centre().centre("0:15")
    assert world.input(SidesSwapped).state.interrupted is None
    world = World.stopped("nbgf", score=(10, 4)).input(ScoreSet, side=LEFT, points=11).wait(0)
    assert world.input(SidesSwapped).input(Reopened).state.score == Pair(4, 10)


@pytest.mark.rule("R223")
@pytest.mark.parametrize("phase", [Phase.READY, Phase.STOPPED, Phase.GAME_OVER, Phase.FINISHED])
def test_names_are_corrected_and_nothing_else(phase: Phase) -> None:
    """The names before stay in the log; the ruling can be taken back."""
    world, before = in_phase(phase), PHASES[phase].state
    world.input_once(NamesSet, names=Pair("Bodil", "Ada"))
    assert world.last() == CorrectedEvent("names", None, ["Left", "Right"], ["Bodil", "Ada"])
    assert world.state.names == Pair("Bodil", "Ada")
    assert world.state.replace(names=before.names, done=None, at_ns=0) == before.replace(
        done=None, at_ns=0
    )
    assert world.input(Undone).state.names == before.names


@pytest.mark.rule("R68", "R55")
def test_the_breaks_that_a_player_has_taken_are_corrected() -> None:
    """EBF 2.2(iii), 3.7(ii): old and new in the log; the player may take the breaks left."""
    world = World.ready(length=17).play_game(LEFT).input_once(BreaksSet, side=RIGHT, taken=1)
    assert world.last() == CorrectedEvent("breaks_taken", RIGHT, 0, 1)
    assert world.give(BreakTaken(world.now_ns, Pair(0, 2))).phase is Phase.READY
    assert world.give(BreakTaken(world.now_ns, Pair(2, 1))).phase is Phase.BREAK


# --- warnings, and points before the first game -------------------------------------------------


@pytest.mark.rule("R113")
def test_a_warning_is_a_ruling() -> None:
    """EBF 2.3(i)(a), 4.2(iii)(d): to whom, for what, and how many they have; no point yet."""
    world = World.stopped().input_once(PointsAwarded, side=RIGHT, points=0, why="illegal_move")
    assert world.last() == WarnedEvent(RIGHT, RulingReason.ILLEGAL_MOVE)
    world.input_once(PointsAwarded, side=RIGHT, points=0, why="conduct")
    world.input_once(PointsAwarded, side=RIGHT, points=0, why="conduct")
    assert world.last() == WarnedEvent(RIGHT, RulingReason.CONDUCT, 3)
    reasons = (RulingReason.ILLEGAL_MOVE, RulingReason.CONDUCT)  # each once
    assert world.state.players[RIGHT].warned_for == reasons
    assert (world.state.score, world.state.players[RIGHT].penalty_points) == (Pair(0, 0), 0)
    world.input(ScoreSet, side=LEFT, points=11)  # they stand to the end of the match
    assert world.state.players[RIGHT].warnings == 3


@pytest.mark.rule("R119")
@pytest.mark.parametrize(("adjust", "minutes"), [(True, 13), (False, 14)])
def test_both_banks_follow_points_before_the_first_game(adjust: bool, minutes: int) -> None:
    """EBF 2.2(iv), 3.5(vi): 0-1 of 7 leaves 7 + 6 points: 13 x 2:00 / 2, unless the TD says no."""
    world = World.ready(length=7).input(
        PointsAwarded, side=LEFT, points=1, why="late", adjust_banks=adjust
    )
    assert world.reserves() == (minutes * MINUTE_NS, minutes * MINUTE_NS)
    adjusted_ns = -MINUTE_NS if adjust else None
    event = PenaltyEvent(LEFT, RIGHT, 1, "late", Pair(0, 1), False, adjusted_ns, early_ns=0)
    assert world.last() == event


def test_points_that_win_a_leg_leave_the_next_one_its_banks() -> None:
    """The formula gives each leg its own; there is no difference to add."""
    world = World.ready(length=3, best_of_three=True).play_game(RIGHT)
    world.input(PointsAwarded, side=LEFT, points=2, why="bonus", adjust_banks=True)
    assert world.state.legs == Pair(0, 1)
    assert world.reserves() == (world.state.bank_ns(), world.state.bank_ns())


def test_points_change_the_crawford_game_between_games_alone() -> None:
    """EBF 4.4(iv): the game under way, and a match that is decided, stay what they were."""
    world = World.stopped(score=(9, 4)).input(ClockRemoved)
    world.input(PointsAwarded, side=RIGHT, points=1, why="late")
    assert (world.state.score, world.state.crawford) == (Pair(10, 4), BEFORE)
    world = World.ready(score=(10, 4)).input(CrawfordSet, crawford=DONE)
    world.input(PointsAwarded, side=RIGHT, points=1, why="late")
    assert world.state.crawford is DONE


def test_rules_without_steps_count_no_time_between_rulings_for_slow_play() -> None:
    for profile, since_ns in (("ebf", None), ("nbgf", 20 * SECOND_NS)):
        world = World.stopped(profile)
        for _ in range(2):
            world.wait("0:20").input(PointsAwarded, side=LEFT, points=1, why="slow_play")
        event = world.last()
        assert isinstance(event, PenaltyEvent)
        assert event.since_ns == since_ns


# --- a delay of this turn -----------------------------------------------------------------------


@pytest.mark.rule("R111")
def test_the_delay_of_the_stopped_turn_is_given_back() -> None:
    """EBF 4.1(v)(b) undone: 5 s of a turn without a delay cost 5 s; of 12 s then 7 s are left."""
    world = World.running().input(DelayRuled, side=RIGHT, delay=NextDelay.SKIP)
    world.centre("0:01").input(DelayRuled, side=RIGHT, delay=NextDelay.SKIP).centre()
    world.press(LEFT).centre("0:05")
    assert (world.reserves(), world.delay_ns) == ((BANK_NS, BANK_NS - 5 * SECOND_NS), 0)
    late = RulingReason.LATE
    world.input_once(DelayRuled, side=RIGHT, delay=NextDelay.SKIP, this_turn=True, reason=late)
    assert world.last() == CorrectedEvent("delay", RIGHT, "skip", "skip", 0, reason=late)
    world.input_once(DelayRuled, side=RIGHT, delay=NextDelay.FULL, this_turn=True, reason=late)
    assert (world.reserves(), world.delay_ns) == ((BANK_NS, BANK_NS), 7 * SECOND_NS)
    change = ("skip", "full", 5 * SECOND_NS)
    assert world.last() == CorrectedEvent("delay", RIGHT, *change, reason=late)
    assert {begin.reserves for begin in world.state.recent} == {Pair(BANK_NS, None)}  # as below


@pytest.mark.rule("R111", "R66")
@pytest.mark.parametrize(("ruled", "over_s", "back_s"), [("wait", 20, 0), ("skip", 5, 7)])
def test_a_delay_that_gives_time_back_clears_a_flag(ruled: str, over_s: int, back_s: int) -> None:
    """One that gives back nothing clears none; either way the turn need not wait any more."""
    world = World.running().centre("0:01").input(DelayRuled, side=RIGHT, delay=NextDelay(ruled))
    world.centre().press(LEFT).centre(BANK_NS + over_s * SECOND_NS)
    world.input(DelayRuled, side=RIGHT, delay=NextDelay.FULL, this_turn=True)
    change = (ruled, "full", back_s * SECOND_NS, back_s > 0)
    assert world.last() == CorrectedEvent("delay", RIGHT, *change)
    assert (world.state.players.right.flag is None) == (back_s > 0)


@pytest.mark.rule("R111")
def test_a_turn_that_a_mistake_took_off_the_clock_goes_on_with_its_rest() -> None:
    """EBF 4.1(v)(b) undone at once: the mover had 8 s of the delay left, the opponent keeps it."""
    world = World.running().centre("0:04").choose(Reason.EARLY_PICKUP).centre().centre("0:30")
    world.input(DelayRuled, side=LEFT, delay=NextDelay.FULL, this_turn=True)
    world.input(DelayRuled, side=RIGHT, delay=NextDelay.FULL).centre()
    assert (world.state.running, world.delay_ns) == (LEFT, 8 * SECOND_NS)
    assert world.press(LEFT).delay_ns == 12 * SECOND_NS


@pytest.mark.rule("R67", "R80", "R95")
def test_no_time_of_before_a_correction_is_given_back() -> None:
    """Even if another length leaves the times as they are: the formula has changed."""
    world = World.running(LEFT).press(LEFT, "0:20").score_game(LEFT)
    assert changes_nothing(world.state, LengthSet(world.now_ns, length=11, adjust_banks=False))
    world.input(TimeSet, side=LEFT, new_ns=MINUTE_NS, why="restored")
    assert {begin.reserves for begin in world.state.recent} == {Pair(None, BANK_NS)}
    world.input(LengthSet, length=13, adjust_banks=False)
    assert {begin.reserves for begin in world.state.recent} == {Pair(None, None)}
    assert world.input(SidesSwapped).state.recent == ()
