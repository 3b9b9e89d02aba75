"""The panels, plungers and log lines of the clock on a terminal.

Two panels side by side take 132 columns; a terminal of 80 leaves 38 for each. Small letters would
not be legible there, so texts are the terminal's own, and only the time is drawn, condensed.

A half block holds 1x2 pixels, square and solid; a Braille pattern 2x4, in half the width, but as
dots. Where nearly all dots are lit they are hard to read, so lit boxes, and the whole panel of a
running side, are dark dots on a lit ground instead.
"""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, NamedTuple

from PIL import Image, ImageChops
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Log, Static

from hardware.display.layout import arrange, draw
from hardware.display.widgets import HEIGHT, LIT, WIDTH, figures
from hardware.face import Face


class Cells(NamedTuple):
    """A set of characters that stand for a few pixels each."""

    columns: int  # pixels in a character, across
    rows: int  # and down
    glyphs: str  # one for each set of lit pixels: the first pixel is bit 0, its neighbour bit 1


class Run(NamedTuple):
    """Neighbouring characters on one ground."""

    text: str
    lit: bool = False  # the ground is lit and the characters are dark


Line = list[Run]

# Unicode counts the upper six dots down the columns, then the two of the last row.
BRAILLE_BITS = (0, 3, 1, 4, 2, 5, 6, 7)


def _braille(lit: int) -> str:
    """Return the Braille pattern for eight pixels in reading order."""
    dots = sum(1 << bit for pixel, bit in enumerate(BRAILLE_BITS) if lit >> pixel & 1)
    return chr(0x2800 + dots)


FRAME = 1  # pixels, of a bar

HALVES = Cells(1, 2, " ▀▄█")
QUARTERS = Cells(2, 2, " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")
DOTS = Cells(2, 4, " " + "".join(_braille(lit) for lit in range(1, 256)))


def size(cells: Cells) -> tuple[int, int]:
    """Return how many characters a whole panel takes, across and down."""
    return WIDTH // cells.columns, HEIGHT // cells.rows


def characters(picture: Image.Image, cells: Cells) -> list[str]:
    """Return a picture as lines of characters; its size must be a multiple of theirs."""
    pixels, width = picture.convert("L").tobytes(), picture.width
    pixel = [row * width + column for row in range(cells.rows) for column in range(cells.columns)]

    def glyph(corner: int) -> str:
        return cells.glyphs[sum(1 << bit for bit, at in enumerate(pixel) if pixels[corner + at])]

    corners = range(0, picture.height * width, cells.rows * width)
    return ["".join(map(glyph, range(at, at + width, cells.columns))) for at in corners]


def exact(face: Face, cells: Cells) -> list[Line]:
    """Return a face pixel by pixel, in as many lines and columns as `size` says."""
    ground = _ground(face, cells)
    whole = ground.resize((WIDTH, HEIGHT), Image.Resampling.NEAREST)
    lines = characters(ImageChops.logical_xor(draw(face), whole), cells)
    flat, width = ground.convert("L").tobytes(), ground.width
    grounds = [flat[at : at + width] for at in range(0, len(flat), width)]
    return [_runs(zip(text, row, strict=True)) for text, row in zip(lines, grounds, strict=True)]


def _ground(face: Face, cells: Cells) -> Image.Image:
    ground = Image.new("1", size(cells), LIT * face.running)
    for widget in arrange(face):
        if _is_box(widget.picture):
            ground.paste(LIT * (not face.running), _inside(widget.box, cells))
    return ground


def _is_box(picture: Image.Image) -> bool:
    """Return whether it is a lit box, which is lit down its right side; a bar has a frame there."""
    column = picture.width - 1 - FRAME
    return all(picture.getpixel((column, row)) for row in range(picture.height))


