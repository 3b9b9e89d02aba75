"""Nine matches, one under each profile, that teach the rules.

The numbers are worked out here by hand, from the rules and the scripts alone: each turn costs the
time beyond the delay.
"""

import json
from typing import NamedTuple

import click.testing
import pytest

from clock import __version__
from clock.config.loader import load_settings
from clock.eventlog.replay import replay
from clock.match.profiles import PROFILES
from clock.units import SECOND_NS
from gammonclock.__main__ import main
from tests.stories.generate_matches import log_of, script_of, settings_of, with_presses
from tests.support.paths import DATA


class Told(NamedTuple):
    """A match as its script tells it."""

    bank: float  # seconds
    delay: float
    left: tuple[float, ...]  # the turns of the left player that were longer than the delay
    right: tuple[float, ...]
    score: tuple[int, int]
    winner: str
    why: str = "score"
    extra: tuple[float, float] = (0, 0)  # given by the director, or taken by a missing delay


MATCHES = {
    "ebf": Told(  # Ada's 7 s without a delay; her flag: 703 s of the 720 are all she had
        bank=7 * 120,
        delay=12,
        left=(20, 15, 42, 13, 112, 703),
        right=(30, 14, 62, 20, 30),
        score=(2, 6),
        winner="right",
        why="time",
        extra=(-7, 0),
    ),
    "dbgf": Told(  # Bo's 9 s without a delay
        bank=7 * 120,
        delay=12,
        left=(15, 14),
        right=(12.5, 72, 20),
        score=(7, 0),
        winner="left",
        extra=(0, -9),
    ),
    "nbgf": Told(  # Kari: 30 s penalty, then 2:00 because the game was not decided
        bank=7 * 120,
        delay=12,
        left=(5 + 10, 100),
        right=(132, 20, 6 + 24, 8 + 10, 52, 12.1),
        score=(7, 3),
        winner="left",
        extra=(-30 + 120, 0),
    ),
    "nbgf-hurtig": Told(  # from the reset on: (4 + 7) points x 1:00 / 2
        bank=(4 + 7) * 60 / 2,
        delay=12,
        left=(42,),
        right=(3 + 12, 24),
        score=(8, 2),
        winner="left",
    ),
    "nbgf-lyn": Told(  # Ola: 12 s because the game was not decided; Kari's flag: 10 + 79 s
        bank=7 * 12,
        delay=10,
        left=(15, 89),
        right=(11, 22.5, 4 + 8, 12),
        score=(4, 0),
        winner="left",
        why="gin",
        extra=(0, 12),
    ),
    "nbgf-analog": Told(
        bank=7 * 300 + 600,
        delay=0,
        left=(30, 60, 10, 100, 20, 40),
        right=(45, 0.5, 100, 5 + 5, 10, 3),
        score=(2, 7),
        winner="right",
    ),
    "us": Told(  # Bob's 10 s without a delay
        bank=7 * 120,
        delay=12,
        left=(14, 7 + 8, 20),
        right=(16, 72, 30, 15),
        score=(3, 8),
        winner="right",
        extra=(0, -10),
    ),
    "us-doubles": Told(
        bank=7 * 150,
        delay=18,
        left=(48, 6 + 20, 78),
        right=(19, 28, 20, 40),
        score=(6, 7),
        winner="right",
    ),
    "jbs": Told(  # 17:30 rounded up
        bank=18 * 60,
        delay=12,
        left=(22, 20, 8 + 10, 30, 15),
        right=(32, 13, 62, 25),
        score=(7, 6),
        winner="left",
    ),
}


def left_ns(told: Told, turns: tuple[float, ...], extra: float) -> int:
    """Return the reserve left: the bank less the time of each turn beyond the delay."""
    spent = sum(turn - told.delay for turn in turns)
    return round((told.bank + extra - spent) * SECOND_NS)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_gives_its_log_byte_for_byte(profile: str) -> None:
    """R83, determinism; after a new version `make docs` generates the logs again."""
    expected = (DATA / f"{profile}.jsonl").read_bytes()
    opened = json.loads(expected.split(b"\n", 1)[0])
    assert opened["version"] == __version__, "a new version: make docs"
    assert log_of(profile) == expected


@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_ends_as_the_rules_say(profile: str) -> None:
    """The score and both reserves, worked out by hand."""
    told = MATCHES[profile]
    lines = log_of(profile).split(b"\n")[:-1]
    state, chain = replay(lines).match
    assert chain.seq == len(lines)
    last = json.loads(lines[-1])
    assert (last["event"], last["phase"]) == ("match_over", "FINISHED")
    assert (last["winner"], last["why"]) == (told.winner, told.why)
    assert tuple(last["score"]) == tuple(state.score) == told.score
    assert last["left_ns"] == left_ns(told, told.left, told.extra[0])
    assert last["right_ns"] == left_ns(told, told.right, told.extra[1])


@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_is_played_under_its_profile(profile: str) -> None:
    """To 7 points, with nothing of the profile changed."""
    settings = settings_of(profile)
    assert (settings.length, settings.rules) == (7, PROFILES[profile])
    example = load_settings(DATA.parent.parent / "config" / f"{profile}.toml").match
    assert settings.rules == example.rules


@pytest.mark.parametrize("profile", PROFILES)
def test_the_presses_of_a_script_are_those_that_its_wishes_take(profile: str) -> None:
    """The menu may change its order: then `make docs` generates the presses again."""
    assert with_presses(script_of(profile), settings_of(profile)) == script_of(profile)


@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_the_commands_play_and_verify_a_match(profile: str) -> None:
    """`play` writes the log that stands beside the script, and `verify` accepts it."""
    paths = [str(DATA / f"{profile}.{kind}") for kind in ("script", "toml", "jsonl")]
    runner = click.testing.CliRunner()
    played = runner.invoke(main, ["play", paths[0], "--config", paths[1]])
    assert (played.exit_code, played.stdout_bytes) == (0, (DATA / f"{profile}.jsonl").read_bytes())
    verified = runner.invoke(main, ["verify", paths[2]])
    assert verified.exit_code == 0
    score = "{}-{} of 7".format(*MATCHES[profile].score)
    assert score in verified.stdout


SHOWN = {  # texts in the log that only this federation's rules lead to
    "ebf": ('"reason":"early_pickup"', '"must_wait"', '"break"', '"flag_fell"', '"what":"score"'),
    "dbgf": (
        '"award":"shall"',
        '"event":"penalty"',
        '"reason":"early_pickup"',
        '"invalid_rolls":1',
    ),
    "nbgf": ('"award":"clock-started"', '"why":"not_decided"', '"time_penalty"', '"die_on_floor"'),
    "nbgf-hurtig": ('"margin_ns":40000000000', '"what":"banks"', '"new":[330000000000'),
    "nbgf-lyn": ('"why":"gin"', '"new_ns":82500000000', '"why":"not_decided"'),
    "nbgf-analog": ('"delay_ns":0', '"reason":"game_decided"', '"event":"break_ended"'),
    "us": ('"reason":"die_on_floor"', '"delay":"full"', '"allowed_ns":600000000000', "match_ends"),
    "us-doubles": ('"event":"restored"', '"reason":"power_loss"', '"delay_ns":18000000000'),
    "jbs": ('"left_ns":1080000000000', '"event":"late"', '"event":"penalty"', '"must_wait"'),
}


@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_shows_what_is_its_federations_own(profile: str) -> None:
    """A reader finds the differences in the logs."""
    log = (DATA / f"{profile}.jsonl").read_text(encoding="utf-8")
    for shown in SHOWN[profile]:
        assert shown in log
