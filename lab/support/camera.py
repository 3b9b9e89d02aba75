"""A phone's camera in front of a panel, and what reads QR codes in its pictures."""

from functools import cache

import zxingcpp
from PIL import Image, ImageChops, ImageFilter

AROUND = 8  # panel pixels of dark case that the camera sees around the glass
FINE = 8  # points of a panel's pixel, across; one of them is the dark gap to the next pixel


def photograph(
    picture: Image.Image, scale: int, blur: float, *, degrees: float = 0, light: int = 255
) -> Image.Image:
    """Return a panel of 2.42" as a camera sees it.

    Args:
        picture: lit on dark.
        scale: pixels of the camera for a pixel of the panel, which is 0.43 mm wide: 3 in a preview
            of 1920 pixels at 25 cm, 8 in a photograph.
        blur: radius in pixels of the panel.
        degrees: by how much the phone is tilted.
        light: of a lit pixel, 0 to 255.
    """
    width, height = picture.size[0] + 2 * AROUND, picture.size[1] + 2 * AROUND
    scene = Image.new("L", (width, height))
    scene.paste(light, (AROUND, AROUND), picture)
    fine = scene.resize((width * FINE, height * FINE), Image.Resampling.NEAREST)
    fine = ImageChops.multiply(fine, _gaps(*fine.size))
    seen = fine.resize((width * scale, height * scale), Image.Resampling.BOX)
    tilted = seen.rotate(degrees, Image.Resampling.BICUBIC)
    return tilted.filter(ImageFilter.GaussianBlur(blur * scale))


@cache
def _gaps(width: int, height: int) -> Image.Image:
    """Return what is between the pixels: dark gaps on a lit picture."""
    grid = Image.new("L", (width, height), 255)
    for column in range(0, width, FINE):
        grid.paste(0, (column, 0, column + 1, height))
    for row in range(0, height, FINE):
        grid.paste(0, (0, row, width, row + 1))
    return grid


def read_codes(picture: Image.Image) -> list[str]:
    """Return the texts of the QR codes in a picture."""
    kinds = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    return [code.text for code in zxingcpp.read_barcodes(picture, formats=kinds)]
