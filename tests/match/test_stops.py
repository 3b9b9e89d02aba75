"""Stops, and what each reason to stop does under each federation's rules."""

import pytest
from msgspec.structs import replace

from clock.match.events import (
    FreeTurnEvent,
    ReasonChosenEvent,
    ReasonShownEvent,
    ResumedEvent,
    StoppedEvent,
)
from clock.match.inputs import Pressed, Restored
from clock.match.machine import advance
from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, Reason
from clock.match.stops import offered_reasons
from clock.match.types import Button, NextDelay, Phase, ResumeWith, Side
from lab.support.world import (
    BANK_NS,
    DELAY_NS,
    LEFT,
    RIGHT,
    SECOND_NS,
    World,
    ended,
    match_settings,
    refused,
)

HOUR_NS = 3600 * SECOND_NS


# --- stops ------------------------------------------------------------------------------------


@pytest.mark.rule("R20")
@pytest.mark.parametrize(
    "played_ns", [0, 1, 5 * SECOND_NS, DELAY_NS, 20 * SECOND_NS, DELAY_NS + BANK_NS, HOUR_NS]
)
def test_a_stop_is_never_refused(played_ns: int) -> None:
    """EBF 4.3(ii): the centre stops both clocks at any time, as of its instant."""
    world = World.running(LEFT).centre(played_ns)
    assert world.phase is Phase.STOPPED
    assert world.last() == StoppedEvent(Reason.UNSPECIFIED, LEFT)
    assert world.records[-1].running is None
    reserve_ns = BANK_NS - max(0, min(BANK_NS, played_ns - DELAY_NS))
    stood = (reserve_ns, BANK_NS, max(0, DELAY_NS - played_ns))
    assert world.times() == stood
    assert world.wait("2:00:00").times() == stood


@pytest.mark.rule("R67")
def test_from_the_reason_of_a_power_cut_the_plungers_lead_to_the_others() -> None:
    """EBF 3.7(ii): it is none of those that are offered; the centre goes on with the turn."""
    stopped = World.running(LEFT).wait("0:05")
    stopped.give(Restored(stopped.now_ns, SECOND_NS, 5 * SECOND_NS))
    assert stopped.state.reason is Reason.POWER_LOSS
    reasons = offered_reasons(stopped.state)
    for side, expected in ((LEFT, reasons[-1]), (RIGHT, reasons[1])):
        shown, _ = advance(stopped.state, Pressed(stopped.now_ns, side))
        assert shown.reason is expected
    assert stopped.centre().state.running is LEFT


@pytest.mark.rule("R33", "R132")
def test_reasons_that_cannot_be_are_not_offered() -> None:
    """A double in a turn off the clock that does not last, time that is up in practice."""
    for kept in (True, False):
        free = World.running(LEFT, "nbgf", free_turn_kept=kept).stop_for(Reason.DICE_TAKEN).centre()
        assert (Reason.DOUBLE in offered_reasons(free.state)) == kept
    practice = World(replace(match_settings(), practice=True)).press(LEFT).press(RIGHT).centre()
    offered = offered_reasons(practice.press(RIGHT).centre().state)
    assert set(offered) == set(PROFILES["ebf"].reasons) - {Reason.TIME_EXPIRED}


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
        assert world.last() == ReasonShownEvent(reason, Button.RIGHT)
    for reason in reversed(reasons):
        world.press(LEFT)
        assert world.state.reason is reason
        assert world.last() == ReasonShownEvent(reason, Button.LEFT)


@pytest.mark.rule("R22", "T5")
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize("played", ["0:05", "0:30"])
def test_plungers_change_no_time_while_stopped(played: str, side: Side) -> None:
    world = World.running(LEFT).centre(played)
    stood, turn, begins = world.times(), world.state.turn, world.state.recent
    for _ in range(25):
        world.press(side, "0:07")
        assert (world.phase, world.state.running) == (Phase.STOPPED, None)
    assert world.times() == stood
    assert world.state.turn == turn
    assert world.state.recent == begins


@pytest.mark.rule("R21", "T4")
@pytest.mark.parametrize("played_ns", [0, 5 * SECOND_NS, DELAY_NS - 1, DELAY_NS, 20 * SECOND_NS])
def test_a_stopped_turn_resumes_with_exactly_what_was_left(played_ns: int) -> None:
    """The rest of the delay is kept and no fresh one is given, however often it is stopped."""
    world = World.running(LEFT)
    for _ in range(3):
        world.centre(played_ns).centre("4:00")
    played_ns *= 3
    reserve_ns = BANK_NS - max(0, played_ns - DELAY_NS)
    assert world.times() == (reserve_ns, BANK_NS, max(0, DELAY_NS - played_ns))
    world.press(LEFT, DELAY_NS)
    assert world.reserve_ns(LEFT) == BANK_NS - max(0, played_ns)


