"""Durations as people read them.

The one rule: all rounding of time is here, once, on an integer, before it is split into digits; of
what is left upwards, of what has passed downwards. So `0:00` is never shown while there is time
left (R50).
"""

from clock.match.rules import SECOND_NS

TENTHS_BELOW_NS = 20 * SECOND_NS  # from here on tenths matter to a player
TENTH_NS = SECOND_NS // 10
FLAGGED = "0:00"


def whole_seconds(duration_ns: int) -> int:
    """Seconds, a part of one counting as one."""
    return -(-duration_ns // SECOND_NS)


def clock_text(duration_ns: int) -> str:
    """`M:SS`, or `H:MM:SS` from an hour; seconds rounded up."""
    return _split(whole_seconds(duration_ns))


def passed_text(duration_ns: int) -> str:
    """The same for time that has passed: a second counts once it is over."""
    return _split(duration_ns // SECOND_NS)


def _split(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def reserve_text(duration_ns: int, *, flagged: bool) -> str:
    """A reserve: tenths below 20 s; `0:00` only when flagged (R50)."""
    if flagged and duration_ns <= 0:
        return FLAGGED
    tenths = -(-duration_ns // TENTH_NS)
    if tenths * TENTH_NS >= TENTHS_BELOW_NS:
        return clock_text(duration_ns)
    return f"{tenths // 10}.{tenths % 10}"


def next_change_ns(duration_ns: int) -> int:
    """How long a running reserve's text stays as it is, in ns; at least 1."""
    step_ns = SECOND_NS if duration_ns > TENTHS_BELOW_NS else TENTH_NS
    return duration_ns % step_ns or step_ns


def next_second_ns(duration_ns: int) -> int:
    """The same for a text of whole seconds, of a duration that goes down; below 0 it has passed."""
    return duration_ns % SECOND_NS or SECOND_NS
