"""Entries made with two plungers and a centre button: one of several options, a number, a time.

A plunger turns an entry (left down, right up), the centre completes it. Entries are immutable:
`turned` and `next_place` return new ones.
"""

from typing import NamedTuple

from clock.match.durations import whole_seconds
from clock.match.types import Side
from clock.units import SECOND_NS

TIME_PLACES = (9, 5, 9, 5, 9)  # the largest digit at each place of H:MM:SS
TIME_WEIGHTS = (3600, 600, 60, 10, 1)  # seconds
CHANGE_PLACES = ((60, 60), (10, 6), (1, 10))  # the seconds of a step, and how many steps there are
MOST_CHANGE = 3599  # seconds
LONGEST_NS = (10 * 3600 - 1) * SECOND_NS


class Option(NamedTuple):
    """An option of a choice."""

    value: object
    label: str
    """A key of the texts, or "=" and the text itself."""
    number: int | None = None
    """What stands in the text for `{n}`."""


UNSET = Option(None, "unset")
"""The option that an entry begins with if the rules do not say what is likely (R89)."""


class Choice(NamedTuple):
    """One of several options."""

    name: str
    options: tuple[Option, ...]
    at: int = 0
    """The place of the option that is chosen."""
    of_names: bool = False
    """Whether the options are two players' names; in the room any other two can be answered."""

    @classmethod
    def between(cls, name: str, left: Option, right: Option, *others: Option) -> "Choice":
        """Return a choice that begins with nothing; each plunger chooses the option on its side."""
        return cls(name, (left, UNSET, right, *others), 1)

    @property
    def value(self) -> object:
        """The chosen option's value."""
        return self.options[self.at].value

    @property
    def is_of_sides(self) -> bool:
        """Whether the options are the sides."""
        return any(isinstance(option.value, Side) for option in self.options)

    @property
    def complete(self) -> bool:
        """Whether something is chosen."""
        return self.options[self.at] is not UNSET

    def turned(self, step: int) -> "Choice":
        """Return the previous or next option chosen; after the last comes the first.

        Between the sides each plunger chooses its own, and nothing else (R210).
        """
        if self.is_of_sides:
            pressed = Side.RIGHT if step > 0 else Side.LEFT
            sides = tuple(option for option in self.options if option is not UNSET)
            at = next((at for at, side in enumerate(sides) if side.value is pressed), None)
            return self if at is None else self._replace(options=sides, at=at)
        return self._replace(at=(self.at + step) % len(self.options))

    def next_place(self) -> "Choice | None":
        """Return None: one press of the centre completes the choice."""
        return None


class Change(NamedTuple):
    """A time to add or take, less than an hour: minutes with their sign, then seconds in digits.

    A plunger turns one place; held, it counts on in seconds, so that any time is one press away.
    """

    name: str
    seconds: int = 0
    """Of the whole time, without its sign."""
    taken: bool = False
    """Whether the time is taken; so -0:30 can be entered, the plungers count through -0."""
    place: int = 0
    """The index in `CHANGE_PLACES` of what the plungers turn."""

    @classmethod
    def of(cls, name: str, change_ns: int) -> "Change":
        """Return an entry that begins with a time, rounded up to whole seconds."""
        return cls(name, whole_seconds(abs(change_ns)), change_ns < 0)

    @property
    def lowest(self) -> int:
        """The most that can be taken, in nanoseconds below 0."""
        return -self.highest

    @property
    def highest(self) -> int:
        """The most that can be added, in nanoseconds."""
        return MOST_CHANGE * SECOND_NS

    @property
    def value(self) -> int:
        """The time in nanoseconds; below 0 it is taken."""
        return (-self.seconds if self.taken else self.seconds) * SECOND_NS

    @property
    def digit(self) -> int:
        """What the plungers turn: a digit of the seconds, or the minutes; -1 is -0."""
        weight, span = CHANGE_PLACES[self.place]
        digit = self.seconds // weight % span
        return -1 - digit if self.taken and not self.place else digit

    def turned(self, step: int) -> "Change":
        """Return the time with one place one up or down; around at the ends."""
        weight, span = CHANGE_PLACES[self.place]
        lowest = 0 if self.place else -span
        digit = (self.digit + step - lowest) % (span - lowest) + lowest
        others = self.seconds - self.seconds // weight % span * weight
        taken = self.taken if self.place else digit < 0
        return self._replace(
            seconds=others + (digit if digit >= 0 else -1 - digit) * weight, taken=taken
        )

    def counted_on(self, step: int) -> "Change":
        """Return the time a second later or earlier, as a plunger that is held counts."""
        signed = -self.seconds if self.taken else self.seconds
        counted = max(-MOST_CHANGE, min(signed + step, MOST_CHANGE))
        return self._replace(seconds=abs(counted), taken=counted < 0, place=len(CHANGE_PLACES) - 1)

    def next_place(self) -> "Change | None":
        """Return the entry at its next place; None after the last."""
        if self.place + 1 == len(CHANGE_PLACES):
            return None
        return self._replace(place=self.place + 1)

    @property
    def step_ns(self) -> int:
        """The value of one step, in nanoseconds."""
        return CHANGE_PLACES[self.place][0] * SECOND_NS

    def text(self) -> str:
        """Return the time with what is turned marked: "[+1]: 12 "; both digits of the seconds."""
        minutes, seconds = divmod(self.seconds, 60)
        shown = f"{'-' if self.taken else '+'}{minutes}"
        return f" {shown} :[{seconds:02}]" if self.place else f"[{shown}]: {seconds:02} "


