"""What each federation's text says of its profiles, for tests: `tests/federations`."""

from typing import Any

import msgspec

from clock.match.rules import Reason
from clock.match.types import Side
from lab.support.paths import TESTS


class Breaks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Breaks between games."""

    each: str
    allowed: dict[int, int]
    """By the length of the match, for each player."""


class Late(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What lateness costs."""

    award: str
    step: str
    forfeit: bool


class Flags(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What follows when time has run out."""

    sure_win_after_one: bool
    sure_win_after_both: bool
    order_unknown: str


class Told(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The match in `tests/data`, worked out by hand from its script."""

    bank: str
    left: tuple[float, ...]
    right: tuple[float, ...]
    score: tuple[int, int]
    winner: Side
    why: str
    shown: tuple[str, ...]
    extra: tuple[float, float] = (0, 0)


class Federation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expectations of one profile."""

    delay: str
    not_decided: str
    banks: dict[str, str]
    breaks: Breaks
    reasons: dict[Reason, str]
    lateness: Late
    flags: Flags
    match: Told
    page: str = ""
    """Its name on the director's page; empty: the page does not have it."""


def _read(name: str) -> Any:
    content = (TESTS / "federations" / f"{name}.toml").read_bytes()
    return msgspec.toml.decode(content, type=Federation)


FEDERATIONS: dict[str, Federation] = {
    path.stem: _read(path.stem) for path in sorted((TESTS / "federations").glob("*.toml"))
}
