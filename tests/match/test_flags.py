"""Flags: their instant, order and margin, claims, overtime, and how a match goes on."""

from collections.abc import Callable

import pytest

from clock.match.events import (
    AdjustedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    MatchOverEvent,
    OvertimeEvent,
    PressedEvent,
    ReasonShownEvent,
)
from clock.match.inputs import (
    BanksReset,
    BreakTaken,
    ClockRemoved,
    FlagSet,
    OvertimeGranted,
    TimeSet,
    TurnResumed,
)
from clock.match.machine import next_deadline
from clock.match.profiles import PROFILES
from clock.match.rules import FirstFlag, Reason
from clock.match.state import Flag
from clock.match.types import Button, Pair, Phase, ResumeWith, Side
from lab.support.world import LEFT, RIGHT, SECOND_NS, World

DELAY_NS = 12 * SECOND_NS
BANK_NS = 22 * 60 * SECOND_NS


def short(left: int, right: int, profile: str = "ebf", **rules: object) -> World:
    """LEFT's clock has just started; both reserves are set, in seconds."""
    world = World.ready(profile, **rules)
    for side, seconds in ((LEFT, left), (RIGHT, right)):
        world.input(TimeSet, side=side, new_ns=seconds * SECOND_NS, why="best_estimate")
    return world.press(RIGHT)


def flag_instants(world: World) -> list[tuple[Side, int]]:
    """Which flags fell, and when."""
    return [
        (record.event.side, record.at_ns)
        for record in world.records
        if isinstance(record.event, FlagFellEvent)
    ]


def both_down() -> World:
    """LEFT's flag fell first, then RIGHT's; RIGHT's clock runs."""
    return short(0, 0).press(LEFT, "0:12").wait("0:12")


# --- the instant ------------------------------------------------------------------------------


@pytest.mark.rule("R38", "T10")
@pytest.mark.parametrize("late_ns", [0, 1, 999_999_999, 3600 * SECOND_NS])
def test_the_flag_is_stamped_with_its_own_instant(late_ns: int) -> None:
    world = World.running(LEFT)
    assert next_deadline(world.state) == DELAY_NS + BANK_NS
    world.press(RIGHT, DELAY_NS + BANK_NS + late_ns)
    assert flag_instants(world) == [(LEFT, DELAY_NS + BANK_NS)]
    record = world.records[-2]
    assert (record.left_ns, record.right_ns, record.delay_ns) == (0, BANK_NS, 0)
    assert (record.phase, record.running) == (Phase.RUNNING, LEFT)
    assert world.records[-1].at_ns == DELAY_NS + BANK_NS + late_ns


@pytest.mark.rule("R39", "T11", "T2")
@pytest.mark.parametrize(("early_ns", "flags"), [(1, 0), (0, 1), (-1, 1)])
def test_a_press_wins_against_the_flag_if_it_came_before(early_ns: int, flags: int) -> None:
    """What counts is the stamp of the press, whenever it is handled; at the instant it is late."""
    world = short(10, 10).press(LEFT, 22 * SECOND_NS - early_ns)
    world.wait("0:10")
    assert world.state.flags_down == flags
    assert world.state.running is RIGHT
    assert world.events(PressedEvent)[-1] == PressedEvent(Button.LEFT, accepted=True, why=None)


@pytest.mark.rule("T3", "R9")
def test_an_empty_reserve_is_playable_within_the_delay() -> None:
    """EBF 3.5(v): under 12 s a turn no flag falls; at 12 s it does."""
    world = short(0, 0)
    for _ in range(500):
        world.press(LEFT, DELAY_NS - 1).press(RIGHT, DELAY_NS - 1)
    assert world.state.flags_down == 0
    start_ns = world.now_ns
    world.wait("0:20")
    assert flag_instants(world) == [(LEFT, start_ns + DELAY_NS)]


@pytest.mark.rule("R38", "R21")
@pytest.mark.parametrize("played_ns", [1, 5 * SECOND_NS, DELAY_NS, DELAY_NS + 1, 30 * SECOND_NS])
@pytest.mark.parametrize("stops", [1, 2])
def test_a_stop_moves_the_flag_by_its_own_length(stops: int, played_ns: int) -> None:
    """Nothing is lost or won by stopping: 12 + 70 s of play, whatever lies between."""
    world = short(70, 70)
    for _ in range(stops):
        world.centre(played_ns).centre("3:00")
    fall_ns = 82 * SECOND_NS + stops * 180 * SECOND_NS
    assert next_deadline(world.state) == fall_ns
    world.wait("5:00")
    assert flag_instants(world) == [(LEFT, fall_ns)]


