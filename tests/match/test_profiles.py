"""Each profile against `tests/federations`: figures copied from the texts."""

import pytest
from msgspec.structs import replace

from clock.match.breaks import breaks_left
from clock.match.durations import parse_duration
from clock.match.events import (
    FlagClaimedEvent,
    FreeTurnEvent,
    LateEvent,
    ReasonChosenEvent,
    ResumedEvent,
)
from clock.match.inputs import AbsenceNoted, FlagSet
from clock.match.profiles import PROFILES, TEXTS, breaks_allowed, with_time_per_point
from clock.match.rules import FirstFlag, Method, Reason
from clock.match.types import NextDelay, Pair, Phase, ResumeWith, Side
from clock.ui.menu import items
from clock.ui.menu_fields import gin_possible
from lab.support.federations import FEDERATIONS
from lab.support.world import LEFT, RIGHT, World

BANKS = [(name, at, bank) for name, each in FEDERATIONS.items() for at, bank in each.banks.items()]
BREAKS = [(name, *had) for name, each in FEDERATIONS.items() for had in each.breaks.allowed.items()]
REASONS = [(name, reason) for name, each in FEDERATIONS.items() for reason in each.reasons]


@pytest.mark.rule("R5")
def test_each_profile_has_its_expectations() -> None:
    """Each under its own name, and none is another under a second name."""
    assert set(PROFILES) == set(FEDERATIONS)
    assert [rules.profile for rules in PROFILES.values()] == list(PROFILES)
    nameless = {tuple(getattr(r, f) for f in r.__struct_fields__[1:]) for r in PROFILES.values()}
    assert next(iter(PROFILES.values())).__struct_fields__[0] == "profile"
    assert len(nameless) == len(PROFILES)


@pytest.mark.rule("R1", "R2", "R3", "R4", "R5", "R46")
@pytest.mark.parametrize(("name", "at", "bank"), BANKS)
def test_banks(name: str, at: str, bank: str) -> None:
    length, _, score = at.partition(" ")
    left, right = score.split("-") if score else ("0", "0")
    world = World.ready(name, length=int(length), score=(int(left), int(right)))
    assert world.reserves() == (parse_duration(bank), parse_duration(bank))


@pytest.mark.rule("R5", "R7", "R12", "R36", "R37", "R48", "R49")
@pytest.mark.parametrize("name", FEDERATIONS)
def test_times(name: str) -> None:
    """The delay, the award for a game not decided; no text has overtime, or a freeze at a flag."""
    rules, known = PROFILES[name], FEDERATIONS[name]
    assert rules.delay_ns == parse_duration(known.delay)
    assert rules.not_decided_ns == parse_duration(known.not_decided)
    assert (rules.method, rules.on_first_flag) == (Method.SIMPLE_DELAY, FirstFlag.CONTINUE)
    assert rules.overtime_ns == 0
    longer = with_time_per_point(rules, rules.time_per_point_ns + 1)  # NBgF 4-3-2
    assert longer.not_decided_ns == (rules.time_per_point_ns + 1 if rules.not_decided_ns else 0)


@pytest.mark.rule("R52", "R53", "R54")
@pytest.mark.parametrize(("name", "length", "breaks"), BREAKS)
def test_breaks(name: str, length: int, breaks: int) -> None:
    assert breaks_left(World.ready(name, length=length).state) == Pair(breaks, breaks)
    assert PROFILES[name].break_ns == parse_duration(FEDERATIONS[name].breaks.each)


@pytest.mark.rule("R20", "R35", "R43")
@pytest.mark.parametrize("name", FEDERATIONS)
def test_reasons_stand_in_each_federations_own_order(name: str) -> None:
    """One press to the left of the first is the claim of time; a power loss cannot be chosen."""
    reasons = PROFILES[name].reasons
    assert list(reasons) == list(FEDERATIONS[name].reasons)
    assert reasons[:2] == (Reason.UNSPECIFIED, Reason.GAME_OVER)
    assert reasons[-1] is Reason.TIME_EXPIRED
    assert Reason.POWER_LOSS not in reasons


