"""A whole appliance: mock pins, modelled panels, a serial line and a log.

The tests wait for lines on the serial line; nothing sleeps.
"""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from errno import EIO
from pathlib import Path
from typing import Any, ClassVar

import pytest
from gpiozero import DigitalOutputDevice

from clock import text
from clock.apps import appliance
from clock.apps.appliance import Wake, open_panels
from clock.apps.pins import BuzzerAndLamps
from clock.config.loader import parse_settings
from clock.config.schema import DisplayTable
from clock.eventlog.replay import replay
from clock.ui import i18n
from clock.ui.i18n import LANGUAGES, sayer
from clock.units import MINUTE_NS
from hardware.buttons.simulated import SimulatedPlungers
from hardware.display.controllers import controller
from hardware.display.panels import Panels
from hardware.face import Face
from hardware.gpio.factories import HardwareError
from lab.support.appliances import LIMIT_S, Hardware, SerialReader
from lab.support.last_run import match_in

LAMPS = (5, 6)
OPENING = ("left", "right", "centre")  # both confirm, and on
BANK_NS = 22 * MINUTE_NS  # the delay is not over yet


class Table(Hardware):
    """A clock on a table, switched on, whose serial line is read."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.serial, self._on = SerialReader(), ExitStack()
        self._on.callback(self.serial.close)
        text = f'serial = "{self.serial.name}"\n[lamps]\nleft = 5\nright = 6\n'
        self._on.enter_context(self.running(self.switch_on(folder, text)))

    def act(self, name: str) -> dict[str, Any]:
        """Press a button; return what the log says of it."""
        self.press(name)
        return self.serial.event()

    def close(self) -> None:
        """Switch it off."""
        self._on.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A box that is switched off in the end."""
    table = Table(tmp_path)
    yield table
    table.close()


def test_a_press_reaches_log_lamps_and_serial_line(table: Table, tmp_path: Path) -> None:
    """From the settings to the first turn; switched off, all is written and dark."""
    events = [table.serial.event()["event"], *(table.act(name)["event"] for name in OPENING)]
    assert events == ["match_opened", "confirmed", "confirmed", "confirmed"]
    started = table.act("right")
    assert (started["event"], started["running"]) == ("pressed", "left")
    stopped = table.act("centre")
    assert (stopped["event"], stopped["phase"]) == ("stopped", "STOPPED")
    table.close()
    assert replay((tmp_path / "current.jsonl").read_bytes().splitlines()).match.chain.seq == 6
    assert table.lit == [False, False]
    assert [table.pins.pin(number).state for number in LAMPS] == [False, False]


def test_a_card_that_fails_later_takes_no_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    i18n.texts.cache_clear()
    text.tables.cache_clear()
    with closing(Table(tmp_path)) as table:
        assert table.serial.event()["event"] == "match_opened"
        assert table.act("left")["event"] == "confirmed"
        monkeypatch.setattr(text, "tomllib", None)
        assert all(sayer(language)("report_fingerprint") for language in LANGUAGES)


def test_a_heartbeat_follows_the_lines_on_the_serial_line(table: Table, tmp_path: Path) -> None:
    """It is in no file."""
    opened, heartbeat = (json.loads(table.serial.any_line()) for _ in range(2))
    assert heartbeat["now_ns"] > opened["at_ns"]
    assert (heartbeat["heartbeat"], heartbeat["match"], heartbeat["seq"]) == (1, opened["match"], 1)
    table.close()
    assert b"heartbeat" not in (tmp_path / "current.jsonl").read_bytes()


def test_an_appliance_resumes_its_match_after_a_restart(table: Table, tmp_path: Path) -> None:
    """It continues exactly, and the serial line sends its log from the beginning."""
    table.serial.event()
    for name in (*OPENING, "right"):
        table.act(name)
    table.close()
    assert not any(table.pins.pin(number).state for number in LAMPS)
    again = Table(tmp_path)
    try:
        assert [again.serial.event()["seq"] for _ in range(5)] == [1, 2, 3, 4, 5]
        pressed = again.act("left")
        assert (pressed["seq"], pressed["running"], pressed["left_ns"]) == (6, "right", BANK_NS)
    finally:
        again.close()


