"""A part of the proof: its searches, and the faults that are put in to see if these find them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import msgspec

from lab.prove.search import Subject, search


class Search(NamedTuple):
    """A search of the proof."""

    make: Callable[[], Subject[Any, Any]]
    quick: bool = False  # a part of `make prove ARGS=--quick`, too


class Control(NamedTuple):
    """A fault, and the law that must see it."""

    name: str  # what is wrong: "a stop forgets the used time"
    law: str  # the name of the function, or of the law of the search itself
    fault: Callable[[], AbstractContextManager[object]]  # puts it in, for as long as it is open
    subject: Callable[[], Subject[Any, Any]]  # made while the fault is in


class Part(NamedTuple):
    """The searches of one subject, longest first, and their controls."""

    searches: Sequence[Search]
    controls: Sequence[Control]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that was found."""

    name: str
    law: str
    acts: int  # of the shortest way to it
    states: int  # searched before
    seconds: float  # of processor time


class MissedError(Exception):
    """A fault was not found, or another law than the named one saw it first."""


def see(control: Control) -> Seen:
    """Put a fault in and search until the law sees it.

    Raises:
        MissedError: it does not.
    """
    with control.fault():
        found = search(control.subject())
    seen = found.violation
    if seen is None:
        raise MissedError(f"not found: {control.name}")
    if seen.law != control.law:
        message = f"{control.name}: seen by {seen.law!r}, not by {control.law!r}"
        raise MissedError(f"{message}: {seen.what}\n{seen.script}")
    return Seen(
        name=control.name,
        law=seen.law,
        acts=seen.acts,
        states=found.states,
        seconds=found.seconds,
    )
