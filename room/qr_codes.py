"""QR codes: for pages, for paper and for a terminal."""

from collections.abc import Sequence
from io import BytesIO
from itertools import groupby

import segno

BORDER = 2  # cells
MASK = 0  # to choose the best of eight takes most of the time; a camera reads each of them


def qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG."""
    drawn = BytesIO()
    segno.make(address, error="m").save(drawn, kind="svg", scale=4, border=2)
    return drawn.getvalue()


def qr_inline(address: str) -> str:
    """Return the QR code of an address as a part of a page, which sets its size."""
    rows = segno.make(address, error="m", mask=MASK).matrix
    size = len(rows) + 2 * BORDER
    drawn = "".join(_row(row, y) for y, row in enumerate(rows, BORDER))
    return (
        f'<svg viewBox="0 0 {size} {size}" shape-rendering="crispEdges"><path d="{drawn}"/></svg>'
    )


def _row(row: Sequence[int], y: int) -> str:
    x, drawn = BORDER, ""
    for is_dark, cells in groupby(row):
        width = len(list(cells))
        drawn += f"M{x} {y}h{width}v1h-{width}z" if is_dark else ""
        x += width
    return drawn


def qr_text(address: str) -> str:
    """Return the QR code of an address for a terminal: dark on light, two rows a line."""
    rows = [
        [bool(cell) for cell in row] for row in segno.make(address, error="l").matrix_iter(border=2)
    ]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return "\n".join("".join(_block(*cells) for cells in zip(*pair, strict=True)) for pair in pairs)


def _block(upper: bool, lower: bool) -> str:  # noqa: FBT001 (both have the same meaning)
    return {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}[
        upper, lower
    ]
