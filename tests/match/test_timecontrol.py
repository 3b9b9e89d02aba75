"""The time bank at the figures of the federations' texts; a turn and a reserve at their limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.match.profiles import PROFILES
from clock.match.timecontrol import Account, Turn, bank_ns
from clock.match.types import Pair, Side
from clock.units import SECOND_NS

DELAY_NS = 12 * SECOND_NS
RESERVE_NS = 1320 * SECOND_NS
START_NS = 5_000_000_000_123  # of the turn; some instant


@pytest.mark.rule("R3")
def test_bank_of_an_odd_sum_is_exact_to_half_a_second() -> None:
    """17 points at 7 seconds are 59.5 seconds, rounded neither up nor down."""
    rules = replace(PROFILES["ebf"], time_per_point_ns=7 * SECOND_NS)
    assert bank_ns(rules, Pair(8, 9)) == 59_500_000_000


@pytest.mark.rule("R1")
@given(
    profile=st.sampled_from(sorted(PROFILES)),
    left=st.integers(0, 99),
    right=st.integers(0, 99),
)
def test_bank_depends_on_the_sum_of_the_points_needed(profile: str, left: int, right: int) -> None:
    """NBgF 3-4-6: one formula, "begge spillere": exchanging the players changes nothing."""
    away = Pair(left, right)
    assert bank_ns(PROFILES[profile], away) == bank_ns(PROFILES[profile], away.swapped())


# --- a turn -----------------------------------------------------------------------------------


def running(delay_ns: int = DELAY_NS) -> Turn:
    """A turn that has just started."""
    return Turn(Side.LEFT, delay_ns, since_ns=START_NS)


@pytest.mark.rule("R9", "R11")
@pytest.mark.parametrize(
    ("elapsed_ns", "delay_left_ns", "reserve_used_ns"),
    [
        (0, DELAY_NS, 0),
        (1, DELAY_NS - 1, 0),
        (DELAY_NS - 1, 1, 0),
        (DELAY_NS, 0, 0),
        (DELAY_NS + 1, 0, 1),
        (DELAY_NS + 5 * SECOND_NS, 0, 5 * SECOND_NS),
        (DELAY_NS + RESERVE_NS, 0, RESERVE_NS),
    ],
)
def test_the_delay_elapses_first(elapsed_ns: int, delay_left_ns: int, reserve_used_ns: int) -> None:
    """The reserve goes down only when the delay is over, from its very end on (EBF 3.5(v))."""
    turn, now_ns = running(), START_NS + elapsed_ns
    assert turn.elapsed_ns(now_ns) == elapsed_ns
    assert turn.delay_left_ns(now_ns) == delay_left_ns
    assert turn.reserve_used_ns(now_ns) == reserve_used_ns


def test_a_turn_is_an_ordinary_one_unless_it_is_said() -> None:
    """On the clock, of a player who is there and may press at once."""
    turn = running()
    assert (turn.used_ns, turn.must_wait, turn.free, turn.absent) == (0, False, False, False)
    assert Turn(Side.LEFT, DELAY_NS).since_ns is None


@pytest.mark.rule("R38")
@pytest.mark.parametrize("delay_ns", [0, DELAY_NS])
@pytest.mark.parametrize("left_ns", [0, 1, RESERVE_NS])
def test_the_flag_falls_when_delay_and_reserve_are_used_up(delay_ns: int, left_ns: int) -> None:
    """The flag's instant is the start plus delay plus reserve, and then both are used up."""
    turn = running(delay_ns)
    flag_at_ns = turn.flag_at_ns(left_ns)
    assert flag_at_ns == START_NS + delay_ns + left_ns
    assert turn.reserve_used_ns(flag_at_ns) == left_ns
    assert turn.delay_left_ns(flag_at_ns) == 0


@pytest.mark.rule("R21", "T4")
@pytest.mark.parametrize("played_ns", [0, 1, DELAY_NS - 1, DELAY_NS, DELAY_NS + 7])
def test_a_stop_keeps_what_was_used(played_ns: int) -> None:
    """While stopped nothing is used, however long; going on continues where it was."""
    stopped = running().stopped(START_NS + played_ns)
    for now_ns in (START_NS + played_ns, START_NS + played_ns + 10**15):
        assert stopped.elapsed_ns(now_ns) == played_ns
    assert stopped.flag_at_ns(RESERVE_NS) is None

    resumed_ns = START_NS + 10**15
    resumed = stopped.started(resumed_ns)
    assert resumed.elapsed_ns(resumed_ns) == played_ns
    assert resumed.elapsed_ns(resumed_ns + 1) == played_ns + 1
    assert resumed.flag_at_ns(RESERVE_NS) == resumed_ns + DELAY_NS + RESERVE_NS - played_ns


@pytest.mark.rule("R10", "R40")
@pytest.mark.parametrize(
    ("spent_ns", "left_ns"),
    [(0, RESERVE_NS), (1, RESERVE_NS - 1), (RESERVE_NS, 0), (RESERVE_NS + 1, -1)],
)
def test_an_account_derives_what_is_left(spent_ns: int, left_ns: int) -> None:
    """Left is the time granted less the time spent; below 0 after the flag."""
    assert Account(RESERVE_NS, spent_ns).left_ns == left_ns
    assert Account(RESERVE_NS).spent_ns == 0
