"""Adapters that fit parts, whether real or simulated, to the ports of the loop."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Protocol

from clock.config.loader import ignored_text
from clock.config.reader import ConfigError
from clock.config.schema import ConfigFile
from clock.config.settings import Preset, Settings
from clock.match.faults import Fault
from clock.match.rules import MatchSettings
from clock.match.state import MatchState
from clock.match.types import Button
from clock.runtime.ports import Drained, EventLog
from clock.ui.dialogue import ButtonMoved

FaultSource = Callable[[], Sequence[tuple[str, str | None]]]
"""Returns each part that failed with its fault, or with None when it is well again."""


class PlungerSource(Protocol):
    """The hardware's three buttons, which know nothing of the game."""

    def wait(self, until_ns: int | None) -> None:
        """Return when a press begins or has settled, at an instant, or when woken."""

    def drain(self, now_ns: int) -> tuple[list[tuple[str, bool, int]], int]:
        """Return the settled edges as (name, down, stamp), and the horizon."""

    def begun(self) -> list[tuple[str, int]]:
        """Return the presses that may have begun, as (name, stamp)."""

    def faults(self) -> list[tuple[str, str | None]]:
        """Return each part that failed with its fault, or with None when it is well again."""


class PlungerButtons:
    """The `Buttons` of the loop, made of the hardware's."""

    def __init__(self, plungers: PlungerSource) -> None:
        self._plungers = plungers

    def wait(self, until_ns: int | None) -> None:
        self._plungers.wait(until_ns)

    def drain(self, now_ns: int) -> Drained:
        moved, horizon_ns = self._plungers.drain(now_ns)
        edges = [ButtonMoved(Button(name), down, at_ns) for name, down, at_ns in moved]
        return Drained(edges, horizon_ns)

    def begun(self) -> Sequence[ButtonMoved]:
        begun = self._plungers.begun()
        return [ButtonMoved(Button(name), down=True, at_ns=at_ns) for name, at_ns in begun]

    def faults(self) -> Sequence[Fault]:
        """Return the faults and recoveries since the last call."""
        return faults_of(self._plungers.faults)


class TeeLog:
    """A log that copies its lines to a second place."""

    def __init__(
        self,
        log: EventLog,
        copy: Callable[[bytes], None],
        begin_copy: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `copy` with each line that the log has taken.

        `begin_copy` is called before the log of a new match begins.
        """
        self._log = log
        self._copy = copy
        self._begin_copy = begin_copy

    def begin(self, match: str) -> str:
        self._begin_copy()
        return self._log.begin(match)

    def append(self, line: bytes) -> None:
        self._log.append(line)
        self._copy(line)

    def checkpoint(self, seq: int, at_ns: int, boot: str, state: MatchState) -> None:
        self._log.checkpoint(seq, at_ns, boot, state)

    def late_ns(self) -> int | None:
        return self._log.late_ns()


class ConfiguredMatch:
    """The settings of the next match, read from the director's file each time.

    A file that cannot be used is a fault, and the latest usable settings stay in force.
    """

    def __init__(self, first: Settings, load: Callable[[], Settings]) -> None:
        self._latest = first
        self._load = load
        self._faults: list[Fault] = []

    def settings(self) -> MatchSettings:
        try:
            self._latest = self._load()
        except ConfigError as error:
            self._faults.append(Fault("config", str(error)))
        else:
            self._faults.append(Fault("config", ignored_text(self._latest) or None))
        return self._latest.match

    @property
    def choices(self) -> tuple[Preset, ...]:
        return self._latest.choices

    @property
    def board(self) -> str:
        return self._latest.board

    @property
    def file(self) -> ConfigFile:
        """The tables of the file, as last read without an error."""
        return self._latest.file

    def faults(self) -> Iterator[Fault]:
        """Yield the faults and recoveries of the file since the last call."""
        while self._faults:
            yield self._faults.pop(0)


class HealthAggregator:
    """The faults of several parts, without those that are already known."""

    def __init__(
        self, *sources: Callable[[], Iterable[Fault]], parts: Sequence[FaultSource] = ()
    ) -> None:
        self._sources: list[Callable[[], Iterable[Fault]]] = [*sources]
        self._sources += [partial(faults_of, part) for part in parts]
        self._known: dict[str, str] = {}

    def drain(self) -> Sequence[Fault]:
        found = chain.from_iterable(source() for source in self._sources)
        return [_as_text(fault) for fault in found if self._is_news(fault)]

    def _is_news(self, fault: Fault) -> bool:
        if fault.what is None:
            return self._known.pop(fault.part, None) is not None
        known = self._known.get(fault.part)
        self._known[fault.part] = fault.what
        return known != fault.what


def faults_of(source: FaultSource) -> list[Fault]:
    """Return the faults and recoveries of a part since the last call."""
    return [Fault(part, what) for part, what in source()]


def _as_text(fault: Fault) -> Fault:
    """Escape what is not valid text, such as the name of a file in another encoding."""
    what = fault.what and fault.what.encode(errors="backslashreplace").decode()
    return fault._replace(what=what)
