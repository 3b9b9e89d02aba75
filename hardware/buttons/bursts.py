"""One switch: its raw edges become bursts, and a burst a change of what the switch is, or nothing.

All edges that follow one another in less than the settling time are one burst; what it was, the
level after it decides; when it was, its first edge. A burst that leaves the level as it was is a
glitch. Nothing is locked out: a tap too short to count cannot hide the press after it.

What an edge says of its level cannot be trusted while the contact bounces, for the kernel reads it
a little later. The last edge of a burst is read when the level is stable, and is believed if the
level that the owner reads after the settling time agrees. If not, either a newer edge is still on
its way, or one was missed; after the margin, the time that an edge may take to arrive, it was
missed. For the same reason a burst is over only a margin after the settling time.

The one rule: integers in, integers out; nothing here reads a clock or a pin.
"""

from typing import NamedTuple


class Change(NamedTuple):
    """A line went down or came up, and stayed so."""

    at_ns: int
    name: str
    down: bool


class Line:
    """One switch: what it is known to be, and the edges that have not settled yet."""

    def __init__(self, name: str, settle_ns: int, margin_ns: int, *, down: bool) -> None:
        self.name = name
        self.down = down  # as last settled
        self.glitches = 0  # bursts that left the line as it was
        self.missed = 0  # levels that no edge had announced
        self.unstamped = 0  # those of them that had no edge at all
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
        self.unstamped += self._first_ns is None
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
