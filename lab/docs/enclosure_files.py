"""The plates of the enclosure for programs: DXF for a laser cutter, STL for a printer."""

import struct
from collections import OrderedDict
from collections.abc import Callable
from io import StringIO
from math import cos, pi, sin
from typing import Final, NamedTuple

from ezdxf import options, units  # type: ignore[attr-defined]
from ezdxf.filemanagement import new
from manifold3d import CrossSection, Manifold

from lab.docs.enclosure import HEIGHT, Box, Placed, Plate, Point, placed, plates
from lab.support.paths import ROOT

FOLDER = ROOT / "docs" / "enclosure"
ASSEMBLY = ROOT / "docs" / "enclosure-steps.svg"
CUT: Final = "CUT"  # the layer
ROUND = 64  # corners of a printed hole


def write_files(box: Box) -> list[str]:
    """Write the plates; return the names of the files."""
    FOLDER.mkdir(exist_ok=True)
    files = {"plates.dxf": dxf(box).encode()}
    files |= {f"{name_of(plate)}.stl": stl(plate, box.sheet) for plate in plates(box)}
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    ASSEMBLY.write_text(assembly(box), encoding="utf-8")
    return [*files, ASSEMBLY.name]


class Joined(NamedTuple):
    """Where a plate is in the box: its number in the steps, how far it is drawn from its place."""

    step: int
    apart: tuple[float, float, float]
    """To the right, to the front and up, in mm."""
    place: Callable[[float, float], tuple[float, float, float]]
    """Of a point of the plate: from the left, from the back and from below."""
    label: float = 0.5
    """Where its name stands, from the left, as a part of its width."""


def assembly(box: Box) -> str:
    """Return the box as SVG, its plates a little apart, numbered as they are joined."""
    front, top, back, bottom, left, right = plates(box)
    deep, high = box.depth - box.top_depth, box.height - box.sheet - box.lip
    joined = (
        (back, Joined(2, (0, -75, 0), lambda x, y: (box.sheet + x, 0, y), 0.2)),
        (left, Joined(3, (-50, 0, 0), lambda x, y: (box.sheet, x, y))),
        (
            bottom,
            Joined(1, (0, 0, -55), lambda x, y: (box.sheet + x, box.sheet + y, box.sheet), 0.7),
        ),
        (right, Joined(4, (50, 0, 0), lambda x, y: (box.width, x, y))),
        (
            front,
            Joined(
                5,
                (0, 40, 0),
                lambda x, y: (
                    box.sheet + x,
                    box.depth - y * deep / box.front_height,
                    box.lip + y * high / box.front_height,
                ),
            ),
        ),
        (top, Joined(6, (0, 0, 55), lambda x, y: (x, box.top_depth - y, box.height), 0.32)),
    )
    drawn = "".join(_oblique(plate, where) for plate, where in joined)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="390mm" height="245mm"'
        ' viewBox="-115 -140 390 245" font-family="sans-serif" font-size="9">\n'
        "<title>The six plates of the enclosure, in the order in which they are joined</title>\n"
        f'<rect x="-115" y="-140" width="390" height="245" fill="#ffffff"/>\n{drawn}</svg>\n'
    )


def _oblique(plate: Plate, where: Joined) -> str:
    """Return a plate as seen from the front, from the right and from above."""

    def corner(at: Point) -> Point:
        x, depth, z = (a + b for a, b in zip(where.place(*at), where.apart, strict=True))
        return x - 0.45 * depth, 0.35 * depth - z

    round_ = [
        tuple((x + cos(a) * d / 2, y + sin(a) * d / 2) for a in (n * pi / 12 for n in range(24)))
        for x, y, d in plate.holes
    ]
    shapes = "".join(
        f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in map(corner, polygon))}"/>\n'
        for polygon in (*outlines(plate), *round_)
    )
    width, height = plate.size
    x, y = corner((width * where.label, height / 2))
    return (
        f'<g fill="#f8f0e3" stroke="#495057" stroke-width=".5">\n{shapes}</g>\n'
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="#1971c2">'
        f"{where.step} {plate.name.partition(',')[0]}</text>\n"
    )


def name_of(plate: Plate) -> str:
    """Return the name of a plate's file."""
    return plate.name.partition(",")[0].replace(" ", "-")


def outlines(plate: Plate) -> list[tuple[Point, ...]]:
    """Return the polygons that are cut: the outline, then the windows and the slot."""
    windows = [
        ((x, y), (x + wide, y), (x + wide, y + high), (x, y + high))
        for x, y, wide, high in plate.windows
    ]
    return [plate.outline, *windows, *([plate.cut_out] if plate.cut_out else [])]


def dxf(box: Box) -> str:
    """Return all plates, beside each other as in the drawing, in millimetres."""
    options.write_fixed_meta_data_for_testing = True  # the same text each time
    document = new("R2010", units=units.MM)
    document.classes.add_required_classes(document.dxfversion)
    ordered = sorted(document.classes.classes.items())  # ezdxf has them in no fixed order
    document.classes.classes = OrderedDict(ordered)
    document.layers.add(CUT, color=1)
    space, layer = document.modelspace(), {"layer": CUT}
    for each in placed(box):
        for polygon in outlines(each.plate):
            corners = [_upright(each, at) for at in polygon]
            space.add_lwpolyline(corners, close=True, dxfattribs=layer)
        for x, y, diameter in each.plate.holes:
            space.add_circle(_upright(each, (x, y)), diameter / 2, dxfattribs=layer)
    text = StringIO()
    document.write(text)
    return text.getvalue()


def _upright(each: Placed, at: Point) -> Point:
    """Return a place of the sheet with y up."""
    x, y = each.at(*at)
    return x, HEIGHT - y


def stl(plate: Plate, sheet: float) -> bytes:
    """Return a plate as a closed solid, lying on z = 0, in a binary STL file."""
    outline, *cut_outs = outlines(plate)
    flat = CrossSection([outline])
    for polygon in cut_outs:
        flat -= CrossSection([polygon])
    for x, y, diameter in plate.holes:
        flat -= CrossSection.circle(diameter / 2, ROUND).translate((x, y))
    mesh = Manifold.extrude(flat, sheet).to_mesh()
    corners = mesh.vert_properties[:, :3]
    triangles = [
        b"".join(struct.pack("<3f", *corners[at]) for at in each) for each in mesh.tri_verts
    ]
    facets = (struct.pack("<3f", 0, 0, 0) + each + b"\0\0" for each in triangles)
    return bytes(80) + struct.pack("<I", len(triangles)) + b"".join(facets)
