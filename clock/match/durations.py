"""Durations as a person writes them, and as the clock counts them.

The one rule: no other module reads "M:SS".
"""

import re

from clock.match.rules import MINUTE_NS, SECOND_NS

HOUR_NS = 60 * MINUTE_NS

# M:SS, in which minutes may exceed 59, or H:MM:SS. Digits are 0 to 9 only; \d has all scripts'.
DURATION_PATTERN = r"\A(?:([0-9]{1,2}):(?=[0-5][0-9]:))?([0-9]{1,3}):([0-5][0-9])\Z"
_DURATION = re.compile(DURATION_PATTERN)


def duration_ns(text: str) -> int:
    """The nanoseconds of "M:SS" or "H:MM:SS".

    Raises:
        ValueError: if the text is anything else, as "1:75" or "2" is.
    """
    parts = _DURATION.match(text)
    if parts is None:
        raise ValueError(f'"{text}" is not a duration such as "2:00" or "1:05:00"')
    hours, minutes, seconds = (int(part or "0") for part in parts.groups())
    return hours * HOUR_NS + minutes * MINUTE_NS + seconds * SECOND_NS


def duration_text(duration_ns: int) -> str:
    """A duration as "M:SS", from an hour on "H:MM:SS"; a part of a second follows a point.

    Nothing is rounded: `duration_ns` reads back what has no part of a second.
    """
    seconds, part_ns = divmod(duration_ns, SECOND_NS)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    whole = f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
    return whole if part_ns == 0 else f"{whole}.{part_ns:09}".rstrip("0")
