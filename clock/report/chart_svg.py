"""A drawing as SVG, which any browser shows.

The one rule: whatever a text holds, the result is well-formed XML.
"""

import re
from html import escape

from clock.report.drawing import UNIT, Area, Dot, Drawing, Line, Shape, Spot, Words

FONTS = "Aileron, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_FORBIDDEN = re.compile(
    "[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\U00010000-\\U0010FFFF]"
)  # XML 1.0, 2.2


def svg(drawing: Drawing) -> str:
    """The text of an SVG file."""
    width, height = drawing.width, drawing.height
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width // UNIT}" height="{height // UNIT}" font-family="{FONTS}" '
        'fill="none" stroke-linejoin="round">\n'
    )
    return head + "".join(f"{_shape(shape)}\n" for shape in drawing.shapes) + "</svg>\n"


def _shape(shape: Shape) -> str:
    match shape:
        case Line(spots, colour, width):
            return f'<polyline points="{_spots(spots)}" stroke="{colour}" stroke-width="{width}"/>'
        case Area(spots, colour, title):
            return f'<polygon points="{_spots(spots)}" fill="{colour}"{_end("polygon", title)}'
        case Dot((x, y), radius, colour, title):
            place = f'cx="{x}" cy="{y}" r="{radius}"'
            return f'<circle {place} fill="{colour}"{_end("circle", title)}'
        case Words((x, y), text, size, colour, align):
            place = f'x="{x}" y="{y}" font-size="{size}" text-anchor="{align}"'
            return f'<text {place} fill="{colour}" xml:space="preserve">{_text(text)}</text>'


def _spots(spots: tuple[Spot, ...]) -> str:
    return " ".join(f"{x},{y}" for x, y in spots)


def _end(tag: str, title: str) -> str:
    return f"><title>{_text(title)}</title></{tag}>" if title else "/>"


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))
