"""The tables of a settings file, as its contract has them."""

import tomllib

import msgspec
import pytest

from clock.config.loader import load_settings
from clock.config.schema import ConfigFile
from tests.support.settings_files import parse

DEFAULTS = load_settings(None)

CONTRACT = """
[match]
length = 11                     # points, 1 to 99
score = [0, 0]                  # left, right; for a match already under way
board = ""
crawford = ""
event = ""
round = ""
names = ["Left", "Right"]
format = "single"               # or "best-of-three"
[rules]
profile = "ebf"                 # ebf dbgf nbgf nbgf-hurtig nbgf-lyn nbgf-analog us us-doubles jbs
time_per_point = "2:00"         # these five override the profile
time_per_match = "0:00"
delay = "0:12"
method = "simple-delay"         # or "bronstein" (same arithmetic, add-back display)
on_first_flag = "continue"      # or "freeze"
overtime = "0:00"
early_pickup = "skip"           # or "wait"
lateness = "points"             # or "start-clock", "none"
[display]
driver = "ssd1306"              # ssd1306 ssd1309 sh1106
bus = 1
addresses = [0x3C, 0x3D]        # left, right
rotate = [0, 0]                 # quarter turns
language = "en"                 # en de da nb
scoreboard = true
scores = "points"
[buttons]
pins = { left = 17, right = 27, centre = 22 }   # BCM numbers, to ground, internal pull-up
pin_factory = "gpiod"           # gpiod lgpio rpigpio mock
settle_ms = 15
[sound]
buzzer_pin = 0                  # 0: no buzzer
low_time = false
[log]
directory = "/var/lib/gammonclock"
serial = ""                     # "/dev/ttyAMA0", "/dev/ttyUSB0"; "" for none
baud = 115200
[director]
code = ""                       # e.g. "LRRL"
"""


def test_the_contract_names_every_key_with_its_default() -> None:
    """The example in the contract equals the defaults."""
    assert msgspec.structs.replace(parse(CONTRACT), file=ConfigFile()) == DEFAULTS


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        (table, key, value)
        for table, keys in tomllib.loads(CONTRACT).items()
        for key, value in keys.items()
        if table not in ("match", "rules")
    ],
)
def test_the_contracts_defaults_reach_the_settings(table: str, key: str, value: object) -> None:
    """Each default of the contract, one by one, as another program would read it."""
    setting = getattr(getattr(DEFAULTS, table), key)
    if key == "pins":
        assert {side: getattr(setting, side) for side in ("left", "right", "centre")} == value
    else:
        assert (list(setting) if isinstance(setting, tuple) else setting) == value
