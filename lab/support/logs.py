"""Logs to prove things on: matches played by a monkey, and forgeries whose chain is right."""

import hashlib
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import msgspec

from clock.eventlog.codec import is_first
from clock.match.events import AnyEvent, Event
from clock.match.profiles import PROFILES
from clock.match.rules import FirstFlag, Lateness, MatchSettings
from lab.support.match_scripts import log_of
from lab.support.world import SECOND_NS, match_settings

ACTS = {
    "press left": 30,
    "press right": 30,
    "press centre": 18,
    "hold centre": 8,
    "power cut": 1,
    "wait": 2,
}
PAUSES = ("0", "0", "0.3", "0.000000001", "4.7", "13.25", "61.999999999", "301")
OWN = tuple(kind for kind in AnyEvent.__args__)  # every event there is


def monkey_settings(seed: int) -> MatchSettings:
    """A short match under one of the profiles, with times in which flags fall."""
    random = Random(seed)
    profile = random.choice(list(PROFILES))
    lateness = random.choice(list(Lateness))
    length = random.choice((1, 3, 5, 7))
    return match_settings(
        profile,
        length=length,
        score=(0, 0) if length == 1 else random.choice(((0, 0), (1, 0), (2, 1))),
        best_of_three=random.random() < 0.2,
        time_per_point_ns=random.choice((7, 20, 100)) * SECOND_NS,
        bank_step_ns=1,
        overtime_ns=random.choice((0, 0, 60 * SECOND_NS)),
        on_first_flag=random.choice(list(FirstFlag)),
        lateness=lateness,
    )


def monkey_script(seed: int, acts: int = 300) -> str:
    """Acts at random, the same for the same seed; it begins with two players who confirm."""
    random = Random(seed)
    pressed = random.choices(list(ACTS), list(ACTS.values()), k=acts)
    begun = ["1 press left", "1 press right", "1 press centre"] * (seed % 5 > 0)
    return "\n".join((*begun, *(f"{random.choice(PAUSES)} {act}" for act in pressed)))


def monkey_logs(seed: int, acts: int = 300) -> list[list[bytes]]:
    """The logs of the matches that a monkey played: their lines without line feeds."""
    return separate(log_of(monkey_script(seed, acts), monkey_settings(seed)))


def separate(lines: Iterable[bytes]) -> list[list[bytes]]:
    """Lines by match; a new match begins with a first line."""
    logs: list[list[bytes]] = []
    for line in lines:
        if is_first(line):
            logs.append([])
        logs[-1].append(line)
    return logs


def sealed(bodies: Iterable[bytes], before: str = "0" * 32) -> list[bytes]:
    """Return lines whose hashes are right, as a forger would make them."""
    lines = []
    for each in bodies:
        before = hashlib.sha256(before.encode() + each).hexdigest()[:32]
        lines.append(b'%b,"hash":"%b"}' % (each, before.encode()))
    return lines


def body(line: bytes) -> bytes:
    """Return a line without its hash."""
    return line[: line.rindex(b',"hash":"')]


def forged(lines: list[bytes], at: int, change: Callable[[dict[str, Any]], object]) -> list[bytes]:
    """Return a log with the fields of one line changed and every hash made right."""
    fields = msgspec.json.decode(lines[at])
    change(fields)
    fields.pop("hash", None)
    bodies = [body(line) for line in lines]
    bodies[at] = msgspec.json.encode(fields)[:-1]
    return sealed(bodies)


def renamed(lines: list[bytes], match: str) -> list[bytes]:
    """Return a log whose lines name another match."""
    old = msgspec.json.decode(lines[0])["match"]
    old_field, field = f'"match":"{old}"'.encode(), f'"match":"{match}"'.encode()
    return sealed(body(line).replace(old_field, field) for line in lines)


def kinds(lines: Iterable[bytes]) -> set[str]:
    """The events of a log by their tags."""
    return {msgspec.json.decode(line)["event"] for line in lines}


def tag(kind: type[Event]) -> str:
    """What an event is called in the log."""
    return str(kind.__struct_config__.tag)
