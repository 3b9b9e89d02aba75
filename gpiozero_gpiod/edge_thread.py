"""The thread that waits for edges on all lines, and delivers them to their handlers.

It sleeps in the kernel until there is an edge. A program that cannot wait for it may `drain` the
queues itself. Or it has the thread only `call` it, and drains always: then an edge not yet taken
stays in the kernel, also if the program hangs and is killed.

What is read at once is delivered in the order of stamps, one edge at a time: reading and delivering
share one lock, whichever thread does it. Watching and unwatching a line do not need that lock, so a
handler may do so, and a slow handler delays only edges. Locks are re-entrant, because a device that
is collected as garbage closes its pin in whatever thread that happens.

An error of a handler is logged, and the next edge is delivered.
"""

import logging
import os
import select
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event, RLock, Thread, current_thread

from gpiozero.exc import DeviceClosed

from gpiozero_gpiod.line import KernelEdge, Line

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Watch:
    """A claimed line whose edges are wanted, until `wanted` is False."""

    line: Line
    name: str
    """The name of the line, for messages."""
    report: Callable[[int, int], object]
    """Called with the stamp (ns of CLOCK_MONOTONIC) and the level (0 or 1) of each edge."""
    wanted: bool = True

    def __post_init__(self) -> None:
        self.fd = self.line.fd  # as it is while claimed


class EdgeThread:
    """All lines of a factory. The thread begins with the first watch and ends with `close`."""

    def __init__(self) -> None:
        self._watches: dict[int, Watch] = {}  # by descriptor
        self._watching = RLock()  # of the watches and the thread; held for a moment
        self._delivering = RLock()  # of reading and delivering; taken before the other
        self._deliverer: Thread | None = None
        self._undelivered: deque[tuple[KernelEdge, Watch]] = deque()
        self._epoll = select.epoll()
        self._closing = os.eventfd(0)  # never read, so that a wait after `close` ends too
        self._epoll.register(self._closing, select.EPOLLIN)
        self._call: Callable[[], object] | None = None
        self._drained = Event()
        self._closed = False
        self._thread: Thread | None = None
        self._process = os.getpid()

    def watch(self, watch: Watch) -> None:
        """Report the edges of a line."""
        with self._watching:
            if self._closed:
                raise DeviceClosed("the pin factory has been closed")
            if self._thread is None:
                self._thread = Thread(target=self._run, name="gpiod edges", daemon=True)
                self._thread.start()
            self._watches[watch.fd] = watch
            self._epoll.register(watch.fd, select.EPOLLIN)

    def unwatch(self, watch: Watch) -> None:
        """Report no more edges of a line, not even those that were read already."""
        with self._watching:
            watch.wanted = False
            if self._watches.get(watch.fd) is watch:
                del self._watches[watch.fd]
                if not self._forked:
                    self._epoll.unregister(watch.fd)

    def call(self, caller: Callable[[], object]) -> None:
        """Leave edges in the kernel until they are drained; call this when there are some."""
        self._call = caller

    def drain(self) -> None:
        """Read the kernel's queues now, and deliver before returning.

        Every edge that the kernel had noted before the call has then been delivered, here or in
        another thread that this waits for: do not call it with a lock held that a handler takes.
        """
        with self._delivering:
            before, self._deliverer = self._deliverer, current_thread()
            try:
                self._read()
                while self._undelivered:
                    self._deliver(*self._undelivered.popleft())
            finally:
                self._deliverer = before
        self._drained.set()

    def close(self) -> None:
        """End the thread; nothing more is reported.

        It has ended when this returns; if this is called by a handler, it ends after the handler.
        """
        with self._watching:
            if self._closed or self._forked:
                return
            os.eventfd_write(self._closing, 1)
            self._closed = True
            self._drained.set()
            for watch in list(self._watches.values()):
                watch.wanted = False
            self._watches.clear()
        if self._thread is None:
            self._free()
        elif self._deliverer is not current_thread():
            self._thread.join()

    # --- its parts ----------------------------------------------------------------------------

    @property
    def _forked(self) -> bool:
        """Whether this is a child process: the thread and the descriptors are its parent's."""
        return os.getpid() != self._process

    def _run(self) -> None:
        while not self._closed:
            self._epoll.poll()
            if self._call is None:
                self.drain()
            else:
                self._call_and_wait(self._call)
        self._free()

    def _call_and_wait(self, call: Callable[[], object]) -> None:
        self._drained.clear()
        if not self._closed:
            call()
            self._drained.wait()

    def _free(self) -> None:
        with self._delivering:
            self._epoll.close()
            os.close(self._closing)

    def _read(self) -> None:
        """Read what waits, in the order of stamps; those of one line keep their order."""
        with self._watching:
            ready = [] if self._closed else self._epoll.poll(0)
            watches = [self._watches.get(fd) for fd, _ in ready]
        edges = [(edge, watch) for watch in watches if watch for edge in self._edges_of(watch)]
        edges.sort(key=lambda reported: reported[0].at_ns)
        self._undelivered.extend(edges)

    def _edges_of(self, watch: Watch) -> list[KernelEdge]:
        try:
            return watch.line.read()
        except OSError:
            logger.exception("%s is gone; its edges are no longer watched", watch.name)
            self.unwatch(watch)
            return []

    def _deliver(self, edge: KernelEdge, watch: Watch) -> None:
        if not watch.wanted:
            return
        try:
            watch.report(edge.at_ns, edge.level)
        except (Exception, SystemExit):  # SystemExit would end the thread silently
            logger.exception("the handler of %s failed", watch.name)
