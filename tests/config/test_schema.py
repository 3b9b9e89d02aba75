"""The defaults of the tables of a settings file, as its full example has them."""

import tomllib

import pytest

from clock.config.loader import load_settings
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
