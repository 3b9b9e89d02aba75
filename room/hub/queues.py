"""What waits for the hub, events of the sources and results: places have turns, and the pages."""

import asyncio
from collections import deque
from collections.abc import Callable

from clock.units import MILLISECOND_NS
from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.place_logs import UnfinishedError
from room.boards.results import result_of
from room.hub.store.opening import StoreError
from room.lines.backlog import Backlog
from room.lines.events import SourceEvent
from room.lines.turns import TurnQueue

TURN_NS = 5 * MILLISECOND_NS  # for an event: the rest of it is for the next turn of its place
UPDATE_NS = 10 * MILLISECOND_NS  # for events; then the pages have their turn
MOST_OF_ONE = 1000  # events of a place that wait; its clock keeps what comes then, and repeats it


class EventQueue:
    """Events that wait. All but `put` and `takes` is for the thread of the hub."""

    def __init__(self, raw_ns: Callable[[], int]) -> None:
        """Begin without an event; `raw_ns` returns the instant on the raw clock."""
        self._raw_ns = raw_ns
        self._new: deque[SourceEvent] = deque()  # that have come since events were handled last
        self._since_ns = 0  # since when the first of them waits
        self._turns = TurnQueue[SourceEvent](lambda event: event.place.key)
        self._waits_ns: dict[str, int] = {}  # since when a place waits for its turn
        self._turn_ends_ns = 0
        self.is_late = False  # the pages had their turn before all was handled

    def put(self, event: SourceEvent) -> None:
        """Let an event wait; may be called in any thread."""
        if not self._new:
            self._since_ns = self._raw_ns()
        self._new.append(event)

    def takes(self, place: str) -> bool:
        """Return whether more may come of a place; may be called in any thread."""
        return self._turns.of(place) < MOST_OF_ONE

    def is_turn_over(self) -> bool:
        """Return whether the rest of the event that is handled is for the next turn."""
        return self._raw_ns() > self._turn_ends_ns

    def backlog(self) -> Backlog:
        """Return how many events wait, and how long a place waits for its turn."""
        waits_ns = self._raw_ns() - min(self._waits_ns.values()) if self._waits_ns else 0
        return Backlog(len(self._new) + len(self._turns), waits_ns)

    def handle_all(self, handle: Callable[[SourceEvent], None]) -> None:
        """Handle events, one of each place in turn, until the pages have their turn.

        Those of a place whose log cannot be read now wait on.
        """
        for _ in range(len(self._new)):
            event = self._new.popleft()
            self._waits_ns.setdefault(event.place.key, self._since_ns)
            self._turns.append(event)
        held, ends_ns = list[SourceEvent](), self._raw_ns() + UPDATE_NS
        try:
            while self._turns and (begun_ns := self._raw_ns()) <= ends_ns:
                self._turn_ends_ns = begun_ns + TURN_NS
                event = self._turns.popleft()
                try:
                    handle(event)
                except UnfinishedError:
                    self._turns.give_back([event])
                except StoreError:
                    held += event, *self._turns.drain(event.place.key)
                    continue
                self._end_turn(event.place.key)
        finally:
            self.is_late = bool(self._turns)
            self._turns.give_back(held)

    def _end_turn(self, place: str) -> None:
        if self._turns.of(place):
            self._waits_ns[place] = self._raw_ns()
        else:
            del self._waits_ns[place]


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
