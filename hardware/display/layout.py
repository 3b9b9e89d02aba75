"""The picture of a face: 128x64 pixels, lit or dark.

There are four kinds of face: the clock, with the reserve as large as the panel allows; the notice,
a line or two of text under a large reserve; the page, more lines under a small one; and the page of
a QR code, with texts beside it. Texts that do not fit are shortened. A picture depends on the face
alone, and every face has one.
"""

from collections.abc import Sequence

from PIL import Image, ImageChops

from hardware.display import widgets
from hardware.display.glyphs import PIXEL_SIZES, FontName, fits, label, short_name, width
from hardware.display.widgets import BOX, GAP, HEIGHT, PADDING, WIDTH, Row, TextRow, Widget, qr_code
from hardware.face import Face

TOP_ROW = (0, 10)  # top and height of each row of the clock, in pixels
TALL_RESERVE = (11, 39)
SHORT_RESERVE = (11, 28)  # leaves room for the alarm row
ALARM_ROW = (40, 11)
DELAY_ROW = (52, 12)

MOST_SCORE = WIDTH * 5 // 8  # pixels; any score in bold letters

HEADER_ROW = (0, 10)  # rows of a page
FIRST_LINE = 12
FINGERPRINT_ROW = (43, 10)  # of a page whose keys have legends
LINES_OVER_FINGERPRINT = 3

NOTICE_LINES = 2  # at most
NOTICE_HEIGHTS = (28, 20, 12)  # of the reserve, in pixels; the text leaves room for the last
NOTICE_FIGURES: tuple[FontName, ...] = (
    "digits-28", "digits-28-narrow", "digits-28-thin", "digits-20", "digits-12",
)  # fmt: skip
MOST_BESIDE = 64  # pixels kept beside the reserve for a flag or the other reserve
HALVED = 20  # a row so high has room for one above the other

EDGE = 1  # pixels around the page of a QR code, for burn-in protection to move it
BESIDE_QR = (EDGE, WIDTH - EDGE - BOX - GAP)  # left and right of the texts
QR_RESERVE = (EDGE, 28)
QR_TEXTS = (31, 42, 53)

BAR_HEIGHT = 10
LEAST_BAR = 16  # pixels; a shorter bar is not legible
FLAG = "⚑"
WARNING = "⚠"


def draw(face: Face) -> Image.Image:
    """Return the picture of a face: mode "1", `WIDTH` x `HEIGHT`, upright."""
    panel = Image.new("1", (WIDTH, HEIGHT))
    for widget in arrange(face):
        panel.paste(widget.picture, (widget.left, widget.top))
    return ImageChops.invert(panel) if face.running else panel


def arrange(face: Face) -> list[Widget]:
    """Return all widgets of a face; they never overlap, nor leave the panel."""
    if not face.lines:
        return _clock(face)
    both = bool(face.other_reserve)  # there is no room for two reserves beside a code
    if face.qr and not both and (code := qr_code(face.qr)).width:
        return _qr_page(face, code)
    return _notice(face) if len(face.lines) <= NOTICE_LINES else _page(face)


# --- the clock ------------------------------------------------------------------------------------


def _clock(face: Face) -> list[Widget]:
    """Place status and score, the reserve, an alarm if there is one, and the delay.

    A flag goes into the alarm row; if that has a warning, into the top row.
    """
    bottom = _delay(face).widgets
    if face.warnings:
        middle = [*_short_reserve(face).widgets, *_warning(face, ALARM_ROW).widgets]
        return [*_top(face, face.flag).widgets, *middle, *bottom]
    if face.flag:
        banner = widgets.plate(widgets.bold_label(face.flag, WIDTH), WIDTH, ALARM_ROW[1])
        middle = [*_short_reserve(face).widgets, Widget("flag", 0, ALARM_ROW[0], banner)]
        return [*_top(face).widgets, *middle, *bottom]
    return [*_top(face).widgets, *_tall_reserve(face).widgets, *bottom]