class Number(NamedTuple):
    """A whole number within bounds."""

    name: str
    value: int
    lowest: int
    highest: int

    def turned(self, step: int) -> "Number":
        """Return the number one higher or lower; beyond a bound comes the other bound."""
        span = self.highest - self.lowest + 1
        return self._replace(value=(self.value + step - self.lowest) % span + self.lowest)

    def next_place(self) -> "Number | None":
        """Return None: one press of the centre completes the number."""
        return None


class Time(NamedTuple):
    """A time from 0:00:00 to 9:59:59, entered digit by digit."""

    name: str
    digits: tuple[int, ...]
    """Of H:MM:SS."""
    cursor: int = 0
    """The place of the digit that the plungers turn."""

    @classmethod
    def of(cls, name: str, time_ns: int) -> "Time":
        """Return an entry that begins at a time as displayed, rounded up to whole seconds."""
        rest = whole_seconds(max(0, min(time_ns, LONGEST_NS)))
        digits = []
        for weight in TIME_WEIGHTS:
            digit, rest = divmod(rest, weight)
            digits.append(digit)
        return cls(name, tuple(digits))

    @property
    def lowest(self) -> int:
        """The shortest time, in nanoseconds."""
        return 0

    @property
    def highest(self) -> int:
        """The longest time, in nanoseconds."""
        return LONGEST_NS

    @property
    def value(self) -> int:
        """The time in nanoseconds."""
        pairs = zip(self.digits, TIME_WEIGHTS, strict=True)
        return sum(digit * weight for digit, weight in pairs) * SECOND_NS

    def turned(self, step: int) -> "Time":
        """Return the time with its digit one up or down; after the largest comes 0."""
        digit = (self.digits[self.cursor] + step) % (TIME_PLACES[self.cursor] + 1)
        digits = (*self.digits[: self.cursor], digit, *self.digits[self.cursor + 1 :])
        return self._replace(digits=digits)

    def next_place(self) -> "Time | None":
        """Return the entry with its cursor on the next digit; None after the last."""
        if self.cursor + 1 == len(self.digits):
            return None
        return self._replace(cursor=self.cursor + 1)

    @property
    def step_ns(self) -> int:
        """The value of one step of the digit at the cursor, in nanoseconds."""
        return TIME_WEIGHTS[self.cursor] * SECOND_NS

    def text(self) -> str:
        """Return the time with its cursor marked: " 0 : 1 [2]: 3  0 "."""
        marked = [
            f"[{digit}]" if place == self.cursor else f" {digit} "
            for place, digit in enumerate(self.digits)
        ]
        return f"{marked[0]}:{marked[1]}{marked[2]}:{marked[3]}{marked[4]}"


Entry = Choice | Number | Time | Change
