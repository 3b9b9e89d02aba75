"""The time bank: exact, and the same for both players."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.match.profiles import PROFILES
from clock.match.timecontrol import bank_ns
from clock.match.types import Pair
from clock.units import SECOND_NS


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
