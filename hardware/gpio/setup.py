"""What a pin can be, in gpiozero's words, and how the kernel is told so in libgpiod's.

The one rule: nothing here touches a line.
"""

from datetime import timedelta
from typing import NamedTuple

import gpiod
from gpiod.line import Bias, Direction, Value
from gpiod.line import Edge as Detection

LONGEST_BOUNCE = 4294  # seconds; the kernel counts microseconds in 32 bits

PULLS = {"up": Bias.PULL_UP, "down": Bias.PULL_DOWN, "floating": Bias.DISABLED}
EDGES = {
    "both": Detection.BOTH,
    "rising": Detection.RISING,
    "falling": Detection.FALLING,
    "none": Detection.NONE,
}


class Setup(NamedTuple):
    """What a pin is, and with it its line."""

    pull: str
    function: str = "input"
    edges: str = "both"
    bounce: float | None = None  # seconds
    handled: bool = False  # whether anybody wants to know of edges

    @property
    def watching(self) -> bool:
        """Whether the kernel shall look for edges."""
        return self.handled and self.function == "input" and self.edges != "none"

    def settings(self, level: int) -> gpiod.LineSettings:
        """What the kernel is told; the level counts for an output."""
        if self.function == "output":
            value = Value.ACTIVE if level else Value.INACTIVE
            return gpiod.LineSettings(direction=Direction.OUTPUT, output_value=value)
        return gpiod.LineSettings(
            direction=Direction.INPUT,
            bias=PULLS[self.pull],
            edge_detection=EDGES[self.edges] if self.watching else Detection.NONE,
            debounce_period=timedelta(seconds=self.bounce or 0),
        )
