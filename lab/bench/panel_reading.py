"""Find a text in a picture of a panel, in any of the fonts and wherever it stands.

This does not use the layout of a face, so that it notices a face that is drawn wrongly.
"""

from collections.abc import Iterator
from typing import get_args

from PIL import Image, ImageChops

from hardware.display.glyphs import FontName, font


def says(picture: Image.Image, text: str) -> bool:
    """Return whether a text stands in a picture, lit on dark or dark on lit."""
    fonts = [font(name) for name in get_args(FontName)]
    drawn = [each.picture(text) for each in fonts if set(text) <= each.characters]
    return any(
        _columns(part) in _places(whole, part)
        for part in drawn
        for whole in (picture, ImageChops.invert(picture))
    )


def _places(whole: Image.Image, part: Image.Image) -> Iterator[bytes]:
    """Yield the columns of every rectangle of a picture that is as large as a part of it."""
    for top in range(whole.height - part.height + 1):
        columns = _columns(whole.crop((0, top, whole.width, top + part.height)))
        for left in range(whole.width - part.width + 1):
            yield columns[left * part.height : (left + part.width) * part.height]


def _columns(picture: Image.Image) -> bytes:
    """Return a picture column by column, a byte for each pixel."""
    return picture.convert("L").transpose(Image.Transpose.TRANSPOSE).tobytes()
