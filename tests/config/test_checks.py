"""The errors that mistakes in a configuration file cause."""

import pytest

from clock.config.loader import parse_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES


def parse(text: str) -> Settings:
    """The settings of a text."""
    return parse_settings(text, "match.toml")


def fault(text: str) -> ConfigError:
    """The error of a text."""
    with pytest.raises(ConfigError) as caught:
        parse(text)
    return caught.value


# --- doubles ----------------------------------------------------------------------------------


UNUSUAL_OPEN = ("ebf", "dbgf")  # their texts leave the times of other unusual matches open too
DOUBLES_OPEN = [name for name in PROFILES if name not in ("us", "us-doubles")]
OPEN = [("doubles", name) for name in DOUBLES_OPEN] + [("other", name) for name in UNUSUAL_OPEN]
TIMES = 'time_per_point = "2:00"\ndelay = "0:00"'


def of_play(play: str, profile: str, given: str = "") -> str:
    """A file for singles, doubles or another kind of match."""
    return f'[match]\nplay = "{play}"\n[rules]\nprofile = "{profile}"\n{given}'


@pytest.mark.rule("R6", "R94")
@pytest.mark.parametrize(("play", "profile"), OPEN)
@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("", "rules.time_per_point"),
        ('delay = "0:18"', "rules.time_per_point"),
        ('time_per_point = "2:30"', "rules.delay"),
    ],
)
def test_doubles_need_the_directors_times(
    profile: str, play: str, given: str, missing: str
) -> None:
    """EBF 3.5(v), DBgF 3.5(v): in doubles and unusual matches the director sets both times.

    The Norwegian and Japanese texts have no times for doubles.
    """
    error = fault(of_play(play, profile, given))
    assert (error.key, error.found) == (missing, "not given")
    assert "rules.time_per_point and rules.delay" in str(error)


@pytest.mark.rule("R94")
@pytest.mark.parametrize("given", ["", 'delay = "0:18"', 'time_per_point = "2:30"'])
def test_american_doubles_have_a_profile_of_their_own(given: str) -> None:
    """US 2013 2.2: the error names it; it is used without any key, and `us` with both."""
    error = fault(of_play("doubles", "us", given))
    assert (error.key, error.found) == ("rules.profile", '"us"')
    assert error.allowed == '"us-doubles", the one for doubles'
    assert "rules.time_per_point and rules.delay" in str(error)
    assert parse(of_play("doubles", "us-doubles")).match.rules == PROFILES["us-doubles"]


@pytest.mark.rule("R6", "R94")
@pytest.mark.parametrize("profile", PROFILES)
def test_doubles_with_the_directors_times(profile: str) -> None:
    """They may equal those of singles."""
    rules = parse(of_play("doubles", profile, TIMES)).match.rules
    assert (rules.time_per_point_ns, rules.delay_ns) == (parse_duration("2:00"), 0)


@pytest.mark.rule("R6")
@pytest.mark.parametrize("profile", [name for name in PROFILES if name not in UNUSUAL_OPEN])
def test_other_profiles_have_times_for_unusual_matches(profile: str) -> None:
    """Their rules do not leave the times to the director."""
    assert parse(of_play("other", profile)).match.rules == PROFILES[profile]


@pytest.mark.rule("R94", "R104")
def test_a_preset_for_doubles_is_checked_like_the_file() -> None:
    """Its error names the preset; its own profile and times decide."""
    preset = '[[preset]]\nname = "Doubles"\nplay = "doubles"\n'
    error = fault(f'[rules]\nprofile = "us"\n{preset}')
    assert (error.key, error.found) == ('preset "Doubles": profile', '"us"')
    assert fault(f'{preset}profile = "nbgf"').key == 'preset "Doubles": time_per_point'
    assert parse(f'{preset}profile = "us-doubles"').presets[0].match.rules.delay_ns == 18 * 10**9
    assert parse(f'{preset}profile = "nbgf"\n{TIMES}').presets[0].match.rules.delay_ns == 0


# --- mistakes ---------------------------------------------------------------------------------

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
    ('[match]\nnames = ["", "B"]', "match.names", '["","B"]', "1 to 12"),
    ('[match]\nnames = ["   ", "B"]', "match.names", '["   ","B"]', "not of spaces"),
    ('[match]\nnames = ["Bartholomew Z", "B"]', "match.names", "Bartholomew Z", "1 to 12"),
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


@pytest.mark.rule("R8")
def test_an_empty_time_bank_is_refused() -> None:
    """One of time_per_point and time_per_match must be more than zero."""
    nothing = '[rules]\nprofile = "nbgf-analog"\ntime_per_point = "0:00"\n'
    assert parse(nothing).banks_ns.left == parse_duration("10:00")
    assert fault(f'{nothing}time_per_match = "0:00"').key == "rules.time_per_point"


@pytest.mark.parametrize(("left", "buzzer"), [(0, 0), (17, 18)])
def test_buzzer_pin_0_is_no_buzzer(left: int, buzzer: int) -> None:
    """This holds even if a button has pin 0."""
    settings = parse(f"[buttons]\npins = {{ left = {left} }}\n[sound]\nbuzzer_pin = {buzzer}")
    assert (settings.buttons.pins.left, settings.sound.buzzer_pin) == (left, buzzer)


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
