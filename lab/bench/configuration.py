"""Complete a test's configuration with the bus and the log directory of the bench."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from lab.bench.card import MOUNTED

BENCH_WIRING: Mapping[str, Mapping[str, object]] = {
    "display": {"bus": 0},
    "log": {"directory": MOUNTED},
}

Config = str | Mapping[str, Mapping[str, Any]]


def to_toml(config: Config) -> str:
    """Return the text of the configuration file; a text that is no TOML stays as it is."""
    try:
        said = tomllib.loads(config) if isinstance(config, str) else config
    except tomllib.TOMLDecodeError:
        return str(config)
    names = {**said, **BENCH_WIRING}
    tables = {name: {**BENCH_WIRING.get(name, {}), **said.get(name, {})} for name in names}
    return "".join(f"[{name}]\n{_keys(table)}\n" for name, table in tables.items())


def display_table(written: str) -> dict[str, Any]:
    """Return the `[display]` table of a configuration file; an empty one if it is no TOML."""
    try:
        said: dict[str, Any] = tomllib.loads(written).get("display", {})
    except tomllib.TOMLDecodeError:
        return {}
    return said


def _keys(table: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in table.items())


def _value(value: Any) -> str:
    """Return a value as TOML: all values but tables are the same in JSON."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
