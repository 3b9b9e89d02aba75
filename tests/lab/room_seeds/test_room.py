"""Whole rooms in virtual time: a few seeds, and faults that laws see. Many: `lab.room_seeds`."""

import logging
from collections.abc import Iterator

import pytest

from lab.room_seeds.faults import FAULTS, seen_in
from lab.room_seeds.options import options_of
from lab.room_seeds.results import noted
from lab.room_seeds.room import play
from lab.support.faults import Fault


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """Leave the messages of links and hubs out."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("seed", [18, 34, 37, 61])
def test_every_law_holds(seed: int) -> None:
    """In some small rooms, in which messages are lost, come late or twice, and all parts fail."""
    assert play(options_of(seed)).violation is None


@pytest.mark.slow
def test_the_same_seed_plays_the_same_room() -> None:
    """And no law is broken in it, though it has ten kinds of incidents."""
    first, second = (play(options_of(14)) for _ in range(2))
    assert first.violation is None
    assert first == second


def test_every_fault_was_seen() -> None:
    """By the law that stands for it; `python -m lab.room_seeds --faults --note` notes where."""
    assert [(each.name, each.law) for each in noted().faults] == [each[:2] for each in FAULTS]


@pytest.mark.parametrize("fault", FAULTS[:2], ids=lambda fault: fault.name)
def test_a_fault_is_seen(fault: Fault) -> None:
    assert seen_in(fault, 1) is not None
