"""The write queue: what the writer's thread has to do, asked for by others or due by itself.

While a clock runs a checkpoint is due every half second (a line that is on the disk counts as one),
and while the log has a fault a retry is due every few seconds. A checkpoint is never written before
the lines that led to its state.
"""

from collections.abc import Callable, Iterator
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.recovery import CHECKPOINT_NS, Checkpoint
from clock.units import SECOND_NS

RETRY_NS = 5 * SECOND_NS  # between two attempts to save lines while no new line comes


class StartMatch(NamedTuple):
    """Create the log of a new match."""

    match: str


class Retry:
    """Try to save the lines that are not saved yet."""


Request = bytes | Checkpoint | StartMatch | Retry  # bytes: a line to be saved


class WriteQueue:
    """Requests, put by any thread and taken by the writer's thread alone."""

    def __init__(
        self, now_ns: Callable[[], int], is_well: Callable[[], bool], all_saved: Callable[[], bool]
    ) -> None:
        """Start empty.

        `all_saved` says whether all lines that the writer has taken are on the disk.
        """
        self._queue: SimpleQueue[Request | None] = SimpleQueue()
        self._now_ns = now_ns
        self._is_well = is_well
        self._all_saved = all_saved
        self._checkpoint: Checkpoint | None = None  # the latest
        self._is_checkpoint_queued = False  # one is in the queue already: no need for another
        self._checkpoint_ns: int | None = None  # when a checkpoint was last written, or unnecessary
        self._attempt_ns = 0  # when the writer last tried to save lines

    def put(self, request: Request | None) -> None:
        """Queue a request; None ends the writer."""
        self._queue.put(request)

    def update_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Take the latest state of the match; the lines that led to it have been put before."""
        self._checkpoint = checkpoint
        if not self._is_checkpoint_queued:
            self._is_checkpoint_queued = True
            self._queue.put(checkpoint)

    def next(self) -> Request | None:
        """Wait for a request, or until a checkpoint or a retry is due; None: the writer ends."""
        while True:
            checkpoint = self._checkpoint  # read before the queue: then its lines are in there
            due_ns, due = min(self._dues(checkpoint), key=itemgetter(0), default=(None, None))
            try:
                request = self._queue.get(timeout=self._seconds_until(due_ns))
            except Empty:
                return self._start_due(due)
            if not isinstance(request, Checkpoint) or self._is_needed(request):
                return self._start(request)

    def _dues(self, checkpoint: Checkpoint | None) -> Iterator[tuple[int, Request]]:
        """Yield what is due by itself, with the instant."""
        if checkpoint is not None and checkpoint.clock_runs:
            yield (self._checkpoint_ns or 0) + CHECKPOINT_NS, checkpoint
        if not self._is_well():
            yield self._attempt_ns + RETRY_NS, Retry()

    def _seconds_until(self, at_ns: int | None) -> float | None:
        return None if at_ns is None else max(0, at_ns - self._now_ns()) / SECOND_NS

    def _is_needed(self, checkpoint: Checkpoint) -> bool:
        """Whether a queued checkpoint says more than the lines that are on the disk."""
        self._is_checkpoint_queued = False  # before the next line: an update now queues its own
        if checkpoint is not self._checkpoint:
            self._is_checkpoint_queued = True
            self._queue.put(self._checkpoint)  # behind the lines that led to it
        if self._checkpoint_ns is not None and self._all_saved():
            self._checkpoint_ns = self._now_ns()
            return False
        return True

    def _start_due(self, due: Request | None) -> Request | None:
        """Start what is due by itself, a checkpoint with the present instant."""
        self._start(due)
        if isinstance(due, Checkpoint):
            return structs.replace(due, at_ns=self._checkpoint_ns)
        return due

    def _start(self, request: Request | None) -> Request | None:
        """Note when a request is begun, and return it."""
        if isinstance(request, Checkpoint):
            self._checkpoint_ns = self._now_ns()
        else:
            self._attempt_ns = self._now_ns()
        return request
