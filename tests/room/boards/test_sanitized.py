"""What a clock sends, made harmless."""

import pytest

from room.boards.sanitized import clean, safe

SAFE_NS = 9_007_199_254_740_991  # Number.MAX_SAFE_INTEGER


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),  # pages show it as text
        ("Anna\u202etxt.exe", "Annatxt.exe"),
        ("a\x00b\nc\x1b[31m", "abc[31m"),
        ("x" * 10_000, "x" * 200),
        ("\ud800", ""),
        ("Zoë 🎲 محمد", "Zoë 🎲 محمد"),
    ],
)
def test_hostile_texts_are_cut_and_cleaned(hostile: str, harmless: str) -> None:
    """What could break a page or turn the text around it is left out; the rest stays."""
    assert clean(hostile) == harmless


def test_numbers_stay_exact_in_javascript() -> None:
    numbers = (-(10**30), -SAFE_NS, 0, SAFE_NS, SAFE_NS + 1)
    assert list(map(safe, numbers)) == [-SAFE_NS, -SAFE_NS, 0, SAFE_NS, SAFE_NS]
