"""The picture of both panels in `docs/bench.md`, taken from a match on the bench.

    PYTHONPATH=tests .venv/bin/python -m bench.generate_picture

The one rule: the clock decides which pixels are lit; their colour and the frame are drawn here.
"""

import sys
import tempfile
from pathlib import Path

from bench.board import LEFT, RIGHT, Board
from bench.configuration import Config
from PIL import Image, ImageDraw, ImageOps

from clock.match.sides import Button

PICTURE = Path(__file__).parents[2] / "docs" / "bench.png"
CONFIG: Config = {"match": {"length": 11, "score": [4, 6]}, "rules": {"profile": "ebf"}}
TURNS = ("0:31", "0:54", "1:17", "0:09", "0:44", "1:38", "0:26")  # from the left's first
THINKS = "0:05"  # into the delay of the turn that is shown

CASE, EDGE, GLASS, LIT = "#26282c", "#4c4f55", "#04060a", "#d2efff"
MARGIN, RIM = 36, 30  # pixels around a panel, and of the glass around its raster


def main() -> None:
    """Play, look, write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        panels = played(Path(folder))
        framed(panels).quantize(16).save(PICTURE, "PNG", optimize=True)
    sys.stdout.write(f"{PICTURE}\n")


def played(folder: Path) -> list[Image.Image]:
    """Both panels in the middle of a match, the left clock running, in its delay."""
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
        return [pictured(board, folder / f"{side.value}.png", side) for side in (LEFT, RIGHT)]


def pictured(board: Board, path: Path, side: Button) -> Image.Image:
    """A panel in the colour of its glass."""
    board.panel(side).save(path)
    return ImageOps.colorize(Image.open(path), GLASS, LIT)


def framed(panels: list[Image.Image]) -> Image.Image:
    """The panels side by side in the front of a box."""
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
