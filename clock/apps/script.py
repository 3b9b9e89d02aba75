"""A script of a match: one act a line, `SECONDS ACT` (contract).

`SECONDS` since the act before, decimals to the nanosecond; `#` begins a comment. A hold takes the
time that a hold takes, and the next act's seconds count from its end. The one rule: a line that is
no act is an error; nothing is guessed.
"""

import re
from decimal import Decimal
from typing import NamedTuple

from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.match.rules import SECOND_NS
from clock.match.sides import Button

# At most a day or so at once: a slip of the finger shall not play for years.
_LINE = re.compile(r"(?P<seconds>[0-9]{1,5}(?:\.[0-9]{1,9})?)\s+(?P<act>[a-z]+(?:\s+[a-z]+)?)")
ACTS = "press left, press right, press centre, hold centre, power cut, wait"
ALLOWED = f"SECONDS (0 to 99999, at most 9 decimals) and one of: {ACTS}"
LONGEST_SHOWN = 60  # characters of a bad line


class ScriptError(Exception):
    """A script cannot be played; the message says where and what is allowed."""


class Segment(NamedTuple):
    """What happens between two power cuts; instants count from its beginning."""

    moves: tuple[ButtonMoved, ...]
    end_ns: int


def read(content: bytes, source: str) -> tuple[Segment, ...]:
    """The segments of a script as it stands in a file, whatever system it was written on.

    Raises:
        ScriptError: it is no text, or a line is not `SECONDS ACT`.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        advice = "found no text; save it as plain text with the encoding UTF-8"
        raise ScriptError(f"{source}, line {number}: {advice}") from error
    return parse(text, source)


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
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split("#", 1)[0].strip()
        if not words:
            continue
        seconds_ns, act = _act(words, f"{source}, line {number}")
        at_ns += seconds_ns
        if act == "power cut":
            segments.append(Segment(tuple(moves), at_ns))
            moves, at_ns = [], 0
        else:
            made = _moves(act, at_ns)
            moves.extend(made)
            at_ns = made[-1].at_ns if made else at_ns
    return (*segments, Segment(tuple(moves), at_ns))


def _act(words: str, where: str) -> tuple[int, str]:
    match = _LINE.fullmatch(words)
    act = " ".join(match["act"].split()) if match else ""
    if match is None or act not in ACTS.split(", "):
        raise ScriptError(f"{where}: found {words[:LONGEST_SHOWN]!r}; allowed is {ALLOWED}")
    return int(Decimal(match["seconds"]) * SECOND_NS), act


def _moves(act: str, at_ns: int) -> tuple[ButtonMoved, ...]:
    """The edges of a press or hold."""
    match act.split():
        case ["press", name]:
            up_ns = at_ns
        case ["hold", name]:
            up_ns = at_ns + HOLD_NS
        case _:
            return ()
    button = Button(name)
    return (
        ButtonMoved(button, down=True, at_ns=at_ns),
        ButtonMoved(button, down=False, at_ns=up_ns),
    )
