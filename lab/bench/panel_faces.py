"""Find the faces that both panels should show, and compare them with the panels by pixels.

The expected face comes from the match's state and is drawn by the clock's own code. So a comparison
checks everything after drawing: what was sent, to which registers, and what the glass shows.
"""

from msgspec import structs
from PIL import Image, ImageChops

from clock.match.types import Pair, Side
from clock.ui.face import View
from clock.ui.pages import faces
from hardware.display.layout import draw
from hardware.face import Face

Shift = tuple[int, int]  # to the right and down, in pixels
OFFSETS = (0, 1, -1)
SHIFTS: list[Shift] = [(x, y) for x in OFFSETS for y in OFFSETS]


def expected(view: View, now_ns: int, dark: Side | None = None) -> Pair[Face | None]:
    """Return the faces of both panels at an instant; None for a panel that is dark.

    Args:
        view: the state and everything else that faces are made of.
        now_ns: the instant, on the clock that stamps the match's events.
        dark: the side whose panel shows nothing, so that the other one shows both times.
    """
    own = faces(view, now_ns)
    if dark is None:
        return Pair[Face | None](own.left, own.right)
    seen = structs.replace(own[dark.other], other_reserve=own[dark].reserve)
    return Pair(None, seen) if dark is Side.LEFT else Pair(seen, None)


def shift(picture: Image.Image, face: Face | None) -> Shift | None:
    """Return how far a picture of this face is shifted; None if it is not this face."""
    if face is None:
        return None if picture.getbbox() else (0, 0)
    wanted, seen = draw(face), picture
    if face.running:  # the burn-in protection shifts the dark pixels of an inverted face
        wanted, seen = ImageChops.invert(wanted), ImageChops.invert(seen)
    return next((by for by in SHIFTS if _moved(wanted, by).tobytes() == seen.tobytes()), None)


def _moved(picture: Image.Image, by: Shift) -> Image.Image:
    """Return a shifted picture; one that would lose a lit pixel stays where it is."""
    moved = Image.new("1", picture.size)
    moved.paste(picture, by)
    whole = moved.histogram() == picture.histogram()
    return moved if whole else picture
