"""QR codes: for pages, for paper and for a terminal."""

from io import BytesIO

import segno


def qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG."""
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=4, border=2)
    return drawn.getvalue()


def qr_inline(address: str) -> str:
    """Return the QR code of an address as a part of a page, which sets its size."""
    return segno.make(address, error="m").svg_inline(omitsize=True, border=2)


def qr_text(address: str) -> str:
    """Return the QR code of an address for a terminal: dark on light, two rows a line."""
    rows = [
        [bool(cell) for cell in row] for row in segno.make(address, error="l").matrix_iter(border=2)
    ]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(_block(*cells) for cells in zip(*pair, strict=True)) for pair in pairs)


def _block(upper: bool, lower: bool) -> str:  # noqa: FBT001 (both have the same meaning)
    """Return the character of two cells, where the background is dark."""
    return {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}[
        upper, lower
    ]
