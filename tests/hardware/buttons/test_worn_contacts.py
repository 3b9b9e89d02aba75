"""Contacts that are worn or dirty: however they bounce, a press of a hand is one press."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.config.schema import ButtonsTable
from hardware.buttons.debounce import HAND_NS, Change
from hardware.buttons.plungers import KERNEL_MARGIN_NS
from lab.support.contacts import APART_NS, MS, WEARS, Press, Wear, debounced, pressed_at, trains
from tests.hardware.buttons.test_debounce import SETTLE, Contacts

DEFAULT_NS = ButtonsTable().settle_ms * MS
REST_NS = 20 * MS  # the shortest time from the end of a bounce to the next press

# --- what no hand can do, with a settle time of 5 ms -------------------------------------------

SLOW = (0, 6_500_000, 12_500_000)  # closes, opens and closes, each level longer than that


@pytest.mark.rule("R85")
@pytest.mark.parametrize("held_ns", [80 * MS, 2_000 * MS])
def test_a_press_that_opens_and_closes_again_is_one_press_and_still_held(held_ns: int) -> None:
    """R85: so the centre, held for 1.5 s, is not let go in between."""
    release_ns = SLOW[-1] + held_ns
    contacts = Contacts().edges("centre", *SLOW, release_ns)
    assert contacts.settle_all() == [Change(0, "centre", True), Change(release_ns, "centre", False)]


@pytest.mark.parametrize("soon", [True, False])
def test_a_press_counts_if_it_begins_later_than_40_ms_after_the_release(soon: bool) -> None:
    """One nanosecond decides; a press that does not count has not begun, nor has its release."""
    press_ns = 80 * MS + HAND_NS + (not soon)
    contacts = Contacts().edges("left", 0, 80 * MS)
    contacts.settle(100 * MS)
    contacts.edges("left", press_ns)
    assert bool(contacts.debouncer.begun) != soon
    contacts.settle_all()
    contacts.edges("left", press_ns + 80 * MS)
    assert contacts.debouncer.begun == []
    assert len(contacts.settle_all()) == (0 if soon else 1)
    contacts.edges("left", 1_000 * MS)
    assert contacts.settle_all() == [Change(1_000 * MS, "left", True)]


@pytest.mark.rule("T8")
def test_t8_a_release_within_40_ms_of_its_press_is_not_lost() -> None:
    """T8: it is known when these are over, with its own stamp, and the next press counts."""
    contacts = Contacts().edges("left", 0, SETTLE)
    assert contacts.settle(HAND_NS + KERNEL_MARGIN_NS - 1).changes == [Change(0, "left", True)]
    assert contacts.settle(HAND_NS + KERNEL_MARGIN_NS).changes == [Change(SETTLE, "left", False)]
    press_ns = SETTLE + HAND_NS + 1
    assert contacts.edges("left", press_ns).settle_all() == [Change(press_ns, "left", True)]


# --- all models, with the settle time that is configured by default ----------------------------


def bounces(wear: Wear) -> st.SearchStrategy[list[int]]:
    """Return any bounces of a model."""
    return st.lists(st.integers(1, wear.rest_ns), max_size=40).map(wear.edges)


def presses(wear: Wear) -> st.SearchStrategy[Press]:
    """Return any presses of a hand: not shorter than the settle time, and 60 ms apart."""
    apart_ns = max(APART_NS, wear.longest_ns + REST_NS)
    return st.builds(
        Press,
        st.integers(apart_ns, apart_ns + 200 * MS),
        bounces(wear),
        st.integers(DEFAULT_NS, 2_000 * MS),
        bounces(wear),
    )


@pytest.mark.rule("R85", "T8")
@given(st.sampled_from(list(WEARS.values())).flatmap(lambda wear: st.lists(presses(wear))))
def test_exactly_the_presses_that_were_made_at_their_first_edges(made: list[Press]) -> None:
    """R85, T8: none is missing, none is made up, and each is released before the next."""
    edges, first = trains(made)
    changes = debounced(edges, DEFAULT_NS, KERNEL_MARGIN_NS)
    assert pressed_at(changes) == first
    assert [change.down for change in changes] == list(chain(*[(True, False)] * len(made)))