# --- the effects of a flag --------------------------------------------------------------------


@pytest.mark.rule("R40")
@pytest.mark.parametrize("name", ["ebf", "nbgf"])
def test_a_flag_does_not_end_the_match(name: str) -> None:
    """EBF 4.3(iii), NBgF 4-3-3: until somebody says so play goes on; the reserve stays at 0."""
    world = short(1, 100, name).wait("1:00")
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    assert world.reserve_ns(LEFT) == 0
    world.press(LEFT)
    assert world.last() == PressedEvent(Button.LEFT, accepted=True, why=None)
    assert (world.state.running, world.delay_ns) == (RIGHT, PROFILES[name].delay_ns)
    world.press(RIGHT, "0:05").press(LEFT, "1:00").wait("0:01")
    assert world.reserve_ns(LEFT) == 0
    assert [side for side, _ in flag_instants(world)] == [LEFT]
    assert world.events(MatchOverEvent) == []


@pytest.mark.rule("R40", "R43")
def test_a_claim_knows_what_was_played_after_the_flag() -> None:
    """The overrun is the time beyond delay and reserve, over all turns since."""
    world = short(10, 100).press(LEFT, "0:25")  # 3 s after the flag
    world.press(RIGHT, "0:05").press(LEFT, "0:14")  # another 2 s
    world.press(RIGHT, "0:05").wait("0:13").stop_for(Reason.TIME_EXPIRED)  # and 1
    assert world.last() == FlagClaimedEvent(LEFT, 6 * SECOND_NS)


@pytest.mark.rule("R41")
def test_a_flag_stays_down() -> None:
    """FIDE: over stops, turns, games and breaks, until the director clears it."""
    world = short(1, 100).wait("0:20")
    story: tuple[Callable[[], World], ...] = (
        lambda: world.centre().centre("1:00"),
        lambda: world.stop_for(Reason.INVALID_ROLL),
        lambda: world.press(LEFT).press(RIGHT),
        lambda: world.score_game(RIGHT),
        lambda: world.give(BreakTaken(world.now_ns, Pair(1, 0))).centre("5:00"),
        lambda: world.press(RIGHT, "0:30").wait("0:30"),
        lambda: world.stop_for(Reason.TIME_EXPIRED),
    )
    for happens in story:
        happens()
        flag = world.state.players[LEFT].flag
        assert flag is not None
        assert (flag.order, flag.at_ns) == (1, 13 * SECOND_NS)
        assert world.state.players[RIGHT].flag is None
    world.input(FlagSet, side=LEFT, order=0)
    assert world.state.flags_down == 0
    assert world.last() == CorrectedEvent("flag", LEFT, 1, 0, flag_cleared=True)


@pytest.mark.rule("R41", "R66", "R49")
def test_time_given_to_a_flagged_player_clears_the_flag() -> None:
    """Time above 0, overtime and a reset clear the flag; 0 does not."""
    given = short(1, 100).wait("0:20").centre()
    given.input(TimeSet, side=LEFT, new_ns=SECOND_NS, why="restored")
    assert given.state.flags_down == 0
    assert given.last() == AdjustedEvent(LEFT, 0, SECOND_NS, "restored", flag_cleared=True)
    none = short(1, 100).wait("0:20").centre()
    none.input(TimeSet, side=LEFT, new_ns=0, why="restored")
    assert none.state.flags_down == 1
    assert none.last() == AdjustedEvent(LEFT, 0, 0, "restored", flag_cleared=False)
    none.input(TimeSet, side=RIGHT, new_ns=SECOND_NS, why="time_penalty")
    assert none.state.flags_down == 1
    none.input(OvertimeGranted, side=LEFT, granted_ns=SECOND_NS)
    assert none.state.flags_down == 0
    reset = both_down().centre().input(BanksReset)
    assert reset.state.flags_down == 0


