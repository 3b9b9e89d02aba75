"""The results that are computed in a thread: one after another, and places have turns."""

import asyncio
from collections.abc import Callable

from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.results import result_of


class ResultQueue:
    """Logs that wait for their results."""

    def __init__(self, finish: Callable[[EndedLog, Result], None]) -> None:
        """Begin without a log; `finish` takes each result."""
        self._finish = finish
        self._waiting: dict[str, dict[str, EndedLog]] = {}  # by place and match
        self._computes = asyncio.Lock()
        self._jobs: set[asyncio.Task[None]] = set()  # one of each place that waits

    def put(self, ended: EndedLog) -> None:
        """Have the result of a log computed; one that waits already is that of these lines."""
        key = ended.place.key
        if key not in self._waiting:
            self._waiting[key] = {}
            task = asyncio.get_running_loop().create_task(self._compute_all(key))
            self._jobs.add(task)
            task.add_done_callback(self._jobs.discard)
        self._waiting[key][ended.match] = ended

    async def settle(self) -> None:
        """Return when all results are there."""
        while self._jobs:
            await asyncio.gather(*self._jobs)

    async def _compute_all(self, key: str) -> None:
        """Compute the results of a place."""
        waiting = self._waiting[key]
        try:
            while waiting:
                async with self._computes:
                    ended = waiting.pop(next(iter(waiting)))
                    result = await asyncio.to_thread(result_of, ended)
                if result is not None:
                    self._finish(ended, result)
        finally:
            del self._waiting[key]
