"""The result of one check, and how results are printed on a terminal."""

from collections.abc import Iterable
from enum import Enum
from textwrap import fill
from typing import NamedTuple

WIDTH = 80  # columns of a terminal
MARK_WIDTH, NAME_WIDTH = 7, 13  # columns


class Verdict(Enum):
    """The verdict on a part; the value begins the printed line."""

    OK = "ok"
    NOTE = "note"  # it works, but could be better
    FAULT = "FAULT"  # something is missing or cannot be used
    SKIPPED = "-"  # not tested


class Finding(NamedTuple):
    """The result of one check."""

    name: str
    found: str
    verdict: Verdict = Verdict.OK
    advice: str = ""  # what to do; empty unless the verdict is NOTE or FAULT


def group_advice(groups: str, user: str = "$USER") -> str:
    """Return how to give a user access to the devices of some groups (separated by commas)."""
    return f"Run this, then log in again: sudo usermod -aG {groups} {user}"


def line(finding: Finding) -> str:
    """Return a finding in aligned columns, wrapped to the width of the terminal."""
    mark = f"{finding.verdict.value:{MARK_WIDTH}}{finding.name:{NAME_WIDTH}}"
    return _wrapped(mark, finding.found)


def summary(findings: Iterable[Finding]) -> str:
    """Return all faults, then all notes, each with what to do; or that there are none."""
    found = list(findings)
    faults = [each for each in found if each.verdict is Verdict.FAULT]
    notes = [each for each in found if each.verdict is Verdict.NOTE]
    if not faults and not notes:
        skipped = any(each.verdict is Verdict.SKIPPED for each in found)
        return "No faults found." + skipped * " Lines marked - were not tested."
    counts = filter(None, [_count(faults, "fault"), _count(notes, "note")])
    problems = [_problem(*numbered) for numbered in enumerate(faults + notes, 1)]
    return "\n\n".join([f"{' and '.join(counts)}. What to do:", *problems])


def has_fault(findings: Iterable[Finding]) -> bool:
    """Return whether a part is missing or cannot be used."""
    return any(finding.verdict is Verdict.FAULT for finding in findings)


def _problem(number: int, finding: Finding) -> str:
    found = _wrapped(f"{number:>2}  ", f"{finding.name}: {finding.found}")
    return f"{found}\n{_wrapped('    ', finding.advice)}"


def _count(findings: list[Finding], noun: str) -> str:
    number = len(findings)
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def _wrapped(beginning: str, text: str) -> str:
    """Return a text wrapped behind `beginning`, with no command broken at a hyphen."""
    return fill(
        text,
        WIDTH,
        initial_indent=beginning,
        subsequent_indent=" " * len(beginning),
        break_on_hyphens=False,
        break_long_words=False,
    )