@pytest.mark.rule("R41")
def test_a_flag_cleared_without_time_falls_at_the_end_of_the_next_delay() -> None:
    """Clearing a flag grants nothing: the reserve is still used up."""
    world = short(1, 100).press(LEFT, "0:20").press(RIGHT).centre()
    world.input(FlagSet, side=LEFT, order=0).centre("1:00")
    start_ns = world.now_ns
    world.wait(DELAY_NS - 1)
    assert world.state.flags_down == 0
    world.wait(1)
    assert flag_instants(world)[-1] == (LEFT, start_ns + DELAY_NS)


# --- order and margin -------------------------------------------------------------------------


@pytest.mark.rule("R42")
def test_both_flags_have_their_order_and_the_margin_between_them() -> None:
    """FIDE 5.4.2: LEFT's fell first, RIGHT's 7.25 s later."""
    world = short(0, 0, delay_ns=5_250_000_000).press(LEFT, 7_250_000_000).wait("1:00")
    assert world.events(FlagFellEvent) == [
        FlagFellEvent(LEFT, 1, None),
        FlagFellEvent(RIGHT, 2, 7_250_000_000),
    ]
    assert flag_instants(world) == [(LEFT, 5_250_000_000), (RIGHT, 12_500_000_000)]
    flags = [player.flag for player in world.state.players]
    assert flags == [Flag(1, 5_250_000_000), Flag(2, 12_500_000_000)]


@pytest.mark.rule("R42")
def test_the_margin_counts_stops_too() -> None:
    """FIDE 5.4.2: the margin is the difference of the two instants, stops included."""
    world = short(0, 0).wait("0:12").centre().centre("10:00").press(LEFT).wait("0:12")
    assert world.last() == FlagFellEvent(RIGHT, 2, 612 * SECOND_NS)


@pytest.mark.rule("R42", "R68")
def test_the_margin_behind_a_flag_entered_by_hand_is_unknown() -> None:
    """A flag that fell on another clock was first; when, this clock cannot know."""
    world = World.ready().input(FlagSet, side=RIGHT, order=1)
    world.input(TimeSet, side=LEFT, new_ns=0, why="best_estimate").press(RIGHT).wait("0:12")
    assert world.last() == FlagFellEvent(LEFT, 2, None)


@pytest.mark.rule("R42")
def test_one_flag_is_always_the_first() -> None:
    """FIDE 5.4.2: when the first flag is cleared and falls again, the other one fell before it."""
    world = both_down().centre()
    assert world.state.flags_down == 2
    world.input(TimeSet, side=LEFT, new_ns=SECOND_NS, why="restored")
    world.centre().press(RIGHT).wait("0:13")
    orders = world.state.players.map(lambda player: player.flag and player.flag.order)
    assert orders == Pair(2, 1)
    world.stop_for(Reason.TIME_EXPIRED)
    claim = world.last()
    assert isinstance(claim, FlagClaimedEvent)
    assert claim.side is RIGHT


# --- the claim --------------------------------------------------------------------------------


@pytest.mark.rule("R43")
@pytest.mark.parametrize("name", ["ebf", "nbgf-analog"])
@pytest.mark.parametrize("flagged", Side)
def test_a_claim_stops_the_clock_until_the_director_comes(flagged: Side, name: str) -> None:
    """EBF 4.3(iii), NBgF 4-3-3: whose flag, claimant and overrun; then the TD."""
    delay_ns = PROFILES[name].delay_ns
    world = World.ready(name)
    world.input(TimeSet, side=flagged, new_ns=SECOND_NS, why="best_estimate")
    world.press(flagged.other).wait(delay_ns + SECOND_NS).wait("0:04")
    world.stop_for(Reason.TIME_EXPIRED)
    assert world.last() == FlagClaimedEvent(flagged, 4 * SECOND_NS)
    assert (world.phase, world.state.running) == (Phase.STOPPED, None)
    assert world.state.held
    assert world.state.winner is None
    assert world.events(MatchOverEvent) == []


@pytest.mark.rule("R44")
def test_an_unannounced_flag_changes_no_result() -> None:
    """EBF 4.3(iii), 4.5: the match is decided by its score; the log notes the flag."""
    world = World.ready(score=(10, 10)).input(TimeSet, side=LEFT, new_ns=0, why="best_estimate")
    world.press(RIGHT).wait("0:30").score_game(LEFT)
    assert world.last() == MatchOverEvent(LEFT, "score", Pair(11, 10), [LEFT])
    assert world.state.winner is LEFT


