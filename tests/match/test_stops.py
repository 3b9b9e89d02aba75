"""The players' buttons: turns, refusals, stops and what each reason does, the points of a game."""

from random import Random

import pytest
from msgspec.structs import replace
from world import LEFT, RIGHT, SECOND_NS, World

from clock.match.events import AnyEvent, ConfirmedEvent, FlagClaimedEvent, FreeTurnEvent, GameOverEvent, MatchOverEvent, PressedEvent, ReasonChosenEvent, ResumedEvent, StoppedEvent
from clock.match.inputs import ClockRemoved, DelayRuled, TimeSet
from clock.match.machine import next_deadline
from clock.match.phases import Crawford, NextDelay, Phase, ResumeWith
from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, Reason
from clock.match.sides import Button, Pair, Side

BANK_NS = 22 * 60 * SECOND_NS  # EBF, DBgF, NBgF and US at 11 points
DELAY_NS = 12 * SECOND_NS
HOUR_NS = 3600 * SECOND_NS

# What the centre does for each reason, by federation.
GOES_ON, GAME_OVER, FREE_TURN, HELD = "goes on", "game over", "free turn", "held"
FRESH_DELAY, OTHER_WAITS, OTHER_FRESH = "fresh delay", "other waits", "other fresh"

EBF_REASONS = {
    Reason.UNSPECIFIED: GOES_ON,
    Reason.GAME_OVER: GAME_OVER,  # 4.3(ii)(a)
    Reason.DIRECTOR_CALLED: GOES_ON,  # 4.3(ii)(c)
    Reason.EARLY_PICKUP: FREE_TURN,  # 4.1(v)(b), 4.3(ii)(d)
    Reason.DICE_TAKEN: GOES_ON,  # 4.3(ii)(e)
    Reason.ILLEGAL_MOVE: OTHER_WAITS,  # 4.2(iii)(c), 4.3(ii)(f)
    Reason.GAME_DECIDED: GAME_OVER,  # 4.3(ii)(g), agreed
    Reason.NOT_DECIDED: GOES_ON,  # 4.3(ii)(g), not agreed
    Reason.INVALID_ROLL: FRESH_DELAY,  # 4.3(v)
    Reason.CLOCK_FAULTY: HELD,  # 3.7(ii)
    Reason.TIME_EXPIRED: HELD,  # 4.3(iii)
}
NBGF_REASONS = {
    Reason.UNSPECIFIED: GOES_ON,
    Reason.GAME_OVER: GAME_OVER,
    Reason.DIE_ON_FLOOR: GOES_ON,  # 4-3-2
    Reason.DIRECTOR_CALLED: GOES_ON,
    Reason.EARLY_PICKUP: GOES_ON,  # 4-1-5: a warning
    Reason.DICE_TAKEN: FREE_TURN,  # 4-1-6
    Reason.ILLEGAL_MOVE: OTHER_FRESH,  # 4-2-3
    Reason.GAME_DECIDED: GAME_OVER,
    Reason.NOT_DECIDED: HELD,  # 4-3-2: the director is called
    Reason.CLOCK_FAULTY: HELD,  # 3-6
    Reason.TIME_EXPIRED: HELD,  # 4-3-3
}
US_REASONS = {
    Reason.UNSPECIFIED: GOES_ON,
    Reason.GAME_OVER: GAME_OVER,
    Reason.DIE_ON_FLOOR: GOES_ON,
    Reason.DIRECTOR_CALLED: GOES_ON,
    Reason.EARLY_PICKUP: FREE_TURN,
    Reason.DICE_TAKEN: GOES_ON,
    Reason.ILLEGAL_MOVE: OTHER_FRESH,
    Reason.GAME_DECIDED: GAME_OVER,
    Reason.NOT_DECIDED: GOES_ON,
    Reason.CLOCK_FAULTY: HELD,
    Reason.TIME_EXPIRED: HELD,
}
REASONS = {
    "ebf": EBF_REASONS,
    "dbgf": EBF_REASONS,
    "nbgf": NBGF_REASONS,
    "nbgf-hurtig": NBGF_REASONS,
    "nbgf-lyn": NBGF_REASONS,
    "nbgf-analog": NBGF_REASONS,
    "us": US_REASONS,
    "us-doubles": US_REASONS,
    "jbs": EBF_REASONS,
}
WITH_INVALID_ROLL = [name for name, known in REASONS.items() if Reason.INVALID_ROLL in known]


def last(world: World) -> AnyEvent:
    """The latest event of the log."""
    return world.last


def refused(side: Button, why: str) -> PressedEvent:
    """A press without effect."""
    return PressedEvent(side, accepted=False, why=why)


def ended(side: Button) -> PressedEvent:
    """A press that counted."""
    return PressedEvent(side, accepted=True, why=None)


def times(world: World) -> tuple[int, int, int]:
    """Both reserves and what is left of the delay."""
    return world.reserve_ns(LEFT), world.reserve_ns(RIGHT), world.delay_ns


def game(world: World, winner: Side, points: int = 1) -> World:
    """One more game, over before anybody has used a second."""
    return world.press(RIGHT).score_game(winner, points)


# --- before a game ----------------------------------------------------------------------------


