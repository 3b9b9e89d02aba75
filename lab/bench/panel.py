"""A panel as the player in front of it sees and reads it."""

import threading
from pathlib import Path

from PIL import Image

from lab.bench.panel_reading import says
from lab.support.panel_models import HEIGHT, WIDTH, Ssd1306

HALF_TURN = 2  # quarter turns
SCALE = 6  # of a saved picture; the last row and column of each pixel stay dark, as on the glass
FAINTEST, BRIGHTEST = 90, 255  # grey values of a lit pixel, at contrasts of 0 and 255


class Panel:
    """One of the box's panels."""

    def __init__(self, model: Ssd1306, lock: threading.RLock, turns: int = 0) -> None:
        """Make a panel that is plugged in.

        Args:
            model: its chip and glass.
            lock: a lock that is held while the model is used.
            turns: quarter turns by which it is mounted: 0, or 2 for upside down.
        """
        self.model, self._lock, self._turns = model, lock, turns

    # --- wires ----------------------------------------------------------------------------------

    def unplug(self) -> None:
        """Unplug the panel."""
        with self._lock:
            self.model.unplug()

    def plug(self) -> None:
        """Plug the panel in again: it is off and not set up, and its memory holds noise."""
        with self._lock:
            self.model.plug()

    def drop_supply(self) -> None:
        """Let the supply fail for a moment: the panel is reset and dark, but acknowledges."""
        with self._lock:
            self.model.power_on()

    # --- picture --------------------------------------------------------------------------------

    @property
    def picture(self) -> Image.Image:
        """The lit pixels, upright: mode "1", 128x64."""
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
        """The brightness, from 0 to 255; at 0 the panel can still be read."""
        return self.model.contrast

    def save(self, path: Path) -> None:
        """Write a PNG that shows each pixel as a square with its brightness."""
        lit = FAINTEST + (BRIGHTEST - FAINTEST) * self.contrast // 255
        shown = self.picture.convert("L").point(lambda value: lit if value else 0)
        large = shown.resize((WIDTH * SCALE, HEIGHT * SCALE), Image.Resampling.NEAREST)
        for x in range(SCALE - 1, large.width, SCALE):
            large.paste(0, (x, 0, x + 1, large.height))
        for y in range(SCALE - 1, large.height, SCALE):
            large.paste(0, (0, y, large.width, y + 1))
        large.save(path, "PNG")

    # --- text -----------------------------------------------------------------------------------

    @property
    def inverted(self) -> bool:
        """Whether the picture is dark on lit, as while this side's clock runs."""
        return self.picture.histogram()[-1] > WIDTH * HEIGHT // 2

    def says(self, text: str) -> bool:
        """Return whether a text can be read in one piece; see `panel_reading`."""
        return says(self.picture, text)
