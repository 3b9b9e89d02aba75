"""A sheet of paper on which texts are set in columns, written as SVG and PDF.

Places are in points from the top left of a page of A4. The widths of the fonts beside this file
decide where lines break, so that the same bytes come out on every computer; a PDF has them in it.
They are as wide as Helvetica and Courier, which an SVG uses.
"""

import io
import re
from collections.abc import Sequence
from itertools import zip_longest
from math import ceil
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
MARGIN = 30.0
RIGHT, BOTTOM = WIDTH - MARGIN, HEIGHT - MARGIN
GAP = 8.0  # between columns
SIZE, LEADING, HEADING = 8.0, 9.4, 10.0  # of text, of its lines, of headings
PLAIN, BOLD, ITALIC, PRESS = "Arimo-Regular", "Arimo-Bold", "Arimo-Italic", "Cousine-Bold"
MARKED = {"*": ITALIC, "`": BOLD}
SVG_FONTS = {
    PLAIN: 'font-family="Helvetica, Arial, sans-serif"',
    BOLD: 'font-family="Helvetica, Arial, sans-serif" font-weight="bold"',
    ITALIC: 'font-family="Helvetica, Arial, sans-serif" font-style="italic"',
    PRESS: 'font-family="Courier New, Courier, monospace" font-weight="bold"',
}
FONTS = Path(__file__).with_name("fonts")

for _font in SVG_FONTS:
    registerFont(TTFont(_font, FONTS / f"{_font}.ttf"))


class Text(NamedTuple):
    """A text that begins at a place on its base line."""

    x: float
    y: float
    font: str
    size: float
    text: str

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.x + float(stringWidth(self.text, self.font, self.size))


class Line(NamedTuple):
    """A horizontal line."""

    x: float
    y: float
    end: float
    weight: float


Marks = list[Text | Line]
Edges = Sequence[float]


class Cell(NamedTuple):
    """What stands in a column."""

    text: str
    """With marks as on the director's page: `code`, *italics*."""
    font: str = PLAIN
    """Of what is not marked; presses are all in theirs."""


Rows = Sequence[Sequence[Cell]]


def words_of(cell: Cell) -> list[list[Text]]:
    """Return the words of a cell, what is marked as one; each is texts from its left edge."""
    words: list[list[Text]] = [[]]
    for marked, other, space in re.findall(r"(\*[^*]+\*|`[^`]+`)|([^\s*`]+)|(\s+)", cell.text):
        if space:
            words.append([])
            continue
        font = MARKED[marked[0]] if marked and cell.font != PRESS else cell.font
        x = words[-1][-1].end if words[-1] else 0.0
        words[-1].append(Text(x, 0, font, SIZE, other or marked[1:-1]))
    return words


def lines_of(cell: Cell, width: float) -> list[list[Text]]:
    """Return the lines of a cell in a column, each as texts from the column's left edge.

    Raises:
        ValueError: a word is wider than the column.
    """
    lines: list[list[Text]] = [[]]
    for word in words_of(cell):
        if word[-1].end > width:
            raise ValueError(f"wider than its column: {cell.text}")
        x = lines[-1][-1].end + float(stringWidth(" ", PLAIN, SIZE)) if lines[-1] else 0.0
        if x + word[-1].end > width:
            lines.append([])
            x = 0.0
        placed = [text._replace(x=x + text.x) for text in word]
        if lines[-1] and lines[-1][-1].font == placed[0].font:
            last = lines[-1].pop()
            placed[0] = last._replace(text=f"{last.text} {placed[0].text}")
        lines[-1] += placed
    return lines


def edges_of(rows: Rows, least: Sequence[float] = ()) -> list[float]:
    """Return where columns begin if each has room for its widest word, and at least a width."""
    edges = [0.0]
    columns = list(zip(*rows, strict=True))[:-1]
    for column, width in zip_longest(columns, least[: len(columns)], fillvalue=0.0):
        assert not isinstance(column, float)
        widest = max(word[-1].end for cell in column for word in words_of(cell))
        edges.append(edges[-1] + ceil(max(widest, width) + GAP))
    return edges


class Column:
    """A part of the page that is filled from the top."""

    def __init__(self, marks: Marks, y: float, x: float = MARGIN, right: float = RIGHT) -> None:
        """Between two edges, from a height on."""
        self.marks, self.y, self.x, self.right = marks, y, x, right

    def line(self, weight: float) -> None:
        """Put a line across the column."""
        self.marks.append(Line(self.x, self.y, self.right, weight))

    def heading(self, texts: Sequence[str], edges: Edges = (0,)) -> None:
        """Put a heading, and the heads of the columns beside it, above a line."""
        self.y += 1.3 * HEADING
        for at, (text, edge) in enumerate(zip(texts, edges, strict=False)):
            size = SIZE if at else HEADING
            self.marks.append(Text(self.x + edge, self.y, BOLD, size, text))
        self.y += 3
        self.line(1.2)

    def row(self, cells: Sequence[Cell], edges: Edges = (0,), spread: float = 0) -> None:
        """Put cells beside one another, with some more height, above a thin line."""
        ends = [*(edge - GAP for edge in edges[1:]), self.right - self.x]
        columns = [
            lines_of(cell, end - edge) for cell, edge, end in zip(cells, edges, ends, strict=True)
        ]
        for edge, lines in zip(edges, columns, strict=True):
            for at, line in enumerate(lines, 1):
                x, y = self.x + edge, self.y + spread / 2 + at * LEADING - 1
                self.marks += [text._replace(x=x + text.x, y=y) for text in line]
        self.y += max(map(len, columns)) * LEADING + 2 + spread
        self.line(0.25)

    def table(self, head: Sequence[str], rows: Rows, edges: Edges, spread: float = 0) -> None:
        """Put a heading and rows."""
        self.heading(head, edges)
        for cells in rows:
            self.row(cells, edges, spread)


def svg_mark(mark: Text | Line) -> str:
    """Return a mark as SVG; a text becomes as wide as here in whatever font it is drawn."""
    if isinstance(mark, Line):
        path = f"M{mark.x:.2f} {mark.y:.2f}H{mark.end:.2f}"
        return f'<path d="{path}" stroke="black" stroke-width="{mark.weight}"/>\n'
    place = f'x="{mark.x:.2f}" y="{mark.y:.2f}" textLength="{mark.end - mark.x:.2f}"'
    look = f'lengthAdjust="spacingAndGlyphs" {SVG_FONTS[mark.font]} font-size="{mark.size}"'
    return f"<text {place} {look}>{escape(mark.text)}</text>\n"


def svg_of(marks: Marks, title: str) -> bytes:
    """Return a sheet as SVG."""
    size = f'width="210mm" height="297mm" viewBox="0 0 {WIDTH:.2f} {HEIGHT:.2f}"'
    body = "".join(svg_mark(mark) for mark in marks)
    paper = '<rect width="100%" height="100%" fill="white"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<title>{title}</title>\n{paper}\n'
    return f"{head}{body}</svg>\n".encode()


def pdf_of(marks: Marks, title: str) -> bytes:
    """Return a sheet as PDF, without a date and uncompressed."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=1, pageCompression=0, initialFontName=PLAIN)  # type: ignore[arg-type]
    canvas.setTitle(title)
    for mark in marks:
        if isinstance(mark, Line):
            canvas.setLineWidth(mark.weight)
            canvas.line(mark.x, HEIGHT - mark.y, mark.end, HEIGHT - mark.y)
        else:
            canvas.setFont(mark.font, mark.size)
            canvas.drawString(mark.x, HEIGHT - mark.y, mark.text)
    canvas.save()
    return file.getvalue()
