"""Raw edges of switches become presses: one for each, stamped at its first edge.

A contact that closes or opens bounces. All edges that follow one another in less than the settling
time are one burst; what it was, the level after it decides; when it was, its first edge. A burst
that leaves the level as it was is a glitch. Nothing is locked out: a tap too short to count cannot
hide the press after it.

What an edge says of its level cannot be trusted while the contact bounces, for the kernel reads it
a little later. The last edge of a burst is read when the level is stable, and is believed if the
level that the owner reads after the settling time agrees. If not, either a newer edge is still on
its way, or one was missed; after the margin, the time that an edge may take to arrive, it was
missed. For the same reason a burst is over only a margin after the settling time.

Changes come out in the order of their stamps, over all lines: one is held back until no line can
bring an earlier one. A line that chatters is cut off, so that it does not hold back the others.

The one rule: integers in, integers out; nothing here reads a clock or a pin.
"""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

CHATTER_NS = 1_000_000_000
CHATTER_EDGES = (
    200  # in that time; pressed and let go with all its bounces a contact makes about 20
)
LOOK_NS = 100_000_000  # how long a line that was cut off is looked at
LOOK_EDGES = 20  # in that time: the same rate


class Change(NamedTuple):
    """A line went down or came up, and stayed so."""

    at_ns: int
    name: str
    down: bool


class Settled(NamedTuple):
    """What has settled, in the order of its stamps, and the instant before which that is all."""

    changes: list[Change]
    horizon_ns: int


class Line:
    """One switch: what it is known to be, and the edges that have not settled yet."""

    def __init__(self, name: str, settle_ns: int, margin_ns: int, *, down: bool) -> None:
        self.name = name
        self.down = down  # as last settled
        self.glitches = 0  # bursts that left the line as it was
        self.missed = 0  # levels that no edge had announced
        self._settle_ns = settle_ns
        self._margin_ns = margin_ns
        self._first_ns: int | None = None
        self._last_ns = 0
        self._said = down  # what the last edge said of the level
        self._doubt_ns: int | None = None  # since when the level read is another than that

    @property
    def since_ns(self) -> int | None:
        """The instant at which what has not settled began; None when all has."""
        return self._doubt_ns if self._first_ns is None else self._first_ns

    @property
    def settled_at_ns(self) -> int | None:
        """The instant at which `look` will tell what it was; None when all has settled."""
        if self._doubt_ns is not None:
            return self._doubt_ns + self._margin_ns
        return None if self._first_ns is None else self._over_ns + self._margin_ns

    @property
    def _over_ns(self) -> int:
        """From here on an edge belongs to another burst."""
        return self._last_ns + self._settle_ns

    def edge(self, at_ns: int, *, down: bool) -> Change | None:
        """An edge; returns what the burst before it was, if that had settled by then."""
        settled = self._first_ns is not None and at_ns >= self._over_ns
        before = self._close(down=self._said) if settled else None
        if self._first_ns is None:
            self._first_ns = self._last_ns = at_ns
        self._last_ns = max(self._last_ns, at_ns)
        self._said, self._doubt_ns = down, None
        return before

    def look(self, now_ns: int, *, down: bool) -> Change | None:
        """The level as it was read now; returns what has settled by it."""
        if self._first_ns is not None and now_ns < self._over_ns + self._margin_ns:
            return None
        if down == self._said:
            return self._close(down=down)
        if self._doubt_ns is None:
            self._doubt_ns = now_ns
        if now_ns < self._doubt_ns + self._margin_ns:
            return None
        self.missed += 1
        return self._close(down=down)

    def cut_off(self) -> Change | None:
        """It counts as up from the beginning of its burst."""
        return self._close(down=False)

    def restart(self, *, down: bool) -> None:
        """It is known anew, without a press: a plunger that is down must come up first."""
        self.down = self._said = down

    def _close(self, *, down: bool) -> Change | None:
        at_ns = self.since_ns
        self._first_ns = self._doubt_ns = None
        self._said = down
        if at_ns is None:
            return None
        if down == self.down:
            self.glitches += 1
            return None
        self.down = down
        return Change(at_ns, self.name, down)


