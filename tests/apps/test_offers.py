"""A clock that is started with a directory of offers takes them, in a box and simulated."""

from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from clock.apps import simulator
from clock.apps.appliance import Appliance
from clock.apps.pins import BuzzerAndLamps
from clock.config.loader import parse_settings
from clock.config.offer import LogHead
from clock.config.settings import Settings
from clock.runtime.handover import Incoming
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.startup import find_match
from clock.ui.i18n import sayer
from hardware.buttons.simulated import SimulatedPlungers
from hardware.display.panels import Outside, on_this_computer
from lab.support.offers import OfferDesk
from lab.support.panel_models import Bus, Ssd1306

OPTIONS = UiOptions(sayer("en"), "test")


def in_logs(folder: Path) -> Settings:
    """The settings of a clock whose logs are in a folder."""
    return parse_settings(f'[log]\ndirectory = "{folder}"\n', "gammonclock.toml")


def take(runtime: Runtime, desk: OfferDesk) -> None:
    """Offer a match, and check that the clock shows it."""
    chain = runtime.match.chain
    desk.put(desk.line(after=LogHead(chain.match, chain.seq, chain.hash), length=7))
    runtime._look_for_offer(runtime.state.at_ns)
    assert (runtime.state.offer, runtime.state.length) == ("offer-001", 7)


@pytest.mark.rule("R134")
def test_an_appliance_takes_offers(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    desk, settings = OfferDesk(tmp_path, logs), in_logs(logs)
    here, plungers = on_this_computer(), SimulatedPlungers(settle_ms=0)
    outside = Outside(Bus({0x3C: Ssd1306(), 0x3D: Ssd1306()}).connect, here.now_ns, here.wakes)
    claim = lambda wake: (plungers, BuzzerAndLamps(settings, MockFactory(), wake))  # noqa: E731
    parts = (settings, OPTIONS, lambda: settings, claim, outside, find_match)
    box = Appliance(*parts, desk.directory)
    take(box.runtime, desk)
    box.stop()
    box.run()
    plungers.close()


@pytest.mark.rule("R134")
def test_a_simulated_clock_takes_offers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = tmp_path / "logs"
    desk, settings = OfferDesk(tmp_path, logs), in_logs(logs)
    monkeypatch.setattr(simulator, "_run_in_thread", lambda runtime, *_: take(runtime, desk))
    simulator._run(settings, OPTIONS, lambda: settings, logs, find_match, Incoming(desk.directory))
