"""QR codes can be read by the camera of a phone."""

from room.pictures.qr_codes import qr_text
from tests.support.camera import read_codes


def test_the_qr_code_of_the_terminal_can_be_read() -> None:
    """By the camera of a phone."""
    from PIL import Image

    address = "http://192.168.1.7:8037/"
    rows: list[list[int]] = []
    for line in qr_text(address).splitlines():
        rows.append([0 if each in "▄ " else 255 for each in line])
        rows.append([0 if each in "▀ " else 255 for each in line])
    picture = Image.new("L", (len(rows[0]), len(rows)))
    picture.putdata([cell for row in rows for cell in row])
    enlarged = picture.resize((8 * len(rows[0]), 8 * len(rows)), Image.Resampling.NEAREST)
    assert read_codes(enlarged) == [address]
