"""What a panel should show, and whether it does, pixel by pixel.

The face comes from the game's state, and its picture from the code that draws; what was sent, in
which parts, to which registers, and what became of it on the glass is what is compared.

The one rule: a picture that stands still may have moved by one pixel, and in nothing else differ.
"""

from PIL import Image, ImageChops

from clock.ui.face import View
from clock.ui.pages import faces
from clock.match.sides import Pair, Side
from hardware.display.lone_face import lone
from hardware.display.layout import FaceLike, draw

Shift = tuple[int, int]  # to the right and down, in pixels
STEPS = (0, 1, -1)
SHIFTS: list[Shift] = [(x, y) for x in STEPS for y in STEPS]


def expected(view: View, now_ns: int, dark: Side | None = None) -> Pair[FaceLike | None]:
    """The faces of both panels at an instant; None for one that is dark.

    Args:
        view: all that faces are made of.
        now_ns: the instant, of the clock of the state's events.
        dark: the side whose panel shows nothing, so that the other shows both times.
    """
    own = faces(view, now_ns)
    if dark is None:
        return Pair[FaceLike | None](own.left, own.right)
    seen = lone(own[dark.other], own[dark])
    return Pair(None, seen) if dark is Side.LEFT else Pair(seen, None)


def shift(picture: Image.Image, face: FaceLike | None) -> Shift | None:
    """By how much a picture of this face has moved; None: it is not this face."""
    if face is None:
        return None if picture.getbbox() else (0, 0)
    wanted, seen = draw(face), picture
    if face.running:  # then what is dark moves over what is lit
        wanted, seen = ImageChops.invert(wanted), ImageChops.invert(seen)
    return next((by for by in SHIFTS if _moved(wanted, by).tobytes() == seen.tobytes()), None)


def _moved(picture: Image.Image, by: Shift) -> Image.Image:
    """A picture, moved; one that would lose a lit pixel stays where it is."""
    moved = Image.new("1", picture.size)
    moved.paste(picture, by)
    whole = moved.histogram() == picture.histogram()
    return moved if whole else picture
