"""The model of a plunger whose contact bounces."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.match.types import Button
from lab.bench.plunger import MIN_EDGE_GAP_NS, MS_NS, Bounce, pressed


@given(st.integers(0, 9), st.integers(0, 10**9))
def test_press_and_release_bounce_and_settle(openings: int, seed: int) -> None:
    """The edges alternate, begin with the true one, and end at the level of the first."""
    bounce = Bounce(5 * MS_NS, openings)
    moves = pressed(Button.RIGHT, 80 * MS_NS, bounce, seed)
    assert [move.down for move in moves] == [True, False] * (2 * openings + 1)
    down, up = moves[: 2 * openings + 1], moves[2 * openings + 1 :]
    assert down[0].after_ns == 0
    assert up[0].after_ns == 80 * MS_NS
    for edges in (down, up):
        at = [move.after_ns for move in edges]
        assert at[-1] - at[0] == (5 * MS_NS if openings else 0)
        assert all(b - a >= MIN_EDGE_GAP_NS for a, b in pairwise(at))


def test_an_impossible_bounce() -> None:
    """A bounce with more openings than fit into its duration is an error."""
    with pytest.raises(ValueError, match="100 openings do not fit into 1000000 ns"):
        Bounce(MS_NS, 100).edges(Random(0))
