"""The supply, on a tree of files like the kernel's, with notifications made by hand."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

import pytest

from hardware.system.undervoltage import STEADY_S, TOO_LOW, Notification, Power

SAFETY_S = 20.0
LOW, WELL = ("power", TOO_LOW), ("power", None)


class Kernel:
    """A driver whose notifications, and whose silence, are a test's."""

    def __init__(self, chips: Path, alarm: str = "0\n", name: str = "rpi_volt\n") -> None:
        for number, other in enumerate(["cpu_thermal\n", name, "nvme\n"]):
            (chips / f"hwmon{number}").mkdir(parents=True)
            (chips / f"hwmon{number}" / "name").write_text(other)
        self.alarm = chips / "hwmon1" / "in0_lcrit_alarm"
        self.alarm.write_text(alarm)
        self.limits: SimpleQueue[float | None] = SimpleQueue()
        self.closed = False
        self._answers: SimpleQueue[bool] = SimpleQueue()

    def change(self, descriptor: int, limit_s: float | None) -> bool:
        """What the test answers."""
        assert os.fstat(descriptor).st_ino == self.alarm.stat().st_ino
        self.limits.put(limit_s)
        return self._answers.get(timeout=SAFETY_S)

    def stop(self) -> None:
        """Answers at once."""
        self._answers.put(True)

    def close(self) -> None:
        """No more questions."""
        self.closed = True

    def notify(self, alarm: str) -> None:
        """The alarm has changed."""
        self.alarm.write_text(alarm)
        self._answers.put(True)

    def time_over(self) -> None:
        """Nothing has changed for as long as was asked for."""
        self._answers.put(False)

    def asked(self) -> float | None:
        """Wait until the thread has read the alarm; for how long it waits now."""
        return self.limits.get(timeout=SAFETY_S)


def test_a_supply_that_falls_is_a_fault_until_it_has_held(tmp_path: Path) -> None:
    """Each reading follows a notification; only a supply that recovers is given a time."""
    kernel = Kernel(tmp_path)
    power = Power(tmp_path, kernel)
    assert kernel.asked() is None
    assert power.faults() == []
    kernel.notify("1\n")
    assert kernel.asked() is None
    assert power.faults() == [LOW]
    kernel.notify("0\n")
    assert kernel.asked() == STEADY_S
    assert power.faults() == []
    kernel.time_over()
    assert kernel.asked() is None
    assert power.faults() == [WELL]
    power.close()


def test_a_supply_that_comes_and_goes_is_one_fault(tmp_path: Path) -> None:
    """Else the log would be full of it."""
    kernel = Kernel(tmp_path, alarm="1\n")
    power = Power(tmp_path, kernel)
    assert kernel.asked() is None
    for alarm, limit_s in [("0\n", STEADY_S), ("1\n", None)] * 20:
        kernel.notify(alarm)
        assert kernel.asked() == limit_s
    assert power.faults() == [LOW]
    power.close()


def test_a_driver_that_goes_away_takes_its_fault_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is known any more, and nothing is asked."""
    kernel = Kernel(tmp_path, alarm="1\n")
    power = Power(tmp_path, kernel)
    assert kernel.asked() is None

    def gone(descriptor: int, size: int, at: int) -> bytes:
        raise OSError(19, "No such device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pread", gone)
        kernel.notify("1\n")
        assert power._thread is not None
        power._thread.join(SAFETY_S)
    ended(power.close)
    assert power.faults() == [LOW, WELL]
    assert kernel.limits.empty()


def ended(close: Callable[[], None]) -> None:
    """After closing no thread of its name is left."""
    close()
    assert [thread for thread in threading.enumerate() if thread.name == "power"] == []


def no_chips(_: Path) -> None:
    """Nothing at all."""


def other_chips(chips: Path) -> None:
    """A computer that is no Raspberry Pi."""
    Kernel(chips, name="acpitz\n")


def no_alarm(chips: Path) -> None:
    """A driver without the attribute."""
    Kernel(chips).alarm.unlink()


def strange_name(chips: Path) -> None:
    """A name that is no text."""
    Kernel(chips)
    (chips / "hwmon1" / "name").write_bytes(b"\xff\n")


def test_whoever_shows_it_is_told_at_once(tmp_path: Path) -> None:
    """When it falls and when it is well again; not at any other look at the alarm."""
    kernel, told = Kernel(tmp_path), SimpleQueue[list[tuple[str, str | None]]]()
    powers: list[Power] = []

    def changed() -> None:
        told.put(powers[0].faults())

    powers.append(Power(tmp_path, kernel, changed=changed))
    assert kernel.asked() is None
    kernel.notify("1\n")
    assert told.get(timeout=SAFETY_S) == [LOW]
    kernel.asked()
    kernel.notify("0\n")
    assert kernel.asked() == STEADY_S
    kernel.time_over()
    assert told.get(timeout=SAFETY_S) == [WELL]
    powers[0].close()
    assert told.empty()


@pytest.mark.parametrize("tree", [no_chips, other_chips, no_alarm, strange_name])
def test_where_there_is_no_driver_nothing_is_watched(
    tmp_path: Path, tree: Callable[[Path], None]
) -> None:
    """No thread, no fault."""
    tree(tmp_path)
    before = threading.active_count()
    power = Power(tmp_path)
    assert threading.active_count() == before
    assert power.faults() == []
    power.close()


def test_closing_ends_the_thread_and_closes_what_it_opened(tmp_path: Path) -> None:
    """With the real waiting too, which a file that never notifies does not end."""
    Kernel(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    power = Power(tmp_path)
    ended(power.close)
    power.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_notification_is_told_from_the_end_of_time(tmp_path: Path) -> None:
    """A file notifies nobody; being stopped counts as news."""
    kernel = Kernel(tmp_path)
    descriptor = os.open(kernel.alarm, os.O_RDONLY)
    waiting = Notification()
    assert not waiting.change(descriptor, 0)
    waiting.stop()
    assert waiting.change(descriptor, None)
    waiting.close()
    os.close(descriptor)
