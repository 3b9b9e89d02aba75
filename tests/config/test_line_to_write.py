"""A value that is meant and not quite written is answered with the line to write."""

import pytest

from clock.config.loader import parse_settings
from clock.config.reader import ConfigError
from lab.support.settings_files import fault

MEANT = [
    ("rules", "time_per_point = 2:00", 'time_per_point = "2:00"'),
    ("rules", "delay = 0:12  # seconds", 'delay = "0:12"'),
    ("rules", "delay = 12 s", 'delay = "0:12"'),
    ("rules", 'delay = "90 sek."', 'delay = "1:30"'),
    ("rules", "time_per_match = 6 Minuten", 'time_per_match = "6:00"'),
    ("rules", "time_per_point = 2min 30s", 'time_per_point = "2:30"'),
    ("match", "event = 2 min", 'event = "2 min"'),
    ("rules", "profile = WBGF", 'profile = "wbgf"'),
    ("rules", "profile = \u201cwbgf\u201d", 'profile = "wbgf"'),
    ("rules", "time_per_point = None", 'time_per_point = "none"'),
    ("match", "practice = yes", "practice = true"),
    ("match", "practice = No", "practice = false"),
    ("match", "names = Ada, Ben", 'names = ["Ada", "Ben"]'),
    ("match", "names = [Ada, Ben]", 'names = ["Ada", "Ben"]'),
    ("match", "names = [Ada, Ben,]", 'names = ["Ada", "Ben"]'),
    ("match", 'names = "Ada" "Ben"', 'names = ["Ada", "Ben"]'),
    ("match", "event = Åben", 'event = "Åben"'),
    ("buttons.pins", "left = 05", "left = 5"),
    ("match", "score = 3-2", "score = [3, 2]"),
    ("match", "event = Nordic Open", 'event = "Nordic Open"'),
    ("display", "addresses = 0x3C, 0x3D", "addresses = [0x3C, 0x3D]"),
    ("director", "code = LRRL", 'code = "LRRL"'),
    ("log", "directory = /var/lib/clock", 'directory = "/var/lib/clock"'),
    ("rules", 'profile = "WBGF"', 'profile = "wbgf"'),
    ("match", 'length = "11"', "length = 11"),
    ("match", 'practice = "yes"', "practice = true"),
    ("match", 'names = "Ada, Ben"', 'names = ["Ada", "Ben"]'),
    ("match", "board = 7", 'board = "7"'),
    ("[preset]", "name = Final", 'name = "Final"'),
    ("[preset]", "delay = 0:10", 'delay = "0:10"'),
    ("match", "length: 7", "length = 7"),
    ("match", "length = 07", "length = 7"),
    ("match", "length = 7,0", "length = 7"),
    ("match", "practice = ja", "practice = true"),
    ("match", "practice = True", "practice = true"),
    ("rules", 'profile = "wbgf', 'profile = "wbgf"'),
    ("rules", "profile = `wbgf`", 'profile = "wbgf"'),
]


@pytest.mark.parametrize(("table", "line", "written"), MEANT)
def test_the_line_to_write_is_printed_and_is_right(table: str, line: str, written: str) -> None:
    error = fault(f"# a comment\n[{table}]\n{line}\n[sound]\n")
    assert written in str(error)
    assert "TOML" not in str(error)
    name = 'name = "Final"\n' if table == "[preset]" and "name" not in line else ""
    parse_settings(f"[{table}]\n{name}{written}\n", "match.toml")


@pytest.mark.parametrize(
    "line",
    [
        "length = many",
        "length = 5 s",
        "profile = fibs",
        "colour = red",
        "length 7",
        "length = 7 # \x01",
        'names = ["A", "B"] extra',
        "delay = 0:12",
        "rules",
        "[rules]\ndelay =",
    ],
)
def test_what_is_not_clear_is_not_guessed(line: str) -> None:
    for table in ("match", "colour"):
        assert "Write" not in str(fault(f"[{table}]\n{line}\n"))


def test_above_all_tables_a_key_of_any_is_meant() -> None:
    assert fault("length = 07\n").allowed == "length = 7"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("[match", "[match]"), ("match]", "[match]"), (" [buttons.pins # x", "[buttons.pins]"),
        ("[[preset]", "[[preset]]"), ("[preset", "[[preset]]"),
    ],
)  # fmt: skip
def test_a_bracket_that_is_missing_is_written(line: str, written: str) -> None:
    assert f"but must be {written}. Write that line" in str(fault(f"{line}\n"))
    assert "Write" not in str(fault("[colour\n"))


def test_what_is_given_twice_is_said_to_be() -> None:
    for text in ("[match]\nlength = 7\nlength = 9\n", "[match]\nlength = 7\n[match]\n"):
        with pytest.raises(ConfigError, match="given only once"):
            parse_settings(text, "match.toml")