@pytest.mark.rule("R82")
def test_without_a_buzzer_no_pin_is_claimed_for_one(table: Table) -> None:
    """R82: by default there is nothing that could sound; the lamps were asked for."""
    assert table.serial.event()["event"] == "match_opened"
    assert {pin.name for pin in table.pins.pins} == {"GPIO5", "GPIO6"}


def test_the_first_picture_needs_no_pins_and_logs_nothing(tmp_path: Path) -> None:
    """Nothing is logged each time that a box without pins is started again."""
    hardware, shown = Hardware(), threading.Event()
    hardware.bus.before = lambda _: shown.set() if all(hardware.lit) else None

    def claim(_: Wake) -> Any:
        raise HardwareError("seen" if shown.wait(10) else "dark")

    with pytest.raises(HardwareError, match="seen"):
        hardware.switch_on(tmp_path, claim=claim)
    assert list(tmp_path.glob("*.jsonl")) == []
    assert not any(hardware.lit)


@pytest.mark.rule("R67")
def test_the_first_picture_says_that_the_match_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R67: the buttons come seconds later, so nobody confirms a new match before it is said."""
    (tmp_path / "match.jsonl").write_bytes(b"{}\n")
    (tmp_path / "current.jsonl").symlink_to("match.jsonl")
    shown: list[Any] = []
    monkeypatch.setattr(Panels, "show", lambda _, faces: shown.append(faces))

    def claim(_: Wake) -> Any:
        [faces] = shown
        raise HardwareError(" ".join(faces.left.warnings + faces.right.warnings))

    with pytest.raises(HardwareError, match="MATCH NOT FOUND MATCH NOT FOUND"):
        Hardware().switch_on(tmp_path, claim=claim)


# --- a fault shows at once --------------------------------------------------------------------


class Failing:
    """A part that fails when the test says so."""

    made: ClassVar[dict[str, "Failing"]] = {}
    percent = 80  # of the battery

    def __init__(self, part: str, changed: Wake) -> None:
        self._part, self._changed, self._faults = part, changed, list[tuple[str, str]]()
        self.made[part] = self
        self.closed = False

    def fail(self) -> None:
        self._faults.append((self._part, "it failed"))
        self._changed()

    def faults(self) -> list[tuple[str, str]]:
        found, self._faults = self._faults, []
        return found

    def close(self) -> None:
        self.closed = True


class Wakeable(SimulatedPlungers):
    """Buttons that count how often the loop was woken."""

    wakes = 0

    def wake(self) -> None:
        self.wakes += 1
        super().wake()


@pytest.fixture
def supply(monkeypatch: pytest.MonkeyPatch) -> dict[str, Failing]:
    """The supply and the batteries of the clock that was switched on last."""
    monkeypatch.setattr(appliance, "PowerMonitor", lambda changed: Failing("power", changed))
    monkeypatch.setattr(appliance, "BatteryMonitor", lambda _, changed: Failing("battery", changed))
    return Failing.made


def test_a_part_that_fails_wakes_the_loop(tmp_path: Path, supply: dict[str, Failing]) -> None:
    """While no clock runs, nothing else would wake it for a long time."""
    text = "[lamps]\nleft = 5\n[sound]\nbuzzer_pin = 13\n"
    for taken in ((), (5,), (13,)):  # nothing, a lamp's pin, the buzzer's
        plungers, wakes = Wakeable(settle_ms=0), list[Wake]()
        hardware = Hardware(plungers)
        others = [DigitalOutputDevice(pin, pin_factory=hardware.pins) for pin in taken]

        def claim(wake: Wake) -> tuple[Wakeable, BuzzerAndLamps]:
            settings = parse_settings(text, "test")
            noting = lambda: wakes.append(wake)  # noqa: E731, B023 (called at once)
            return plungers, BuzzerAndLamps(settings, hardware.pins, noting)  # noqa: B023

        box = hardware.switch_on(tmp_path, text, claim=claim)
        assert (len(wakes), plungers.wakes) == (len(taken), 1)  # once for all that came before
        for wake in wakes:
            wake()
        for part in supply.values():
            part.fail()
        assert plungers.wakes == 1 + len(taken) + len(supply)
        box.stop()
        assert plungers.wakes == 2 + len(taken) + len(supply)
        hardware.switch_off(box)
        for other in others:
            other.close()


def test_each_part_that_fails_stands_in_the_log_at_once(
    tmp_path: Path, supply: dict[str, Failing], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The supply, the batteries, a panel, the card."""

    def fsync(_: int) -> None:
        raise OSError(EIO, "Input/output error")

    with closing(Table(tmp_path)) as table:
        assert table.serial.event()["battery"] == supply["battery"].percent
        for part in supply.values():
            part.fail()
            assert table.serial.event()["part"] == part._part
        table.panels[0x3C].plugged = False
        # The panel may still be drawing the fault before: then its own comes before the press.
        found = {line["event"]: line for line in (table.act("left"), table.serial.event())}
        assert found.keys() == {"confirmed", "fault"}
        assert found["fault"]["part"] == "display"
        monkeypatch.setattr(os, "fdatasync", fsync)
        table.press("right")
        while table.serial.event().get("part") != "log":
            pass  # the press, and what else comes of the panel
        monkeypatch.undo()
    assert all(part.closed for part in supply.values())


