"""A script of a match: one act a line, `SECONDS ACT` (contract).

`SECONDS` since the act before, decimals to the nanosecond; `#` begins a comment. A hold takes the
time that a hold takes, and the next act's seconds count from its end.
"""

import re
from decimal import Decimal
from typing import NamedTuple

from clock.dialogue import HOLD_NS, ButtonMoved
from clock.rules import SECOND_NS
from clock.sides import Button

_LINE = re.compile(r"(?P<seconds>\d{1,9}(?:\.\d{1,9})?)\s+(?P<act>[a-z]+(?:\s+[a-z]+)?)")
ACTS = "press left, press right, press centre, hold centre, power cut, wait"


class ScriptError(Exception):
    """A script cannot be played; the message says where and what is allowed."""


class Segment(NamedTuple):
    """What happens between two power cuts; instants count from its beginning."""

    moves: tuple[ButtonMoved, ...]
    end_ns: int


def parse(text: str, source: str) -> tuple[Segment, ...]:
    """The segments of a script; a power cut ends one, the end of the script the last.

    Args:
        text: the script.
        source: its name, for errors.

    Raises:
        ScriptError: a line is not `SECONDS ACT`.
    """
    segments: list[Segment] = []
    moves: list[ButtonMoved] = []
    at_ns = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].strip()
        if not words:
            continue
        seconds_ns, act = _act(words, f"{source}, line {number}")
        at_ns += seconds_ns
        if act == "power cut":
            segments.append(Segment(tuple(moves), at_ns))
            moves, at_ns = [], 0
        else:
            moves.extend(_moves(act, at_ns))
            at_ns = moves[-1].at_ns if moves and act != "wait" else at_ns
    return (*segments, Segment(tuple(moves), at_ns))


def _act(words: str, where: str) -> tuple[int, str]:
    match = _LINE.fullmatch(words)
    act = " ".join(match["act"].split()) if match else ""
    if match is None or act not in ACTS.split(", "):
        raise ScriptError(f"{where}: found {words!r}; allowed is SECONDS and one of: {ACTS}")
    return int(Decimal(match["seconds"]) * SECOND_NS), act


def _moves(act: str, at_ns: int) -> tuple[ButtonMoved, ...]:
    """The edges of a press or hold."""
    match act.split():
        case ["press", name]:
            button = Button(name)
            return (ButtonMoved(button, down=True, at_ns=at_ns), ButtonMoved(button, False, at_ns))
        case ["hold", name]:
            button = Button(name)
            up_ns = at_ns + HOLD_NS
            return (ButtonMoved(button, down=True, at_ns=at_ns), ButtonMoved(button, False, up_ns))
        case _:
            return ()
