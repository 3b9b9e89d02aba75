"""[[preset]]: one file for an event, each preset checked as if it were the whole file."""

import pytest

from clock.config.fallback import salvage_tables
from clock.config.reader import MAX_VALUES
from clock.config.schema import MatchTable, RulesTable
from clock.config.settings import Preset, describe
from clock.match.durations import duration_text
from clock.match.types import Pair
from clock.units import SECOND_NS
from lab.support.settings_files import EVENT, FILE, fault, parse
from tests.config.test_reader import MAX_CALLS, MAX_MEMORY, calls, memory


def only(keys: str, file: str = "") -> Preset:
    [preset] = parse(f'{file}\n[[preset]]\nname = "P"\n{keys}\n').presets
    return preset


# --- what a preset is -------------------------------------------------------------------------


@pytest.mark.rule("R104")
def test_a_preset_is_the_file_with_its_own_keys_in_it() -> None:
    """Names and what it does not change come from [match] and [rules]; the file's match stays."""
    settings = parse(EVENT)
    final, fast = settings.presets
    assert (final.name, final.match.length, final.match.names) == ("Final", 13, Pair("Ada", "Ben"))
    assert final.match.rules.time_per_point_ns == 150 * SECOND_NS
    assert final.match.rules.delay_ns == fast.match.rules.delay_ns == 15 * SECOND_NS
    assert (fast.match.length, fast.match.rules.profile) == (9, "nbgf-hurtig")
    assert settings.match == parse(FILE).match
    assert settings.choices == (Preset("", settings.match), final, fast)


@pytest.mark.rule("R104")
def test_presets_may_stand_before_the_tables() -> None:
    first = '[[preset]]\nname = "Final"\nlength = 13\n'
    assert parse(first + FILE).presets == parse(FILE + first).presets


@pytest.mark.rule("R104")
def test_without_presets_there_is_nothing_to_choose() -> None:
    assert parse("").choices == ()
    assert parse("").director.players_start
    assert not parse("[director]\nplayers_start = false").director.players_start


VALUES = {  # of each key: one that differs from the default
    "length": "13",
    "score": "[1, 2]",
    "format": '"best-of-three"',
    "play": '"other"',
    "profile": '"us"',
    "time_per_point": '"3:00"',
    "time_per_match": '"5:00"',
    "delay": '"0:10"',
    "method": '"bronstein"',
    "on_first_flag": '"freeze"',
    "overtime": '"1:00"',
    "early_pickup": '"wait"',
    "illegal_move": '"fresh"',
    "crawford": '"now"\nscore = [10, 3]',
    "reserves": '["12:34", "8:05"]',
    "event": '"Nordic Open"',
    "round": '"Final"',
    "scheduled": '"19:30"',
    "carried": "[0, 0]",
    "practice": "true",
    "lateness": '"none"',
    "late_step": '"10:00"',
    "breaks": "2",
    "break_length": '"6:00"',
    "penalty_points_score": "false",
    "penalty_forfeit": "false",
    "record": '["who", "cube"]',
}
KEYS = [*MatchTable.__struct_fields__, *RulesTable.__struct_fields__]


@pytest.mark.rule("R104")
@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("board", "names")])
def test_a_preset_may_have_any_key(key: str) -> None:
    """It changes what the match is played under; `play` says only which times must be given."""
    times = 'time_per_point = "2:00"\ndelay = "0:12"\n'
    keys = times + f"{key} = {VALUES[key]}" if key == "play" else f"{key} = {VALUES[key]}"
    preset = only(keys)
    assert (preset.match.code != parse("").match.code) is (
        key not in ("play", "event", "round", "scheduled", "carried")
    )


@pytest.mark.rule("R104")
@pytest.mark.parametrize("key", ["board", "names", "code", "lenght", "preset"])
def test_no_other_key_is_allowed(key: str) -> None:
    """The error names the preset and the key, and says which ones there are."""
    error = fault(f'[[preset]]\nname = "Final"\n{key} = "x"\n')
    assert (error.key, error.found) == (f'preset "Final": {key}', "an unknown key")
    assert error.allowed.startswith("one of name, length, score,")
    assert "board" not in error.allowed


# --- errors -----------------------------------------------------------------------------------

WRONG = [
    ("length = 0", "length", "0"),
    ('delay = "12"', "delay", '"12"'),
    ('profile = "fibs"', "profile", '"fibs"'),
    ("length = 3\nscore = [3, 0]", "score", "[3,0]"),
    ('play = "doubles"', "time_per_point", "not given"),
    ('time_per_point = "0:00"', "time_per_point", '"0:00"'),
    ('break_length = "0:00"', "break_length", '"0:00"'),
]


