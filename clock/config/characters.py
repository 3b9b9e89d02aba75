"""Characters that word processors write into a settings file, and what belongs there."""

import re
import unicodedata

from clock.text import message

QUOTES = "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u00ab\u00bb\u00b4\u0060"
_NAMES = {
    "\f": "FORM FEED",
    "\v": "VERTICAL TAB",
    "\r": "CARRIAGE RETURN",
    "\0": "NULL",
    "\x1a": "END OF FILE",
    "\x85": "NEXT LINE",
}
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*')  # texts and comments may have any letter


def odd_in_line(line: str) -> str | None:
    """Return the first character of a line that TOML has no use for, outside of texts."""
    plain = _TEXTS.sub("", line)
    return next((char for char in plain if not " " <= char <= "~" and char != "\t"), None)


def odd_in_value(text: str) -> str | None:
    """Return the first character of a value that is not seen, or looks like another one."""
    odd = (char for char in text if char in QUOTES or not char.isprintable())
    return next(odd, None)


def named(char: str) -> str:
    """Return how a character is called: its number and its name."""
    name = unicodedata.name(char, _NAMES.get(char, "CONTROL CHARACTER"))
    return f"U+{ord(char):04X} {name}"


def instead(char: str) -> str:
    """Return what to write in place of a character, or of what follows it too."""
    if char in QUOTES:
        return message("straight_quote")
    match unicodedata.category(char):
        case "Zs":
            return message("ordinary_space")
        case "Pd":
            return message("hyphen")
        case "Zl" | "Zp":
            return message("new_line")
        case "Cc" | "Cf" | "Co" | "Cn":
            return message("new_line") if char in "\r\x85" else message("nothing_there")
        case _:
            return message("hyphen") if char == "\u2212" else message("plain_letters")
