"""Mistakes in a settings file: each is named with its key and what is allowed."""

import pytest

from tests.support.settings_files import fault


@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ("[mach]\nlength = 7", "mach", '"match"'),
        ("[match]\nlenght = 7", "match.lenght", '"match.length"'),
        ("length = 7", "length", '"length" of [match]'),
        ('[match]\ndelay = "0:12"', "match.delay", '"delay" of [rules]'),
        ("[buttons]\npins = { center = 22 }", "buttons.pins.center", '"buttons.pins.centre"'),
        ('[Rules]\nprofile = "ebf"', "Rules", '"rules"'),
    ],
)
def test_an_unknown_key_gets_a_suggestion(text: str, key: str, meant: str) -> None:
    """For a typing error, and for a key without a table or below the wrong one."""
    error = fault(text)
    assert (error.key, error.found) == (key, "an unknown key")
    assert f"Did you mean {meant}" in str(error)


def test_an_unknown_key_like_no_other_gets_no_suggestion() -> None:
    """The message lists the keys that exist."""
    error = fault("[sound]\nxyzzy = 1")
    assert error.allowed == "one of buzzer_pin, low_time, flag"
    assert "Did you mean" not in str(error)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("[match]\nlenght 11\nscore = [0, 0]", "line 2", '"lenght 11"'),
        ("[match]\r\nlength = 11\r\nplay = singles\r\n", "line 3", '"play = singles"'),
        ("[match\n", "line 1", '"[match"'),
        ('[match]\nnames = ["A', "line 2", '"names = ["A"'),
        ("[match]\nlength = 7\nlength = 9\n", "line 3", '"length = 9"'),
        (f"[match]\nlength = {'9' * 5000}", "line 2", '"length = 999'),
        (f"[match]\nscore = {'[' * 30_000}", "line 2", '"score = [[['),
        ("\x00", "line 1", '"?"'),
        ("[match]\n\x0c\n", "line 2", '""'),
        ("[match]\nscore = [0,\n\n\n", "line 2", '"score = [0,"'),
    ],
)
def test_a_syntax_error_is_reported_with_its_line(text: str, line: str, found: str) -> None:
    """The message contains the line itself."""
    error = fault(text)
    assert error.key == line
    assert error.found.startswith(found.removesuffix('"'))


def test_a_message_is_one_short_line() -> None:
    """Whatever the file contains, the message is printable and short."""
    long_key = '"' + "x\\n" * 9000 + '" = 1'
    for text in (*(mistake[0] for mistake in MISTAKES), long_key, "\x1b[2J" * 999):
        message = str(fault(text))
        assert message.isprintable()
        assert len(message) < 700


