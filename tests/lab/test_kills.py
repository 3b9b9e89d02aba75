"""Which programs `lab.kills` kills when, and what its law says; `.ci/run` kills some."""

from random import Random

import pytest

from lab.kills import deal, differ

KINDS = {"broker": (1, ()), "hub": (3, ()), "links": (9, ())}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kills", [1, len(KINDS), 12])
def test_each_kind_is_killed(seed: int, kills: int) -> None:
    """Whatever the chances are; and as often as was asked for."""
    dealt = deal(Random(seed), KINDS, kills)
    assert (len(set(dealt)), len(dealt)) == (min(kills, len(KINDS)), kills)


def test_what_is_missing_and_what_is_twice() -> None:
    assert differ("abb", "abb") == []
    assert differ("abb", "cba") == ["2 times, not 1: 'b'", "0 times, not 1: 'c'"]
