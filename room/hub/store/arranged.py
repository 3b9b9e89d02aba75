"""Put the lines of a log into their order, whatever came twice, late or in place of others."""

from collections.abc import Iterable
from typing import NamedTuple

from room.lines.inbox import Verdict


class LineRow(NamedTuple):
    """A line in the table `lines`."""

    arrival: int
    seq: int | None
    verdict: Verdict
    line: bytes


class ArrangedLog(NamedTuple):
    """A log, and the rows of `lines` that it is made of."""

    lines: list[bytes]
    arrivals: list[int]


def arranged(log: ArrangedLog, rows: Iterable[LineRow]) -> ArrangedLog:
    """Return a log with later lines; of two that contradict each other the later one counts."""
    lines, arrivals = list(log.lines), list(log.arrivals)
    for row in rows:
        if row.verdict is Verdict.MISSING:  # it comes again, after those before it
            continue
        if row.seq is not None:  # of a damaged log or another branch nothing counts from here on
            base = len(lines) - len(arrivals)
            del lines[row.seq - 1 :], arrivals[max(0, row.seq - 1 - base) :]
        lines.append(row.line)
        arrivals.append(row.arrival)
    return ArrangedLog(lines, arrivals)
