"""What a picture of a panel says, as a player reads it.

The one rule: a text is known by its size and its form, not by its place.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from bench.panel_glyphs import Text, alike, texts
from PIL import Image

TIME = re.compile(r"\d+(:\d\d){1,2}|\d+\.\d")
NUMBER = re.compile(r"\d+")
FIGURES = "digits-"  # how the fonts' names begin that have no letters


class Reading:
    """A picture, being read."""

    def __init__(self, picture: Image.Image) -> None:
        self._picture = picture

    @property
    def reserve(self) -> str:
        """The time that is written largest, or first if several are: "21:37"; "" for none."""
        return next((time for time, _ in self._times()), "")

    @property
    def other_reserve(self) -> str:
        """The next time that stands for itself: the other side's, if this panel shows both."""
        return next((time for time, text in [*self._times()][1:] if time == text.text), "")

    @property
    def inverted(self) -> bool:
        """Whether the reserve is dark on lit: this side's clock runs."""
        return next((text.inverted for _, text in self._times()), False)

    @property
    def delay(self) -> str:
        """The number in figures that stands for itself: "12"; "" for none."""
        figures = (text.text for text in texts(self._picture) if text.font.startswith(FIGURES))
        return next(filter(NUMBER.fullmatch, figures), "")

    @property
    def text(self) -> str:
        """All that can be read, as lines from the top left; letters are those of `alike`."""
        return "\n".join(text.text for text in sorted(self.texts, key=_place))

    def says(self, text: str) -> bool:
        """Whether this can be read, in one piece."""
        return any(alike(text) in found.text for found in self.texts)

    @cached_property
    def texts(self) -> list[Text]:
        """All that can be read, the largest first."""
        return list(texts(self._picture))

    def _times(self) -> Iterator[tuple[str, Text]]:
        """The times that a text begins with, and the text; smaller ones are read if asked for."""
        for text in texts(self._picture):
            if found := TIME.match(text.text):
                yield found[0], text


def _place(text: Text) -> tuple[int, int]:
    return text.top, text.left