@pytest.mark.rule("R19", "T14")
def test_a_drop_stops_the_clock() -> None:
    """EBF 4.4(iii): the player who drops stops the clock; no delay is given back."""
    world = World.running(LEFT).press(LEFT, "0:20").centre("0:15").choose(Reason.GAME_OVER)
    world.centre("0:10")
    assert world.events(StoppedEvent) == [StoppedEvent(Reason.UNSPECIFIED, RIGHT)]
    assert world.last() == ReasonChosenEvent(Reason.GAME_OVER)
    stood = (BANK_NS - 8 * SECOND_NS, BANK_NS - 3 * SECOND_NS, 0)
    assert (world.phase, *world.wait("3:00").times()) == (Phase.GAME_OVER, *stood)
    world.press(LEFT).centre().wait("3:00")
    assert (world.phase, *world.times()) == (Phase.READY, *stood)


# --- early pick-up ----------------------------------------------------------------------------


@pytest.mark.rule("R23")
def test_early_pickup_costs_the_opponent_their_next_delay() -> None:
    """EBF 4.1(v)(b): the mover finishes off the clock; the next turn alone has no delay."""
    world = World.running(LEFT).centre("0:20").choose(Reason.EARLY_PICKUP).centre()
    world.press(LEFT, "3:00")
    assert (world.phase, world.state.running) == (Phase.RUNNING, RIGHT)
    assert world.times() == (BANK_NS - 8 * SECOND_NS, BANK_NS, 0)
    assert world.last() == ended(Button.LEFT)
    world.press(RIGHT, "0:05")
    assert world.times() == (BANK_NS - 8 * SECOND_NS, BANK_NS - 5 * SECOND_NS, DELAY_NS)
    world.press(LEFT, "0:05")
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    world.press(RIGHT, "0:12")
    assert world.reserve_ns(RIGHT) == BANK_NS - 5 * SECOND_NS


@pytest.mark.rule("R24")
@pytest.mark.parametrize("reason", [Reason.UNSPECIFIED, Reason.DIRECTOR_CALLED])
def test_no_delay_is_forfeit_without_agreement(reason: Reason) -> None:
    """EBF 4.1(v)(b): a stop alone costs no delay; somebody must choose the reason."""
    world = World.running(LEFT).centre("0:05").choose(Reason.EARLY_PICKUP).choose(reason)
    world.centre().press(LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)


@pytest.mark.rule("R25", "R28")
def test_early_pickup_may_have_to_be_waited_out() -> None:
    """EBF 4.1(v)(b), `wait`: the next turn has its delay, and no press counts before it is over."""
    world = World.running(LEFT, early_pickup=EarlyPickup.WAIT).stop_for(Reason.EARLY_PICKUP)
    assert world.last() == FreeTurnEvent(Reason.EARLY_PICKUP, LEFT, NextDelay.WAIT)
    world.press(LEFT, "1:00")
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.must_wait, world.delay_ns) == (RIGHT, True, DELAY_NS)
    world.press(RIGHT, DELAY_NS - 1)
    assert world.last() == refused("must_wait", Button.RIGHT)
    assert world.state.turn == turn
    world.press(RIGHT, 1)
    assert world.last() == ended(Button.RIGHT)
    assert world.times() == (BANK_NS, BANK_NS, DELAY_NS)
    world.press(LEFT).press(RIGHT)  # the turn after that is like any other
    assert world.last() == ended(Button.RIGHT)


@pytest.mark.rule("R26")
@pytest.mark.parametrize("rule", [EarlyPickup.SKIP, EarlyPickup.WAIT])
def test_a_forfeit_delay_lapses_with_the_game(rule: EarlyPickup) -> None:
    """One that was not paid when the game ended is not paid in the next; without delays none is."""
    world = World.running(LEFT, early_pickup=rule).stop_for(Reason.EARLY_PICKUP)
    world.score_game(LEFT).press(LEFT)
    turn = world.state.turn
    assert turn is not None
    assert (turn.side, turn.must_wait, world.delay_ns) == (RIGHT, False, DELAY_NS)
    world = World.running(LEFT, delay_ns=0, early_pickup=rule).stop_for(Reason.EARLY_PICKUP)
    assert world.last() == FreeTurnEvent(Reason.EARLY_PICKUP, LEFT, None)
    assert world.state.players.right.next_delay is NextDelay.FULL


