"""Batteries in a tree of files like the kernel's; the test decides when a minute is over."""

import threading
from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.system.battery import PERIOD_S, BatteryMonitor, charges
from hardware.wakeup import NO_DESCRIPTORS, Wakeup
from lab.support.rows import row

SAFETY_S = 60.0


class Minutes(Wakeup):
    """A wait of a minute that is over when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: SimpleQueue[float | None] = SimpleQueue()
        self._over: SimpleQueue[bool] = SimpleQueue()

    def wait(
        self, timeout_s: float | None = None, descriptors: Mapping[int, int] = NO_DESCRIPTORS
    ) -> dict[int, int] | None:
        """Wait for the test."""
        assert not descriptors
        self.begun.put(timeout_s)
        return None if self._over.get(timeout=SAFETY_S) else {}

    def wake(self) -> None:
        """End the wait."""
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
@pytest.mark.parametrize("nonsense", ["", "-3", "101", "12.5", "²", None])
def test_a_gauge_that_says_nothing_of_use_is_silence(tmp_path: Path, nonsense: str | None) -> None:
    """The fault is over, and the thread lives on for the next minute."""
    gauge = supply(tmp_path, "battery", capacity=10)
    minutes = Minutes()
    monitor = BatteryMonitor(15, tmp_path, minutes)
    assert monitor.faults() == [("battery", "battery: 10 %")]
    if nonsense is None:
        (gauge / "capacity").unlink()
    else:
        (gauge / "capacity").write_text(nonsense)
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
