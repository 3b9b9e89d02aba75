"""Search every state that a system can reach, breadth first, and check laws at every step.

A system is a `Subject`: the states it begins in, what can happen in a state, and the state after
that. States with the same canonical form count as one; of every so many states that were found
again, the search checks that they lead on just as the one found first. A broken law is reported
with a shortest way to it.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from lab.prove.states import Graph, Numbers, hash_of

S = TypeVar("S")
A = TypeVar("A")

END = "the end"  # a fate: what the system is made to reach

Law = Callable[[S, A, S], str | None]  # before, act, after: what is wrong; None if the law holds
# The laws of the search itself, which hold for every system.
NO_EXCEPTION = "nothing raises an exception"
TWINS = "states that count as one lead on alike"
FATE = "the end can be reached, or others are waited for"


@dataclass(frozen=True, kw_only=True)
class Subject(Generic[S, A]):
    """A system to be searched. All its functions are pure."""

    name: str
    beginnings: Sequence[S]
    acts: Callable[[S], Sequence[A]]  # the same for all states of one canonical form
    step: Callable[[S, A], S]
    canonical: Callable[[S], object]  # bytes, or tuples, that hold all that the future depends on
    laws: Sequence[Law[S, A]]
    fate: Callable[[S], str] = lambda _: END
    """`END`; "" for a state from which the end can be reached; else whom or what it waits for.

    A state that waits must not be able to reach the end: such states are counted by their fate.
    """
    script: Callable[[S, Sequence[A]], str] = lambda _, acts: "\n".join(map(str, acts))
    """How to see the same: a beginning and the acts after it as text."""
    deepest: int | None = None  # how many acts after the beginning; None: search all states
    twin_every: int = 32  # of so many states that were found again one is compared


class Violation(msgspec.Struct, frozen=True):
    """A law does not hold."""

    law: str
    what: str
    acts: int  # after the beginning, the last one included
    script: str


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a search has found."""

    name: str
    states: int
    transitions: int
    depth: int  # acts from the beginning to the state that is furthest away
    seconds: float  # of processor time
    closed: bool  # all states that can be reached were searched
    waiting: dict[str, int] = {}  # states from which the end cannot be reached, by their fate
    violation: Violation | None = None


class LawBrokenError(Exception):
    """A law does not hold; a step may raise it too, for a law of its own."""

    def __init__(self, law: str, what: str) -> None:
        super().__init__(what)
        self.law, self.what = law, what


class _BrokenError(Exception):
    """The same, after the way to a state and, if it is given, the act at this place."""

    def __init__(self, law: str, what: str, number: int, act: int | None = None) -> None:
        super().__init__(what)
        self.law, self.what, self.number, self.act = law, what, number, act


def search(subject: Subject[S, A]) -> Found:
    """Search all states, or all up to `deepest`, until a law is broken."""
    started = time.process_time()
    run = _Search(subject)
    violation: Violation | None = None
    try:
        run.search()
        run.check_fates()
    except _BrokenError as broken:
        violation = run.violation(broken)
    return Found(
        name=subject.name,
        states=run.numbers.count,
        transitions=run.graph.transitions,
        depth=run.depth,
        seconds=round(time.process_time() - started, 1),
        closed=not run.frontier and violation is None,
        waiting=run.waiting(),
        violation=violation,
    )


class _Search(Generic[S, A]):
    """A search under way."""

    def __init__(self, subject: Subject[S, A]) -> None:
        self.subject = subject
        self.numbers, self.graph = Numbers(), Graph()
        self.frontier: list[tuple[int, S]] = []  # found, not yet expanded
        self.twins: list[tuple[int, S, int, int]] = []  # found again, not yet compared
        self.fates: list[str] = [""]  # each once
        self.fate_of = bytearray()  # of each state, its place in `fates`
        self.depth = self.again = 0

    def search(self) -> None:
        """Find and expand all states."""
        for number, state in enumerate(self.subject.beginnings):
            assert self._add(state, number, 0) == number, "two beginnings that count as one"
        while self.frontier and self.depth != self.subject.deepest:
            level, self.frontier = self.frontier, []
            for number, state in level:
                self._expand(number, state)
            self.depth += bool(self.frontier)
            self._compare_twins()

    def _add(self, state: S, came_from: int, by_act: int) -> int:
        """Return the number of a state, a new one if it was not found before."""
        key = hash_of(self.subject.canonical(state))
        number = self.numbers.number(key)
        if number is None:
            number = self.numbers.add(key)
            self.graph.found(came_from, by_act)
            self.fate_of.append(self._fate(state))
            self.frontier.append((number, state))
            return number
        self.again += 1
        if self.again % self.subject.twin_every == 0:
            self.twins.append((number, state, came_from, by_act))
        return number

    def _fate(self, state: S) -> int:
        fate = self.subject.fate(state)
        if fate not in self.fates:
            self.fates.append(fate)
        return self.fates.index(fate)

    def _expand(self, number: int, before: S) -> None:
        """Do all acts that are possible in a state, and check the laws of each step."""
        self.graph.expand()
        index = 0
        try:
            for index, act in enumerate(self.subject.acts(before)):
                after = self.subject.step(before, act)
                self._check(before, act, after)
                self.graph.leads_to(self._add(after, number, index))
        except LawBrokenError as broken:
            raise _BrokenError(broken.law, broken.what, number, index) from None
        except Exception as error:
            raise _BrokenError(NO_EXCEPTION, repr(error), number, index) from error

    def _check(self, before: S, act: A, after: S) -> None:
        for law in self.subject.laws:
            wrong = law(before, act, after)
            if wrong is not None:
                raise LawBrokenError(law.__name__, wrong)

    def _compare_twins(self) -> None:
        """Compare states that were found again with those found first, once those are expanded."""
        waiting, self.twins = self.twins, []
        for twin in waiting:
            number, state, came_from, by_act = twin
            if number >= self.graph.expanded:
                self.twins.append(twin)
            elif self._successors(state) != self.graph.successors(number):
                raise _BrokenError(TWINS, f"not as state {number}", came_from, by_act)

    def _successors(self, state: S) -> list[int | None]:
        canonical, step = self.subject.canonical, self.subject.step
        return [
            self.numbers.number(hash_of(canonical(step(state, act))))
            for act in self.subject.acts(state)
        ]

    def check_fates(self) -> None:
        """Check from which states the end can be reached; only a closed search knows."""
        if self.frontier:
            return
        ends = self.fates.index(END) if END in self.fates else len(self.fates)
        reaches = self.graph.can_reach(bytearray(fate == ends for fate in self.fate_of))
        for number, fate in enumerate(self.fate_of):
            waits = fate not in (0, ends)
            if waits == bool(reaches[number]):
                what = f"{self.fates[fate]} can end" if waits else "the end cannot be reached"
                raise _BrokenError(FATE, what, number)

    def waiting(self) -> dict[str, int]:
        """Return how many states wait for whom or what."""
        numbers = Counter(self.fate_of)
        return {
            fate: numbers[place] for place, fate in enumerate(self.fates) if fate not in ("", END)
        }

    def violation(self, broken: _BrokenError) -> Violation:
        """Return a broken law with the script that shows it."""
        beginning, places = self.graph.way(broken.number)
        if broken.act is not None:
            places.append(broken.act)
        state = first = self.subject.beginnings[beginning]
        done: list[A] = []
        for place in places:  # the same way again, but for the last act, which may raise
            state = self.subject.step(state, done[-1]) if done else state
            done.append(self.subject.acts(state)[place])
        return Violation(broken.law, broken.what, len(done), self.subject.script(first, done))
