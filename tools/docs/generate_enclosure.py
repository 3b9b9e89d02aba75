"""Write the drawing of an enclosure, at full size in millimetres, and the files of its plates.

All dimensions follow from `Box`: change a number there for other panels, buttons or sheets, and
run `make docs`. The group "cut" of the drawing is for a laser cutter, the rest for people.
"""

from collections.abc import Iterable, Iterator
from math import atan2, degrees, hypot
from typing import NamedTuple

from tests.support.paths import ROOT

DRAWING = ROOT / "docs" / "enclosure.svg"
WIDTH, HEIGHT = 420, 297  # mm, a sheet of A3
CUT, GREY, BLUE = "#e03131", "#495057", "#1971c2"
TEXT = 4.2  # mm
PI_EDGE = 3.5  # mm from the middle of a Raspberry Pi's hole to the edge of its board

Point = tuple[float, float]
Hole = tuple[float, float, float]  # x, y, diameter


class Box(NamedTuple):
    """An enclosure of six plates; in mm."""

    sheet: float = 3.0
    """The thickness of the plates."""
    width: float = 190.0
    depth: float = 80.0
    height: float = 75.0
    top_depth: float = 45.0
    """The front slopes from the front edge of the top down to the lip."""
    lip: float = 3.0
    """The height of the front's lower edge over the table: it rests on the bottom."""
    window: tuple[float, float] = (57.0, 29.5)
    """For an active area of 55.01 x 27.49 mm (2.42 inch) and a millimetre around it."""
    module: tuple[float, float] = (61.5, 39.5)
    """The board behind a window; other makers' boards are a little larger or smaller."""
    window_at: float = 46.0
    """The middle of each window, from the middle of the front."""
    plunger: float = 30.0
    """The diameter of the plungers' holes: arcade buttons of 30 mm."""
    plunger_at: float = 70.0
    """The middle of each plunger, from the middle of the top."""
    centre: float = 24.0
    """The diameter of the centre button's hole."""
    lamp: float = 5.2
    """The diameter of the holes for LEDs of 5 mm, beside the windows; here and below 0 is none."""
    pi_along: float = 58.0
    """Between a Raspberry Pi's holes along the box, on every model; 3.5 mm to the board's edges."""
    pi_across: tuple[float, ...] = (0.0, 23.0, 49.0)
    """Its holes across: at the header's pins, then those of a Zero, then those of a 3, 4, 5."""
    pi_at: tuple[float, float] = (1.0, 4.0)
    """From the left side and the back to the board, whose slot for the card is at the left."""
    slot: tuple[float, float, float, float] = (14.0, 5.0, 27.0, 7.0)
    """For the card of each model, in the left side: from the back, from below, width, height."""
    notch: tuple[float, float] = (20.0, 10.0)
    """For a finger, over the middle of the slot: width, height."""
    screw: float = 2.75
    """The diameter of holes for M2.5."""
    cable: float = 14.0
    """The diameter of the hole for the supply, in the back: a moulded USB-C plug goes through."""
    tie: float = 4.0
    """The diameter of two holes over it, for a cable tie that holds the cable."""
    switch: float = 12.0
    """The diameter of the hole for a round rocker switch."""
    serial: float = 0.0
    """The diameter of a hole for a serial cable, on the other side of the supply; 12 for USB."""
    buzzer: float = 2.0
    """The diameter of five holes in front of a buzzer."""
    air: float = 5.0
    """The diameter of six holes for air, under the top; a Pi 5 wants them."""

    @property
    def front_height(self) -> float:
        """The height of the sloping plate."""
        return hypot(self.depth - self.top_depth, self.height - self.sheet - self.lip)

    @property
    def slope(self) -> float:
        """How far the front leans back from upright, in degrees."""
        return degrees(atan2(self.depth - self.top_depth, self.height - self.sheet - self.lip))


class Plate(NamedTuple):
    """A plate with its cut-outs; places from its lower left corner, in mm."""

    name: str
    outline: tuple[tuple[float, float], ...]
    windows: tuple[tuple[float, float, float, float], ...] = ()  # left, bottom, width, height
    holes: tuple[tuple[float, float, float], ...] = ()  # x, y, diameter
    cut_out: tuple[tuple[float, float], ...] = ()  # a polygon

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return max(x for x, _ in self.outline), max(y for _, y in self.outline)


def plates(box: Box) -> list[Plate]:
    """Return the plates: the top lies on the sides, all others stand between them."""
    inner, middle = box.width - 2 * box.sheet, box.width / 2
    top_middle = box.top_depth / 2
    plungers = (middle - box.plunger_at, middle + box.plunger_at)
    side = (
        (0.0, 0.0), (box.depth, 0.0), (box.depth, box.lip),
        (box.top_depth, box.height - box.sheet), (0.0, box.height - box.sheet),
    )  # fmt: skip
    return [
        Plate(
            "front, sloping",
            _rectangle(inner, box.front_height),
            _windows(box, inner),
            _drilled((inner / 2 + at, box.front_height / 2, box.lamp) for at in (-83.0, 83.0)),
        ),
        Plate(
            "top",
            _rectangle(box.width, box.top_depth),
            holes=(
                *((x, top_middle, box.plunger) for x in plungers),
                (middle, top_middle, box.centre),
            ),
        ),
        Plate(
            "back",
            _rectangle(inner, box.height - box.sheet),
            holes=_drilled(_back(box, inner / 2)),
        ),
        Plate("bottom", _rectangle(inner, box.depth - box.sheet), holes=tuple(_pi(box))),
        Plate("left side", side, cut_out=_slot(box)),
        Plate("right side", side),
    ]


