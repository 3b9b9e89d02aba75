"""Two panels and what each of them shows: its own face, or both times when the other is dark.

The one rule: a panel that fails changes nothing for the other, but that it shows both times.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PIL import Image, ImageChops

from hardware.display.controllers import chip
from hardware.display.framebuffer import drifted, frame
from hardware.display.lone_face import lone
from hardware.display.layout import FaceLike, draw
from hardware.display.burn_in import Rest, rest
from hardware.display.panel import Look, Screen, Wire
from hardware.display.troubles import Troubles

DIMMED = 0x08  # contrast: still read at the board, but hardly from afar
HALF_TURN = 2  # quarter turns
UPRIGHT = 0


class Side:
    """One of the panels."""

    def __init__(self, screen: Screen, turns: int) -> None:
        if turns not in {UPRIGHT, HALF_TURN}:
            raise ValueError(f"rotate: found {turns}; allowed are 0 and 2 quarter turns")
        self.screen = screen
        self._turned = turns == HALF_TURN
        self._drawn: tuple[FaceLike, int] | None = None
        self._frame: bytes

    def light(self, face: FaceLike, *, dim: bool) -> None:
        """Has seen whether a face runs: of one that does all is inverted, by the panel itself."""
        self.screen.light(inverted=face.running, contrast=self._contrast(dim=dim))

    def show(self, face: FaceLike, drift: int, *, dim: bool) -> None:
        """Has a face seen."""
        if self._drawn != (face, drift):
            self._frame = frame(self._picture(face, drift))
            self._drawn = face, drift
        self.screen.show(Look(self._frame, face.running, self._contrast(dim=dim)))

    def _contrast(self, *, dim: bool) -> int:
        wanted = self.screen.chip.contrast
        return min(DIMMED, wanted) if dim else wanted

    def _picture(self, face: FaceLike, drift: int) -> Image.Image:
        """Lit on dark: so the turn's end is one command, not two new pictures."""
        picture = draw(face)
        plain = drifted(ImageChops.invert(picture) if face.running else picture, drift)
        return plain.transpose(Image.Transpose.ROTATE_180) if self._turned else plain


class ScreenPair:
    """The left and the right panel, used by one thread."""

    def __init__(
        self,
        driver: str,
        addresses: Sequence[int],
        rotate: Sequence[int],
        connect: Callable[[int], Wire],
        now_ns: Callable[[], int],
        *,
        contrast: int | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            driver: "ssd1306", "ssd1309" or "sh1106".
            addresses: of the left and of the right panel.
            rotate: quarter turns of each, 0 or 2.
            connect: opens a wire to the panel at an address.
            now_ns: the time, in ns since any moment.
            contrast: how bright both are while they are not dimmed, 0 to 255; None: as luma.oled
                sets it.

        Raises:
            ValueError: a panel is to be rotated by 1 or 3 quarter turns, to stand on end; or there
                is no such contrast.
        """
        self.troubles = Troubles()
        self._now_ns = now_ns
        self._faces: tuple[FaceLike, ...] = ()
        self._new_ns = now_ns()
        kind = chip(driver).lit(contrast)
        screens = [Screen(kind, partial(connect, at), now_ns) for at in addresses]
        left, right = (Side(*side) for side in zip(screens, rotate, strict=True))
        self._sides: Mapping[str, Side] = {"left": left, "right": right}

    @property
    def counts(self) -> dict[str, int]:
        """How many bytes were sent to both panels, how many pictures, and how many errors came."""
        total = Counter[str]()
        for side in self._sides.values():
            total.update(side.screen.counts)
        return dict(total)

    def show(self, faces: tuple[FaceLike, FaceLike]) -> int:
        """Has the faces of left and right seen, as far as the wires allow.

        Returns:
            The instant at which to be called again, though there be no other faces.
        """
        now_ns = self._now_ns()
        if faces != self._faces:
            self._faces, self._new_ns = faces, now_ns
        resting = rest(now_ns - self._new_ns, running=any(face.running for face in faces))
        dark = self._dark()
        for side, face in zip(self._sides.values(), faces, strict=True):
            side.light(face, dim=resting.dim)  # seen from afar, so nothing is drawn before
        for name in sorted(self._sides, key=dark.__contains__):  # who is well does not wait
            self._show(name, resting)
        if self._dark() != dark:
            return now_ns
        dues = [side.screen.due_ns for side in self._sides.values()]
        return min(dues if resting.left_ns is None else [*dues, now_ns + resting.left_ns])

    def close(self) -> None:
        """Leaves two dark, empty panels, as far as the wires allow."""
        for side in self._sides.values():
            side.screen.close()

    def _dark(self) -> set[str]:
        return {name for name, side in self._sides.items() if side.screen.failed}

    def _show(self, name: str, resting: Rest) -> None:
        side, face = self._sides[name], dict(zip(self._sides, self._faces, strict=True))
        other = next(other for other in self._sides if other != name)
        own = lone(face[name], face[other]) if other in self._dark() else face[name]
        side.show(own, resting.drift, dim=resting.dim)
        self.troubles.note(name, side.screen.failed)
