"""All that players can do in a small match, under each profile: searches, and their controls."""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, FirstFlag, Rules
from clock.units import SECOND_NS as STEP_NS
from lab.prove.faults import FAULTS
from lab.prove.laws import LAWS
from lab.prove.machine import (
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
from lab.prove.part import Part, Search
from lab.prove.search import Subject
from lab.support.faults import Fault

EBF = PROFILES["ebf"]
OPTIONS: dict[str, Rules] = {  # what the director may set beside a profile
    "ebf, first flag freezes": replace(EBF, on_first_flag=FirstFlag.FREEZE),
    "ebf, overtime": replace(EBF, overtime_ns=STEP_NS),
    "ebf, early pickup waits": replace(EBF, early_pickup=EarlyPickup.WAIT),
}


def subject(
    name: str,
    rules: Rules,
    length: int,
    delay: int,
    per_point: int,
    *,
    practice: bool = False,
    best_of_three: bool = False,
    deepest: int | None = None,
) -> Subject[Moment, Act]:
    """Return a match to `length` as a system; times are in steps."""
    rules = small(rules, delay, per_point)
    bank = length * per_point
    return Subject(
        name=f"{name}: to {length}, delay {rules.timed().delay_ns // STEP_NS}, bank {bank}",
        beginnings=[
            Moment(beginning(rules, length, practice=practice, best_of_three=best_of_three))
        ],
        acts=players_acts,
        step=step,
        canonical=lambda moment: moment.form,
        laws=LAWS,
        fate=fate,
        script=script,
        deepest=deepest,
    )


TWO_GAMES = 24  # acts: then a match may be over, or two games and the break between them

WITHOUT_LIMIT: dict[str, Callable[..., Subject[Moment, Act]]] = {  # R130, R132
    "pace mode": partial(subject, rules=EBF.at_pace()),
    "practice": partial(subject, rules=EBF, practice=True),
}


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
    three = partial(subject, "ebf, best of three", EBF, best_of_three=True)
    made += [
        Search(partial(three, 1, delay=0, per_point=1)),
        Search(partial(three, 2, delay=0, per_point=1, deepest=TWO_GAMES), quick=True),
    ]
    return made + [
        Search(partial(make, name, length=length, delay=1, per_point=2), quick=length == 1)
        for name, make in WITHOUT_LIMIT.items()
        for length in (1, 2)
    ]


def _control(fault: Fault) -> Subject[Moment, Act]:
    needs: dict[str, Any] = {"rules": PROFILES["ebf"], "length": 1, **fault.needs}
    if "profile" in needs:
        needs["rules"] = PROFILES[needs.pop("profile")]
    make = WITHOUT_LIMIT.get(needs.pop("kind", ""))
    return (
        make("control", length=1, delay=1, per_point=2)
        if make
        else subject("control", delay=1, per_point=2, **needs)
    )


PLAYERS = Part(_searches(), FAULTS, _control)
