"""The logs that a database has, with what waits to be written of them, and who sent each match."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from room.boards.board import Conflict, Result
from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.hub.store import tables
from room.hub.store.arranged import LineRow, arranged
from room.hub.store.database import Database
from room.hub.store.items import heard_after
from room.hub.store.opening import read
from room.hub.store.reader import SOON_S, Reader
from room.hub.store.write_queue import WriteQueue
from room.lines.first_heard import FirstHeard
from room.lines.inbox import LatestLines, LogKey, Point, Verdict

LogPair = tuple[str, str, str]  # a match and two of its sources, in the order of their names


class Senders:
    """Which sources have sent lines of which match. Not safe for two threads at a time."""

    def __init__(self, heard: Mapping[LogKey, FirstHeard], latest_lines: LatestLines) -> None:
        """Begin with what a database has: what was heard first, and the latest lines."""
        self._first_heard = dict(heard)
        self._sources: dict[str, set[str]] = {}  # by match
        self._contradictions: set[LogPair] = set()
        self._new_conflicts: set[str] = set()
        self._note((*latest_lines, *heard))

    def keys(self) -> list[LogKey]:
        """Return the sources and matches of all logs."""
        return [(source, match) for match, found in self._sources.items() for source in found]

    def hear(self, lines: Iterable[NewLine], wall: str) -> None:
        """Note lines that came at an instant of the wall clock."""
        heard = heard_after(self._first_heard, lines, wall)
        self._first_heard |= heard
        self._note(heard)

    def _note(self, keys: Iterable[LogKey]) -> None:
        for source, match in keys:
            known = self._sources.setdefault(match, set())
            if known - {source} and source not in known:
                self._new_conflicts.add(match)
            known.add(source)

    def drain_conflicts(self) -> list[LogKey]:
        """Return the logs of matches that another source has sent or contradicted since."""
        conflicting, self._new_conflicts = self._new_conflicts, set()
        return [(source, match) for match in conflicting for source in self._sources[match]]

    def of(self, match: str) -> list[str]:
        """Return the keys of the sources that sent a match, that which was first comes first."""
        found = [(self._since(source, match), source) for source in self._sources.get(match, ())]
        return [source for _, source in sorted(found)]

    def conflicts(self, match: str, source: str, latest_lines: LatestLines) -> list[Conflict]:
        """Return who sent a match, this source first; `latest_lines` say how many lines it sent."""
        others = [each for each in self.of(match) if each != source]
        return [
            Conflict(
                "match",
                each,
                self._since(each, match),
                latest_lines.get((each, match), Point()).seq,
                _pair(match, each, source) not in self._contradictions,
            )
            for each in (source, *others)
        ]

    def first_heard(self, match: str) -> dict[str, FirstHeard]:
        """Return what was seen first of a match, by source."""
        found = self._first_heard.items()
        return {source: each for (source, name), each in found if name == match}

    def followed_since(self, result: Result) -> str:
        """Return when a match was heard to begin; "" if it was not followed."""
        first = self._first_heard.get(result.key)
        return first.followed_since(result.duration_ns) if first else ""

    def first_of(self, keys: Iterable[LogKey]) -> dict[LogKey, FirstHeard]:
        """Return what was seen first of some logs."""
        return {key: self._first_heard[key] for key in keys}

    def uncompared(self, keys: Iterable[LogKey]) -> set[LogPair]:
        """Return the pairs of these logs with others of their match that may contradict them."""
        pairs = {
            _pair(match, source, other)
            for source, match in keys
            for other in self._sources[match] - {source}
        }
        return pairs - self._contradictions

    def contradict(self, pair: LogPair) -> None:
        """Note that two logs of a match contradict each other."""
        self._contradictions.add(pair)
        self._new_conflicts.add(pair[0])

    def _since(self, source: str, match: str) -> str:
        first = self._first_heard.get((source, match))
        return first.since if first else ""


def _pair(match: str, source: str, other: str) -> LogPair:
    """Return the key of two logs of a match, in whatever order they are named."""
    return (match, source, other) if source < other else (match, other, source)


FoundT = TypeVar("FoundT")


class Logs:
    """Reads logs, in a thread of its own."""

    def __init__(
        self,
        database: Database,
        name: str,
        queue: WriteQueue,
        using: threading.Lock,
        sources: Callable[[str], Sequence[str]],
    ) -> None:
        """Begin the thread, which ends with `close`.

        Args:
            database: has the logs.
            name: of the database, for errors.
            queue: what waits to be written.
            using: whoever holds it uses the database.
            sources: returns the keys of the sources that sent a match.
        """
        self._database, self._name, self._queue, self._using = database, name, queue, using
        self._sources, self._reader = sources, Reader()
        self.waits_ns, self.close = self._reader.waits_ns, self._reader.close

    def lines(self, match: str, source: str | None, patience_s: float) -> list[bytes]:
        """Return the lines of a match in their order, without line feeds.

        Args:
            match: its name.
            source: where it comes from; None: where it was heard of first.
            patience_s: how long to wait for the database.

        Raises:
            StoreError: it cannot be read now; ask again later.
        """
        find = partial(self.read_lines, match, source)
        return self._reader.read(("lines", match, source), find, patience_s)

    def known(self, match: str, source: str, turn_s: float) -> StoredLog:
        """Return the lines of a log, and how often some of them contradicted earlier ones.

        Raises:
            UnfinishedError: so long was too short; ask again in the next turn.
            StoreError: it cannot be read now; ask again later.
        """
        find = partial(self._read_known, match, source)
        return self._reader.read(("known", match, source), find, SOON_S, turn_s)

    def read_lines(self, match: str, source: str | None = None) -> list[bytes]:
        """Return the same as `lines`, however long it takes."""
        if source is None:
            source = next(iter(self._sources(match)), None)
        with self._using:  # nothing is written meanwhile
            items = self._queue.waiting()
            waiting = [each for each in items if isinstance(each, NewLine) and each.match == match]
            if source is None:  # no line of it is one of a log
                source = waiting[-1].source if waiting else self._read(tables.latest_source, match)
            log = self._read(tables.read_log, match, source)
        own = [each for each in waiting if each.source == source]
        return arranged(log, (LineRow(0, each.seq, each.verdict, each.line) for each in own)).lines

    def _read_known(self, match: str, source: str) -> StoredLog:
        with self._using:  # nothing is written meanwhile
            waiting = self._queue.waiting()
            forks = self._read(tables.count_forks, match, source)
        for each in waiting:
            match each:
                case NewLine() if (each.source, each.match) == (source, match):
                    forks += each.verdict is Verdict.FORK
                case tables.Finish(of, result) if (of, result.match) == (source, match):
                    forks = result.forks
                case _:
                    pass
        return StoredLog(self.read_lines(match, source), forks)

    def _read(self, find: Callable[..., FoundT], *values: str) -> FoundT:
        return read(self._database, self._name, find, *values)
