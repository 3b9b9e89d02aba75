"""Time bank and delay: the only arithmetic of playing time.

Simple delay (EBF 3.5(v), DBgF 3.5(v), NBgF 3-4-5): the delay of a turn elapses first, then the
reserve; what is left of the delay at the press is lost. The German and Norwegian texts call the
same thing Bronstein.

The one rule: what was spent is stored, and one instant since when the clock runs; what is left is
derived. All durations and instants are integers of nanoseconds.
"""

import msgspec

from clock.match.rules import Rules
from clock.match.sides import Pair, Side


def bank_ns(rules: Rules, away: Pair[int]) -> int:
    """The time bank of each player: ((RA+RB)/2) x time per point + time per match.

    Args:
        rules: gives the times, and the step that the bank is rounded up to.
        away: the points that each player still needs.

    EBF 3.5(vi) omits the factor, DBgF 3.5(vi) and NBgF 3-4-6 print it.
    """
    points = (away.left + away.right) * rules.time_per_point_ns
    exact = points // 2 + rules.time_per_match_ns
    return -(-exact // rules.bank_step_ns) * rules.bank_step_ns


class Account(msgspec.Struct, frozen=True):
    """A player's reserve: what he was granted and what ended turns have spent of it."""

    granted_ns: int
    spent_ns: int = 0

    @property
    def left_ns(self) -> int:
        """What is left; negative by as much as was played after the flag."""
        return self.granted_ns - self.spent_ns


class Turn(msgspec.Struct, frozen=True):
    """The turn on the clock, running or stopped."""

    side: Side
    delay_ns: int  # the delay that it began with
    used_ns: int = 0  # time used before `since_ns`
    since_ns: int | None = None  # running since this instant; None: stopped
    must_wait: bool = False  # no press counts before the delay has run out (EBF 4.2(iii)(c))
    free: bool = False  # played off the clock (EBF 4.1(v)(b), NBgF 4-1-6)
    absent: bool = False  # started by the director for a player who is not there (NBgF 2-2-4)

    def elapsed_ns(self, now_ns: int) -> int:
        """Playing time used in this turn up to now."""
        return self.used_ns if self.since_ns is None else self.used_ns + now_ns - self.since_ns

    def delay_left_ns(self, now_ns: int) -> int:
        """What is left of this turn's delay."""
        return max(0, self.delay_ns - self.elapsed_ns(now_ns))

    def reserve_used_ns(self, now_ns: int) -> int:
        """What this turn has taken from the reserve: nothing while the delay runs."""
        return max(0, self.elapsed_ns(now_ns) - self.delay_ns)

    def flag_at_ns(self, left_ns: int) -> int | None:
        """The instant at which the flag falls; None while stopped.

        Args:
            left_ns: the mover's reserve at the beginning of this turn.
        """
        if self.since_ns is None:
            return None
        return self.since_ns + self.delay_ns + left_ns - self.used_ns

    def stopped(self, now_ns: int) -> "Turn":
        """The same turn, standing still."""
        return msgspec.structs.replace(self, used_ns=self.elapsed_ns(now_ns), since_ns=None)

    def started(self, now_ns: int) -> "Turn":
        """The same turn, running from now on."""
        return msgspec.structs.replace(self, since_ns=now_ns)
