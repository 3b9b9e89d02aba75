"""Time bank and simple delay: all arithmetic of playing time, in integers of nanoseconds.

The delay of a turn elapses first, then the reserve; what is left of the delay at the press is lost
(EBF 3.5(v), DBgF 3.5(v), NBgF 3-4-5; the German and Norwegian texts call this Bronstein). Stored
are the time spent and the instant since which the clock runs; what is left is derived.
"""

import msgspec

from clock.match.rules import Rules
from clock.match.types import Pair, Side


def bank_ns(rules: Rules, away: Pair[int]) -> int:
    """Return the time bank of each player: ((RA+RB)/2) x time per point + time per match.

    `away` are the points RA and RB that the players need. EBF 3.5(vi) omits the factor, DBgF
    3.5(vi) and NBgF 3-4-6 print it.
    """
    points = (away.left + away.right) * rules.time_per_point_ns
    exact = points // 2 + rules.time_per_match_ns
    return -(-exact // rules.bank_step_ns) * rules.bank_step_ns


class Account(msgspec.Struct, frozen=True):
    """A player's reserve: what was granted, less what their ended turns have spent."""

    granted_ns: int
    spent_ns: int = 0

    @property
    def left_ns(self) -> int:
        """What is left; negative by the time played after the flag."""
        return self.granted_ns - self.spent_ns

    def charge(self, spent_ns: int) -> "Account":
        """Return the account after a turn has spent this much."""
        return Account(self.granted_ns, self.spent_ns + spent_ns)


class Turn(msgspec.Struct, frozen=True):
    """The turn on the clock, running or stopped."""

    side: Side
    delay_ns: int  # at its beginning
    used_ns: int = 0  # playing time before `since_ns`, delay included
    since_ns: int | None = None  # running since this instant; None: stopped
    must_wait: bool = False  # no press counts before the delay has run out (EBF 4.2(iii)(c))
    free: bool = False  # played off the clock (EBF 4.1(v)(b), NBgF 4-1-6)
    absent: bool = False  # started by the director for a player who is not there (NBgF 2-2-4)

    def elapsed_ns(self, now_ns: int) -> int:
        """Return the playing time of this turn up to `now_ns`."""
        return self.used_ns if self.since_ns is None else self.used_ns + now_ns - self.since_ns

    def delay_left_ns(self, now_ns: int) -> int:
        """Return the delay left at `now_ns`."""
        return max(0, self.delay_ns - self.elapsed_ns(now_ns))

    def reserve_used_ns(self, now_ns: int) -> int:
        """Return the reserve used by this turn up to `now_ns`; 0 while the delay runs."""
        return max(0, self.elapsed_ns(now_ns) - self.delay_ns)

    def flag_at_ns(self, left_ns: int) -> int | None:
        """Return when the flag falls; None while stopped.

        `left_ns` is the player's reserve at the beginning of this turn.
        """
        if self.since_ns is None:
            return None
        return self.since_ns + self.delay_ns + left_ns - self.used_ns

    def stopped(self, now_ns: int) -> "Turn":
        """Return the same turn, stopped at `now_ns`."""
        return msgspec.structs.replace(self, used_ns=self.elapsed_ns(now_ns), since_ns=None)

    def started(self, now_ns: int) -> "Turn":
        """Return the same turn, running from `now_ns` on."""
        return msgspec.structs.replace(self, since_ns=now_ns)
