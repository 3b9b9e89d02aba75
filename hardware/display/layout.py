"""The picture of a face: 128x64 pixels, lit or dark.

There are three kinds of face: the clock, with the reserve as large as the panel allows; the page,
lines of text under a small reserve; and the page of a QR code, with texts beside it. Texts that do
not fit are shortened. A picture depends on the face alone, and every face has one.
"""

from typing import Protocol

from PIL import Image, ImageChops

from hardware.display.glyphs import FontName, fits, label, width
from hardware.display.qr import BOX, qr_code
from hardware.display.widgets import (
    GAP,
    HEIGHT,
    KEYS_ROW,
    LINE_HEIGHT,
    WIDTH,
    Row,
    Widget,
    bar,
    bold_label,
    figures,
    key_legends,
    plate,
    tag,
    text_lines,
)

TOP_ROW = (0, 10)  # top and height of each row of the clock, in pixels
TALL_RESERVE = (11, 39)
SHORT_RESERVE = (11, 28)  # leaves room for the alarm row
ALARM_ROW = (40, 11)
DELAY_ROW = (52, 12)

HEADER_ROW = (0, 10)  # rows of a page
FIRST_LINE = 12
ROOMY_LINES = 2  # a text of so few lines leaves room for a larger reserve
ROOMY_RESERVE = (11, 20)
ROOMY_FIRST_LINE = 32
LEAST_BESIDE = 56  # pixels kept beside the reserve for a flag or a warning

HEAD_ROW = (43, 10)  # of a page whose keys have legends
LINES_OVER_HEAD = 3
SNUG_RESERVE = (11, 12)  # over two lines of text and the head
SNUG_FIRST_LINE = 23

EDGE = 1  # pixels around the page of a QR code, for burn-in protection to move it
BESIDE_QR = (EDGE, WIDTH - EDGE - BOX - GAP)  # left and right of the texts
QR_RESERVE = (EDGE, 12)
QR_RESULTS = (14, 24)
QR_HEAD = (36, 45, 54)
QR_HEAD_HEIGHT = 9  # pixels; capitals and digits leave the uppermost pixel of a line dark

BAR_HEIGHT = 10
LEAST_BAR = 16  # pixels; a shorter bar is not legible
FLAG = "⚑"
WARNING = "⚠"


class FaceLike(Protocol):
    """The contents of one panel, in finished texts; the fields of `clock.ui.face.Face`."""

    @property
    def reserve(self) -> str:
        """This side's reserve, "21:37"."""

    @property
    def running(self) -> bool:
        """Whether this side's clock runs: the whole panel is inverted."""

    @property
    def delay(self) -> str:
        """Seconds left of the delay, "12"; "" to show none."""

    @property
    def delay_permille(self) -> int:
        """What is left of the delay for its bar, 0 to 1000."""

    @property
    def delay_note(self) -> str:
        """A word about the delay, "WAIT"."""

    @property
    def status(self) -> str:
        """What the clock is doing."""

    @property
    def score(self) -> str:
        """Score and length of the match, "3-5/11"."""

    @property
    def flag(self) -> str:
        """The fallen flag and its order, "FLAG 1"."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong with the clock; shown are the first and the number of the others."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The text of a page; a face without lines is a clock."""

    @property
    def selected(self) -> int | None:
        """The index of the line to highlight and scroll to."""

    @property
    def keys(self) -> tuple[str, str, str]:
        """The legends of the three buttons; shown on a page only."""

    @property
    def head(self) -> str:
        """The head of the log in groups of four letters, "7KQ2-M9XT-4WDA"; shown on a page only."""

    @property
    def qr(self) -> str:
        """The text of a QR code, shown instead of the lines unless there is an `other_reserve`."""

    @property
    def result(self) -> tuple[str, ...]:
        """The result in two short texts, to stand beside the QR code."""

    @property
    def other_reserve(self) -> str:
        """The other side's reserve, where one panel must show both; else ""."""

    def with_other_reserve(self, reserve: str) -> "FaceLike":
        """Return the same face with another `other_reserve`."""


def draw(face: FaceLike) -> Image.Image:
    """Return the picture of a face: mode "1", `WIDTH` x `HEIGHT`, upright."""
    panel = Image.new("1", (WIDTH, HEIGHT))
    for widget in arrange(face):
        panel.paste(widget.picture, (widget.left, widget.top))
    return ImageChops.invert(panel) if face.running else panel


