"""The enclosure: up to date, its plates fit each other and what they hold, its files are sound."""

import re
import struct
from collections import Counter
from itertools import combinations, pairwise
from math import dist, hypot, pi, sin

import pytest
from ezdxf import units
from ezdxf.entities.lwpolyline import LWPolyline
from ezdxf.filemanagement import readfile

from lab.docs.enclosure import (
    BACK,
    DRAWING,
    PI_EDGE,
    Box,
    Drilled,
    Plate,
    Point,
    drawing,
    plates,
)
from lab.docs.enclosure import WIDTH as SHEET
from lab.docs.enclosure_files import (
    ASSEMBLY,
    CUT,
    FOLDER,
    ROUND,
    assembly,
    dxf,
    name_of,
    outlines,
    stl,
)
from lab.support.rows import row

Limits = tuple[float, float, float, float]  # left, bottom, right, top
SERIAL = Drilled("serial cable", 12.0, ((-35, 15),))
BOXES = [Box(), Box(sheet=4, width=210, module=(72, 43), window_at=50)]


def test_the_drawing_is_up_to_date() -> None:
    """The file is what `make docs` would write."""
    assert DRAWING.read_text(encoding="utf-8") == drawing(Box())
    assert ASSEMBLY.read_text(encoding="utf-8") == assembly(Box())


@pytest.mark.parametrize("box", BOXES)
def test_the_plates_make_a_box(box: Box) -> None:
    """Its width and height are the ones that were asked for, and the front fills its gap."""
    front, top, back, bottom, left, right = plates(box)
    assert left.outline == right.outline
    assert top.size == (box.width, box.top_depth)
    between_sides = box.width - 2 * box.sheet
    assert {plate.size[0] for plate in (front, back, bottom)} == {between_sides}
    assert back.size[1] + box.sheet == left.size[1] + box.sheet == box.height
    assert bottom.size[1] + box.sheet == left.size[0] == box.depth
    (x, y), (to_x, to_y) = left.outline[2:4]
    assert front.size[1] == pytest.approx(hypot(x - to_x, y - to_y))


@pytest.mark.parametrize("box", BOXES)
def test_everything_fits_on_its_plate(box: Box) -> None:
    """Panels stand beside each other, buttons too, and each cut-out leaves an edge of 3 mm."""
    front, top, *others = plates(box)
    wide, high = box.module
    middles = [left + width / 2 for left, _, width, _ in front.windows]
    assert middles[1] - middles[0] > wide
    assert middles[0] > wide / 2 + 3
    assert front.size[1] > high + 6
    for plate in (top, *others):
        width, height = plate.size
        for x, y, diameter in plate.holes:
            assert diameter / 2 + 3 <= min(x, y, width - x, height - y)
    left, right, centre = sorted(top.holes, key=lambda hole: hole[2], reverse=True)
    assert min(abs(each[0] - centre[0]) for each in (left, right)) > (left[2] + centre[2]) / 2 + 10


# --- the drawing ------------------------------------------------------------------------------

WIDE, HIGH, CLEAR = 0.45, 0.7, 0.2  # of a letter, by its size; mm


def texts() -> list[tuple[str, Limits]]:
    """Every text of the drawing that lies flat, and about the room that it takes."""
    found = []
    written = r'<text x="([\d.]+)" y="([\d.]+)"[^>]* font-size="([\d.]+)">([^<]+)<'
    for x, y, size, text in re.findall(written, DRAWING.read_text("utf-8")):
        half, middle, low = len(text) * WIDE * float(size) / 2, float(x), float(y)
        found.append((text, (middle - half, low - HIGH * float(size), middle + half, low)))
    return found


def is_clear(one: Limits, other: Limits) -> bool:
    """Whether two rectangles do not touch."""
    aside, above = (
        max(other[0] - one[2], one[0] - other[2]),
        max(other[1] - one[3], one[1] - other[3]),
    )
    return max(aside, above) >= CLEAR


@pytest.mark.rule("R151")
def test_each_label_can_be_read() -> None:
    """It is on the sheet, and lies neither over another one nor over a hole."""
    circles = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', DRAWING.read_text())
    holes = [(x - r, y - r, x + r, y + r) for x, y, r in (map(float, each) for each in circles)]
    labels = texts()
    assert len(labels) > 30
    for text, room in labels:
        with row(text):
            assert all(is_clear(room, hole) for hole in holes)
            assert 0 < room[0] < room[2] < SHEET
    for (text, one), (_, other) in combinations(labels, 2):
        with row(text):
            assert is_clear(one, other)


# --- cut-outs ---------------------------------------------------------------------------------

EDGE, BETWEEN = 3.0, 1.5  # mm that stay to the plate's edge, and between two cut-outs


def limits(corners: tuple[Point, ...]) -> Limits:
    """The rectangle around a polygon."""
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def cut_outs(plate: Plate) -> list[Limits]:
    """The rectangles around all cut-outs."""
    round_ = [(x - d / 2, y - d / 2, x + d / 2, y + d / 2) for x, y, d in plate.holes]
    return [limits(each) for each in outlines(plate)[1:]] + round_


