"""What is done for the glass while nothing happens: it ages where it is lit.

While no clock runs and no new face comes, pictures move by a pixel every `DRIFT_NS`, and panels are
dimmed after `DIM_NS`, until the next face. The one rule: of a clock that runs nothing is dimmed.
"""

from typing import NamedTuple

from hardware.display.controllers import NS_PER_SECOND

DRIFT_NS = 180 * NS_PER_SECOND
DIM_NS = 300 * NS_PER_SECOND


class Rest(NamedTuple):
    """What is done to pictures that stand still."""

    dim: bool
    drift: int  # how often they have moved
    left_ns: int | None  # how long this stays as it is


def rest(idle_ns: int, *, running: bool) -> Rest:
    """The same for faces that were new a while ago; there is none while a clock runs."""
    if running:
        return Rest(dim=False, drift=0, left_ns=None)
    drift, moved_ns = divmod(idle_ns, DRIFT_NS)
    left_ns, dim = DRIFT_NS - moved_ns, idle_ns >= DIM_NS
    return Rest(dim, drift, left_ns if dim else min(left_ns, DIM_NS - idle_ns))
