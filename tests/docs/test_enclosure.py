"""The enclosure: its plates fit each other and what they hold, model, drawing and files agree."""

import re
import struct
from collections import Counter
from itertools import combinations, pairwise
from math import dist, hypot
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.docs.generate_enclosure import FOLDER, IN_MILLIMETRES, MODEL, PLATES, export
from lab.support.needs import needs
from lab.support.paths import ROOT
from lab.support.rows import row

Point = tuple[float, float]
Limits = tuple[float, float, float, float]  # left, bottom, right, top
DRAWING = (ROOT / "docs" / "enclosure.svg").read_text("utf-8")
SHEET = 420, 297  # mm, of the drawing: A3
NUMBERS = {
    name: float(value)
    for name, value in re.findall(r"^(\w+) = ([\d.]+);", MODEL.read_text("utf-8"), re.MULTILINE)
}
OTHER = {"sheet": 4.0, "width": 210.0, "depth": 86.0, "height": 90.0, "window_at": 50.0}
NEAR = 0.02  # mm, between two exports
ROUND = 32  # corners of a hole


class Plate(NamedTuple):
    """A plate as OpenSCAD exports it; places from its lower left corner, in mm."""

    outline: list[Point]
    cut_outs: list[list[Point]]

    @property
    def size(self) -> Point:
        return limits(self.outline)[2:]

    def holes(self, diameter: float) -> list[Point]:
        """Return the middles of the round holes of a diameter."""
        boxes = [limits(each) for each in self.cut_outs if len(each) == ROUND]
        return [
            ((left + right) / 2, (bottom + top) / 2)
            for left, bottom, right, top in boxes
            if right - left == pytest.approx(diameter, abs=NEAR)
        ]


def limits(corners: list[Point]) -> Limits:
    """The rectangle around a polygon."""
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def closed_lines(svg: Path) -> list[list[Point]]:
    """The polygons that OpenSCAD has exported, with y up."""
    path = svg.read_text("utf-8").partition('<path d="')[2].partition('"')[0]
    number = r"(-?[\d.]+(?:e-?\d+)?)"
    return [
        [(float(x), -float(y)) for x, y in re.findall(f"{number},{number}", line)]
        for line in path.split("z")[:-1]
    ]


def plates_of(svg: Path) -> dict[str, Plate]:
    """The plates by their names: two rows and the sides, each with what is cut out of it."""
    lines = [(limits(each), each) for each in closed_lines(svg)]
    outlines = [(at, line) for at, line in lines if not any(_inside(at, b) for b, _ in lines)]
    outlines.sort(key=lambda each: (-round(each[0][1]), each[0][0]))
    named = zip(
        ("front", "back", "top", "bottom", "left-side", "right-side"), outlines, strict=True
    )
    return {
        name: Plate(*_moved(at, [outline], [b for a, b in lines if _inside(a, at)]))
        for name, (at, outline) in named
    }


def _inside(one: Limits, other: Limits) -> bool:
    left, bottom, right, top = one
    return other[0] < left and other[1] < bottom and right < other[2] and top < other[3]


def _moved(
    at: Limits, outline: list[list[Point]], cut_outs: list[list[Point]]
) -> tuple[list[Point], list[list[Point]]]:
    there = [[(x - at[0], y - at[1]) for x, y in line] for line in (*outline, *cut_outs)]
    return there[0], there[1:]


HERE = plates_of(FOLDER / "plates.svg")


# --- the plates -------------------------------------------------------------------------------

EDGE, BETWEEN = 3.0, 1.5  # mm that stay to the plate's edge, and between two cut-outs
MODULE = 61.5, 39.5  # mm; the board behind a window, wide and high


