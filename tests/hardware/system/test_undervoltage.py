"""The supply on a tree of files like the driver's; the test decides when the driver notifies."""

import os
import select
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.system.undervoltage import STEADY_S, TOO_LOW, PowerMonitor
from hardware.wakeup import NO_DESCRIPTORS, Wakeup

SAFETY_S = 60.0
LOW, WELL = ("power", TOO_LOW), ("power", None)


class Driver(Wakeup):
    """A driver whose notifications, and whose silence, the test decides."""

    def __init__(self, chips: Path, alarm: str = "0\n", name: str = "rpi_volt\n") -> None:
        for number, other in enumerate(["cpu_thermal\n", name, "nvme\n"]):
            (chips / f"hwmon{number}").mkdir(parents=True)
            (chips / f"hwmon{number}" / "name").write_text(other)
        self.alarm = chips / "hwmon1" / "in0_lcrit_alarm"
        self.alarm.write_text(alarm)
        self.limits: SimpleQueue[float | None] = SimpleQueue()
        self.closed = False
        self._answers: SimpleQueue[bool] = SimpleQueue()

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        """Wait for the test."""
        [(descriptor, events)] = descriptors.items()
        assert os.fstat(descriptor).st_ino == self.alarm.stat().st_ino
        assert events == select.POLLPRI | select.POLLERR
        self.limits.put(timeout_s)
        return {descriptor: events} if self._answers.get(timeout=SAFETY_S) else None

    def wake(self) -> None:
        """End the wait."""
        self._answers.put(True)

    def close(self) -> None:
        """Remember it."""
        self.closed = True

    def notify(self, alarm: str) -> None:
        """Change the alarm."""
        self.alarm.write_text(alarm)
        self._answers.put(True)

    def time_over(self) -> None:
        """Let the wait time out."""
        self._answers.put(False)

    def asked(self) -> float | None:
        """Wait until the thread has read the alarm; return how long it waits now."""
        return self.limits.get(timeout=SAFETY_S)


def test_a_low_voltage_is_a_fault_until_the_supply_is_steady(tmp_path: Path) -> None:
    """Each reading follows a notification, each change is announced; only recovery has a limit."""
    driver, announced = Driver(tmp_path), list[None]()
    monitor = PowerMonitor(tmp_path, driver, changed=lambda: announced.append(None))
    assert driver.asked() is None
    assert monitor.faults() == []
    driver.notify("1\n")
    assert driver.asked() is None
    assert monitor.faults() == [LOW]
    driver.notify("0\n")
    assert driver.asked() == STEADY_S
    assert monitor.faults() == []
    driver.time_over()
    assert driver.asked() is None
    assert (monitor.faults(), len(announced)) == ([WELL], 2)
    monitor.close()


def test_a_voltage_that_comes_and_goes_is_one_fault(tmp_path: Path) -> None:
    """Otherwise it would fill the log."""
    driver = Driver(tmp_path, alarm="1\n")
    monitor = PowerMonitor(tmp_path, driver)
    assert driver.asked() is None
    for alarm, limit_s in [("0\n", STEADY_S), ("1\n", None)] * 20:
        driver.notify(alarm)
        assert driver.asked() == limit_s
    assert monitor.faults() == [LOW]
    monitor.close()


def test_a_driver_that_disappears_ends_its_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(tmp_path, alarm="1\n")
    monitor = PowerMonitor(tmp_path, driver)
    assert driver.asked() is None

    def gone(descriptor: int, size: int, at: int) -> bytes:
        raise OSError(19, "No such device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", gone)
        driver.notify("1\n")
        assert monitor._thread is not None
        monitor._thread.join(SAFETY_S)
    assert_ended(monitor.close)
    assert monitor.faults() == [LOW, WELL]
    assert driver.limits.empty()


def assert_ended(close: Callable[[], None]) -> None:
    """Close, and assert that the thread has ended."""
    close()
    assert [thread for thread in threading.enumerate() if thread.name == "power"] == []


def no_chips(_: Path) -> None:
    """Make no chip."""


def other_chips(chips: Path) -> None:
    """Make the chips of another computer."""
    Driver(chips, name="acpitz\n")


def no_alarm(chips: Path) -> None:
    """Make a driver without the alarm."""
    Driver(chips).alarm.unlink()


def strange_name(chips: Path) -> None:
    """Make a chip whose name is not text."""
    Driver(chips)
    (chips / "hwmon1" / "name").write_bytes(b"\xff\n")


@pytest.mark.parametrize("tree", [no_chips, other_chips, no_alarm, strange_name])
def test_where_there_is_no_driver_nothing_is_watched(
    tmp_path: Path, tree: Callable[[Path], None]
) -> None:
    tree(tmp_path)
    before = threading.active_count()
    monitor = PowerMonitor(tmp_path)
    assert threading.active_count() == before
    assert monitor.faults() == []
    monitor.close()


def test_closing_ends_the_thread_and_closes_its_files(tmp_path: Path) -> None:
    """With a real wake-up, although the file never notifies."""
    Driver(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    monitor = PowerMonitor(tmp_path)
    assert_ended(monitor.close)
    monitor.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
