"""Mistakes in a settings file: each is named with its key and what is allowed."""

import sys
import tomllib
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from clock.config.checks import conflicts
from clock.config.fallback import salvage_tables
from clock.config.loader import MAX_BYTES, load_settings, parse_settings
from clock.config.reader import MAX_LINES, MAX_VALUES, ConfigError, LimitError, check_limits
from clock.match.profiles import PROFILES
from lab.support.paths import ROOT
from lab.support.rows import row
from lab.support.settings_files import fault


@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ("[mach]\nlength = 7", "mach", '"match"'),
        ("[match]\nlenght = 7", "match.lenght", '"match.length"'),
        ("length = 7", "length", '"length" of [match]'),
        ('[match]\ndelay = "0:12"', "match.delay", '"delay" of [rules]'),
        ("[buttons]\npins = { center = 22 }", "buttons.pins.center", '"buttons.pins.centre"'),
        ('[Rules]\nprofile = "ebf"', "Rules", '"rules"'),
    ],
)
def test_an_unknown_key_gets_a_suggestion(text: str, key: str, meant: str) -> None:
    """For a typing error, and for a key without a table or below the wrong one."""
    error = fault(text)
    assert (error.key, error.found) == (key, "an unknown key")
    assert f"Did you mean {meant}" in str(error)


def test_an_unknown_key_like_no_other_gets_no_suggestion() -> None:
    error = fault("[sound]\nxyzzy = 1")
    assert error.allowed == "one of buzzer_pin, low_time, flag"
    assert "Did you mean" not in str(error)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("[match]\nlenght 11\nscore = [0, 0]", "line 2", '"lenght 11"'),
        ("[match]\r\nlength = 11\r\nplay = singles\r\n", "line 3", '"play = singles"'),
        ("[match\n", "line 1", '"[match"'),
        ("x" * 80, "line 1", f'"{"x" * 80}"'),
        ('[match]\nnames = ["A', "line 2", '"names = ["A"'),
        ("[match]\nlength = 7\nlength = 9\n", "line 3", '"length = 9"'),
        (f"[match]\nlength = {'9' * 5000}", "line 2", '"length = 999'),
        (f"[match]\nscore = {'[' * 30_000}", "line 2", '"score = [[['),
        ("[match]\nscore = [0,\n\n\n", "line 2", '"score = [0,"'),
    ],
)
def test_a_syntax_error_is_reported_with_its_line(text: str, line: str, found: str) -> None:
    error = fault(text)
    assert error.key == line
    assert error.found.startswith(found)


def test_a_message_is_one_short_line() -> None:
    long_key = '"' + "x\\n" * 9000 + '" = 1'
    for text in (*(mistake[0] for mistake in MISTAKES), long_key, "\x1b[2J" * 999):
        message = str(fault(text))
        assert message.isprintable()
        assert len(message) < 700


MISTAKES = [
    ('[match]\nboard = "7/8"', "match.board", '"7/8"', "1 to 8 letters"),
    ("[match]\nlength = 0", "match.length", "0", "1 to 99"),
    ('[match]\nlength = "11"', "match.length", '"11"', "1 to 99"),
    ("[match]\nlength = { most = 11 }", "match.length", "a table", "1 to 99"),
    (f"[match]\nlength = 0x{'f' * 20_000}", "match.length", "too large to show", "1 to 99"),
    ("[match]\nscore = [11, 0]", "match.score", "[11,0]", "0 to 10"),
    ("[match]\nscore = [0, 11]", "match.score", "[0,11]", "0 to 10"),
    ("[match]\nscore = [-1, 0]", "match.score", "[-1,0]", "two whole numbers"),
    ("[match]\nscore = [0, -1]", "match.score", "[0,-1]", "two whole numbers"),
    ('[match]\nreserves = ["1", "8:05"]', "match.reserves", '["1","8:05"]', '"12:34"'),
    ('[match]\nnames = ["A", "\\u202eB"]', "match.names", '["A","?B"]', "printable"),
    ('[match]\nnames = ["A\\nB", "B"]', "match.names", "A", "printable"),
    ("match = 5", "match", "5", "a table"),
    ("[[match]]", "match", "[{}]", "a table"),
    ('[rules]\nprofile = "\u201cebf\u201d"', "rules.profile", "U+201C LEFT DOUBLE", '"ebf"'),
    ('[rules]\ndelay = "0:75"', "rules.delay", '"0:75"', '"2:00"'),
    ("[rules]\ndelay = 12", "rules.delay", "12", "in quotes"),
    ("[rules]\ndelay = 00:12:00", "rules.delay", "00:12:00", "in quotes"),
    ('[rules]\ndelay = "-0:12"', "rules.delay", '"-0:12"', '"2:00"'),
    ('[rules]\nlate_step = "0:00"', "rules.late_step", '"0:00"', "for no penalty"),
    ('[rules]\nrecord = ["dice"]', "rules.record", '["dice"]', '"who" and "cube"'),
    ('[rules]\nrecord = ["who", "cube", "who"]', "rules.record", "cube", '"who" and "cube"'),
    ('[rules]\ntime_per_point = "12"', "rules.time_per_point", '"12"', '"none"'),
    ('[log]\ndirectory = ""', "log.directory", '""', "/var/lib/gammonclock"),
    ("[display]\ncolumn_offset = 2", "display.column_offset", "2", "only an sh1106"),
    ("[display]\naddresses = [0x3C, 0x3C]", "display.addresses", "0x3C", "different"),
    ("[display]\naddresses = [0x02, 0x3C]", "display.addresses", "[2,60]", "0x03 to 0x77"),
    ("[display]\naddresses = [0x78, 0x3C]", "display.addresses", "[120,60]", "0x03 to 0x77"),
    ("[display]\nrotate = [0, 1]", "display.rotate", "[0,1]", "0 or 2"),
    ("[buttons]\npins = [17, 27, 22]", "buttons.pins", "[17,27,22]", "left, right, centre"),
    ("[sound]\nlow_time = 0", "sound.low_time", "0", "true or false"),
    ("[lamps]\nleft = 5\nright = 5", "lamps.right", "5", "lamps.left"),
    ("[sound]\nbuzzer_pin = 5\n[lamps]\nright = 5", "lamps.right", "5", "sound.buzzer_pin"),
    ("[buttons]\npins = { left = 22 }", "buttons.pins", "left 22", "buttons.pins centre"),
]


