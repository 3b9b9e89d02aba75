"""An account may send so much at once, and as much again bit by bit in each period."""

from clock.units import MINUTE_NS
from room.lines.quota import TOLD_NS, Allowance, Quota

HOURLY, DAILY = 60, 2_000_000  # matches and bytes: one a minute, and 23 a second
DAY_NS = 24 * 60 * MINUTE_NS


def begun(allowance: Allowance) -> int:
    """Begin as many matches as are allowed, of one byte each, and count them."""
    return next(count for count in range(1000) if not allowance.take(1, begins=True))


def test_a_match_is_allowed_again_after_its_part_of_an_hour() -> None:
    """Not a nanosecond earlier; and an account that was silent for hours has saved none up."""
    allowance = Allowance(Quota(HOURLY, 2))
    assert begun(allowance) == HOURLY
    allowance.now_ns = MINUTE_NS - 1
    assert begun(allowance) == 0
    allowance.now_ns = MINUTE_NS
    assert begun(allowance) == 1
    allowance.now_ns = DAY_NS
    assert begun(allowance) == HOURLY
    assert allowance.take(1, begins=False)  # a match that is under way goes on


def test_a_byte_is_allowed_again_after_its_part_of_a_day() -> None:
    """What is refused costs nothing: neither bytes nor a match."""
    allowance = Allowance(Quota(1, 2))
    assert not allowance.take(DAILY + 1, begins=True)
    assert allowance.take(DAILY, begins=True)
    assert not allowance.has(1, begins=False)
    allowance.now_ns = DAY_NS // DAILY - 1
    assert not allowance.has(1, begins=False)
    allowance.now_ns += 1
    assert not allowance.take(1, begins=True)
    assert allowance.take(1, begins=False)
    allowance.now_ns += DAY_NS
    assert allowance.take(DAILY, begins=False)


def test_lines_that_are_read_again_are_owed() -> None:
    """A log of any length is read whole, and none after it until that is made up for."""
    allowance = Allowance(Quota(1, 2, 60))
    assert allowance.reread(59)
    assert allowance.reread(61)
    assert (allowance.reread(0), allowance.reached) == (True, "")
    assert not allowance.reread(1)
    assert allowance.reached == "more than 60 lines read again an hour"
    allowance.now_ns = 61 * MINUTE_NS - 1
    assert not allowance.reread(1)
    allowance.now_ns = 61 * MINUTE_NS
    assert allowance.reread(1)


def test_a_quota_is_said_to_be_reached_for_a_minute_after_a_refusal() -> None:
    allowance = Allowance(Quota(1, 2))
    assert (begun(allowance), allowance.reached) == (1, "more than 1 matches an hour")
    allowance.now_ns = DAY_NS
    assert allowance.reached == ""
    assert not allowance.has(DAILY + 1, begins=True)
    allowance.now_ns += TOLD_NS - 1
    assert allowance.reached == "more than 2 MB a day"
    allowance.now_ns += 1
    assert allowance.reached == ""
    assert Allowance(Quota(1, 2)).reached == ""
