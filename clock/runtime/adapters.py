"""A clock put together from its parts, whatever they are made of.

The parts come from `box` or `simulation`, which alone know that some of them are hardware; here
they are known by what they can do. The one rule: nothing here decides anything about a match.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from clock.config.loader import ConfigError
from clock.ui.dialogue import ButtonMoved
from clock.match.state import MatchState
from clock.runtime.ports import Drained, Fault, Log
from clock.match.rules import MatchSettings
from clock.match.sides import Button


class Plungers(Protocol):
    """Three buttons by their names, each edge with its instant."""

    def wait(self, until_ns: int | None) -> None:
        """Return when something has settled, or at an instant, or when woken."""

    def drain(self, now_ns: int) -> tuple[list[tuple[str, bool, int]], int]:
        """What has settled as (name, down, stamp), and the horizon."""

    def faults(self) -> list[tuple[str, str | None]]:
        """Buttons that failed, or (None) are well again."""


class PlungerButtons:
    """Plungers as the runtime's buttons."""

    def __init__(self, plungers: Plungers) -> None:
        self._plungers = plungers
        self._failed: set[str] = set()

    def wait(self, until_ns: int | None) -> None:
        """See `Buttons.wait`."""
        self._plungers.wait(until_ns)

    def drain(self, now_ns: int) -> Drained:
        """See `Buttons.drain`."""
        moved, horizon_ns = self._plungers.drain(now_ns)
        edges = [ButtonMoved(Button(name), down, at_ns) for name, down, at_ns in moved]
        return Drained(edges, horizon_ns)

    def faults(self) -> Sequence[Fault]:
        """Buttons that failed; they are well again when all of them are."""
        found: list[Fault] = []
        for name, what in self._plungers.faults():
            if what is not None:
                self._failed.add(name)
                found.append(Fault("buttons", f"{name}: {what}"))
            elif self._failed == {name}:
                found.append(Fault("buttons", None))
            if what is None:
                self._failed.discard(name)
        return found


class SeenLog:
    """A log whose lines are also shown to somebody, who is told when a new match begins."""

    def __init__(
        self,
        log: Log,
        see: Callable[[bytes], None],
        begun: Callable[[], None] = lambda: None,
    ) -> None:
        self._log = log
        self._see = see
        self._begun = begun

    def begin(self, match: str) -> str:
        """See `Log.begin`."""
        self._begun()
        return self._log.begin(match)

    def append(self, line: bytes) -> None:
        """See `Log.append`."""
        self._log.append(line)
        self._see(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        """See `Log.checkpoint`."""
        self._log.checkpoint(seq, at_ns, boot, state)

    def late_ns(self) -> int | None:
        """See `Log.late_ns`."""
        return self._log.late_ns()


class ConfiguredMatch:
    """The settings of the next match: the director's file as it is when they are asked for.

    A file that cannot be used is a fault, and the latest usable settings stay in force.
    """

    def __init__(self, first: MatchSettings, load: Callable[[], MatchSettings]) -> None:
        self._latest = first
        self._load = load
        self._faults: list[Fault] = []

    def settings(self) -> MatchSettings:
        """See `NextMatch.settings`."""
        try:
            self._latest = self._load()
        except ConfigError as error:
            self._faults.append(Fault("config", str(error)))
        else:
            self._faults.append(Fault("config", None))
        return self._latest

    def faults(self) -> Iterator[Fault]:
        """What was wrong with the file."""
        while self._faults:
            yield self._faults.pop(0)


class AllParts:
    """The health of all parts together: only what was not known is news."""

    def __init__(self, *sources: Callable[[], Sequence[Fault] | Iterator[Fault]]) -> None:
        self._sources = sources
        self._failed: dict[str, str] = {}

    def drain(self) -> Sequence[Fault]:
        """See `Health.drain`."""
        found = chain.from_iterable(source() for source in self._sources)
        return [_loggable(fault) for fault in found if self._is_news(fault)]

    def _is_news(self, fault: Fault) -> bool:
        if fault.what is None:
            return self._failed.pop(fault.part, None) is not None
        known = self._failed.get(fault.part)
        self._failed[fault.part] = fault.what
        return known != fault.what


def _loggable(fault: Fault) -> Fault:
    """A fault as a log can say it: the system's own words (names of files) need not be a text."""
    what = fault.what and fault.what.encode(errors="backslashreplace").decode()
    return fault._replace(what=what)
