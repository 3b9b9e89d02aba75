"""Settings files for tests."""

import pytest

from clock.config.loader import parse_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings

FILE = '[match]\nlength = 9\nnames = ["Ada", "Ben"]\nboard = "7"\n[rules]\ndelay = "0:15"\n'
EVENT = f"""{FILE}
[[preset]]
name = "Final"
length = 13
time_per_point = "2:30"
[[preset]]
name = "Fast"
profile = "nbgf-hurtig"
"""


def parse(text: str) -> Settings:
    """The settings of a text."""
    return parse_settings(text, "match.toml")


def fault(text: str) -> ConfigError:
    """The error of a text."""
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value
