"""The logs that a database has, with what waits to be written of them."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from room.boards.effects import NewLine
from room.boards.followed_log import StoredLog
from room.lines.inbox import Verdict
from room.store import tables
from room.store.arranged import LineRow, arranged
from room.store.database import Database
from room.store.opening import read
from room.store.reader import SOON_S, Reader
from room.store.write_queue import WriteQueue

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
