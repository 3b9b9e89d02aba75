"""A settings file as word processors save it: the message names what they have written."""

from pathlib import Path

import pytest

from clock.config.characters import instead, named
from clock.config.loader import load_settings, parse_settings
from clock.config.reader import ConfigError
from clock.text import message
from lab.support.paths import DATA

CASES = DATA / "cases" / "config"
GOOD = '[match]\nlength = 7\nevent = "\u201cOpen\u201d\u00a0\u2013 \u00c5r"  # \u201c\u00a0\u201d\n'
PLACES = {  # where a character stands: the text
    "indentation": "[match]\n{}length = 7\n",
    "after the key": "[match]\nlength{}= 7\n",
    "after the value": "[match]\nlength = 7{}\n",
    "a line": "[match]\n{}\nlength = 7\n",
    "the end": "[match]\nlength = 7\n{}",
    "after a text": '[match]\nevent = "\u201cOpen\u201d"{}\n',
    "before a comment": "[match]\nlength = 7 {} # seven\n",
}
KINDS = {
    "\u201c\u201d\u2018\u2019\u201e\u00ab\u2033\u00b4": "straight_quote",
    "\u00a0\u2007\u202f\u2003\u3000": "ordinary_space",
    "\f\v\x00\x1a\u200b\u200e\u2060\ufeff\u00ad\ue000\uffff": "nothing_there",
    "\u2028\u2029\x85": "new_line",
    "\u2013\u2014\u2010\u2212": "hyphen",
    "\u00e4\u0430\uff1d": "plain_letters",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("chars", KINDS)
def test_the_character_is_named_and_what_to_write(chars: str, place: str) -> None:
    for char in chars:
        with pytest.raises(ConfigError) as caught:
            parse_settings(PLACES[place].format(char), "my.toml")
        assert caught.value.found.endswith(f"[{named(char)}]")
        assert instead(char) == message(KINDS[chars])
        assert caught.value.allowed is not None
        assert f"For U+{ord(char):04X} " in str(caught.value)
        assert f"write {instead(char)}." in str(caught.value)


@pytest.mark.parametrize("path", sorted(CASES.iterdir()), ids=lambda path: path.name)
def test_files_that_pcs_have_saved(path: Path) -> None:
    """Also within a text, where TOML allows it: a time begins with a no-break space."""
    with pytest.raises(ConfigError) as caught:
        load_settings(path)
    char = {"f": "U+000C FORM FEED", "n": "U+00A0 NO-BREAK SPACE", "s": "U+201C LEFT DOUBLE"}
    assert char[path.name[0]] in caught.value.found


def test_texts_and_comments_may_have_them() -> None:
    assert parse_settings(GOOD, "my.toml").match.event == "\u201cOpen\u201d\u00a0\u2013 \u00c5r"


def test_another_error_of_such_a_line_is_as_ever() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_settings('[match]\n\tevent = "\u201cOpen\u201d" ~7\n', "my.toml")
    assert "U+" not in str(caught.value)
