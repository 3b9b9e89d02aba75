"""Three buttons on the pins of a Raspberry Pi: when each went down and came up, on the raw clock.

Pins are BCM numbers; a button connects its pin to ground, against the internal pull-up, so a low
level is a button that is down. One that is held down gives one press; one that is down when the
clock is switched on gives none until it has been let go.

A pin factory whose lines outlive the program brings the edges of while it was away, first of all.
A button that has moved since then is taken for one that was up, so a press is a press.

The one rule: all waiting happens in one queue, so nothing is ever polled.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from queue import Empty, SimpleQueue

from gpiozero import InputDevice
from gpiozero.pins import Factory

from hardware.buttons.debounce import Debouncer
from hardware.buttons.plunger import NS_PER_SECOND, Arrivals, Clock, Edge, Plunger
from hardware.system.clocks import RawClock
from hardware.buttons.late_edges import EDGES, Untimely

__all__ = ["Arrivals", "Clock", "Edge", "Plungers"]

NS_PER_MS = 1_000_000

# From an edge until it stands in our queue. If the factory can read the kernel's queue at once,
# that is from the interrupt until a thread of the kernel's has stored it: reported are up to 0.3 ms
# (Pi 4, stock kernel, under load).
KERNEL_MARGIN_NS = 2 * NS_PER_MS
# Otherwise a thread of the factory's brings it: lgpio holds it back for 1 ms, then the thread must
# wait for Python, in the worst case once 5 ms for each of the others (loop, panels, log).
THREAD_MARGIN_NS = 20 * NS_PER_MS

LONGEST_WAIT_NS = 3600 * NS_PER_SECOND  # of one wait in the operating system

CHATTERS = "line chatters; cut off"


class Plungers:
    """All buttons of a box. Everything but `wake` is called by one thread."""

    def __init__(
        self,
        pins: Mapping[str, int],
        settle_ms: int,
        pin_factory: Factory | None = None,
        *,
        clock: Clock | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        """Claim the pins.

        Args:
            pins: BCM numbers by the buttons' names; at least one.
            settle_ms: a level that has lasted this long is settled.
            pin_factory: of gpiozero; None for its default.
            clock: what presses are stamped in; None for the kernel's raw clock.
            arrivals: the queue whose `get` all waiting happens in.

        Raises:
            gpiozero.GPIOZeroError: a pin does not exist, or is in use.
        """
        self._clock: Clock = RawClock() if clock is None else clock
        self._arrivals: Arrivals = SimpleQueue() if arrivals is None else arrivals
        self._woken = False
        self._reported: frozenset[str] = frozenset()
        with ExitStack() as opened:
            self._plungers = {
                name: self._opened(name, pin, pin_factory, opened) for name, pin in pins.items()
            }
            self._devices = opened.pop_all()
        self._read_kernel = next(plunger.read_kernel for plunger in self._plungers.values())
        self._margin_ns = THREAD_MARGIN_NS if self._read_kernel is None else KERNEL_MARGIN_NS
        self._untimely = Untimely(self._margin_ns)
        self._pin_factory = next(iter(self._plungers.values())).pin_factory
        self._since_ns: int | None = None
        self._edges_wait = False
        if call_to_drain := getattr(self._pin_factory, "call_to_drain", None):
            call_to_drain(self._called)
        levels, moved = self._levels(), self._moved_already()
        at_first = levels | {edge.name: False for edge in moved}
        self._debouncer = Debouncer(at_first, settle_ms * NS_PER_MS, self._margin_ns)
        for edge in moved:
            self._take(edge)

    @property
    def counts(self) -> dict[str, int]:
        """How many glitches there were, and edges missed, too late, and lost by the kernel.

        A lost edge does no harm by itself: its line is read again when it has settled. The kernel
        loses one only when a thousand wait, and such a line chatters, which is a fault anyway.
        """
        debouncer = self._debouncer
        return {
            "glitches": debouncer.glitches,
            "missed": debouncer.missed,
            "late": debouncer.late,
            "lost": getattr(self._pin_factory, "lost_edges", 0),
        }

    def forget(self) -> None:
        """What was pressed until now is not wanted: it was not meant for what begins now."""
        self._since_ns = self._clock.now_ns()

    def wait(self, until_ns: int | None) -> None:
        """Return when a press has settled, or at an instant (None: never), or when woken.

        An instant that has just passed is waited for until the horizon can have reached it: whoever
        asks for it again waits for something that it may not decide yet.
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
        """What has settled since the last time, and the horizon.

        Args:
            now_ns: an instant not in the future.

        Returns:
            (name, down, stamp) in the order of the stamps; and the instant before which nothing
            can have been stamped that has not been returned.
        """
        levels = self._levels()
        if self._read_kernel is not None:
            self._read_kernel()
        self._take_arrived()
        changes, horizon_ns = self._debouncer.settle(now_ns, levels)
        self._tell_plungers()
        since_ns = self._since_ns
        wanted = [change for change in changes if since_ns is None or change.at_ns >= since_ns]
        return [(name, down, at_ns) for at_ns, name, down in wanted], horizon_ns

    def wake(self) -> None:
        """Have `wait` return; from any thread, or a signal handler."""
        self._arrivals.put(None)

    def faults(self) -> list[tuple[str, str | None]]:
        """The buttons that began to chatter since the last time, or (None) are well again.

        `EDGES` that came too late or not at all are told of, and at once well again: the log is to
        know, while a warning would only alarm players, who can do nothing about it.
        """
        chattering = self._debouncer.chattering
        changed = sorted(chattering ^ self._reported)
        self._reported = chattering
        told = [(name, CHATTERS if name in chattering else None) for name in changed]
        debouncer, now_ns = self._debouncer, self._clock.now_ns()
        untimely = self._untimely.told(debouncer.late, debouncer.unstamped, now_ns)
        return told if untimely is None else [*told, (EDGES, untimely), (EDGES, None)]

    def close(self) -> None:
        """Give the pins back."""
        self._devices.close()

    # --- its parts ----------------------------------------------------------------------------

    def _called(self) -> None:
        """Called by a thread of the factory's: there are edges in the kernel's queue."""
        self._edges_wait = True
        self._arrivals.put(None)

    def _opened(
        self, name: str, pin: int, pin_factory: Factory | None, opened: ExitStack
    ) -> Plunger:
        device = InputDevice(pin, pull_up=True, pin_factory=pin_factory)
        opened.callback(device.close)
        return Plunger(name, device, self._clock, self._arrivals)

    def _moved_already(self) -> list[Edge]:
        if self._read_kernel is not None:
            self._read_kernel()
        moved = [edge for edge in self._arrived() if edge is not None]
        self._edges_wait = False  # whoever called is among those who were not an edge
        return moved

    def _levels(self) -> dict[str, bool]:
        return {name: plunger.down for name, plunger in self._plungers.items()}

    def _goal_ns(self, until_ns: int) -> int | None:
        """When to return though no press settles; None when only that can move the horizon."""
        now_ns, unsettled_ns = self._clock.now_ns(), self._debouncer.unsettled_ns
        if now_ns < until_ns:
            return until_ns
        if unsettled_ns is not None and unsettled_ns < until_ns:
            return None
        return until_ns + self._margin_ns

    def _sleep(self, left_ns: int | None) -> None:
        """Until something arrives, at most for a while (None: for ever)."""
        left_s = None if left_ns is None else min(left_ns, LONGEST_WAIT_NS) / NS_PER_SECOND
        try:
            self._take(self._arrivals.get(timeout=left_s))
        except Empty:
            return
        self._take_arrived()

    def _arrived(self) -> Iterator[Edge | None]:
        """What has arrived until now."""
        with suppress(Empty):
            while True:
                yield self._arrivals.get(block=False)

    def _take_arrived(self) -> None:
        for edge in self._arrived():
            self._take(edge)

    def _take(self, edge: Edge | None) -> None:
        if edge is None:
            self._woken_or_called()
            return
        self._debouncer.edge(edge.name, edge.at_ns, down=edge.down)
        self._plungers[edge.name].listen(wanted=self._debouncer.listening(edge.name))

    def _woken_or_called(self) -> None:
        if self._edges_wait and self._read_kernel is not None:
            self._edges_wait = False
            self._read_kernel()
        else:
            self._woken = True

    def _tell_plungers(self) -> None:
        for name, plunger in self._plungers.items():
            plunger.listen(wanted=self._debouncer.listening(name))
