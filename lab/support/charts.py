"""Charts of short scripts."""

from matplotlib.figure import Figure

from clock.match.rules import MatchSettings
from clock.report.build import summary
from clock.report.chart import chart
from clock.units import SECOND_NS
from lab.support.match_scripts import log_of, named
from lab.support.world import match_settings

S = SECOND_NS
ODD_NAME = '<&"\x01Ž\u65e5'

# From the confirmation at 0:03 to the last record at 1:43 there are 100 s; a minute's reserve each.
SCRIPT = """
1   press left
1   press right
1   press centre
5   press left     # 0:08 the right clock starts
32  press right    # 0:40 20 s of the right reserve
63  press left     # 1:43 51 s of the left reserve
"""
BREAK = """
1   press left
1   press right
1   press centre
5   press left
32  press centre   # stopped
1   press right    # game over
1   press centre
1   press right    # one point
1   press centre
1   press centre   # a break
1   press right    # of the right player
1   press centre
100 press centre   # over
"""


def settings(left: str = "Anna", right: str = "Bo", **rules: object) -> MatchSettings:
    """A match of a point and a minute."""
    changed = {"length": 1, "time_per_point_ns": 60 * S, **rules}
    return named(match_settings(**changed), left, right)  # type: ignore[arg-type]


def drawn(script: str = SCRIPT, match: MatchSettings | None = None) -> Figure:
    """The chart of a script's match."""
    return chart(summary(log_of(script, match or settings())))
