"""The buttons of a clock: wait for them, and drain their presses on the raw clock.

Threads of the pin factory only put edges into a queue; all else is done by the thread that calls
`wait` and `drain`.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

from gpiozero.pins import Factory

from hardware.buttons.contact import Contact
from hardware.buttons.debounce import Change, Debouncer
from hardware.latch import FaultLatch, Report
from hardware.system.clocks import RawClock
from hardware.units import NS_PER_MS, NS_PER_SECOND
from hardware.wakeup import Mailbox

REPORT_INTERVAL_NS = 10 * NS_PER_SECOND

LATE_EDGES = (
    "{late} more than {margin_ms} ms late, {missing} missing: a press may be stamped too late. Stop"
    " other programs on this computer; gammonclock doctor shows how old each stamp is"
)


class LateEdges:
    """Report edges that arrived too late or not at all.

    A late edge keeps its stamp, but a flag that fell before it arrived stays. A press without an
    edge is stamped when its level is read. Neither happens on a computer that is well. Unlike a
    fault latch, this reports new edges again, at most every ten seconds: each report is a line of
    the log.
    """

    def __init__(self, margin_ns: int) -> None:
        """Start with nothing to report; an edge that takes longer than the margin is late."""
        self._margin_ms = margin_ns // NS_PER_MS
        self._late = self._missing = 0
        self._reported_ns: int | None = None

    def report(self, late: int, missing: int, now_ns: int) -> str | None:
        """Return what to report now, if anything; both numbers count since the start."""
        last_ns = self._reported_ns
        too_soon = last_ns is not None and now_ns - last_ns < REPORT_INTERVAL_NS
        if too_soon or (late, missing) == (self._late, self._missing):
            return None
        new = {"late": late - self._late, "missing": missing - self._missing}
        self._late, self._missing, self._reported_ns = late, missing, now_ns
        return LATE_EDGES.format(margin_ms=self._margin_ms, **new)


PART = "buttons"  # of the clock, in faults
EDGES = "edges"  # late ones, of all buttons
CHATTERS = "contact chatters; ignored until it is quiet: check its wires"

# From an edge until it is in our queue. If the factory can read the kernel's queue at once, that is
# from the interrupt until a kernel thread has stored it: up to 0.3 ms are reported (Pi 4, stock
# kernel, under load).
KERNEL_MARGIN_NS = 2 * NS_PER_MS
# Otherwise a thread of the factory's delivers it: lgpio holds it back for 1 ms, then the thread
# waits for Python, in the worst case 5 ms for each of the other threads (loop, panels, log).
THREAD_MARGIN_NS = 20 * NS_PER_MS

LONGEST_WAIT_NS = 3600 * NS_PER_SECOND  # of one wait in the operating system


class Clock(Protocol):
    """The time that presses are stamped with."""

    def now_ns(self) -> int:
        """Return the present instant on the raw clock."""

    def raw_of(self, stamp_ns: int) -> int:
        """Convert a recent stamp of CLOCK_MONOTONIC to the raw clock."""


class ButtonEdge(NamedTuple):
    """A raw edge of a button, stamped on the raw clock."""

    name: str
    at_ns: int
    down: bool


Arrivals = Mailbox[ButtonEdge | None]  # None only ends the wait


class Plungers:
    """All buttons of a clock. Everything but `wake` is called by one thread."""

    def __init__(
        self,
        pins: Mapping[str, int],
        settle_ms: int,
        pin_factory: Factory | None = None,
        *,
        clock: Clock | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        """Claim the pins, at least one: BCM numbers by the buttons' names.

        A level that has lasted `settle_ms` is settled. Without a clock the kernel's raw clock
        stamps presses. `wait` waits for `arrivals`.

        Raises:
            gpiozero.GPIOZeroError: a pin does not exist, or is in use.
        """
        self._clock: Clock = RawClock() if clock is None else clock
        self._arrivals: Arrivals = SimpleQueue() if arrivals is None else arrivals
        self._woken = False
        self._kernel_has_edges = False
        self._ignored_before_ns: int | None = None
        self._latch = FaultLatch(PART)
        self._contacts: dict[str, Contact] = {}
        with ExitStack() as claimed:
            for name, pin in pins.items():
                report = partial(_put_edge, self._arrivals, self._clock, name)
                contact = Contact(pin, pin_factory, report)
                claimed.callback(contact.close)
                self._contacts[name] = contact
            self._claimed = claimed.pop_all()
        self._pin_factory = next(iter(self._contacts.values())).pin_factory
        self._read_kernel = getattr(self._pin_factory, "drain", None)
        self._margin_ns = THREAD_MARGIN_NS if self._read_kernel is None else KERNEL_MARGIN_NS
        self._late_edges = LateEdges(self._margin_ns)
        if call_to_drain := getattr(self._pin_factory, "call_to_drain", None):
            call_to_drain(self._note_kernel_edges)
        levels, edges = self.levels, self._edges_while_claiming()
        were_down = levels | {edge.name: False for edge in edges}
        self._debouncer = Debouncer(were_down, settle_ms * NS_PER_MS, self._margin_ns)
        for edge in edges:
            self._take(edge)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of glitches, and of edges missed, late, and lost by the kernel.

        A lost edge does no harm by itself, because the level is read again when it has settled; but
        a press may be stamped too late, so it is reported like a late one. The kernel loses edges
        only when a thousand wait.
        """
        counts = self._debouncer.counts
        return {
            "glitches": counts.glitches,
            "missed": counts.missed,
            "late": counts.late,
            "lost": self._lost_edges,
        }

    @property
    def levels(self) -> dict[str, bool]:
        """Whether each button is down now."""
        return {name: contact.down for name, contact in self._contacts.items()}

    @property
    def chattering(self) -> frozenset[str]:
        """The buttons that are ignored because their contacts chatter."""
        return self._debouncer.chattering

    def forget(self) -> None:
        """Ignore presses before now: they were not meant for the match that begins."""
        self._ignored_before_ns = self._clock.now_ns()

    def wait(self, until_ns: int | None) -> None:
        """Return when a press begins or has settled, at an instant (None: never), or when woken.

        If the instant has just passed, wait until the horizon can have reached it, because the
        caller may not decide anything at that instant before.
        """
        self._take_arrived()
        goal_ns = None if until_ns is None else self._goal_ns(until_ns)
        while not self._woken:
            wakes = (goal_ns, self._debouncer.due_ns)
            wake_ns = min((wake for wake in wakes if wake is not None), default=None)
            left_ns = None if wake_ns is None else wake_ns - self._clock.now_ns()
            if left_ns is not None and left_ns <= 0:
                break
            self._sleep(left_ns)
        self._woken = False

    def drain(self, now_ns: int) -> tuple[list[tuple[str, bool, int]], int]:
        """Return what has settled since the last call, and the horizon.

        Returns:
            (name, down, stamp) in the order of the stamps; and the instant before which nothing
            more can be stamped.
        """
        levels = self.levels
        if self._read_kernel is not None:
            self._read_kernel()
        self._take_arrived()
        changes, horizon_ns = self._debouncer.settle(now_ns, levels)
        for name in self._contacts:
            self._listen(name)
        return [(name, down, at_ns) for at_ns, name, down in self._wanted(changes)], horizon_ns

    def begun(self) -> list[tuple[str, int]]:
        """Return the presses that may have begun, but that `drain` has not returned yet.

        Returns:
            (name, stamp of the first edge) in the order of the stamps. Each of them becomes a
            press with this stamp, or nothing.
        """
        return [(name, at_ns) for at_ns, name, _ in self._wanted(self._debouncer.begun)]

    def wake(self) -> None:
        """End the wait; from any thread, or a signal handler."""
        self._arrivals.put(None)

    def faults(self) -> list[Report]:
        """Return the faults since the last call: buttons that chatter, late edges and lost ones.

        The last two are a fault that is over at once: it belongs into the log, but a warning would
        only alarm the players, who can do nothing about it.
        """
        chattering = self.chattering
        for name in sorted(self._contacts):
            if name in chattering:
                self._latch.fail(f"{name}: {CHATTERS}", name)
            else:
                self._latch.clear(name)
        counts, now_ns = self._debouncer.counts, self._clock.now_ns()
        missing = counts.unstamped + self._lost_edges
        if late := self._late_edges.report(counts.late, missing, now_ns):
            self._latch.fail(f"{EDGES}: {late}", EDGES)
            self._latch.clear(EDGES)
        return self._latch.drain()

    def close(self) -> None:
        """Release the pins."""
        self._claimed.close()

    # --- its parts ----------------------------------------------------------------------------

    @property
    def _lost_edges(self) -> int:
        """How many edges the kernel has dropped; not every pin factory knows."""
        lost: int = getattr(self._pin_factory, "lost_edges", 0)
        return lost

    def _note_kernel_edges(self) -> None:
        """End the wait, to read the kernel's queue; called by a thread of the pin factory."""
        self._kernel_has_edges = True
        self._arrivals.put(None)

    def _edges_while_claiming(self) -> list[ButtonEdge]:
        if self._read_kernel is not None:
            self._read_kernel()
        edges = [edge for edge in self._arrived() if edge is not None]
        self._kernel_has_edges = False
        return edges

    def _wanted(self, changes: list[Change]) -> list[Change]:
        first_ns = self._ignored_before_ns
        return [change for change in changes if first_ns is None or change.at_ns >= first_ns]

    def _goal_ns(self, until_ns: int) -> int | None:
        """Return when to end a wait in which nothing settles; None: only settling moves it on."""
        now_ns, unsettled_ns = self._clock.now_ns(), self._debouncer.unsettled_ns
        if now_ns < until_ns:
            return until_ns
        if unsettled_ns is not None and unsettled_ns < until_ns:
            return None
        return until_ns + self._margin_ns

    def _sleep(self, left_ns: int | None) -> None:
        """Sleep until something arrives, at most for `left_ns`; None for no limit."""
        left_s = None if left_ns is None else min(left_ns, LONGEST_WAIT_NS) / NS_PER_SECOND
        with suppress(Empty):
            self._take(self._arrivals.get(timeout=left_s))

    def _arrived(self) -> Iterator[ButtonEdge | None]:
        with suppress(Empty):
            while True:
                yield self._arrivals.get(block=False)

    def _take_arrived(self) -> None:
        for edge in self._arrived():
            self._take(edge)

    def _take(self, edge: ButtonEdge | None) -> None:
        if edge is not None:
            self._woken |= self._debouncer.edge(edge.name, edge.at_ns, down=edge.down)
            self._listen(edge.name)
        elif self._kernel_has_edges and self._read_kernel is not None:
            self._kernel_has_edges = False
            self._read_kernel()
        else:
            self._woken = True

    def _listen(self, name: str) -> None:
        self._contacts[name].listen(wanted=self._debouncer.listening(name))


def _put_edge(arrivals: Arrivals, clock: Clock, name: str, stamp_ns: int, down: bool) -> None:  # noqa: FBT001 (see `Contact`)
    """Queue an edge; called by a thread of the pin factory.

    It does not refer to `Plungers`, which would then be closed by the garbage collector, at any
    moment and in any thread, instead of when its last user is gone.
    """
    arrivals.put(ButtonEdge(name, clock.raw_of(stamp_ns), down))
