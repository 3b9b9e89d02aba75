"""How much the account of a clock may send: so many matches an hour, so many bytes a day. Pure.

A message of a few bytes may have the hub read a whole log again: so many lines an hour of that.

What would be more is not kept, nor asked for, until the quota allows it again; the clock has it on
its card and sends it then. All instants are nanoseconds of one raw clock.
"""

from typing import NamedTuple

from clock.units import MINUTE_NS

HOUR_NS = 60 * MINUTE_NS
DAY_NS = 24 * HOUR_NS
TOLD_NS = MINUTE_NS  # a quota counts as reached for so long after the latest refusal


class Quota(NamedTuple):
    """The quota of each account."""

    matches_per_hour: int
    megabytes_per_day: int
    reread_lines_per_hour: int = 40_000  # as many as a log may have


class Bucket:
    """What is left of a quota: all of it at first, and as much again in each period."""

    def __init__(self, limit: int, period_ns: int) -> None:
        """Begin with all of it."""
        self._limit, self._period_ns = limit, period_ns
        self._full_ns = 0  # when all of it is there again, in parts of the limit

    def has(self, amount: int, now_ns: int) -> bool:
        """Return whether so much is left."""
        return self._after(amount, now_ns) <= (now_ns + self._period_ns) * self._limit

    def take(self, amount: int, now_ns: int) -> None:
        """Take so much."""
        self._full_ns = self._after(amount, now_ns)

    def _after(self, amount: int, now_ns: int) -> int:
        return max(self._full_ns, now_ns * self._limit) + amount * self._period_ns


class Allowance:
    """What one account may still send."""

    def __init__(self, quota: Quota) -> None:
        """Begin with the whole quota."""
        self._quota = quota
        self._matches = Bucket(quota.matches_per_hour, HOUR_NS)
        self._bytes = Bucket(quota.megabytes_per_day * 1_000_000, DAY_NS)
        self._rereads = Bucket(quota.reread_lines_per_hour, HOUR_NS)
        self._refused: tuple[int, str] | None = None  # when it was last, and why
        self.now_ns = 0
        """The present instant, set before each message."""

    def has(self, size: int, *, begins: bool) -> bool:
        """Return whether so many bytes may come, and note it if not.

        Args:
            size: in bytes.
            begins: they are the first line of a match.
        """
        why = ""
        if not self._bytes.has(size, self.now_ns):
            why = f"more than {self._quota.megabytes_per_day} MB a day"
        elif begins and not self._matches.has(1, self.now_ns):
            why = f"more than {self._quota.matches_per_hour} matches an hour"
        if why:
            self.refuse(why)
        return not why

    def take(self, size: int, *, begins: bool = False) -> bool:
        """Take so many bytes off the quota; return False, and take nothing, if that is too many."""
        if not self.has(size, begins=begins):
            return False
        self._bytes.take(size, self.now_ns)
        if begins:
            self._matches.take(1, self.now_ns)
        return True

    def refuse(self, why: str) -> None:
        """Note that something is refused for another reason."""
        self._refused = self.now_ns, why

    def may_reread(self, lines: int) -> bool:
        """Return whether so many lines may be read again, and note it if not.

        What is left suffices for a log of any length, which is owed then.
        """
        may = not lines or self._rereads.has(1, self.now_ns)
        if not may:
            self.refuse(f"more than {self._quota.reread_lines_per_hour} lines read again an hour")
        return may

    def reread(self, lines: int) -> bool:
        """Take lines that are read again off the quota; return False if nothing of it is left."""
        may = self.may_reread(lines)
        if may:
            self._rereads.take(lines, self.now_ns)
        return may

    @property
    def reached(self) -> str:
        """Which quota is reached, in words; empty: none."""
        if self._refused is None or self.now_ns - self._refused[0] >= TOLD_NS:
            return ""
        return self._refused[1]
