"""The tables of a settings file: their defaults are those of its full example, limits as named."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from serial import Serial

from clock.config.loader import load_settings
from clock.config.reader import _allowed, _is_table
from clock.config.schema import Baud, ConfigFile, PresetTable
from lab.support.paths import ROOT

DEFAULTS = load_settings(None)
EXAMPLE = tomllib.loads((ROOT / "config" / "gammonclock.toml").read_text())


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (table, key, value)
        for table, keys in EXAMPLE.items()
        for key, value in keys.items()
        if table not in ("match", "rules")
    ],
)
def test_the_defaults_reach_the_settings(table: str, key: str, value: object) -> None:
    """Each default of the file, one by one, as another program would read it."""
    setting = getattr(getattr(DEFAULTS, table), key)
    if key == "pins":
        assert {side: getattr(setting, side) for side in ("left", "right", "centre")} == value
    else:
        assert (list(setting) if isinstance(setting, tuple) else setting) == value


def kinds(shape: type[msgspec.Struct]) -> Iterator[Any]:
    """Yield the types of all keys of a table, and of the tables in it."""
    for field in msgspec.structs.fields(shape):
        yield from kinds(field.type) if _is_table(field.type) else [field.type]


SHAPES = [field.type for field in msgspec.structs.fields(ConfigFile) if _is_table(field.type)]
ALLOWED = {_allowed(kind): kind for shape in (PresetTable, *SHAPES) for kind in kinds(shape)}
LIMITS = re.compile(r" (\d+) to (\d+)(?:,|$)")  # of a number


def taken(value: object, kind: Any) -> object:
    """Return a value as it reaches the settings."""
    return msgspec.json.decode(msgspec.json.encode(msgspec.convert(value, kind)))


@pytest.mark.parametrize(("text", "kind"), ALLOWED.items())
def test_what_a_message_names_is_allowed(text: str, kind: Any) -> None:
    """Each example, both limits, as many characters as it says, and nothing beyond."""
    found = re.findall(r'(?:such as|one of|or|too:) ("[^"]*"|\[[^]]*\])', text)
    examples = [tomllib.loads(f"x = {each}")["x"] for each in found]
    refused: list[object] = ["\0", [""] * 2] if examples else []
    if longest := re.search(r"(\d+) (?:printable|letters)", text):
        texts = [examples[0][0][0] * (int(longest[1]) + more) for more in (0, 1)]
        fits, too_long = texts if isinstance(examples[0], str) else ([each] * 2 for each in texts)
        examples.append(fits)
        refused.append(too_long)
    if limits := LIMITS.search(text):
        lowest, highest = map(int, limits.groups())
        lowest = 0 if "or 0 for no" in text else lowest
        examples += [lowest, highest]
        refused += [lowest - 1, highest + 1]
    assert examples or text.startswith(("true or false", "one of"))
    assert [taken(each, kind) for each in examples] == examples
    for wrong in refused:
        with pytest.raises(msgspec.ValidationError):
            taken(wrong, kind)


def test_the_limits_are_those_of_the_parts() -> None:
    """Of matches, controllers, the header's pins, and serial ports, as pyserial knows them."""
    assert sorted(filter(LIMITS.search, ALLOWED)) == [
        "a BCM pin number from 0 to 27",
        "a BCM pin number from 1 to 27",
        *(
            f"a BCM pin number from 1 to 27, or 0 for no {x}"
            for x in ("buzzer", "lamp", "reset pin")
        ),
        *(f"a whole number from {x}" for x in ("0 to 255", "0 to 4", "0 to 9", "1 to 99")),
        "a whole number of milliseconds from 1 to 50",
        "a whole number of percent from 1 to 90",
        "the number of an I2C bus, 0 to 99",
    ]
    assert {*get_args(Baud)} <= {*Serial.BAUDRATES}
