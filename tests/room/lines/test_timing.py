"""The difference between two computers' clocks, from messages that are late by any time."""

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.units import SECOND_NS
from lab.support.examples import examples
from lab.support.rows import row
from room.lines.timing import SLICE_NS, WINDOW_NS, Timing, hear

BOOT = "boot"
delays = st.lists(
    st.tuples(st.integers(0, 400 * SECOND_NS), st.integers(0, 9 * SECOND_NS)), min_size=1
)


@given(st.integers(-(10**18), 10**18), delays)
@hypothesis_settings(max_examples=examples(200))
def test_the_quickest_message_of_the_last_minutes_counts(
    offset_ns: int, messages: list[tuple[int, int]]
) -> None:
    """The offset is never less than the true one, and as good as the quickest recent message."""
    timing, now_ns, heard = Timing(), 0, list[tuple[int, int]]()
    for gap_ns, delay_ns in messages:
        now_ns += gap_ns
        timing = hear(timing, BOOT, now_ns - delay_ns - offset_ns, now_ns)
        heard.append((now_ns, delay_ns))
    recent = [delay_ns for at_ns, delay_ns in heard if now_ns - at_ns <= WINDOW_NS]
    longer = [d for at_ns, d in heard if now_ns - at_ns <= WINDOW_NS + SLICE_NS]
    assert timing.offset_ns is not None
    assert min(longer) <= timing.offset_ns - offset_ns <= min(recent)


def test_a_message_counts_for_five_minutes_and_with_it_its_half_minute() -> None:
    """The first message took no time, later ones a second: how much too late the hub believes."""
    minute_ns = 60 * SECOND_NS
    for *later_ns, late_ns in (
        (5 * minute_ns, 0),
        (5 * minute_ns + 1, SECOND_NS),
        (minute_ns // 2 - 1, 5 * minute_ns + minute_ns // 2 - 1, 0),
        (minute_ns // 2, 5 * minute_ns + minute_ns // 2, SECOND_NS),
    ):
        timing = hear(Timing(), BOOT, 0, 0)
        for at_ns in later_ns:
            timing = hear(timing, BOOT, at_ns - SECOND_NS, at_ns)
        with row(later_ns):
            assert timing.offset_ns == late_ns


def test_another_boot_begins_anew() -> None:
    """The raw clock of another boot has nothing to do with that of the last."""
    timing = hear(hear(Timing(), BOOT, 0, 5), "other", 1000, 2000)
    assert timing.offset_ns == 1000


def test_memory_is_bounded() -> None:
    """However often a clock is heard; and what it said before the window does not count."""
    timing = Timing()
    for second in range(3600):
        timing = hear(timing, BOOT, second * SECOND_NS, second * SECOND_NS + second)
    assert len(timing.slices) <= WINDOW_NS // SLICE_NS + 1
    assert timing.offset_ns is not None
    assert timing.offset_ns >= second - (WINDOW_NS + SLICE_NS) // SECOND_NS


def test_nothing_heard_is_not_known() -> None:
    assert Timing().offset_ns is None
