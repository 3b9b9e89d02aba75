"""All that players can do in a small match, under each profile: searches, and their controls."""

from functools import partial

from msgspec.structs import replace

from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, FirstFlag, Rules
from clock.units import SECOND_NS as STEP_NS
from tools.prove import faults
from tools.prove.laws import LAWS
from tools.prove.machine import (
    Act,
    Moment,
    beginning,
    fate,
    groups,
    players_acts,
    script,
    small,
    step,
)
from tools.prove.part import Control, Part, Search
from tools.prove.search import Subject

EBF = PROFILES["ebf"]
OPTIONS: dict[str, Rules] = {  # what the director may set beside a profile
    "ebf, first flag freezes": replace(EBF, on_first_flag=FirstFlag.FREEZE),
    "ebf, overtime": replace(EBF, overtime_ns=STEP_NS),
    "ebf, early pickup waits": replace(EBF, early_pickup=EarlyPickup.WAIT),
}


def subject(
    name: str, rules: Rules, length: int, delay: int, per_point: int
) -> Subject[Moment, Act]:
    """Return a match to `length` as a system; times are in steps."""
    rules = small(rules, delay, per_point)
    bank = length * per_point
    return Subject(
        name=f"{name}: to {length}, delay {rules.delay_ns // STEP_NS}, bank {bank}",
        beginnings=[Moment(beginning(rules, length))],
        acts=players_acts,
        step=step,
        canonical=lambda moment: moment.form,
        laws=LAWS,
        fate=fate,
        script=script,
    )


def _searches() -> list[Search]:
    """Return the searches: every profile to 1 and 2 points, and the options to 1."""
    made = []
    for name, rules in groups().items():
        delays = (1, 0) if rules.delay_ns else (0,)
        made += [Search(partial(subject, name, rules, 2, delay, 1)) for delay in delays]
        made += [
            Search(partial(subject, name, rules, 1, delay, 3), quick=name.startswith("us"))
            for delay in ((2, *delays) if rules.delay_ns else delays)
        ]
    made += [Search(partial(subject, name, rules, 1, 1, 2)) for name, rules in OPTIONS.items()]
    return made


PLAYERS = Part(
    _searches(),
    [
        Control(
            seeded.name,
            seeded.law,
            seeded.fault,
            partial(subject, "control", PROFILES[seeded.profile], seeded.length, 1, 2),
        )
        for seeded in faults.FAULTS
    ],
)
