"""The search itself, on a system that anybody can search by hand: a dial with ten marks."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lab.prove.search import END, FATE, NO_EXCEPTION, TWINS, Subject, search
from lab.prove.states import Numbers

MARKS = 10


def turned(dial: int, by: int) -> int:
    """Return the dial after a turn; the mark 13 is not there."""
    if dial == 13:
        raise ValueError("no such mark")
    return dial + by


def below_five(before: int, by: int, after: int) -> str | None:
    """Say what is wrong with a mark above 4."""
    return None if after % MARKS < 5 else f"{after} is too much"


def text(beginning: int, acts: Sequence[int]) -> str:
    return f"{beginning} and {list(acts)}"


# Marks one turn apart count as one: 3, 13 and 23.
DIAL = Subject(
    name="dial",
    beginnings=[0],
    acts=lambda _: (1, 2),
    step=lambda dial, by: dial + by,
    canonical=lambda dial: dial % MARKS,
    laws=(),
    script=text,
)


def test_all_states_are_found_and_counted() -> None:
    """Ten marks, two acts on each; the furthest is five double steps away."""
    found = search(DIAL)
    assert (found.states, found.transitions, found.depth) == (10, 20, 5)
    assert (found.closed, found.violation) == (True, None)


def test_a_bounded_search_does_not_call_itself_closed() -> None:
    """After two acts the marks 3 and 4 are found, and what follows them is not known."""
    found = search(replace(DIAL, deepest=2))
    assert (found.states, found.depth, found.closed) == (5, 2, False)


def test_a_broken_law_comes_with_a_shortest_way() -> None:
    found = search(replace(DIAL, laws=(below_five,)))
    assert found.violation is not None
    assert found.violation.law == "below_five"
    assert (found.violation.acts, found.closed) == (3, False)
    assert found.violation.script == "0 and [1, 2, 2]"


def test_an_exception_is_a_broken_law() -> None:
    found = search(replace(DIAL, beginnings=[12], step=turned))
    assert found.violation is not None
    assert (found.violation.law, found.violation.script) == (NO_EXCEPTION, "12 and [1, 1]")


def test_a_canonical_form_that_forgets_too_much_is_seen() -> None:
    dial = replace(DIAL, step=lambda dial, by: dial if dial == 11 else dial + by)
    found = search(replace(dial, twin_every=1))
    assert found.violation is not None
    assert found.violation.law == TWINS


@pytest.mark.parametrize(
    ("at_seven", "at_eight", "said"),
    [
        ("", END, "the end cannot be reached"),
        ("others", END, None),
        ("others", "", "the end cannot be reached"),
    ],
)
def test_the_end_can_be_reached_or_is_waited_for(
    at_seven: str, at_eight: str, said: str | None
) -> None:
    fates = {7: at_seven, 8: at_eight}
    dial = replace(
        DIAL,
        step=lambda dial, by: dial if dial in fates else dial + by,
        fate=lambda dial: fates.get(dial, ""),
    )
    found = search(dial)
    if said is None:
        assert (found.violation, found.waiting) == (None, {"others": 1})
    else:
        assert found.violation is not None
        assert (found.violation.law, found.violation.what) == (FATE, said)


def test_numbers_stay_when_their_table_grows() -> None:
    numbers, keys = Numbers(), [at * 0x9E3779B97F4A7C15 % 2**64 for at in range(1, 50_000)]
    assert [numbers.add(key) for key in keys] == list(range(len(keys)))
    assert [numbers.number(key) for key in keys] == list(range(len(keys)))
    assert numbers.number(5) is None