def arrange(face: FaceLike) -> list[Widget]:
    """Return all widgets of a face; they never overlap, nor leave the panel."""
    return _page(face) if face.lines else _clock(face)


# --- the clock ------------------------------------------------------------------------------------


def _clock(face: FaceLike) -> list[Widget]:
    """Place status and score, the reserve, an alarm if there is one, and the delay.

    A flag goes into the alarm row; if that has a warning, into the top row.
    """
    bottom = _delay(face).widgets
    if face.warnings:
        middle = [*_short_reserve(face).widgets, *_warning(face).widgets]
        return [*_top(face, face.flag).widgets, *middle, *bottom]
    if face.flag:
        banner = plate(bold_label(face.flag, WIDTH), WIDTH, ALARM_ROW[1])
        middle = [*_short_reserve(face).widgets, Widget("flag", 0, ALARM_ROW[0], banner)]
        return [*_top(face).widgets, *middle, *bottom]
    return [*_top(face).widgets, *_tall_reserve(face).widgets, *bottom]


def _top(face: FaceLike, flag: str = "") -> Row:
    """Place status, flag and score; beside a flag the status only if it fits whole."""
    row = Row(*TOP_ROW)
    bold = width("text-bold", face.status) + GAP + width("text-bold", face.score) <= row.room
    weight: FontName = "text-bold" if bold and not flag else "text"
    row.put_right("score", label(weight, face.score, WIDTH // 2 - GAP))
    row.put_left("flag", tag(flag, row.room, row.height))
    if not flag or fits(weight, face.status, row.room):
        row.put_left("status", label(weight, face.status, row.room))
    return row


def _tall_reserve(face: FaceLike) -> Row:
    """Place the reserve alone."""
    row = Row(*TALL_RESERVE)
    sizes: tuple[FontName, ...] = ("digits-39", "digits-34", "digits-28", "digits-12")
    row.put_centre("reserve", figures(face.reserve, row.room, *sizes))
    return row


def _short_reserve(face: FaceLike) -> Row:
    """Place the reserve, and beside it the symbol of a fallen flag if there is room."""
    row = Row(*SHORT_RESERVE)
    reserve = figures(face.reserve, row.room, "digits-28", "digits-12")
    symbol = label("digits-28", FLAG, row.room)
    if face.flag and reserve.width + GAP + symbol.width <= row.room:
        row.put_left("symbol", symbol)
    row.put_centre("reserve", reserve)
    return row


def _warning(face: FaceLike) -> Row:
    """Place the first warning and the number of the others."""
    row = Row(*ALARM_ROW)
    row.put_left("symbol of warning", label("text-bold", WARNING, row.room))
    if len(face.warnings) > 1:
        row.put_right("more", bold_label(f"+{len(face.warnings) - 1}", row.room // 2))
    row.put_left("warning", bold_label(face.warnings[0], row.room))
    return row


def _delay(face: FaceLike) -> Row:
    """Place the delay's number and bar, the word about it, and the other side's reserve."""
    row = Row(*DELAY_ROW)
    row.put_right("other_reserve", figures(face.other_reserve, row.room // 2, "digits-12"))
    if face.delay:
        row.put_left("delay", figures(face.delay.rjust(2), row.room // 2, "digits-12"))
    showing = bool(face.delay) or face.delay_permille > 0
    put_note = row.put_right if showing else row.put_left
    put_note("note", tag(face.delay_note, row.room, row.height))
    if showing and row.room >= LEAST_BAR:
        row.put_left("bar", bar(face.delay_permille, row.room, BAR_HEIGHT))
    return row


# --- the page -------------------------------------------------------------------------------------


def _page(face: FaceLike) -> list[Widget]:
    """Place the reserve, larger over a short text, then the lines and the keys' legends."""
    both = bool(face.other_reserve)  # there is no room for two reserves beside a code
    if face.qr and not both and (code := qr_code(face.qr)).width:
        return _qr_page(face, code)
    strip = _head(face)
    if len(face.lines) > ROOMY_LINES:
        above, top = _header(face).widgets, FIRST_LINE
    elif len(face.lines) == ROOMY_LINES and strip and any(face.keys):
        above, top = [*_top(face).widgets, *_snug_reserve(face).widgets], SNUG_FIRST_LINE
    else:
        above, top = [*_top(face).widgets, *_roomy_reserve(face)], ROOMY_FIRST_LINE
    lines = text_lines(face.lines, face.selected, top)
    return [*above, *lines, *strip, *key_legends(face.keys)]


def _head(face: FaceLike) -> list[Widget]:
    """Place the head of the log at the bottom, or over the legends if there is room."""
    if any(face.keys) and len(face.lines) > LINES_OVER_HEAD:
        return []
    row = Row(*(HEAD_ROW if any(face.keys) else KEYS_ROW))
    row.put_centre("head", bold_label(face.head, row.room))
    return row.widgets


def _header(face: FaceLike) -> Row:
    """Place reserves, symbols of a flag and a warning, and the status, on the left if alone."""
    row = Row(*HEADER_ROW)
    row.put_left("reserve", bold_label(face.reserve, row.room // 2))
    row.put_left("other_reserve", label("text", face.other_reserve, row.room // 2))
    row.put_left("flag", label("text-bold", FLAG if face.flag else "", row.room))
    row.put_left("warning", label("text-bold", WARNING if face.warnings else "", row.room))
    put = row.put_right if row.widgets else row.put_left
    put("status", bold_label(face.status, row.room))
    return row


def _roomy_reserve(face: FaceLike) -> list[Widget]:
    """Place the reserve, and beside it a flag over a warning or the other reserve."""
    top, height = ROOMY_RESERVE
    busy = face.flag or face.warnings or face.other_reserve
    widest = WIDTH - LEAST_BESIDE if busy else WIDTH
    row = Row(top, height)
    row.put_left("reserve", figures(face.reserve, widest, "digits-20", "digits-12"))
    upper = Row(top, height // 2, WIDTH - row.room)
    upper.put_right("flag", tag(face.flag, upper.room, upper.height))
    lower = Row(top + height // 2, height // 2, WIDTH - row.room)
    lower.put_right("other_reserve", bold_label(face.other_reserve, lower.room))
    for warning in face.warnings[:1]:
        lower.put_right("warning", bold_label(WARNING + warning, lower.room))
    return [*row.widgets, *upper.widgets, *lower.widgets]


def _snug_reserve(face: FaceLike) -> Row:
    """Place the reserve, and beside it a flag, the other reserve and a warning."""
    row = Row(*SNUG_RESERVE)
    row.put_left("reserve", figures(face.reserve, row.room, "digits-12"))
    row.put_right("flag", tag(face.flag, row.room, row.height))
    row.put_right("other_reserve", bold_label(face.other_reserve, row.room))
    for warning in face.warnings[:1]:
        whole = fits("text", WARNING + warning, row.room)
        row.put_right("warning", bold_label(WARNING + warning if whole else WARNING, row.room))
    return row


# --- the page of a QR code ------------------------------------------------------------------------


def _qr_page(face: FaceLike, code: Image.Image) -> list[Widget]:
    """Place the code on the right, and on the left the reserve, the result and the head."""
    code_at = Widget("qr", WIDTH - EDGE - BOX, EDGE, code)
    reserve = Row(*QR_RESERVE, *BESIDE_QR)
    reserve.put_left("reserve", figures(face.reserve, reserve.room, "digits-12"))
    results = [Row(top, LINE_HEIGHT, *BESIDE_QR) for top in QR_RESULTS]
    for number, (row, text) in enumerate(zip(results, face.result, strict=False)):
        row.put_left(f"result {number}", bold_label(text, row.room))
    groups = [Row(top, QR_HEAD_HEIGHT, *BESIDE_QR) for top in QR_HEAD]
    for row, group in zip(groups, face.head.split("-"), strict=False):
        row.put_left(f"head {group}", _low(bold_label(" ".join(group), row.room)))
    symbols = FLAG if face.flag else "", WARNING if face.warnings else ""
    for row, symbol in zip(groups, symbols, strict=False):
        row.put_right(f"symbol {symbol}", _low(label("text-bold", symbol, row.room)))
    rows = (reserve, *results, *groups)
    return [code_at, *(widget for row in rows for widget in row.widgets)]


def _low(text: Image.Image) -> Image.Image:
    """Return a text without its uppermost pixels."""
    return text.crop((0, text.height - min(text.height, QR_HEAD_HEIGHT), *text.size))
