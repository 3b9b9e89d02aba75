"""A face on a terminal too narrow for its pixels: its time in large figures, its text as text.

Two panels side by side take 132 columns; a terminal of 80 leaves 38 for each. Small letters do not
survive that, so a terminal's own take their place, and the figures alone are drawn, condensed.

The one rule: every text of the face is there, in its usual place, and none besides.
"""

from PIL import Image

from hardware.terminal.blocks import QUARTERS, Line, Run, characters
from hardware.display.pieces import LIT, WIDTH, number
from hardware.display.layout import FaceLike

BROADEST = 3, 16  # a figure of a time is at most this part of the panel's width high, in rows
AROUND = 3  # rows of text around the figures or lines
LEAST_FIGURES = 4  # rows; lower ones are not legible
THRESHOLD = 128  # of 255: how much of a pixel's area is lit in one that stays lit
ELLIPSIS = "…"
FULL, EMPTY = "▆", "▁"  # of the delay's bar


def condensed(face: FaceLike, columns: int, rows: int) -> list[Line]:
    """A face in a space of any size.

    Args:
        face: what the panel shows.
        columns: characters across.
        rows: characters down.

    Returns:
        As many lines as asked for, each a list of runs as long as asked for together.
    """
    lines = _page(face, columns, rows) if face.lines else _clock(face, columns, rows)
    return [[Run(text, lit is not face.running) for text, lit in line] for line in lines[:rows]]


def _clock(face: FaceLike, columns: int, rows: int) -> list[Line]:
    """Status and score, the time, flag and warnings, the delay."""
    alarm = _cut("  ".join(_alarms(face)), columns)
    return [
        [Run(_ends(face.status, face.score, columns))],
        *_figures(face.reserve, columns, rows - AROUND),
        [Run(alarm.center(columns), lit=bool(alarm))],
        [Run(_delay(face, columns))],
    ]


def _page(face: FaceLike, columns: int, rows: int) -> list[Line]:
    """The status, the time if there is room, lines of text, what the buttons do."""
    free = rows - len(face.lines) - AROUND
    figures = _figures(face.reserve, columns, free) if free >= LEAST_FIGURES else []
    head = [*([] if figures else [face.reserve]), face.status, *_alarms(face)]
    return [
        [Run(_ends("  ".join(filter(None, head)), face.score, columns))],
        *figures,
        *_lines(face, columns, max(0, rows - AROUND - len(figures))),
        [Run("─" * columns)],
        [Run(_keys(face.keys, columns))],
    ]


def _alarms(face: FaceLike) -> list[str]:
    """The flag and all warnings."""
    return [*filter(None, [face.flag]), *(f"! {warning}" for warning in face.warnings)]


def _lines(face: FaceLike, columns: int, rows: int) -> list[Line]:
    """The lines around the selected one, as many as there is room for."""
    first = min(max(0, (face.selected or 0) - rows // 2), max(0, len(face.lines) - rows))
    shown = list(face.lines[first : first + rows])
    shown += [""] * (rows - len(shown))
    return [
        [Run(_cut(f"  {text}", columns).ljust(columns), lit=at == face.selected)]
        for at, text in enumerate(shown, first)
    ]


def _figures(text: str, columns: int, rows: int) -> list[Line]:
    """A time, in the middle of its rows."""
    part, of = BROADEST
    height = max(1, min(rows, columns * part // of))
    picture = number(text, WIDTH, "digits-39", "digits-34", "digits-28")
    middle = characters(_condensed(picture, columns - 2, height), QUARTERS)
    blank, above = " " * columns, (rows - height) // 2
    lines = [blank] * above + middle + [blank] * (rows - height - above)
    return [[Run(line.center(columns))] for line in lines]


def _condensed(figures: Image.Image, columns: int, rows: int) -> Image.Image:
    """Figures in quarters of characters, which are twice as high as wide; narrower if need be."""
    figures = figures.crop(figures.getbbox() or (0, 0, 1, 1))
    natural = -(-figures.width * 2 * rows // figures.height)
    size = 2 * max(1, min(columns, natural)), 2 * rows
    grey = figures.convert("L").resize(size, Image.Resampling.BOX)
    return grey.point([LIT * (value >= THRESHOLD) for value in range(256)], "1")


def _delay(face: FaceLike, columns: int) -> str:
    """The delay's number and bar, the word about it, and the other side's reserve."""
    if not face.delay:
        return _ends(face.delay_note, face.other_reserve, columns)
    left = f" {face.delay:>2} "
    right = "".join(f" {text}" for text in (face.delay_note, face.other_reserve) if text) + " "
    room = max(0, columns - len(left) - len(right))
    filled = FULL * -(-room * face.delay_permille // 1000)
    return _cut(left + filled.ljust(room, EMPTY) + right, columns)


def _keys(keys: tuple[str, str, str], columns: int) -> str:
    """What left, centre and right would do, a third each."""
    third = columns // 3
    left, centre, right = (_cut(key, third) for key in keys)
    return left.ljust(third) + centre.center(columns - 2 * third) + right.rjust(third)


def _ends(left: str, right: str, columns: int) -> str:
    """A text near either end; the left one is shortened."""
    room = max(0, columns - len(right) - 3)
    return _cut(f" {_cut(left, room).ljust(room)} {right} ", columns)


def _cut(text: str, columns: int) -> str:
    """A text, shortened if it is too long."""
    return text if len(text) <= columns else (text[: columns - 1] + ELLIPSIS)[:columns]
