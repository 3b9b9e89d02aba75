"""Two modelled panels under luma's real interface, the faces they are shown, and their time."""

from collections.abc import Iterator
from functools import lru_cache

import msgspec
from msgspec import structs
from PIL import Image

from clock.match.inputs import Pressed
from clock.match.types import Pair
from clock.ui.dialogue import Dialogue
from clock.ui.face import View
from clock.ui.i18n import sayer
from clock.ui.pages import faces as clock_faces
from hardware.display.layout import draw
from hardware.display.panels import PanelPair
from hardware.display.spi import BUS, SELECTS
from hardware.face import Face
from lab.support.panel_models import MODELS, Bus, SpiBus, Ssd1306
from lab.support.world import World

SECOND = 1_000_000_000
LEFT_AT, RIGHT_AT = 0x3C, 0x3D
DRIVERS = tuple(MODELS)
RUNNING = Face(
    reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay", score="3-5/11"
)
WAITING = Face(reserve="20:48", delay="12", delay_permille=1000, score="3-5/11")
TICKED = msgspec.structs.replace(RUNNING, delay="8", delay_permille=667)
STOPPED = Face(
    reserve="13:02", status="Stopped", score="3-5/11", lines=("Director called", "as it was"),
    keys=("<", "DO IT", ">"),
)  # fmt: skip
REVIEW = Face(reserve="22:00", lines=("ebf 11", "Time 22:00", "Delay 0:12", "Code K7QX"))
FINISHED = Face(
    reserve="11:46", lines=("Left WINS", "11-7 by score"), result=("WINS", "11-7"),
    fingerprint="7KHF-9MXT-4KSA", qr="GC2:1WWBSMXEH4YAN0R3NXEYMVG3V4:137:11-7",
)  # fmt: skip
Faces = tuple[Face, Face]
MOST_AT_ONCE = 10  # turns of the panels' thread at one instant


class Glass:
    """Both panels and their bus; time jumps from one deadline to the next."""

    def __init__(
        self,
        driver: str = "ssd1306",
        rotate: tuple[int, int] = (0, 0),
        contrast: int | None = None,
        *,
        spi: bool = False,
    ) -> None:
        self.ns = 1_000 * SECOND
        self.left, self.right = MODELS[driver](seed=1), MODELS[driver](seed=2)
        self.bus = Bus({LEFT_AT: self.left, RIGHT_AT: self.right})
        self.spi = SpiBus({0: self.left, 1: self.right})
        self.pair = PanelPair(
            driver,
            SELECTS if spi else (LEFT_AT, RIGHT_AT),
            rotate,
            lambda at: self.spi.connect(BUS, at) if spi else self.bus.connect(1, at),
            lambda: self.ns,
            contrast=contrast,
            write_only=spi,
        )
        self.faces: Faces = (WAITING, WAITING)
        self.due_ns = self.ns
        self.turns = 0  # of the thread

    def show(self, left: Face, right: Face) -> "Glass":
        """Show new faces, with all that is due at once."""
        self.faces = left, right
        return self.wait(0, woken=True)

    def wait(self, duration_ns: int, *, woken: bool = False) -> "Glass":
        """Do what the thread does within a duration."""
        end_ns, at_once = self.ns + duration_ns, 0
        while woken or self.due_ns <= end_ns:
            at_once = at_once + 1 if self.due_ns <= self.ns else 0
            assert at_once < MOST_AT_ONCE, "the panels' thread never sleeps"
            self.ns = self.ns if woken else max(self.ns, self.due_ns)
            self.due_ns, woken = self.pair.show(self.faces), False
            self.turns += 1
        self.ns = end_ns
        return self

    def faults(self) -> list[tuple[str, str | None]]:
        """Return the faults reported since the last call."""
        return self.pair.faults.drain()

    def shows(self, left: Face, right: Face) -> bool:
        """Return whether both panels show exactly these faces, upright."""
        return seen(self.left, left) and seen(self.right, right)


def seen(model: Ssd1306, face: Face) -> bool:
    """Return whether a panel shows exactly this face."""
    return model.shines and model.picture().tobytes() == pixels(face)


@lru_cache(16)
def pixels(face: Face) -> bytes:
    """Return the pixels of a face."""
    return draw(face).tobytes()


def both_times(face: Face, other: Face) -> Face:
    """Return a face with the other side's reserve."""
    return structs.replace(face, other_reserve=other.reserve)


def upside_down(picture: Image.Image) -> bytes:
    """Return the pixels of a picture turned upside down."""
    return picture.transpose(Image.Transpose.ROTATE_180).tobytes()


def ticking(running_s: int, turn_s: int | None = None) -> Iterator[Pair[Face]]:
    """Yield the faces of a real match, second by second; with `turn_s`, the sides take turns."""
    world = World.running()
    say = sayer("en")
    for second in range(running_s):
        if turn_s and second and second % turn_s == 0:
            mover = world.state.running
            assert mover is not None
            world.give(Pressed(world.now_ns, mover))
        yield clock_faces(View(world.state, Dialogue(), say), world.now_ns)
        world.wait(SECOND)
