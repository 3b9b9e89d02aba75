"""Parse the script of a match: one act per line, `SECONDS ACT` (contract).

`SECONDS` count from the act before, with decimals down to the nanosecond; `#` begins a comment. A
hold lasts as long as the clock asks for, and the next act's seconds count from its end.
"""

import re
from decimal import Decimal
from typing import NamedTuple

from clock.match.types import Button
from clock.ui.dialogue import HOLD_NS, ButtonMoved
from clock.units import SECOND_NS

# Five digits are about a day: a typing error must not play for years.
_LINE = re.compile(r"(?P<seconds>[0-9]{1,5}(?:\.[0-9]{1,9})?)\s+(?P<act>[a-z]+(?:\s+[a-z]+)?)")
ACTS = (
    "press left, press right, press centre, hold centre, crawford now, crawford done, "
    "power cut, wait"
)
ALLOWED = f"SECONDS (0 to 99999, at most 9 decimals) and one of: {ACTS}"
MAX_SCRIPT = 1 << 20  # bytes
LONGEST_SHOWN = 60  # characters of a bad line


class ScriptError(Exception):
    """A script cannot be played; the message names the line, what was found and what is allowed."""


class Segment(NamedTuple):
    """The button edges between two power cuts; instants count from its beginning."""

    moves: tuple[ButtonMoved, ...]
    end_ns: int


def parse_bytes(content: bytes, source: str) -> tuple[Segment, ...]:
    """Return the segments of a script file.

    Raises:
        ScriptError: it is not UTF-8 text, or a line is not `SECONDS ACT`.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        advice = "found bytes that are not UTF-8; save it as plain text with the encoding UTF-8"
        raise ScriptError(f"{source}, line {number}: {advice}") from error
    return parse(text, source)


def parse(text: str, source: str) -> tuple[Segment, ...]:
    """Return the segments of a script, which power cuts separate; `source` names it in errors.

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
            made = _edges(act, at_ns)
            moves.extend(made)
            at_ns = made[-1].at_ns if made else at_ns
    return (*segments, Segment(tuple(moves), at_ns))


def _act(words: str, where: str) -> tuple[int, str]:
    match = _LINE.fullmatch(words)
    act = " ".join(match["act"].split()) if match else ""
    if match is None or act not in ACTS.split(", "):
        raise ScriptError(f"{where}: found {words[:LONGEST_SHOWN]!r}; allowed is {ALLOWED}")
    return int(Decimal(match["seconds"]) * SECOND_NS), act


# The players' answer to the question whether the Crawford game has been played: the centre opens
# it, a plunger answers, the centre takes the answer and carries it out (R107).
ANSWERS = {
    "crawford now": ("press centre", "press right", "press centre", "press centre"),
    "crawford done": ("press centre", "press left", "press centre", "press centre"),
}


def _edges(act: str, at_ns: int) -> tuple[ButtonMoved, ...]:
    return tuple(edge for press in ANSWERS.get(act, (act,)) for edge in _moves(press, at_ns))


def _moves(act: str, at_ns: int) -> tuple[ButtonMoved, ...]:
    """Return the edges of a press or hold; none for a wait."""
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
