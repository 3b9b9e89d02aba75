"""The supply on trees of files like the kernel's; the test decides when a wait is over."""

import os
import select
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.system.supply import (
    PERIOD_S,
    STEADY_S,
    TOO_LOW,
    BatteryMonitor,
    PowerMonitor,
    charges,
)
from hardware.wakeup import NO_DESCRIPTORS, Wakeup
from lab.support.rows import row

SAFETY_S = 60.0
LOW, WELL = ("power", TOO_LOW), ("power", None)


class Driver(Wakeup):
    """A driver whose notifications, and whose silence, the test decides."""

    def __init__(self, chips: Path, alarm: str = "0\n", name: str = "rpi_volt\n") -> None:
        super().__init__()
        for number, other in enumerate([b"\xff\n", name.encode(), b"nvme\n"]):
            (chips / f"hwmon{number}").mkdir(parents=True)
            (chips / f"hwmon{number}" / "name").write_bytes(other)
        self.alarm = chips / "hwmon1" / "in0_lcrit_alarm"
        self.alarm.write_text(alarm)
        self.limits: SimpleQueue[float | None] = SimpleQueue()
        self._answers: SimpleQueue[bool] = SimpleQueue()

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        [(descriptor, events)] = descriptors.items()
        assert os.fstat(descriptor).st_ino == self.alarm.stat().st_ino
        assert events == select.POLLPRI | select.POLLERR
        self.limits.put(timeout_s)
        return {descriptor: events} if self._answers.get(timeout=SAFETY_S) else None

    def wake(self) -> None:
        self._answers.put(True)

    def notify(self, alarm: str) -> None:
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
    close()
    assert [thread for thread in threading.enumerate() if thread.name == "power"] == []


def no_chips(_: Path) -> None:
    """Make no chip."""


def other_chips(chips: Path) -> None:
    """Make the chips of another computer, one with a name that is no text."""
    Driver(chips, name="acpitz\n")


def no_alarm(chips: Path) -> None:
    """Make a driver without the alarm."""
    Driver(chips).alarm.unlink()


@pytest.mark.parametrize("tree", [no_chips, other_chips, no_alarm])
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
    """With a real wake-up, although the file never notifies; a crash does not wait for it."""
    Driver(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    monitor = PowerMonitor(tmp_path)
    assert [each.daemon for each in threading.enumerate() if each.name == "power"] == [True]
    assert_ended(monitor.close)
    monitor.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


class Minutes(Wakeup):
    """A wait of a minute that is over when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: SimpleQueue[float | None] = SimpleQueue()
        self._over: SimpleQueue[bool] = SimpleQueue()

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        assert not descriptors
        self.begun.put(timeout_s)
        return None if self._over.get(timeout=SAFETY_S) else {}

    def wake(self) -> None:
        self._over.put(False)

    def pass_one(self) -> None:
        """Let a minute pass, and what it causes."""
        assert self.begun.get(timeout=SAFETY_S) == PERIOD_S
        self._over.put(True)
        limit_s = self.begun.get(timeout=SAFETY_S)
        self.begun.put(limit_s)


def supply(root: Path, name: str, **files: object) -> Path:
    """A power supply of the kernel's."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in ({"type": "Battery", "status": "Discharging"} | files).items():
        (folder / file).write_text(f"{content}\n")
    return folder


@pytest.mark.rule("R143")
def test_a_low_battery_is_a_fault_until_it_is_fed(tmp_path: Path) -> None:
    """Once at the limit, over 5 % above it or while it charges; others are told of each change."""
    supply(tmp_path, "battery", capacity=50)
    minutes, changes = Minutes(), list[int | None]()
    monitor = BatteryMonitor(15, tmp_path, minutes, changed=lambda: changes.append(None))
    assert (monitor.percent, monitor.faults()) == (50, [])
    story: list[tuple[object, str, list[tuple[str, str | None]]]] = [
        (16, "Discharging", []),
        (15, "Discharging", [("battery", "battery: 15 %")]),
        (4, "Unknown", []),
        (19, "Discharging", []),
        (20, "Discharging", [("battery", None)]),
        (3, "Not charging", [("battery", "battery: 3 %")]),
        (3, "Charging", [("battery", None)]),
        (100, "Full", []),
    ]
    for percent, status, faults in story:
        with row(percent, status):
            supply(tmp_path, "battery", capacity=percent, status=status)
            minutes.pass_one()
            assert (monitor.percent, monitor.faults()) == (percent, faults)
    assert len(changes) >= len(story)
    monitor.close()
    assert not [each for each in threading.enumerate() if each.name == "battery"]


@pytest.mark.rule("R143")
@pytest.mark.parametrize("nonsense", ["", "-3", "101", "12.5", "²", "\udcff", None])
def test_a_gauge_that_says_nothing_of_use_is_silence(tmp_path: Path, nonsense: str | None) -> None:
    """The fault is over, and the thread lives on for the next minute."""
    gauge = supply(tmp_path, "battery", capacity=10)
    minutes = Minutes()
    monitor = BatteryMonitor(15, tmp_path, minutes)
    assert monitor.faults() == [("battery", "battery: 10 %")]
    if nonsense is None:
        (gauge / "capacity").unlink()
    else:
        (gauge / "capacity").write_bytes(nonsense.encode("utf-8", "surrogateescape"))
    minutes.pass_one()
    assert (monitor.percent, monitor.faults()) == (None, [("battery", None)])
    supply(tmp_path, "battery", capacity=9)
    minutes.pass_one()
    assert (monitor.percent, monitor.faults()) == (9, [("battery", "battery: 9 %")])
    monitor.close()


@pytest.mark.rule("R143")
def test_the_emptier_of_two_batteries_counts(tmp_path: Path) -> None:
    """A mouse's battery does not, nor does a supply without one."""
    supply(tmp_path, "ac", type="Mains", capacity=1)
    supply(tmp_path, "hidpp_battery_0", capacity=2, scope="Device")
    before = threading.active_count()
    without = BatteryMonitor(15, tmp_path)
    assert (without.percent, without.faults(), charges(tmp_path)) == (None, [], [])
    assert threading.active_count() == before
    without.close()
    supply(tmp_path, "one", capacity=80, scope="System")
    supply(tmp_path, "two", capacity=14)
    monitor = BatteryMonitor(15, tmp_path, Minutes())
    assert (monitor.percent, monitor.faults()) == (14, [("battery", "battery: 14 %")])
    monitor.close()
