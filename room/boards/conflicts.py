"""Conflicts: several clocks name one board or one match; which logs continue one log."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from room.boards.board import SIMULATED, Conflict
from room.lines.events import Place

ConflictsOf = Callable[[str, str], Sequence[Conflict]]  # by match, and by the key of a source


class Contender(NamedTuple):
    """A place, and who sent its match: the place itself first."""

    place: Place
    conflicts: Sequence[Conflict]
    clock: str = ""  # its id, as its log has it


def conflicts_on(own: Contender, others: Iterable[Contender]) -> list[Conflict]:
    """Return who says to have a board or its match, the board's own place first; nobody else: [].

    A directory and a serial port may show the same clock: there only logs that contradict each
    other are in conflict. Two accounts are two clocks.

    Args:
        own: the place of the board.
        others: those whose clocks are heard, and name the same board.
    """
    if not own.conflicts:
        return []
    first, *senders = own.conflicts
    known = {each.source for each in senders}
    conflicts = [each for each in senders if own.place.clock or not each.agrees]
    conflicts += [
        structs.replace(other.conflicts[0], what="clock" if _is_copy(own, other) else "board")
        for other in others
        if other.conflicts and other.place.key not in known
    ]
    return [structs.replace(first, what=conflicts[0].what), *conflicts] if conflicts else []


def _is_copy(own: Contender, other: Contender) -> bool:
    """Return whether two accounts have clocks with one id, as copied cards have."""
    are_accounts = own.place.clock and other.place.clock
    return bool(are_accounts) and own.clock == other.clock not in ("", SIMULATED)


def same_conflicts(some: Iterable[Conflict], others: Iterable[Conflict]) -> bool:
    """Return whether the same sources are in conflict over the same; their logs may have grown."""
    return [structs.replace(each, lines=0) for each in some] == [
        structs.replace(each, lines=0) for each in others
    ]


class Continuations:
    """The logs that continue others, by their names: a match that was resumed twice (R131).

    What was heard stays known: the clock that went on first may have begun another match since.
    """

    def __init__(self) -> None:
        """Begin without a log."""
        self._earlier: dict[str, str] = {}  # the log that each one continues
        self._later: dict[str, dict[str, None]] = {}  # the logs that continue each one

    def note(self, log: str, earlier: str) -> bool:
        """Note that a log continues another one; return whether that one was resumed twice.

        It returns False for what is known already, and for a log that begins with its match.
        """
        if not earlier or earlier == log or self._earlier.get(log) == earlier:
            return False
        self._earlier[log] = earlier
        later = self._later.setdefault(earlier, {})
        later[log] = None
        return len(later) > 1

    def rivals(self, log: str) -> tuple[str, ...]:
        """Return the other logs that continue what this one, or one before it, continues."""
        found, passed = dict[str, None](), {log}
        while (earlier := self._earlier.get(log, "")) and earlier not in passed:
            found |= dict.fromkeys(each for each in self._later[earlier] if each != log)
            passed.add(earlier)
            log = earlier
        return tuple(sorted(found))
