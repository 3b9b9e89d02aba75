"""Two OLED panels on the I2C bus, drawn and sent by a thread of their own.

Whoever shows something leaves it here and goes on; the thread takes what is newest when it comes to
it. It sleeps until there is something new, or until a panel is to be tried again, refreshed, moved
or dimmed. The panels of luma.oled: SSD1306, SSD1309 and SH1106, of 128x64 pixels.

The one rule: nothing that is called from outside waits for a wire, but `close`, and that not long.
"""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

from hardware.display.controllers import NS_PER_SECOND
from hardware.display.layout import FaceLike
from hardware.display.panel import LAST_RETRY_NS, Wire
from hardware.display.panel_pair import ScreenPair
from hardware.display.i2c import connect

DRAWING = "drawing"  # the part that fails if this program does
# A bus that hangs takes four transfers until all is given up: one to each panel that may be under
# way, and one to darken each.
CLOSING_S = 1


class Wakes(Protocol):
    """A queue that wakes the thread; filling it never waits."""

    def put(self, item: None, /) -> None:
        """Wake whoever waits."""

    def get(self, block: bool = True, timeout: float | None = None) -> None:  # noqa: FBT001, FBT002 (queue.SimpleQueue's)
        """Return when woken; `queue.Empty` when that did not happen for `timeout` seconds."""


class Outside(NamedTuple):
    """What panels need of the world."""

    connect: Callable[[int, int], Wire]  # opens a wire: of a bus and an address
    now_ns: Callable[[], int]  # the time, in ns since any moment
    wakes: Wakes  # all waiting happens in its `get`


def on_this_computer() -> Outside:
    """The I2C buses of this computer, and its time."""
    return Outside(connect, time.monotonic_ns, SimpleQueue())


class Panels:
    """The left and the right display of a box; whatever fails, it goes on."""

    def __init__(  # noqa: PLR0913 (all that is known of two panels)
        self,
        driver: str,
        bus: int,
        addresses: tuple[int, int],
        rotate: tuple[int, int] = (0, 0),
        *,
        contrast: int | None = None,
        changed: Callable[[], None] = lambda: None,
        outside: Outside | None = None,
    ) -> None:
        """Starts the thread; a panel that is not there is a fault, and is waited for.

        Args:
            driver: "ssd1306", "ssd1309" or "sh1106".
            bus: the number of the I2C bus, 1 for /dev/i2c-1.
            addresses: of the left and of the right panel.
            rotate: quarter turns of each: 0, or 2 if it is mounted upside down.
            contrast: how bright they are, 0 to 255; None: as luma.oled sets it.
            changed: called in the thread when there are new `faults`; must neither wait nor raise.
            outside: buses and time; None for those of this computer.

        Raises:
            ValueError: a panel is to be rotated by 1 or 3 quarter turns, to stand on end; or there
                is no such contrast.
        """
        connect, self._now_ns, self._wakes = outside or on_this_computer()
        self._pair = ScreenPair(
            driver,
            addresses,
            rotate,
            lambda at: connect(bus, at),
            self._now_ns,
            contrast=contrast,
        )
        self._changed = changed
        self._faces: tuple[FaceLike, FaceLike] | None = None
        self._waking = False  # the thread will look at the faces, now or next time
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="panels", daemon=True)
        self._thread.start()

    # --- from any thread ------------------------------------------------------------------------

    def show(self, faces: Iterable[FaceLike]) -> None:
        """Shows a face on the left and one on the right panel, soon; the newest wins."""
        left, right = faces
        self._faces = left, right
        if not self._waking:
            self._waking = True
            self._wakes.put(None)

    def faults(self) -> list[tuple[str, str | None]]:
        """What failed since the last time, as ("display", "left: why"); None: all is well again."""
        return self._pair.troubles.drain()

    @property
    def counts(self) -> dict[str, int]:
        """How many bytes were sent to both panels, how many pictures, and how many errors came."""
        return self._pair.counts

    def close(self) -> None:
        """Leaves dark, empty panels; from a signal handler too.

        A bus that hangs is given up after `CLOSING_S`.
        """
        self._closing = True
        self._wakes.put(None)
        self._thread.join(CLOSING_S)

    # --- the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._closing:
            self._waking = False  # before it looks: what comes meanwhile is shown next time
            self._wait(self._turn())
        self._pair.close()

    def _turn(self) -> int | None:
        """Show what is newest; returns when to do so again by itself."""
        return None if self._faces is None else self._showing(self._faces)

    def _showing(self, faces: tuple[FaceLike, FaceLike]) -> int:
        try:
            due_ns = self._pair.show(faces)
        except Exception as bug:  # noqa: BLE001 (the thread's top: reported, and the clock runs on)
            self._pair.troubles.note(DRAWING, repr(bug))
            due_ns = self._now_ns() + LAST_RETRY_NS
        else:
            self._pair.troubles.note(DRAWING, "")
        if self._pair.troubles:
            self._changed()
        return due_ns

    def _wait(self, until_ns: int | None) -> None:
        left_ns = None if until_ns is None else until_ns - self._now_ns()
        if left_ns is None or left_ns > 0:
            with suppress(Empty):
                self._wakes.get(timeout=None if left_ns is None else left_ns / NS_PER_SECOND)
