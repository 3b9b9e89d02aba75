"""Durations as people read them (R50)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.match.time_format import FLAGGED, TENTH_NS, clock_text, next_change_ns, next_second_ns, passed_text, reserve_text, whole_seconds
from clock.match.rules import MINUTE_NS, SECOND_NS

HOUR_NS = 60 * MINUTE_NS
DAY_NS = 24 * HOUR_NS

ANY = st.integers(0, 10 * HOUR_NS)
# Where texts change: near whole seconds and tenths, near 20 s, a minute and an hour.
NEAR = st.builds(
    lambda tenths, by: max(0, tenths * TENTH_NS + by), st.integers(0, 36_100), st.integers(-2, 2)
)
LEFT_NS = ANY | NEAR | st.integers(0, 21 * SECOND_NS)


def meant_ns(text: str) -> int:
    """The duration that a text says, read as a person reads it."""
    if "." in text:
        seconds, tenths = text.split(".")
        return int(seconds) * SECOND_NS + int(tenths) * TENTH_NS
    total = 0
    for place in text.split(":"):
        total = total * 60 + int(place)
    return total * SECOND_NS


@pytest.mark.rule("R50")
@pytest.mark.parametrize(
    ("left_ns", "text"),
    [
        (1, "0.1"),
        (200_000_000, "0.2"),
        (SECOND_NS, "1.0"),
        (9_400_000_000, "9.4"),
        (19_900_000_000, "19.9"),
        (19_900_000_001, "0:20"),
        (20 * SECOND_NS, "0:20"),
        (20 * SECOND_NS + 1, "0:21"),
        (59 * SECOND_NS, "0:59"),
        (59 * SECOND_NS + 1, "1:00"),
        (59_999_600_000, "1:00"),
        (HOUR_NS - 1, "1:00:00"),
        (HOUR_NS, "1:00:00"),
        (65 * MINUTE_NS, "1:05:00"),
        (HOUR_NS - SECOND_NS, "59:59"),
        (DAY_NS, "24:00:00"),
    ],
)
def test_a_reserve_is_rounded_up(left_ns: int, text: str) -> None:
    """Tenths below 20 s, whole seconds above, hours from an hour; always upwards."""
    assert reserve_text(left_ns, flagged=False) == text


@pytest.mark.rule("R50")
@pytest.mark.parametrize(("left_ns", "text"), [(200_000_000, "0:01"), (0, "0:00"), (1, "0:01")])
def test_a_text_of_seconds_is_rounded_up(left_ns: int, text: str) -> None:
    """0.2 s is 0:01."""
    assert clock_text(left_ns) == text


@pytest.mark.rule("R50")
def test_only_a_flag_is_shown_as_nothing() -> None:
    """0:00 is the flag; a reserve of nothing without one (the delay still runs) is 0.0."""
    assert reserve_text(0, flagged=True) == FLAGGED == "0:00"
    assert reserve_text(0, flagged=False) == "0.0"
    assert reserve_text(MINUTE_NS, flagged=True) == "1:00"


@pytest.mark.rule("R50")
@given(LEFT_NS.filter(bool), st.booleans())
def test_time_left_is_never_shown_as_none(left_ns: int, flagged: bool) -> None:
    """While there is a nanosecond left, the text is not 0:00 and not 0.0."""
    assert meant_ns(reserve_text(left_ns, flagged=flagged)) > 0


@pytest.mark.rule("R50")
@given(LEFT_NS)
def test_a_text_never_says_less_than_is_left(left_ns: int) -> None:
    """And at most one step more: a tenth below 20 s, else a second."""
    shown_ns = meant_ns(reserve_text(left_ns, flagged=False))
    step_ns = TENTH_NS if shown_ns < 20 * SECOND_NS else SECOND_NS
    assert left_ns <= shown_ns < left_ns + step_ns
    assert left_ns <= meant_ns(clock_text(left_ns)) < left_ns + SECOND_NS


@pytest.mark.rule("R50")
@given(LEFT_NS, LEFT_NS)
def test_less_time_never_reads_as_more(one_ns: int, other_ns: int) -> None:
    """The texts go down with the time, over 20 s, a minute and an hour too."""
    less_ns, more_ns = sorted((one_ns, other_ns))
    less, more = (reserve_text(left_ns, flagged=False) for left_ns in (less_ns, more_ns))
    assert meant_ns(less) <= meant_ns(more)


@pytest.mark.rule("R50")
@given(LEFT_NS)
def test_a_text_is_split_right(left_ns: int) -> None:
    """Never 0:60, 1:60:00 or 19.10; an hour is not 60:00."""
    whole = r"(?:[1-9]\d*:[0-5]\d:[0-5]\d|[1-5]?\d:[0-5]\d)"
    assert re.fullmatch(rf"{whole}|1?\d\.\d", reserve_text(left_ns, flagged=False))
    assert re.fullmatch(whole, clock_text(left_ns))
    assert re.fullmatch(whole, passed_text(left_ns))


@given(LEFT_NS.filter(bool))
def test_a_text_stays_until_its_change(left_ns: int) -> None:
    """It is the same up to the nanosecond before, and another one then."""
    stays_ns = next_change_ns(left_ns)
    now = reserve_text(left_ns, flagged=False)
    assert 0 < stays_ns <= left_ns
    assert reserve_text(left_ns - stays_ns + 1, flagged=False) == now
    assert reserve_text(left_ns - stays_ns, flagged=False) != now


@given(st.integers(-HOUR_NS, HOUR_NS) | st.integers(-3, 3).map(lambda n: n * SECOND_NS))
def test_seconds_stay_until_their_change(left_ns: int) -> None:
    """Before an instant what is left is shown, after it what has passed; both change on time."""

    def shown(ns: int) -> str:
        return clock_text(ns) if ns > 0 else f"+{passed_text(-ns)}"

    stays_ns = next_second_ns(left_ns)
    assert shown(left_ns - stays_ns + 1) == shown(left_ns) != shown(left_ns - stays_ns)


@given(ANY)
def test_what_has_passed_is_rounded_down(passed_ns: int) -> None:
    """A second counts once it is over; what is left counts while it lasts."""
    assert (
        meant_ns(passed_text(passed_ns))
        <= passed_ns
        < meant_ns(passed_text(passed_ns)) + (SECOND_NS)
    )
    assert whole_seconds(passed_ns) * SECOND_NS == meant_ns(clock_text(passed_ns))
