"""QR codes can be read by the camera of a phone."""

import re

from lab.support.camera import read_codes
from room.qr_codes import qr_inline, qr_text


def test_the_qr_code_of_the_terminal_can_be_read() -> None:
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


def test_the_qr_code_of_a_label_can_be_read() -> None:
    from PIL import Image, ImageDraw

    address = "http://192.168.1.7:8037/board/7"
    drawn = qr_inline(address)
    size = int(re.findall(r'viewBox="0 0 (\d+)', drawn)[0])
    picture = Image.new("L", (8 * size, 8 * size), 255)
    for found in re.findall(r"M(\d+) (\d+)h(\d+)v1", drawn):
        x, y, width = (8 * int(each) for each in found)
        ImageDraw.Draw(picture).rectangle((x, y, x + width - 1, y + 7), fill=0)
    assert read_codes(picture) == [address]
