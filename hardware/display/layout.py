"""What a panel shows, as a picture of 128x64 pixels that are lit or dark.

Two kinds of face: the clock, with the reserve as large as the panel allows, and the page, lines of
text under a small reserve. Each element stands in a box of its own; what does not fit its box is
shortened, never drawn over another. It is drawn lit on dark; of a running side all is inverted.

The one rule: a picture depends on the face alone, and every face gives a picture.
"""

from typing import Protocol

from PIL import Image, ImageChops

from hardware.display.glyphs import FontName, fits, label, width
from hardware.display.page import keys, lines
from hardware.display.pieces import GAP, HEIGHT, WIDTH, Piece, Row, bar, number, plate, tag, words

TOP_ROW = (0, 10)  # top and height of each row of the clock, in pixels
TALL_RESERVE = (11, 39)
SHORT_RESERVE = (11, 28)  # leaves room for the alarm row
ALARM_ROW = (40, 11)
DELAY_ROW = (52, 12)

HEADER_ROW = (0, 10)  # rows of a page
FIRST_LINE = 12
ROOMY_LINES = 2  # a text as short as this leaves room for a larger reserve
ROOMY_RESERVE = (11, 20)
ROOMY_FIRST_LINE = 32
LEAST_BESIDE = 56  # pixels kept beside the reserve for a flag or a warning

BAR_HEIGHT = 10
LEAST_BAR = 16  # pixels; a shorter bar of the delay tells nothing
FLAG = "⚑"
WARNING = "⚠"


class FaceLike(Protocol):
    """What has to be known of a face; all texts are finished."""

    @property
    def reserve(self) -> str:
        """The time bank of this side, "21:37"."""

    @property
    def running(self) -> bool:
        """Whether this side's clock runs: the whole panel is inverted."""

    @property
    def delay(self) -> str:
        """What is left of the delay, "12"; "" to show none."""

    @property
    def delay_permille(self) -> int:
        """The same as a part of the full delay, 0 to 1000, for the bar."""

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
        """What is wrong with the clock; the first is shown, and how many more there are."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The text of a page; without any this face is a clock."""

    @property
    def selected(self) -> int | None:
        """The index of the line to highlight, and to scroll to."""

    @property
    def keys(self) -> tuple[str, str, str]:
        """Legends of the three buttons; shown on a page only."""

    @property
    def other_reserve(self) -> str:
        """The other side's reserve, if this panel must show both."""


def draw(face: FaceLike) -> Image.Image:
    """The picture of a face: mode "1", `WIDTH` x `HEIGHT`, upright."""
    panel = Image.new("1", (WIDTH, HEIGHT))
    for piece in pieces(face):
        panel.paste(piece.picture, (piece.left, piece.top))
    return ImageChops.invert(panel) if face.running else panel


def pieces(face: FaceLike) -> list[Piece]:
    """All elements of a face; no two of them overlap and none leaves the panel."""
    return _page(face) if face.lines else _clock(face)


def _clock(face: FaceLike) -> list[Piece]:
    """Status and score, the reserve, an alarm if there is one, the delay.

    A flag goes into the alarm row, with a warning there into the top row.
    """
    bottom = _delay(face).pieces
    if face.warnings:
        middle = [*_short_reserve(face).pieces, *_warning(face).pieces]
        return [*_top(face, face.flag).pieces, *middle, *bottom]
    if face.flag:
        banner = plate(words(face.flag, WIDTH), WIDTH, ALARM_ROW[1])
        middle = [*_short_reserve(face).pieces, Piece("flag", 0, ALARM_ROW[0], banner)]
        return [*_top(face).pieces, *middle, *bottom]
    return [*_top(face).pieces, *_tall_reserve(face).pieces, *bottom]


