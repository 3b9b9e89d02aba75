"""One panel at the end of a wire that may break at any moment.

What was sent is remembered, so that only what differs has to be sent. It is believed for a while
only: a panel whose supply failed for a moment answers as before, but is dark and has forgotten all.
So everything is sent again, setup and picture, after any error and every few minutes; a panel that
needs it becomes well by that, and one that does not shows no sign of it.

The one rule: an error on the wire is never raised; it is kept, and the wire is tried again.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol

import luma.core.error
from PIL import Image

from hardware.chips import (
    DISPLAY_OFF,
    DISPLAY_ON,
    NORMAL,
    NS_PER_SECOND,
    RESYNC,
    TRANSFER_BYTES,
    Chip,
)
from hardware.frames import BLANK, WHOLE, Box, changes

FIRST_RETRY_NS = NS_PER_SECOND // 2  # each one after it waits twice as long,
LAST_RETRY_NS = 2 * NS_PER_SECOND  # up to this
# Well for so long, it is no loose contact: the next error is waited after as the first.
STEADY_NS = 10 * NS_PER_SECOND

# luma.core's own errors, of commands and of opening the bus; what comes from the kernel otherwise.
FAILURES = (luma.core.error.Error, OSError)


class Wire(Protocol):
    """An interface of luma.core: a way to one panel."""

    def command(self, *command: int) -> None:
        """Send at most 32 bytes of commands."""

    def data(self, data: list[int]) -> None:
        """Send a part of a picture."""

    def cleanup(self) -> None:
        """Close it."""


class Look(NamedTuple):
    """What is to be seen on a panel."""

    frame: Image.Image
    inverted: bool
    contrast: int


class Screen:
    """A panel, used by one thread."""

    def __init__(self, chip: Chip, connect: Callable[[], Wire], now_ns: Callable[[], int]) -> None:
        """Nothing is sent yet.

        Args:
            chip: its kind.
            connect: opens a wire to it; may raise what a wire raises.
            now_ns: the time, in ns since any moment.
        """
        self.chip = chip
        self.failed = ""  # what is wrong; "" while it is well
        self.due_ns = now_ns()  # when to show something again, though nothing has changed
        self.counts: Counter[str] = Counter(bytes=0, frames=0, errors=0)
        self._connect = connect
        self._now_ns = now_ns
        self._wire: Wire | None = None
        self._shown: Look | None = None  # None: nobody knows
        self._well_ns: int | None = None  # since when
        self._retry_ns = 0  # how long the latest error was waited after

    def show(self, look: Look) -> None:
        """Has this seen; while an error is being waited after, it only comes back."""
        now_ns = self._now_ns()
        if self.failed and now_ns < self.due_ns:
            return
        try:
            self._send(look, everything=now_ns >= self.due_ns)
        except FAILURES as error:
            self._fail(str(error))

    def close(self) -> None:
        """Leaves a dark, empty panel, if it can be reached at all."""
        with suppress(*FAILURES):
            self._command(*RESYNC, DISPLAY_OFF, NORMAL)
            self._picture(BLANK, [WHOLE])
        self._hang_up()

    # --- what is sent ---------------------------------------------------------------------------

    def _send(self, look: Look, *, everything: bool) -> None:
        before, self._shown = self._shown, None  # until all of it has arrived
        if before is None or everything:
            self._restore(look)
        elif before != look:
            self._change(before, look)
        self._shown = look

    def _restore(self, look: Look) -> None:
        """Set up, fill, light: a panel that was dark shows nothing of what its memory held."""
        self._command(*RESYNC, *self.chip.setup)
        self._command(*self.chip.look(look.contrast, inverted=look.inverted))
        self._picture(look.frame, [WHOLE])
        self._command(DISPLAY_ON)
        self._succeed()

    def _change(self, before: Look, look: Look) -> None:
        """First what is quick and seen from afar."""
        if before[1:] != look[1:]:
            self._command(*self.chip.look(look.contrast, inverted=look.inverted))
        self._picture(look.frame, changes(before.frame, look.frame, self.chip.cost))

    def _picture(self, frame: Image.Image, boxes: list[Box]) -> None:
        for box in boxes:
            for command, data in self.chip.transfers(frame, box):
                self._command(*command)
                self._open().data(list(data))
                self._count(len(data))
        self.counts["frames"] += 1

    def _command(self, *command: int) -> None:
        self._open().command(*command)
        self._count(len(command))

    def _count(self, sent: int) -> None:
        self.counts["bytes"] += sent + TRANSFER_BYTES

    # --- the wire ---------------------------------------------------------------------------------

    def _open(self) -> Wire:
        if self._wire is None:
            self._wire = self._connect()
        return self._wire

    def _hang_up(self) -> None:
        """Closed after every error: a bus that is gone can come back only when nobody holds it."""
        wire, self._wire = self._wire, None
        if wire is not None:
            with suppress(*FAILURES):
                wire.cleanup()

    def _succeed(self) -> None:
        now_ns = self._now_ns()
        if self._well_ns is None:
            self._well_ns = now_ns
        self.failed, self.due_ns = "", now_ns + self.chip.refresh_ns

    def _fail(self, what: str) -> None:
        now_ns = self._now_ns()
        steady = self._well_ns is not None and now_ns - self._well_ns >= STEADY_NS
        again_ns = 0 if steady else 2 * self._retry_ns
        self._retry_ns = min(max(FIRST_RETRY_NS, again_ns), LAST_RETRY_NS)
        self.failed, self.due_ns, self._well_ns = what, now_ns + self._retry_ns, None
        self.counts["errors"] += 1
        self._hang_up()
