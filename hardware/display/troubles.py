"""What is wrong with parts of the displays: told once when it begins, and once when all is well.

The one rule: one thread notes, another drains, and neither waits.
"""

from collections import deque

PART = "display"  # of the clock, in faults


class Troubles:
    """What is wrong with which part of the displays; filled by one thread, drained by another."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._news: deque[tuple[str, str | None]] = deque()

    def __bool__(self) -> bool:
        """Whether there is news."""
        return bool(self._news)

    def note(self, name: str, what: str) -> None:
        """Something is wrong with a part, or ("") no longer."""
        if what and name not in self._open:
            self._open.add(name)
            self._news.append((PART, f"{name}: {what}"))
        elif not what and self._open == {name}:
            self._news.append((PART, None))
        if not what:
            self._open.discard(name)

    def drain(self) -> list[tuple[str, str | None]]:
        """The news since the last time."""
        return [self._news.popleft() for _ in range(len(self._news))]