@pytest.mark.rule("R44", "R43")
def test_a_flag_that_was_announced_is_not_noted_as_unclaimed() -> None:
    """EBF 4.3(iii): it was claimed, the director let play go on; the log must not say otherwise."""
    world = World.ready(score=(10, 10)).input(TimeSet, side=LEFT, new_ns=0, why="best_estimate")
    world.press(RIGHT).wait("0:30").stop_for(Reason.TIME_EXPIRED)
    world.input(TurnResumed, side=LEFT, delay=ResumeWith.REST).score_game(LEFT)
    assert world.last() == MatchOverEvent(LEFT, "score", Pair(11, 10), [])


# --- both flags down --------------------------------------------------------------------------


@pytest.mark.rule("R45")
@pytest.mark.parametrize("name", ["ebf", "dbgf"])
def test_the_rest_of_a_match_can_be_played_without_the_clock(name: str) -> None:
    """EBF and DBgF 4.3(iii): by the director's word; the score goes on, no time does."""
    world = short(0, 0, name).press(LEFT, "0:12").wait("0:12").stop_for(Reason.TIME_EXPIRED)
    world.input(ClockRemoved)
    assert (world.phase, world.state.running) == (Phase.NO_CLOCK, None)
    assert world.last() == CorrectedEvent("clock", None, True, False)
    assert next_deadline(world.state) is None
    assert world.state.flags_down == 2
    world.wait("3:00:00")
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (0, 0)


@pytest.mark.rule("R46")
@pytest.mark.parametrize(
    ("name", "bank_ns"),
    [
        ("nbgf", 300 * SECOND_NS),
        ("nbgf-hurtig", 150 * SECOND_NS),
        ("nbgf-lyn", 30 * SECOND_NS),
        ("nbgf-analog", 1350 * SECOND_NS),
    ],
)
def test_both_banks_are_reset_by_the_formula(name: str, bank_ns: int) -> None:
    """NBgF 4-3-3: both flags down, 11 points at 8-9: both get (3+2)/2 points' time."""
    world = short(0, 0, name, score=(8, 9))
    world.press(LEFT, "0:20").wait("0:30").stop_for(Reason.TIME_EXPIRED).input(BanksReset)
    assert (world.reserve_ns(LEFT), world.reserve_ns(RIGHT)) == (bank_ns, bank_ns)
    assert world.state.flags_down == 0
    assert world.last() == CorrectedEvent(
        "banks", None, [0, 0], [bank_ns, bank_ns], flag_cleared=True
    )
    world.input(TurnResumed, side=RIGHT, delay=ResumeWith.REST).wait(bank_ns - 1)
    assert world.state.flags_down == 0
    world.wait(1)
    assert world.events(FlagFellEvent)[-1] == FlagFellEvent(RIGHT, 1, None)


# --- continue or freeze at the first flag -----------------------------------------------------


@pytest.mark.rule("R48")
def test_both_clocks_freeze_at_the_first_flag() -> None:
    """`freeze`: stopped at the very instant, without a claim; the reason offered is the time."""
    world = short(3, 40, on_first_flag=FirstFlag.FREEZE).wait("1:00")
    assert world.last() == FlagFellEvent(LEFT, 1, None)
    record = world.records[-1]
    assert (record.at_ns, record.phase, record.running) == (15 * SECOND_NS, Phase.STOPPED, None)
    turn = world.state.turn
    assert turn is not None
    assert turn.used_ns == 15 * SECOND_NS
    assert world.state.reason is Reason.TIME_EXPIRED
    assert world.events(FlagClaimedEvent) == []
    world.centre()
    assert world.last() == FlagClaimedEvent(LEFT, 0)
    assert world.state.held


@pytest.mark.rule("R48", "R39", "T11")
def test_a_press_after_the_freeze_passes_no_turn() -> None:
    """`freeze`: a press stamped after the flag finds both clocks stopped, noticed or not."""
    world = short(3, 40, on_first_flag=FirstFlag.FREEZE).press(LEFT, 15 * SECOND_NS)
    assert (world.phase, world.state.running) == (Phase.STOPPED, None)
    assert world.reserve_ns(RIGHT) == 40 * SECOND_NS
    assert len(world.state.recent) == 1
    assert isinstance(world.last(), ReasonShownEvent)


