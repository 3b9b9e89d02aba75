"""A panel as the player before it sees it, and what he reads there.

The one rule: what is said of a panel is found in its pixels; its registers decide only which of
them are lit, and how brightly.
"""

import threading
from pathlib import Path

from bench.panel_reading import Reading
from panel_models import HEIGHT, WIDTH, Ssd1306
from PIL import Image

HALF_TURN = 2  # quarter turns
SCALE = 6  # of a saved picture; a pixel's last row and column stay dark, as on the glass
FAINTEST, BRIGHTEST = 90, 255  # of a lit pixel, at contrasts of 0 and 255


class Panel:
    """One of the box's panels."""

    def __init__(self, model: Ssd1306, lock: threading.RLock, turns: int = 0) -> None:
        """A panel that is plugged in.

        Args:
            model: its chip and glass.
            lock: held by whoever uses the model.
            turns: quarter turns by which it is mounted: 0, or 2 for upside down.
        """
        self.model, self._lock, self._turns = model, lock, turns

    # --- what is done to it ---------------------------------------------------------------------

    def unplug(self) -> None:
        """Its wires are pulled out."""
        with self._lock:
            self.model.unplug()

    def plug(self) -> None:
        """They are put in again: it is off, not set up, and its memory holds noise."""
        with self._lock:
            self.model.plug()

    # --- what is seen ---------------------------------------------------------------------------

    @property
    def picture(self) -> Image.Image:
        """What is lit, upright: mode "1", 128x64."""
        with self._lock:
            glass = self.model.picture()
        turned = self._turns == HALF_TURN
        return glass.transpose(Image.Transpose.ROTATE_180) if turned else glass

    @property
    def dark(self) -> bool:
        """Whether nothing is lit."""
        return self.picture.getbbox() is None

    @property
    def contrast(self) -> int:
        """How bright it is: 0 to 255; at 0 it can still be seen."""
        return self.model.contrast

    def save(self, path: Path) -> None:
        """Writes a PNG that shows each pixel for itself, as bright as it is."""
        lit = FAINTEST + (BRIGHTEST - FAINTEST) * self.contrast // 255
        shown = self.picture.convert("L").point(lambda value: lit if value else 0)
        large = shown.resize((WIDTH * SCALE, HEIGHT * SCALE), Image.Resampling.NEAREST)
        for x in range(SCALE - 1, large.width, SCALE):
            large.paste(0, (x, 0, x + 1, large.height))
        for y in range(SCALE - 1, large.height, SCALE):
            large.paste(0, (0, y, large.width, y + 1))
        large.save(path, "PNG")

    # --- what is read ---------------------------------------------------------------------------

    @property
    def reading(self) -> Reading:
        """What can be read now."""
        return Reading(self.picture)

    @property
    def reserve(self) -> str:
        """See `Reading.reserve`."""
        return self.reading.reserve

    @property
    def other_reserve(self) -> str:
        """See `Reading.other_reserve`."""
        return self.reading.other_reserve

    @property
    def delay(self) -> str:
        """See `Reading.delay`."""
        return self.reading.delay

    @property
    def inverted(self) -> bool:
        """See `Reading.inverted`."""
        return self.reading.inverted

    @property
    def text(self) -> str:
        """See `Reading.text`."""
        return self.reading.text

    def says(self, text: str) -> bool:
        """See `Reading.says`."""
        return self.reading.says(text)
