"""Read the words on a panel with tesseract, which knows neither the clock's words nor its fonts.

It takes a letter for a similar one now and then, so a test asks for words, not for whole texts.
"""

import re
import subprocess
from io import BytesIO

from PIL import Image, ImageOps

MARGIN, SCALE = 6, 4  # pixels of black around a picture; pixels of the reader for each of a panel
INSTALL = "tesseract is missing. On Debian: sudo apt install tesseract-ocr"
READER = ("tesseract", "-", "-", "--psm", "11", "--dpi", "280")  # text anywhere
WORD = re.compile(r"[a-z]{2,}")


def words(picture: Image.Image, *, inverted: bool = False) -> set[str]:
    """Return the words of a picture in small letters.

    Args:
        picture: what a panel shows.
        inverted: whether it shows dark on lit, as while this side's clock runs.
    """
    lit = picture.convert("L")
    lit = ImageOps.expand(ImageOps.invert(lit) if inverted else lit, MARGIN)
    large = ImageOps.scale(ImageOps.invert(lit), SCALE, Image.Resampling.LANCZOS)
    try:
        read = subprocess.run(READER, input=_png(large), capture_output=True, check=True).stdout
    except FileNotFoundError as error:
        raise RuntimeError(INSTALL) from error
    return set(WORD.findall(read.decode().lower()))


def _png(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
