"""The settings in force, as text."""

import pytest

from clock.config.loader import parse_settings
from clock.config.schema import ConfigFile
from clock.config.settings import describe, differences
from clock.match.events import MatchOpenedEvent, Writer
from clock.match.machine import open_match
from clock.match.types import Pair
from clock.ui.i18n import LANGUAGES
from lab.support.desk import Desk
from lab.support.rows import row
from lab.support.settings_files import fault

AS_SET = [
    *("display.contrast = 0", "display.contrast = 255", "display.reset_pin = 5", "lamps.left = 5"),
    *("lamps.right = 5", "sound.buzzer_pin = 5", "match.event = 'Open'", "match.round = 'Final'"),
    *("match.board = 'A-12'", "log.directory = '/log'", "display.language = 'da'"),
]
DEFAULT = "the driver's default"
SHOWN = {  # a file, and what some lines say
    **{text: dict([text.replace("'", "").split(" = ")]) for text in AS_SET},
    "": {
        "display.contrast": DEFAULT,
        "display.column_offset": DEFAULT,
        "bank rounded up to": "not rounded",
        "log.serial": "none",
    },
    "log.serial = '/dev/ttyUSB0'": {"log.serial": "/dev/ttyUSB0, 115200 baud"},
    "display.driver = 'sh1106'\ndisplay.column_offset = 2": {"display.column_offset": "2"},
    "display.interface = 'i2c'": {
        "display.bus": "1",
        "display.dc_pin": "not used",
        "match.board": "none",
    },
    "display.bus = 0": {"display.bus": "0", "display.addresses": "0x3C, 0x3D"},
    "display.interface = 'spi'": {"display.bus": "not used", "display.dc_pin": "24"},
    "match.reserves = ['12:34', '8:05']": {"left bank": "12:34", "match.reserves": "12:34, 8:05"},
    "match.score = [3, 2]\nrules.profile = 'nbgf-hurtig'": {
        "left bank": "8:30",
        "right bank": "8:30",
    },
    "rules.profile = 'nbgf'": {"rules.lateness": "start-clock, shall", "rules.delay": "0:12"},
    "rules.profile = 'jbs'": {"bank rounded up to": "1:00"},
    "rules.profile = 'usbgf'": {"rules.overtime": "0:00"},
    "rules = {profile = 'usbgf', overtime = '2:00'}": {"rules.overtime": "2:00, by the director"},
}


def test_describe_shows_what_is_set_and_what_is_not() -> None:
    for text, said in SHOWN.items():
        with row(text):
            lines = dict(describe(parse_settings(text, "match.toml")))
            assert said.items() <= lines.items()


def test_describe_hides_the_directors_code() -> None:
    text = "\n".join(
        text for _, text in describe(parse_settings('[director]\ncode = "LRRL"', "match.toml"))
    )
    assert "LRRL" not in text
    assert "4 presses" in text


UNSAID = ("match.play", "log.baud", "rules.record")  # as long as the file does not set them


def test_describe_has_a_line_for_every_key() -> None:
    lines = dict(describe(parse_settings("", "match.toml")))
    for table in {*ConfigFile.__struct_fields__} - {"preset"}:
        for key in getattr(ConfigFile(), table).__struct_fields__:
            assert f"{table}.{key}" in lines or f"{table}.{key}" in UNSAID
    assert not {"", "-"} & {*lines.values()}  # what is not set says so
    pins = ("sound.buzzer_pin", "lamps.left", "lamps.right", "display.reset_pin")
    assert {lines[pin] for pin in pins} == {"none"}


@pytest.mark.rule("R207")
def test_times_beside_no_limit_count_from_a_limit_on() -> None:
    """The director's menu begins it; practice, which is about a time that runs out, is refused."""
    text = 'time_per_point = "none"\ntime_per_match = "3:00"\ndelay = "0:15"\novertime = "1:00"'
    settings = parse_settings(f"[rules]\n{text}", "match.toml")
    lines = dict(describe(settings))
    for key, time in (("time_per_match", "3:00"), ("delay", "0:15"), ("overtime", "1:00")):
        assert lines[f"rules.{key}"] == f'{time} from "Play with a limit" on'
    for language in LANGUAGES:
        table = Desk(settings.match)
        table.language = language
        for face in table.faces():
            assert "25:00 + 1:00, 0:15" in face.lines[2]
    error = fault(f"[match]\npractice = true\n[rules]\n{text}")
    assert (error.key, error.found) == ("match.practice", "true")
    assert "without a limit" in error.allowed


def test_the_schedule_and_carried_penalties_are_in_the_log_and_in_no_code() -> None:
    """EBF 2.2(i), US 2.2.5."""
    score = "[match]\nscore = [1, 0]\n"
    plain = parse_settings(score, "match.toml")
    known = parse_settings(f'{score}scheduled = "19:30"\ncarried = [1, 0]', "match.toml")
    lines = dict(describe(known))
    assert (lines["match.scheduled"], lines["match.carried"]) == ("19:30", "1-0")
    assert known.match.code == plain.match.code
    assert differences(known.match, plain.match) == []
    _, record = open_match(known.match, 0, Writer("test"))
    assert isinstance(record.event, MatchOpenedEvent)
    assert (record.event.settings.scheduled, record.event.settings.carried) == ("19:30", Pair(1, 0))
    assert fault("[match]\nscore = [1, 0]\ncarried = [0, 1]").key == "match.carried"
