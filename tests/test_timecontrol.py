"""The time bank: every figure that the federations' texts give or imply, exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clock.match.durations import duration_ns
from clock.match.profiles import PROFILES
from clock.match.rules import SECOND_NS
from clock.match.sides import Pair
from clock.match.timecontrol import bank_ns

# Length and score, then the bank under EBF, hurtiggammon, lyngammon and analog.
WORKED = [
    (7, (0, 0), ("14:00", "7:00", "1:24", "45:00")),
    (11, (0, 0), ("22:00", "11:00", "2:12", "65:00")),
    (15, (0, 0), ("30:00", "15:00", "3:00", "85:00")),
    (11, (3, 1), ("18:00", "9:00", "1:48", "55:00")),
    (11, (3, 2), ("17:00", "8:30", "1:42", "52:30")),
    (11, (8, 9), ("5:00", "2:30", "0:30", "22:30")),
    (11, (10, 10), ("2:00", "1:00", "0:12", "15:00")),
]
PRESETS = ("ebf", "nbgf-hurtig", "nbgf-lyn", "nbgf-analog")


def bank(profile: str, length: int, score: tuple[int, int]) -> int:
    """The bank that a profile gives at a score."""
    return bank_ns(PROFILES[profile], Pair(length - score[0], length - score[1]))


@pytest.mark.rule("R1", "R3", "R4", "R46")
@pytest.mark.parametrize(
    ("length", "score", "profile", "expected"),
    [
        (length, score, profile, expected)
        for length, score, row in WORKED
        for profile, expected in zip(PRESETS, row, strict=True)
    ],
)
def test_bank_is_half_of_what_both_need_times_time_per_point_plus_time_per_match(
    length: int, score: tuple[int, int], profile: str, expected: str
) -> None:
    """NBgF 3-4-6: (RA+RB) x PN / 2 + KN, at the start, in mid-match and at double match point."""
    assert bank(profile, length, score) == duration_ns(expected)


@pytest.mark.rule("R1")
@pytest.mark.parametrize("profile", ["ebf", "dbgf", "nbgf", "us"])
@pytest.mark.parametrize(("length", "seconds"), [(7, 840), (11, 1320), (15, 1800)])
def test_bank_of_two_minutes_a_point(profile: str, length: int, seconds: int) -> None:
    """EBF 3.5(v), DBgF 3.5(v), NBgF 3-4-5, US 2013 2.1: two minutes for each point of the match."""
    assert bank(profile, length, (0, 0)) == seconds * SECOND_NS


@pytest.mark.rule("R2")
@pytest.mark.parametrize("profile", ["ebf", "dbgf"])
def test_bank_has_the_factor_that_the_german_text_omits(profile: str) -> None:
    """EBF 3.5(vi) taken literally gives 11:00 for 11 points; 3.5(v) and DBgF 3.5(vi) give 22:00."""
    assert bank(profile, 11, (0, 0)) != duration_ns("11:00")
    assert bank(profile, 11, (0, 0)) == duration_ns("22:00")


@pytest.mark.rule("R3")
def test_bank_of_an_odd_sum_is_exact_to_half_a_second() -> None:
    """17 points at 7 seconds are 59.5 seconds, rounded neither up nor down."""
    rules = replace(PROFILES["ebf"], time_per_point_ns=7 * SECOND_NS)
    assert bank_ns(rules, Pair(8, 9)) == 59_500_000_000


@pytest.mark.rule("R4")
@pytest.mark.parametrize(("score", "seconds"), [((3, 1), 1080), ((3, 2), 1020)])
def test_bank_of_a_clock_brought_to_a_match_under_way(score: tuple[int, int], seconds: int) -> None:
    """EBF 3.5(vi): what counts is the points that both still need."""
    assert bank("ebf", 11, score) == seconds * SECOND_NS


@pytest.mark.rule("R1", "R5")
@pytest.mark.parametrize(
    ("length", "score", "expected"),
    [(7, (0, 0), "17:30"), (11, (0, 0), "27:30"), (15, (0, 0), "37:30"), (11, (3, 2), "21:15")],
)
def test_bank_of_american_doubles(length: int, score: tuple[int, int], expected: str) -> None:
    """US 2013 2.2: two and a half minutes a point, less one and a quarter for a point scored."""
    assert bank("us-doubles", length, score) == duration_ns(expected)


@pytest.mark.rule("R3", "R5")
@pytest.mark.parametrize(
    ("length", "score", "expected"),
    [(7, (0, 0), "18:00"), (11, (0, 0), "28:00"), (15, (0, 0), "38:00"), (8, (0, 0), "20:00")],
)
def test_bank_of_the_japanese_is_rounded_up_to_a_minute(
    length: int, score: tuple[int, int], expected: str
) -> None:
    """JBS: points x 2.5 minutes, a part of a minute counting as a whole one; whole ones stay."""
    assert bank("jbs", length, score) == duration_ns(expected)


@pytest.mark.rule("R1")
@given(
    profile=st.sampled_from(sorted(PROFILES)),
    left=st.integers(0, 99),
    right=st.integers(0, 99),
)
def test_bank_is_the_same_whoever_needs_the_points(profile: str, left: int, right: int) -> None:
    """NBgF 3-4-6: one formula, "begge spillere": exchanging the players changes nothing."""
    away = Pair(left, right)
    assert bank_ns(PROFILES[profile], away) == bank_ns(PROFILES[profile], away.swapped())
