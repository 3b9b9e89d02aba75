"""A whole box: real buttons' way on mock pins, panels on a model bus, serial line, log, signals.

What the box has done is waited for on its serial line; nothing sleeps.
"""

import json
import os
import threading
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from generate_matches import DATA
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory
from panel_models import Bus, Ssd1306

from clock.storage import log_reader as found
from clock.apps.appliance import Box
from clock.config.loader import parse_settings
from clock.ui.i18n import sayer
from clock.eventlog.replay import replay
from clock.match.rules import MINUTE_NS
from clock.runtime.loop import Manner
from hardware.display.panels import Outside, on_this_computer
from hardware.buttons.simulated import SimulatedPlungers

MANNER = Manner(sayer("en"), "test")
PANELS = (0x3C, 0x3D)
LAMPS = (5, 6)
OPENING = ("left", "right", "centre")  # both confirm, and on
BANK_NS = 22 * MINUTE_NS  # the delay is not over yet


class Table:
    """A box on a table, switched on."""

    def __init__(self, folder: Path) -> None:
        """Its parts, and the thread that runs it."""
        reader, self._port = os.openpty()
        tty.setraw(self._port)
        self._serial = os.fdopen(reader, "rb", buffering=0)
        text = f'[log]\ndirectory = "{folder}"\nserial = "{os.ttyname(self._port)}"\n'
        settings = parse_settings(text + "[lamps]\nleft = 5\nright = 6\n", "test")
        self.panels = {address: Ssd1306() for address in PANELS}
        here = on_this_computer()
        outside = Outside(Bus(self.panels).connect, here.now_ns, here.wakes)
        self.plungers, self.pins = SimulatedPlungers(settle_ms=0), MockFactory()
        load = lambda: settings.match  # noqa: E731
        self.box = Box(settings, MANNER, load, self.plungers, self.pins, outside)
        self._thread = threading.Thread(target=self.box.run, name="clock")
        self._thread.start()

    def next(self) -> dict[str, Any]:
        """The next line of the log, when it has come over the serial line."""
        line = b""
        while not line.strip() or not line.endswith(b"\n"):  # an empty one ends what was torn
            line += self._serial.read(1)
        told: dict[str, Any] = json.loads(line)
        return told

    def press(self, name: str) -> dict[str, Any]:
        """A button is pressed; what the log says of it."""
        self.plungers.press(name)
        self.plungers.release(name)
        return self.next()

    def switch_off(self) -> None:
        """As SIGTERM does; once."""
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
    told = [table.next()["event"], *(table.press(name)["event"] for name in OPENING)]
    assert told == ["match_opened", "confirmed", "confirmed", "confirmed"]
    started = table.press("right")
    assert (started["event"], started["running"]) == ("pressed", "left")
    stopped = table.press("centre")
    assert (stopped["event"], stopped["phase"]) == ("stopped", "STOPPED")
    table.switch_off()
    assert replay((tmp_path / "current.jsonl").read_bytes().splitlines()).match.chain.seq == 6
    assert [panel.shines for panel in table.panels.values()] == [False, False]
    assert [table.pins.pin(number).state for number in LAMPS] == [False, False]


def test_a_box_that_is_switched_on_again_goes_on(table: Table, tmp_path: Path) -> None:
    """The match, exactly; and whoever listens on the serial line gets it from its beginning."""
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
def test_a_box_without_a_buzzer_claims_no_pin_for_one(table: Table) -> None:
    """R82: by default there is nothing that could sound; the lamps were asked for."""
    assert table.next()["event"] == "match_opened"
    assert {pin.name for pin in table.pins.pins} == {"GPIO5", "GPIO6"}


# --- a fault shows at once --------------------------------------------------------------------


class Wakeable(SimulatedPlungers):
    """Buttons that count how often the loop was woken."""

    wakes = 0

    def wake(self) -> None:
        """See `Plungers.wake`."""
        self.wakes += 1
        super().wake()


def test_a_part_that_fails_wakes_the_loop(tmp_path: Path) -> None:
    """While no clock runs nothing else would for a long time; of a box that is well nobody does."""
    for taken in ((), (5,), (13,)):  # nothing, a lamp's pin, the buzzer's
        plungers, pins = Wakeable(settle_ms=0), MockFactory()
        others = [DigitalOutputDevice(pin, pin_factory=pins) for pin in taken]
        text = f'[log]\ndirectory = "{tmp_path}"\n[lamps]\nleft = 5\n[sound]\nbuzzer_pin = 13\n'
        settings = parse_settings(text, "test")
        here = on_this_computer()
        bus = Bus({address: Ssd1306() for address in PANELS})
        outside = Outside(bus.connect, here.now_ns, here.wakes)
        box = Box(settings, MANNER, lambda: settings.match, plungers, pins, outside)  # noqa: B023
        assert plungers.wakes == len(taken)
        box.stop()
        box.run()
        plungers.close()
        for other in others:
            other.close()


@pytest.mark.parametrize(("written", "seen"), [("", 0xCF), ("contrast = 90", 90)])
def test_panels_are_as_bright_as_the_settings_say(tmp_path: Path, written: str, seen: int) -> None:
    """Both; the box is switched off as soon as both have been set up."""
    text = f'[log]\ndirectory = "{tmp_path}"\n[display]\n{written}\n'
    settings, here = parse_settings(text, "test"), on_this_computer()
    plungers, pins = SimulatedPlungers(settle_ms=0), MockFactory()
    panels = {address: Ssd1306() for address in PANELS}
    bus = Bus(panels)
    outside = Outside(bus.connect, here.now_ns, here.wakes)
    box = Box(settings, MANNER, lambda: settings.match, plungers, pins, outside)

    def look(_: int) -> None:
        if all(panel.supplied for panel in panels.values()):
            box.stop()

    bus.before = look
    box.run()
    plungers.close()
    assert [panel.contrast for panel in panels.values()] == [seen, seen]


def test_a_log_in_segments_is_read_as_one(tmp_path: Path) -> None:
    """A file that could not be read back is followed by another; a listener gets all lines."""
    data = (DATA / "ebf.jsonl").read_bytes().splitlines(keepends=True)
    link = tmp_path / "current.jsonl"
    (tmp_path / "match.jsonl").write_bytes(b"".join(data[:20]))
    link.symlink_to("match.jsonl")
    with found.opened(link) as log:
        assert list(log) == data[:20]
    (tmp_path / "match.2.jsonl").write_bytes(b"".join(data[15:40]))  # the last five were not synced
    link.unlink()
    link.symlink_to("match.2.jsonl")
    with found.opened(link) as log:
        assert list(log) == data[:40]
