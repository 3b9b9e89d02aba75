"""The example files in config/, intact and damaged."""

import random
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType

import msgspec
import pytest

from clock.config.fallback import salvage_settings
from clock.config.loader import load_settings, parse_settings
from clock.config.reader import ConfigError
from clock.config.schema import LONGEST_NAME, ConfigFile
from clock.config.settings import describe
from clock.match.durations import duration_text
from clock.match.profiles import PROFILES
from hardware.display.controllers import DEVICES, controller
from hardware.display.panels import DIMMED
from lab.support.paths import ROOT

EXAMPLES = sorted((ROOT / "config").glob("*.toml"))


def example(name: str) -> Path:
    """One of the files that come with the clock."""
    return next(path for path in EXAMPLES if path.name == name)


def test_there_is_an_example_of_every_profile() -> None:
    assert {path.stem for path in EXAMPLES} == {*PROFILES, "gammonclock"}


@pytest.mark.parametrize("name", list(PROFILES))
def test_an_example_has_the_rules_of_its_profile(name: str) -> None:
    assert load_settings(example(f"{name}.toml")).match.rules == PROFILES[name]


def test_the_full_example_has_every_key_with_its_default() -> None:
    path = example("gammonclock.toml")
    effective = msgspec.structs.replace(load_settings(path), file=ConfigFile())
    assert effective == load_settings(None)
    said = {
        f"{table}.{key}" for table, keys in tomllib.loads(path.read_text()).items() for key in keys
    }
    known = {
        f"{table}.{key}"
        for table in {*ConfigFile.__struct_fields__} - {"preset"}
        for key in getattr(ConfigFile(), table).__struct_fields__
    }
    # Values would replace a formula or a table of two; and each kind of panels has its own.
    own = {"match.reserves", "rules.breaks", "display.contrast", "display.column_offset"}
    assert known - said == own
    assert said <= known


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_states_how_long_a_name_may_be(path: Path) -> None:
    assert set(re.findall(r"up to (\d+) letters(?!, digits)", path.read_text())) == {
        str(LONGEST_NAME)
    }


def test_the_full_example_states_the_drivers_and_their_contrast() -> None:
    """For each driver and at rest, they are the values that are really sent to the panels."""
    text = example("gammonclock.toml").read_text()
    assert f"the chip of the two panels: {' '.join(DEVICES)}\n" in text
    comment = text.split("# How bright")[1].split("\nlanguage")[0]
    said = re.findall(r"(\w[\w ]+): (\d+)", " ".join(comment.replace("#", "").split()))
    contrasts = {name: int(value) for names, value in said for name in names.split(" and ")}
    assert contrasts == {driver: controller(driver).contrast for driver in DEVICES}
    assert f"dimmed to {DIMMED}." in comment
    assert f"contrast = {controller('ssd1306').contrast}" in comment


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_commented_out_setting_of_an_example_is_valid(path: Path) -> None:
    """Each works by itself; only doubles need other settings too."""
    text = path.read_text()
    for line in re.findall(r"^# ([a-z_]+ = .*)$", text, re.MULTILINE):
        tried = text.replace(f"# {line}", line)
        if line.startswith("crawford"):  # it answers what only such a score leaves open
            length = int(re.findall(r"^length = ([0-9]+)", text, re.MULTILINE)[0])
            tried = tried.replace(line, f"{line}\nscore = [{length - 1}, 0]")
        if line.startswith("play"):
            with pytest.raises(ConfigError, match=r"rules\.time_per_point is not given"):
                parse_settings(tried, path.name)
        else:
            parse_settings(tried, path.name)


@pytest.mark.rule("R129")
def test_what_events_announce_beside_the_wbgf_rules() -> None:
    """Banks, delay and overtime of UBC, speed gammon, beginners, a hidden board, and the US."""
    text = example("wbgf.toml").read_text().partition("What events announce")[2]
    given = [*re.findall(r"^# ([a-z_]+ = \S+)", text, re.MULTILINE)]
    assert len(given) == 6
    tried = [(7, ""), (5, "\n".join(given[:2])), *((5, line) for line in given[2:])]
    found = []
    for length, keys in tried:
        file = f"[match]\nlength = {length}\n[rules]\nprofile = 'wbgf'\n{keys}"
        settings = parse_settings(file, "f")
        times = (settings.banks_ns.left, settings.match.rules.delay_ns)
        found.append([duration_text(ns) for ns in (*times, settings.match.rules.overtime_ns)])
    assert found == [
        ["14:00", "0:12", "0:00"],
        ["2:00", "0:10", "0:00"],
        ["12:00", "0:12", "0:00"],
        ["10:00", "0:15", "0:00"],
        ["10:00", "0:12", "1:00"],
        ["10:00", "0:12", "2:00"],
    ]


