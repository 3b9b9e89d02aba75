"""A whole appliance: mock pins, modelled panels, a serial line and a log.

The tests wait for lines on the serial line; nothing sleeps.
"""

import json
import os
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory

from clock.apps.appliance import Appliance, Wake
from clock.apps.pins import BuzzerAndLamps
from clock.config.loader import parse_settings
from clock.eventlog.replay import replay
from clock.runtime.loop import UiOptions
from clock.ui.i18n import sayer
from clock.units import MINUTE_NS
from hardware.buttons.simulated import SimulatedPlungers
from hardware.display.panels import Outside, Panels, on_this_computer
from hardware.gpio.factories import HardwareError
from lab.support.panel_models import Bus, Ssd1306

OPTIONS = UiOptions(sayer("en"), "test")
PANELS = (0x3C, 0x3D)
LAMPS = (5, 6)
OPENING = ("left", "right", "centre")  # both confirm, and on
BANK_NS = 22 * MINUTE_NS  # the delay is not over yet


class Table:
    """A box on a table, switched on."""

    def __init__(self, folder: Path) -> None:
        reader, self._port = os.openpty()
        tty.setraw(self._port)
        self._serial = os.fdopen(reader, "rb", buffering=0)
        text = f'[log]\ndirectory = "{folder}"\nserial = "{os.ttyname(self._port)}"\n'
        settings = parse_settings(text + "[lamps]\nleft = 5\nright = 6\n", "test")
        self.panels = {address: Ssd1306() for address in PANELS}
        here = on_this_computer()
        outside = Outside(Bus(self.panels).connect, here.now_ns, here.wakes)
        self.plungers, self.pins = SimulatedPlungers(settle_ms=0), MockFactory()
        load = lambda: settings  # noqa: E731
        claim = lambda wake: (self.plungers, BuzzerAndLamps(settings, self.pins, wake))  # noqa: E731
        self.box = Appliance(settings, OPTIONS, load, claim, outside)
        self._thread = threading.Thread(target=self.box.run, name="clock")
        self._thread.start()

    def next(self) -> dict[str, Any]:
        """The next line of the log, when it has come over the serial line."""
        while "event" not in (line := self.heard()):
            assert "heartbeat" in line
        return line

    def heard(self) -> dict[str, Any]:
        """The next line that comes over the serial line."""
        line = b""
        while not line.strip() or not line.endswith(b"\n"):  # an empty one ends what was torn
            line += self._serial.read(1)
        record: dict[str, Any] = json.loads(line)
        return record

    def press(self, name: str) -> dict[str, Any]:
        """A button is pressed; what the log says of it."""
        self.plungers.press(name)
        self.plungers.release(name)
        return self.next()

    def switch_off(self) -> None:
        if not self._thread.is_alive():
            return
        self.box.stop()
        self._thread.join(10)
        self._serial.close()
        os.close(self._port)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A box that is switched off in the end."""
    table = Table(tmp_path)
    yield table
    table.switch_off()


def test_a_press_reaches_log_lamps_and_serial_line(table: Table, tmp_path: Path) -> None:
    """From the settings to the first turn; switched off, all is written and dark."""
    events = [table.next()["event"], *(table.press(name)["event"] for name in OPENING)]
    assert events == ["match_opened", "confirmed", "confirmed", "confirmed"]
    started = table.press("right")
    assert (started["event"], started["running"]) == ("pressed", "left")
    stopped = table.press("centre")
    assert (stopped["event"], stopped["phase"]) == ("stopped", "STOPPED")
    table.switch_off()
    assert replay((tmp_path / "current.jsonl").read_bytes().splitlines()).match.chain.seq == 6
    assert [panel.shines for panel in table.panels.values()] == [False, False]
    assert [table.pins.pin(number).state for number in LAMPS] == [False, False]


def test_a_heartbeat_follows_the_lines_on_the_serial_line(table: Table, tmp_path: Path) -> None:
    """It is in no file, and says what the latest line was and that the log is saved."""
    opened = table.heard()
    heartbeat = table.heard()
    assert heartbeat.pop("now_ns") > opened["at_ns"]
    assert heartbeat == {
        "v": 2,
        "heartbeat": 1,
        "boot": opened["boot"],
        "match": opened["match"],
        "seq": 1,
        "log_saved": True,
        "warnings": [],
    }
    table.switch_off()
    assert b"heartbeat" not in (tmp_path / "current.jsonl").read_bytes()


def test_an_appliance_resumes_its_match_after_a_restart(table: Table, tmp_path: Path) -> None:
    """It continues exactly, and the serial line sends its log from the beginning."""
    table.next()
    for name in (*OPENING, "right"):
        table.press(name)
    table.switch_off()
    again = Table(tmp_path)
    try:
        assert [again.next()["seq"] for _ in range(5)] == [1, 2, 3, 4, 5]
        pressed = again.press("left")
        assert (pressed["seq"], pressed["running"], pressed["left_ns"]) == (6, "right", BANK_NS)
    finally:
        again.switch_off()


@pytest.mark.rule("R82")
def test_without_a_buzzer_no_pin_is_claimed_for_one(table: Table) -> None:
    """R82: by default there is nothing that could sound; the lamps were asked for."""
    assert table.next()["event"] == "match_opened"
    assert {pin.name for pin in table.pins.pins} == {"GPIO5", "GPIO6"}


def test_the_first_picture_needs_no_pins_and_logs_nothing(tmp_path: Path) -> None:
    """Nothing is logged each time that a box without pins is started again."""
    settings, here = (
        parse_settings(f'[log]\ndirectory = "{tmp_path}"\n', "test"),
        on_this_computer(),
    )
    panels = {address: Ssd1306() for address in PANELS}
    bus, shown = Bus(panels), threading.Event()
    outside = Outside(bus.connect, here.now_ns, here.wakes)
    bus.before = lambda _: shown.set() if all(each.shines for each in panels.values()) else None

    def claim(_: Wake) -> Any:
        raise HardwareError("seen" if shown.wait(10) else "dark")

    with pytest.raises(HardwareError, match="seen"):
        Appliance(settings, OPTIONS, lambda: settings, claim, outside)
    assert list(tmp_path.glob("*.jsonl")) == []
    assert not any(panel.shines for panel in panels.values())


@pytest.mark.rule("R67")
def test_the_first_picture_says_that_the_match_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R67: the buttons come seconds later, so nobody confirms a new match before it is said."""
    (tmp_path / "match.jsonl").write_bytes(b"{}\n")
    (tmp_path / "current.jsonl").symlink_to("match.jsonl")
    settings, shown = parse_settings(f'[log]\ndirectory = "{tmp_path}"\n', "test"), []
    monkeypatch.setattr(Panels, "show", lambda _, faces: shown.append(faces))

    def claim(_: Wake) -> Any:
        [faces] = shown
        raise HardwareError(" ".join(faces.left.warnings + faces.right.warnings))

    here, bus = on_this_computer(), Bus({address: Ssd1306() for address in PANELS})
    outside = Outside(bus.connect, here.now_ns, here.wakes)
    with pytest.raises(HardwareError, match="MATCH NOT FOUND MATCH NOT FOUND"):
        Appliance(settings, OPTIONS, lambda: settings, claim, outside)


