"""Sides, buttons and pairs."""

from clock.match.types import Button, Pair, Side
from lab.support.world import LEFT, RIGHT


def test_a_pair_has_a_value_for_each_side() -> None:
    pair = Pair(1, 2)
    assert (pair[LEFT], pair[RIGHT], list(pair)) == (1, 2, [1, 2])
    assert (pair.put(LEFT, 7), pair.put(RIGHT, 7)) == (Pair(7, 2), Pair(1, 7))
    assert pair.update(RIGHT, lambda value: value * 5) == Pair(1, 10)
    assert (pair.map(str), pair.swapped()) == (Pair("1", "2"), Pair(2, 1))


def test_a_plunger_has_a_side() -> None:
    assert [button.side for button in Button] == [LEFT, RIGHT, None]
    assert [side.other for side in Side] == [RIGHT, LEFT]