MISTAKES = [
    ('[match]\nboard = "Centre-12"', "match.board", '"Centre-12"', "1 to 8 letters"),
    ('[match]\nboard = "7/8"', "match.board", '"7/8"', "1 to 8 letters"),
    ('[match]\nboard = "7\\n"', "match.board", "7", "1 to 8 letters"),
    ('[match]\nboard = "Ä"', "match.board", '"Ä"', "1 to 8 letters"),
    ("[match]\nboard = 7", "match.board", "7", "in quotes"),
    ("[match]\nlength = 0", "match.length", "0", "1 to 99"),
    ("[match]\nlength = 100", "match.length", "100", "1 to 99"),
    ('[match]\nlength = "11"', "match.length", '"11"', "1 to 99"),
    ("[match]\nlength = 11.0", "match.length", "11.0", "1 to 99"),
    ("[match]\nlength = true", "match.length", "true", "1 to 99"),
    ("[match]\nlength = 2024-01-01", "match.length", "2024-01-01", "1 to 99"),
    (f"[match]\nlength = {10**40}", "match.length", str(10**40), "1 to 99"),
    (f"[match]\nlength = 0x{'f' * 20_000}", "match.length", "too large to show", "1 to 99"),
    ("[match]\nscore = [11, 0]", "match.score", "[11,0]", "0 to 10"),
    ("[match]\nscore = [0, 11]", "match.score", "[0,11]", "0 to 10"),
    ("[match]\nscore = [-1, 0]", "match.score", "[-1,0]", "two whole numbers"),
    ("[match]\nscore = [1, 2, 3]", "match.score", "[1,2,3]", "two whole numbers"),
    ("[match]\nscore = 3", "match.score", "3", "two whole numbers"),
    ('[match]\nnames = ["", "B"]', "match.names", '["","B"]', "1 to 40"),
    ('[match]\nnames = ["   ", "B"]', "match.names", '["   ","B"]', "not of spaces"),
    (f'[match]\nnames = ["{"Z" * 41}", "B"]', "match.names", "ZZZ", "1 to 40"),
    ('[match]\ncrawford = "now"', "match.crawford", '"now"', "leaves it open"),
    (f'[match]\nevent = "{"E" * 41}"', "match.event", "EEE", "at most 40"),
    ('[match]\nnames = ["A", "\\u202eB"]', "match.names", '["A","?B"]', "printable"),
    ('[match]\nnames = ["A\\nB", "B"]', "match.names", "A", "printable"),
    ('[match]\nformat = "best-of-five"', "match.format", '"best-of-five"', '"best-of-three"'),
    ('[match]\nplay = "triples"', "match.play", '"triples"', '"doubles"'),
    ("match = 5", "match", "5", "a table"),
    ("[[match]]", "match", "[{}]", "a table"),
    ('[rules]\nprofile = "fide"', "rules.profile", '"fide"', '"nbgf-lyn"'),
    ('[rules]\ndelay = "0:75"', "rules.delay", '"0:75"', '"2:00"'),
    ("[rules]\ndelay = 12", "rules.delay", "12", "in quotes"),
    ("[rules]\ndelay = 00:12:00", "rules.delay", "00:12:00", "in quotes"),
    ('[rules]\ndelay = "-0:12"', "rules.delay", '"-0:12"', '"2:00"'),
    ('[rules]\ntime_per_point = "0:00"', "rules.time_per_point", '"0:00"', "more than"),
    ('[rules]\nmethod = "fischer"', "rules.method", '"fischer"', '"bronstein"'),
    ('[rules]\non_first_flag = "stop"', "rules.on_first_flag", '"stop"', '"freeze"'),
    ('[rules]\nearly_pickup = ""', "rules.early_pickup", '""', '"warn"'),
    ('[rules]\nillegal_move = "skip"', "rules.illegal_move", '"skip"', '"fresh"'),
    ('[rules]\nlateness = "start_clock"', "rules.lateness", '"start_clock"', '"start-clock"'),
    ('[rules]\nlate_step = "0:00"', "rules.late_step", '"0:00"', '"none"'),
    ('[rules]\nbreak_length = "0:00"', "rules.break_length", '"0:00"', "rules.breaks"),
    ("[rules]\nbreaks = 10", "rules.breaks", "10", "0 to 9"),
    ("[rules]\npenalty_points_score = 1", "rules.penalty_points_score", "1", "true or false"),
    ('[display]\ndriver = "ssd1305"', "display.driver", '"ssd1305"', '"sh1106"'),
    ("[display]\nbus = -1", "display.bus", "-1", "0 to 99"),
    ("[display]\naddresses = [0x3C, 0x3C]", "display.addresses", "0x3C", "different"),
    ("[display]\naddresses = [0x02, 0x3C]", "display.addresses", "[2,60]", "0x03 to 0x77"),
    ("[display]\naddresses = [0x3C, 0x78]", "display.addresses", "[60,120]", "0x03 to 0x77"),
    ("[display]\nrotate = [0, 1]", "display.rotate", "[0,1]", "0 or 2"),
    ("[display]\ncontrast = -1", "display.contrast", "-1", "0 to 255"),
    ("[display]\ncontrast = 300", "display.contrast", "300", "0 to 255"),
    ("[display]\ncontrast = 256", "display.contrast", "256", "0 to 255"),
    ("[display]\ncontrast = 127.0", "display.contrast", "127.0", "a whole number"),
    ("[display]\ncontrast = true", "display.contrast", "true", "a whole number"),
    ('[display]\nlanguage = "fr"', "display.language", '"fr"', '"en", "de", "da", "nb"'),
    ('[display]\nscoreboard = "yes"', "display.scoreboard", '"yes"', "true or false"),
    ("[buttons]\npins = { left = 28 }", "buttons.pins.left", "28", "0 to 27"),
    ("[buttons]\npins = { left = 27 }", "buttons.pins", "left 27, right 27", "different"),
    ("[buttons]\npins = [17, 27, 22]", "buttons.pins", "[17,27,22]", "left, right, centre"),
    ('[buttons]\npin_factory = "pigpio"', "buttons.pin_factory", '"pigpio"', '"gpiod"'),
    ("[buttons]\nsettle_ms = 0", "buttons.settle_ms", "0", "1 to 50"),
    ("[buttons]\nsettle_ms = 51", "buttons.settle_ms", "51", "1 to 50"),
    ("[sound]\nbuzzer_pin = 22", "sound.buzzer_pin", "22", "no button"),
    ("[sound]\nbuzzer_pin = 28", "sound.buzzer_pin", "28", "0 for no buzzer"),
    ("[sound]\nlow_time = 0", "sound.low_time", "0", "true or false"),
    ("[sound]\nflag = 0", "sound.flag", "0", "true or false"),
    ("[lamps]\nleft = 28", "lamps.left", "28", "0 for no lamp"),
    ("[lamps]\nleft = 17", "lamps.left", "17", "no button"),
    ("[lamps]\nleft = 5\nright = 5", "lamps.right", "5", "other lamp"),
    ("[sound]\nbuzzer_pin = 5\n[lamps]\nright = 5", "lamps.right", "5", "buzzer"),
    ('[log]\ndirectory = ""', "log.directory", '""', "a directory"),
    ('[log]\nserial = "ttyUSB0"', "log.serial", '"ttyUSB0"', "/dev/ttyUSB0"),
    ("[log]\nbaud = 115201", "log.baud", "115201", "115200"),
    ('[director]\ncode = "LRC"', "director.code", '"LRC"', "L and R"),
    ('[director]\ncode = "LRLRLRLRL"', "director.code", '"LRLRLRLRL"', "at most 8"),
]


@pytest.mark.rule("R8")
@pytest.mark.parametrize(("text", "key", "found", "allowed"), MISTAKES)
def test_a_mistake_is_reported_with_its_key(text: str, key: str, found: str, allowed: str) -> None:
    """The message also has the file, what was found and what is allowed."""
    error = fault(text)
    assert error.file == "match.toml"
    assert error.key == key
    assert found in error.found
    assert allowed in error.allowed
    for part in (error.file, error.key, error.found, error.allowed):
        assert part in str(error)