def _top(face: FaceLike, flag: str = "") -> Row:
    """Status on the left, score on the right; beside a flag the status only if it fits whole."""
    row = Row(*TOP_ROW)
    bold = width("text-bold", face.status) + GAP + width("text-bold", face.score) <= row.room
    weight: FontName = "text-bold" if bold and not flag else "text"
    row.put_right("score", label(weight, face.score, WIDTH // 2 - GAP))
    row.put_left("flag", tag(flag, row.room, row.height))
    if not flag or fits(weight, face.status, row.room):
        row.put_left("status", label(weight, face.status, row.room))
    return row


def _tall_reserve(face: FaceLike) -> Row:
    """The reserve alone."""
    row = Row(*TALL_RESERVE)
    sizes: tuple[FontName, ...] = ("digits-39", "digits-34", "digits-28", "digits-12")
    row.put_centre("reserve", number(face.reserve, row.room, *sizes))
    return row


def _short_reserve(face: FaceLike) -> Row:
    """The reserve, and beside it a flag if one has fallen and the digits leave room for it."""
    row = Row(*SHORT_RESERVE)
    reserve = number(face.reserve, row.room, "digits-28", "digits-12")
    symbol = label("digits-28", FLAG, row.room)
    if face.flag and reserve.width + GAP + symbol.width <= row.room:
        row.put_left("symbol", symbol)
    row.put_centre("reserve", reserve)
    return row


def _warning(face: FaceLike) -> Row:
    """The first warning, and the number of the others."""
    row = Row(*ALARM_ROW)
    row.put_left("symbol of warning", label("text-bold", WARNING, row.room))
    if len(face.warnings) > 1:
        row.put_right("more", words(f"+{len(face.warnings) - 1}", row.room // 2))
    row.put_left("warning", words(face.warnings[0], row.room))
    return row


def _delay(face: FaceLike) -> Row:
    """The delay's number and bar, the word about it, and the other side's reserve."""
    row = Row(*DELAY_ROW)
    row.put_right("other_reserve", number(face.other_reserve, row.room // 2, "digits-12"))
    if face.delay:
        row.put_left("delay", number(face.delay.rjust(2), row.room // 2, "digits-12"))
    showing = bool(face.delay) or face.delay_permille > 0
    put_note = row.put_right if showing else row.put_left
    put_note("note", tag(face.delay_note, row.room, row.height))
    if showing and row.room >= LEAST_BAR:
        row.put_left("bar", bar(face.delay_permille, row.room, BAR_HEIGHT))
    return row


def _page(face: FaceLike) -> list[Piece]:
    """The reserve, larger over a short text; lines; keys."""
    if len(face.lines) <= ROOMY_LINES:
        head, top = [*_top(face).pieces, *_roomy_reserve(face)], ROOMY_FIRST_LINE
    else:
        head, top = _header(face).pieces, FIRST_LINE
    return [*head, *lines(face.lines, face.selected, top), *keys(face.keys)]


def _header(face: FaceLike) -> Row:
    """Reserves, marks for a flag and a warning, and the status; without the former that leads."""
    row = Row(*HEADER_ROW)
    row.put_left("reserve", words(face.reserve, row.room // 2))
    row.put_left("other_reserve", label("text", face.other_reserve, row.room // 2))
    row.put_left("flag", label("text-bold", FLAG if face.flag else "", row.room))
    row.put_left("warning", label("text-bold", WARNING if face.warnings else "", row.room))
    put = row.put_right if row.pieces else row.put_left
    put("status", words(face.status, row.room))
    return row


def _roomy_reserve(face: FaceLike) -> list[Piece]:
    """The reserve, and beside it a flag over a warning or the other reserve."""
    top, height = ROOMY_RESERVE
    busy = face.flag or face.warnings or face.other_reserve
    widest = WIDTH - LEAST_BESIDE if busy else WIDTH
    row = Row(top, height)
    row.put_left("reserve", number(face.reserve, widest, "digits-20", "digits-12"))
    upper = Row(top, height // 2, WIDTH - row.room)
    upper.put_right("flag", tag(face.flag, upper.room, upper.height))
    lower = Row(top + height // 2, height // 2, WIDTH - row.room)
    lower.put_right("other_reserve", words(face.other_reserve, lower.room))
    for warning in face.warnings[:1]:
        lower.put_right("warning", words(WARNING + warning, lower.room))
    return [*row.pieces, *upper.pieces, *lower.pieces]