def _rectangle(width: float, height: float) -> tuple[tuple[float, float], ...]:
    return (0.0, 0.0), (width, 0.0), (width, height), (0.0, height)


def _windows(box: Box, inner: float) -> tuple[tuple[float, float, float, float], ...]:
    width, height = box.window
    bottom = (box.front_height - height) / 2
    lefts = (inner / 2 + side * box.window_at - width / 2 for side in (-1, 1))
    return tuple((left, bottom, width, height) for left in lefts)


def _drilled(holes: Iterable[Hole]) -> tuple[Hole, ...]:
    """Return the holes that the box has."""
    return tuple(hole for hole in holes if hole[2])


def _back(box: Box, middle: float) -> Iterator[Hole]:
    """Yield the holes of the back, from below."""
    yield middle, 15.0, box.cable
    yield middle + 35, 15.0, box.switch
    yield middle - 35, 15.0, box.serial
    for x in (-4.0, 4.0):
        yield middle + x, 36.0, box.tie
    for x, y in ((0, 0), (-5, 0), (5, 0), (0, -5), (0, 5)):
        yield middle + 65 + x, 40.0 + y, box.buzzer
    for number in range(6):
        yield middle - 37.5 + 15 * number, 60.0, box.air


def _pi(box: Box) -> Iterator[Hole]:
    """Yield the six holes that serve every model; the board's slot for the card is at the left."""
    left, back = (at + PI_EDGE for at in box.pi_at)
    for y in box.pi_across:
        for x in (left, left + box.pi_along):
            yield x, back + y, box.screw


def _slot(box: Box) -> tuple[Point, ...]:
    """Return the slot for the card, with the notch over its middle."""
    left, bottom, width, height = box.slot
    wide, high = box.notch
    in_left, in_right = left + (width - wide) / 2, left + (width + wide) / 2
    right, top = left + width, bottom + height
    return (
        (left, bottom), (right, bottom), (right, top), (in_right, top), (in_right, top + high),
        (in_left, top + high), (in_left, top), (left, top),
    )  # fmt: skip


# --- drawing --------------------------------------------------------------------------------------


class Placed(NamedTuple):
    """A plate on the sheet: where its lower left corner is, with y down."""

    plate: Plate
    left: float
    bottom: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return a place of the plate on the sheet."""
        return self.left + x, self.bottom - y


def placed(box: Box) -> list[Placed]:
    """Return all plates, with room for their dimensions."""
    front, top, back, bottom, left, right = plates(box)
    return [
        Placed(front, 20, 100),
        Placed(top, 20, 172),
        Placed(back, 225, 100),
        Placed(bottom, 225, 208),
        Placed(left, 20, 270),
        Placed(right, 122, 270),
    ]


def drawing(box: Box) -> str:
    """Return the drawing as SVG."""
    everything = placed(box)
    cut = "".join(_cut(each) for each in everything)
    dimensions = "".join(_dimensions(each) for each in everything)
    dimensions += _modules(box, everything[0]) + _notes(box)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}mm" height="{HEIGHT}mm"'
        f' viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="{TEXT}">\n'
        "<title>Enclosure of the clock: six plates at full size, and where it stands</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n'
        f'<g id="cut" fill="none" stroke="{CUT}" stroke-width=".3">\n{cut}</g>\n'
        f'<g id="dimensions" stroke-width=".2" stroke="{GREY}" fill="none">\n{dimensions}</g>\n'
        f'<g id="place">\n{_place(box)}</g>\n</svg>\n'
    )


def _cut(each: Placed) -> str:
    """Return the lines that a laser cuts."""
    points = " ".join(f"{x:g},{y:g}" for x, y in (each.at(*point) for point in each.plate.outline))
    lines = f'<polygon points="{points}"/>\n'
    for x, y, width, height in each.plate.windows:
        left, top = each.at(x, y + height)
        lines += f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"/>\n'
    if each.plate.cut_out:
        points = " ".join(f"{x:g},{y:g}" for x, y in (each.at(*at) for at in each.plate.cut_out))
        lines += f'<polygon points="{points}"/>\n'
    for x, y, diameter in each.plate.holes:
        left, top = each.at(x, y)
        lines += f'<circle cx="{left:g}" cy="{top:g}" r="{diameter / 2:g}"/>\n'
    return lines


def _dimensions(each: Placed) -> str:
    """Return the plate's name, its size, and the sizes and places of its cut-outs."""
    width, height = each.plate.size
    left, bottom = each.left, each.bottom
    marks = _text(left + width / 2, bottom - height - 3, each.plate.name, BLUE)
    marks += _across(left, left + width, bottom + 5, width) + _up(left - 5, bottom, height)
    for x, y, wide, high in each.plate.windows:
        where = each.at(x + wide / 2, y + high / 2)
        marks += _text(where[0], where[1] + 1.5, f"{wide:g} x {high:g}")
        marks += _text(where[0], where[1] + 7, f"from left {x:.1f}, from below {y:.1f}", size=3.2)
    if each.plate.cut_out:
        (x, y), (right, top), *_ = each.plate.cut_out
        where = each.at((x + right) / 2, y)
        marks += _text(where[0], where[1] - 2, "card", size=3.2)
    for x, y, diameter in _marked(each.plate.holes):
        where = each.at(x, y)
        marks += _text(where[0], where[1] + diameter / 2 + 4.4, f"d {diameter:g}", size=3.2)
        marks += _text(where[0], where[1] - diameter / 2 - 1, f"{x:.4g} | {y:.4g}", size=3.2)
    if len(each.plate.outline) > 4:
        (_, _), (_, _), (_, lip), (top, _), _ = each.plate.outline
        marks += _text(left + width + 3, bottom - lip / 2 + 1, f"{lip:g}")
        marks += _text(left + top / 2, bottom - height + 6, f"{top:g}")
    return marks


