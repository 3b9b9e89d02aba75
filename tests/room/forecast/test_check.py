"""`room/forecast/check.py`."""

from itertools import pairwise

import pytest

from lab.support.paths import DATA
from room.forecast.check import NotComparedError, compare_forecasts


def lines(name: str) -> list[bytes]:
    """Return the lines of a log of the tests."""
    return (DATA / f"{name}.jsonl").read_bytes().splitlines()


def test_a_forecast_every_ten_minutes_is_compared_with_the_end() -> None:
    """The instants lie ten minutes apart, or a multiple where nothing was said."""
    compared = compare_forecasts(lines("ebf"))
    assert compared
    gaps = {round(a.took_s - b.took_s, 6) for a, b in pairwise(compared)}
    assert gaps <= {600.0 * number for number in (1, 2, 3)}
    assert all(each.took_s >= 0 for each in compared)


def test_a_match_that_is_not_over_is_not_compared() -> None:
    with pytest.raises(NotComparedError, match="not played to its end"):
        compare_forecasts(lines("ebf")[:-1])