# --- a fault shows at once --------------------------------------------------------------------


class Wakeable(SimulatedPlungers):
    """Buttons that count how often the loop was woken."""

    wakes = 0

    def wake(self) -> None:
        self.wakes += 1
        super().wake()


def test_a_part_that_fails_wakes_the_loop(tmp_path: Path) -> None:
    """While no clock runs, nothing else would wake it for a long time."""
    for taken in ((), (5,), (13,)):  # nothing, a lamp's pin, the buzzer's
        plungers, pins = Wakeable(settle_ms=0), MockFactory()
        others = [DigitalOutputDevice(pin, pin_factory=pins) for pin in taken]
        text = f'[log]\ndirectory = "{tmp_path}"\n[lamps]\nleft = 5\n[sound]\nbuzzer_pin = 13\n'
        settings = parse_settings(text, "test")
        here = on_this_computer()
        bus = Bus({address: Ssd1306() for address in PANELS})
        outside = Outside(bus.connect, here.now_ns, here.wakes)
        wakes: list[Wake] = []
        claim = lambda wake: (  # noqa: E731
            plungers,  # noqa: B023
            BuzzerAndLamps(settings, pins, lambda: wakes.append(wake)),  # noqa: B023
        )
        box = Appliance(settings, OPTIONS, lambda: settings, claim, outside)  # noqa: B023
        assert (len(wakes), plungers.wakes) == (len(taken), 1)  # once for all that came before
        for wake in wakes:
            wake()
        assert plungers.wakes == 1 + len(taken)
        box.stop()
        box.run()
        plungers.close()
        for other in others:
            other.close()


@pytest.mark.parametrize(("written", "seen"), [("", 0xCF), ("contrast = 90", 90)])
def test_panels_have_the_contrast_of_the_settings(tmp_path: Path, written: str, seen: int) -> None:
    """Both; the box is switched off as soon as both have been set up."""
    text = f'[log]\ndirectory = "{tmp_path}"\n[display]\n{written}\n'
    settings, here = parse_settings(text, "test"), on_this_computer()
    plungers, pins = SimulatedPlungers(settle_ms=0), MockFactory()
    panels = {address: Ssd1306() for address in PANELS}
    bus = Bus(panels)
    outside = Outside(bus.connect, here.now_ns, here.wakes)
    claim = lambda wake: (plungers, BuzzerAndLamps(settings, pins, wake))  # noqa: E731
    box = Appliance(settings, OPTIONS, lambda: settings, claim, outside)

    def look(_: int) -> None:
        if all(panel.supplied for panel in panels.values()):
            box.stop()

    bus.before = look
    box.run()
    plungers.close()
    assert [panel.contrast for panel in panels.values()] == [seen, seen]
