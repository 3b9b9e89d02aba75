"""The liveness of a clock: when it was heard, what time it has, and what it warns of."""

from dataclasses import dataclass, field
from typing import NamedTuple

from room.boards.sanitized import clean
from room.boards.signs import SILENCE_NS
from room.lines.events import ClockHeard
from room.lines.timing import Timing, hear


class HubClock(NamedTuple):
    """The time of the hub, which counts from its beginning."""

    began_ns: int  # on the raw clock of this computer
    boot: str = ""  # of this computer: a clock with the same boot id has the same raw clock

    def at(self, raw_ns: int) -> int:
        """Return an instant of the raw clock of this computer as one of the hub."""
        return raw_ns - self.began_ns


@dataclass
class Liveness:
    """What is known of a clock beside its log."""

    hub: HubClock
    heard_ns: int | None = None  # when it was heard last; None: never
    warnings: tuple[str, ...] = ()  # parts with a fault, by the latest heartbeat
    named: tuple[str, int] = "", 0  # the match and its latest line, which may still be on its way
    _timing: Timing = field(default_factory=Timing)

    def note(self, event: ClockHeard, *, runs: bool) -> None:
        """Note a heartbeat, or that the place was reached.

        Args:
            event: what was heard.
            runs: whether a clock runs, as far as is known.
        """
        if event.sent_ns is None:
            # That a folder can be read says nothing of a clock that should write to it now.
            if event.alive or not runs:
                self.heard_ns = self.hub.at(event.arrived_ns)
            return
        self.named = event.match, event.seq
        self.warnings = tuple(clean(part) for part in event.warnings)
        self.hear(event.boot, event.sent_ns, event.arrived_ns)

    def hear(self, boot: str, sent_ns: int, arrived_ns: int) -> None:
        """Note that the clock was heard, and what that says of its time.

        Args:
            boot: of the clock's computer.
            sent_ns: the instant there.
            arrived_ns: the instant here, on the raw clock.
        """
        if not self._is_own(boot):
            self._timing = hear(self._timing, boot, sent_ns, self.hub.at(arrived_ns))
        elif arrived_ns - sent_ns >= SILENCE_NS:
            return  # it was written by a clock that has ended since
        self.heard_ns = max(self.heard_ns or 0, self.hub.at(arrived_ns))

    def name(self, match: str, seq: int) -> None:
        """Note that a line was heard of: a later one of its match may have been before."""
        known, latest = self.named
        self.named = match, max(seq, latest) if match == known else seq

    def offset_ns(self, boot: str) -> int | None:
        """Return what to add to an instant of a boot of the clock; None: not known."""
        if self._is_own(boot):
            return -self.hub.began_ns
        return self._timing.offset_ns if boot == self._timing.boot else None

    def _is_own(self, boot: str) -> bool:
        """Return whether the clock runs on this computer: both have the same raw clock."""
        return boot != "" and boot == self.hub.boot

    def is_heard(self, now_ns: int) -> bool:
        """Return whether the clock was heard lately, at an instant of the hub."""
        return self.heard_ns is not None and now_ns - self.heard_ns < SILENCE_NS
