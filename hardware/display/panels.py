"""Two OLED panels on I2C or SPI, drawn, dimmed and sent by a thread of their own.

The thread shows the newest faces and then sleeps until there are others, or until a panel has to be
retried, refreshed, moved or dimmed. No method but `close` waits for the bus. While one panel is
dark, the other shows both sides' reserves.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import cycle
from typing import NamedTuple

from msgspec import structs
from PIL import Image

from hardware.display.controllers import controller
from hardware.display.framebuffer import frame, shifted
from hardware.display.layout import draw
from hardware.display.panel import LAST_RETRY_NS, Connection, Panel, PanelState
from hardware.display.wires import Wires, connector
from hardware.face import Face
from hardware.latch import FaultLatch, Report
from hardware.units import NS_PER_SECOND
from hardware.wakeup import Wakeup

RECENT_NS = 10 * NS_PER_SECOND
QUIET_BYTES = 1_500  # within `RECENT_NS`; a running clock whose delay is over sends more

# How often a part of a panel is sent again.
QUIET_PAUSE_NS = 3 * NS_PER_SECOND
BUSY_PAUSE_NS = 60 * NS_PER_SECOND


class Traffic:
    """The bytes that were sent lately to all panels of a bus: other bytes wait for a quiet one.

    A running clock alone takes up to 190 bytes a second in its worst minute, and 60 while a delay
    runs. With all that is sent beside the pictures it shall stay within 200 in any minute.
    """

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._sent: deque[tuple[int, int]] = deque()  # when, and how many bytes
        self._part_ns = now_ns()  # when a part was last sent again

    def add(self, size: int) -> None:
        """Count bytes that are sent now."""
        self._sent.append((self._now_ns(), size))

    def allows_part(self) -> bool:
        """Return whether to send a part again now; if so, the next one has to wait."""
        now_ns = self._now_ns()
        while self._sent and now_ns - self._sent[0][0] >= RECENT_NS:
            self._sent.popleft()
        is_quiet = sum(size for _, size in self._sent) <= QUIET_BYTES
        if now_ns - self._part_ns < (QUIET_PAUSE_NS if is_quiet else BUSY_PAUSE_NS):
            return False
        self._part_ns = now_ns
        return True


PART = "display"  # of the clock, in faults
WAS_RESET = "it was reset, as by a dip of its supply, and is set up again"

SHIFT_NS = 180 * NS_PER_SECOND
DIM_NS = 300 * NS_PER_SECOND
DIMMED = 0x08  # contrast: still legible at the board, but hardly from afar

UPRIGHT, HALF_TURN = 0, 2  # quarter turns


class BurnInProtection(NamedTuple):
    """What is done to pictures that have not changed for a while."""

    dim: bool
    shifts: int  # how often they have moved
    next_ns: int | None  # until this changes, in ns; None if it does not


def burn_in_protection(idle_ns: int, *, running: bool) -> BurnInProtection:
    """Return what to do to faces unchanged for `idle_ns`; nothing while a clock runs."""
    if running:
        return BurnInProtection(dim=False, shifts=0, next_ns=None)
    shifts, since_ns = divmod(idle_ns, SHIFT_NS)
    next_ns, dim = SHIFT_NS - since_ns, idle_ns >= DIM_NS
    return BurnInProtection(dim, shifts, next_ns if dim else min(next_ns, DIM_NS - idle_ns))


class MountedPanel:
    """A panel as it is mounted, upright or upside down, and the face drawn on it last."""

    def __init__(self, panel: Panel, turns: int) -> None:
        if turns not in {UPRIGHT, HALF_TURN}:
            raise ValueError(f"rotate: found {turns}; allowed are 0 and 2 quarter turns")
        self.panel = panel
        self._upside_down = turns == HALF_TURN
        self._drawn: tuple[Face, int] | None = None  # without its light
        self._frame: bytes

    def set_light(self, face: Face, *, dim: bool) -> None:
        """Invert the panel while this side's clock runs, and set its contrast."""
        self.panel.set_light(inverted=face.running, contrast=self._contrast(dim=dim))

    def show(self, face: Face, shifts: int, *, dim: bool) -> None:
        """Show a face; it is drawn only if it or its place is new, not if only its light is.

        It is drawn lit on dark: the panel inverts it, so a turn ends without a new picture.
        """
        plain = structs.replace(face, running=False)
        if self._drawn != (plain, shifts):
            self._frame = frame(self._picture(plain, shifts))
            self._drawn = plain, shifts
        self.panel.show(PanelState(self._frame, face.running, self._contrast(dim=dim)))

    def _contrast(self, *, dim: bool) -> int:
        wanted = self.panel.controller.contrast
        return min(DIMMED, wanted) if dim else wanted

    def _picture(self, face: Face, shifts: int) -> Image.Image:
        picture = shifted(draw(face), shifts)
        return picture.transpose(Image.Transpose.ROTATE_180) if self._upside_down else picture