@pytest.mark.rule("R104")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_presets_of_an_example_can_be_used(path: Path) -> None:
    """Without the # before each line there are two, and each has rules of its own."""
    text, heading, presets = path.read_text().partition("#[[preset]]")
    settings = parse_settings(text + re.sub("^#", "", heading + presets, flags=re.MULTILINE), "f")
    assert [preset.name for preset in settings.presets] == ["Final", "Last chance"]
    assert len({preset.match.code for preset in settings.choices}) == len(settings.choices)
    assert load_settings(path).presets == ()


# --- thousands of damaged files ---------------------------------------------------------------

WORDS = [
    *("true", "-1", "0", "99999999999999999999", "1e999", "nan", "inf", '""', "[]", "{}", "[[]]"),
    *("'''", '"""', "2024-02-30", "07:32:00", "0x", "1_000", "\ufeff", "\u202e", "\x00", "\r"),
    *(
        "\u0663",
        "\U0001f3b2",
        "e\u0301",
        "\\ud800",
        '"\\u0000"',
        "[match]",
        "[[rules]]",
        "=",
        "#",
        '"99:99"',
    ),
]


BOMBS = [
    b".a",
    b"[",
    b"{a=",
    b"{},",
    b"1,",
    b"'",
    b'"""',
    b"\\\\",
    b"\n",
    b"[a]\n",
    b"9",
    b"#\n",
    b"\\u0041",
]
MAX_CALLS = 100_000  # of Python's functions, for one file


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Damage a file in one to four ways."""
    for _ in range(chance.randint(1, 4)):
        content = chance.choice(MISHAPS)(content, chance)
    return content


def flip_a_bit(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def drop_a_part(content: bytes, chance: random.Random) -> bytes:
    """Like a slip of the mouse."""
    start = chance.randrange(len(content) + 1)
    return content[:start] + content[start + chance.randint(1, 40) :]


def cut_off(content: bytes, chance: random.Random) -> bytes:
    """Like a card that was pulled out."""
    return content[: chance.randrange(len(content) + 1)]


def double_a_part(content: bytes, chance: random.Random) -> bytes:
    """Like a paste by mistake."""
    start = chance.randrange(len(content) + 1)
    end = start + chance.randint(1, 200)
    return content[:end] + content[start:]


def swap_two_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def replace_a_value(content: bytes, chance: random.Random) -> bytes:
    """Like a wrong idea of the value."""
    lines = content.split(b"\n")
    values = [number for number, line in enumerate(lines) if re.match(rb"[a-z_]+ = ", line)]
    if values:
        number = chance.choice(values)
        lines[number] = lines[number].split(b"=")[0] + b"= " + chance.choice(WORDS).encode()
    return b"\n".join(lines)


def insert_a_word(content: bytes, chance: random.Random) -> bytes:
    """Like pasting in the wrong place."""
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(WORDS).encode() + content[at:]


def put_numbers_out(content: bytes, chance: random.Random) -> bytes:
    digits = str(chance.choice([0, -1, 28, 100, 2**31, 2**63, 2**64, 10**30])).encode()
    return re.sub(rb"\d+", lambda found: digits if chance.random() < 0.2 else found[0], content)


def paste_a_bomb(content: bytes, chance: random.Random) -> bytes:
    """Like a joke: as much of something as fits, or more."""
    at, word = chance.randrange(len(content) + 1), chance.choice(BOMBS)
    bomb = word * (chance.choice([5, 500, 50_000]) // len(word))
    return content[:at] + bomb + content[at:]


MISHAPS = [
    flip_a_bit,
    drop_a_part,
    cut_off,
    double_a_part,
    swap_two_lines,
    replace_a_value,
    insert_a_word,
    put_numbers_out,
    paste_a_bomb,
]


@pytest.mark.slow
@pytest.mark.rule("R8")
def test_a_thousand_damaged_files_parse_or_raise_config_error(tmp_path: Path) -> None:
    """Each gives settings that can be described, or a `ConfigError`; its cost is bounded.

    What is salvaged of such a file for the panels raises nothing.
    """
    path = tmp_path / "gammonclock.toml"
    outcomes = {"settings": 0, "error": 0}
    for number in range(1000):
        chance = random.Random(number)
        path.write_bytes(damaged(chance.choice(EXAMPLES).read_bytes(), chance))
        count = at_most(MAX_CALLS) if number % 10 == 0 else nullcontext()  # it takes long
        try:
            with count:
                settings = load_settings(path)
        except ConfigError as error:
            outcomes["error"] += str(error).isprintable()
            if number % 10 == 5:
                salvage_settings(path)
        else:
            assert dict(describe(settings))["settings code"] == settings.match.code
            outcomes["settings"] += 1
    assert sum(outcomes.values()) == 1000  # every message can be shown
    assert min(outcomes.values()) > 100  # the damage is neither none nor total


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Count the Python functions that are called."""
    count, before = 0, sys.getprofile()

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert count <= calls