@pytest.mark.rule("R104", "R8")
@pytest.mark.parametrize(("keys", "key", "found"), WRONG)
def test_an_error_names_the_preset_and_the_key(keys: str, key: str, found: str) -> None:
    """Each preset is checked, not only the first, and values against each other too."""
    error = fault(f'{EVENT}[[preset]]\nname = "Last"\n{keys}\n')
    assert (error.key, error.found) == (f'preset "Last": {key}', found)
    assert str(error).startswith(f'match.toml: preset "Last": {key} is {found}, but must be')


@pytest.mark.rule("R104", "R8")
def test_a_preset_is_checked_with_the_keys_that_it_does_not_change() -> None:
    error = fault('[match]\nscore = [5, 0]\n[[preset]]\nname = "Short"\nlength = 5\n')
    assert (error.key, error.found) == ('preset "Short": score', "[5,0]")
    assert 'below the line [[preset]] of "Short"' in str(error)


@pytest.mark.rule("R104", "R8")
def test_an_error_of_the_file_itself_comes_first() -> None:
    """It would be an error of each preset too."""
    assert fault('[[preset]]\nname = "P"\n[match]\nlength = 0\n').key == "match.length"


NAMES = ['""', '"   "', f'"{41 * "x"}"', "7", '"a\\tb"', '"a\\u0000"']


@pytest.mark.rule("R104", "R8")
@pytest.mark.parametrize("name", NAMES)
def test_a_name_has_one_to_forty_letters(name: str) -> None:
    """A preset without a good name is named by its number."""
    assert fault(f"{EVENT}[[preset]]\nname = {name}\n").key == "preset 3: name"


@pytest.mark.rule("R104", "R8")
def test_every_preset_has_a_name_of_its_own() -> None:
    assert fault("[[preset]]\nlength = 3\n").key == "preset 1: name"
    error = fault(f'{EVENT}[[preset]]\nname = "Final"\n')
    assert (error.key, error.found) == ("preset 3: name", '"Final"')


@pytest.mark.rule("R104", "R8")
@pytest.mark.parametrize("text", ['[preset]\nname = "P"', "preset = 3", "preset = [3]"])
def test_presets_are_written_in_two_brackets(text: str) -> None:
    error = fault(text)
    assert (error.key, error.allowed) == ("preset", "tables, each below a line [[preset]]")


@pytest.mark.rule("R104")
def test_an_error_in_a_preset_leaves_the_panels_usable() -> None:
    text = f'[display]\nlanguage = "da"\n{EVENT}[[preset]]\nname = 7\n'
    assert salvage_tables(text).display.language == "da"


# --- what it costs ----------------------------------------------------------------------------


@pytest.mark.rule("R104")
def test_as_many_presets_as_a_file_can_hold_cost_a_bounded_amount() -> None:
    rules = "".join(f"{key} = {VALUES[key]}\n" for key in RulesTable.__struct_fields__)
    used = sum(map(rules.count, "=,[")) + 1
    count = (MAX_VALUES - used) // 3  # two brackets and a sign of equality
    text = f"[rules]\n{rules}" + "".join(f'[[preset]]\nname = "{n}"\n' for n in range(count))
    assert len(parse(text).presets) == count > 150
    assert calls(parse, text) <= MAX_CALLS
    assert memory(parse, text) <= MAX_MEMORY
    assert fault(text + text.replace(f"[rules]\n{rules}", "")).key == "file"


@pytest.mark.rule("R104")
@pytest.mark.parametrize("text", ["[[preset.a.b.c]]", "[[preset]]\nscore = [[[0]]]"])
def test_the_limits_of_keys_and_nesting_hold_in_presets(text: str) -> None:
    assert fault(f"[match]\n{text}\n").key in ("line 2", "line 3")


# --- what check-config says -------------------------------------------------------------------


@pytest.mark.rule("R104")
def test_a_preset_is_described_with_banks_code_and_changes() -> None:
    """Both starting banks, the settings code, and each key that it changes, with the new value."""
    settings = parse(EVENT)
    lines = describe(settings)
    at = next(at for at, (name, _) in enumerate(lines) if name == 'preset "Final"')
    final = settings.presets[0]
    bank = duration_text(final.banks_ns.left)
    assert (bank, final.banks_ns.right) == ("32:30", final.banks_ns.left)
    assert lines[at][1] == f"left bank {bank}, right {bank}, settings code {final.match.code}"
    assert lines[at + 1 : at + 4] == [
        ("  match.length", "13 points"),
        ("  rules.time_per_point", "2:30"),
        ('preset "Fast"', lines[at + 3][1]),
    ]
    assert dict(lines)["director.players_start"] == "yes"
