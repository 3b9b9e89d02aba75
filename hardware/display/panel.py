"""One panel, whose connection may fail at any moment: what it is sent, and how it is checked.

Only what differs from the last state sent is sent; setup and whole picture after any error. A panel
whose supply failed for a moment acknowledges as before, but it was reset: it is dark, and setup and
memory are lost. So a healthy panel is checked every two seconds, mostly when a new picture is due
anyway. Its status byte tells whether it is on; a panel that was reset is set up and filled again.

Not every panel can be read. One whose status cannot be trusted gets a short setup at each check
instead, which lights it again. And some of the setup or of the picture is sent again from time to
time, which replaces what a reset or a disturbance has changed unnoticed. On a healthy panel all of
that is invisible. A panel on SPI can never be read, and a whole picture costs little there: it gets
setup and picture at each check.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

import luma.core.error

from hardware.display.controllers import (
    ADDRESS_BYTES,
    DISPLAY_OFF,
    DISPLAY_ON,
    NORMAL,
    RESYNC,
    STATUS_MASK,
    STATUS_OFF,
    Controller,
    commands,
)
from hardware.display.framebuffer import BLANK, PAGES, WHOLE, Rectangle, dirty_rectangles
from hardware.display.widgets import WIDTH
from hardware.units import NS_PER_SECOND

FIRST_RETRY_NS = NS_PER_SECOND // 2  # after an error; each further one doubles it,
LAST_RETRY_NS = 2 * NS_PER_SECOND  # up to this
STEADY_NS = 10 * NS_PER_SECOND  # healthy for so long, the next error counts as the first again

# A check is due so long after the last one. It is made earlier if the panels are shown anyway, as
# every second while a clock runs: then every two seconds, without waking the thread.
CHECK_NS = 9 * NS_PER_SECOND // 4
EARLY_NS = 3 * NS_PER_SECOND // 4

STATUS_BYTES = 2 * ADDRESS_BYTES + len(commands()) + 1  # of a transfer that reads the status

PARTS = PAGES + 1  # of what is refreshed in turn: each page of the picture, and the setup

# luma.core raises errors of its own for the bus and a panel that does not answer, else the kernel.
CONNECTION_ERRORS = (luma.core.error.Error, OSError)


class Connection(Protocol):
    """A connection to one panel; its methods raise `CONNECTION_ERRORS`."""

    def send(self, message: bytes) -> None:
        """Send a message; see `hardware.display.controllers`."""

    def receive(self, message: bytes = b"") -> int:
        """Send a message, if there is one, and return the status byte, all in one transfer."""

    def cleanup(self) -> None:
        """Close the connection."""


class PanelState(NamedTuple):
    """What a panel shows."""

    frame: bytes
    inverted: bool
    contrast: int


class Panel:
    """A panel, used by one thread. Errors are never raised: `fault` says what is wrong."""

    def __init__(
        self,
        controller: Controller,
        connect: Callable[[], Connection],
        now_ns: Callable[[], int],
        sent: Callable[[int], object] = lambda size: None,
        *,
        write_only: bool = False,
    ) -> None:
        """Send nothing yet.

        `connect` may raise `CONNECTION_ERRORS`. `sent` is called with the bytes on the wire of each
        transfer. A panel that is `write_only` cannot be read, and its bus is fast.
        """
        self.controller = controller
        self.fault = ""  # what is wrong; "" while the panel is healthy
        self.due_ns = now_ns()  # when to call `show` and `check` again, though nothing has changed
        self.counts: Counter[str] = Counter(bytes=0, frames=0, errors=0)
        self._connect = connect
        self._now_ns = now_ns
        self._sent = sent
        self._write_only = write_only
        self._connection: Connection | None = None
        self._shown: PanelState | None = None  # None: not known
        self._window: Rectangle | None = None  # the rectangle sent last; None: not known
        self._healthy_since_ns: int | None = None
        self._retry_ns = 0  # the latest back-off
        self._status_on: int | None = None  # the status byte of this lit panel; None: not readable
        self._status_before: int | None = None  # the status byte before the latest setup
        self._tells_off = False  # the status byte was seen to differ while the panel was off
        self._reset_ns: int | None = None  # when it was last found to have been reset
        self._part = 0  # what to refresh next
        self._answer: int | None = None  # the status byte that was read with the latest picture

    @property
    def was_reset(self) -> bool:
        """Whether the panel was found to have been reset within the last `STEADY_NS`."""
        return self._reset_ns is not None and self._now_ns() - self._reset_ns < STEADY_NS

    def show(self, state: PanelState) -> None:
        """Show a state; after an error do nothing until the retry is due."""
        if not self.fault or self._now_ns() >= self.due_ns:
            self._attempt(self._send, state)

    def set_light(self, *, inverted: bool, contrast: int) -> None:
        """Change inversion and contrast alone, unless a whole picture has to be sent anyway."""
        if self._shown is not None:
            self._attempt(self._send, PanelState(self._shown.frame, inverted, contrast))

    def check(self) -> None:
        """Find out whether the panel is still there and lit, if that is due."""
        if self._shown is not None and self._is_check_due():
            self._attempt(self._check, self._shown)

    def refresh(self) -> None:
        """Send the next part again: a page of the picture or, after the last page, the setup."""
        if self._shown is not None and not self._write_only:
            self._attempt(self._refresh, self._shown)

    def close(self) -> None:
        """Leave the panel dark and its memory blank, if it can be reached."""
        with suppress(*CONNECTION_ERRORS):
            self._send_message(commands(*RESYNC, DISPLAY_OFF, NORMAL))
            self._window = None
            self._send_rectangles(BLANK, [WHOLE])
        self._disconnect()

    def _attempt(self, act: Callable[[PanelState], None], state: PanelState) -> None:
        try:
            act(state)
        except CONNECTION_ERRORS as error:
            self._fail(str(error))

    # --- sending ----------------------------------------------------------------------------------

    def _send(self, state: PanelState) -> None:
        before, self._shown = self._shown, None  # not known until all of it has arrived
        if before is None:
            self._send_everything(state)
        elif before != state:
            self._send_changes(before, state)
        self._shown = state

    def _send_everything(self, state: PanelState) -> None:
        """Set up, fill, switch on: a dark panel must not show what its memory held."""
        self._send_message(commands(*RESYNC))
        self._status_before = self._status()
        self._send_message(self._setup(state))
        self._window = None
        self._send_rectangles(state.frame, [WHOLE])
        self._send_message(commands(DISPLAY_ON))
        self._learn()
        self._succeed()

    def _setup(self, state: PanelState) -> bytes:
        return commands(*self.controller.setup, *self._light(state))

    def _send_changes(self, before: PanelState, state: PanelState) -> None:
        """Send the light first: it is short, and seen from afar."""
        if before[1:] != state[1:]:
            self._send_message(commands(*self._light(state)))
        if before.frame != state.frame:
            dirty = dirty_rectangles(before.frame, state.frame, self.controller.cost)
            asks = self._status_on is not None and self._is_check_due()
            self._send_rectangles(state.frame, dirty, asks=asks)

    def _light(self, state: PanelState) -> tuple[int, ...]:
        return self.controller.light_commands(state.contrast, inverted=state.inverted)

    def _send_rectangles(
        self, frame: bytes, rectangles: list[Rectangle], *, asks: bool = False
    ) -> None:
        """Send rectangles of a picture; `asks` for the status with the last of them.

        So a panel whose clock runs is checked without a transfer, and a wait, of its own.
        """
        ordered = sorted(self.controller.split(rectangles), key=self._order)
        for each in ordered:
            rectangle = self.controller.grow(each, self._window)
            message = self.controller.message(frame, rectangle, self._window)
            if asks and each is ordered[-1]:
                self._answer = self._read_status(message)
            else:
                self._send_message(message)
            self._window = rectangle
        self.counts["frames"] += 1

    def _order(self, rectangle: Rectangle) -> tuple[int, int]:
        """Sort first by what the present window saves, then from the top."""
        cost = self.controller.cost
        return cost(rectangle, self._window) - cost(rectangle), rectangle[1]

    def _send_message(self, message: bytes) -> None:
        self._connected().send(message)
        self._count(ADDRESS_BYTES + len(message))

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _count(self, size: int) -> None:
        self.counts["bytes"] += size
        self._sent(size)

    # --- checking ---------------------------------------------------------------------------------

    def _check(self, state: PanelState) -> None:
        self._shown = None  # not known until the check is over
        status, self._answer = self._answer, None
        if status is None and self._status_on is not None:
            status = self._read_status()
        if self._write_only:
            self._send_everything(state)
        elif status is not None and status == self._status_off:
            self._reset_ns = self._now_ns()
            self._send_everything(state)
        else:
            if status != self._status_on or not self._tells_off:
                self._wake(state)
            self._succeed()
        self._shown = state

    def _status(self) -> int | None:
        """Read the status byte of a panel that may not be readable; None if it is not."""
        try:
            return self._read_status()
        except CONNECTION_ERRORS:  # a panel that is gone fails with the next message
            return None

    def _read_status(self, message: bytes = b"") -> int:
        status = self._connected().receive(message) & STATUS_MASK
        self._count(STATUS_BYTES + (ADDRESS_BYTES + len(message) if message else 0))
        return status

    def _is_check_due(self) -> bool:
        return self._now_ns() >= self.due_ns - EARLY_NS

    @property
    def _status_off(self) -> int | None:
        return None if self._status_on is None else self._status_on | STATUS_OFF

    def _learn(self) -> None:
        """Learn how far to trust the status byte, after commands to a panel that is switched on."""
        status = self._status()
        self._status_on = None if status is None or status & STATUS_OFF else status
        known = self._status_on is not None
        self._tells_off = known and (self._tells_off or self._status_before == self._status_off)

    def _wake(self, state: PanelState) -> None:
        """Light a panel that may have been reset, whose window is not known then."""
        inversion = self._light(state)[-1]
        self._send_message(commands(*self.controller.waking, inversion, DISPLAY_ON))
        self._window = None

    def _refresh(self, state: PanelState) -> None:
        self._shown = None  # not known until it has arrived
        if self._part < PAGES:
            self._send_rectangles(state.frame, [(0, self._part, WIDTH, self._part + 1)])
        else:
            self._send_message(self._setup(state))
            self._window = None
            self._learn()
        self._part = (self._part + 1) % PARTS
        self._shown = state

    # --- health -----------------------------------------------------------------------------------

    def _succeed(self) -> None:
        now_ns = self._now_ns()
        if self._healthy_since_ns is None:
            self._healthy_since_ns = now_ns
        self.fault, self.due_ns = "", now_ns + CHECK_NS

    def _fail(self, what: str) -> None:
        now_ns, since_ns = self._now_ns(), self._healthy_since_ns
        steady = since_ns is not None and now_ns - since_ns >= STEADY_NS
        doubled_ns = 0 if steady else 2 * self._retry_ns
        self._retry_ns = min(max(FIRST_RETRY_NS, doubled_ns), LAST_RETRY_NS)
        self.fault, self.due_ns, self._healthy_since_ns = what, now_ns + self._retry_ns, None
        self.counts["errors"] += 1
        self._disconnect()

    def _disconnect(self) -> None:
        """Close after every error: a bus that is gone comes back only when it is not held open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*CONNECTION_ERRORS):
                connection.cleanup()
