"""The relation of a guest's clock to this computer's, from numbers alone."""

import pytest

from lab.bench.i2c_time import relate, related


def test_the_relation_of_clocks_has_the_narrowest_bounds() -> None:
    """The bounds are the narrowest of all rounds, widened by the step of the guest's clock."""
    reads, times = iter([0, 1024, 2048]), iter([5_000, 5_900, 6_400, 7_500, 7_100, 8_000])
    relation = relate(lambda: next(reads), lambda: next(times), rounds=3)
    assert relation == (5_376 - 255, 5_900)
    assert (relation.host_ns(100), relation.error_ns) == (5_610, 390)


def test_clocks_that_move_against_each_other() -> None:
    reads, times = iter([0, 0]), iter([5_000, 5_100, 6_000, 6_100])
    with pytest.raises(ValueError, match="by 645 ns or more"):
        relate(lambda: next(reads), lambda: next(times), rounds=2)


def test_the_relation_of_clocks_from_transfers() -> None:
    relation = related([(0, 1_024), (2_048, 2_560)], [5_500, 7_400])
    assert relation == (7_400 - 2_560 - 255, 7_400 - 2_048)
    assert relation.error_ns == 384