def _marked(holes: tuple[Hole, ...]) -> Iterator[Hole]:
    """Yield the first hole of each diameter, and all large ones: the rest is told from them."""
    seen = set[float]()
    for hole in holes:
        if hole[2] > 10 or hole[2] not in seen:  # mm
            yield hole
        seen.add(hole[2])


def _modules(box: Box, front: Placed) -> str:
    """Return the boards behind the windows."""
    boards = ""
    width, height = box.module
    for x, y, wide, high in front.plate.windows:
        left, top = front.at(x + (wide - width) / 2, y + (high + height) / 2)
        boards += f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}"'
        boards += ' stroke-dasharray="1.5 1"/>\n'
    return boards


def _notes(box: Box) -> str:
    notes = (
        "mm, at full size; red is cut",
        f"holes: d diameter, x | y of the middle from the lower left; sheets of {box.sheet:g} mm",
        "dashed: the board of the panel, behind its window",
        f"the front leans back by {box.slope:.0f} degrees",
    )
    return "".join(_text(115, 281 + 4.6 * line, note, size=3.4) for line, note in enumerate(notes))


def _across(left: float, right: float, y: float, value: float) -> str:
    line = f'<path d="M{left:g} {y:g}H{right:g}M{left:g} {y - 2:g}v4M{right:g} {y - 2:g}v4"/>\n'
    return line + _text((left + right) / 2, y - 1, f"{value:.1f}")


def _up(x: float, bottom: float, value: float) -> str:
    top = bottom - value
    line = f'<path d="M{x:g} {bottom:g}V{top:g}M{x - 2:g} {bottom:g}h4M{x - 2:g} {top:g}h4"/>\n'
    middle = (bottom + top) / 2
    turned = f' transform="rotate(-90 {x - 1:g} {middle:g})"'
    return line + _text(x - 1, middle, f"{value:.1f}", turned=turned)


def _text(
    x: float, y: float, text: str, colour: str = GREY, size: float = TEXT, turned: str = ""
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" fill="{colour}" stroke="none"'
        f' font-size="{size:g}"{turned}>{text}</text>\n'
    )


def _place(box: Box) -> str:
    """Return where the clock stands, from above, at a tenth of its size; and its text."""
    left, top = 300.0, 232.0
    board = f'<rect x="{left:g}" y="{top:g}" width="52" height="44" fill="#e9ecef" stroke="{GREY}"'
    clock_left = left + 26 - box.width / 20
    return (
        board
        + ' stroke-width=".3"/>\n'
        + _text(left + 26, top + 24, "board", size=3.2)
        + f'<rect x="{clock_left:g}" y="{top - 12:g}" width="{box.width / 10:g}"'
        f' height="{box.depth / 10:g}" fill="#ffd8a8" stroke="{GREY}" stroke-width=".3"/>\n'
        + _text(left + 26, top - 14, "clock, its front towards the board", BLUE, 3.2)
        + _sight(left - 22, top + 22, clock_left + 4, top - 4, "left player")
        + _sight(left + 74, top + 22, clock_left + box.width / 10 - 4, top - 4, "right player")
        + _sight(left + 26, top + 57, left + 26, top - 4, "director", aside=12, below=1.5)
    )


def _sight(
    x: float, y: float, to_x: float, to_y: float, who: str, aside: float = 0, below: float = 7.5
) -> str:
    line = f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{BLUE}" stroke-width=".3"'
    return (
        line
        + ' stroke-dasharray="2 1.5"/>\n'
        + f'<circle cx="{x:g}" cy="{y:g}" r="2.5" fill="{BLUE}"/>\n'
        + _text(x + aside, y + below, who, BLUE, 3.6)
    )


if __name__ == "__main__":
    from tools.docs.enclosure_files import write_files

    DRAWING.write_text(drawing(Box()), encoding="utf-8")
    print(f"wrote {DRAWING.name}, {', '.join(write_files(Box()))}")