@pytest.mark.rule("R79")
def test_review_ends_when_both_players_have_confirmed() -> None:
    """EBF 3.5(iii): nobody plays under settings that a player has not seen."""
    world = World()
    assert world.centre().phase is Phase.REVIEW
    assert last(world) == refused(Button.CENTRE, "not_confirmed")
    world.press(LEFT)
    assert last(world) == ConfirmedEvent("left")
    world.press(LEFT)
    assert last(world) == refused(Button.LEFT, "already_confirmed")
    assert world.centre().phase is Phase.REVIEW
    assert last(world) == refused(Button.CENTRE, "not_confirmed")
    assert world.press(RIGHT).centre().phase is Phase.READY
    assert last(world) == ConfirmedEvent("centre")
    assert times(world) == (BANK_NS, BANK_NS, 0)


@pytest.mark.rule("R15", "T9")
@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("low_roller", Side)
def test_the_low_roller_starts_the_other_clock_with_a_full_delay(
    low_roller: Side, name: str
) -> None:
    """READY: press(X) starts Y; the first turn of each player has the whole delay."""
    delay_ns = PROFILES[name].delay_ns
    world = World.ready(name).press(low_roller, "7:00")
    bank_ns = world.state.bank_ns()
    assert world.phase is Phase.RUNNING
    assert world.state.running is low_roller.other
    assert last(world) == ended(Button(low_roller.value))
    assert times(world) == (bank_ns, bank_ns, delay_ns)
    world.press(low_roller.other, delay_ns)
    assert world.state.running is low_roller
    assert times(world) == (bank_ns, bank_ns, delay_ns)


@pytest.mark.rule("R15")
def test_no_time_passes_before_the_opening_roll() -> None:
    """READY: ties are rolled again with both clocks at rest."""
    world = World.ready().wait("30:00")
    assert world.phase is Phase.READY
    assert times(world) == (BANK_NS, BANK_NS, 0)


# --- turns ------------------------------------------------------------------------------------


@pytest.mark.rule("R9", "T2")
@pytest.mark.parametrize(
    ("turn_ns", "charge_ns"),
    [
        (0, 0),
        (11_900_000_000, 0),
        (DELAY_NS - 1, 0),
        (DELAY_NS, 0),
        (DELAY_NS + 1, 1),
        (DELAY_NS + 1_000_000, 1_000_000),
        (17 * SECOND_NS, 5 * SECOND_NS),
        (DELAY_NS + BANK_NS - 1_000_000, BANK_NS - 1_000_000),
        (DELAY_NS + BANK_NS - 1, BANK_NS - 1),
    ],
)
def test_a_turn_costs_what_exceeds_the_delay(turn_ns: int, charge_ns: int) -> None:
    """EBF 3.5(v): the delay elapses before the reserve does."""
    world = World.running(LEFT).press(LEFT, turn_ns)
    assert times(world) == (BANK_NS - charge_ns, BANK_NS, DELAY_NS)
    assert world.state.flags_down == 0


@pytest.mark.rule("R10")
def test_delay_never_accumulates() -> None:
    """EBF 3.5(v): what is left of a delay is lost at the press."""
    world = World.running(LEFT)
    for _ in range(100):
        world.press(LEFT, "0:03").press(RIGHT, "0:03")
    assert times(world) == (BANK_NS, BANK_NS, DELAY_NS)
    world.press(LEFT, "0:13")
    assert times(world) == (BANK_NS - SECOND_NS, BANK_NS, DELAY_NS)


@pytest.mark.rule("R11")
@pytest.mark.parametrize("turn", ["0:11", "0:12"])
def test_a_reserve_shorter_than_the_delay_is_no_limit_on_the_delay(turn: str) -> None:
    """Never an add-back: with 10 s of reserve, 11 s are free and no flag falls."""
    world = World.ready().act(TimeSet, side=LEFT, new_ns=10 * SECOND_NS, why="director")
    world.press(RIGHT).wait(turn)
    assert world.state.flags_down == 0
    world.press(LEFT)
    assert world.reserve_ns(LEFT) == 10 * SECOND_NS


@pytest.mark.rule("R13")
def test_without_delay_the_reserve_runs_from_the_first_instant() -> None:
    """NBgF 3-4-5, analog time: 3 s cost 3 s, and a nanosecond one nanosecond."""
    world = World.running(LEFT, "nbgf-analog")
    bank_ns = world.state.bank_ns()
    assert world.wait(1).reserve_ns(LEFT) == bank_ns - 1
    world.wait(3 * SECOND_NS - 1).press(LEFT)
    assert times(world) == (bank_ns - 3 * SECOND_NS, bank_ns, 0)


@pytest.mark.rule("R14")
def test_each_activation_has_a_delay_of_its_own() -> None:
    """EBF 4.4(ii)(iii): the offer, the take and the roll after it have 12 s each."""
    world = World.running(LEFT).press(LEFT, "0:12")  # offers
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    world.press(RIGHT, "0:12")  # takes
    assert (world.state.running, world.delay_ns) == (LEFT, DELAY_NS)
    world.press(LEFT, "0:12")  # has rolled and moved
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert times(world) == (BANK_NS, BANK_NS, DELAY_NS)