class PanelPair:
    """The left and the right panel, used by one thread; `faults` by any."""

    def __init__(  # noqa: PLR0913 (all that is known of two panels)
        self,
        driver: str,
        addresses: Sequence[int],
        rotate: Sequence[int],
        connect: Callable[[int], Connection],
        now_ns: Callable[[], int],
        *,
        contrast: int | None = None,
        column_offset: int | None = None,
        changed: Callable[[], object] = lambda: None,
        write_only: bool = False,
    ) -> None:
        """Send nothing yet.

        The driver is one of `hardware.display.controllers.DEVICES`; addresses (chip selects on SPI)
        and quarter turns are those of the left and of the right panel. The contrast, while they are
        not dimmed, is 0 to 255, or None for luma.oled's own; the column of the memory at the left
        edge of the glass is 0 to 4 on an SH1106, None for 2. `changed` is called when there are new
        `faults`; it must neither wait nor raise. Panels on SPI are `write_only`.

        Raises:
            ValueError: a panel is mounted on end (1 or 3 quarter turns), or the contrast is out of
                range.
        """
        self.faults = FaultLatch(PART, changed)
        self._now_ns = now_ns
        self._faces: tuple[Face, ...] = ()
        self._changed_ns = now_ns()
        kind = controller(driver, contrast, column_offset)
        self._traffic = Traffic(now_ns)
        sent = self._traffic.add
        panels = [
            Panel(kind, partial(connect, address), now_ns, sent, write_only=write_only)
            for address in addresses
        ]
        left, right = (MountedPanel(*each) for each in zip(panels, rotate, strict=True))
        self._sides: Mapping[str, MountedPanel] = {"left": left, "right": right}
        self._refreshed = cycle([left.panel, right.panel])

    @property
    def counts(self) -> dict[str, int]:
        """How many bytes and pictures were sent to both panels, and how many errors occurred."""
        total = Counter[str]()
        for side in self._sides.values():
            total.update(side.panel.counts)
        return total

    def show(self, faces: tuple[Face, Face]) -> int:
        """Show the faces of left and right, as far as the panels can be reached.

        Returns:
            The instant at which to call again, even with the same faces.
        """
        now_ns = self._now_ns()
        if faces != self._faces:
            self._faces, self._changed_ns = faces, now_ns
        running = any(face.running for face in faces)
        protection = burn_in_protection(now_ns - self._changed_ns, running=running)
        dark = self._dark()
        for side, face in zip(self._sides.values(), faces, strict=True):
            side.set_light(face, dim=protection.dim)  # seen from afar, so before any drawing
        for name in sorted(self._sides, key=dark.__contains__):  # a healthy panel does not wait
            self._show(name, protection)
        self._check()
        self._report()
        if self._dark() != dark:
            return now_ns
        due_ns = min(side.panel.due_ns for side in self._sides.values())
        return due_ns if protection.next_ns is None else min(due_ns, now_ns + protection.next_ns)

    def close(self) -> None:
        """Leave both panels dark and blank, as far as they can be reached."""
        for side in self._sides.values():
            side.panel.close()

    def _dark(self) -> set[str]:
        return {name for name, side in self._sides.items() if side.panel.fault}

    def _show(self, name: str, protection: BurnInProtection) -> None:
        side, faces = self._sides[name], dict(zip(self._sides, self._faces, strict=True))
        face, [other] = faces[name], self._sides.keys() - {name}
        if other in self._dark():
            face = structs.replace(face, other_reserve=faces[other].reserve)
        side.show(face, protection.shifts, dim=protection.dim)

    def _check(self) -> None:
        """Check the panels, and refresh a part of one: after the pictures, as nobody waits."""
        for side in self._sides.values():
            side.panel.check()
        if self._traffic.allows_part():
            next(self._refreshed).refresh()

    def _report(self) -> None:
        for name, side in self._sides.items():
            self._latch(name, side.panel.fault, name)
            self._latch(name, WAS_RESET if side.panel.was_reset else "", f"{name} reset")

    def _latch(self, name: str, fault: str, cause: str) -> None:
        if fault:
            self.faults.fail(f"{name}: {fault}", cause)
        else:
            self.faults.clear(cause)


DRAWING = "drawing"  # the cause of a fault in this program
# On a bus that hangs, closing takes four transfers: one under way for each panel, and one to darken
# each.
CLOSING_S = 1


class Outside(NamedTuple):
    """What panels need of the computer."""

    connect: Callable[[int, int], Connection]  # to a bus, and an address or a chip select
    now_ns: Callable[[], int]  # the time, in ns since any moment
    wakeup: Wakeup  # ends the thread's wait
    write_only: bool = False  # panels cannot be read, and never acknowledge


def on_this_computer(wires: Wires = Wires()) -> Outside:  # noqa: B008 (frozen)
    """Return the panels' buses of this computer, its time, and what wakes the thread."""
    connect = connector(wires)
    return Outside(connect, time.monotonic_ns, Wakeup(), wires.write_only)


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
        outside: Outside,
    ) -> None:
        """Start the thread; a missing panel is a fault, and is retried. See `PanelPair`.

        `changed` is called in the thread when there are new `faults`; it must neither wait nor
        raise.

        Raises:
            ValueError: a panel is mounted on end (1 or 3 quarter turns), or the contrast is out of
                range.
        """
        connect, self._now_ns, self._wakeup, write_only = outside
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
            self._wakeup.wake()

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
        self._wakeup.wake()
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
            self._wakeup.wait(None if left_ns is None else left_ns / NS_PER_SECOND)
