"""The plates of an enclosure, and their drawing at full size in millimetres.

All dimensions follow from `Box`: change a number there for other panels, buttons or sheets, and
run `make docs`. The group "cut" of the drawing is for a laser cutter, the rest for people.
"""

from collections.abc import Iterator
from math import atan2, degrees, hypot
from typing import NamedTuple

from lab.support.paths import ROOT

DRAWING = ROOT / "docs" / "enclosure.svg"
WIDTH, HEIGHT = 420, 297  # mm, a sheet of A3
CUT, GREY, BLUE = "#e03131", "#495057", "#1971c2"
TEXT, SMALL = 5.2, 4.4  # mm; on a page of half the width, both can still be read
# Where the label of a hole stands that would lie over something: plate, diameter, right and up.
MOVED = {
    ("front, sloping", 5.2): (8.5, 25.5),
    ("back", 4.0): (23.0, -1.0),
    ("back", 2.0): (-19.0, 1.0),
    ("bottom", 2.75): (16.0, 1.0),
}
PI_EDGE = 3.5  # mm from the middle of a Raspberry Pi's hole to the edge of its board

Point = tuple[float, float]
Hole = tuple[float, float, float]  # x, y, diameter


class Drilled(NamedTuple):
    """The holes in the back for one part; in mm."""

    part: str
    diameter: float
    places: tuple[Point, ...]
    """Of their middles: from the middle of the back, and from below."""


BACK = (
    Drilled("supply", 14.0, ((0, 15),)),  # a moulded USB-C plug goes through
    Drilled("latching push-button", 12.0, ((35, 15),)),
    Drilled("cable tie that holds the supply's cable", 4.0, ((-4, 36), (4, 36))),
    Drilled("buzzer", 2.0, ((65, 40), (60, 40), (70, 40), (65, 35), (65, 45))),
    Drilled("air, for a Pi 5", 5.0, tuple((15 * number - 37.5, 60) for number in range(6))),
)


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
    """The diameter of the holes for LEDs of 5 mm, beside the windows; 0 is none."""
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
    back: tuple[Drilled, ...] = BACK

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
    outline: tuple[Point, ...]
    windows: tuple[tuple[float, float, float, float], ...] = ()  # left, bottom, width, height
    holes: tuple[Hole, ...] = ()
    cut_out: tuple[Point, ...] = ()  # a polygon

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
            _lamps(box, inner),
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
            holes=tuple(
                (inner / 2 + x, y, each.diameter) for each in box.back for x, y in each.places
            ),
        ),
        Plate("bottom", _rectangle(inner, box.depth - box.sheet), holes=tuple(_pi(box))),
        Plate("left side", side, cut_out=_slot(box)),
        Plate("right side", side),
    ]


def _rectangle(width: float, height: float) -> tuple[Point, ...]:
    return (0.0, 0.0), (width, 0.0), (width, height), (0.0, height)


def _windows(box: Box, inner: float) -> tuple[tuple[float, float, float, float], ...]:
    width, height = box.window
    bottom = (box.front_height - height) / 2
    lefts = (inner / 2 + side * box.window_at - width / 2 for side in (-1, 1))
    return tuple((left, bottom, width, height) for left in lefts)


def _lamps(box: Box, inner: float) -> tuple[Hole, ...]:
    places = (inner / 2 - 83, inner / 2 + 83) if box.lamp else ()
    return tuple((x, box.front_height / 2, box.lamp) for x in places)


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
        marks += _text(where[0], where[1] + 7, f"at {x:.1f} | {y:.1f}", size=SMALL)
    if each.plate.cut_out:
        (x, y), (right, top), *_ = each.plate.cut_out
        where = each.at((x + right) / 2, y)
        marks += _text(where[0], where[1] - 2, "card", size=SMALL)
    if each.plate.name == "bottom":
        marks += _text(left + width * 0.75, bottom - 3, "at the back", size=SMALL)
    for x, y, diameter in _marked(each.plate):
        label = f"d {diameter:g}", f"at {x:.3g} | {y:.3g}"
        if moved := MOVED.get((each.plate.name, diameter)):
            at, below = each.at(x + moved[0], y + moved[1]), 4.8
        else:
            at, below = each.at(x, y + diameter / 2 + 1), diameter + 6.2
        marks += _text(*at, label[1], size=SMALL) + _text(
            at[0], at[1] + below, label[0], size=SMALL
        )
    if len(each.plate.outline) > 4:
        (_, _), (_, _), (_, lip), (top, _), _ = each.plate.outline
        marks += _text(left + width + 3, bottom - lip / 2 + 1, f"{lip:g}")
        marks += _text(left + top / 2, bottom - height + 6, f"{top:g}")
    return marks


def _marked(plate: Plate) -> Iterator[Hole]:
    """Yield what is not told from others: large holes, the bottom's, the first of each diameter."""
    seen = set[float]()
    for hole in plate.holes:
        if hole[2] > 10 or hole[2] not in seen or plate.name == "bottom":  # mm
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
        f"d: diameter; at: a hole's middle, from the left | from below; sheets of {box.sheet:g} mm",
        f"dashed: a panel's board behind its window; the front leans back by {box.slope:.0f}°",
    )
    return "".join(
        _text(115, 281 + 5.6 * line, note, size=SMALL) for line, note in enumerate(notes)
    )


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
        + _text(left + 26, top + 24, "board", size=SMALL)
        + f'<rect x="{clock_left:g}" y="{top - 12:g}" width="{box.width / 10:g}"'
        f' height="{box.depth / 10:g}" fill="#ffd8a8" stroke="{GREY}" stroke-width=".3"/>\n'
        + _text(left + 26, top - 14, "clock, its front towards the board", BLUE, SMALL)
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
        + _text(x + aside, y + below, who, BLUE, SMALL)
    )