@pytest.mark.rule(
    *("R20", "R21", "R23", "R25", "R27", "R29", "R31", "R33", "R34", "R35", "R36", "R37", "R43")
)
@pytest.mark.parametrize(("name", "reason"), REASONS)
def test_the_centre_carries_out_each_reason(name: str, reason: Reason) -> None:
    """LEFT stops 5 s into the third turn; 90 s later: phase, clock, delay, reserves and event."""
    world = World.running(LEFT, name).press(LEFT, "0:24").press(RIGHT, "0:26").centre("0:05")
    reserves, rest_ns, delay_ns = world.reserves(), world.delay_ns, PROFILES[name].delay_ns
    world.choose(reason).centre("1:30")
    turn, state = world.state.turn, world.state
    assert turn is not None
    assert world.reserves() == reserves
    assert state.held == (state.phase is Phase.STOPPED)
    assert turn.must_wait == (
        world.last() == ResumedEvent(reason, RIGHT, ResumeWith.WAIT, "centre")
    )
    got = (
        state.phase,
        state.running,
        world.delay_ns,
        state.players[RIGHT].next_delay,
        world.last(),
    )
    full, off_clock = NextDelay.FULL, FreeTurnEvent(reason, LEFT)
    fresh = ResumeWith.FULL if delay_ns else ResumeWith.NEW
    claim = FlagClaimedEvent(None, 0) if reason is Reason.TIME_EXPIRED else None
    assert (
        got
        == {
            "goes on": (Phase.RUNNING, LEFT, rest_ns, full, resumed(reason, LEFT, ResumeWith.REST)),
            "game over": (Phase.GAME_OVER, None, rest_ns, full, ReasonChosenEvent(reason)),
            "off the clock": (Phase.FREE_TURN, None, rest_ns, full, off_clock),
            "off the clock, opponent without delay": (
                *(Phase.FREE_TURN, None, rest_ns, NextDelay.SKIP, off_clock),
            ),
            "held": (Phase.STOPPED, None, rest_ns, full, claim or ReasonChosenEvent(reason)),
            "fresh delay": (
                *(Phase.RUNNING, LEFT, delay_ns, full),
                ResumedEvent(reason, LEFT, ResumeWith.FULL, "centre", 1),
            ),
            "opponent waits": (
                *(Phase.RUNNING, RIGHT, delay_ns, full, resumed(reason, RIGHT, ResumeWith.WAIT)),
            ),
            "opponent with a fresh delay": (
                *(Phase.RUNNING, RIGHT, delay_ns, full, resumed(reason, RIGHT, fresh)),
            ),
        }[FEDERATIONS[name].reasons[reason]]
    )


def resumed(reason: Reason, side: Side, delay: ResumeWith) -> ResumedEvent:
    """A clock was started again by the players."""
    return ResumedEvent(reason, side, delay, "centre")


@pytest.mark.rule("R59", "R60", "R61", "R62", "R63")
@pytest.mark.parametrize("name", FEDERATIONS)
def test_lateness(name: str) -> None:
    """A point for each step, or the player's clock after one; perhaps more than half is all."""
    known = FEDERATIONS[name].lateness
    world = World.ready(name, length=5).input(AbsenceNoted, side=RIGHT)
    world.wait(parse_duration(known.step) - 1)
    assert len(world.events(LateEvent)) == 1
    world.wait(1).wait(2 * parse_duration(known.step))
    _, *steps = world.events(LateEvent)
    points = [0] if known.award == "start-clock" else [1, 2, 3]
    assert [(e.points, e.award, e.forfeits) for e in steps if isinstance(e, LateEvent)] == [
        (due, known.award, known.forfeit and due * 2 > 5) for due in points
    ]
    assert PROFILES[name].penalty_points_score


@pytest.mark.rule("R45", "R46", "R47")
@pytest.mark.parametrize("name", FEDERATIONS)
def test_when_time_has_run_out(name: str) -> None:
    """Who may still claim a sure win, and what is proposed if the order is not known."""
    known, world = FEDERATIONS[name].flags, World.stopped(name).input(FlagSet, side=LEFT, order=1)
    one, both = known.sure_win_after_one, known.sure_win_after_both
    assert [gin_possible(world.state, side) for side in Side] == [one, False]
    world.input(FlagSet, side=RIGHT, order=1)
    assert [gin_possible(world.state, side) for side in Side] == [both, both]
    assert [item.name for item in items(world.state)][:2] == ["undo", known.order_unknown]


def test_only_texts_that_need_one_have_a_note() -> None:
    """One is known from quotations; another one replaces all Norwegian ones."""
    assert set(TEXTS) == {name for name in PROFILES if name.startswith(("wbgf", "nbgf", "usbgf"))}


@pytest.mark.rule("R52")
def test_a_match_longer_than_all_that_have_breaks_has_none() -> None:
    rules = replace(PROFILES["ebf"], breaks=((5, 1),))
    assert [breaks_allowed(rules, length) for length in (5, 6)] == [1, 0]
