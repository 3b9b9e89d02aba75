"""What was chosen before a restart is opened by the clock that starts, in a box and simulated."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from clock.apps import simulator
from clock.apps.appliance import Appliance
from clock.apps.pins import BuzzerAndLamps
from clock.config.loader import parse_settings
from clock.config.settings import Settings
from clock.match.inputs import LanguageWanted
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import TimeSource
from clock.runtime.startup import StartupMatch
from clock.storage.journal import Journal
from clock.ui.i18n import sayer
from hardware.buttons.simulated import SimulatedPlungers
from hardware.display.panels import Outside, on_this_computer
from lab.support.panel_models import Bus, Ssd1306

OPTIONS = UiOptions(sayer("en"), "test")


def event(folder: Path) -> Settings:
    """The settings of a clock with a preset."""
    text = f'[log]\ndirectory = "{folder}"\n[[preset]]\nname = "Final"\nlength = 13\n'
    return parse_settings(text, "event.toml")


def chosen_before(_journal: Journal, _time: TimeSource) -> StartupMatch:
    """A match that nobody had confirmed when the power was cut."""
    return StartupMatch(None, preset="Final")


@contextmanager
def started(folder: Path) -> Iterator[Appliance]:
    """A box that has been switched on, and is switched off at the end."""
    settings, here, plungers = event(folder), on_this_computer(), SimulatedPlungers(settle_ms=0)
    bus = Bus({0x3C: Ssd1306(), 0x3D: Ssd1306()})
    outside = Outside(bus.connect, here.now_ns, here.wakes)
    claim = lambda wake: (plungers, BuzzerAndLamps(settings, MockFactory(), wake))  # noqa: E731
    parts = (settings, OPTIONS, lambda: settings, claim, outside)
    box = Appliance(*parts, chosen_before)
    yield box
    box.stop()
    box.run()
    plungers.close()


@pytest.mark.rule("R104", "R67")
def test_an_appliance_opens_the_match_that_was_chosen(tmp_path: Path) -> None:
    """Its panels show it for confirmation; the page does not come again."""
    with started(tmp_path) as box:
        assert (box.runtime.state.preset, box.runtime.state.length) == ("Final", 13)
        assert box.runtime.session.dialogue.page is None


@pytest.mark.rule("R133")
def test_a_box_keeps_the_language_of_the_menu_over_a_restart(tmp_path: Path) -> None:
    for language in ("en", "nb"):
        with started(tmp_path) as box:
            assert box.runtime.view().say("ready") == sayer(language)("ready")
            box.runtime.apply_input(LanguageWanted(box.runtime.state.at_ns, "nb"))


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Runtime]:
    """Start a simulated clock in the same folder each time; return it before its first turn."""
    seen: list[Runtime] = []
    monkeypatch.setattr(simulator, "_run_in_thread", lambda runtime, *_: seen.append(runtime))
    settings = event(tmp_path)

    def start() -> Runtime:
        simulator._run(settings, OPTIONS, lambda: settings, tmp_path, chosen_before)
        return seen[-1]

    return start


@pytest.mark.rule("R104", "R67")
def test_a_simulated_clock_opens_the_match_that_was_chosen(
    simulated: Callable[[], Runtime],
) -> None:
    clock = simulated()
    assert (clock.state.preset, clock.state.length) == ("Final", 13)


@pytest.mark.rule("R133")
def test_the_language_of_the_menu_is_kept_over_a_restart(simulated: Callable[[], Runtime]) -> None:
    """On the next start the panels speak it; the file's is the one that was there."""
    for language in ("en", "da"):
        clock = simulated()
        assert clock.view().say("ready") == sayer(language)("ready")
        clock.apply_input(LanguageWanted(clock.state.at_ns, "da"))
        assert clock.view().say("ready") == sayer("da")("ready")
