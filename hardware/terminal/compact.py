"""A face on a terminal too narrow for its pixels: all its texts, and its time in large figures.

Two panels side by side take 132 columns; a terminal of 80 leaves 38 for each. Small letters would
not be legible, so texts are the terminal's own, and only the time is drawn, condensed.
"""

from PIL import Image

from hardware.display.widgets import LIT, WIDTH, figures
from hardware.face import Face
from hardware.terminal.blocks import QUARTERS, Line, Run, characters

TALLEST = 7, 32  # figures are at most this part of the panel's width high: rows, columns
TEXT_ROWS = 3  # around the figures or lines
PAGE_LINES = 4  # of text on most pages: figures are as high whether a page has one line or four
LEAST_FIGURES = 4  # rows; lower figures are not legible
THRESHOLD = 128  # of 255: a pixel stays lit if that much of its area was
ELLIPSIS = "…"
FULL, EMPTY = "▆", "▁"  # of the delay's bar


def condensed(face: Face, columns: int, rows: int) -> list[Line]:
    """Return a face in so many lines of so many characters."""
    lines = _page(face, columns, rows) if face.lines else _clock(face, columns, rows)
    return [[Run(text, lit is not face.running) for text, lit in line] for line in lines[:rows]]


def _clock(face: Face, columns: int, rows: int) -> list[Line]:
    alarm = _cut("  ".join(_alarms(face)), columns)
    return [
        [Run(_ends(face.status, face.score, columns))],
        *_figures(face.reserve, columns, rows - TEXT_ROWS),
        [Run(alarm.center(columns), lit=bool(alarm))],
        [Run(_delay(face, columns))],
    ]


def _page(face: Face, columns: int, rows: int) -> list[Line]:
    """Return name and status, the time if there is room, lines of text, the keys' legends."""
    height = min(rows - TEXT_ROWS - PAGE_LINES, _tallest(columns))
    has_room = height >= LEAST_FIGURES and height + TEXT_ROWS + len(face.lines) <= rows
    time = _figures(face.reserve, columns, height) if has_room else []
    name = face.name if face.reserve else ""  # else of the winner, who may sit at the other one
    head = [*([] if time else [face.reserve]), name, face.status, *_alarms(face)]
    return [
        [Run(_ends("  ".join(filter(None, head)), face.score, columns))],
        *time,
        *_lines(face, columns, max(0, rows - TEXT_ROWS - len(time))),
        [Run(_rule(face.head, columns))],
        [Run(_keys(face.keys, columns))],
    ]


def _alarms(face: Face) -> list[str]:
    return [*filter(None, [face.flag]), *(f"! {warning}" for warning in face.warnings)]


def _lines(face: Face, columns: int, rows: int) -> list[Line]:
    """Return the lines around the selected one, as many as there is room for."""
    first = min(max(0, (face.selected or 0) - rows // 2), max(0, len(face.lines) - rows))
    shown = list(face.lines[first : first + rows])
    shown += [""] * (rows - len(shown))
    return [
        [Run(_cut(f"  {text}", columns).ljust(columns), lit=at == face.selected)]
        for at, text in enumerate(shown, first)
    ]


def _figures(text: str, columns: int, rows: int) -> list[Line]:
    height = max(1, min(rows, _tallest(columns)))
    picture = figures(text, WIDTH, "digits-39", "digits-34", "digits-28")
    middle = characters(_condensed(picture, columns - 2, height), QUARTERS)
    blank, above = " " * columns, (rows - height) // 2
    lines = [blank] * above + middle + [blank] * (rows - height - above)
    return [[Run(line.center(columns))] for line in lines]


def _tallest(columns: int) -> int:
    tallest, width = TALLEST
    return columns * tallest // width


def _condensed(picture: Image.Image, columns: int, rows: int) -> Image.Image:
    """Return figures in pixels of a quarter of a character, twice as high as wide."""
    picture = picture.crop(picture.getbbox() or (0, 0, 1, 1))
    natural = -(-picture.width * 2 * rows // picture.height)
    size = 2 * max(1, min(columns, natural)), 2 * rows
    grey = picture.convert("L").resize(size, Image.Resampling.BOX)
    return grey.point([LIT * (value >= THRESHOLD) for value in range(256)], "1")


def _delay(face: Face, columns: int) -> str:
    """Return the delay's number and bar, the word about it, and the other side's reserve."""
    if not face.delay:
        return _ends(face.delay_note, face.other_reserve, columns)
    left = f" {face.delay:>2} "
    right = "".join(f" {text}" for text in (face.delay_note, face.other_reserve) if text) + " "
    room = max(0, columns - len(left) - len(right))
    filled = FULL * -(-room * face.delay_permille // 1000)
    return _cut(left + filled.ljust(room, EMPTY) + right, columns)


def _rule(head: str, columns: int) -> str:
    return _cut((f" {head} " if head else "").center(columns, "─"), columns)


def _keys(keys: tuple[str, str, str], columns: int) -> str:
    third = columns // 3
    left, centre, right = (_cut(key, third) for key in keys)
    return left.ljust(third) + centre.center(columns - 2 * third) + right.rjust(third)


def _ends(left: str, right: str, columns: int) -> str:
    room = max(0, columns - len(right) - 3)
    return _cut(f" {_cut(left, room).ljust(room)} {right} ", columns)


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else (text[: columns - 1] + ELLIPSIS)[:columns]
