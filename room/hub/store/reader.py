"""Read from a database in a thread of its own: a server that hangs gives no answer, and no error.

Who asks waits a moment, and asks again later if that was not enough. So the pages and the
connection to the broker go on, whatever the server does.
"""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from math import inf
from queue import SimpleQueue
from typing import Any, TypeVar

from clock.units import SECOND_NS
from room.boards.place_logs import UnfinishedError
from room.hub.store.opening import StoreError
from room.hub.words import hub_message

SOON_S = 1.0  # for an answer; all who ask wait no longer than that together
KEPT_NS = 30 * SECOND_NS  # an answer that came later is kept so long for who asks again

FoundT = TypeVar("FoundT")


class _Job:
    """Something that is read."""

    def __init__(self, find: Callable[[], Any]) -> None:
        self.find, self.found = find, Future[Any]()
        self.at_ns = time.monotonic_ns()  # of its beginning, or its end

    def run(self) -> None:
        """Read it; keep what is found, or the error."""
        try:
            found = self.find()
        except Exception as error:  # noqa: BLE001 (who asks gets it)
            self.at_ns = time.monotonic_ns()
            self.found.set_exception(error)
        else:
            self.at_ns = time.monotonic_ns()
            self.found.set_result(found)


class Reader:
    """Reads one thing after another."""

    def __init__(self) -> None:
        """Begin a thread, which ends with `close`."""
        self._using = threading.Lock()
        self._jobs: dict[Hashable, _Job] = {}  # those whose answer was not taken yet
        self._queue = SimpleQueue[_Job | None]()
        threading.Thread(target=self._run, name="reader", daemon=True).start()

    def read(
        self,
        key: Hashable,
        find: Callable[[], FoundT],
        patience_s: float = SOON_S,
        turn_s: float = inf,
    ) -> FoundT:
        """Return what `find` returns, or raise its error.

        Args:
            key: of what is read, to ask again.
            find: is called in the thread of this reader, unless it was for the same key before.
            patience_s: how long to wait, from the beginning of what is read now.
            turn_s: how long to wait at most in this call.

        Raises:
            StoreError: there is no answer yet.
            UnfinishedError: neither is there, and the patience is not at its end.
        """
        with self._using:
            job = self._job(key, find)
        left_s = max(0.0, patience_s - self.waits_ns() / SECOND_NS)
        if not wait([job.found], min(left_s, turn_s)).done:
            raise UnfinishedError if turn_s < left_s else StoreError(hub_message("database"))
        with self._using:
            self._jobs.pop(key, None)
        found: FoundT = job.found.result()
        return found

    def waits_ns(self) -> int:
        """Return how long the answer that is awaited has not come; 0: none is."""
        with self._using:
            begun_ns = [job.at_ns for job in self._jobs.values() if not job.found.done()]
        return time.monotonic_ns() - min(begun_ns) if begun_ns else 0

    def close(self) -> None:
        """End when everything is read."""
        self._queue.put(None)

    def _job(self, key: Hashable, find: Callable[[], Any]) -> _Job:
        before_ns = time.monotonic_ns() - KEPT_NS
        for each, job in list(self._jobs.items()):
            if job.found.done() and job.at_ns < before_ns:
                del self._jobs[each]
        if key not in self._jobs:
            self._jobs[key] = job = _Job(find)
            self._queue.put(job)
        return self._jobs[key]

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            job.run()
