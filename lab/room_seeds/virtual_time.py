"""Virtual time: an event loop that never waits, and whatever else of the product waits in threads.

Where the loop would sleep, its time jumps. So hours pass in seconds, and what happens depends on
nothing but the program and its seed.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Hashable
from contextvars import Context
from queue import Empty
from random import Random
from selectors import SelectorKey, SelectSelector
from typing import Any, TypeVar, TypeVarTuple, Unpack

from clock.units import SECOND_NS
from room.hub.store.write_queue import RETRY_S, WriteQueue

FoundT = TypeVar("FoundT")
Ts = TypeVarTuple("Ts")


class _NoSockets(SelectSelector):
    """A selector that lets time pass instead of waiting for sockets, of which there are none."""

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        self._jump(timeout)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time begins at 0 and jumps to what is due next."""

    def __init__(self) -> None:
        self.ns = 0
        self.errors: list[dict[str, Any]] = []  # exceptions that nobody has taken
        super().__init__(_NoSockets(self._jump))
        self._clock_resolution = 1 / SECOND_NS

    def _jump(self, timeout: float | None) -> None:
        if timeout is None:
            raise RuntimeError("nothing is left to be done, at any time")
        if timeout > 0:
            self.ns += math.ceil(timeout * SECOND_NS)

    def time(self) -> float:
        """Return the present instant in seconds."""
        return self.ns / SECOND_NS

    def now_ns(self) -> int:
        """Return the present instant."""
        return self.ns

    def call_at_ns(self, at_ns: int, callback: Callable[[], object]) -> asyncio.TimerHandle:
        """Call back at an instant."""
        return self.call_at(max(at_ns, self.ns) / SECOND_NS, callback)

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """Call back soon: there is no other thread."""
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(
        self, _executor: object, work: Callable[[Unpack[Ts]], FoundT], *args: *Ts
    ) -> asyncio.Future[FoundT]:
        """Do the work of another thread at once."""
        done: asyncio.Future[FoundT] = self.create_future()
        done.set_result(work(*args))
        return done

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what nobody has taken."""
        self.errors.append(context)


class NoThread:
    """Stands for a thread whose work is done by the event loop."""

    def __init__(self, **_: object) -> None:
        """Begin nothing."""

    def start(self) -> None:
        """Begin nothing."""

    @staticmethod
    def is_alive() -> bool:
        """It never is."""
        return False


class IdleError(Exception):
    """A thread would wait here."""

    def __init__(self, seconds: float | None) -> None:
        """Note for how long at most; None: for ever."""
        super().__init__(seconds)
        self.seconds = seconds


class IdleQueue:
    """A queue that raises `IdleError` where a thread would wait."""

    def __init__(self) -> None:
        self._items = deque[Any]()

    def put(self, item: object) -> None:
        """Put something in."""
        self._items.append(item)

    def get(self, timeout: float | None = None) -> Any:
        """Return what was put in first; see `SimpleQueue`."""
        if self._items:
            return self._items.popleft()
        if timeout is not None and timeout <= 0:
            raise Empty
        raise IdleError(timeout)


class AtOnceReader:
    """Reads from a database at once; stands for `room.hub.store.reader.Reader`."""

    def read(self, _key: Hashable, find: Callable[[], FoundT], *_patience_s: float) -> FoundT:
        """Return what `find` returns."""
        return find()

    @staticmethod
    def waits_ns() -> int:
        """Nothing is awaited."""
        return 0

    def close(self) -> None:
        """End nothing."""


class LoopWriteQueue(WriteQueue):
    """A write queue whose thread is the event loop."""

    def __init__(self, loop: VirtualLoop, random: Random, write: Callable[[Any], str]) -> None:
        super().__init__(write)
        self._loop, self._random = loop, random
        self._next: asyncio.TimerHandle | None = None
        self._is_dead = False

    def start(self) -> None:
        """Begin nothing."""

    def put(self, items: Any) -> None:
        """See `WriteQueue`."""
        super().put(items)
        if items and self._next is None:
            self._work_in(self._random.uniform(0.001, 0.05))

    def kill(self) -> None:
        """Write nothing any more."""
        self._is_dead = True

    def _work_in(self, seconds: float) -> None:
        self._next = self._loop.call_later(seconds, self._work)

    def _work(self) -> None:
        self._next = None
        if self._is_dead:
            return
        error = self.write_waiting()
        if error or self.waiting():
            self._work_in(RETRY_S if error else 0.001)
