"""Debounce switches: turn raw edges into presses and releases, each stamped at its first edge.

Edges less than the settle time apart are one burst. The level after a burst decides what it was: a
press, a release, or a glitch if nothing has changed. No edge is locked out, so a tap too short to
count cannot hide the press after it.

A worn contact may rest at a wrong level for longer than the settle time. But no hand presses the
same button twice within 40 ms. So for that long after the first edge of a change that counted, all
edges of this contact are one burst, and a press that begins in it is none: a press that opens and
closes again stays one press, and is still held.

The level that an edge reports is unreliable while a contact bounces, because the kernel reads it a
little after the interrupt. So it is compared with the level read after the settle time. If they
differ, a newer edge is on its way or one was missed; once the margin, the longest time that an edge
may take to arrive, is over, it was missed. For the same reason a burst is over only a margin after
the settle time.

A contact whose level has settled can report that same level only after another one. So an edge of
that kind which stays alone shows that one was missed. Whether a hand or a spark made the two cannot
be known: it is reported as missed, and counts as no press.

A press that may have begun is known at its first edge, before it has settled: a hint for the
picture, which a glitch takes back. Nothing is decided by it.

A contact that chatters is cut off for a second, then observed again.

Everything here is pure: integers of nanoseconds in and out.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hardware.units import NS_PER_MS, NS_PER_SECOND

HAND_NS = 40 * NS_PER_MS  # a hand takes at least twice as long from one press to the next
LONG_AGO_NS = -(2**63)  # before any stamp
CHATTER_NS = NS_PER_SECOND
CHATTER_EDGES = 200  # in that time; a press and a release with all their bounces make about 20
OBSERVE_NS = 100 * NS_PER_MS  # how long a contact must be quiet after it was cut off
OBSERVE_EDGES = 20  # allowed in that time: the same rate


class Change(NamedTuple):
    """A switch went down or came up, and settled there."""

    at_ns: int
    name: str
    down: bool


class Settled(NamedTuple):
    """All changes before `horizon_ns` that were not returned before, in the order of stamps."""

    changes: list[Change]
    horizon_ns: int


@dataclass(slots=True)
class Counts:
    """What went wrong with the edges of all switches, since the start."""

    glitches: int = 0
    """Bursts that left the level as it was, or that a hand cannot have made."""
    missed: int = 0
    """Levels that no edge reported: the last edge of the burst is missing, the first, or all."""
    unstamped: int = 0
    """Those of the missed whose instant is not known; their stamps are those of the reading."""
    late: int = 0
    """Edges that took longer than the margin; edges of contacts that chatter do not count."""


class ChatterGuard:
    """Cuts a contact off when it chatters, and observes it again every second."""

    def __init__(self) -> None:
        self.until_ns: int | None = None
        """The end of being cut off or observed; None while the contact is well."""
        self.listening = True
        self._edges: deque[int] = deque(maxlen=CHATTER_EDGES + 1)

    def count(self, at_ns: int) -> None:
        """Count an edge; cut the contact off if there are too many."""
        self._edges.append(at_ns)
        if self.until_ns is not None:
            too_many = self.listening and len(self._edges) > OBSERVE_EDGES
        else:
            too_many = len(self._edges) > CHATTER_EDGES and at_ns - self._edges[0] < CHATTER_NS
        if too_many:
            self.cut_off(at_ns)

    def cut_off(self, at_ns: int) -> None:
        """Ignore the contact for a second."""
        self.until_ns = at_ns + CHATTER_NS
        self.listening = False

    def recovered(self, now_ns: int) -> bool:
        """Begin or end to observe when it is time; return whether the contact is well again."""
        if self.until_ns is None or now_ns < self.until_ns:
            return False
        self._edges.clear()
        self.until_ns = None if self.listening else now_ns + OBSERVE_NS
        self.listening = True
        return self.until_ns is None


class Switch:
    """One switch: its settled level, and the burst that has not settled yet."""

    def __init__(
        self, name: str, settle_ns: int, margin_ns: int, counts: Counts, *, down: bool
    ) -> None:
        self.guard = ChatterGuard()
        self._name = name
        self._settle_ns = settle_ns
        self._margin_ns = margin_ns
        self._counts = counts
        self._down = down  # as last settled,
        self._counted_down = down  # and as last counted
        self._hand_ns = LONG_AGO_NS  # a press counts if it begins after this
        self._reported_down = down  # by the last edge
        self._first_ns: int | None = None  # edge of the burst
        self._last_ns = 0
        self._edges = 0  # in the burst
        self._differs_ns: int | None = None  # since when the level read is not the reported one

    @property
    def since_ns(self) -> int | None:
        """The instant at which the unsettled burst began; None if all has settled."""
        return self._differs_ns if self._first_ns is None else self._first_ns

    @property
    def begun_ns(self) -> int | None:
        """The first edge of a burst that may become a press; None if there is none.

        The contact was open and quiet before it: any edge ends the quiet, whatever it reports.
        """
        first_ns = self._first_ns
        return None if self._down or first_ns is None or first_ns <= self._hand_ns else first_ns

    @property
    def due_ns(self) -> int | None:
        """The instant at which `read` will settle the burst; None if all has settled."""
        if self._differs_ns is not None:
            return self._differs_ns + self._margin_ns
        return None if self._first_ns is None else self._burst_end_ns + self._margin_ns

    @property
    def _burst_end_ns(self) -> int:
        """From here on an edge belongs to another burst."""
        return max(self._last_ns + self._settle_ns, self._hand_ns)

    def edge(self, at_ns: int, *, down: bool) -> Change | None:
        """Note an edge; return the change of the burst before it, if that has ended."""
        ended = self._first_ns is not None and at_ns >= self._burst_end_ns
        before = self.settle(down=self._reported_down) if ended else None
        if self._first_ns is None:
            self._first_ns = self._last_ns = at_ns
        self._last_ns = max(self._last_ns, at_ns)
        self._edges += 1
        self._reported_down, self._differs_ns = down, None
        return before

    def read(self, now_ns: int, *, down: bool) -> Change | None:
        """Note the level as it is now; return the change that it settles."""
        if self._first_ns is not None and now_ns < self._burst_end_ns + self._margin_ns:
            return None
        if down == self._reported_down:
            return self.settle(down=down)
        if self._differs_ns is None:
            self._differs_ns = now_ns
        if now_ns < self._differs_ns + self._margin_ns:
            return None
        self._counts.missed += 1
        self._counts.unstamped += self._first_ns is None
        return self.settle(down=down)

    def restart(self, *, down: bool) -> None:
        """Take over a level, to be read next, without a press: a plunger must come up first."""
        self._counted_down = self._reported_down = down

    def settle(self, *, down: bool) -> Change | None:
        """End the burst at this level; return the change, if it was one."""
        at_ns, edges = self.since_ns, self._edges
        is_lone = edges == 1 and down == self._down == self._reported_down
        self._first_ns = self._differs_ns = None
        self._edges, self._down, self._reported_down = 0, down, down
        if at_ns is None:
            return None
        if down == self._counted_down or (down and at_ns <= self._hand_ns):
            self._counts.missed += is_lone
            self._counts.unstamped += is_lone
            self._counts.glitches += not is_lone
            return None
        self._counted_down, self._hand_ns = down, at_ns + HAND_NS
        return Change(at_ns, self._name, down)


class Debouncer:
    """All switches of a clock, their changes merged in the order of their stamps."""

    def __init__(self, down: Mapping[str, bool], settle_ns: int, margin_ns: int) -> None:
        """Start with the switches as they are; one that is down has not been pressed.

        A level that has lasted `settle_ns` is settled; an edge may be reported `margin_ns` late.
        """
        self.counts = Counts()
        self._margin_ns = margin_ns
        self._switches = {
            name: Switch(name, settle_ns, margin_ns, self.counts, down=level)
            for name, level in down.items()
        }
        self._held_back: list[Change] = []  # something earlier may still come
        self._horizon_ns: int | None = None

    @property
    def chattering(self) -> frozenset[str]:
        """The switches that are cut off or only observed."""
        switches = self._switches.items()
        return frozenset(name for name, switch in switches if switch.guard.until_ns is not None)

    @property
    def begun(self) -> list[Change]:
        """The presses that may have begun and were not returned yet, in the order of stamps."""
        starts = [(switch.begun_ns, name) for name, switch in self._switches.items()]
        begun = [Change(at_ns, name, down=True) for at_ns, name in starts if at_ns is not None]
        return sorted([*begun, *(change for change in self._held_back if change.down)])

    @property
    def unsettled_ns(self) -> int | None:
        """The first instant at which something began that has not settled."""
        return min(self._unsettled(), default=None)

    @property
    def due_ns(self) -> int | None:
        """The next instant at which `settle` may return changes; None: not before an edge."""
        dues = [switch.due_ns for switch in self._switches.values()]
        dues += [switch.guard.until_ns for switch in self._switches.values()]
        if self._held_back:
            first_ns = min(self._held_back).at_ns
            if all(since_ns > first_ns for since_ns in self._unsettled()):
                dues.append(first_ns + self._margin_ns + 1)
        return min((due_ns for due_ns in dues if due_ns is not None), default=None)

    def listening(self, name: str) -> bool:
        """Return whether the edges of a switch are wanted."""
        return self._switches[name].guard.listening

    def edge(self, name: str, at_ns: int, *, down: bool) -> bool:
        """Note an edge and the level that it reports; those of one switch come in their order.

        Return whether it changed `begun`: a press may have begun with it, or none any more.
        """
        switch = self._switches[name]
        guard, was_well = switch.guard, switch.guard.until_ns is None
        guard.count(at_ns)
        if not was_well:
            return False
        before_ns = switch.begun_ns
        self.counts.late += self._horizon_ns is not None and at_ns < self._horizon_ns
        self._hold_back(switch.edge(at_ns, down=down))
        if switch.since_ns is not None and at_ns - switch.since_ns >= CHATTER_NS:
            guard.cut_off(at_ns)
        if guard.until_ns is not None:
            self._hold_back(switch.settle(down=False))  # else it might stay down for ever
        return switch.begun_ns != before_ns

    def settle(self, now_ns: int, down: Mapping[str, bool]) -> Settled:
        """Return the changes that have settled by now, and the horizon."""
        for name, switch in self._switches.items():
            if switch.guard.recovered(now_ns):
                switch.restart(down=down[name])
            if switch.guard.until_ns is None:
                self._hold_back(switch.read(now_ns, down=down[name]))
        horizon_ns = min((now_ns - self._margin_ns, *self._unsettled()))
        self._horizon_ns = horizon_ns
        self._held_back.sort()
        changes = [change for change in self._held_back if change.at_ns < horizon_ns]
        del self._held_back[: len(changes)]
        return Settled(changes, horizon_ns)

    def _hold_back(self, change: Change | None) -> None:
        if change is not None:
            self._held_back.append(change)

    def _unsettled(self) -> list[int]:
        starts = (switch.since_ns for switch in self._switches.values())
        return [since_ns for since_ns in starts if since_ns is not None]
