"""A sheet of labels to print: one for the director, one for each board.

A phone that scans a board's label shows that board. The director's label opens the pages that
need the token, so it is on a sheet of its own.
"""

from collections.abc import Mapping
from html import escape

from room.qr_codes import qr_inline

STYLE = """
@page { margin: 10mm }
body { font-family: sans-serif; margin: 0; color: #000; background: #fff }
section { display: grid; grid-template-columns: repeat(3, 1fr); gap: 4mm }
section + section { break-before: page }
article { border: 0.3mm dashed #888; padding: 4mm; text-align: center; break-inside: avoid }
article svg { width: 38mm; height: 38mm }
h1 { font-size: 9mm; margin: 0 }
p { font-size: 3mm; margin: 1mm 0; overflow-wrap: anywhere }
"""


def label_sheet(room: str, address: str, token: str, boards: Mapping[str, str]) -> str:
    """Return the labels as one page of HTML; `boards` are the names of the clocks, by board.

    The address of the pages has a slash at its end; the token is that of the director's pages.
    """
    director = _label("Director", f"{room}: keep this one", f"{address}?token={token}")
    labels = [
        _label(f"Board {board}", clock, f"{address}board/{board}")
        for board, clock in boards.items()
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(room)}: labels</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<section>\n{director}</section>\n<section>\n{''.join(labels)}</section>\n"
        "</body>\n</html>\n"
    )


def _label(title: str, text: str, address: str) -> str:
    return (
        f"<article><h1>{escape(title)}</h1>{qr_inline(address)}"
        f"<p>{escape(text)}</p><p>{escape(address)}</p></article>\n"
    )
