"""Files with the same rules, and with others."""

import pytest

from clock.config.comparison import comparison
from lab.support.settings_files import EVENT, parse


@pytest.mark.rule("R104")
def test_files_with_the_same_rules_are_named_together() -> None:
    other = EVENT.replace('"7"', '"8"').replace('"Ada"', '"Eve"') + "[display]\nbus = 2\n"
    assert compared(a=EVENT, b=other) == ["The same rules: a, b"]


@pytest.mark.rule("R104")
def test_a_file_with_other_rules_is_named_with_each_difference() -> None:
    """In [match] and [rules], in a preset, and presets that only one of them has."""
    other = EVENT.replace("length = 13", "length = 15").replace('"0:15"', '"0:12"')
    other = other.replace('"Fast"', '"Slow"')
    first, second = parse(EVENT), parse(other)
    codes = [
        (one.match.code, two.match.code)
        for one, two in zip(first.choices, second.choices, strict=True)
    ]
    assert compared(a=EVENT, b=EVENT, c=other) == [
        "The same rules: a, b",
        "Other rules than a: c",
        "  rules.delay is 0:12, not 0:15",
        f"  settings code is {codes[0][1]}, not {codes[0][0]}",
        '  preset "Final": match.length is 15 points, not 13 points',
        '  preset "Final": rules.delay is 0:12, not 0:15',
        f'  preset "Final": settings code is {codes[1][1]}, not {codes[1][0]}',
        '  preset "Fast" is missing',
        '  preset "Slow" is added',
    ]


@pytest.mark.rule("R104")
def test_rules_that_no_line_shows_differ_by_their_code() -> None:
    one_break = "[rules]\nbreaks = 1"
    assert compared(a=one_break, b="") == [
        "Other rules than a: b",
        f"  settings code is {parse('').match.code}, not {parse(one_break).match.code}",
    ]


def compared(**texts: str) -> list[str]:
    """What is said of these files."""
    return list(comparison({name: parse(text) for name, text in texts.items()}))
