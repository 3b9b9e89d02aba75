"""What a hub saw first of a match, from one account: it stays, whatever comes later.

A clock, or whoever has its password, can send other lines in place of earlier ones, and those count
then. That the hub had seen another line before is kept for ever.
"""

from typing import NamedTuple

import msgspec

from clock.report.times_of_day import instant_ns
from room.lines.inbox import Verdict


class FirstHeard(msgspec.Struct, frozen=True):
    """The greatest line of a match that came before any line contradicted it."""

    seq: int
    hash: str
    wall: str
    """When it came, by the hub's date."""
    fork_seq: int = 0
    """The first line that came with another content; 0: none did."""
    fork_wall: str = ""
    """When that came."""
    begun: str = ""
    """When the first line came; empty: an earlier version of the hub did not note it."""

    def followed_since(self, duration_ns: int) -> str:
        """Return when its first line came, if a match of this length was followed from then on.

        A log that was read when it was whole says nothing of when it was played.
        """
        begun_ns, latest_ns = instant_ns(self.begun), instant_ns(self.wall)
        if begun_ns is None or latest_ns is None or latest_ns - begun_ns < duration_ns // 2:
            return ""
        return self.begun

    @property
    def since(self) -> str:
        """When the match was heard of first, as far as is known."""
        return self.begun or self.wall


class Arrival(NamedTuple):
    """A line that continues or contradicts a log."""

    seq: int
    hash: str
    verdict: Verdict


def heard(first: FirstHeard | None, arrival: Arrival, wall: str) -> FirstHeard:
    """Return what is known of a match after one more line came at `wall`."""
    if first is None:
        return FirstHeard(arrival.seq, arrival.hash, wall, begun=wall)
    if first.fork_seq:
        return first
    if arrival.verdict is Verdict.FORK:
        return msgspec.structs.replace(first, fork_seq=arrival.seq, fork_wall=wall)
    if arrival.seq <= first.seq:
        return first
    return msgspec.structs.replace(first, seq=arrival.seq, hash=arrival.hash, wall=wall)
