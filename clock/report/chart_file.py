"""The file of a chart: PNG, SVG or PDF, the same bytes for the same chart on every computer."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import BytesIO

from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from clock.text import printable

FORMATS: dict[str, dict[str, None]] = {  # by suffix, with the dates to leave out of the file
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
STYLE = {
    "figure.figsize": (16, 9),
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 15,
    "hatch.linewidth": 0.8,
    "pdf.fonttype": 42,  # text that can be searched
    "svg.fonttype": "none",  # the same
    "svg.hashsalt": "gammonclock",  # without it, the ids in an SVG are random
    "text.color": "#222222",
    "text.parse_math": False,  # a name may hold two "$"
}


@contextmanager
def own_style() -> Iterator[None]:
    """Use matplotlib's own style and ours, not the user's matplotlibrc."""
    with style.context(["default", STYLE]), warnings.catch_warnings():
        # DejaVu Sans has no Chinese or Japanese letters; a placeholder stands for each.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def render(figure: Figure, suffix: str) -> bytes:
    """Return a chart as a file of one of `FORMATS`; the same figure always gives the same bytes."""
    drawn = BytesIO()
    tooltips = _name_groups(figure)
    with own_style():
        figure.savefig(drawn, format=suffix.removeprefix("."), metadata=FORMATS[suffix])
    content = drawn.getvalue()
    if suffix == ".svg":
        for name, tooltip in tooltips.items():
            group = f'<g id="{name}">'
            titled = f"{group}<title>{escape(tooltip)}</title>"
            content = content.replace(group.encode(), titled.encode())
    return content


def _name_groups(figure: Figure) -> dict[str, str]:
    """Name the groups of an SVG that have a tooltip; return the tooltips by these names."""
    tooltips: dict[str, str] = {}
    for artist in (*figure.findobj(Line2D), *figure.findobj(Patch)):
        label = str(artist.get_label())
        if label and not label.startswith("_"):  # matplotlib's own labels
            name = f"tooltip-{len(tooltips) + 1}"
            artist.set_gid(name)
            tooltips[name] = printable(label)
    return tooltips
