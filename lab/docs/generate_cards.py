"""Write the cards of the director's page as SVG and PDF; a test compares them."""

from collections.abc import Iterable

from lab.docs.cards import (
    CARDS,
    FOLDER,
    Card,
    also_shown,
    power_cut,
    reasons,
    situations,
    times,
    warnings,
)
from lab.docs.page_length import MOST_LINES, printed_lines
from lab.docs.sheet import (
    BOLD,
    BOTTOM,
    GAP,
    MARGIN,
    PLAIN,
    PRESS,
    RIGHT,
    Cell,
    Column,
    Line,
    Marks,
    Rows,
    Text,
    edges_of,
    pdf_of,
    svg_of,
)
from tests.docs.director_page import PAGE

BUTTONS_AT, SHOWN_AT = 400.0, 328.0  # the left edges of what stands at the right
WIDEST_SPREAD = 4.0  # how much higher a row may become
REASON_WIDTHS, SITUATION_WIDTHS = (90.0,), (114.0, 90.0)  # of first columns, at least


def pairs(rows: Iterable[tuple[str, str]], font: str = PLAIN) -> Rows:
    """Return pairs of texts as rows."""
    return [[Cell(left, font), Cell(right)] for left, right in rows]


def put_title(card: Card, marks: Marks) -> float:
    """Put the head of the page; return where the rest begins."""
    y = MARGIN + 18
    name = Text(MARGIN, y, BOLD, 24, card.federation)
    title = Text(name.end + 10, y, PLAIN, 15, card.words["title"])
    given = Text(0, y, PLAIN, 9, f"gammonclock: {times(card)}")
    marks += [name, title, given._replace(x=RIGHT - given.end), Line(MARGIN, y + 7, RIGHT, 2)]
    return y + 8


def put_reasons(card: Card, marks: Marks, y: float, spread: float) -> float:
    """Put the reasons with the buttons beside them; return where they end."""
    heads = card.words["headings"]
    left = Column(marks, y, right=BUTTONS_AT - 2 * GAP)
    rows = [[Cell(row.title), Cell(row.presses, PRESS), Cell(row.comes)] for row in reasons(card)]
    left.table(heads["stop"], rows, edges_of(rows, REASON_WIDTHS), spread)
    right = Column(marks, y, x=BUTTONS_AT)
    keys = pairs(((f"`{key}`", what) for key, what in card.words["buttons"].items()), PRESS)
    right.table([heads["buttons"]], keys, edges_of(keys))
    right.row([Cell(card.words["how"])])
    return max(left.y, right.y)


def put_situations(card: Card, marks: Marks, y: float, spread: float) -> float:
    """Put both chapters of situations, with the same columns; return where they end."""
    chapters = {
        chapter: [
            [Cell(row.title), Cell(row.shows), Cell(row.presses, PRESS), Cell(row.comes)]
            for row in situations(card, chapter)
        ]
        for chapter in ("before", "during")
    }
    edges = edges_of([row for rows in chapters.values() for row in rows], SITUATION_WIDTHS)
    page = Column(marks, y)
    for chapter, rows in chapters.items():
        page.table(card.words["headings"][chapter], rows, edges, spread)
    return page.y


def put_rest(card: Card, marks: Marks, y: float) -> float:
    """Put the warnings, with what else the panels show beside them; return where they end."""
    heads = card.words["headings"]
    left = Column(marks, y, right=SHOWN_AT - 2 * GAP)
    rows = pairs(warnings(card))
    left.table([heads["warnings"]], rows, edges_of(rows))
    right = Column(marks, y, x=SHOWN_AT)
    rows = pairs(also_shown(card))
    right.table([heads["also_shown"]], rows, edges_of(rows))
    right.heading([heads["power_cut"]])
    right.row([Cell(power_cut(card))])
    right.row([Cell(card.words["more"])])
    return max(left.y, right.y)


def composed(card: Card, spread: float) -> tuple[Marks, float]:
    """Return a card whose rows are a little higher, and how much of the page is left."""
    marks: Marks = []
    y = put_title(card, marks)
    y = put_reasons(card, marks, y, spread)
    y = put_situations(card, marks, y, spread)
    y = put_rest(card, marks, y)
    return marks, BOTTOM - y


def marks_of(card: Card) -> Marks:
    """Return a card whose rows fill the page.

    Raises:
        ValueError: there is more than fits.
    """
    (_, most), (_, least) = composed(card, 0), composed(card, WIDEST_SPREAD)
    if most < 0:
        raise ValueError(f"too long for a page: {card.name}")
    return composed(card, WIDEST_SPREAD * min(1, most / (most - least)))[0]


def files_of(card: Card) -> dict[str, bytes]:
    """Return the content of a card's files by their names."""
    marks, title = marks_of(card), f"{card.federation}: {card.words['title']}"
    return {f"{card.name}.svg": svg_of(marks, title), f"{card.name}.pdf": pdf_of(marks, title)}


if __name__ == "__main__":
    for card in CARDS:
        for name, content in files_of(card).items():
            (FOLDER / name).write_bytes(content)
    if (lines := printed_lines(PAGE)) > MOST_LINES:
        raise SystemExit(
            f"docs/director.md takes {lines} lines in print; shorten it to {MOST_LINES}"
        )
    print(f"wrote {len(CARDS)} cards")
