"""Texts and numbers of a clock within what JSON, JavaScript and a page bear.

What a clock sends may be hostile: texts are cut and stripped of control characters here, and shown
as text by the pages.
"""

import unicodedata

LONGEST_TEXT = 200  # characters
SAFE_NS = 2**53 - 1  # larger integers do not survive JavaScript
# Beside control characters (Cc, Cs, Co): marks that change the direction of the text around them.
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean(text: str) -> str:
    """Return a text of a clock without what could harm a page: cut, on one line, as it reads."""
    if text.isascii() and text.isprintable():  # nearly all texts
        return text[:LONGEST_TEXT]
    kept = (each for each in text[: 2 * LONGEST_TEXT] if _is_harmless(each))
    return "".join(kept)[:LONGEST_TEXT]


def _is_harmless(character: str) -> bool:
    is_control = unicodedata.category(character) in ("Cc", "Cs", "Co", "Zl", "Zp")
    return not is_control and character not in BIDI


def safe(number: int) -> int:
    """Return a number of a log within what JSON and JavaScript keep exactly."""
    return max(-SAFE_NS, min(SAFE_NS, number))
