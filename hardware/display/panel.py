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

from hardware.display.controllers import ADDRESS_BYTES, DISPLAY_OFF, DISPLAY_ON, NORMAL, NS_PER_SECOND, RESYNC, Chip, commands
from hardware.display.framebuffer import BLANK, WHOLE, Box, changes

FIRST_RETRY_NS = NS_PER_SECOND // 2  # each one after it waits twice as long,
LAST_RETRY_NS = 2 * NS_PER_SECOND  # up to this
# Well for so long, it is no loose contact: the next error is waited after as the first.
STEADY_NS = 10 * NS_PER_SECOND

# luma.core's own errors, of the bus and of a panel that does not answer; the kernel's otherwise.
FAILURES = (luma.core.error.Error, OSError)


class Wire(Protocol):
    """A way to one panel."""

    def send(self, message: bytes) -> None:
        """Send a message; see `hardware.chips`."""

    def cleanup(self) -> None:
        """Close it."""


class Look(NamedTuple):
    """What is to be seen on a panel."""

    frame: bytes
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
        self._window: Box | None = None  # what was sent last; None: nobody knows
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

    def light(self, *, inverted: bool, contrast: int) -> None:
        """Has what it shows seen in this light; nothing while a picture has to be sent with it."""
        if self._shown is not None and self._now_ns() < self.due_ns:
            self.show(Look(self._shown.frame, inverted, contrast))

    def close(self) -> None:
        """Leaves a dark, empty panel, if it can be reached at all."""
        with suppress(*FAILURES):
            self._message(commands(*RESYNC, DISPLAY_OFF, NORMAL))
            self._window = None
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
        self._message(commands(*RESYNC, *self.chip.setup, *self._look(look)))
        self._window = None
        self._picture(look.frame, [WHOLE])
        self._message(commands(DISPLAY_ON))
        self._succeed()

    def _change(self, before: Look, look: Look) -> None:
        """First what is quick and seen from afar."""
        if before[1:] != look[1:]:
            self._message(commands(*self._look(look)))
        if before.frame != look.frame:
            self._picture(look.frame, changes(before.frame, look.frame, self.chip.cost))

    def _look(self, look: Look) -> tuple[int, ...]:
        return self.chip.look(look.contrast, inverted=look.inverted)

    def _picture(self, frame: bytes, boxes: list[Box]) -> None:
        for each in sorted(self.chip.parts(boxes), key=self._extra):
            box = self.chip.within(each, self._window)
            self._message(self.chip.message(frame, box, self._window))
            self._window = box
        self.counts["frames"] += 1

    def _extra(self, box: Box) -> tuple[int, int]:
        """Least for what is where the panel has been written last; else from the top."""
        return self.chip.cost(box, self._window) - self.chip.cost(box), box[1]

    def _message(self, message: bytes) -> None:
        if self._wire is None:
            self._wire = self._connect()
        self._wire.send(message)
        self.counts["bytes"] += ADDRESS_BYTES + len(message)

    # --- the wire ---------------------------------------------------------------------------------

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
