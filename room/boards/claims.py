"""Who says to have a board or its match, if several clocks do."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import structs

from room.boards.board import SIMULATED, Claim
from room.sources.events import Place

ClaimsOf = Callable[[str, str], Sequence[Claim]]  # by match, and by the key of a source


class Claimant(NamedTuple):
    """A place, and who sent its match: the place itself first."""

    place: Place
    claims: Sequence[Claim]
    clock: str = ""  # its id, as its log has it


def claims_on(own: Claimant, others: Iterable[Claimant]) -> list[Claim]:
    """Return who says to have a board or its match, the board's own place first; nobody else: [].

    A directory and a serial port may show the same clock: there only logs that contradict each
    other are two claims. Two accounts are two clocks.

    Args:
        own: the place of the board.
        others: those whose clocks are heard, and name the same board.
    """
    if not own.claims:
        return []
    first, *senders = own.claims
    known = {each.source for each in senders}
    claims = [each for each in senders if own.place.clock or not each.agrees]
    claims += [
        structs.replace(other.claims[0], what="clock" if _is_copy(own, other) else "board")
        for other in others
        if other.claims and other.place.key not in known
    ]
    return [structs.replace(first, what=claims[0].what), *claims] if claims else []


def _is_copy(own: Claimant, other: Claimant) -> bool:
    """Return whether two accounts have clocks with one id, as copied cards have."""
    are_accounts = own.place.clock and other.place.clock
    return bool(are_accounts) and own.clock == other.clock not in ("", SIMULATED)


def same_claims(some: Iterable[Claim], others: Iterable[Claim]) -> bool:
    """Return whether the same sources claim the same; their logs may have grown."""
    return [structs.replace(each, lines=0) for each in some] == [
        structs.replace(each, lines=0) for each in others
    ]