def _top(face: Face, flag: str = "") -> Row:
    """Place name or status, flag and score; beside a flag the first only if it fits whole."""
    row, title, kind = Row(*TOP_ROW), face.status, "status"
    if face.name:
        title, kind = _name(face, row.room - GAP - width("text", face.score)), "name"
    bold = width("text-bold", title) + GAP + width("text-bold", face.score) <= row.room
    weight: FontName = "text-bold" if bold and not flag else "text"
    row.put_right("score", label(weight, face.score, MOST_SCORE))
    row.put_left("flag", widgets.tag(flag, row.room, row.height))
    if not flag or fits(weight, title, row.room):
        row.put_left(kind, label(weight, title, row.room))
    return row


def _tall_reserve(face: Face) -> Row:
    row = Row(*TALL_RESERVE)
    sizes: tuple[FontName, ...] = ("digits-39", "digits-34", "digits-28", "digits-12")
    row.put_centre("reserve", widgets.figures(face.reserve, row.room, *sizes))
    return row


def _short_reserve(face: Face) -> Row:
    """Place the reserve, and beside it the symbol of a fallen flag if there is room."""
    row = Row(*SHORT_RESERVE)
    reserve = widgets.figures(face.reserve, row.room, "digits-28", "digits-12")
    symbol = label("digits-28", FLAG, row.room)
    if face.flag and reserve.width + GAP + symbol.width <= row.room:
        row.put_left("symbol", symbol)
    row.put_centre("reserve", reserve)
    return row


def _warning(face: Face, place: tuple[int, int]) -> Row:
    """Place the first warning, if any, and the number of the others; a symbol if it fits."""
    row = Row(*place)
    if not face.warnings:
        return row
    symbol = label("text-bold", WARNING, row.room)
    more = f"+{len(face.warnings) - 1}" if len(face.warnings) > 1 else ""
    row.put_right("more", widgets.bold_label(more, row.room))
    if fits("text", face.warnings[0], row.room - symbol.width - GAP):
        row.put_left("symbol of warning", symbol)
    row.put_left("warning", widgets.bold_label(face.warnings[0], row.room))
    return row


