"""The director's acts: each does one thing, leaves one record, and nothing while a clock runs."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from world import LEFT, RIGHT, SECOND_NS, World

from clock.match.events import AdjustedEvent, AnyEvent, ConfirmedEvent, CorrectedEvent, FlagClaimedEvent, FlagFellEvent, GameOverEvent, LateEvent, MatchOverEvent, OvertimeEvent, PenaltyEvent, PressedEvent, ReopenedEvent, ResumedEvent, StoppedEvent
from clock.match.inputs import AbsenceNoted, AbsentClockStarted, Act, Approved, BanksReset, BreaksSet, BreakTaken, ClockRemoved, CrawfordSet, DelayRuled, FlagSet, HoldLifted, LengthSet, MatchEnded, MatchShortened, MatchWanted, OvertimeGranted, PointsAwarded, Reopened, ScoreSet, SidesSwapped, TimeSet, TurnResumed
from clock.match.state import Flag
from clock.match.phases import Crawford, NextDelay, Phase, ResumeWith
from clock.match.rules import Reason
from clock.match.sides import Button, Pair, Side
from clock.match.transitions import ACTS, TABLE

MINUTE_NS = 60 * SECOND_NS
BANK_NS = 22 * MINUTE_NS
DELAY_NS = 12 * SECOND_NS
BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE
REST, FULL, WAIT = ResumeWith.REST, ResumeWith.FULL, ResumeWith.WAIT

SAMPLES: list[Act] = [  # one of each; every one of them changes something where it is possible
    Approved(0),
    TimeSet(0, LEFT, 5, "director"),
    FlagSet(0, LEFT, 1),
    OvertimeGranted(0, LEFT, 5),
    DelayRuled(0, LEFT, NextDelay.SKIP),
    PointsAwarded(0, LEFT, 1, "late"),
    ScoreSet(0, LEFT, 3),
    LengthSet(0, 9, adjust_banks=True),
    MatchShortened(0),
    CrawfordSet(0, DONE),
    SidesSwapped(0),
    BreaksSet(0, LEFT, 1),
    AbsenceNoted(0, LEFT),
    AbsentClockStarted(0, LEFT),
    BanksReset(0),
    ClockRemoved(0),
    TurnResumed(0, LEFT, FULL),
    MatchEnded(0, LEFT, "director"),
    Reopened(0),
    HoldLifted(0),
    MatchWanted(0),
]


def last(world: World) -> AnyEvent:
    """The latest event of the log."""
    return world.last


def refused(why: str) -> PressedEvent:
    """What the log says of an act without effect."""
    return PressedEvent(Button.CENTRE, accepted=False, why=why)


def game(world: World, winner: Side, points: int = 1) -> World:
    """One more game, over before anybody has used a second."""
    return world.press(RIGHT).score_game(winner, points)


def reserves(world: World) -> tuple[int, int]:
    """What both players have left."""
    return world.reserve_ns(LEFT), world.reserve_ns(RIGHT)


def stopped(profile: str = "ebf", **changes: object) -> World:
    """LEFT has played 20 s of the first turn and stopped: 8 s of his reserve are used."""
    return World.running(LEFT, profile, **changes).centre("0:20")


def one_record(world: World, act: type[Act], **fields: object) -> World:
    """The director does something, and the log has exactly one line more, at that instant."""
    written = len(world.records)
    world.act(act, **fields)
    assert len(world.records) == written + 1
    assert world.records[-1].at_ns == world.now_ns
    return world


# --- no act while a clock runs ----------------------------------------------------------------


@pytest.mark.rule("R66")
def test_every_act_is_tested() -> None:
    """The samples are all that a director can do."""
    assert {type(act) for act in SAMPLES} == set(ACTS) == set(Act.__subclasses__())


def _forfeits(world: World) -> World:
    return world.stop_for(Reason.EARLY_PICKUP)


@pytest.mark.rule("R66")
@pytest.mark.parametrize("act", SAMPLES, ids=lambda act: type(act).__name__)
@pytest.mark.parametrize(
    "running",
    [
        lambda: World.running(LEFT).wait("0:05"),
        lambda: World.running(LEFT).wait("0:30"),
        lambda: World.running(LEFT).wait("1:00:00"),
        lambda: World.running(RIGHT).stop_for(Reason.ILLEGAL_MOVE),
        lambda: _forfeits(World.running(LEFT)).press(LEFT).wait("0:05"),
        lambda: World.ready("nbgf").act(AbsentClockStarted, side=RIGHT).wait("7:00"),
        lambda: _forfeits(World.running(LEFT)),
    ],
    ids=["delay", "reserve", "flagged", "must wait", "no delay", "absent", "free turn"],
)
def test_no_act_has_any_effect_while_a_turn_is_played(
    running: Callable[[], World], act: Act
) -> None:
    """EBF 5.1: only when stopped; neither the match nor the log is changed."""
    world = running()
    before, written = world.state, len(world.records)
    world.now_ns += 1
    world.give(replace(act, at_ns=world.now_ns))
    assert replace(world.state, at_ns=before.at_ns) == before
    assert len(world.records) == written


@pytest.mark.rule("R66")
@pytest.mark.parametrize("act", SAMPLES, ids=lambda act: type(act).__name__)
def test_an_act_is_at_most_one_record(act: Act) -> None:
    """One act, one line: in no phase does an act leave more, or change anything without a line."""
    for world in (
        World(),
        World.ready(),
        stopped(),
        stopped().choose(Reason.GAME_OVER).centre(),
        game(World.ready(), LEFT).give(BreakTaken(0, Pair(1, 0))),
        stopped().act(ClockRemoved),
        stopped().act(MatchEnded, winner=LEFT, why="director"),
    ):
        before, written = world.state, len(world.records)
        world.give(replace(act, at_ns=world.now_ns))
        if len(world.records) == written:
            assert world.state == before
        else:
            assert len(world.records) == written + 1


# --- approval ---------------------------------------------------------------------------------


@pytest.mark.rule("R79")
def test_the_director_approves_the_settings() -> None:
    """EBF 3.5(iii): his approval stands for both players; then the match can begin."""
    world = one_record(World(), Approved)
    assert last(world) == ConfirmedEvent("director")
    assert world.phase is Phase.REVIEW
    assert world.centre().phase is Phase.READY


@pytest.mark.rule("R79")
@pytest.mark.parametrize("make", [World.ready, stopped], ids=["READY", "STOPPED"])
def test_the_director_approves_before_a_match_goes_on(make: Callable[[], World]) -> None:
    """EBF 3.5(iii), A18: a check may be asked for before a match begins or continues."""
    world = one_record(make(), Approved)
    assert last(world) == ConfirmedEvent("director")


# --- times ------------------------------------------------------------------------------------


@pytest.mark.rule("R66")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("new_ns", [0, 1, 90 * SECOND_NS, 2 * BANK_NS])
def test_a_time_is_set(new_ns: int, side: Side) -> None:
    """EBF 4.3(iv): one side's reserve, old, new and why; the other side's is untouched."""
    world = stopped()
    old = Pair(BANK_NS - 8 * SECOND_NS, BANK_NS)
    one_record(world, TimeSet, side=side, new_ns=new_ns, why="restored")
    assert last(world) == AdjustedEvent(side, old[side], new_ns, "restored", flag_cleared=False)
    assert Pair(*reserves(world)) == old.put(side, new_ns)
    assert world.phase is Phase.STOPPED
    record = world.records[-1]
    assert Pair(record.left_ns, record.right_ns) == old.put(side, new_ns)


@pytest.mark.rule("R66")
def test_a_time_below_nothing_is_refused() -> None:
    """A reserve cannot be less than 0."""
    world = stopped()
    one_record(world, TimeSet, side=LEFT, new_ns=-1, why="time_penalty")
    assert last(world) == refused("negative_time")
    assert reserves(world) == (BANK_NS - 8 * SECOND_NS, BANK_NS)


@pytest.mark.rule("R66", "R37")
@pytest.mark.parametrize(
    ("profile", "bonus_ns"),
    [
        ("nbgf", 120 * SECOND_NS),
        ("nbgf-hurtig", 60 * SECOND_NS),
        ("nbgf-lyn", 12 * SECOND_NS),
        ("nbgf-analog", 300 * SECOND_NS),
    ],
)
def test_in_norway_the_player_in_the_right_gets_a_points_time(profile: str, bonus_ns: int) -> None:
    """NBgF 4-3-2: the game was not decided; the director gives PN minutes and play goes on."""
    world = World.running(LEFT, profile).wait("0:20").stop_for(Reason.NOT_DECIDED)
    assert world.state.held
    assert world.state.settings.rules.not_decided_ns == bonus_ns
    old_ns = world.reserve_ns(RIGHT)
    world.act(TimeSet, side=RIGHT, new_ns=old_ns + bonus_ns, why="not_decided")
    assert last(world) == AdjustedEvent(RIGHT, old_ns, old_ns + bonus_ns, "not_decided", False)
    left_ns, delay_ns = world.reserve_ns(LEFT), world.delay_ns
    world.wait("3:00").act(TurnResumed, side=LEFT, delay=REST)
    assert (world.state.running, world.delay_ns) == (LEFT, delay_ns)
    assert reserves(world) == (left_ns, old_ns + bonus_ns)


@pytest.mark.rule("R37", "R36")
@pytest.mark.parametrize("profile", ["ebf", "dbgf", "us", "jbs"])
def test_elsewhere_a_game_that_was_not_decided_goes_on_as_it_was(profile: str) -> None:
    """EBF and DBgF 4.3(ii)(g): the clock is restarted, nobody is called and nothing is given."""
    world = World.running(LEFT, profile).centre("0:20").choose(Reason.NOT_DECIDED)
    before = reserves(world)
    world.centre("2:00")
    assert (world.state.running, world.state.held) == (LEFT, False)
    assert reserves(world) == before


@pytest.mark.rule("R37", "R78")
def test_a_game_that_the_director_finds_decided_is_scored_without_starting_a_clock() -> None:
    """NBgF 4-3-2: the claim is upheld: no bonus, the result is noted, and no time is used."""
    released = []
    for act in SAMPLES:
        world = World.running(LEFT, "nbgf").wait("0:20").stop_for(Reason.NOT_DECIDED)
        world.give(replace(act, at_ns=world.now_ns))
        if world.phase is Phase.STOPPED and not world.state.held:
            released.append(act)
    assert released != []


@pytest.mark.rule("R66", "R41")
@pytest.mark.parametrize("order", [1, 2])
def test_a_flag_is_entered_and_cleared(order: int) -> None:
    """EBF 3.7(ii): the flags of a clock that was replaced, in their order; old and new."""
    world = one_record(World.ready(), FlagSet, side=RIGHT, order=order)
    assert last(world) == CorrectedEvent("flag", RIGHT, 0, order)
    assert world.state.players[RIGHT].flag == Flag(order, None)
    assert world.state.players[LEFT].flag is None
    one_record(world, FlagSet, side=RIGHT, order=0)
    assert last(world) == CorrectedEvent("flag", RIGHT, order, 0)
    assert world.state.flags_down == 0


@pytest.mark.rule("R49", "R66")
def test_overtime_is_granted_by_hand() -> None:
    """USBGF: what was left and what is left now; a flag is cleared by it."""
    world = World.running(LEFT, "us").wait("30:00").centre()
    one_record(world, OvertimeGranted, side=LEFT, granted_ns=MINUTE_NS)
    assert last(world) == OvertimeEvent(LEFT, 0, MINUTE_NS, "director")
    assert reserves(world) == (MINUTE_NS, BANK_NS)
    assert world.state.flags_down == 0
    one_record(world, OvertimeGranted, side=RIGHT, granted_ns=MINUTE_NS)
    assert last(world) == OvertimeEvent(RIGHT, BANK_NS, BANK_NS + MINUTE_NS, "director")
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
    one_record(world, DelayRuled, side=RIGHT, delay=ruled)
    assert last(world) == CorrectedEvent("next_delay", RIGHT, "skip", ruled.value)
    world.centre().press(LEFT)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.delay_ns, turn.must_wait) == (RIGHT, delay_ns, waits)
    assert world.state.players[RIGHT].next_delay is NextDelay.FULL


@pytest.mark.rule("R46", "R66")
def test_both_banks_are_set_by_the_formula() -> None:
    """NBgF 4-3-3: at the present score, in the record the old and the new times."""
    world = stopped("nbgf", score=(8, 9))
    one_record(world, BanksReset)
    old_ns = [5 * MINUTE_NS - 8 * SECOND_NS, 5 * MINUTE_NS]
    assert last(world) == CorrectedEvent("banks", None, old_ns, [5 * MINUTE_NS, 5 * MINUTE_NS])
    assert reserves(world) == (5 * MINUTE_NS, 5 * MINUTE_NS)
    world.centre().press(LEFT, "0:10")
    assert reserves(world) == (5 * MINUTE_NS - 10 * SECOND_NS, 5 * MINUTE_NS)


# --- score ------------------------------------------------------------------------------------


@pytest.mark.rule("R74")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(
    "make",
    [
        World,
        World.ready,
        stopped,
        lambda: stopped().act(ClockRemoved),
        lambda: stopped().act(MatchEnded, winner=LEFT, why="director"),
    ],
    ids=["REVIEW", "READY", "STOPPED", "NO_CLOCK", "FINISHED"],
)
def test_a_score_is_corrected(make: Callable[[], World], side: Side) -> None:
    """EBF 4.7, US 5.13: the cards decide; at any time, with old and new."""
    world = make()
    phase = world.phase
    one_record(world, ScoreSet, side=side, points=4)
    assert last(world) == CorrectedEvent("score", side, 0, 4)
    one_record(world, ScoreSet, side=side, points=3)
    assert last(world) == CorrectedEvent("score", side, 4, 3)
    assert world.state.score == Pair(0, 0).put(side, 3)
    assert world.phase is phase


@pytest.mark.rule("R74")
@pytest.mark.parametrize("points", [-1, 12])
def test_a_score_outside_the_match_is_refused(points: int) -> None:
    """A score is from 0 to the length."""
    world = one_record(World.ready(), ScoreSet, side=LEFT, points=points)
    assert last(world) == refused("score_outside_match")
    assert world.state.score == Pair(0, 0)


@pytest.mark.rule("R74", "R45")
@pytest.mark.parametrize(
    "make",
    [World.ready, stopped, lambda: stopped().act(ClockRemoved)],
    ids=["READY", "STOPPED", "NO_CLOCK"],
)
def test_a_score_that_reaches_the_length_ends_the_match(make: Callable[[], World]) -> None:
    """US 5.14: with a clock or without, a match that is decided is over."""
    world = make().act(ScoreSet, side=RIGHT, points=11).wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    assert last(world) == MatchOverEvent(RIGHT, "score", Pair(0, 11), [])


@pytest.mark.rule("R72", "R74")
@pytest.mark.parametrize(
    ("score", "side", "points", "crawford"),
    [
        ((5, 3), LEFT, 6, NOW),  # it was not noticed that he is one point away
        ((6, 3), LEFT, 5, BEFORE),  # he is not
        ((6, 3), RIGHT, 4, NOW),
    ],
)
def test_crawford_follows_a_score_corrected_between_games(
    score: tuple[int, int], side: Side, points: int, crawford: Crawford
) -> None:
    """EBF 4.4(iv): the next game is the first in which a player is exactly a point away, or not."""
    world = World.ready(length=7, score=score).act(ScoreSet, side=side, points=points)
    assert world.state.crawford is crawford


@pytest.mark.rule("R72", "R74")
def test_a_double_undone_between_games_leaves_the_crawford_game_played() -> None:
    """EBF 4.4(iv)(b): 6-3 and a lost Crawford game with a cube: 6-5 becomes 6-4, no Crawford."""
    world = game(World.ready(length=7, score=(6, 3)), RIGHT, 2).act(ScoreSet, side=RIGHT, points=4)
    assert (world.state.score, world.state.crawford) == (Pair(6, 4), DONE)


@pytest.mark.rule("R72", "R64")
def test_crawford_is_left_alone_by_a_correction_in_mid_game() -> None:
    """NBgF 2-3-1: the running game stays what it was."""
    world = stopped(length=7, score=(5, 3)).act(ScoreSet, side=LEFT, points=6)
    assert world.state.crawford is BEFORE
    world = stopped(length=7, score=(6, 3)).act(ScoreSet, side=RIGHT, points=4)
    assert world.state.crawford is NOW


@pytest.mark.rule("R72")
@pytest.mark.parametrize("new", list(Crawford))
def test_crawford_is_corrected(new: Crawford) -> None:
    """EBF 4.4(iv), A17: the director has the last word, old and new in the log."""
    world = one_record(World.ready(length=7, score=(6, 3)), CrawfordSet, crawford=new)
    assert last(world) == CorrectedEvent("crawford", None, "now", new.value)
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
    one_record(world, LengthSet, length=new, adjust_banks=False)
    if possible:
        assert last(world) == CorrectedEvent("length", None, length, new, 0)
        assert world.state.length == new
    else:
        assert last(world) == refused("length_ends_match")
        assert world.state.length == length
    assert world.phase is Phase.READY


@pytest.mark.rule("R69", "R71")
@pytest.mark.parametrize(
    "make",
    [
        stopped,
        lambda: stopped().choose(Reason.GAME_OVER).centre(),
        lambda: game(World.ready(length=5, score=(4, 0)), LEFT),
    ],
    ids=["STOPPED", "GAME_OVER", "FINISHED"],
)
def test_a_length_is_not_corrected_inside_a_game_or_after_the_match(
    make: Callable[[], World],
) -> None:
    """EBF 4.8: the running game is unaffected; a match completed on a wrong length stands."""
    world = make()
    before = world.state
    one_record(world, LengthSet, length=13, adjust_banks=True)
    assert last(world) == refused("not_between_games")
    assert world.state == before


@pytest.mark.rule("R69")
def test_a_length_is_corrected_in_a_break() -> None:
    """EBF 4.8: a break is between games."""
    world = game(World.ready(length=9), LEFT).give(BreakTaken(0, Pair(1, 0)))
    assert world.phase is Phase.BREAK
    one_record(world, LengthSet, length=11, adjust_banks=False)
    assert last(world) == CorrectedEvent("length", None, 9, 11, 0)
    assert world.state.length == 11


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
    before = reserves(world)
    one_record(world, LengthSet, length=new, adjust_banks=adjust)
    given_ns = difference_ns if adjust else 0
    assert reserves(world) == (before[0] + given_ns, before[1] + given_ns)
    assert last(world) == CorrectedEvent("length", None, length, new, given_ns)


@pytest.mark.rule("R70")
def test_a_shorter_length_takes_no_more_than_there_is() -> None:
    """A16: no flag falls by a correction."""
    world = World.ready().act(TimeSet, side=LEFT, new_ns=100 * SECOND_NS, why="best_estimate")
    world.act(LengthSet, length=9, adjust_banks=True)
    assert reserves(world) == (0, BANK_NS - 240 * SECOND_NS)
    assert world.state.flags_down == 0
    world.press(RIGHT).wait("0:13").stop_for(Reason.TIME_EXPIRED)
    assert last(world) == FlagClaimedEvent(LEFT, RIGHT, SECOND_NS)


@pytest.mark.rule("R69", "R72")
@pytest.mark.parametrize(
    ("length", "score", "new", "crawford"),
    [(9, (6, 2), 7, NOW), (7, (6, 2), 9, BEFORE), (9, (5, 2), 7, BEFORE)],
)
def test_crawford_follows_a_new_length(
    length: int, score: tuple[int, int], new: int, crawford: Crawford
) -> None:
    """A17: derived anew from the corrected length."""
    world = World.ready(length=length, score=score)
    assert world.act(LengthSet, length=new, adjust_banks=False).state.crawford is crawford


@pytest.mark.rule("R65")
@pytest.mark.parametrize("make", [World.ready, stopped], ids=["READY", "STOPPED"])
def test_a_match_is_shortened_by_two(make: Callable[..., World]) -> None:
    """NBgF 2-3-1: for slow play by both, in mid-game too; the banks stay."""
    world = make("nbgf", score=(3, 3))
    before = reserves(world)
    one_record(world, MatchShortened)
    assert last(world) == CorrectedEvent("length_shortened", None, 11, 9, 0)
    assert (world.state.length, world.state.score) == (9, Pair(3, 3))
    one_record(world, MatchShortened)
    assert last(world) == CorrectedEvent("length_shortened", None, 9, 7, 0)
    assert reserves(world) == before


@pytest.mark.rule("R65")
@pytest.mark.parametrize(
    ("score", "winner"), [((9, 3), LEFT), ((8, 10), RIGHT), ((9, 10), RIGHT), ((8, 7), None)]
)
@pytest.mark.parametrize("make", [World.ready, stopped], ids=["READY", "STOPPED"])
def test_shortening_may_decide_the_match(
    make: Callable[..., World], score: tuple[int, int], winner: Side | None
) -> None:
    """NBgF 2-3-1: the leader who has enough points by then has won."""
    world = make("nbgf", score=score).act(MatchShortened).wait(0)
    assert world.state.winner is winner
    assert (world.phase is Phase.FINISHED) == (winner is not None)
    if winner is not None:
        assert last(world) == MatchOverEvent(winner, "score", Pair(*score), [])


@pytest.mark.rule("R65")
def test_shortening_cannot_decide_for_both() -> None:
    """NBgF 2-3-1: at equal scores that both would be enough, nobody would have won."""
    world = one_record(World.ready("nbgf", score=(9, 9)), MatchShortened)
    assert last(world) == refused("length_ends_match")
    assert (world.phase, world.state.length) == (Phase.READY, 11)


@pytest.mark.rule("R65", "R72", "R64")
def test_shortening_in_mid_game_leaves_its_crawford_status() -> None:
    """NBgF 2-3-1: between games the next can become the Crawford game; the running one cannot."""
    world = stopped("nbgf", length=9, score=(6, 3)).act(MatchShortened)
    assert world.state.crawford is BEFORE
    world.centre().score_game(RIGHT)
    assert world.state.crawford is NOW
    between = World.ready("nbgf", length=9, score=(6, 3)).act(MatchShortened)
    assert between.state.crawford is NOW


# --- sides, breaks, absence -------------------------------------------------------------------


@pytest.mark.rule("R80")
@pytest.mark.parametrize("make", [World, World.ready, stopped], ids=["REVIEW", "READY", "STOPPED"])
def test_the_players_change_sides_with_all_that_is_theirs(make: Callable[..., World]) -> None:
    """EBF 3.5(iv): name, score, reserve, flag, forfeits, breaks, penalty points, turn."""
    world = make()
    world.act(ScoreSet, side=LEFT, points=4).act(TimeSet, side=LEFT, new_ns=77, why="restored")
    world.act(FlagSet, side=LEFT, order=1).act(BreaksSet, side=LEFT, taken=1)
    world.act(PointsAwarded, side=LEFT, points=1, why="late")
    world.act(DelayRuled, side=LEFT, delay=NextDelay.SKIP)
    players, turn = world.state.players, world.state.turn
    one_record(world, SidesSwapped)
    assert last(world) == CorrectedEvent("sides", None, "Left, Right", "Right, Left")
    assert world.state.names == Pair("Right", "Left")
    assert world.state.score == Pair(1, 4)
    assert world.state.players == Pair(players.right, players.left)
    assert reserves(world) == (BANK_NS, 77)
    if turn is not None:
        assert world.state.turn == replace(turn, side=RIGHT)
    before = world.state
    assert world.act(SidesSwapped).act(SidesSwapped).state == before


@pytest.mark.rule("R80")
def test_the_confirmations_change_sides_too() -> None:
    """R79: who has confirmed has, wherever he sits; the other still must."""
    world = World().press(LEFT).act(SidesSwapped).press(RIGHT)
    assert last(world) == PressedEvent(Button.RIGHT, accepted=False, why="already_confirmed")
    assert world.press(LEFT).centre().phase is Phase.READY


@pytest.mark.rule("R80", "R77")
def test_matches_won_and_points_entered_change_sides() -> None:
    """A best of three: what was won goes with the player, also after the last game."""
    world = game(World.ready(length=3, best_of_three=True), LEFT, 3)
    world.press(RIGHT).stop_for(Reason.GAME_OVER).press(LEFT).press(LEFT).act(SidesSwapped)
    assert world.state.legs == Pair(0, 1)
    assert world.state.game_points == Pair(0, 2)
    world.press(RIGHT).centre().wait(0).act(SidesSwapped)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, LEFT)
    assert world.state.legs == Pair(2, 0)


@pytest.mark.rule("R68", "R55")
def test_the_breaks_a_player_has_had_are_corrected() -> None:
    """EBF 2.2(iii), 3.7(ii): old and new; he may take what is left then."""
    world = one_record(game(World.ready(length=17), LEFT), BreaksSet, side=RIGHT, taken=1)
    assert last(world) == CorrectedEvent("breaks_taken", RIGHT, 0, 1)
    assert world.give(BreakTaken(world.now_ns, Pair(0, 2))).phase is Phase.READY
    assert world.give(BreakTaken(world.now_ns, Pair(2, 1))).phase is Phase.BREAK


@pytest.mark.rule("R62")
@pytest.mark.parametrize("make", [World, World.ready], ids=["REVIEW", "READY"])
def test_an_absent_players_clock_runs(make: Callable[..., World]) -> None:
    """NBgF 2-2-4: 7 minutes late: 12 s of delay, the rest of reserve; then the opening roll."""
    world = make(World.ready("nbgf").state.settings) if make is World else make("nbgf")
    world.act(AbsenceNoted, side=RIGHT).wait("5:00")
    one_record(world, AbsentClockStarted, side=RIGHT)
    assert last(world) == LateEvent(RIGHT, 0, "clock-started", "director", forfeits=False)
    assert (world.phase, world.state.running, world.delay_ns) == (Phase.RUNNING, RIGHT, DELAY_NS)
    world.wait("7:00")
    assert reserves(world) == (BANK_NS, BANK_NS - 408 * SECOND_NS)
    world.press(RIGHT)
    assert last(world) == PressedEvent(Button.RIGHT, accepted=False, why="absent")
    world.press(LEFT)
    assert last(world) == PressedEvent(Button.LEFT, accepted=False, why="not_on_move")
    world.centre()
    assert last(world) == StoppedEvent(Reason.UNSPECIFIED)
    assert (world.phase, world.state.running) == (Phase.READY, None)
    world.wait("1:00").press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert reserves(world) == (BANK_NS, BANK_NS - 408 * SECOND_NS)


@pytest.mark.rule("R62", "R38", "R40")
def test_an_absent_players_flag_can_fall() -> None:
    """NBgF 2-2-4: his time is his time; the flag falls and ends nothing."""
    world = World.ready("nbgf").act(AbsentClockStarted, side=LEFT).wait("22:12")
    assert last(world) == FlagFellEvent(LEFT, 1, None)
    assert world.records[-1].at_ns == DELAY_NS + BANK_NS
    assert world.centre("0:10").phase is Phase.READY
    assert world.state.players[LEFT].flag == Flag(1, DELAY_NS + BANK_NS)


@pytest.mark.rule("R59", "R66")
def test_an_absence_begins_to_count_when_it_is_noted() -> None:
    """EBF 2.2(iv): the match is due; nothing is proposed yet."""
    world = one_record(World(), AbsenceNoted, side=LEFT)
    assert last(world) == LateEvent(LEFT, 0, "may", "director", forfeits=False)
    assert world.state.players[RIGHT].absence is None


# --- without a clock, and going on ------------------------------------------------------------


@pytest.mark.rule("R45", "R75")
def test_a_match_without_a_clock_can_have_it_back() -> None:
    """EBF 4.3(iii): what the director ordered he can take back, with the times that there were."""
    world = one_record(stopped(), ClockRemoved)
    assert last(world) == CorrectedEvent("clock", None, old=True, new=False)
    one_record(world.wait("20:00"), Reopened)
    assert last(world) == ReopenedEvent("NO_CLOCK")
    assert world.phase is Phase.READY
    assert reserves(world) == (BANK_NS - 8 * SECOND_NS, BANK_NS)


@pytest.mark.rule("R30", "R78", "R43")
@pytest.mark.parametrize("reason", [Reason.CLOCK_FAULTY, Reason.TIME_EXPIRED])
@pytest.mark.parametrize(
    ("side", "delay", "delay_ns", "waits"),
    [
        (LEFT, REST, 7 * SECOND_NS, False),
        (LEFT, FULL, DELAY_NS, False),
        (LEFT, WAIT, DELAY_NS, True),
        (RIGHT, FULL, DELAY_NS, False),
        (RIGHT, WAIT, DELAY_NS, True),
    ],
)
def test_the_director_starts_a_clock_again(
    side: Side, delay: ResumeWith, delay_ns: int, waits: bool, reason: Reason
) -> None:
    """EBF 4.2(iii)(c), 5.1: the claimant's turn as it was, or either side with a delay anew."""
    world = World.running(LEFT).wait("0:05").stop_for(reason).wait("5:00")
    one_record(world, TurnResumed, side=side, delay=delay)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, world.delay_ns, turn.must_wait) == (side, delay_ns, waits)
    assert (world.phase, world.state.running, world.state.held) == (Phase.RUNNING, side, False)
    assert last(world) == ResumedEvent(reason, side, delay, "director")
    assert reserves(world) == (BANK_NS, BANK_NS)
    world.centre().centre()  # nobody needs the director any more
    assert world.state.running is side