def check_box(plates: dict[str, Plate], numbers: dict[str, float]) -> None:
    """The plates make a box of the size asked for; each cut-out leaves an edge, none touch."""
    sheet, width, height, depth = (numbers[n] for n in ("sheet", "width", "height", "depth"))
    front, back, top, bottom, left, right = plates.values()
    assert left.outline == right.outline
    assert top.size == pytest.approx((width, numbers["top_depth"]))
    for plate in (front, back, bottom):
        assert plate.size[0] == pytest.approx(width - 2 * sheet)
    assert (back.size[1], left.size[1]) == pytest.approx((height - sheet, height - sheet))
    assert (bottom.size[1] + sheet, left.size[0]) == pytest.approx((depth, depth))
    slope = depth - numbers["top_depth"], height - sheet - numbers["lip"]
    assert front.size[1] == pytest.approx(hypot(*slope), abs=NEAR)
    for name, plate in plates.items():
        with row(name):
            boxes, (wide, high) = [limits(each) for each in plate.cut_outs], plate.size
            for x, y, to_x, to_y in boxes:
                assert min(x, y, wide - to_x, high - to_y) >= EDGE
            for one, other in combinations(boxes, 2):
                aside = max(other[0] - one[2], one[0] - other[2])
                assert max(aside, other[1] - one[3], one[1] - other[3]) >= BETWEEN
    windows = [limits(each) for each in front.cut_outs if len(each) == 4]
    middles = sorted((x + to_x) / 2 for x, _, to_x, _ in windows)
    assert middles[1] - middles[0] > MODULE[0]
    assert middles[0] > MODULE[0] / 2 + EDGE
    assert front.size[1] > MODULE[1] + 2 * EDGE


@pytest.mark.rule("R151")
def test_the_plates_make_a_box() -> None:
    check_box(HERE, NUMBERS)
    assert {len(HERE["top"].holes(30)), len(HERE["front"].holes(5.2))} == {2}
    assert (len(HERE["top"].holes(24)), len(HERE["back"].holes(12))) == (1, 1)


@pytest.mark.slow  # a bare Debian, where quick tests run, has no such program
@pytest.mark.rule("R151")
def test_a_box_of_other_numbers_is_a_box(tmp_path: Path) -> None:
    """As a maker changes them in OpenSCAD; the exports are of the model as it is."""
    needs("openscad")
    other, anew = tmp_path / "other.svg", tmp_path / "plates.svg"
    export("plates", other, *(f"{name}={value:g}" for name, value in OTHER.items()))
    check_box(plates_of(other), NUMBERS | OTHER)
    export("plates", anew)
    for one, kept in zip(closed_lines(anew), closed_lines(FOLDER / "plates.svg"), strict=True):
        assert limits(one) == pytest.approx(limits(kept), abs=NEAR)


# Board: along, across; its holes across; the middle of its card from the edge with the header's
# pins, and its heights over the bottom's upper face, on posts of 5 mm (mechanical drawings).
PIS = {
    "Zero 2 W": (65.0, 30.0, 23.0, 13.1, (6.4, 8.4)),
    "3, 4, 5": (85.0, 56.0, 49.0, 28.0, (3.0, 5.0)),
}
CARD = 11.0  # mm wide
AT = 1.0, 4.0  # mm, from the left side and the back to the board


@pytest.mark.rule("R151")
@pytest.mark.parametrize("model", PIS)
def test_the_card_of_each_model_can_be_drawn_out(model: str) -> None:
    """The board lies between the plates, on holes that are there; its card is in the slot."""
    along, across, holes, card, (low, high) = PIS[model]
    bottom, sheet = HERE["bottom"], NUMBERS["sheet"]
    assert AT[0] + along <= bottom.size[0]
    assert AT[1] + across <= bottom.size[1] - 10  # the front slopes over it
    drilled = {
        (round(x - AT[0], 1), round(y - AT[1], 1)) for x, y in bottom.holes(NUMBERS["screw"])
    }
    assert drilled >= {(3.5 + x, 3.5 + y) for x in (0.0, 58.0) for y in (0.0, holes)}
    [slot] = HERE["left-side"].cut_outs
    heights = sorted({y for _, y in slot})  # of the slot, its upper edge, the notch's
    sides, notch = ([x for x, y in slot if y == at] for at in (heights[0], heights[2]))
    middle = sheet + AT[1] + card  # from the back's outer face
    assert min(sides) + 0.5 <= middle - CARD / 2
    assert middle + CARD / 2 <= max(sides) - 0.5
    assert heights[0] <= sheet + low < sheet + high <= heights[1]
    reached = min(middle + CARD / 2, max(notch)) - max(middle - CARD / 2, min(notch))
    assert reached >= CARD / 2 - 1


# --- the drawing ------------------------------------------------------------------------------

WIDE, HIGH, CLEAR = 0.45, 0.7, 0.2  # of a letter, by its size; mm


def texts() -> list[tuple[str, Limits]]:
    """Every text of the drawing that lies flat, and about the room that it takes."""
    found = []
    written = r'<text x="([\d.]+)" y="([\d.]+)"[^>]* font-size="([\d.]+)">([^<]+)<'
    for x, y, size, text in re.findall(written, DRAWING):
        half, middle, low = len(text) * WIDE * float(size) / 2, float(x), float(y)
        found.append((text, (middle - half, low - HIGH * float(size), middle + half, low)))
    return found


