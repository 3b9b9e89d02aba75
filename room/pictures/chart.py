"""The chart of a match."""

import threading
from collections.abc import Sequence
from importlib.util import find_spec

from clock.report.build import summary
from clock.ui.i18n import sayer

_drawing = threading.Lock()  # matplotlib draws one picture at a time


def has_chart() -> bool:
    """Return whether charts can be drawn: the extra `chart` is installed."""
    return find_spec("matplotlib") is not None


def draw_chart(logs: Sequence[Sequence[bytes]], language: str) -> bytes:
    """Return the chart of a match as SVG; raise DamagedError if one of its logs does not replay."""
    from clock.report.chart import chart  # noqa: PLC0415 (an extra, and slow to load)
    from clock.report.chart_file import render  # noqa: PLC0415 (an extra, and slow to load)

    found = summary(*logs)
    with _drawing:
        return render(chart(found, sayer(language)), ".svg")
