"""Read a picture of a panel as a player would."""

import re
from collections.abc import Iterator
from functools import cached_property

from PIL import Image

from tests.bench.panel_glyphs import Text, alike, texts

TIME = re.compile(r"\d+(:\d\d){1,2}|\d+\.\d")
NUMBER = re.compile(r"\d+")
FIGURES = "digits-"  # the prefix of the fonts that have no letters


class Reading:
    """What can be read in a picture."""

    def __init__(self, picture: Image.Image) -> None:
        self._picture = picture

    @property
    def reserve(self) -> str:
        """The largest time, or the first of several that are as large: "21:37"; "" for none."""
        return next((time for time, _ in self._times()), "")

    @property
    def other_reserve(self) -> str:
        """The next text that is only a time: the other side's, if this panel shows both."""
        return next((time for time, text in [*self._times()][1:] if time == text.text), "")

    @property
    def inverted(self) -> bool:
        """Whether the reserve is dark on lit, as while this side's clock runs."""
        return next((text.inverted for _, text in self._times()), False)

    @property
    def delay(self) -> str:
        """The text that is only a number in a digits font: "12"; "" for none."""
        figures = (text.text for text in texts(self._picture) if text.font.startswith(FIGURES))
        return next(filter(NUMBER.fullmatch, figures), "")

    @property
    def text(self) -> str:
        """All texts as lines, from the top left; letters are replaced as by `alike`."""
        return "\n".join(text.text for text in sorted(self.texts, key=_place))

    def says(self, text: str) -> bool:
        """Return whether a text can be read in one piece."""
        return any(alike(text) in found.text for found in self.texts)

    @cached_property
    def texts(self) -> list[Text]:
        """All texts, the largest first."""
        return list(texts(self._picture))

    def _times(self) -> Iterator[tuple[str, Text]]:
        """Yield the texts that begin with a time, with that time, the largest first."""
        for text in texts(self._picture):
            if found := TIME.match(text.text):
                yield found[0], text


def _place(text: Text) -> tuple[int, int]:
    return text.top, text.left
