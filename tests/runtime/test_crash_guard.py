"""The guard that counts failed starts, so that the clock does not fail over a match for ever."""

import contextlib
from pathlib import Path

import pytest

from clock.runtime.crash_guard import FAILURES, CrashGuard
from clock.runtime.startup import NEW_AFTER, SAFE_AFTER
from clock.units import MINUTE_NS
from lab.support.last_run import BOOT, Now, S


def fail(guard: CrashGuard, error: type[Exception] = RuntimeError) -> None:
    with pytest.raises(error), guard.record_failures(LookupError):
        raise error


def test_failures_are_counted_on_one_boot_and_for_a_minute(tmp_path: Path) -> None:
    """A start that has gone well for a minute is a good one."""
    time = Now(BOOT, 100)
    for count in range(SAFE_AFTER):
        assert CrashGuard(tmp_path, time).recent_failures() == count
        fail(CrashGuard(tmp_path, time))
    time.ns += MINUTE_NS
    assert CrashGuard(tmp_path, time).recent_failures() == SAFE_AFTER
    time.ns += 1
    assert CrashGuard(tmp_path, time).recent_failures() == 0
    fail(CrashGuard(tmp_path, time))
    assert CrashGuard(tmp_path, time).recent_failures() == 1
    assert CrashGuard(tmp_path, Now("another", time.ns)).recent_failures() == 0
    assert CrashGuard(tmp_path, Now(BOOT, time.ns - 1)).recent_failures() == 0


def test_a_start_that_is_killed_counts_until_it_ends(tmp_path: Path) -> None:
    """A time-out of the service manager, 30 s each, or no memory: nothing is raised."""
    time, guards = Now(BOOT, 100), []
    for count in range(NEW_AFTER + 1):
        guard = CrashGuard(tmp_path, time)
        guards.append(guard.record_start(LookupError))  # kept, or it would end here
        guards[-1].__enter__()
        assert guard.recent_failures() == count
        time.ns += 30 * S
    assert CrashGuard(tmp_path, time).recent_failures() == NEW_AFTER + 1
    with CrashGuard(tmp_path, time).record_start():
        pass
    assert CrashGuard(tmp_path, time).recent_failures() == NEW_AFTER + 1
    assert CrashGuard(tmp_path, Now("another", time.ns)).recent_failures() == 0


@pytest.mark.parametrize(("error", "count"), [(None, 0), (LookupError, 0), (ZeroDivisionError, 1)])
def test_a_start_that_ends_leaves_no_note(
    tmp_path: Path, error: type[Exception] | None, count: int
) -> None:
    """Whether it went well, a person has to act, or it failed: that counts once."""
    with contextlib.suppress(Exception), CrashGuard(tmp_path, Now()).record_start(LookupError):
        if error is not None:
            raise error
    assert CrashGuard(tmp_path, Now()).recent_failures() == count
    assert len(list(tmp_path.iterdir())) == count


def test_what_a_person_has_to_see_to_and_what_went_well_is_no_failure(tmp_path: Path) -> None:
    """Nor is a kill: nothing is written unless something was raised."""
    guard = CrashGuard(tmp_path, Now())
    fail(guard, LookupError)
    with guard.record_failures():
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "rest", [b"", b"\xff\n", b"boot-1\n", b"boot-1 x\n", b"boot-1 -5\n", b"\n"]
)
def test_a_counter_that_cannot_be_read_counts_nothing(tmp_path: Path, rest: bytes) -> None:
    """It is no log; it only must not stand in the way."""
    (tmp_path / FAILURES).write_bytes(rest)
    assert CrashGuard(tmp_path, Now()).recent_failures() == 0
    fail(CrashGuard(tmp_path, Now()))
    assert CrashGuard(tmp_path, Now()).recent_failures() == 1


def test_without_a_place_to_count_the_failure_itself_is_told(tmp_path: Path) -> None:
    guard = CrashGuard(tmp_path / "gone", Now())
    fail(guard)
    assert guard.recent_failures() == 0
