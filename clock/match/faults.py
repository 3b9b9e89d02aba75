"""Faults of the clock's own parts, as the log and the panels name them."""

from typing import NamedTuple

_NAMES = "battery buttons buzzer config display lamps log power recovery serial space"
PARTS = frozenset(_NAMES.split())  # each has its warning in every language


class Fault(NamedTuple):
    """A part failed, or works again."""

    part: str  # one of `PARTS`
    what: str | None  # what is wrong; None: the part works again
