"""The thread that waits for edges on all lines, and brings them to whoever wants them.

It is blocked in the kernel until there is an edge, and is not woken otherwise. Whoever cannot wait
for it may `drain` the queues himself; or always does, and has the thread only `call` him: then an
edge that nobody has taken is still the kernel's when the program hangs and is killed.

What was read at once is delivered in the order of its stamps, one edge at a time, whichever thread
reads: reading and delivering are done under one lock. Nobody who watches or unwatches a line waits
for that lock, so a handler may do so, and a slow one delays only edges. Locks are re-entrant: a
device that is collected as garbage closes its pin wherever its thread happens to be.

The one rule: no error of a handler's ends the thread; it is logged, and the next edge is delivered.
"""

import logging
import os
import select
from collections import deque
from collections.abc import Callable
from threading import Event, RLock, Thread, current_thread

from gpiozero.exc import DeviceClosed

from hardware.gpio.line import Edge, Line

logger = logging.getLogger(__name__)


class Watch:
    """A line whose edges are wanted, from one moment to another."""

    def __init__(self, line: Line, name: str, report: Callable[[int, int], object]) -> None:
        """Begin with the next edge.

        Args:
            line: where it comes from.
            name: for messages.
            report: called with the stamp (ns of CLOCK_MONOTONIC) and the level (0 or 1) of each.
        """
        self.fd = line.fd
        self.line = line
        self.name = name
        self.report = report
        self.wanted = True


class EdgeThread:
    """All lines of a factory. Its thread begins with the first watch and ends with `close`."""

    def __init__(self) -> None:
        self._watches: dict[int, Watch] = {}  # by descriptor
        self._watching = RLock()  # of the watches and the thread; held for a moment
        self._delivering = RLock()  # of reading and delivering; taken before the other
        self._deliverer: Thread | None = None
        self._undelivered: deque[tuple[Edge, Watch]] = deque()
        self._epoll = select.epoll()
        self._closing = os.eventfd(0)
        self._epoll.register(self._closing, select.EPOLLIN)
        self._call: Callable[[], object] | None = None
        self._drained = Event()
        self._closed = False
        self._thread: Thread | None = None
        self._process = os.getpid()

    def watch(self, watch: Watch) -> None:
        """Have the edges of a claimed line reported."""
        with self._watching:
            if self._closed:
                raise DeviceClosed("the pin factory has been closed")
            if self._thread is None:
                self._thread = Thread(target=self._run, name="gpiod edges", daemon=True)
                self._thread.start()
            self._watches[watch.fd] = watch
            self._epoll.register(watch.fd, select.EPOLLIN)

    def unwatch(self, watch: Watch) -> None:
        """No report begins from now on, not even of edges already read."""
        with self._watching:
            watch.wanted = False
            if self._watches.get(watch.fd) is watch:
                del self._watches[watch.fd]
                if not self._forked:
                    self._epoll.unregister(watch.fd)

    def call(self, caller: Callable[[], object]) -> None:
        """Leave edges in the kernel until they are drained; when there are some, call this."""
        self._call = caller

    def drain(self) -> None:
        """Read the kernel's queues now, and deliver before returning.

        Every edge that the kernel had noted before the call has been delivered after it. Handlers
        are called here, or have been in another thread, for which this waits: do not call it while
        holding a lock that a handler takes.
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

        It has ended when this returns, except in a handler, after which it will.
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
        """This is a child process: thread and descriptors go on being its parent's."""
        return os.getpid() != self._process

    def _run(self) -> None:
        while not self._closed:
            self._epoll.poll()
            if self._call is None:
                self.drain()
            else:
                self._have_drained(self._call)
        self._free()

    def _have_drained(self, call: Callable[[], object]) -> None:
        """Call whoever drains, once, until he has."""
        self._drained.clear()
        if not self._closed:
            call()
            self._drained.wait()

    def _free(self) -> None:
        with self._delivering:
            self._epoll.close()
            os.close(self._closing)

    def _read(self) -> None:
        """What waits now, in the order of the stamps; those of one line stay in theirs."""
        with self._watching:
            ready = [] if self._closed else self._epoll.poll(0)
            watches = [self._watches.get(fd) for fd, _ in ready]
        edges = [(edge, watch) for watch in watches if watch for edge in self._edges_of(watch)]
        edges.sort(key=lambda reported: reported[0].at_ns)
        self._undelivered.extend(edges)

    def _edges_of(self, watch: Watch) -> list[Edge]:
        try:
            return watch.line.read()
        except OSError:
            logger.exception("%s is gone; its edges are no longer watched", watch.name)
            self.unwatch(watch)
            return []

    def _deliver(self, edge: Edge, watch: Watch) -> None:
        if not watch.wanted:
            return
        try:
            watch.report(edge.at_ns, edge.level)
        except (Exception, SystemExit):  # SystemExit would end the thread without a word
            logger.exception("the handler of %s failed", watch.name)
