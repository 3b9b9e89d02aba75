"""Durations: read strictly, written back exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.match.durations import duration_ns, duration_text
from clock.match.rules import SECOND_NS


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0:00", 0),
        ("0:12", 12),
        ("2:00", 120),
        ("02:00", 120),
        ("75:00", 4500),
        ("1:15:00", 4500),
        ("1:05:00", 3900),
        ("999:59", 59_999),
        ("99:59:59", 359_999),
    ],
)
def test_reads_minutes_and_seconds_or_hours_too(text: str, seconds: int) -> None:
    """Minutes may exceed 59 where there are no hours."""
    assert duration_ns(text) == seconds * SECOND_NS


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
        duration_ns(text)


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0:00"),
        (12 * SECOND_NS, "0:12"),
        (3599 * SECOND_NS, "59:59"),
        (3600 * SECOND_NS, "1:00:00"),
        (3900 * SECOND_NS, "1:05:00"),
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
    assert duration_ns(duration_text(seconds * SECOND_NS)) == seconds * SECOND_NS
