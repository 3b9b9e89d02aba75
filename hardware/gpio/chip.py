"""The GPIO chip behind a Raspberry Pi's header: found by its label, its lines claimed one by one.

Chips are numbered as the kernel finds them: the header of a Pi 5 was gpiochip4 and became
gpiochip0. Labels stay, and on all of these chips a line's offset is the BCM number of its pin.

The one rule: a chip is open only while something is asked of it; what stays open is a line's own.
"""

from collections.abc import Callable, Iterable
from errno import EBUSY
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import gpiod
from gpiod.line import Value
from gpiozero.exc import BadPinFactory, DeviceClosed, GPIOPinInUse

# Pi 1 to 3 and Zero, 1 and 2; Pi 4, 400 and CM4; Pi 5, 500 and CM5.
LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
DEVICES = Path("/dev")
CONSUMER = "gpiozero"  # as gpioinfo shows who has a line

# Of each line: the kernel's limit. By then a contact has bounced for seconds, unread.
EVENT_BUFFER_SIZE = 1024

ASK_FOR_ACCESS = "no permission: add this user to the group gpio (sudo adduser $USER gpio)"

Config = dict[Iterable[int | str] | int | str, gpiod.LineSettings | None]


class Request(Protocol):
    """A claimed line: what is used of `gpiod.LineRequest`."""

    @property
    def fd(self) -> int:
        """Readable while edges wait."""

    def get_value(self, line: int | str) -> Value:
        """The line's level."""

    def set_value(self, line: int | str, value: Value) -> None:
        """Drive an output."""

    def reconfigure_lines(self, config: Config) -> None:
        """Change it without letting go of it."""

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        """The edges that wait, the oldest first."""

    def release(self) -> None:
        """Give it back."""


class Chip(Protocol):
    """What is used of `gpiod.Chip`."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def get_info(self) -> gpiod.ChipInfo:
        """Its name, label and number of lines."""

    def get_line_info(self, line: int | str) -> gpiod.LineInfo:
        """Who uses a line."""

    def request_lines(
        self, config: Config, consumer: str | None = None, event_buffer_size: int | None = None
    ) -> Request:
        """Claim lines."""


OpenChip = Callable[[str], Chip]


class HeaderChip:
    """The chip of the header's pins."""

    def __init__(self, open_chip: OpenChip, path: str) -> None:
        """A chip whose path is known; see `find_chip`.

        Args:
            open_chip: gpiod.Chip, or another in its place.
            path: of the device.
        """
        self.path = path
        self.closed = False
        self._open = open_chip

    def claim(self, offset: int, settings: gpiod.LineSettings) -> Request:
        """A line of one's own, from now until it is released.

        Raises:
            gpiozero.GPIOPinInUse: another program or a driver has it.
            gpiozero.DeviceClosed: the factory has been closed.
        """
        if self.closed:
            raise DeviceClosed("the pin factory has been closed")
        with self._open(self.path) as chip:
            try:
                return chip.request_lines({offset: settings}, CONSUMER, EVENT_BUFFER_SIZE)
            except OSError as error:
                if error.errno != EBUSY:
                    raise
                user = chip.get_line_info(offset).consumer or "the kernel"
                raise GPIOPinInUse(f"pin GPIO{offset} is already in use by {user!r}") from error


def find_chip(open_chip: OpenChip, devices: Path = DEVICES, path: str | None = None) -> str:
    """The path of the chip of a Raspberry Pi's header, whatever its number.

    Args:
        open_chip: gpiod.Chip, or another in its place.
        devices: the folder to look in.
        path: of the one chip to be taken, whatever its label; None to find it.

    Raises:
        gpiozero.BadPinFactory: there is none, or it may not be opened; says what was found.
    """
    paths = [path] if path else sorted(map(str, devices.glob("gpiochip*")))
    found = [(path, *look_at(open_chip, path)) for path in paths]
    for candidate, label, _ in found:
        if label is not None and (path or label.startswith(LABELS)):
            return candidate
    seen = ", ".join(f"{candidate} ({label or fault})" for candidate, label, fault in found)
    wanted = path or f"{' or '.join(LABELS)} in {devices}"
    raise BadPinFactory(f"no GPIO chip {wanted}; found: {seen or 'none at all'}")


def look_at(open_chip: OpenChip, path: str) -> tuple[str | None, str]:
    """A chip's label, or None and what keeps one from reading it."""
    try:
        with open_chip(path) as chip:
            return chip.get_info().label, ""
    except PermissionError:
        return None, ASK_FOR_ACCESS
    except OSError as error:
        return None, error.strerror or str(error)