def _inside(box: tuple[int, int, int, int], cells: Cells) -> tuple[int, int, int, int]:
    left, top, right, bottom = box
    left, top = -(-left // cells.columns), -(-top // cells.rows)
    return left, top, right // cells.columns, bottom // cells.rows


def _runs(line: Iterable[tuple[str, int]]) -> Line:
    return [
        Run("".join(text for text, _ in run), bool(lit))
        for lit, run in groupby(line, key=itemgetter(1))
    ]


LAMP_LIT, LAMP_DARK = "●", "○"
TAP_S = 0.15  # how long a plunger looks pressed after a tap
LEFT_BUTTON = 1


class Panel(Widget):
    """One panel: its pixels as large as they fit, or condensed if they do not."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"panel--dark", "panel--lit"}

    face: reactive[Face | None] = reactive(None)
    _lines: tuple[Line, ...] = ()

    def watch_face(self) -> None:
        """Draw another face."""
        self._draw()

    def on_resize(self) -> None:
        """Draw the face in another size."""
        self._draw()

    def _draw(self) -> None:
        self._lines = () if self.face is None else tuple(self._drawn(self.face))
        self.refresh()

    def _drawn(self, face: Face) -> list[Line]:
        width, height = self.size
        for cells in (HALVES, DOTS):
            columns, rows = size(cells)
            if columns <= width and rows <= height:
                return exact(face, cells)
        return condensed(face, width, height)

    def render_line(self, y: int) -> Strip:
        """Return a line of characters; dark where there are none."""
        dark = self.get_component_rich_style("panel--dark")
        lit = self.get_component_rich_style("panel--lit")
        runs = self._lines[y] if y < len(self._lines) else []
        strip = Strip([Segment(run.text, lit if run.lit else dark) for run in runs])
        return strip.adjust_cell_length(self.size.width, dark)


class Tail(Log):
    """The last lines of the log; the keys are not for it."""

    can_focus = False

    def on_resize(self) -> None:
        """Show the last lines again, which a smaller terminal has cut off."""
        self.call_after_refresh(self.scroll_end, animate=False)


class Plunger(Static):
    """A button that the mouse can hold, and the lamp beside it."""

    down: reactive[bool] = reactive(default=False)
    lamp: reactive[bool | None] = reactive(default=None)
    """Whether it is lit; None: there is none."""

    class Moved(Message):
        """The mouse pressed or released the plunger."""

        def __init__(self, button: str, *, down: bool) -> None:
            super().__init__()
            self.button = button
            self.down = down

    def __init__(self, button: str, legend: str) -> None:
        """Start with the plunger up; the name of the button is also the widget's id."""
        super().__init__(legend, id=button)
        self._button = button
        self._legend = legend
        self._flash: Timer | None = None

    def watch_down(self, down: bool) -> None:  # noqa: FBT001 - Textual passes it by position
        """Look pressed while the plunger is down."""
        self.set_class(down, "-down")
        self._label()

    def watch_lamp(self) -> None:
        """Light the lamp or not."""
        self._label()

    def _label(self) -> None:
        lamp = "" if self.lamp is None else f"{LAMP_LIT if self.lamp else LAMP_DARK} "
        self.update(lamp + ("held" if self.down else self._legend))

    def flash(self) -> None:
        """Look pressed for a moment."""
        self.add_class("-down")
        if self._flash is not None:
            self._flash.stop()
        self._flash = self.set_timer(TAP_S, self._flashed)

    def _flashed(self) -> None:
        self.set_class(self.down, "-down")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the plunger; the mouse may leave it while it holds."""
        if event.button == LEFT_BUTTON:
            self.capture_mouse()
            self.post_message(self.Moved(self._button, down=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release the plunger."""
        if event.button == LEFT_BUTTON:
            self.release_mouse()
            self.post_message(self.Moved(self._button, down=False))


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
    header = [*([] if time else [face.reserve]), name, face.status, *_alarms(face)]
    return [
        [Run(_ends("  ".join(filter(None, header)), face.score, columns))],
        *time,
        *_lines(face, columns, rows - TEXT_ROWS - len(time)),
        [Run(_rule(face.fingerprint, columns))],
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
    picture = picture.crop(picture.getbbox())
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
    room = columns - len(left) - len(right)
    filled = FULL * -(-room * face.delay_permille // 1000)
    return _cut(left + filled.ljust(room, EMPTY) + right, columns)


def _rule(fingerprint: str, columns: int) -> str:
    return _cut((f" {fingerprint} " if fingerprint else "").center(columns, "─"), columns)


def _keys(keys: tuple[str, str, str], columns: int) -> str:
    third = columns // 3
    left, centre, right = (_cut(key, third) for key in keys)
    return left.ljust(third) + centre.center(columns - 2 * third) + right.rjust(third)


def _ends(left: str, right: str, columns: int) -> str:
    room = max(0, columns - len(right) - 3)
    return _cut(f" {_cut(left, room).ljust(room)} {right} ", columns)


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else (text[: columns - 1] + ELLIPSIS)[:columns]
