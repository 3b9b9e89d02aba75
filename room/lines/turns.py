"""Turns of accounts: one thing of each in turn, however many one of them sends."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

ThingT = TypeVar("ThingT")


class TurnQueue(Generic[ThingT]):
    """Things that wait: each account's in their order, the accounts in turn."""

    def __init__(self, account: Callable[[ThingT], str]) -> None:
        """Begin without a thing; `account` says whose one is."""
        self._account, self._count = account, 0
        self._waiting: dict[str, deque[ThingT]] = {}  # that of the next turn first

    def __len__(self) -> int:
        """Return how many things wait."""
        return self._count

    def of(self, account: str) -> int:
        """Return how many things of an account wait; may be called in any thread."""
        return len(self._waiting.get(account, ()))

    def append(self, thing: ThingT) -> None:
        """Let a thing wait, behind those of its account."""
        self._waiting.setdefault(self._account(thing), deque()).append(thing)
        self._count += 1

    def popleft(self) -> ThingT:
        """Return the first thing of the next account, which is the last one then."""
        account, things = next(iter(self._waiting.items()))
        del self._waiting[account]
        self._count -= 1
        found = things.popleft()
        if things:
            self._waiting[account] = things
        return found

    def drain(self, account: str) -> Iterable[ThingT]:
        """Return the things of an account, which wait no more."""
        things = self._waiting.pop(account, deque())
        self._count -= len(things)
        return things

    def give_back(self, things: Iterable[ThingT]) -> None:
        """Let things wait before the others of their accounts, which stay the last ones."""
        for thing in reversed([*things]):
            self._waiting.setdefault(self._account(thing), deque()).appendleft(thing)
            self._count += 1