@pytest.mark.rule("R30", "R78", "R33")
def test_the_director_lets_a_free_turn_go_on_free() -> None:
    """NBgF 4-1-6: a dispute in a free turn does not put it on the clock."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).stop_for(Reason.TIME_EXPIRED)
    world.act(TurnResumed, side=LEFT, delay=REST)
    assert (world.phase, world.state.running, world.state.held) == (Phase.FREE_TURN, None, False)


@pytest.mark.rule("R30", "R75")
def test_the_table_knows_where_an_act_leads() -> None:
    """The table is the state diagram: a resumed free turn, a reopened game are in it."""
    free = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).stop_for(Reason.TIME_EXPIRED)
    free.act(TurnResumed, side=LEFT, delay=REST)
    assert free.phase in TABLE[Phase.STOPPED, TurnResumed].to
    decided = stopped(score=(10, 10)).act(PointsAwarded, side=LEFT, points=1, why="late").wait(0)
    assert decided.phase is Phase.FINISHED
    decided.act(Reopened)
    assert decided.phase in TABLE[Phase.FINISHED, Reopened].to


@pytest.mark.rule("R78", "R68")
@pytest.mark.parametrize(
    ("make", "side"), [(World.ready, LEFT), (stopped, RIGHT)], ids=["READY", "STOPPED"]
)
def test_there_is_no_rest_of_a_turn_that_was_not_stopped(
    make: Callable[[], World], side: Side
) -> None:
    """Contract: `rest` in the log is exactly what was left; a delay anew is never called so."""
    world = make().act(TurnResumed, side=side, delay=REST)
    assert ResumedEvent(Reason.UNSPECIFIED, side, REST, "director") not in world.events(
        ResumedEvent
    )


# --- a clock that replaces another ------------------------------------------------------------


@pytest.mark.rule("R68")
def test_a_replacement_clock_takes_over_everything() -> None:
    """EBF 3.7(ii): times, score, length, Crawford, flags, breaks, delay and turn, by hand."""
    world = World()
    world.act(LengthSet, length=17, adjust_banks=False)
    world.act(ScoreSet, side=LEFT, points=12).act(ScoreSet, side=RIGHT, points=16)
    world.act(CrawfordSet, crawford=DONE)
    world.act(TimeSet, side=LEFT, new_ns=61_500_000_000, why="best_estimate")
    world.act(TimeSet, side=RIGHT, new_ns=0, why="best_estimate")
    world.act(FlagSet, side=RIGHT, order=1)
    world.act(BreaksSet, side=LEFT, taken=2).act(BreaksSet, side=RIGHT, taken=1)
    world.act(DelayRuled, side=RIGHT, delay=NextDelay.SKIP)
    world.press(LEFT).press(RIGHT).centre("1:00")
    state = world.state
    assert (state.phase, state.length, state.score) == (Phase.READY, 17, Pair(12, 16))
    assert state.crawford is DONE
    assert reserves(world) == (61_500_000_000, 0)
    assert [player.flag for player in state.players] == [None, Flag(1, None)]
    assert [player.breaks_taken for player in state.players] == [2, 1]
    world.act(TurnResumed, side=LEFT, delay=FULL)
    assert (world.phase, world.state.running, world.delay_ns) == (Phase.RUNNING, LEFT, DELAY_NS)
    world.press(LEFT, "0:13")
    assert (world.state.running, world.delay_ns) == (RIGHT, 0)
    assert world.reserve_ns(LEFT) == 60_500_000_000
    world.press(RIGHT, "0:10").wait("1:13")
    assert last(world) == FlagFellEvent(LEFT, 2, None)


@pytest.mark.rule("R68")
def test_a_replacement_clock_takes_over_a_match_of_three() -> None:
    """EBF 3.7(ii): a match already won is entered as its last point."""
    world = World.ready(length=5, best_of_three=True).act(ScoreSet, side=RIGHT, points=5)
    assert (world.state.legs, world.state.score) == (Pair(0, 1), Pair(0, 0))
    assert world.phase is Phase.READY


# --- the end, and after it --------------------------------------------------------------------


@pytest.mark.rule("R75")
@pytest.mark.parametrize("winner", [LEFT, RIGHT, None])
@pytest.mark.parametrize("why", ["time", "gin", "late", "forfeit", "director"])
@pytest.mark.parametrize(
    "make",
    [World, World.ready, stopped, lambda: stopped().act(ClockRemoved)],
    ids=["REVIEW", "READY", "STOPPED", "NO_CLOCK"],
)
def test_the_director_ends_the_match(
    make: Callable[[], World], why: str, winner: Side | None
) -> None:
    """EBF 4.5: winner and why are his word; score and times stay."""
    world = make()
    before = reserves(world)
    one_record(world, MatchEnded, winner=winner, why=why)
    assert last(world) == MatchOverEvent(winner, why, Pair(0, 0), [])
    assert (world.phase, world.state.winner) == (Phase.FINISHED, winner)
    assert reserves(world.wait("1:00:00")) == before


@pytest.mark.rule("R75")
def test_a_finished_match_goes_on_with_its_times() -> None:
    """EBF 4.4(iv)(c): a doubled Crawford game undone: score corrected, and the match continues."""
    world = World.ready(length=7, score=(6, 3)).press(RIGHT).press(LEFT, "0:30")
    world.press(RIGHT, "0:40").score_game(RIGHT, 4)
    assert last(world) == MatchOverEvent(RIGHT, "score", Pair(6, 7), [])
    ended = reserves(world)
    one_record(world.wait("10:00"), Reopened)
    assert last(world) == ReopenedEvent("FINISHED")
    one_record(world, ScoreSet, side=RIGHT, points=5)
    assert (world.phase, world.state.winner) == (Phase.READY, None)
    assert (
        reserves(world) == ended == (5 * MINUTE_NS - 18 * SECOND_NS, 5 * MINUTE_NS - 28 * SECOND_NS)
    )
    world.wait("1:00").press(RIGHT)
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    world.score_game(LEFT)
    assert last(world) == MatchOverEvent(LEFT, "score", Pair(7, 5), [])


@pytest.mark.rule("R75", "R72")
@pytest.mark.parametrize("first", ["reopened", "corrected"])
def test_there_is_no_second_crawford_game_after_a_match_was_reopened(first: str) -> None:
    """EBF 4.4(iv): the game that ended the match was the Crawford game; the next is not."""
    world = game(World.ready(length=7, score=(6, 3)), RIGHT, 4)
    if first == "reopened":
        world.act(Reopened).act(ScoreSet, side=RIGHT, points=5)
    else:
        world.act(ScoreSet, side=RIGHT, points=5).act(Reopened)
    assert (world.phase, world.state.score) == (Phase.READY, Pair(6, 5))
    assert world.state.crawford is DONE


@pytest.mark.rule("R75", "R74")
def test_a_result_entered_for_the_wrong_player_is_put_right() -> None:
    """EBF 4.6: a wrong result can be corrected: reopened, corrected, and over again."""
    world = game(World.ready(length=7, score=(6, 5)), LEFT).act(Reopened)
    world.act(ScoreSet, side=LEFT, points=6).act(ScoreSet, side=RIGHT, points=7).wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    assert last(world) == MatchOverEvent(RIGHT, "score", Pair(6, 7), [])


@pytest.mark.rule("R75")
def test_a_game_closed_by_mistake_goes_on() -> None:
    """GAME_OVER: the turn is on the clock still, with the delay and reserve that it had."""
    world = World.running(LEFT).wait("0:05").stop_for(Reason.GAME_OVER).press(LEFT)
    one_record(world, Reopened)
    assert last(world) == ReopenedEvent("GAME_OVER")
    assert (world.phase, world.delay_ns) == (Phase.STOPPED, 7 * SECOND_NS)
    assert world.state.game_points == Pair(0, 0)
    world.centre("1:00")
    assert (world.state.running, world.delay_ns) == (LEFT, 7 * SECOND_NS)
    assert world.events(GameOverEvent) == []


@pytest.mark.rule("R75")
@pytest.mark.parametrize("decided", ["director", "points"])
def test_a_match_ended_in_mid_game_goes_on_where_it_was(decided: str) -> None:
    """EBF 5.2: overturned on appeal, the turn goes on with exactly the delay that it had."""
    world = World.running(LEFT, score=(10, 10)).centre("0:05")
    if decided == "director":
        world.act(MatchEnded, winner=RIGHT, why="time")
    else:
        world.act(PointsAwarded, side=LEFT, points=1, why="conduct").wait(0)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    world.wait("20:00").act(Reopened).act(ScoreSet, side=RIGHT, points=10)
    assert (world.phase, world.delay_ns) == (Phase.STOPPED, 7 * SECOND_NS)
    world.centre()
    assert (world.state.running, world.delay_ns) == (LEFT, 7 * SECOND_NS)


@pytest.mark.rule("R75", "R77")
def test_a_match_of_three_is_reopened_in_its_last_match() -> None:
    """EBF 4.4(iv)(c): only the match that ended is taken back."""
    world = game(game(World.ready(length=3, best_of_three=True), LEFT, 3), RIGHT, 3)
    game(world, LEFT, 4)
    assert (world.phase, world.state.legs) == (Phase.FINISHED, Pair(2, 1))
    world.act(Reopened).act(ScoreSet, side=LEFT, points=2)
    assert (world.phase, world.state.legs, world.state.score) == (
        Phase.READY,
        Pair(1, 1),
        Pair(2, 0),
    )


@pytest.mark.rule("R66", "R60")
def test_penalty_points_stand_in_the_log_with_why() -> None:
    """EBF 2.2(iv): offender, beneficiary, points, why and the score after it."""
    world = one_record(stopped(), PointsAwarded, side=RIGHT, points=2, why="conduct")
    assert last(world) == PenaltyEvent(RIGHT, LEFT, 2, "conduct", Pair(2, 0))
    assert world.phase is Phase.STOPPED