@pytest.mark.rule("T1")
def test_every_charge_is_exact_and_so_is_their_sum() -> None:
    """100 presses 10 ms apart cost a second in all, no more and no less."""
    world = World.running(LEFT, delay_ns=0)
    for number in range(100):
        before_ns = world.reserve_ns(LEFT) + world.reserve_ns(RIGHT)
        world.press(LEFT if number % 2 == 0 else RIGHT, 10_000_000)
        assert world.reserve_ns(LEFT) + world.reserve_ns(RIGHT) == before_ns - 10_000_000
    assert times(world) == (BANK_NS - SECOND_NS // 2, BANK_NS - SECOND_NS // 2, 0)


@pytest.mark.rule("R16")
@pytest.mark.parametrize("mover", Side)
def test_only_the_movers_plunger_ends_his_turn(mover: Side) -> None:
    """EBF 4.1(vi)(b), US 5.3: the opponent's press has no effect and is logged."""
    world = World.running(mover).press(mover.other, "0:15")
    turn = world.state.turn
    assert last(world) == refused(Button(mover.other.value), "not_on_move")
    assert world.state.running is mover
    assert world.reserve_ns(mover) == BANK_NS - 3 * SECOND_NS
    world.press(mover.other, "0:01")
    assert world.state.turn == turn
    world.press(mover, "0:01")
    assert last(world) == ended(Button(mover.value))
    assert world.state.running is mover.other
    assert world.reserve_ns(mover) == BANK_NS - 5 * SECOND_NS


@pytest.mark.rule("R16")
def test_the_mover_presses_once() -> None:
    """A second press of the same plunger is the opponent's in his turn: without effect."""
    world = World.running(LEFT).press(LEFT, "0:05").press(LEFT, 1)
    assert world.state.running is RIGHT
    assert last(world) == refused(Button.LEFT, "not_on_move")


@pytest.mark.rule("R17")
@pytest.mark.parametrize("duration_ns", [1, DELAY_NS, DELAY_NS + BANK_NS, 10 * HOUR_NS])
def test_no_turn_ends_by_itself(duration_ns: int) -> None:
    """EBF 4.1(vi)(b): a player who cannot move must be waited for; time passes no turn on."""
    world = World.running(LEFT).wait(duration_ns)
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    assert world.events(PressedEvent)[-1] == ended(Button.RIGHT)


@pytest.mark.rule("R18", "R22", "T5")
@pytest.mark.parametrize("seed", range(20))
def test_only_the_running_side_loses_time(seed: int) -> None:
    """Whatever is pressed, time is taken from one side only, at most as much as passed."""
    random = Random(seed)
    world = World.running(LEFT, random.choice(list(PROFILES)), length=1)
    for _ in range(400):
        duration_ns = random.choice((0, 1, SECOND_NS, 7 * SECOND_NS, 20 * SECOND_NS))
        running, before = world.state.running, times(world)
        world.wait(duration_ns)
        after = times(world)
        for side, number in ((LEFT, 0), (RIGHT, 1)):
            lost_ns = before[number] - after[number]
            free_ns = min(duration_ns, before[2])
            due_ns = min(duration_ns - free_ns, before[number]) if side is running else 0
            assert lost_ns == due_ns
        assert (world.state.running is None) == (world.phase is not Phase.RUNNING)
        reserves = times(world)[:2]
        if random.random() < 0.7:
            world.press(random.choice((LEFT, RIGHT)))
        elif world.phase is not Phase.GAME_OVER or max(world.state.game_points):
            world.centre()
        assert times(world)[:2] == reserves


# --- stops ------------------------------------------------------------------------------------


@pytest.mark.rule("R20")
@pytest.mark.parametrize("name", PROFILES)
def test_each_profile_has_the_reasons_of_its_text(name: str) -> None:
    """EBF 4.3(ii), NBgF 4-3-2, US 2013 5.2: all of them are tested below."""
    assert set(PROFILES[name].reasons) == set(REASONS[name])
    assert len(PROFILES[name].reasons) == len(REASONS[name])


@pytest.mark.rule("R20")
@pytest.mark.parametrize(
    "played_ns", [0, 1, 5 * SECOND_NS, DELAY_NS, 20 * SECOND_NS, DELAY_NS + BANK_NS, HOUR_NS]
)
def test_a_stop_is_never_refused(played_ns: int) -> None:
    """EBF 4.3(ii): the centre stops both clocks at any time, as of its instant."""
    world = World.running(LEFT).centre(played_ns)
    assert world.phase is Phase.STOPPED
    assert last(world) == StoppedEvent(Reason.UNSPECIFIED)
    assert world.records[-1].running is None
    reserve_ns = BANK_NS - max(0, min(BANK_NS, played_ns - DELAY_NS))
    stood = (reserve_ns, BANK_NS, max(0, DELAY_NS - played_ns))
    assert times(world) == stood
    assert times(world.wait("2:00:00")) == stood


@pytest.mark.rule("R20")
def test_a_free_turn_and_a_waiting_player_can_be_stopped() -> None:
    """EBF 4.3(ii): neither a turn off the clock nor one that must wait refuses a stop."""
    free = World.running(LEFT).stop_for(Reason.EARLY_PICKUP).centre("0:05")
    assert (free.phase, last(free)) == (Phase.STOPPED, StoppedEvent(Reason.UNSPECIFIED))
    waits = World.running(LEFT).stop_for(Reason.ILLEGAL_MOVE).centre("0:05")
    assert (waits.phase, last(waits)) == (Phase.STOPPED, StoppedEvent(Reason.UNSPECIFIED))


def carried_out(name: str, reason: Reason) -> World:
    """LEFT has played 5 s of his second turn, stops, and the reason is carried out 90 s later."""
    world = World.running(LEFT, name).press(LEFT, "0:24").press(RIGHT, "0:26").centre("0:05")
    return world.choose(reason).centre("1:30")


@pytest.mark.rule(
    *("R20", "R21", "R23", "R25", "R27", "R29", "R31", "R33", "R34", "R35", "R36", "R37", "R43")
)
@pytest.mark.parametrize(
    ("name", "reason"), [(name, reason) for name, known in REASONS.items() for reason in known]
)
def test_what_the_centre_does_for_a_reason(name: str, reason: Reason) -> None:
    """Each profile, each reason it knows: phase, clock, delay, reserves and what the log says."""
    world = carried_out(name, reason)
    delay_ns = PROFILES[name].delay_ns
    bank_ns = world.state.bank_ns()
    left_ns = bank_ns - (24 * SECOND_NS - delay_ns) - max(0, 5 * SECOND_NS - delay_ns)
    right_ns = bank_ns - (26 * SECOND_NS - delay_ns)
    rest_ns = max(0, delay_ns - 5 * SECOND_NS)
    turn = world.state.turn
    assert turn is not None
    got = (world.phase, world.state.running, *times(world), turn.must_wait, world.state.held)
    reserves = (left_ns, right_ns)
    match REASONS[name][reason]:
        case "goes on":
            assert got == (Phase.RUNNING, LEFT, *reserves, rest_ns, False, False)
            assert last(world) == ResumedEvent(reason, LEFT, ResumeWith.REST, "centre")
        case "game over":
            assert got == (Phase.GAME_OVER, None, *reserves, rest_ns, False, False)
            assert last(world) == ReasonChosenEvent(reason, Button.CENTRE)
        case "free turn":
            assert got == (Phase.FREE_TURN, None, *reserves, rest_ns, False, False)
            assert last(world) == FreeTurnEvent(reason, LEFT)
        case "held":
            assert got == (Phase.STOPPED, None, *reserves, rest_ns, False, True)
            claim = FlagClaimedEvent(None, None, 0)
            chosen = ReasonChosenEvent(reason, Button.CENTRE)
            assert last(world) == (claim if reason is Reason.TIME_EXPIRED else chosen)
        case "fresh delay":
            assert got == (Phase.RUNNING, LEFT, *reserves, delay_ns, False, False)
            assert last(world) == ResumedEvent(reason, LEFT, ResumeWith.FULL, "centre", 1)
        case "other waits":
            assert got == (Phase.RUNNING, RIGHT, *reserves, delay_ns, True, False)
            assert last(world) == ResumedEvent(reason, RIGHT, ResumeWith.WAIT, "centre")
        case "other fresh":
            assert got == (Phase.RUNNING, RIGHT, *reserves, delay_ns, False, False)
            assert last(world) == ResumedEvent(reason, RIGHT, ResumeWith.FULL, "centre")
        case unknown:
            pytest.fail(f"no such effect: {unknown}")


@pytest.mark.rule("R20", "R22")
@pytest.mark.parametrize("name", PROFILES)
def test_plungers_step_through_the_reasons(name: str) -> None:
    """STOPPED: right is the next reason, left the previous; each step is logged."""
    reasons = PROFILES[name].reasons
    world = World.running(LEFT, name).centre("0:05")
    assert world.state.reason is Reason.UNSPECIFIED is reasons[0]
    for reason in (*reasons[1:], reasons[0]):
        world.press(RIGHT)
        assert world.state.reason is reason
        assert last(world) == ReasonChosenEvent(reason, Button.RIGHT)
    for reason in reversed(reasons):
        world.press(LEFT)
        assert world.state.reason is reason
        assert last(world) == ReasonChosenEvent(reason, Button.LEFT)


@pytest.mark.rule("R22", "T5")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("played", ["0:05", "0:30"])
def test_plungers_change_no_time_while_stopped(played: str, side: Side) -> None:
    """A plunger that moves in a pause starts nothing and charges nothing."""
    world = World.running(LEFT).centre(played)
    stood, turn = times(world), world.state.turn
    for _ in range(25):
        world.press(side, "0:07")
        assert (world.phase, world.state.running) == (Phase.STOPPED, None)
    assert times(world) == stood
    assert world.state.turn == turn
    assert world.state.recent == ()


@pytest.mark.rule("R21", "T4")
@pytest.mark.parametrize("played_ns", [0, 5 * SECOND_NS, DELAY_NS - 1, DELAY_NS, 20 * SECOND_NS])
def test_a_stopped_turn_goes_on_with_exactly_what_was_left(played_ns: int) -> None:
    """The rest of the delay is kept and no fresh one is given, however often it is stopped."""
    world = World.running(LEFT)
    for _ in range(3):
        world.centre(played_ns).centre("4:00")
    played_ns *= 3
    reserve_ns = BANK_NS - max(0, played_ns - DELAY_NS)
    assert times(world) == (reserve_ns, BANK_NS, max(0, DELAY_NS - played_ns))
    world.press(LEFT, DELAY_NS)
    assert world.reserve_ns(LEFT) == BANK_NS - max(0, played_ns)


@pytest.mark.rule("R19", "T14")
def test_a_drop_stops_the_clock() -> None:
    """EBF 4.4(iii): the one who drops stops; both stand, and no delay is given back."""
    world = World.running(LEFT).press(LEFT, "0:20").centre("0:15").choose(Reason.GAME_OVER)
    world.centre("0:10")
    assert world.events(StoppedEvent) == [StoppedEvent(Reason.UNSPECIFIED)]
    assert last(world) == ReasonChosenEvent(Reason.GAME_OVER, Button.CENTRE)
    stood = (BANK_NS - 8 * SECOND_NS, BANK_NS - 3 * SECOND_NS, 0)
    assert (world.phase, *times(world.wait("3:00"))) == (Phase.GAME_OVER, *stood)
    world.press(LEFT).centre().wait("3:00")
    assert (world.phase, *times(world)) == (Phase.READY, *stood)


@pytest.mark.rule("T14")
def test_a_game_that_ends_inside_a_delay_gives_nothing_back() -> None:
    """What a turn has used is used, and the next game begins with full delays."""
    world = World.running(LEFT).press(LEFT, "0:20").wait("0:04").score_game(LEFT)
    assert times(world) == (BANK_NS - 8 * SECOND_NS, BANK_NS, 0)
    world.press(LEFT)
    assert (world.state.running, *times(world)) == (
        RIGHT,
        BANK_NS - 8 * SECOND_NS,
        BANK_NS,
        DELAY_NS,
    )


# --- early pick-up ----------------------------------------------------------------------------


@pytest.mark.rule("R23")
@pytest.mark.parametrize("name", ["ebf", "dbgf", "us", "jbs"])
def test_early_pickup_costs_the_opponent_his_next_delay(name: str) -> None:
    """EBF 4.1(v)(b): the mover finishes off the clock; the next turn alone has no delay."""
    world = World.running(LEFT, name).centre("0:20").choose(Reason.EARLY_PICKUP).centre()
    bank_ns = world.state.bank_ns()
    world.press(LEFT, "3:00")
    assert (world.phase, world.state.running) == (Phase.RUNNING, RIGHT)
    assert times(world) == (bank_ns - 8 * SECOND_NS, bank_ns, 0)
    assert last(world) == ended(Button.LEFT)
    world.press(RIGHT, "0:05")
    assert times(world) == (bank_ns - 8 * SECOND_NS, bank_ns - 5 * SECOND_NS, DELAY_NS)
    world.press(LEFT, "0:05")
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    world.press(RIGHT, "0:12")
    assert world.reserve_ns(RIGHT) == bank_ns - 5 * SECOND_NS


@pytest.mark.rule("R24")
@pytest.mark.parametrize("reason", [Reason.UNSPECIFIED, Reason.DIRECTOR_CALLED])
def test_no_delay_is_forfeit_without_agreement(reason: Reason) -> None:
    """EBF 4.1(v)(b): a stop alone costs nobody a delay; the players or the director must say so."""
    world = World.running(LEFT).centre("0:05").choose(Reason.EARLY_PICKUP).choose(reason)
    world.centre().press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)


