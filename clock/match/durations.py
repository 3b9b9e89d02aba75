"""Durations as text: "M:SS", or "H:MM:SS" from an hour on. All rounding for display is here.

A time that runs down is rounded up, so that it shows 0 only when it is used up. A time that has
passed is rounded down. `room/pages/time.js` is a port of this: change both.
"""

import re

from clock.units import MINUTE_NS, SECOND_NS

HOUR_NS = 60 * MINUTE_NS
TENTH_NS = SECOND_NS // 10
TENTHS_BELOW_NS = 20 * SECOND_NS  # a reserve below this is shown in tenths of a second, but
STEP_NS = 2 * TENTH_NS  # in even ones: five pictures a second cost about half of ten
FLAGGED = "0:00"

# M:SS, in which minutes may exceed 59, or H:MM:SS. Digits are 0 to 9 only; \d has all scripts'.
DURATION_PATTERN = r"\A(?:([0-9]{1,2}):(?=[0-5][0-9]:))?([0-9]{1,3}):([0-5][0-9])\Z"
_DURATION = re.compile(DURATION_PATTERN)


def parse_duration(text: str) -> int:
    """Return the nanoseconds of "M:SS" or "H:MM:SS".

    Raises:
        ValueError: if the text is anything else, such as "1:75" or "2".
    """
    parts = _DURATION.match(text)
    if parts is None:
        raise ValueError(f'"{text}" is not a duration such as "2:00" or "1:05:00"')
    hours, minutes, seconds = (int(part or "0") for part in parts.groups())
    return hours * HOUR_NS + minutes * MINUTE_NS + seconds * SECOND_NS


def duration_text(duration_ns: int) -> str:
    """Return a duration exactly; a fraction of a second follows a point, as in "0:12.5"."""
    seconds, fraction_ns = divmod(duration_ns, SECOND_NS)
    whole = _text(seconds)
    return whole if fraction_ns == 0 else f"{whole}.{fraction_ns:09}".rstrip("0")


def clock_text(duration_ns: int) -> str:
    """Return a time that runs down, rounded up to a second."""
    return _text(whole_seconds(duration_ns))


def elapsed_text(duration_ns: int) -> str:
    """Return a time that has passed, rounded down to a second."""
    return _text(duration_ns // SECOND_NS)


def reserve_text(duration_ns: int, *, flagged: bool) -> str:
    """Return a reserve: even tenths of a second below 20 s; `FLAGGED` only when flagged (R50).

    Below 0, where no flag falls, it is a time that has passed (R132).
    """
    if duration_ns < 0:
        return overdrawn_text(-duration_ns)
    if flagged and duration_ns <= 0:
        return FLAGGED
    tenths = -(-duration_ns // STEP_NS) * STEP_NS // TENTH_NS
    if tenths * TENTH_NS >= TENTHS_BELOW_NS:
        return clock_text(duration_ns)
    return f"{tenths // 10}.{tenths % 10}"


def overdrawn_text(duration_ns: int) -> str:
    """Return the time that was played without a reserve; "0:00" up to a whole second."""
    return _text(-(duration_ns // SECOND_NS))


def _text(seconds: int) -> str:
    if seconds < 0:
        return f"-{_text(-seconds)}"
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def whole_seconds(duration_ns: int) -> int:
    """Return the seconds of a duration, rounded up."""
    return -(-duration_ns // SECOND_NS)


def next_change_ns(reserve_ns: int) -> int:
    """Return how long the text of a running reserve stays the same, in nanoseconds; at least 1."""
    step_ns = STEP_NS if 0 < reserve_ns <= TENTHS_BELOW_NS else SECOND_NS
    return reserve_ns % step_ns or step_ns


def next_second_ns(duration_ns: int) -> int:
    """Return how long a text of whole seconds stays the same, in nanoseconds; at least 1.

    Below 0, `duration_ns` is a time that has passed.
    """
    return duration_ns % SECOND_NS or SECOND_NS


def signed_text(change_ns: int) -> str:
    """Return by how much a time was changed, as on a clock and with its sign: "+1:00"."""
    return f"{'-' if change_ns < 0 else '+'}{clock_text(abs(change_ns))}"
