"""Raw edges of switches become presses: one for each, stamped at its first edge.

What one switch's edges mean, `bursts` says; which switch is not to be believed, `chatter`.

Changes come out in the order of their stamps, over all lines: one is held back until no line can
bring an earlier one. A line that chatters is cut off, so that it does not hold back the others.

The one rule: integers in, integers out; nothing here reads a clock or a pin.
"""

from collections.abc import Mapping
from typing import NamedTuple

from hardware.buttons.bursts import Change, Line
from hardware.buttons.chatter import CHATTER_NS, Gate

__all__ = ["Change", "Debouncer", "Settled"]


class Settled(NamedTuple):
    """What has settled, in the order of its stamps, and the instant before which that is all."""

    changes: list[Change]
    horizon_ns: int


class Debouncer:
    """All switches of a box."""

    def __init__(self, down: Mapping[str, bool], settle_ns: int, margin_ns: int) -> None:
        """The switches as they are at the beginning; one that is down has not been pressed.

        Args:
            down: the lines' levels by their names.
            settle_ns: a level that has lasted this long is settled.
            margin_ns: an edge may be reported this much later than it happened.
        """
        self.late = 0  # edges that took longer than the margin, of lines that are well
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
        """Levels that no edge had announced: the last of a burst was missed, or all of it."""
        return sum(line.missed for line in self._lines.values())

    @property
    def unstamped(self) -> int:
        """Levels without any edge; their stamps are those of the reading."""
        return sum(line.unstamped for line in self._lines.values())

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
        line, gate = self._lines[name], self._gates[name]
        well = gate.until_ns is None
        gate.count(at_ns)
        if not well:
            return
        self.late += self._horizon_ns is not None and at_ns < self._horizon_ns
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