@pytest.mark.rule("R24")
def test_the_director_may_forfeit_a_delay() -> None:
    """EBF 4.1(v)(b): without the players' agreement the director claims it for the mover."""
    world = World.running(LEFT).centre("0:05").act(DelayRuled, side=RIGHT, delay=NextDelay.SKIP)
    world.choose(Reason.DIRECTOR_CALLED).centre().press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, 0)
    world.press(RIGHT, "0:05").press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert world.reserve_ns(RIGHT) == BANK_NS - 5 * SECOND_NS


@pytest.mark.rule("R25", "R28")
def test_early_pickup_may_have_to_be_waited_out() -> None:
    """EBF 4.1(v)(b), `wait`: the next turn has its delay, and no press counts before it is over."""
    world = World.running(LEFT, early_pickup=EarlyPickup.WAIT).stop_for(Reason.EARLY_PICKUP)
    world.press(LEFT, "1:00")
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.must_wait, world.delay_ns) == (RIGHT, True, DELAY_NS)
    world.press(RIGHT, DELAY_NS - 1)
    assert last(world) == refused(Button.RIGHT, "must_wait")
    assert world.state.turn == turn
    world.press(RIGHT, 1)
    assert last(world) == ended(Button.RIGHT)
    assert times(world) == (BANK_NS, BANK_NS, DELAY_NS)
    world.press(LEFT).press(RIGHT)  # his turn after that is as any other
    assert last(world) == ended(Button.RIGHT)


