"""How long a page of Markdown is in print."""

import re
from itertools import zip_longest

LINES_PER_PAGE = 60  # of A4
PRINTED_WIDTH = 128  # characters in a line of them
COLUMN_GAP = 2  # characters between the columns of a table


def printed_lines(page: str) -> int:
    """Return how many lines a page of Markdown takes in print, without its marks."""
    blocks = re.findall(r"(?:^\|.*\n)+|^.*\n", re.sub(r"[`*]", "", page), re.MULTILINE)
    return sum(
        _table_lines(block.splitlines())
        if block.startswith("|")
        else _wrapped(block.rstrip(), PRINTED_WIDTH)
        for block in blocks
    )


def _table_lines(lines: list[str]) -> int:
    """Return how many lines a table takes if all its columns but the last are as wide as needed."""
    rows = [line.strip("| ").split(" | ") for line in lines if not line.startswith("|-")]
    *others, _ = (max(len(cell) for cell in column) for column in zip_longest(*rows, fillvalue=""))
    rest = PRINTED_WIDTH - sum(width + COLUMN_GAP for width in others)
    return sum(_wrapped(row[-1], rest) for row in rows)


def _wrapped(text: str, width: int) -> int:
    return max(1, -(-len(text) // width))
