"""The practice clocks of all visitors: few at a time, and none for ever.

Everything here runs in one event loop. Times are nanoseconds of the hub's clock.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from clock.match.types import Button
from clock.units import MINUTE_NS, SECOND_NS
from room.practice.clock import PracticeClock

MOST = 100  # practice clocks at a time
NEW_PER_MINUTE = 20  # by one address, behind which there may be a whole club
PRESSES_PER_SECOND = 20  # by one visitor
IDLE_NS = 15 * MINUTE_NS  # without a press, then the clock ends
LONGEST_NS = 120 * MINUTE_NS
ID_BYTES = 16


class BusyError(Exception):
    """There is no clock or no press more for this visitor at present."""

    def __init__(self, why: str, *, is_personal: bool) -> None:
        """Say why; it is personal if others would be served."""
        super().__init__(why)
        self.is_personal = is_personal


@dataclass(eq=False)
class Visit:
    """A visitor's clock, and the pages that show it."""

    id: str
    clock: PracticeClock
    begun_ns: int
    pressed_ns: int
    presses: int = 0  # the number of the latest one
    changed: asyncio.Event = field(default_factory=asyncio.Event)  # until the next change
    ended: bool = False
    timer: asyncio.TimerHandle | None = None
    second: tuple[int, int] = (0, 0)  # which one, and how many presses were in it

    def tell(self) -> None:
        """Wake the pages that wait for a change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Desk:
    """Hands out practice clocks and takes them back."""

    def __init__(
        self,
        now_ns: Callable[[], int],
        wall: Callable[[], str],
        has_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """Open a desk without clocks.

        Args:
            now_ns: returns the present instant.
            wall: returns date and time, for the logs of the clocks.
            has_time: whether the hub has time for visitors; the room's boards come first.
        """
        self.times, self._now_ns, self._has_time = (now_ns, wall), now_ns, has_time
        self._visits: dict[str, Visit] = {}
        self._new = Counter[str]()  # by address, in this minute
        self._minute = 0

    def open(self, address: str, make: Callable[[], PracticeClock]) -> Visit:
        """Return a new clock, which `make` makes, for a visitor at an address.

        Raises:
            BusyError: there is none for them at present.
        """
        now_ns = self._now_ns()
        if now_ns // MINUTE_NS != self._minute:
            self._minute = now_ns // MINUTE_NS
            self._new.clear()
        if self._new[address] >= NEW_PER_MINUTE:
            raise BusyError("too many new practice clocks in a minute", is_personal=True)
        if len(self._visits) >= MOST or not self._has_time():
            raise BusyError("all practice clocks are taken", is_personal=False)
        self._new[address] += 1
        visit = Visit(secrets.token_urlsafe(ID_BYTES), make(), now_ns, now_ns)
        self._visits[visit.id] = visit
        self._wait(visit)
        return visit

    def visit(self, id_: str) -> Visit | None:
        """Return the visit with an id; None: it has ended, or there was none."""
        return self._visits.get(id_)

    def press(self, visit: Visit, number: int, button: Button, *, down: bool) -> None:
        """Press or release a button, unless a press of this number has been carried out.

        Raises:
            BusyError: the visitor presses too often.
        """
        if number <= visit.presses:
            return
        now_ns = self._now_ns()
        second, presses = visit.second
        presses = presses + 1 if second == now_ns // SECOND_NS else 1
        if presses > 2 * PRESSES_PER_SECOND:  # down and up
            raise BusyError("too many presses in a second", is_personal=True)
        visit.second = now_ns // SECOND_NS, presses
        visit.presses, visit.pressed_ns = number, now_ns
        visit.clock.press(button, down=down)
        self._wait(visit)
        visit.tell()

    def end(self) -> None:
        """End all visits: the hub ends."""
        for visit in [*self._visits.values()]:
            self._end(visit)

    def _end(self, visit: Visit) -> None:
        self._visits.pop(visit.id, None)
        if visit.timer is not None:
            visit.timer.cancel()
        visit.ended = True
        visit.tell()

    def _wait(self, visit: Visit) -> None:
        """Wake when the clock has something to do, or the visit has to end."""
        if visit.timer is not None:
            visit.timer.cancel()
        end_ns = min(visit.pressed_ns + IDLE_NS, visit.begun_ns + LONGEST_NS) - self._now_ns()
        due_ns = visit.clock.due_in_ns()
        pause_ns = max(0, end_ns if due_ns is None else min(due_ns, end_ns))
        loop = asyncio.get_running_loop()
        visit.timer = loop.call_later(pause_ns / SECOND_NS, self._turn, visit)

    def _turn(self, visit: Visit) -> None:
        now_ns = self._now_ns()
        if now_ns >= min(visit.pressed_ns + IDLE_NS, visit.begun_ns + LONGEST_NS):
            self._end(visit)
            return
        visit.clock.turn()
        self._wait(visit)
        visit.tell()
