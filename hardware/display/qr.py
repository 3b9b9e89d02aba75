"""A text as a QR code: dark modules on a lit box, as phones expect it."""

from functools import lru_cache

from PIL import Image

from hardware.display.widgets import DARK, LIT

VERSION = 2  # 25 modules wide: up to 47 capitals and digits at error correction L
MODULE = 2  # pixels
CODE = (17 + 4 * VERSION) * MODULE  # pixels
BOX = 62  # pixels; leaves one around it on a panel, so that burn-in protection can move the picture
MARGIN = (BOX - CODE) // 2


@lru_cache(2)  # both panels show the same one
def qr_code(text: str) -> Image.Image:
    """Return the QR code of a text in its lit box; an empty picture if it is too long."""
    import segno  # noqa: PLC0415 (drawn once a match: neither start nor idle pays for it)

    try:
        code = segno.make(text, error="l", version=VERSION, boost_error=False)
    except (segno.DataOverflowError, ValueError):
        return Image.new("1", (0, 0))
    box = Image.new("1", (BOX, BOX), LIT)
    for row, modules in enumerate(code.matrix):
        for column, dark in enumerate(modules):
            left, top = MARGIN + column * MODULE, MARGIN + row * MODULE
            box.paste(DARK if dark else LIT, (left, top, left + MODULE, top + MODULE))
    return box
