"""Generate the picture of both panels in `lab/bench.md` from a match on the bench.

.venv/bin/python -m lab.bench.generate_picture
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageOps

from clock.match.types import Button
from lab.bench.board import LEFT, RIGHT, Board
from lab.bench.configuration import Config
from lab.support.paths import ROOT

PICTURE = ROOT / "lab" / "bench.png"
CONFIG: Config = {"match": {"length": 11, "score": [4, 6]}, "rules": {"profile": "ebf"}}
TURNS = ("0:31", "0:54", "1:17", "0:09", "0:44", "1:38", "0:26")  # the left player's is first
THINKS = "0:05"  # since the beginning of the turn that is shown

CASE, EDGE, GLASS, LIT = "#26282c", "#4c4f55", "#04060a", "#d2efff"
MARGIN, RIM = 36, 30  # pixels: around a panel's glass, and from the glass's edge to its raster


def main() -> None:
    """Play the match and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        panels = play(Path(folder))
        frame(panels).quantize(16).save(PICTURE, "PNG", optimize=True)
    sys.stdout.write(f"{PICTURE}\n")


def play(folder: Path) -> list[Image.Image]:
    """Return both panels in the middle of a match, the left clock in its delay."""
    with Board(CONFIG, folder, time_travel=True) as board:
        board.confirm()
        board.press(RIGHT)  # the low roller: the left clock starts
        for number, turn in enumerate(TURNS):
            board.wait(turn)
            board.press((LEFT, RIGHT)[number % 2])
        board.wait("0:20")
        board.press(RIGHT)
        board.wait(THINKS)
        board.log().verified()
        return [panel_image(board, folder / f"{side.value}.png", side) for side in (LEFT, RIGHT)]


def panel_image(board: Board, path: Path, side: Button) -> Image.Image:
    """Return the picture of a panel in the colours of its glass."""
    board.panel(side).save(path)
    return ImageOps.colorize(Image.open(path), GLASS, LIT)


def frame(panels: list[Image.Image]) -> Image.Image:
    """Draw the panels side by side in the front of a box."""
    width, height = panels[0].size
    place = width + 2 * (RIM + MARGIN)
    box = Image.new("RGB", (place * len(panels), height + 2 * (RIM + MARGIN)), CASE)
    draw = ImageDraw.Draw(box)
    for number, panel in enumerate(panels):
        x, y = number * place + MARGIN, MARGIN
        glass = (x, y, x + width + 2 * RIM, y + height + 2 * RIM)
        draw.rounded_rectangle(glass, radius=RIM, fill=GLASS, outline=EDGE, width=3)
        box.paste(panel, (x + RIM, y + RIM))
    return box


if __name__ == "__main__":
    main()