@pytest.mark.rule("R26")
@pytest.mark.parametrize("rule", [EarlyPickup.SKIP, EarlyPickup.WAIT])
def test_a_forfeit_delay_lapses_with_the_game(rule: EarlyPickup) -> None:
    """A forfeit that was not paid when the game ended is not paid in the next."""
    world = World.running(LEFT, early_pickup=rule).stop_for(Reason.EARLY_PICKUP)
    world.score_game(LEFT).press(LEFT)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.must_wait, world.delay_ns) == (RIGHT, False, DELAY_NS)


@pytest.mark.rule("R23")
@pytest.mark.parametrize("name", ["nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"])
def test_early_pickup_in_norway_costs_no_delay(name: str) -> None:
    """NBgF 4-1-5: a warning, and a time penalty only by the director; play goes on as it was."""
    world = World.running(LEFT, name).centre("0:05").choose(Reason.EARLY_PICKUP).centre()
    world.press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, PROFILES[name].delay_ns)


# --- free turns -------------------------------------------------------------------------------


@pytest.mark.rule("R33")
@pytest.mark.parametrize("name", ["nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"])
def test_dice_taken_gives_a_free_turn_in_norway(name: str) -> None:
    """NBgF 4-1-6: he rolls, moves and may double off the clock; his plunger ends it."""
    world = World.running(LEFT, name).centre(1).choose(Reason.DICE_TAKEN).centre()
    bank_ns, delay_ns = world.state.bank_ns(), PROFILES[name].delay_ns
    left_ns = bank_ns if delay_ns else bank_ns - 1
    world.wait("1:00")
    assert (world.phase, world.state.running) == (Phase.FREE_TURN, None)
    assert times(world)[:2] == (left_ns, bank_ns)
    world.press(RIGHT)
    assert last(world) == refused(Button.RIGHT, "not_on_move")
    assert world.phase is Phase.FREE_TURN
    world.press(LEFT)
    assert last(world) == ended(Button.LEFT)
    assert (world.phase, world.state.running) == (Phase.RUNNING, RIGHT)
    assert times(world) == (left_ns, bank_ns, delay_ns)


