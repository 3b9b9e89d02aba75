"""The plates of the enclosure for programs: DXF for a laser cutter, STL for a printer."""

import struct
from collections import OrderedDict
from io import StringIO
from typing import Final

from ezdxf import options, units  # type: ignore[attr-defined]
from ezdxf.filemanagement import new
from manifold3d import CrossSection, Manifold

from lab.docs.enclosure import HEIGHT, Box, Placed, Plate, Point, placed, plates
from lab.support.paths import ROOT

FOLDER = ROOT / "docs" / "enclosure"
CUT: Final = "CUT"  # the layer
ROUND = 64  # corners of a printed hole


def write_files(box: Box) -> list[str]:
    """Write the plates; return the names of the files."""
    FOLDER.mkdir(exist_ok=True)
    files = {"plates.dxf": dxf(box).encode()}
    files |= {f"{name_of(plate)}.stl": stl(plate, box.sheet) for plate in plates(box)}
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    return list(files)


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
