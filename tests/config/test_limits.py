"""What a configuration file may cost: work and memory are bounded, whatever is in it."""

import sys
import tomllib
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from clock.config.fallback import salvage_tables
from clock.config.limits import MAX_LINES, MAX_VALUES, LimitError, check_limits
from clock.config.loader import MAX_BYTES, load_settings, parse_settings
from clock.config.reader import ConfigError
from lab.support.paths import ROOT

EXAMPLES = sorted((ROOT / "config").glob("*.toml"))
MAX_MEMORY = 10_000_000  # bytes
MAX_CALLS = 100_000  # of functions: less than 50 ms


def filled(line: str, most: int = MAX_BYTES) -> str:
    """Return a text of that size, made of numbered lines."""
    count = most // len(line.format("ffff"))
    return "".join(line.format(f"{number:04x}") for number in range(count))


REFUSED = {  # before they are parsed, with the line that the message names
    "key of 32,000 parts": ("[match]\na" + ".a" * 32_000 + " = 1", 2),
    "key of 20,000 quoted parts": ("a" + ".''" * 20_000 + " = 1", 1),
    "spaces around the dots": ("[match]\n\n" + "a . " * 16_000 + " = 1", 3),
    "in an inline table": ("a = { b" + ".a" * 32_000 + " = 1 }", 1),
    "in a list": ("a = [1, { b" + ".a" * 32_000 + " = 1 }]", 1),
    "as a table": ("\n[a" + ".a" * 32_000 + "]", 2),
    "as a list of tables": ("\n[[a" + ".a" * 32_000 + "]]", 2),
    "after a text with quotes at its end": ('a = ["""b"""", { b' + ".a" * 32_000 + " = 1 }]", 1),
    "after a text of two lines": ('a = """b\n#"""\nb' + ".a" * 32_000 + " = 1", 3),
    "key of four parts": ("a.b.c.d = 1", 1),
    "lists in lists": ("[match]\nscore = " + "[" * 60_000, 2),
    "tables in tables": ("[match]\nscore = " + "{ a = " * 10_000, 2),
    "three brackets": ("score = [{ a = [1] }]", 1),
    "three brackets in lines": ("[match]\nscore = [\n[\n[1]]]", 4),
    "many keys": (filled("{} = 1\n"), None),
    "many tables": (filled("[a.b.x{}]\n"), None),
    "many keys with parts": (filled("x{}.b.c = 1\n"), None),
    "long list": (f"a = [{'1,' * 30_000}]", None),
    "list of texts": ("a = [" + "''," * 20_000 + "]", None),
    "list of tables": ("a = [" + "{}," * 20_000 + "]", None),
    "many lines": ("\n" * (MAX_LINES + 1), None),
}
BOUNDED = {  # these are parsed, or are no TOML
    **{name: text for name, (text, _) in REFUSED.items()},
    "long key": "a" * 60_000 + " = 1",
    "long unknown key": "[match]\n" + "a" * 60_000 + " = 1",
    "long number": "[match]\nlength = 0x" + "f" * 60_000,
    "long decimal number": "[match]\nlength = " + "9" * 60_000,
    "long text": 'a = "' + "\\n" * 32_000 + '"',
    "open text": '[log]\ndirectory = """' + '"\\"' * 20_000,
    "quotes": '"' * 60_000,
    "open quotes": "'''a\n" * 1_000 + "'''\n''" * 10_000,
    "backslashes": '"""' + "\\" * 60_001,
    "as many as may be": filled("x{}.b.c = 1\n", MAX_VALUES * 12) + "#" * 50_000,
    "as many tables as may be": filled("[a.b.x{}]\n", MAX_VALUES * 10) + "#" * 50_000,
    "bad lines": filled("{} = 1\n", MAX_VALUES * 9) + "x x\n" * 60 + "#" * 50_000,
    "nothing but bad lines": "x\n" * (MAX_LINES - 1),
    "words": "a " * 30_000,
    "brackets": "[]" * 30_000,
    "dots": "." * 60_000,
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_costly_text_is_refused_before_it_is_parsed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, line = REFUSED[name]
    monkeypatch.setattr(tomllib, "loads", None)  # not callable
    with pytest.raises(ConfigError) as found:
        parse_settings(text, "my.toml")
    error = found.value
    assert (error.file, error.key) == ("my.toml", f"line {line}" if line else "file")
    assert "at most" in error.allowed
    assert len(str(error)) < 500


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_are_far_below_the_limits(path: Path) -> None:
    check_limits(path.read_text() * 3)


@pytest.mark.parametrize(
    "text",
    [
        '# a.b.c.d = 1, [[[, """\n',
        'directory = "/a.b.c.d/[[[/#"',
        "directory = '/a.b.c.d/\"'\n",
        'directory = """\na.b.c.d = [[[\n"""\n',
        "directory = '''\na.b.c.d = [[[\n'''\n",
        'directory = "\\"[[[a.b.c.d = 1"',
        "buttons.pins.left = 4",
        "[buttons]\npins = { left = 4 }",
        "value = 1979-05-27T07:32:00.999",
        "score = [[0], [0], [0]]",
    ],
)
def test_what_is_in_texts_and_comments_does_not_count(text: str) -> None:
    check_limits(text)
    tomllib.loads(text)


def test_a_forgotten_bracket_is_reported_where_it_is() -> None:
    text = "[match]\nscore = [0, 0\nlength = 7\n[display]\naddresses = [60, 61]\n[[a]]\n"
    with pytest.raises(ConfigError) as found:
        parse_settings(text, "my.toml")
    assert found.value.key == "line 3"


def test_a_text_with_a_long_key_is_salvaged_without_its_line() -> None:
    text = '[display]\nlanguage = "da"\n' + "a.b.c.d = 1\n"
    assert salvage_tables(text).display.language == "da"


def test_a_limit_without_a_line_is_one_of_the_whole_text() -> None:
    with pytest.raises(LimitError) as found:
        check_limits("\n" * (MAX_LINES + 1))
    assert (found.value.line, str(found.value)) == (None, "too large")


@pytest.mark.slow
@pytest.mark.parametrize("name", BOUNDED)
def test_no_text_costs_more_than_its_share(name: str) -> None:
    """Memory and calls are counted: for settings, and for what is salvaged of a wrong file."""
    text = BOUNDED[name]
    assert len(text) <= MAX_BYTES
    for act in (parsed, salvage_tables):
        assert memory(act, text) <= MAX_MEMORY
        assert calls(act, text) <= MAX_CALLS


def parsed(text: str) -> None:
    """Read a text, which is wrong."""
    with pytest.raises(ConfigError):
        parse_settings(text, "my.toml")


def memory(act: Callable[[str], object], text: str) -> int:
    """Return the most memory that it takes, in bytes."""
    tracemalloc.start()
    try:
        act(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def calls(act: Callable[[str], object], text: str) -> int:
    """Return how many functions are called."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act(text)
    finally:
        sys.setprofile(before)
    return count


def test_a_file_of_the_largest_size_is_not_read_further(tmp_path: Path) -> None:
    """Neither is a device without an end."""
    path = tmp_path / "gammonclock.toml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    for place in (path, Path("/dev/zero")):
        with pytest.raises(ConfigError) as found:
            load_settings(place)
        assert found.value.key == "file"