@pytest.mark.rule("R33", "R21")
@pytest.mark.parametrize("reason", [Reason.UNSPECIFIED, Reason.DIE_ON_FLOOR])
def test_a_free_turn_that_was_stopped_is_still_free(reason: Reason) -> None:
    """NBgF 4-1-6: a stop in a free turn starts no clock when it is over."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).wait("0:30")
    world.stop_for(reason).wait("0:30")
    assert (world.phase, world.state.running) == (Phase.FREE_TURN, None)
    assert last(world) == ResumedEvent(reason, LEFT, ResumeWith.REST, "centre")
    world.press(LEFT)
    assert times(world) == (BANK_NS, BANK_NS, DELAY_NS)
    assert world.state.running is RIGHT


@pytest.mark.rule("R33")
def test_a_free_turn_is_free_once() -> None:
    """NBgF 4-1-6: the next turn of the same player is on the clock."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).press(LEFT, "1:00")
    world.press(RIGHT, "0:05")
    assert (world.phase, world.state.running) == (Phase.RUNNING, LEFT)
    world.press(LEFT, "0:13")
    assert world.reserve_ns(LEFT) == BANK_NS - SECOND_NS


@pytest.mark.rule("R33")
def test_no_flag_falls_in_a_free_turn() -> None:
    """NBgF 4-1-6: off the clock means off the clock, however little was left."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN)
    assert next_deadline(world.state) is None
    assert world.wait("9:00:00").state.flags_down == 0


# --- illegal moves ----------------------------------------------------------------------------


@pytest.mark.rule("R27", "R28")
@pytest.mark.parametrize("name", ["ebf", "dbgf", "jbs"])
def test_an_illegal_move_is_made_good_after_the_delay(name: str) -> None:
    """EBF 4.2(iii)(c): the mover's clock restarts, he waits the delay out; then a fresh delay."""
    world = World.running(LEFT, name).press(LEFT, "0:20").centre("0:04")
    bank_ns = world.state.bank_ns()
    world.choose(Reason.ILLEGAL_MOVE).centre("0:40")
    assert (world.state.running, world.delay_ns) == (LEFT, DELAY_NS)
    assert times(world)[:2] == (bank_ns - 8 * SECOND_NS, bank_ns)
    turn = world.state.turn
    world.press(LEFT, "0:06")
    assert last(world) == refused(Button.LEFT, "must_wait")
    assert world.state.turn == turn
    world.press(LEFT, 6 * SECOND_NS - 1)
    assert last(world) == refused(Button.LEFT, "must_wait")
    world.wait(1 + 3 * SECOND_NS)
    assert times(world) == (bank_ns - 11 * SECOND_NS, bank_ns, 0)
    world.press(LEFT)
    assert last(world) == ended(Button.LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert times(world)[:2] == (bank_ns - 11 * SECOND_NS, bank_ns)


@pytest.mark.rule("R27")
def test_what_the_claimant_used_before_an_illegal_move_stays_used() -> None:
    """EBF 4.2(iii)(c): he is charged up to his stop, and has a fresh delay when it is his turn."""
    world = World.running(LEFT).press(LEFT).wait("0:17").stop_for(Reason.ILLEGAL_MOVE)
    assert times(world) == (BANK_NS, BANK_NS - 5 * SECOND_NS, DELAY_NS)
    world.press(LEFT, "0:12").press(RIGHT, "0:12")
    assert times(world) == (BANK_NS, BANK_NS - 5 * SECOND_NS, DELAY_NS)


@pytest.mark.rule("R28", "R21")
def test_a_player_who_must_wait_still_must_after_a_stop() -> None:
    """EBF 4.2(iii)(c): stopping the clock does not spare him the rest of the wait."""
    world = World.running(LEFT).stop_for(Reason.ILLEGAL_MOVE).centre("0:05").centre("1:00")
    assert (world.state.running, world.delay_ns) == (RIGHT, 7 * SECOND_NS)
    world.press(RIGHT, 7 * SECOND_NS - 1)
    assert last(world) == refused(Button.RIGHT, "must_wait")
    world.press(RIGHT, 1)
    assert world.state.running is LEFT


@pytest.mark.rule("R29")
@pytest.mark.parametrize("name", ["nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog", "us"])
def test_an_illegal_move_can_be_made_good_at_once(name: str) -> None:
    """NBgF 4-2-3, US 6.1: the mover's clock restarts with a fresh delay and his press counts."""
    delay_ns = PROFILES[name].delay_ns
    world = World.running(LEFT, name).press(LEFT).stop_for(Reason.ILLEGAL_MOVE)
    assert (world.state.running, world.delay_ns) == (LEFT, delay_ns)
    world.press(LEFT, 1)
    assert last(world) == ended(Button.LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, delay_ns)


@pytest.mark.rule("R30")
@pytest.mark.parametrize("reason", [Reason.UNSPECIFIED, Reason.DIRECTOR_CALLED])
def test_a_rejected_claim_changes_nothing(reason: Reason) -> None:
    """EBF 4.2(iii)(c): if the move was legal, the claimant's turn goes on as it was."""
    world = World.running(LEFT).centre("0:15").choose(Reason.ILLEGAL_MOVE).choose(reason)
    world.centre("5:00")
    assert (world.state.running, *times(world)) == (LEFT, BANK_NS - 3 * SECOND_NS, BANK_NS, 0)


# --- invalid rolls ----------------------------------------------------------------------------


@pytest.mark.rule("R31")
@pytest.mark.parametrize("name", WITH_INVALID_ROLL)
def test_an_invalid_roll_starts_the_delay_anew(name: str) -> None:
    """EBF 4.3(v): the same side, a full delay; the reserve that was used is not restored."""
    world = World.running(LEFT, name).centre("0:15").choose(Reason.INVALID_ROLL).centre("0:20")
    bank_ns = world.state.bank_ns()
    assert (world.state.running, *times(world)) == (
        LEFT,
        bank_ns - 3 * SECOND_NS,
        bank_ns,
        DELAY_NS,
    )
    world.press(LEFT, "0:13")
    assert times(world) == (bank_ns - 4 * SECOND_NS, bank_ns, DELAY_NS)


@pytest.mark.rule("R32")
@pytest.mark.parametrize("name", WITH_INVALID_ROLL)
def test_invalid_rolls_are_counted_for_each_player(name: str) -> None:
    """EBF 4.3(v): whoever asks for it, each restart of a side's delay has its number in the log."""
    world = World.running(LEFT, name).stop_for(Reason.INVALID_ROLL).stop_for(Reason.INVALID_ROLL)
    world.press(LEFT).stop_for(Reason.INVALID_ROLL).press(RIGHT).stop_for(Reason.INVALID_ROLL)
    counts = [(LEFT, 1), (LEFT, 2), (RIGHT, 1), (LEFT, 3)]
    assert world.events(ResumedEvent) == [
        ResumedEvent(Reason.INVALID_ROLL, side, ResumeWith.FULL, "centre", count)
        for side, count in counts
    ]


# --- a hold -----------------------------------------------------------------------------------


@pytest.mark.rule("R78", "R37", "R43")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ebf", Reason.TIME_EXPIRED),
        ("ebf", Reason.CLOCK_FAULTY),
        ("nbgf", Reason.TIME_EXPIRED),
        ("nbgf", Reason.CLOCK_FAULTY),
        ("nbgf", Reason.NOT_DECIDED),
        ("us", Reason.TIME_EXPIRED),
    ],
)
def test_players_cannot_end_a_hold(name: str, reason: Reason) -> None:
    """EBF 5.1, NBgF 1-8-1: until the director comes no button has any effect."""
    world = World.running(LEFT, name).wait("0:20").stop_for(reason)
    held = world.state
    assert held.held
    world.press(LEFT)
    assert last(world) == refused(Button.LEFT, "director_needed")
    world.press(RIGHT)
    assert last(world) == refused(Button.RIGHT, "director_needed")
    world.centre()
    assert last(world) == refused(Button.CENTRE, "director_needed")
    assert world.state == held


