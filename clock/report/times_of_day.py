"""Times of day of a log's lines, on one scale: that of the raw clock.

A Raspberry Pi has no clock of its own: it starts with the hour at which it was switched off, and is
set while a match is under way. So the time of day of a boot is what its last line says, once the
computer's clock was set for the last time; the raw clock, which is never set, gives all others.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from clock.units import SECOND_NS

MICROSECOND_NS = SECOND_NS // 1_000_000
STEP_NS = 2 * SECOND_NS  # what differs less between two lines took the computer to write them
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER_SET = "1970"  # a computer's clock of this year, or before, was set by nobody
NIGHT_ENDS = timedelta(hours=5)  # what begins before belongs to the day before


def instant_ns(wall: str) -> int | None:
    """Return the instant of a date and time, in ns; None if it is none, or was never set."""
    found = _known(wall)
    return None if found is None else _between_ns(EPOCH, found)


def playing_day(wall: str) -> str:
    """Return the date of the day whose evening may go on past midnight; "" if it is not known."""
    found = _known(wall)
    return "" if found is None else str((found - NIGHT_ENDS).date())


class Written(NamedTuple):
    """When a line was written."""

    boot: str
    at_ns: int  # on that boot's raw clock
    wall: str


class TimeOfDay(NamedTuple):
    """The time of day of a line."""

    wall: str
    """Date and time, in the zone of the log's first line."""
    set_ns: int = 0
    """By how much the computer's clock was set just before; 0: it was not."""


def times_of_day(lines: Sequence[Written]) -> list[TimeOfDay]:
    """Return the times of day of a log's lines, or of those of all logs of a match."""
    parsed = [_parsed(line.wall) for line in lines]
    instants = [found if found and found.tzinfo else None for found in parsed]
    first = next(filter(None, instants), None)
    zone = None if first is None else first.tzinfo
    sets_ns = [_set_ns(lines, instants, number) for number in range(len(lines))]
    late_ns = _late(lines, instants, sets_ns)
    return [
        TimeOfDay(_shown(line.wall, instant, late, zone), set_ns)
        for line, instant, set_ns, late in zip(lines, instants, sets_ns, late_ns, strict=True)
    ]


def _parsed(wall: str) -> datetime | None:
    """Return a date and time; None if it is none."""
    try:
        return datetime.fromisoformat(wall)
    except ValueError:
        return None


def _known(wall: str) -> datetime | None:
    """Return an instant, in UTC if its text names no zone; None if it is none or never set."""
    found = _parsed(wall)
    if found is None or _is_never_set(found):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _set_ns(lines: Sequence[Written], instants: Sequence[datetime | None], number: int) -> int:
    """Return by how much the computer's clock was set between a line and the one before.

    Over a restart nothing shows that but a time of day that goes back.
    """
    before, now = instants[number - 1], instants[number]
    if number == 0 or before is None or now is None:
        return 0
    wall_ns = _between_ns(before, now)
    if lines[number].boot == lines[number - 1].boot:
        set_ns = wall_ns - (lines[number].at_ns - lines[number - 1].at_ns)
    else:
        set_ns = 0 if _is_never_set(now) else min(0, wall_ns)
    return set_ns if abs(set_ns) >= STEP_NS else 0


def _late(
    lines: Sequence[Written], instants: Sequence[datetime | None], sets_ns: Sequence[int]
) -> list[int]:
    """Return how much later than it says each line was written.

    Within a boot that is what the clock was set by afterwards. A boot that would begin before the
    end of the one before begins there: by how much its clock was behind is not known.
    """
    late_ns = [0] * len(lines)
    for number in range(len(lines) - 1, 0, -1):
        if lines[number].boot == lines[number - 1].boot:
            late_ns[number - 1] = late_ns[number] + sets_ns[number]
    shift_ns = 0
    for number in range(1, len(lines)):
        before, now = instants[number - 1], instants[number]
        if lines[number].boot != lines[number - 1].boot:
            shift_ns = 0
            if before is not None and now is not None and not _is_never_set(now):
                shift_ns = max(0, late_ns[number - 1] - late_ns[number] - _between_ns(before, now))
        late_ns[number] += shift_ns
    return late_ns


def _between_ns(before: datetime, now: datetime) -> int:
    return (now - before) // timedelta(microseconds=1) * MICROSECOND_NS


def _is_never_set(instant: datetime) -> bool:
    return instant.isoformat()[:4] <= NEVER_SET


def _shown(wall: str, instant: datetime | None, late_ns: int, zone: tzinfo | None) -> str:
    """Return a time of day in a zone; as the line has it if nothing is to be changed."""
    if instant is None:
        return wall
    try:
        moved = (instant + timedelta(microseconds=late_ns // MICROSECOND_NS)).astimezone(zone)
    except OverflowError:  # at an end of the calendar: no computer's clock goes so wrong by itself
        return wall
    is_same = not late_ns and moved.utcoffset() == instant.utcoffset()
    return wall if is_same else moved.isoformat(timespec="milliseconds")
