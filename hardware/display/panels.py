"""Two OLED panels on I2C or SPI, drawn and sent by a thread of their own.

The thread shows the newest faces and then sleeps until there are others, or until a panel has to be
retried, refreshed, moved or dimmed. No method but `close` waits for the bus.
"""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple

from hardware.display.panel import LAST_RETRY_NS, Connection
from hardware.display.panel_pair import PanelPair
from hardware.display.wires import Wires, connector
from hardware.face import Face
from hardware.latch import Report
from hardware.units import NS_PER_SECOND
from hardware.wakeup import Mailbox

DRAWING = "drawing"  # the cause of a fault in this program
# On a bus that hangs, closing takes four transfers: one under way for each panel, and one to darken
# each.
CLOSING_S = 1


class Outside(NamedTuple):
    """What panels need of the computer."""

    connect: Callable[[int, int], Connection]  # to a bus, and an address or a chip select
    now_ns: Callable[[], int]  # the time, in ns since any moment
    wakes: Mailbox[None]  # where the thread waits; signal handlers may put something there too
    write_only: bool = False  # panels cannot be read, and never acknowledge


def on_this_computer(wires: Wires = Wires()) -> Outside:  # noqa: B008 (frozen)
    """Return the panels' buses of this computer, its time, and a queue."""
    connect = connector(wires)
    return Outside(connect, time.monotonic_ns, SimpleQueue(), wires.write_only)


class Panels:
    """The left and the right display of a clock."""

    def __init__(  # noqa: PLR0913 (all that is known of two panels)
        self,
        driver: str,
        bus: int,
        addresses: tuple[int, int],
        rotate: tuple[int, int] = (0, 0),
        *,
        contrast: int | None = None,
        column_offset: int | None = None,
        changed: Callable[[], None] = lambda: None,
        outside: Outside | None = None,
    ) -> None:
        """Start the thread; a missing panel is a fault, and is retried. See `PanelPair`.

        `changed` is called in the thread when there are new `faults`; it must neither wait nor
        raise.

        Raises:
            ValueError: a panel is mounted on end (1 or 3 quarter turns), or the contrast is out of
                range.
        """
        connect, self._now_ns, self._wakes, write_only = outside or on_this_computer()
        self._pair = PanelPair(
            driver,
            addresses,
            rotate,
            lambda address: connect(bus, address),
            self._now_ns,
            contrast=contrast,
            column_offset=column_offset,
            changed=changed,
            write_only=write_only,
        )
        self._faces: tuple[Face, Face] | None = None
        self._woken = False  # the thread will look at the faces, now or next time
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="panels", daemon=True)
        self._thread.start()

    # --- from any thread ------------------------------------------------------------------------

    def show(self, faces: Iterable[Face]) -> None:
        """Show a face on the left and one on the right panel, soon; the newest win."""
        left, right = faces
        self._faces = left, right
        if not self._woken:
            self._woken = True
            self._wakes.put(None)

    def faults(self) -> list[Report]:
        """Return the faults reported since the last call; None: both panels are healthy again."""
        return self._pair.faults.drain()

    @property
    def counts(self) -> dict[str, int]:
        """How many bytes and pictures were sent to both panels, and how many errors occurred."""
        return self._pair.counts

    def close(self) -> None:
        """Leave both panels dark and blank; from a signal handler too.

        Give up after `CLOSING_S` if the bus hangs.
        """
        self._closing = True
        self._wakes.put(None)
        self._thread.join(CLOSING_S)

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing:
            self._woken = False  # first: faces that come from here on wake it again
            self._wait(None if self._faces is None else self._show(self._faces))
        self._pair.close()

    def _show(self, faces: tuple[Face, Face]) -> int:
        try:
            due_ns = self._pair.show(faces)
        except Exception as bug:  # noqa: BLE001 (the thread's top: reported, and the clock runs on)
            self._pair.faults.fail(f"{DRAWING}: {bug!r}", DRAWING)
            return self._now_ns() + LAST_RETRY_NS
        self._pair.faults.clear(DRAWING)
        return due_ns

    def _wait(self, until_ns: int | None) -> None:
        left_ns = None if until_ns is None else until_ns - self._now_ns()
        if left_ns is None or left_ns > 0:
            with suppress(Empty):
                self._wakes.get(timeout=None if left_ns is None else left_ns / NS_PER_SECOND)
