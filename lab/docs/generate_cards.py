"""Write the cards of the director's page as HTML, one page to print; a test compares them."""

import re
from collections.abc import Iterable, Sequence
from html import escape

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

# `...` is printed like a panel or a press, *...* like an item of the menu.
MARKS = ((re.compile("`([^`]*)`"), r"<code>\1</code>"), (re.compile(r"\*([^*]*)\*"), r"<i>\1</i>"))
STYLE = """
@page { size: A4; margin: 8mm }
body { font: 7.5pt/1.15 Arial, Helvetica, sans-serif; max-width: 192mm; margin: auto }
h1 { font-size: 17pt; margin: 0 0 1mm; border-bottom: 1.5pt solid }
h1 small { font-size: 10pt; font-weight: normal }
h1 small + small { float: right; font-size: 7.5pt; line-height: 17pt }
table { width: 100%; border-collapse: collapse }
th { background: #000; color: #fff; text-align: left; print-color-adjust: exact }
th, td { padding: .25mm 1mm; vertical-align: top }
td { border-bottom: .3pt solid #999 }
code { font: bold 7.5pt Menlo, Consolas, "DejaVu Sans Mono", monospace }
p { margin: .6mm 1mm }
.beside { display: grid; grid-template-columns: 2fr 1fr; gap: 3mm }
.halves { display: grid; grid-template-columns: 1fr 1fr; gap: 3mm }
@media screen { body { font-size: 11pt; max-width: 60em; padding: 1em } code { font-size: 10pt } }
"""


def marked(text: str) -> str:
    """Return a text as HTML, its marks as elements."""
    shown = escape(text, quote=False)
    for mark, element in MARKS:
        shown = mark.sub(element, shown)
    return shown


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the last heading spans the columns that have none."""
    cells = [[marked(cell) for cell in row] for row in rows]
    columns = len(cells[0]) - len(heads) + 1
    span = f' colspan="{columns}"' if columns > 1 else ""
    *first, last = map(marked, heads)
    return "\n".join(
        (
            "<table>",
            f"<tr>{''.join(f'<th>{head}</th>' for head in first)}<th{span}>{last}</th></tr>",
            *(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in cells),
            "</table>",
        )
    )


def page_of(card: Card) -> str:
    """Return a card as a page of HTML."""
    words, heads = card.words, card.words["headings"]
    stops = [(row.title, f"`{row.presses}`", row.comes) for row in reasons(card)]
    keys = [(f"`{key}`", what) for key, what in words["buttons"].items()]
    chapters = [
        table(
            heads[chapter],
            [(r.title, r.shows, f"`{r.presses}`", r.comes) for r in situations(card, chapter)],
        )
        for chapter in ("before", "during")
    ]
    return "\n".join(
        (
            f'<!doctype html>\n<html lang="{card.language}">\n<meta charset="utf-8">',
            f"<title>{escape(card.federation)}: {escape(words['title'])}</title>",
            f"<style>{STYLE}</style>",
            f"<h1>{escape(card.federation)} <small>{escape(words['title'])}</small>",
            f"<small>gammonclock: {escape(times(card))}</small></h1>",
            f'<div class="beside"><div>{table(heads["stop"], stops)}</div><div>',
            f"{table([heads['buttons']], keys)}<p>{marked(words['how'])}</div></div>",
            *chapters,
            f'<div class="halves"><div>{table([heads["warnings"]], warnings(card))}</div><div>',
            table([heads["also_shown"]], also_shown(card)),
            table([heads["power_cut"]], [(power_cut(card),)]),
            f"<p>{marked(words['more'])}</div></div>",
            "</html>\n",
        )
    )


if __name__ == "__main__":
    for card in CARDS:
        (FOLDER / f"{card.name}.html").write_text(page_of(card), encoding="utf-8")
    print(f"wrote {len(CARDS)} cards")
