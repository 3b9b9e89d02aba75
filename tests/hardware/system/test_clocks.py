"""Stamps on the raw clock are right, whatever NTP and the wall clock do (T7)."""

import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.system.clocks import READINGS, RawClock, boot_id

HOUR = 3_600_000_000_000
MS = 1_000_000


class Kernel:
    """Two clocks: a raw one set by the test, and one that NTP slews."""

    def __init__(self, ppm: int = 0, reading_ns: int = 0) -> None:
        self.raw_ns = 0
        self._ppm = ppm
        self._reading_ns = reading_ns  # how long reading a clock takes
        self.clock = RawClock(self._read_raw, self._read_monotonic)

    @property
    def monotonic_ns(self) -> int:
        return self.raw_ns + self.raw_ns * self._ppm // 1_000_000

    def _read_raw(self) -> int:
        self.raw_ns += self._reading_ns
        return self.raw_ns

    def _read_monotonic(self) -> int:
        self.raw_ns += self._reading_ns
        return self.monotonic_ns


@pytest.mark.rule("T7")
@given(
    ppm=st.integers(-83_333, 83_333),
    before_ns=st.integers(0, 10 * HOUR),
    age_ns=st.integers(0, 20 * MS),
)
def test_t7_a_stamp_is_wrong_at_most_by_the_slew_of_its_age(
    ppm: int, before_ns: int, age_ns: int
) -> None:
    """T7: at the fastest slewing known, a stamp of 1 ms is wrong by less than 0.1 ms."""
    kernel = Kernel(ppm)
    kernel.raw_ns = before_ns
    stamp_ns = kernel.monotonic_ns
    kernel.raw_ns += age_ns
    error_ns = kernel.clock.raw_of(stamp_ns) - before_ns
    assert abs(error_ns) <= age_ns * abs(ppm) // 1_000_000 + 1


def test_both_clocks_are_compared_at_the_same_moment() -> None:
    """The raw clock is read before and after the other one; the middle counts."""
    kernel = Kernel(reading_ns=100)
    assert kernel.clock.raw_of(5_000) == 5_000


def test_readings_with_an_interruption_between_them_are_repeated() -> None:
    raw = iter([0, 9_000_000, 9_000_100, 9_000_300, 9_000_400, 9_001_000])
    monotonic = iter([100, 9_000_200, 9_000_700])
    clock = RawClock(lambda: next(raw), lambda: next(monotonic))
    assert clock.raw_of(9_000_000) == 9_000_000
    assert next(raw) == 9_000_400  # the second time was good enough


def test_all_readings_together_limit_the_difference_of_the_clocks() -> None:
    """On a computer that interrupts each of them, one before and one after the middle."""
    for readings in ((2_980_000, 4_010_000), (10_000, 6_980_000)):  # alike, within 10 to 20 us
        raw, monotonic = iter([0, 3_000_000, 4_000_000, 7_000_000]), iter(readings)
        clock = RawClock(raw.__next__, monotonic.__next__)
        assert clock.raw_of(7_000_000) == 7_000_000 + (20_000 - 10_000) // 2


def test_the_clocks_are_not_read_for_ever() -> None:
    """On a computer that always interrupts, a stamp is as good as it can be."""
    kernel = Kernel(reading_ns=1_000_000)
    assert kernel.clock.raw_of(5_000) == 5_000
    assert kernel.raw_ns == 3 * READINGS * 1_000_000


def test_the_kernels_raw_clock_goes_forward_in_integers() -> None:
    """The real clocks: a stamp taken between two instants lies between them."""
    clock = RawClock()
    before_ns = clock.now_ns()
    kernel_ns = clock.raw_of(time.monotonic_ns())
    after_ns = clock.now_ns()
    assert isinstance(before_ns, int)
    assert before_ns - 100_000 <= kernel_ns <= after_ns + 100_000


def test_wall_time_is_rfc_3339_with_offset_and_milliseconds() -> None:
    """Such as `2026-05-01T19:30:00.123+02:00`."""
    wall = RawClock().wall()
    parsed = datetime.fromisoformat(wall)
    assert parsed.utcoffset() is not None
    assert parsed.isoformat(timespec="milliseconds") == wall
    assert abs(datetime.now(parsed.tzinfo) - parsed) < timedelta(minutes=1)


def test_the_boot_id_is_the_kernels(tmp_path: Path) -> None:
    source = tmp_path / "boot_id"
    source.write_text("5a1c0e1e-0000-4000-8000-000000000001\n")
    assert boot_id(source) == "5a1c0e1e-0000-4000-8000-000000000001"
    assert RawClock().boot == RawClock().boot != ""


def test_without_a_boot_id_each_start_has_its_own(tmp_path: Path) -> None:
    """Otherwise a later start would take instants of another boot for its own."""
    first = boot_id(tmp_path / "none")
    assert first == boot_id(tmp_path / "none")
    assert first.startswith("unknown-")
    boot_id.cache_clear()
    assert boot_id(tmp_path / "none") != first
