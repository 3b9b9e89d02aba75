"""One panel, whose connection may fail at any moment.

Only what differs from the last state sent is sent. A panel whose supply failed for a moment answers
as before, but is dark and has lost its setup. So setup and picture are sent again after any error
and every few minutes; on a healthy panel that is invisible.
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
    Controller,
    commands,
)
from hardware.display.framebuffer import BLANK, WHOLE, Rectangle, dirty_rectangles
from hardware.units import NS_PER_SECOND

FIRST_RETRY_NS = NS_PER_SECOND // 2  # after an error; each further one doubles it,
LAST_RETRY_NS = 2 * NS_PER_SECOND  # up to this
STEADY_NS = 10 * NS_PER_SECOND  # healthy for so long, the next error counts as the first again

# luma.core raises errors of its own for the bus and a panel that does not answer, else the kernel.
CONNECTION_ERRORS = (luma.core.error.Error, OSError)


class Connection(Protocol):
    """A connection to one panel; its methods raise `CONNECTION_ERRORS`."""

    def send(self, message: bytes) -> None:
        """Send a message; see `hardware.display.controllers`."""

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
    ) -> None:
        """Send nothing yet.

        Args:
            controller: the kind of panel.
            connect: opens a connection; may raise `CONNECTION_ERRORS`.
            now_ns: returns the time, in ns since any moment.
        """
        self.controller = controller
        self.fault = ""  # what is wrong; "" while the panel is healthy
        self.due_ns = now_ns()  # when to call `show` again, though nothing has changed
        self.counts: Counter[str] = Counter(bytes=0, frames=0, errors=0)
        self._connect = connect
        self._now_ns = now_ns
        self._connection: Connection | None = None
        self._shown: PanelState | None = None  # None: not known
        self._window: Rectangle | None = None  # the rectangle sent last; None: not known
        self._healthy_since_ns: int | None = None
        self._retry_ns = 0  # the latest back-off

    def show(self, state: PanelState) -> None:
        """Show a state; after an error do nothing until the retry is due."""
        now_ns = self._now_ns()
        if self.fault and now_ns < self.due_ns:
            return
        try:
            self._send(state, everything=now_ns >= self.due_ns)
        except CONNECTION_ERRORS as error:
            self._fail(str(error))

    def set_light(self, *, inverted: bool, contrast: int) -> None:
        """Change inversion and contrast alone, unless a whole picture has to be sent anyway."""
        if self._shown is not None and self._now_ns() < self.due_ns:
            self.show(PanelState(self._shown.frame, inverted, contrast))

    def close(self) -> None:
        """Leave the panel dark and its memory blank, if it can be reached."""
        with suppress(*CONNECTION_ERRORS):
            self._send_message(commands(*RESYNC, DISPLAY_OFF, NORMAL))
            self._window = None
            self._send_rectangles(BLANK, [WHOLE])
        self._disconnect()

    # --- sending ----------------------------------------------------------------------------------

    def _send(self, state: PanelState, *, everything: bool) -> None:
        before, self._shown = self._shown, None  # not known until all of it has arrived
        if before is None or everything:
            self._send_everything(state)
        elif before != state:
            self._send_changes(before, state)
        self._shown = state

    def _send_everything(self, state: PanelState) -> None:
        """Set up, fill, switch on: a dark panel must not show what its memory held."""
        self._send_message(commands(*RESYNC, *self.controller.setup, *self._light(state)))
        self._window = None
        self._send_rectangles(state.frame, [WHOLE])
        self._send_message(commands(DISPLAY_ON))
        self._succeed()

    def _send_changes(self, before: PanelState, state: PanelState) -> None:
        """Send the light first: it is short, and seen from afar."""
        if before[1:] != state[1:]:
            self._send_message(commands(*self._light(state)))
        if before.frame != state.frame:
            dirty = dirty_rectangles(before.frame, state.frame, self.controller.cost)
            self._send_rectangles(state.frame, dirty)

    def _light(self, state: PanelState) -> tuple[int, ...]:
        return self.controller.light_commands(state.contrast, inverted=state.inverted)

    def _send_rectangles(self, frame: bytes, rectangles: list[Rectangle]) -> None:
        for each in sorted(self.controller.split(rectangles), key=self._order):
            rectangle = self.controller.grow(each, self._window)
            self._send_message(self.controller.message(frame, rectangle, self._window))
            self._window = rectangle
        self.counts["frames"] += 1

    def _order(self, rectangle: Rectangle) -> tuple[int, int]:
        """Sort first by what the present window saves, then from the top."""
        cost = self.controller.cost
        return cost(rectangle, self._window) - cost(rectangle), rectangle[1]

    def _send_message(self, message: bytes) -> None:
        if self._connection is None:
            self._connection = self._connect()
        self._connection.send(message)
        self.counts["bytes"] += ADDRESS_BYTES + len(message)

    # --- health -----------------------------------------------------------------------------------

    def _succeed(self) -> None:
        now_ns = self._now_ns()
        if self._healthy_since_ns is None:
            self._healthy_since_ns = now_ns
        self.fault, self.due_ns = "", now_ns + self.controller.refresh_ns

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
