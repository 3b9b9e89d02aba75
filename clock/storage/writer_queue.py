"""What the writer of the log is to do next: what it was asked for, and what is due by itself.

While a clock runs a sign of life is due again and again, and while something is not saved another
attempt to save it. A line that is on the disk is a sign of life too.

The one rule: no sign of life knows of a line that the writer has not been given before.
"""

from collections.abc import Callable, Iterator
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import NamedTuple

from msgspec import structs

from clock.eventlog.recovery import CHECKPOINT_NS, Checkpoint
from clock.match.rules import SECOND_NS

RETRY_NS = 5 * SECOND_NS  # between two attempts to save what is not, while no line comes


class Begun(NamedTuple):
    """A new match."""

    match: str


class Again:
    """Try again what has failed."""


Job = bytes | Checkpoint | Begun | Again


class Saved(NamedTuple):
    """How the log is."""

    well: Callable[[], bool]  # nothing is wrong with it
    lines: Callable[[], bool]  # all that the writer was given are on the disk


class Jobs:
    """The writer's jobs: put there by others, taken by its thread alone."""

    def __init__(self, now_ns: Callable[[], int], saved: Saved) -> None:
        """Nothing is to be done."""
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._now_ns = now_ns
        self._saved = saved
        self._life: Checkpoint | None = None  # the latest that we were told
        self._life_waits = False  # one of them is in the queue: another would be no better
        self._signed_ns: int | None = None  # when the writer last left a sign of life
        self._tried_ns = 0  # when it last tried to save lines

    def put(self, job: Job | None) -> None:
        """This is to be done after all that was put before; None: nothing any more."""
        self._queue.put(job)

    def tell(self, life: Checkpoint) -> None:
        """The match is this now; all its lines have been put before."""
        self._life = life
        if not self._life_waits:
            self._life_waits = True
            self._queue.put(life)

    def next(self) -> Job | None:
        """Wait for a job, or for what is due; None: nothing will be to do any more."""
        while True:
            life = self._life  # before we look: then all lines that it knows of have been put
            due_ns, due = min(self._dues(life), key=itemgetter(0), default=(None, None))
            try:
                job = self._queue.get(timeout=self._seconds_until(due_ns))
            except Empty:
                return self._noted(self._by_now(due))
            if not isinstance(job, Checkpoint) or self._is_news(job):
                return self._noted(job)

    def _dues(self, life: Checkpoint | None) -> Iterator[tuple[int, Job]]:
        """What is due by itself, and when."""
        if life is not None and life.goes_on:
            yield (self._signed_ns or 0) + CHECKPOINT_NS, life
        if not self._saved.well():
            yield self._tried_ns + RETRY_NS, Again()

    def _seconds_until(self, at_ns: int | None) -> float | None:
        return None if at_ns is None else max(0, at_ns - self._now_ns()) / SECOND_NS

    def _is_news(self, life: Checkpoint) -> bool:
        """Whether it says more than what is on the disk."""
        self._life_waits = False  # before we look: whoever tells now puts it there himself
        if life is not self._life:
            self._life_waits = True
            self._queue.put(self._life)  # behind the lines that it knows of
        if self._signed_ns is not None and self._saved.lines():
            self._signed_ns = self._now_ns()
            return False
        return True

    def _noted(self, job: Job | None) -> Job | None:
        """A job that is about to be done."""
        if isinstance(job, Checkpoint):
            self._signed_ns = self._now_ns()
        else:
            self._tried_ns = self._now_ns()
        return job

    def _by_now(self, job: Job | None) -> Job | None:
        if isinstance(job, Checkpoint):
            return structs.replace(job, at_ns=self._now_ns())
        return job
