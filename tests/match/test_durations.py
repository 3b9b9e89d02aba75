"""Durations as text: strict parsing, exact and rounded formatting."""

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clock.match import durations
from clock.match.durations import (
    FLAGGED,
    STEP_NS,
    TENTH_NS,
    clock_text,
    duration_text,
    elapsed_text,
    next_change_ns,
    next_second_ns,
    parse_duration,
    reserve_text,
    whole_seconds,
)
from clock.units import MINUTE_NS, SECOND_NS


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0:00", 0),
        ("02:00", 120),
        ("75:00", 4500),
        ("999:59", 59_999),
    ],
)
def test_reads_minutes_and_seconds_or_hours_too(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds * SECOND_NS


@pytest.mark.parametrize(
    "text",
    [
        *("", "2", "12s", "1:75", "1:5", "1:60", ":12", "1:", "-1:00", "+1:00", "1:00.5", "1:2:3"),
        *("1:60:00", "1:5:00", "1:005:00", " 1:00", "1:00 ", "1:00\n", "1;00", "1000:00"),
        *(
            "100:00:00",
            "1:00:00:00",
            "\u0662:00",
            "2:0\u0660",
            "\u0661:00:00",
            "1:0\u0660:00",
            "1:00:0\u0660",
            "\uff12:\uff10\uff10",
            "0x2:00",
            "1_0:00",
            "2:00 min",
        ),
    ],
)
def test_refuses_anything_else(text: str) -> None:
    """A time that could be read in two ways is not read at all."""
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (3600 * SECOND_NS, "1:00:00"),
        (59_500_000_000, "0:59.5"),
        (59_999_600_000, "0:59.9996"),
        (1, "0:00.000000001"),
    ],
)
def test_writes_without_rounding(nanoseconds: int, text: str) -> None:
    """59.9996 s are neither 0:60 nor 1:00."""
    assert duration_text(nanoseconds) == text


@given(st.integers(0, 100 * 3600 - 1))
def test_reads_back_what_it_writes(seconds: int) -> None:
    """Every whole number of seconds up to 99:59:59."""
    assert parse_duration(duration_text(seconds * SECOND_NS)) == seconds * SECOND_NS


HOUR_NS = 60 * MINUTE_NS

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
        (1, "0.2"),
        (200_000_001, "0.4"),
        (19_800_000_000, "19.8"),
        (19_800_000_001, "0:20"),
        (20 * SECOND_NS + 1, "0:21"),
        (59 * SECOND_NS + 1, "1:00"),
        (HOUR_NS, "1:00:00"),
        (65 * MINUTE_NS, "1:05:00"),
        (HOUR_NS - SECOND_NS, "59:59"),
    ],
)
def test_a_reserve_is_rounded_up(left_ns: int, text: str) -> None:
    """Even tenths below 20 s, whole seconds above, hours from an hour; always upwards."""
    assert reserve_text(left_ns, flagged=False) == text


@pytest.mark.rule("R50")
@pytest.mark.parametrize(("left_ns", "text"), [(200_000_000, "0:01"), (0, "0:00"), (1, "0:01")])
def test_a_text_of_seconds_is_rounded_up(left_ns: int, text: str) -> None:
    """0.2 s is 0:01."""
    assert clock_text(left_ns) == text


@pytest.mark.rule("R50")
def test_only_a_fallen_flag_is_shown_as_zero() -> None:
    """0:00 is the flag; a reserve of nothing without one (the delay still runs) is 0.0."""
    assert reserve_text(0, flagged=True) == FLAGGED == "0:00"
    assert reserve_text(0, flagged=False) == "0.0"
    assert reserve_text(1, flagged=True) == "0.2"
    assert reserve_text(MINUTE_NS, flagged=True) == "1:00"


@pytest.mark.rule("R50")
@given(LEFT_NS.filter(bool), st.booleans())
def test_time_left_is_never_shown_as_zero(left_ns: int, flagged: bool) -> None:
    """While there is a nanosecond left, the text is not 0:00 and not 0.0."""
    assert meant_ns(reserve_text(left_ns, flagged=flagged)) > 0


@pytest.mark.rule("R50")
@given(LEFT_NS)
def test_a_text_never_says_less_than_is_left(left_ns: int) -> None:
    """And at most one step more: two tenths below 20 s, else a second."""
    shown_ns = meant_ns(reserve_text(left_ns, flagged=False))
    step_ns = STEP_NS if shown_ns < 20 * SECOND_NS else SECOND_NS
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
def test_hours_and_minutes_are_split_correctly(left_ns: int) -> None:
    """Never 0:60, 1:60:00 or 19.10; an hour is not 60:00."""
    whole = r"(?:[1-9]\d*:[0-5]\d:[0-5]\d|[1-5]?\d:[0-5]\d)"
    assert re.fullmatch(rf"{whole}|1?\d\.\d", reserve_text(left_ns, flagged=False))
    assert re.fullmatch(whole, clock_text(left_ns))
    assert re.fullmatch(whole, elapsed_text(left_ns))


@given(LEFT_NS.filter(bool))
@example(20 * SECOND_NS)
def test_a_text_stays_until_its_change(left_ns: int) -> None:
    """It is the same up to the nanosecond before, and another one then."""
    stays_ns = next_change_ns(left_ns)
    now = reserve_text(left_ns, flagged=False)
    assert 0 < stays_ns <= left_ns
    assert reserve_text(left_ns - stays_ns + 1, flagged=False) == now
    assert reserve_text(left_ns - stays_ns, flagged=False) != now


@given(st.integers(-HOUR_NS, HOUR_NS) | st.integers(-3, 3).map(lambda n: n * SECOND_NS))
def test_seconds_stay_until_their_change(left_ns: int) -> None:
    """Time left before an instant and time passed after it; both texts change on time."""

    def shown(ns: int) -> str:
        return clock_text(ns) if ns > 0 else f"+{elapsed_text(-ns)}"

    stays_ns = next_second_ns(left_ns)
    assert shown(left_ns - stays_ns + 1) == shown(left_ns) != shown(left_ns - stays_ns)


@given(ANY)
def test_elapsed_time_is_rounded_down(passed_ns: int) -> None:
    """A passed second counts once it is over; a second left counts while it lasts."""
    assert (
        meant_ns(elapsed_text(passed_ns))
        <= passed_ns
        < meant_ns(elapsed_text(passed_ns)) + (SECOND_NS)
    )
    assert whole_seconds(passed_ns) * SECOND_NS == meant_ns(clock_text(passed_ns))


@pytest.mark.rule("R132")
def test_time_played_without_a_reserve_is_below_zero() -> None:
    assert reserve_text(-61_900_000_000, flagged=False) == "-1:01"


TEXTS = [
    text for name, text in vars(durations).items() if name.endswith("_text") and name[0] != "_"
]


@pytest.mark.rule("R50", "R132")
@pytest.mark.parametrize("text", TEXTS)
@given(st.integers(-2 * SECOND_NS, 2 * SECOND_NS) | LEFT_NS)
@example(-1)
@example(0)
def test_nothing_is_never_below_zero(text: Callable[..., str], time_ns: int) -> None:
    """Of a time on the wrong side of zero by less than a second, too: no "-0:00"."""
    flagged = [{"flagged": True}, {"flagged": False}] if text is reserve_text else [{}]
    for each in flagged:
        assert not re.fullmatch(r"-[0:.]+", text(time_ns, **each))