def test_a_card_that_fails_wakes_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = threading.Event()

    class Noting(SimulatedPlungers):
        def wake(self) -> None:
            woken.set()
            super().wake()

    def fsync(_: int) -> None:
        raise OSError(EIO, "Input/output error")

    hardware = Hardware(Noting(settle_ms=0))
    box = hardware.switch_on(tmp_path)
    woken.clear()
    monkeypatch.setattr(os, "fdatasync", fsync)
    hardware.press("left")
    box.runtime.turn()
    assert woken.wait(LIMIT_S)
    hardware.switch_off(box)


def test_a_computer_without_the_panels_bus_says_so_at_once() -> None:
    told = threading.Event()
    table = DisplayTable(driver="sh1106", bus=99, column_offset=0)
    with closing(open_panels(table, None, told.set)) as panels:
        for side in panels._pair._sides.values():
            assert side.panel.controller == controller("sh1106", column_offset=0)
        panels.show((Face(reserve="1"), Face(reserve="2")))
        assert told.wait(LIMIT_S)
        assert {part for part, _ in panels.faults()} == {"display"}


@pytest.mark.rule("R67")
@pytest.mark.parametrize("under_way", [False, True])
def test_a_press_before_the_start_counts_for_nothing(tmp_path: Path, *, under_way: bool) -> None:
    """Nobody has seen a picture yet, neither of a new match nor of one after a power cut."""
    if under_way:
        lines = match_in("RUNNING").lines
        (tmp_path / "match.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        (tmp_path / "current.jsonl").symlink_to("match.jsonl")
    hardware = Hardware()
    hardware.press("left")
    box = hardware.switch_on(tmp_path)
    begun = box.runtime.match.chain.seq
    hardware.press("right")
    while box.runtime.match.chain.seq == begun:
        box.runtime.turn()
    hardware.switch_off(box)
    lines = (tmp_path / "current.jsonl").read_bytes().splitlines()
    first, last = (json.loads(line) for line in lines[-2:])
    assert first["event"] == ("restored" if under_way else "match_opened")
    assert last["by" if under_way else "side"] == "right"


@pytest.mark.parametrize(("written", "seen"), [("", 0xCF), ("contrast = 90", 90)])
def test_panels_have_the_contrast_of_the_settings(tmp_path: Path, written: str, seen: int) -> None:
    hardware, shown = Hardware(), threading.Event()
    hardware.bus.before = lambda _: shown.set() if all(hardware.lit) else None
    box = hardware.switch_on(tmp_path, f"[display]\n{written}\n")
    assert shown.wait(10)
    hardware.switch_off(box)
    assert [panel.contrast for panel in hardware.panels.values()] == [seen, seen]
