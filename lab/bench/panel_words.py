"""Read the words on a panel with tesseract, which knows neither the clock's words nor its fonts.

It takes a letter for a similar one now and then, so a test asks for words, not for whole texts.
"""

import re
import subprocess
from io import BytesIO

from PIL import Image, ImageOps

from lab.support.needs import needs

MARGIN, SCALE = 6, 4  # pixels of black around a picture; pixels of the reader for each of a panel
READER = ("tesseract", "-", "-", "--dpi", "280", "--psm")
MODES = ("6", "11")  # lines of a text, words anywhere: each reads pictures that the other misreads
WORD = re.compile(r"[a-z]{2,}")
LIT = 255
CODE_HEIGHT = 60  # pixels, at least, of the lit square that a QR code stands on


def words(picture: Image.Image) -> set[str]:
    """Return the words of a panel's picture in small letters."""
    lit = ImageOps.expand(_without_code(picture.convert("L")), MARGIN)
    large = ImageOps.scale(ImageOps.invert(lit), SCALE, Image.Resampling.LANCZOS)
    found = set[str]()
    for mode in MODES:
        command = [needs(READER[0]), *READER[1:], mode]
        read = subprocess.run(command, input=_png(large), capture_output=True, check=True).stdout
        found.update(WORD.findall(read.decode().lower()))
    return found


def _without_code(lit: Image.Image) -> Image.Image:
    """Darken a QR code, beside which words are misread; only its edges are so high and all lit."""
    columns = [lit.crop((x, 0, x + 1, lit.height)) for x in range(lit.width)]
    edges = [x for x, column in enumerate(columns) if column.histogram()[LIT] >= CODE_HEIGHT]
    if edges:
        lit.paste(0, (edges[0], 0, edges[-1] + 1, lit.height))
    return lit


def _png(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()
