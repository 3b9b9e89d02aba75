"""Find the GPIO chip of a Raspberry Pi's header, and claim its lines.

Chips are numbered as the kernel finds them: the header of a Pi 5 was gpiochip4 and became
gpiochip0. Labels stay, and on all of these chips a line's offset is the BCM number of its pin. A
chip is open only while it is asked something; a claimed line stays open by itself.
"""

from collections.abc import Callable
from errno import EBUSY
from pathlib import Path

import gpiod
from gpiozero.exc import BadPinFactory, DeviceClosed, GPIOPinInUse

# Pi 1 to 3 and Zero, 1 and 2; Pi 4, 400 and CM4; Pi 5, 500 and CM5.
LABELS = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
DEVICES = Path("/dev")
CONSUMER = "gpiozero"  # the owner of our lines, as gpioinfo shows it

# The kernel's limit for a line. Before it is reached a contact has bounced for seconds, unread.
EVENT_BUFFER_SIZE = 1024

ASK_FOR_ACCESS = "no permission: add this user to the group gpio (sudo adduser $USER gpio)"

OpenChip = Callable[[str], gpiod.Chip]


class HeaderChip:
    """The GPIO chip of the Raspberry Pi's pin header."""

    def __init__(self, open_chip: OpenChip, path: str) -> None:
        """Take the chip at a path; see `find_chip`."""
        self.path = path
        self.closed = False
        self._open = open_chip

    def claim(self, offset: int, settings: gpiod.LineSettings) -> gpiod.LineRequest:
        """Claim a line until the request is released.

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
    """Return the path of the chip of a Raspberry Pi's header.

    It is found by its label. If a path is given, only that chip is accepted, whatever its label.

    Raises:
        gpiozero.BadPinFactory: there is none, or it may not be opened; lists what was found.
    """
    paths = [path] if path else sorted(map(str, devices.glob("gpiochip*")))
    found = [(path, *read_label(open_chip, path)) for path in paths]
    for candidate, label, _ in found:
        if label is not None and (path or label.startswith(LABELS)):
            return candidate
    seen = ", ".join(f"{candidate} ({label or fault})" for candidate, label, fault in found)
    wanted = path or f"{' or '.join(LABELS)} in {devices}"
    raise BadPinFactory(f"no GPIO chip {wanted}; found: {seen or 'none at all'}")


def read_label(open_chip: OpenChip, path: str) -> tuple[str | None, str]:
    """Return a chip's label, or None and why it cannot be read."""
    try:
        with open_chip(path) as chip:
            return chip.get_info().label, ""
    except PermissionError:
        return None, ASK_FOR_ACCESS
    except OSError as error:
        return None, error.strerror or str(error)
