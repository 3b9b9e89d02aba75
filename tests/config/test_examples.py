"""The files that come with the clock, and what becomes of them in other hands."""

import random
import re
import tomllib
from pathlib import Path

import pytest

from clock.config.loader import ConfigError, describe, load_settings, parse_settings
from clock.config.schema import ConfigFile
from clock.match.profiles import PROFILES
from hardware.display.controllers import chip
from hardware.display.panel_pair import DIMMED

EXAMPLES = sorted((Path(__file__).parent.parent / "config").glob("*.toml"))


def example(name: str) -> Path:
    """One of the files that come with the clock."""
    return next(path for path in EXAMPLES if path.name == name)


def test_there_is_an_example_of_every_profile() -> None:
    """And one with every key."""
    assert {path.stem for path in EXAMPLES} == {*PROFILES, "gammonclock"}


@pytest.mark.parametrize("name", list(PROFILES))
def test_an_example_is_its_profile(name: str) -> None:
    """Unchanged, it has the federation's rules, all of them, and a settings code of its own."""
    assert load_settings(example(f"{name}.toml")).match.rules == PROFILES[name]


def test_the_full_example_is_the_defaults() -> None:
    """gammonclock.toml says every key, and changes nothing."""
    path = example("gammonclock.toml")
    assert load_settings(path) == load_settings(None)
    said = {
        f"{table}.{key}" for table, keys in tomllib.loads(path.read_text()).items() for key in keys
    }
    known = {
        f"{table}.{key}"
        for table in ConfigFile.__struct_fields__
        for key in getattr(ConfigFile(), table).__struct_fields__
    }
    # A number would replace a table of two; and each kind of panels has its own.
    assert known - said == {"rules.breaks", "display.contrast"}
    assert said <= known


def test_the_full_example_says_how_bright_panels_are() -> None:
    """By each kind, and at rest: as the panels are really told."""
    remark = example("gammonclock.toml").read_text().split("# How bright")[1].split("\nlanguage")[0]
    said = "ssd1306 and ssd1309: {}, sh1106: {}".format(
        *(chip(driver).contrast for driver in ("ssd1306", "sh1106"))
    )
    assert said in " ".join(remark.replace("#", "").split())
    assert f"dimmed to {DIMMED}." in remark
    assert f"contrast = {chip('ssd1306').contrast}" in remark
    assert chip("ssd1309").contrast == chip("ssd1306").contrast


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_line_of_an_example_works_once_its_remark_sign_is_removed(path: Path) -> None:
    """What a director is told to try is right, each line by itself, but for doubles' times."""
    text = path.read_text()
    for line in re.findall(r"^# ([a-z_]+ = .*)$", text, re.MULTILINE):
        tried = text.replace(f"# {line}", line)
        if line.startswith("play"):
            with pytest.raises(ConfigError, match=r"rules\.time_per_point is not given"):
                parse_settings(tried, path.name)
        else:
            parse_settings(tried, path.name)


# --- a thousand damaged files -----------------------------------------------------------------

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


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A file with a few mishaps."""
    for _ in range(chance.randint(1, 4)):
        content = chance.choice(MISHAPS)(content, chance)
    return content


def flip_a_bit(content: bytes, chance: random.Random) -> bytes:
    """As a bad card does."""
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def drop_a_part(content: bytes, chance: random.Random) -> bytes:
    """As a slip of the mouse does."""
    start = chance.randrange(len(content) + 1)
    return content[:start] + content[start + chance.randint(1, 40) :]


def cut_off(content: bytes, chance: random.Random) -> bytes:
    """As a card that was pulled does."""
    return content[: chance.randrange(len(content) + 1)]


def double_a_part(content: bytes, chance: random.Random) -> bytes:
    """As a key held too long does."""
    start = chance.randrange(len(content) + 1)
    end = start + chance.randint(1, 200)
    return content[:end] + content[start:]


def swap_two_lines(content: bytes, chance: random.Random) -> bytes:
    """As tidying up does."""
    lines = content.split(b"\n")
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return b"\n".join(lines)


def replace_a_value(content: bytes, chance: random.Random) -> bytes:
    """As a wrong idea of what goes there does."""
    lines = content.split(b"\n")
    values = [number for number, line in enumerate(lines) if re.match(rb"[a-z_]+ = ", line)]
    if values:
        number = chance.choice(values)
        lines[number] = lines[number].split(b"=")[0] + b"= " + chance.choice(WORDS).encode()
    return b"\n".join(lines)


def insert_a_word(content: bytes, chance: random.Random) -> bytes:
    """As pasting in the wrong place does."""
    at = chance.randrange(len(content) + 1)
    return content[:at] + chance.choice(WORDS).encode() + content[at:]


def put_numbers_out(content: bytes, chance: random.Random) -> bytes:
    """As a stuck digit does."""
    digits = str(chance.choice([0, -1, 28, 100, 2**31, 2**63, 2**64, 10**30])).encode()
    return re.sub(rb"\d+", lambda found: digits if chance.random() < 0.2 else found[0], content)


MISHAPS = [
    flip_a_bit,
    drop_a_part,
    cut_off,
    double_a_part,
    swap_two_lines,
    replace_a_value,
    insert_a_word,
    put_numbers_out,
]


@pytest.mark.rule("R8")
def test_a_thousand_damaged_files_parse_or_are_named(tmp_path: Path) -> None:
    """Each either gives settings that can be described, or a `ConfigError`; never anything else."""
    path = tmp_path / "gammonclock.toml"
    outcomes = {"settings": 0, "error": 0}
    for number in range(1000):
        chance = random.Random(number)
        path.write_bytes(damaged(chance.choice(EXAMPLES).read_bytes(), chance))
        try:
            settings = load_settings(path)
        except ConfigError as error:
            outcomes["error"] += str(error).isprintable()
        else:
            assert dict(describe(settings))["settings code"] == settings.match.code
            outcomes["settings"] += 1
    assert sum(outcomes.values()) == 1000  # every message can be shown
    assert min(outcomes.values()) > 100  # the damage is neither none nor total