@pytest.mark.rule("R8")
@pytest.mark.parametrize(("text", "key", "found", "allowed"), MISTAKES)
def test_a_mistake_is_reported_with_its_key(text: str, key: str, found: str, allowed: str) -> None:
    """The message also has the file, what was found and what is allowed."""
    error = fault(text)
    assert error.file == "match.toml"
    assert error.key == key
    assert found in error.found
    assert allowed in error.allowed
    for part in (error.file, error.key, error.found, error.allowed):
        assert part in str(error)


ON_SPI = '[display]\ninterface = "spi"\n'
CLASHES = [  # a file, the key that is named, and what has the pin
    *((f"[lamps]\nleft = {pin}\n", "lamps.left", "I2C") for pin in (2, 3)),
    *((f"{ON_SPI}[lamps]\nleft = {pin}\n", "lamps.left", "SPI") for pin in range(7, 12)),
    *((f"{ON_SPI}[lamps]\nleft = {pin}\n", "lamps.left", "display") for pin in (24, 25)),
    *(
        (
            f'[log]\nserial = "/dev/{port}"\n[sound]\nbuzzer_pin = {pin}\n',
            "sound.buzzer_pin",
            "log.serial",
        )
        for port in ("ttyAMA0", "ttyS0", "serial0")
        for pin in (14, 15)
    ),
    *(
        (f"[buttons]\npins = {{ left = 1 }}\n[{table}]\n{key} = 1\n", f"{table}.{key}", "left")
        for table, key in (("sound", "buzzer_pin"), ("lamps", "left"), ("lamps", "right"))
    ),
    ("[buttons]\npins = { left = 2 }", "buttons.pins", "I2C (SDA)"),
    (f"{ON_SPI}[buttons]\npins = {{ left = 24 }}", "buttons.pins", "display.dc_pin"),
    (f"{ON_SPI}reset_pin = 27\n", "display.reset_pin", "buttons.pins right"),  # as Waveshare has it
    (f"{ON_SPI}dc_pin = 25\n", "display.dc_pin", "display.reset_pin"),
    ("[display]\nreset_pin = 22\n", "display.reset_pin", "buttons.pins centre"),
]
ADDRESSES = "[display]\naddresses = [0x03, 0x77]\nrotate = [2, 0]\n"
FREE = (ADDRESSES, "[lamps]\nleft = 24\nright = 25\n", "[lamps]\nleft = 14\n",
        f"{ON_SPI}reset_pin = 5\n")  # fmt: skip


@pytest.mark.rule("R141")
def test_each_pin_that_something_else_has_is_named() -> None:
    """With the key to change and what has the pin; a salvaged file has no clash left."""
    for text, key, owner in CLASHES:
        with row(text):
            error = fault(text)
            assert (error.key, owner in error.allowed) == (key, True)
            assert [*conflicts(salvage_tables(text), PROFILES["ebf"], "")] == []
    for text in FREE:
        with row(text):
            parse_settings(text, "match.toml")  # raises for a mistake


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
    "three brackets after two": ("score = [[1], [[1]]]", 1),
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


@pytest.mark.parametrize(
    ("sign", "most"), [("\n", MAX_LINES), ("=", MAX_VALUES), ("'a' ", MAX_LINES + MAX_VALUES)]
)
def test_a_limit_without_a_line_is_one_of_the_whole_text(sign: str, most: int) -> None:
    """A text that is just as large is not refused."""
    check_limits(sign * most)
    with pytest.raises(LimitError) as found:
        check_limits(sign * (most + 1))
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