def _delay(face: Face) -> Row:
    """Place the other side's reserve, the word about the delay, its number if it fits, its bar.

    Without a limit the time of this turn stands there in place of the delay; beside the other
    side's reserve there is no room for a word about it.
    """
    row, showing = Row(*DELAY_ROW), bool(face.delay) or face.delay_permille > 0
    row.put_left("turn", widgets.figures(face.turn, row.room, "digits-12"))
    word = "" if face.turn and face.other_reserve else face.delay_note
    note, figure = widgets.tag(word, row.room, row.height), face.delay.rjust(2)
    other_room = max(WIDTH // 3, row.room - note.width - GAP)
    row.put_right("other_reserve", widgets.figures(face.other_reserve, other_room, "digits-12"))
    put_note = row.put_right if showing else row.put_left
    put_note("note", widgets.tag(word, row.room, row.height))
    if face.delay and fits("digits-12", figure, row.room):
        row.put_left("delay", label("digits-12", figure, row.room))
    if showing and row.room >= LEAST_BAR:
        row.put_left("bar", widgets.bar(face.delay_permille, row.room, BAR_HEIGHT))
    return row


# --- the notice -----------------------------------------------------------------------------------


def _notice(face: Face) -> list[Widget]:
    """Place name or status and score, the reserve, and the text with the keys' legends under it.

    The reserve is as high as the text allows; pixels left over are above and below the text.
    """
    above, (*texts, last) = _raised(_top(face)), _notice_texts(face)
    top = max((widget.box[3] for widget in above), default=0)
    room = HEIGHT - widgets.CAPITALS_HEIGHT - top - sum(text.height for text in (*texts, last))
    height = max(each for each in NOTICE_HEIGHTS if each <= room)
    spare = room - height
    last = last._replace(height=last.height + (spare + 1) // 2)
    return [
        *above,
        *_notice_reserve(face, top, height),
        *widgets.stacked([*texts, last, _notice_bottom(face)], top + height + spare // 2),
    ]


def _raised(row: Row) -> list[Widget]:
    """Return the widgets of the top row, without its uppermost pixels if they are dark."""
    if any(widget.picture.crop((0, 0, WIDTH, 1)).getbbox() for widget in row.widgets):
        return row.widgets
    return [each._replace(picture=_low(each.picture)) for each in row.widgets]


def _low(text: Image.Image) -> Image.Image:
    return text.crop((0, 1, *text.size))


def _notice_texts(face: Face) -> list[TextRow]:
    """Return a warning, the lines, and the fingerprint of the log if the bottom has legends."""
    lines = [
        TextRow(f"line {number}", widgets.text_line(text, WIDTH, selected=number == face.selected))
        for number, text in enumerate(face.lines)
    ]
    warning = _capitals("warning", _warning(face, (0, widgets.LINE_HEIGHT)))
    fingerprint = _capitals("fingerprint", _fingerprint(face))
    return [*warning, *lines, *(fingerprint if any(face.keys) else ())]


def _notice_bottom(face: Face) -> TextRow:
    """Return the legends of the keys, or the fingerprint of the log if there are none."""
    if not any(face.keys):
        return TextRow(
            "fingerprint", widgets.strip(_fingerprint(face).widgets), widgets.CAPITALS_HEIGHT
        )
    left, centre, right = (legend.upper() for legend in face.keys)
    legends = widgets.strip(widgets.legend_row((left, centre, right)).widgets)
    return TextRow("keys", legends, widgets.CAPITALS_HEIGHT)


def _fingerprint(face: Face) -> Row:
    row = Row(0, widgets.LINE_HEIGHT)
    row.put_centre("fingerprint", widgets.bold_label(face.fingerprint, row.room))
    return row


def _capitals(name: str, row: Row) -> list[TextRow]:
    return (
        [TextRow(name, widgets.strip(row.widgets), widgets.CAPITALS_HEIGHT)] if row.widgets else []
    )


def _notice_reserve(face: Face, top: int, height: int) -> list[Widget]:
    """Place the reserve, and beside it a flag over the other reserve."""
    if height < HALVED:
        return _low_reserve(face, top, height).widgets
    sizes = [size for size in NOTICE_FIGURES if PIXEL_SIZES[size] <= height]
    row, half = Row(top, height), height // 2
    row.put_left("reserve", widgets.figures(face.reserve, WIDTH - _beside(face), *sizes))
    left = WIDTH - row.room
    upper, lower = Row(top, half, left), Row(top + half, half, left)
    upper.put_right("flag", widgets.tag(face.flag, upper.room, widgets.LINE_HEIGHT))
    lower.put_right("other_reserve", widgets.bold_label(face.other_reserve, lower.room))
    return [*row.widgets, *upper.widgets, *lower.widgets]


def _beside(face: Face) -> int:
    flag = width("text", face.flag) + 2 * PADDING if face.flag else 0
    wanted = max(flag, width("text", face.other_reserve))
    return min(MOST_BESIDE, wanted + GAP) if wanted else 0


def _low_reserve(face: Face, top: int, height: int) -> Row:
    """Place the reserve, and beside it the other reserve and a flag or its symbol."""
    row = Row(top, height)
    row.put_left("reserve", widgets.figures(face.reserve, row.room, "digits-12"))
    row.put_right("other_reserve", widgets.bold_label(face.other_reserve, row.room))
    if face.flag:
        whole = fits("text", face.flag, row.room - 2 * PADDING)
        row.put_right(
            "flag", widgets.tag(face.flag if whole else FLAG, row.room, widgets.LINE_HEIGHT)
        )
    return row


# --- the page -------------------------------------------------------------------------------------


def _page(face: Face) -> list[Widget]:
    """Place a small reserve, the lines, the log's fingerprint if there is room, and the legends."""
    header, lines = _header(face), face.lines
    if not any(widget.name == "status" for widget in header.widgets):
        lines = _with_title(face.status, lines)
    shown = widgets.text_lines(lines, face.selected, FIRST_LINE)
    return [*header.widgets, *shown, *_page_fingerprint(face), *widgets.key_legends(face.keys)]


def _with_title(title: str, lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return lines under a title that has no room in the header, in place of an empty line."""
    return (title, *lines[:-1]) if title and not lines[-1] else lines


def _page_fingerprint(face: Face) -> list[Widget]:
    """Place the fingerprint of the log at the bottom, or over the legends if there is room."""
    if any(face.keys) and len(face.lines) > LINES_OVER_FINGERPRINT:
        return []
    row = Row(*(FINGERPRINT_ROW if any(face.keys) else widgets.KEYS_ROW))
    row.put_centre("fingerprint", widgets.bold_label(face.fingerprint, row.room))
    return row.widgets


def _header(face: Face) -> Row:
    """Place reserves, symbols of a flag and a warning, and the status, on the left if alone.

    The name of a player takes the place of their reserve, which the lines of such a page name.
    If there is no room, a symbol is left out; a status is if both reserves are shown, or if it can
    stand in place of an empty line.
    """
    row, lone = Row(*HEADER_ROW), bool(face.other_reserve)
    named = bool(face.name) and not lone
    reserve = "" if named else face.reserve
    symbols = [FLAG] * bool(face.flag) + [WARNING] * bool(face.warnings)
    if not (named or reserve or lone or symbols):
        row.put_left("status", widgets.bold_label(face.status, row.room))
        return row
    times, marks = (_widths(texts) for texts in ((reserve, face.other_reserve), symbols))
    beside_all = fits("text", face.status, row.room - times - marks)
    kept = marks * beside_all
    room = row.room - times - kept
    if fits("text", face.status, room) or not (lone or face.lines[-1] == ""):
        row.put_right("status", widgets.bold_label(face.status, room))
    row.put_left(
        "reserve", widgets.bold_label(reserve, row.room - kept - _widths([face.other_reserve]))
    )
    row.put_left("other_reserve", label("text", face.other_reserve, row.room))
    for symbol in symbols:
        if fits("text-bold", symbol, row.room):
            row.put_left(f"symbol {symbol}", label("text-bold", symbol, row.room))
    name = _name(face, row.room) if named else ""
    row.put_left("name", widgets.bold_label(name, row.room))
    return row


def _name(face: Face, room: int) -> str:
    """Return the name in the longest form that fits."""
    return short_name("text", face.name, room, face.short_names)


def _widths(texts: Sequence[str]) -> int:
    """Return the pixels that texts take at the left end of a row, gaps included."""
    return sum(width("text", text) + GAP for text in texts if text)


# --- the page of a QR code ------------------------------------------------------------------------


def _qr_page(face: Face, code: Image.Image) -> list[Widget]:
    """Place the code on the right, and on the left the reserve, the name and the result."""
    code_at = Widget("qr", WIDTH - EDGE - BOX, EDGE, code)
    reserve = Row(*QR_RESERVE, *BESIDE_QR)
    sizes: tuple[FontName, ...] = ("digits-28-narrow", "digits-28-thin", "digits-12")
    reserve.put_left("reserve", widgets.figures(face.reserve, reserve.room, *sizes))
    name, *results = (Row(top, widgets.LINE_HEIGHT, *BESIDE_QR) for top in QR_TEXTS)
    for number, (row, text) in enumerate(zip(results, face.result, strict=False)):
        row.put_left(f"result {number}", widgets.bold_label(text, row.room))
    for symbol in (FLAG if face.flag else "", WARNING if face.warnings else ""):
        picture = label("text-bold", symbol, BOX)
        free = next((row for row in (reserve, *results) if row.room >= picture.width), name)
        free.put_right(f"symbol {symbol}", picture)
    name.put_left("name", widgets.bold_label(_name(face, name.room), name.room))
    rows = (reserve, name, *results)
    return [code_at, *(widget for row in rows for widget in row.widgets)]