@pytest.mark.rule("R37")
@pytest.mark.parametrize("name", ["nbgf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog"])
def test_a_claim_of_gin_that_is_agreed_gives_no_time(name: str) -> None:
    """NBgF 4-3-2: agreed, the game is scored and nobody gets a bonus."""
    world = World.running(LEFT, name).stop_for(Reason.GAME_DECIDED).press(LEFT).centre()
    bank_ns = PROFILES[name].time_per_point_ns * 11 + PROFILES[name].time_per_match_ns
    assert (world.phase, *times(world)) == (Phase.READY, bank_ns, bank_ns, 0)


# --- the points of a game ---------------------------------------------------------------------


@pytest.mark.rule("R77")
@pytest.mark.parametrize("winner", Side)
@pytest.mark.parametrize("points", [1, 2, 3, 4, 6, 8, 12])
def test_each_press_is_a_point(points: int, winner: Side) -> None:
    """The cube once, twice or three times: a press a point for the side that won."""
    world = World.ready(length=25).press(RIGHT).score_game(winner, points)
    score = Pair(0, 0).put(winner, points)
    assert world.state.score == score
    assert world.phase is Phase.READY
    assert last(world) == GameOverEvent(winner, points, score, Pair(0, 0), False, None)


@pytest.mark.rule("R77")
def test_points_for_the_other_side_begin_anew() -> None:
    """GAME_OVER: a press on the other side corrects whose points they are."""
    world = World.running(LEFT).stop_for(Reason.GAME_OVER).press(LEFT).press(LEFT).press(RIGHT)
    assert world.state.game_points == Pair(0, 1)
    assert last(world) == ended(Button.RIGHT)
    world.centre()
    assert world.state.score == Pair(0, 1)


