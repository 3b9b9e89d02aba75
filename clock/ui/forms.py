"""The entries that two plungers and a centre button can make: one of several, a number, a time.

A plunger turns an entry (left down, right up), the centre goes on. The one rule: an entry is a
value; `turned` and `entered` give a new one.
"""

from typing import NamedTuple

from clock.match.time_format import whole_seconds
from clock.match.rules import SECOND_NS

# H:MM:SS as digits: the largest value of each place
TIME_PLACES = (9, 5, 9, 5, 9)
TIME_WEIGHTS = (3600, 600, 60, 10, 1)
LONGEST_NS = (10 * 3600 - 1) * SECOND_NS


class Option(NamedTuple):
    """One of several things to choose: what is meant, and its key in the language table."""

    value: object
    label: str


class Choice(NamedTuple):
    """One of several."""

    name: str
    options: tuple[Option, ...]
    at: int = 0

    @property
    def value(self) -> object:
        """What is chosen."""
        return self.options[self.at].value

    def turned(self, step: int) -> "Choice":
        """The previous or next option; after the last comes the first."""
        return self._replace(at=(self.at + step) % len(self.options))

    def entered(self) -> "Choice | None":
        """None: the centre completes the entry."""
        return None


class Number(NamedTuple):
    """A whole number within bounds."""

    name: str
    value: int
    lowest: int
    highest: int

    def turned(self, step: int) -> "Number":
        """One more or less; beyond a bound it goes on at the other."""
        span = self.highest - self.lowest + 1
        return self._replace(value=(self.value + step - self.lowest) % span + self.lowest)

    def entered(self) -> "Number | None":
        """None: the centre completes the entry."""
        return None


class Time(NamedTuple):
    """A time from 0:00:00 to 9:59:59, digit by digit."""

    name: str
    digits: tuple[int, ...]
    cursor: int = 0

    @classmethod
    def of(cls, name: str, time_ns: int) -> "Time":
        """An entry that begins with a time as it is displayed: parts of a second count as one."""
        rest = whole_seconds(max(0, min(time_ns, LONGEST_NS)))
        digits = []
        for weight in TIME_WEIGHTS:
            digit, rest = divmod(rest, weight)
            digits.append(digit)
        return cls(name, tuple(digits))

    @property
    def value(self) -> int:
        """The time in nanoseconds."""
        pairs = zip(self.digits, TIME_WEIGHTS, strict=True)
        return sum(digit * weight for digit, weight in pairs) * SECOND_NS

    def turned(self, step: int) -> "Time":
        """The digit under the cursor one up or down; after its largest comes 0."""
        digit = (self.digits[self.cursor] + step) % (TIME_PLACES[self.cursor] + 1)
        digits = (*self.digits[: self.cursor], digit, *self.digits[self.cursor + 1 :])
        return self._replace(digits=digits)

    def entered(self) -> "Time | None":
        """The cursor on the next digit; None after the last."""
        if self.cursor + 1 == len(self.digits):
            return None
        return self._replace(cursor=self.cursor + 1)

    @property
    def step_ns(self) -> int:
        """What one step of the digit under the cursor is worth."""
        return TIME_WEIGHTS[self.cursor] * SECOND_NS

    def text(self) -> str:
        """The time with its cursor: " 0 : 1 [2]: 3  0 "."""
        marked = [
            f"[{digit}]" if place == self.cursor else f" {digit} "
            for place, digit in enumerate(self.digits)
        ]
        return f"{marked[0]}:{marked[1]}{marked[2]}:{marked[3]}{marked[4]}"


Entry = Choice | Number | Time
