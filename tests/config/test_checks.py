"""The errors that mistakes in a configuration file cause."""

from itertools import product

import pytest

from clock.config.checks import conflicts, is_names
from clock.config.schema import ConfigFile, MatchTable
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES
from lab.support.settings_files import fault, parse

# --- doubles ----------------------------------------------------------------------------------


UNUSUAL_OPEN = (
    "wbgf",
    "ebf",
    "dbgf",
)  # their texts leave the times of other unusual matches open too
DOUBLES_OPEN = [name for name in PROFILES if name not in ("us", "us-doubles", "usbgf")]
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
    rules = parse(of_play("doubles", profile, TIMES)).match.rules
    assert (rules.time_per_point_ns, rules.delay_ns) == (parse_duration("2:00"), 0)


@pytest.mark.rule("R6")
@pytest.mark.parametrize("profile", [name for name in PROFILES if name not in UNUSUAL_OPEN])
def test_other_profiles_have_times_for_unusual_matches(profile: str) -> None:
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


@pytest.mark.rule("R8")
def test_an_empty_time_bank_is_refused() -> None:
    nothing = '[rules]\nprofile = "nbgf-analog"\ntime_per_point = "0:00"\n'
    assert parse(nothing).banks_ns.left == parse_duration("10:00")
    assert fault(f'{nothing}time_per_match = "0:00"').key == "rules.time_per_point"


def test_crawford_is_said_only_where_just_one_player_is_one_point_away() -> None:
    """EBF 4.4(iv): every other score says itself whether that game has been played."""
    for left, right in product(range(5), repeat=2):
        file = ConfigFile(match=MatchTable(length=5, score=(left, right), crawford="done"))
        keys = [each.key for each in conflicts(file, PROFILES["ebf"], "")]
        assert keys == ([] if (left == 4) != (right == 4) else ["match.crawford"])


def test_names_are_two_texts_of_1_to_40_characters() -> None:
    assert is_names(["A" * 40, "B"])
    for names in (["A"], ["A", "B", "C"], ["A", 7], ["A" * 41, "B"], ["A", " "], ["A\n", "B"]):
        assert not is_names(names)


@pytest.mark.parametrize(("left", "buzzer"), [(0, 0), (17, 18)])
def test_buzzer_pin_0_is_no_buzzer(left: int, buzzer: int) -> None:
    """This holds even if a button has pin 0."""
    settings = parse(f"[buttons]\npins = {{ left = {left} }}\n[sound]\nbuzzer_pin = {buzzer}")
    assert (settings.buttons.pins.left, settings.sound.buzzer_pin) == (left, buzzer)
