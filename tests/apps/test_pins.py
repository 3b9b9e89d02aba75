"""The pins of a clock: buttons that are kept over a restart, buzzer and lamps."""

import threading
from contextlib import ExitStack
from pathlib import Path

import gpiod
import pytest
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory

from clock.apps.pins import BuzzerAndLamps, claim_pins
from clock.config.loader import parse_settings
from clock.match.types import Side
from clock.runtime.alerts import Alert
from hardware.gpio.factories import HardwareError
from hardware.outputs import FLAG_S, LOW_TIME_S
from hardware.system.fd_store import FdStore
from lab.support.gpio_pi import LEFT, Pi, edge_threads

BUTTONS = {"gpio17", "gpio22", "gpio27"}


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pi:
    """A Raspberry Pi whose factory is that of every clock."""
    pi = Pi(tmp_path)
    monkeypatch.setattr("clock.apps.pins.pin_factory", lambda _: pi.factory)
    return pi


def test_the_lines_of_the_buttons_are_kept_and_given_back(pi: Pi) -> None:
    """Kept by the service manager, if there is one; here it takes nothing."""
    asked = list[tuple[str, str]]()

    def send(act: str, name: str, _: tuple[int, ...]) -> bool:
        asked.append((act, name))
        return False

    store = FdStore({}, send)
    with ExitStack() as pins:
        plungers, _ = claim_pins(parse_settings("", "test"), store, pins, lambda: None)
        assert {name for _, name in asked} == BUTTONS
        pi.kernel.press(LEFT)
        assert plungers.drain(pi.kernel.now_ns)
        assert len(edge_threads()) == 1
    assert (pi.kernel.requests, edge_threads()) == ({}, [])


def test_buttons_whose_pins_are_taken_say_so(pi: Pi) -> None:
    with pi.kernel.open_chip(pi.factory.chip) as chip, ExitStack() as pins:
        chip.request_lines({LEFT: gpiod.LineSettings()}, "gpio-keys")
        with pytest.raises(HardwareError, match=r"the buttons' pins cannot be used: .*GPIO17"):
            claim_pins(parse_settings("", "test"), FdStore({}), pins, lambda: None)


def test_alerts_and_lamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short beep at low time, a long one at a flag; the lamp of the side whose clock runs."""
    beeps, factory = list[float](), MockFactory()
    text = "[lamps]\nleft = 5\nright = 6\n[sound]\nbuzzer_pin = 13\n"

    class Timer:
        def __init__(self, seconds: float, _: object) -> None:
            beeps.append(seconds)

        def start(self) -> None:
            """Nothing ends a beep here."""

        cancel = start

    monkeypatch.setattr(threading, "Timer", Timer)
    box = BuzzerAndLamps(parse_settings(text, "test"), factory, lambda: None)
    for alert, seconds in ((Alert.LOW_TIME, LOW_TIME_S), (Alert.FLAG, FLAG_S)):
        box.announce(alert)
        assert beeps[-1:] == [seconds]
    lit = []
    for running in (Side.LEFT, Side.RIGHT, None, Side.LEFT):
        box.light(running)
        lit.append([bool(factory.pin(pin).state) for pin in (5, 6)])
    assert lit == [[True, False], [False, True], [False, False], [True, False]]
    box.close()
    assert not any(factory.pin(pin).state for pin in (5, 6, 13))
    DigitalOutputDevice(5, pin_factory=factory).close()
