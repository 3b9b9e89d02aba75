"""What a director writes, and beside it what the bench is wired as.

The one rule: what the test wrote stands; only what it did not say is the bench's.
"""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from bench.card import MOUNTED

WIRED: Mapping[str, Mapping[str, object]] = {"display": {"bus": 0}, "log": {"directory": MOUNTED}}

Config = str | Mapping[str, Mapping[str, Any]]


def text(config: Config) -> str:
    """The file; a text that is no TOML is left as it is."""
    try:
        said = tomllib.loads(config) if isinstance(config, str) else config
    except tomllib.TOMLDecodeError:
        return str(config)
    names = {**said, **WIRED}
    tables = {name: {**WIRED.get(name, {}), **said.get(name, {})} for name in names}
    return "".join(f"[{name}]\n{_keys(table)}\n" for name, table in tables.items())


def display(written: str) -> dict[str, Any]:
    """What a file says of the panels; nothing if it is no TOML."""
    try:
        said: dict[str, Any] = tomllib.loads(written).get("display", {})
    except tomllib.TOMLDecodeError:
        return {}
    return said


def _keys(table: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    """JSON's values are TOML's, except tables."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
