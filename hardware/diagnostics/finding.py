"""What an examination found, and how it reads on a terminal.

The one rule: whoever reads a finding that is not well is told in the same breath what to do.
"""

from collections.abc import Iterable
from enum import Enum
from textwrap import fill
from typing import NamedTuple

WIDTH = 80  # columns, of a terminal
MARK, NAME = 7, 13  # columns, of the first words of a line


class Verdict(Enum):
    """How it is; the value stands in front of the line."""

    WELL = "ok"
    NOTE = "note"  # it works, and could be better
    FAULT = "FAULT"  # something is missing, or cannot be used
    LEFT_OUT = "-"  # not examined


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    found: str
    verdict: Verdict = Verdict.WELL
    advice: str = ""  # what to do; "" where all is well


def line(finding: Finding) -> str:
    """A finding in aligned columns, on more than one line if it is long."""
    return _row(f"{finding.verdict.value:{MARK}}{finding.name:{NAME}}", finding.found)


def told_last(findings: Iterable[Finding]) -> str:
    """All that is not well with what to do about it, the faults first; or that there is nothing."""
    found = list(findings)
    wrong = [each for each in found if each.verdict in {Verdict.NOTE, Verdict.FAULT}]
    if not wrong and any(finding.verdict is Verdict.LEFT_OUT for finding in found):
        return "What was examined is well."
    if not wrong:
        return "All is well."
    wrong.sort(key=lambda finding: finding.verdict is Verdict.NOTE)
    faults = sum(finding.verdict is Verdict.FAULT for finding in wrong)
    counts = [_count(faults, "fault"), _count(len(wrong) - faults, "note")]
    head = f"{' and '.join(filter(None, counts))}. What to do:"
    return "\n\n".join([head, *(_told(*numbered) for numbered in enumerate(wrong, 1))])


def _told(number: int, finding: Finding) -> str:
    what = _row(f"{number:>2}  ", f"{finding.name}: {finding.found}")
    return f"{what}\n{_row('    ', finding.advice)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}" if number else ""


def _row(beginning: str, text: str) -> str:
    """A text after the beginning of its line, and under itself on the next ones.

    A command is never broken at a hyphen, so that it can be copied.
    """
    return fill(
        text,
        WIDTH,
        initial_indent=beginning,
        subsequent_indent=" " * len(beginning),
        break_on_hyphens=False,
        break_long_words=False,
    )
