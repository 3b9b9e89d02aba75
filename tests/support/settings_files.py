"""Settings files for tests."""

import pytest

from clock.config.loader import parse_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings


def parse(text: str) -> Settings:
    """The settings of a text."""
    return parse_settings(text, "match.toml")


def fault(text: str) -> ConfigError:
    """The error of a text."""
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value
