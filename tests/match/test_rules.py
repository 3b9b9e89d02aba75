"""The settings code: equal if and only if the settings are, names aside."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins
from msgspec.structs import fields, replace

from clock.match.profiles import PROFILES
from clock.match.rules import Format, MatchSettings, Recorded, Rules, Times
from clock.match.types import Pair
from clock.units import MINUTE_NS

ELEVEN = MatchSettings(
    length=11,
    score=Pair(0, 0),
    names=Pair("Left", "Right"),
    format=Format.SINGLE,
    rules=PROFILES["ebf"],
)

scores = st.builds(Pair, st.integers(0, 20), st.integers(0, 20))
matches = st.builds(
    MatchSettings,
    length=st.integers(1, 99),
    score=scores,
    names=st.builds(Pair, st.text(max_size=12), st.text(max_size=12)),
    format=st.sampled_from(Format),
    rules=st.sampled_from(list(PROFILES.values())),
)


def without_names(match: MatchSettings) -> MatchSettings:
    """The same settings of two nameless players."""
    return replace(match, names=Pair("", ""))


def other_value(name: str, value: Any) -> Any:
    """A value of the same type that a field of `Rules` does not have."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if name == "pace":
        return Times(MINUTE_NS, 0, 0)
    if name == "profile":
        return f"{value}-changed"
    if name == "record":
        return (*value, Recorded.WHO)
    if isinstance(value, tuple):
        return value[:-1]
    return next(choice for choice in type(value) if choice is not value)


@settings(derandomize=True)  # twenty bits can collide: let the examples be the same ones always
@given(matches, matches)
def test_code_is_equal_if_and_only_if_settings_are(one: MatchSettings, two: MatchSettings) -> None:
    """Equal codes prove equal settings; names are no settings."""
    assert (one.code == two.code) == (without_names(one) == without_names(two))


@given(matches, st.text(max_size=12), st.text(max_size=12))
def test_code_is_blind_to_names(match: MatchSettings, left: str, right: str) -> None:
    """A room of clocks with the same settings shows one code, for any players."""
    assert replace(match, names=Pair(left, right)).code == match.code


@given(matches)
def test_code_can_be_read_aloud(match: MatchSettings) -> None:
    """Four letters and digits, none of which looks like another: no 0, O, 1, I."""
    assert re.fullmatch("[2-9A-HJ-NP-Z]{4}", match.code)


def test_code_changes_with_every_rule() -> None:
    codes = {ELEVEN.code}
    for field in fields(Rules):
        value = other_value(field.name, getattr(ELEVEN.rules, field.name))
        codes.add(replace(ELEVEN, rules=replace(ELEVEN.rules, **{field.name: value})).code)
    assert len(codes) == len(fields(Rules)) + 1


def test_code_changes_with_length_score_and_format() -> None:
    """What is played is part of the code, and so is which side has which score."""
    changed = [
        ELEVEN,
        replace(ELEVEN, length=13),
        replace(ELEVEN, score=Pair(1, 0)),
        replace(ELEVEN, score=Pair(0, 1)),
        replace(ELEVEN, format=Format.BEST_OF_THREE),
    ]
    assert len({match.code for match in changed}) == len(changed)


def test_pace_mode_has_no_limit_and_keeps_the_times() -> None:
    """EBF 2.3(i)(b): the director may begin them."""
    for rules in PROFILES.values():
        paced = rules.at_pace()
        times = (paced.time_per_point_ns, paced.time_per_match_ns, paced.delay_ns)
        assert times == (0, 0, 0)
        assert paced.timed() == rules


def test_rules_of_a_log_that_names_fewer_are_those_of_its_time() -> None:
    """A forfeit for penalty points was in all of them, a turn that stays off the clock in none."""
    named = to_builtins(PROFILES["ebf"])
    del named["penalty_forfeit"], named["free_turn_kept"]
    rules = convert(named, Rules)
    assert (rules.penalty_forfeit, rules.free_turn_kept) == (True, False)
    assert ELEVEN.carried == Pair(0, 0)
