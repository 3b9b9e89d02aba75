"""A part of the proof: its searches, and the faults that are put in to see if these find them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from lab.prove.search import Subject, search
from lab.support.faults import Fault, MissedError


class Search(NamedTuple):
    """A search of the proof."""

    make: Callable[[], Subject[Any, Any]]
    quick: bool = False  # a part of `make prove ARGS=--quick`, too


class Part(NamedTuple):
    """The searches of one subject, longest first, and the faults that they see."""

    searches: Sequence[Search]
    faults: Sequence[Fault]
    control: Callable[[Fault], Subject[Any, Any]]  # what is searched while a fault is in


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that was found."""

    name: str
    law: str
    acts: int  # of the shortest way to it
    states: int  # searched before
    seconds: float  # of processor time


def see(fault: Fault, control: Callable[[Fault], Subject[Any, Any]]) -> Seen:
    """Put a fault in and search until the law sees it.

    Raises:
        MissedError: it does not.
    """
    with fault.put_in():
        found = search(control(fault))
    seen = found.violation
    if seen is None:
        raise MissedError(f"not found: {fault.name}")
    fault.must_be(seen.law, f"{seen.what}\n{seen.script}")
    return Seen(
        name=fault.name,
        law=seen.law,
        acts=seen.acts,
        states=found.states,
        seconds=found.seconds,
    )