# --- free turns -------------------------------------------------------------------------------


@pytest.mark.rule("R33")
def test_dice_taken_gives_a_free_turn_in_norway() -> None:
    """NBgF 4-1-6: roll, move and double off the clock, until the player presses."""
    world = World.running(LEFT, "nbgf").stop_for(Reason.DICE_TAKEN).wait("1:00")
    assert (world.phase, world.state.running) == (Phase.FREE_TURN, None)
    assert world.times()[:2] == (BANK_NS, BANK_NS)
    world.press(RIGHT)
    assert world.last() == refused("not_on_move", Button.RIGHT)
    assert world.phase is Phase.FREE_TURN
    world.press(LEFT)
    assert world.last() == ended(Button.LEFT)
    assert (world.phase, world.state.running) == (Phase.RUNNING, RIGHT)
    assert world.times() == (BANK_NS, BANK_NS, DELAY_NS)


# --- illegal moves ----------------------------------------------------------------------------


@pytest.mark.rule("R27", "R28")
def test_after_an_illegal_move_the_mover_waits_out_the_delay() -> None:
    """EBF 4.2(iii)(c): the mover's clock restarts and the delay must run out, then a fresh one."""
    world = World.running(LEFT).press(LEFT, "0:20").centre("0:04")
    world.choose(Reason.ILLEGAL_MOVE).centre("0:40")
    assert (world.state.running, world.delay_ns) == (LEFT, DELAY_NS)
    assert world.times()[:2] == (BANK_NS - 8 * SECOND_NS, BANK_NS)
    turn = world.state.turn
    world.press(LEFT, "0:06")
    assert world.last() == refused("must_wait", Button.LEFT)
    assert world.state.turn == turn
    world.press(LEFT, 6 * SECOND_NS - 1)
    assert world.last() == refused("must_wait", Button.LEFT)
    world.wait(1 + 3 * SECOND_NS)
    assert world.times() == (BANK_NS - 11 * SECOND_NS, BANK_NS, 0)
    world.press(LEFT)
    assert world.last() == ended(Button.LEFT)
    assert (world.state.running, world.delay_ns) == (RIGHT, DELAY_NS)
    assert world.times()[:2] == (BANK_NS - 11 * SECOND_NS, BANK_NS)


@pytest.mark.rule("R28", "R21")
def test_a_player_who_must_wait_still_must_after_a_stop() -> None:
    """EBF 4.2(iii)(c): stopping the clock does not shorten the wait."""
    world = World.running(LEFT).stop_for(Reason.ILLEGAL_MOVE).centre("0:05").centre("1:00")
    assert (world.state.running, world.delay_ns) == (RIGHT, 7 * SECOND_NS)
    world.press(RIGHT, 7 * SECOND_NS - 1)
    assert world.last() == refused("must_wait", Button.RIGHT)
    world.press(RIGHT, 1)
    assert world.state.running is LEFT


# --- invalid rolls ----------------------------------------------------------------------------


@pytest.mark.rule("R32")
def test_invalid_rolls_are_counted_for_each_player() -> None:
    """EBF 4.3(v): the log numbers the restarts of each side's delay, whichever side asks."""
    world = World.running(LEFT).stop_for(Reason.INVALID_ROLL).stop_for(Reason.INVALID_ROLL)
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
    assert world.last() == refused("director_needed", Button.LEFT)
    world.press(RIGHT)
    assert world.last() == refused("director_needed", Button.RIGHT)
    world.centre()
    assert world.last() == refused("director_needed")
    assert world.state == held


@pytest.mark.rule("R117")
def test_a_disputed_roll_leads_exactly_on_or_to_a_fresh_delay() -> None:
    """EBF, DBgF 4.3(v): stopped until they agree; one press to the right is "invalid roll"."""
    world = World.running().centre("0:05").choose(Reason.ROLL_DISPUTED).centre("3:00")
    assert (world.state.running, world.delay_ns) == (LEFT, 7 * SECOND_NS)
    world.centre().choose(Reason.ROLL_DISPUTED).press(RIGHT).centre("3:00")
    assert (world.state.running, world.delay_ns) == (LEFT, DELAY_NS)