@pytest.mark.rule("R151")
@pytest.mark.parametrize("box", [*BOXES, Box(back=(*BACK, SERIAL))])
def test_no_two_cut_outs_touch_and_all_are_inside(box: Box) -> None:
    """Each leaves an edge of 3 mm; a part that is not wanted has no hole."""
    for plate in plates(box):
        with row(plate.name):
            found, (width, height) = cut_outs(plate), plate.size
            for left, bottom, right, top in found:
                assert min(left, bottom, width - right, height - top) >= EDGE
            for one, other in combinations(found, 2):
                aside = max(other[0] - one[2], one[0] - other[2])
                above = max(other[1] - one[3], one[1] - other[3])
                assert max(aside, above) >= BETWEEN
    bare = Box(lamp=0, back=BACK[:1])
    front, _, back, *_ = plates(bare)
    assert (front.holes, len(back.holes)) == ((), 1)


# Board: along, across; its holes across; the middle of its card from the edge with the header's
# pins, and its heights over the bottom's upper face, on posts of 5 mm (mechanical drawings).
PIS = {
    "Zero 2 W": (65.0, 30.0, 23.0, 13.1, (6.4, 8.4)),
    "3": (85.0, 56.0, 49.0, 28.0, (3.0, 5.0)),
    "4": (85.0, 56.0, 49.0, 28.0, (3.0, 5.0)),
    "5": (85.0, 56.0, 49.0, 28.0, (3.0, 5.0)),
}
CARD = 11.0  # mm wide


@pytest.mark.rule("R151")
@pytest.mark.parametrize("model", PIS)
def test_the_card_of_each_model_can_be_drawn_out(model: str) -> None:
    """The board lies between the plates, on holes that are there; its card is in the slot."""
    box, (along, across, holes, card, (low, high)) = Box(), PIS[model]
    _, _, _, bottom, side, _ = plates(box)
    left, back = box.pi_at
    assert left + along <= bottom.size[0]
    assert back + across <= bottom.size[1] - 10  # the front slopes over it
    drilled = {(x - left, y - back) for x, y, _ in bottom.holes}
    assert drilled >= {(PI_EDGE + x, PI_EDGE + y) for x in (0.0, 58.0) for y in (0.0, holes)}
    corners = side.cut_out
    middle = box.sheet + back + card  # from the back's outer face
    assert corners[0][0] + 0.5 <= middle - CARD / 2
    assert middle + CARD / 2 <= corners[1][0] - 0.5
    assert corners[0][1] <= box.sheet + low < box.sheet + high <= corners[2][1]
    notch = corners[5][0], corners[4][0]
    assert min(middle + CARD / 2, notch[1]) - max(middle - CARD / 2, notch[0]) >= CARD / 2 - 1
    assert left <= 1  # a card sticks out of its board by 2 mm


# --- files --------------------------------------------------------------------------------------


def test_the_files_are_up_to_date() -> None:
    """Each is what `make docs` would write."""
    box = Box()
    names = {f"{name_of(plate)}.stl" for plate in plates(box)} | {"plates.dxf"}
    assert {path.name for path in FOLDER.iterdir()} == names
    written, anew = (FOLDER / "plates.dxf").read_text("utf-8"), dxf(box)
    assert written == anew


def length(corners: list[Point]) -> float:
    """The length of a closed line."""
    return sum(dist(*each) for each in pairwise([*corners, corners[0]]))


@pytest.mark.rule("R151")
def test_the_dxf_is_clean_and_has_the_lines_of_the_drawing() -> None:
    """Its audit finds nothing, it is in millimetres, and as much is cut as in the SVG."""
    document = readfile(FOLDER / "plates.dxf")
    assert (document.audit().errors, document.units) == ([], units.MM)
    space = document.modelspace()
    assert {each.dxf.layer for each in space} == {CUT}
    polylines = [each for each in space if isinstance(each, LWPolyline)]
    lines = [[(x, y) for x, y, *_ in each.get_points()] for each in polylines]
    circles = [each.dxf.radius for each in space.query("CIRCLE")]
    cut = DRAWING.read_text("utf-8").partition('<g id="cut"')[2].partition("</g>")[0]
    polygons = [
        [tuple(map(float, at.split(","))) for at in points.split()]
        for points in re.findall(r'polygon points="([^"]+)"', cut)
    ]
    sizes = re.findall(r'width="([\d.]+)" height="([\d.]+)"', cut)
    drawn = sum(map(length, polygons)) + sum(2 * (float(w) + float(h)) for w, h in sizes)  # type: ignore[arg-type]
    assert sum(map(length, lines)) == pytest.approx(drawn, abs=0.01)
    radii = [float(r) for r in re.findall(r' r="([\d.]+)"', cut)]
    assert sorted(circles) == pytest.approx(sorted(radii))


def area(corners: tuple[Point, ...]) -> float:
    """The area of a polygon."""
    around = [*corners, corners[0]]
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairwise(around))) / 2


@pytest.mark.rule("R151")
@pytest.mark.parametrize("plate", plates(Box()), ids=name_of)
def test_a_solid_is_closed_and_as_thick_as_its_sheet(plate: Plate) -> None:
    """Each edge belongs to two triangles that run along it in opposite directions."""
    content = (FOLDER / f"{name_of(plate)}.stl").read_bytes()
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
    outline, *others = map(area, outlines(plate))
    corner = sin(2 * pi / ROUND) * ROUND / 2  # a hole is a polygon
    round_ = sum(corner * (diameter / 2) ** 2 for _, _, diameter in plate.holes)
    assert sixths / 6 == pytest.approx((outline - sum(others) - round_) * Box().sheet, rel=1e-5)
    assert len(content) == len(stl(plate, Box().sheet))
