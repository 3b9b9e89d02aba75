"""The face of a panel that has to do for both, because the other one is dark.

The one rule: nothing is left out of the face; the other side's reserve is added.
"""

from typing import NamedTuple

from hardware.display.layout import FaceLike


class LoneFace(NamedTuple):
    """A face with the other side's reserve."""

    reserve: str
    running: bool
    delay: str
    delay_permille: int
    delay_note: str
    status: str
    score: str
    flag: str
    warnings: tuple[str, ...]
    lines: tuple[str, ...]
    selected: int | None
    keys: tuple[str, str, str]
    other_reserve: str


def lone(face: FaceLike, other: FaceLike) -> FaceLike:
    """What the panel of one side shows while the other side's is dark."""
    shown = {name: getattr(face, name) for name in LoneFace._fields}
    return LoneFace(**{**shown, "other_reserve": other.reserve})
