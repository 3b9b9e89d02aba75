"""A match that is not over, as the list in the menu shows it: it can be resumed (R131)."""

import msgspec

from clock.match.types import Pair, Side


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """What the log of such a match says of it."""

    log: str
    """The path of the log, which no other has."""
    match: str
    names: Pair[str]
    score: Pair[int]
    length: int
    reserves: Pair[int]
    """In nanoseconds, at the last line; below 0 only where no flag falls."""
    mover: Side | None
    """Whose turn is on the clock; None: it is between games, or that is not known."""
    wall: str
    """The wall time of the last line."""
    fingerprint: str
    """Of the log, at the line with which the match was adjourned; else at its last line.

    Empty if a line before is damaged: what this one states proves nothing of those before it.
    """
    is_adjourned: bool
    """False: the log ends in the middle of the match, and its end may be missing."""
    is_own: bool
    """Whether this clock has written it."""
    is_damaged: bool
    """Whether the hash of a line is wrong; a torn last line counts, and is not resumed."""