class Gate:
    """Cuts a line off when it chatters, and looks at it again every second."""

    def __init__(self) -> None:
        self.until_ns: int | None = None  # cut off or looked at until then; None: the line is well
        self.listening = True
        self._edges: deque[int] = deque(maxlen=CHATTER_EDGES + 1)

    def count(self, at_ns: int) -> None:
        """An edge, which may be one too many."""
        self._edges.append(at_ns)
        if self.until_ns is not None:
            too_many = self.listening and len(self._edges) > LOOK_EDGES
        else:
            too_many = len(self._edges) > CHATTER_EDGES and at_ns - self._edges[0] < CHATTER_NS
        if too_many:
            self.shut(at_ns)

    def shut(self, at_ns: int) -> None:
        """Nobody listens to the line for a while."""
        self.until_ns = at_ns + CHATTER_NS
        self.listening = False
        self._edges.clear()

    def reopened(self, now_ns: int) -> bool:
        """Whether the line is well again, as of now; it is when it was quiet while looked at."""
        if self.until_ns is None or now_ns < self.until_ns:
            return False
        self._edges.clear()
        self.until_ns = None if self.listening else now_ns + LOOK_NS
        self.listening = True
        return self.until_ns is None


class Debouncer:
    """All switches of a box."""

    def __init__(self, down: Mapping[str, bool], settle_ns: int, margin_ns: int) -> None:
        """The switches as they are at the beginning; one that is down has not been pressed.

        Args:
            down: the lines' levels by their names.
            settle_ns: a level that has lasted this long is settled.
            margin_ns: an edge may be reported this much later than it happened.
        """
        self.late = 0  # edges that took longer than the margin
        self._margin_ns = margin_ns
        self._lines = {
            name: Line(name, settle_ns, margin_ns, down=level) for name, level in down.items()
        }
        self._gates = {name: Gate() for name in down}
        self._held_back: list[Change] = []
        self._horizon_ns: int | None = None

    @property
    def glitches(self) -> int:
        """Bursts that were no presses."""
        return sum(line.glitches for line in self._lines.values())

    @property
    def missed(self) -> int:
        """Levels that no edge had announced; their stamps are those of the reading."""
        return sum(line.missed for line in self._lines.values())

    @property
    def chattering(self) -> frozenset[str]:
        """The lines that are cut off or only looked at."""
        return frozenset(name for name, gate in self._gates.items() if gate.until_ns is not None)

    @property
    def unsettled_ns(self) -> int | None:
        """The earliest instant at which something began that has not settled."""
        return min(self._unsettled(), default=None)

    @property
    def due_ns(self) -> int | None:
        """When `settle` will have more to tell; None: not before the next edge."""
        dues = [line.settled_at_ns for line in self._lines.values()]
        dues += [gate.until_ns for gate in self._gates.values()]
        if self._held_back:
            first_ns = min(self._held_back).at_ns
            if all(since_ns > first_ns for since_ns in self._unsettled()):
                dues.append(first_ns + self._margin_ns + 1)
        return min((due_ns for due_ns in dues if due_ns is not None), default=None)

    def listening(self, name: str) -> bool:
        """Whether the edges of a line are wanted."""
        return self._gates[name].listening

    def edge(self, name: str, at_ns: int, *, down: bool) -> None:
        """An edge of a line; those of one line come in their order.

        Args:
            name: of the line.
            at_ns: its stamp.
            down: what it says of the level.
        """
        self.late += self._horizon_ns is not None and at_ns < self._horizon_ns
        line, gate = self._lines[name], self._gates[name]
        well = gate.until_ns is None
        gate.count(at_ns)
        if not well:
            return
        self._keep(line.edge(at_ns, down=down))
        if line.since_ns is not None and at_ns - line.since_ns >= CHATTER_NS:
            gate.shut(at_ns)
        if gate.until_ns is not None:
            self._keep(line.cut_off())

    def settle(self, now_ns: int, down: Mapping[str, bool]) -> Settled:
        """What has settled by now.

        Args:
            now_ns: now.
            down: the lines' levels, read now or a little later.
        """
        for name, line in self._lines.items():
            if self._gates[name].reopened(now_ns):
                line.restart(down=down[name])
            if self._gates[name].until_ns is None:
                self._keep(line.look(now_ns, down=down[name]))
        horizon_ns = min((now_ns - self._margin_ns, *self._unsettled()))
        self._horizon_ns = horizon_ns
        self._held_back.sort(key=lambda change: (change.at_ns, change.name))
        changes = [change for change in self._held_back if change.at_ns < horizon_ns]
        del self._held_back[: len(changes)]
        return Settled(changes, horizon_ns)

    def _keep(self, change: Change | None) -> None:
        if change is not None:
            self._held_back.append(change)

    def _unsettled(self) -> list[int]:
        return [line.since_ns for line in self._lines.values() if line.since_ns is not None]
