"""Matches to measure with: realistic, and long enough to matter."""

import random

from clock.apps.playback import play
from clock.apps.script import Segment, parse
from clock.match.profiles import PROFILES
from clock.match.rules import Format, MatchSettings
from clock.match.types import Pair
from clock.runtime.loop import UiOptions
from clock.ui.i18n import sayer

SIDES = ("left", "right")
UI_OPTIONS = UiOptions(sayer("en"), "bench")


def settings(length: int) -> MatchSettings:
    """Return the settings of a match under the EBF's rules."""
    return MatchSettings(
        length=length,
        score=Pair(0, 0),
        names=Pair("Left", "Right"),
        format=Format.SINGLE,
        rules=PROFILES["ebf"],
    )


def script(length: int, seed: int = 1) -> tuple[Segment, ...]:
    """Return a whole match to `length` points: turns of 2 to 25 s, about 55 a game."""
    dice = random.Random(seed)
    acts = ["0 press left", "1 press right", "1 press centre"]
    score = [0, 0]
    while max(score) < length:
        acts += _game(dice, score)
    return parse("\n".join(acts), "bench")


def _game(dice: random.Random, score: list[int]) -> list[str]:
    mover, winner, points = dice.randrange(2), dice.randrange(2), dice.choice((1, 1, 2, 2, 4))
    acts = [f"20 press {SIDES[1 - mover]}"]
    for _ in range(dice.randrange(40, 70)):
        acts.append(f"{dice.uniform(2, 25):.3f} press {SIDES[mover]}")
        mover = 1 - mover
    score[winner] += points
    entered = [f"1 press {SIDES[winner]}"] * points
    return [*acts, "3 press centre", "1 press right", "1 press centre", *entered, "2 press centre"]


def log(records: int) -> list[bytes]:
    """Return the first `records` lines of the log of a match."""
    turns = "\n".join(f"{5 + n % 20} press {SIDES[n % 2]}" for n in range(records))
    text = f"0 press left\n1 press right\n1 press centre\n9 press right\n{turns}"
    lines: list[bytes] = []
    play(parse(text, "bench"), settings(99), UI_OPTIONS, lines.append)
    return [line.rstrip(b"\n") for line in lines[:records]]