@pytest.mark.rule("R76", "R77")
@pytest.mark.parametrize(
    ("points", "warning"),
    [
        (0, "no_points"),
        (1, None),
        (3, None),
        (4, None),
        (5, "impossible_points"),
        (6, None),
        (7, "impossible_points"),
        (8, "match_ends"),
        (9, "impossible_points"),
        (12, "match_ends"),
    ],
)
def test_doubtful_points_are_warned_of(points: int, warning: str | None) -> None:
    """US 5.14, EBF 4.4(vii): points that no cube gives, or that end the match, are pointed out."""
    world = World.ready(score=(3, 10)).press(RIGHT).score_game(LEFT, points)
    event = world.events(GameOverEvent)[-1]
    assert isinstance(event, GameOverEvent)
    assert event.warning == warning
    assert event.points == points


@pytest.mark.rule("R76")
def test_a_warning_does_not_block() -> None:
    """A21: whether a match may end on a drop is the director's matter."""
    world = game(World.ready(score=(9, 0)), LEFT, 2)
    assert world.phase is Phase.FINISHED
    assert last(world) == MatchOverEvent(LEFT, "score", Pair(11, 0), [])


@pytest.mark.rule("R77")
def test_a_game_without_points_changes_no_score() -> None:
    """A game closed without points was none: score, Crawford and winner are as before."""
    world = World.ready(length=7, score=(6, 3)).press(RIGHT).score_game(LEFT, 0)
    assert last(world) == GameOverEvent(None, 0, Pair(6, 3), Pair(0, 0), True, "no_points")
    assert (world.phase, world.state.crawford) == (Phase.READY, Crawford.NOW)


@pytest.mark.rule("R77", "R44")
@pytest.mark.parametrize(("points", "final"), [(1, 11), (4, 14)])
def test_points_end_the_match(points: int, final: int) -> None:
    """US 5.14: the match ends as soon as a score meets or exceeds its length."""
    world = game(World.ready(score=(2, 10)), RIGHT, points)
    assert (world.phase, world.state.winner) == (Phase.FINISHED, RIGHT)
    assert last(world) == MatchOverEvent(RIGHT, "score", Pair(2, final), [])
    for button in (Button.LEFT, Button.RIGHT):
        world.press(Side(button.value))
        assert last(world) == refused(button, "finished")
    world.centre()
    assert last(world) == refused(Button.CENTRE, "finished")


# --- Crawford ---------------------------------------------------------------------------------

BEFORE, NOW, DONE = Crawford.BEFORE, Crawford.NOW, Crawford.DONE


@pytest.mark.rule("R72")
@pytest.mark.parametrize(
    ("length", "games"),
    [
        (7, [(LEFT, 6, NOW), (RIGHT, 1, DONE), (RIGHT, 1, DONE)]),
        (7, [(RIGHT, 4, BEFORE), (LEFT, 4, BEFORE), (RIGHT, 2, NOW), (LEFT, 2, DONE)]),
        (5, [(LEFT, 4, NOW), (RIGHT, 4, DONE)]),  # 4-4: once is once
        (3, [(LEFT, 1, BEFORE), (RIGHT, 1, BEFORE), (LEFT, 1, NOW), (RIGHT, 1, DONE)]),
        (2, [(LEFT, 1, NOW), (RIGHT, 1, DONE)]),
    ],
)
def test_the_crawford_game(length: int, games: list[tuple[Side, int, Crawford]]) -> None:
    """EBF 4.4(iv): the first game in which a player is exactly one point away, and that once."""
    world = World.ready(length=length)
    for winner, points, following in games:
        game(world, winner, points)
        assert world.state.crawford is following
        event = last(world)
        assert isinstance(event, GameOverEvent)
        assert event.crawford is (following is NOW)


@pytest.mark.rule("R72", "R64")
@pytest.mark.parametrize(
    ("score", "crawford"),
    [((0, 0), BEFORE), ((5, 5), BEFORE), ((6, 3), NOW), ((2, 6), NOW)],
)
def test_crawford_at_the_score_that_a_match_begins_with(
    score: tuple[int, int], crawford: Crawford
) -> None:
    """EBF 4.4(iv): a match under way to 7 begins with the Crawford game if somebody has 6."""
    assert World.ready(length=7, score=score).state.crawford is crawford


@pytest.mark.rule("R72")
def test_no_crawford_game_is_announced_after_the_last_game() -> None:
    """EBF 4.7: the log announces a Crawford game only if there is a next game."""
    world = game(World.ready(length=7, score=(6, 3)), LEFT)
    assert world.events(GameOverEvent)[-1] == GameOverEvent(
        LEFT, 1, Pair(7, 3), Pair(1, 0), False, "match_ends"
    )


# --- what is nobody's turn --------------------------------------------------------------------


@pytest.mark.rule("R45")
def test_without_a_clock_buttons_mean_nothing() -> None:
    """EBF 4.3(iii): the rest of the match is played without the clock; presses are only logged."""
    world = World.running(LEFT).centre("0:20").act(ClockRemoved)
    stood = world.state
    for button in (Button.LEFT, Button.RIGHT):
        world.press(Side(button.value), "1:00")
        assert last(world) == refused(button, "no_clock")
    world.centre("1:00")
    assert last(world) == refused(Button.CENTRE, "no_clock")
    assert replace(world.state, at_ns=stood.at_ns) == stood