@pytest.mark.rule("R48")
def test_only_the_first_flag_freezes() -> None:
    """`freeze`: when the director lets play go on, the second flag stops nothing."""
    world = short(0, 0, on_first_flag=FirstFlag.FREEZE).wait("0:15").centre()
    world.input(TurnResumed, side=LEFT, delay=ResumeWith.REST).press(LEFT, "0:05").wait("0:12")
    assert world.last() == FlagFellEvent(RIGHT, 2, 20 * SECOND_NS)
    assert (world.phase, world.state.running) == (Phase.RUNNING, RIGHT)


# --- overtime ---------------------------------------------------------------------------------


@pytest.mark.rule("R49")
@pytest.mark.parametrize("overtime_ns", [60 * SECOND_NS, 120 * SECOND_NS])
def test_overtime_is_granted_once_and_the_second_time_is_final(overtime_ns: int) -> None:
    """USBGF: at the first expiry 1 or 2 minutes, at the second the flag; both at their instants."""
    world = short(10, 10, "us", overtime_ns=overtime_ns).wait("9:00")
    fallen = [
        (record.at_ns, record.event, record.left_ns)
        for record in world.records
        if isinstance(record.event, OvertimeEvent | FlagFellEvent)
    ]
    assert fallen == [
        (22 * SECOND_NS, OvertimeEvent(LEFT, 0, overtime_ns, "clock"), overtime_ns),
        (22 * SECOND_NS + overtime_ns, FlagFellEvent(LEFT, 1, None), 0),
    ]


@pytest.mark.rule("R49")
def test_each_player_has_an_overtime() -> None:
    """USBGF: one a player, over all games of the match."""
    world = short(0, 0, "us", overtime_ns=60 * SECOND_NS).press(LEFT, "0:15").wait("0:15")
    assert world.events(OvertimeEvent) == [
        OvertimeEvent(LEFT, 0, 60 * SECOND_NS, "clock"),
        OvertimeEvent(RIGHT, 0, 60 * SECOND_NS, "clock"),
    ]
    world.score_game(LEFT).press(RIGHT)
    start_ns = world.now_ns
    world.wait("2:00")
    assert flag_instants(world) == [(LEFT, start_ns + 69 * SECOND_NS)]
    assert len(world.events(OvertimeEvent)) == 2


@pytest.mark.rule("R49")
def test_an_overtime_by_the_directors_word_is_the_only_one() -> None:
    """Granted by hand, it counts as used: the next expiry is final."""
    world = short(0, 0, "us", overtime_ns=60 * SECOND_NS).centre("0:05")
    world.input(OvertimeGranted, side=LEFT, granted_ns=30 * SECOND_NS).centre()
    start_ns = world.now_ns
    world.wait("5:00")
    assert world.events(OvertimeEvent) == [OvertimeEvent(LEFT, 0, 30 * SECOND_NS, "director")]
    assert flag_instants(world) == [(LEFT, start_ns + 37 * SECOND_NS)]


@pytest.mark.rule("R49", "R66")
def test_the_record_of_an_overtime_tells_the_reserve() -> None:
    """After a flag entered by mistake and cleared, the overtime is as in the log."""
    world = short(0, 100, "us", overtime_ns=60 * SECOND_NS).centre()
    world.input(FlagSet, side=LEFT, order=1).centre().centre("0:17")
    world.input(FlagSet, side=LEFT, order=0).centre().wait(0)
    event = world.last()
    assert isinstance(event, OvertimeEvent)
    assert event.new_ns == world.records[-1].left_ns == world.reserve_ns(LEFT)


@pytest.mark.rule("R48", "R49")
def test_overtime_freezes_nothing() -> None:
    """`freeze` stops at a flag; the first expiry with overtime is none."""
    rules = {"overtime_ns": 60 * SECOND_NS, "on_first_flag": FirstFlag.FREEZE}
    world = short(0, 0, "us", **rules).wait("0:20")
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    world.wait("1:00")
    assert (world.phase, world.state.running) == (Phase.STOPPED, None)
