"""Refuse a text that is costly to parse, before it is parsed.

The cost of `tomllib` grows with the square of the parts of a key: one key that fills a file of
64 KiB takes gigabytes. Here each character is looked at a few times, whatever the text is.
"""

import re

MAX_LINES = 2000  # the example with every key and a long comment at each has 84
MAX_VALUES = 500  # a file that gives every key has about a hundred signs of this kind
LINES_OF_VALUE = 2  # its own and one of a comment: a file of more values may have more lines
MAX_KEY_PARTS = 3  # buttons.pins.left
MAX_DEPTH = 2  # of brackets around a value

# Strings and comments, as TOML ends them; one that is not ended reaches to the end of its line or,
# if it may have several lines, of the text. Possessive quantifiers: nothing is tried twice.
_QUOTED = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+\\?"{0,5}'
    r"|'''(?:[^']++|'(?!''))*+'{0,5}"
    r'|"(?:[^"\\\n]++|\\[^\n])*+\\?"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_PART = r"[ \t]*+[\w-]++[ \t]*+"
_LONG_KEY = re.compile(rf"(?:\A|[\n,\[{{])(?:{_PART}\.){{{MAX_KEY_PARTS}}}")
_BRACKET = re.compile(r"[\[{\]}]|^[ \t]*+[\w.-]++[ \t]*+=", re.MULTILINE)


class LimitError(ValueError):
    """A text is beyond a limit.

    Attributes:
        line: its number, or None if it is the whole text.
        allowed: what may be there.
    """

    def __init__(self, line: int | None, allowed: str) -> None:
        super().__init__(f"beyond a limit (at line {line})" if line else "too large")
        self.line = line
        self.allowed = allowed


def check_limits(text: str, max_values: int = MAX_VALUES) -> None:
    """Refuse a text with too many lines or values, or with a key or value of too many levels.

    Raises:
        LimitError: a limit is exceeded.
    """
    max_lines = max(MAX_LINES, LINES_OF_VALUE * max_values)
    most = max_lines + max_values
    bare, replaced = _QUOTED.subn(_placeholder, text, count=most + 1)
    if key := _LONG_KEY.search(bare):
        allowed = f"a key of at most {MAX_KEY_PARTS} parts, such as buttons.pins.left"
        raise LimitError(_line(bare, key.end()), allowed)
    _check_depth(bare)
    values = sum(map(bare.count, "=,[{"))
    if text.count("\n") > max_lines or replaced > most or values > max_values:
        raise LimitError(None, f"a file of at most {max_lines} lines and {max_values} values")


def _check_depth(bare: str) -> None:
    depth = 0
    for sign in _BRACKET.finditer(bare):
        if sign[0] in "[{":
            depth += 1
        elif sign[0] in "]}":
            depth -= 1
        else:  # a new key: a bracket that was forgotten before it is not counted
            depth = 0
        if depth > MAX_DEPTH:
            allowed = f"a value in at most {MAX_DEPTH} brackets, such as [0, 0]"
            raise LimitError(_line(bare, sign.start()), allowed)


def _placeholder(quoted: re.Match[str]) -> str:
    """Return a word in place of a string or comment, with its line feeds."""
    return "_" + "\n" * quoted[0].count("\n")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