def is_clear(one: Limits, other: Limits) -> bool:
    """Whether two rectangles do not touch."""
    aside = max(other[0] - one[2], one[0] - other[2])
    return max(aside, other[1] - one[3], one[1] - other[3]) >= CLEAR


def cut() -> list[Limits]:
    """The rectangles around all lines that the drawing shows as cut, with y down."""
    group = DRAWING.partition('<g id="cut"')[2].partition("</g>")[0]
    points = [
        [(float(x), float(y)) for x, y in (at.split(",") for at in each.split())]
        for each in re.findall(r'polygon points="([^"]+)"', group)
    ]
    found = [limits(each) for each in points]
    value = r'="([\d.]+)"'
    for x, y, r in re.findall(f"cx{value} cy{value} r{value}", group):
        found.append(
            (float(x) - float(r), float(y) - float(r), float(x) + float(r), float(y) + float(r))
        )
    for x, y, w, h in re.findall(f"x{value} y{value} width{value} height{value}", group):
        found.append((float(x), float(y), float(x) + float(w), float(y) + float(h)))
    return found


@pytest.mark.rule("R151")
def test_each_label_can_be_read() -> None:
    """It is on the sheet, and lies neither over another one nor over a hole."""
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', DRAWING)
    holes = [(x - r, y - r, x + r, y + r) for x, y, r in (map(float, each) for each in circles)]
    labels = texts()
    assert len(labels) > 30
    for text, room in labels:
        with row(text):
            assert all(is_clear(room, hole) for hole in holes)
            assert 0 < room[0] < room[2] < SHEET[0]
    for (text, one), (_, other) in combinations(labels, 2):
        with row(text):
            assert is_clear(one, other)


@pytest.mark.rule("R151")
def test_the_drawing_shows_the_plates_of_the_model() -> None:
    lines = (limits(each) for each in closed_lines(FOLDER / "plates.svg"))
    found = sorted((x, SHEET[1] - to_y, to_x, SHEET[1] - y) for x, y, to_x, to_y in lines)
    drawn = sorted(cut())
    assert len(found) == len(drawn)
    for each in found:
        near = min(drawn, key=lambda other: dist(each, other))
        assert each == pytest.approx(near, abs=NEAR)


# --- files --------------------------------------------------------------------------------------


@pytest.mark.rule("R151")
def test_the_dxf_has_the_lines_of_the_svg_in_millimetres() -> None:
    text = (FOLDER / "plates.dxf").read_text("utf-8")
    assert text.startswith(IN_MILLIMETRES)
    code = r" 1{0}\n([-\d.e]+)\n 2{0}\n([-\d.e]+)\n"
    ends = re.findall(code.format(0) + code.format(1), text)
    cut_length = sum(dist(point[:2], point[2:]) for point in (list(map(float, e)) for e in ends))
    lines = closed_lines(FOLDER / "plates.svg")
    length = sum(dist(*each) for line in lines for each in pairwise([*line, line[0]]))
    assert cut_length == pytest.approx(length, abs=0.1)


def area(corners: list[Point]) -> float:
    around = [*corners, corners[0]]
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairwise(around))) / 2


@pytest.mark.rule("R151")
@pytest.mark.parametrize("name", PLATES)
def test_a_solid_is_closed_and_as_thick_as_its_sheet(name: str) -> None:
    """Each edge belongs to two triangles that run along it in opposite directions."""
    content = (FOLDER / f"{name}.stl").read_bytes()
    [count] = struct.unpack_from("<I", content, 80)
    facets = [struct.unpack_from("<3x3x3x3x9fxx", content, 84 + 50 * at) for at in range(count)]
    triangles = [(each[:3], each[3:6], each[6:]) for each in facets]
    edges = Counter(
        (one, other) for a, b, c in triangles for one, other in ((a, b), (b, c), (c, a))
    )
    assert all(edges[other, one] == number == 1 for (one, other), number in edges.items())
    sixths = sum(
        a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
        for a, b, c in triangles
    )
    plate = HERE[name]
    flat = area(plate.outline) - sum(map(area, plate.cut_outs))
    assert sixths / 6 == pytest.approx(flat * NUMBERS["sheet"], rel=1e-4)
