"""A match under each profile, that teaches the rules.

The numbers are worked out by hand (`tests/federations`), from the rules and the scripts alone: each
turn costs the time beyond the delay.
"""

import json

import click.testing
import pytest

from clock.config.loader import load_settings
from clock.eventlog.replay import replay
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES
from clock.units import SECOND_NS
from gammonclock.__main__ import main
from lab.docs.generate_matches import script_of, settings_of, with_presses
from lab.support.federations import FEDERATIONS
from lab.support.paths import DATA
from lab.support.rows import rest_slow


def left_ns(profile: str, turns: tuple[float, ...], extra: float) -> int:
    """Return the reserve left: the bank less the time of each turn beyond the delay."""
    known = FEDERATIONS[profile]
    spent = sum(turn - parse_duration(known.delay) / SECOND_NS for turn in turns)
    return parse_duration(known.match.bank) + round((extra - spent) * SECOND_NS)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_ends_as_the_rules_say(profile: str) -> None:
    told = FEDERATIONS[profile].match
    lines = (DATA / f"{profile}.jsonl").read_bytes().splitlines()
    state, chain = replay(lines).match
    assert chain.seq == len(lines)
    last = json.loads(lines[-1])
    assert (last["event"], last["phase"]) == ("match_over", "FINISHED")
    assert (last["winner"], last["why"]) == (told.winner, told.why)
    assert tuple(last["score"]) == tuple(state.score) == told.score
    assert last["left_ns"] == left_ns(profile, told.left, told.extra[0])
    assert last["right_ns"] == left_ns(profile, told.right, told.extra[1])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_is_played_under_its_profile(profile: str) -> None:
    settings = settings_of(profile)
    assert (settings.length, settings.rules) == (7, PROFILES[profile])
    example = load_settings(DATA.parent.parent / "config" / f"{profile}.toml").match
    assert settings.rules == example.rules


@pytest.mark.parametrize("profile", PROFILES)
def test_the_presses_of_a_script_are_those_that_its_wishes_take(profile: str) -> None:
    """The menu may change its order: then `make docs` generates the presses again."""
    assert with_presses(script_of(profile), settings_of(profile)) == script_of(profile)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", rest_slow(PROFILES))
def test_the_commands_play_and_verify_a_match(profile: str) -> None:
    """R83: `play` writes the log beside the script byte for byte, and `verify` accepts it.

    After a new version `make docs` generates the logs again.
    """
    paths = [str(DATA / f"{profile}.{kind}") for kind in ("script", "toml", "jsonl")]
    runner = click.testing.CliRunner()
    played = runner.invoke(main, ["play", paths[0], "--config", paths[1]])
    assert (played.exit_code, played.stdout_bytes) == (0, (DATA / f"{profile}.jsonl").read_bytes())
    verified = runner.invoke(main, ["verify", paths[2]])
    assert verified.exit_code == 0
    score = "{}-{} of 7".format(*FEDERATIONS[profile].match.score)
    assert score in verified.stdout


@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_shows_what_is_its_federations_own(profile: str) -> None:
    log = (DATA / f"{profile}.jsonl").read_text(encoding="utf-8")
    for shown in FEDERATIONS[profile].match.shown:
        assert shown in log
