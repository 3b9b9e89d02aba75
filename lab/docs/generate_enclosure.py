"""Write the files of the enclosure's plates with OpenSCAD, which `apt install openscad` brings."""

import shutil
import subprocess
from pathlib import Path

from lab.support.paths import ROOT

FOLDER = ROOT / "docs" / "enclosure"
MODEL = FOLDER / "enclosure.scad"
PLATES = ("front", "top", "back", "bottom", "left-side", "right-side")
IN_MILLIMETRES = "  0\nSECTION\n  2\nHEADER\n  9\n$INSUNITS\n 70\n4\n  0\nENDSEC\n"  # of DXF


def export(part: str, to: Path, *definitions: str) -> None:
    """Write a part of the model, with other numbers if need be; the file's ending is its format."""
    settings = [word for each in (f'part="{part}"', *definitions) for word in ("-D", each)]
    how = ["--export-format", "binstl"] if to.suffix == ".stl" else []
    program = shutil.which("openscad") or "openscad"
    subprocess.run([program, "-q", *how, *settings, "-o", to, MODEL], check=True)
    if to.suffix == ".dxf":
        to.write_text(IN_MILLIMETRES + to.read_text("utf-8"), "utf-8")


if __name__ == "__main__":
    for suffix in ("dxf", "svg"):
        export("plates", FOLDER / f"plates.{suffix}")
    for plate in PLATES:
        export(plate, FOLDER / f"{plate}.stl")
    print("wrote the enclosure's plates")
