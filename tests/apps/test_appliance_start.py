"""How a box starts: a match under way goes on, and none begins before all is right."""

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generate_matches import DATA
from panel_models import Bus, Ssd1306

from clock.storage import journal
from clock.apps import appliance_start as starting
from clock.config.loader import ConfigError, load_settings
from clock.config.fallback import salvaged
from clock.storage.journal import JournalError
from clock.ui.i18n import sayer
from clock.match.phases import Phase
from clock.runtime.loop import Manner
from clock.apps.appliance_start import NoBoxError, Source, run_box
from clock.apps.error_screen import Trouble
from hardware.gpio.factories import HardwareError
from hardware.system.fd_store import FdStore
from hardware.display.panels import Outside, on_this_computer

MATCH = DATA / "dbgf.jsonl"
UNDER_WAY = 30  # lines
FEW = 5_000_000  # bytes free


class Box:
    """A box with a file and a card."""

    def __init__(self, folder: Path) -> None:
        """Its file is right and its card empty."""
        self.logs, self._path = folder / "logs", folder / "gammonclock.toml"
        here, panels = on_this_computer(), {0x3C: Ssd1306(), 0x3D: Ssd1306()}
        self.told: list[str] = []
        self.trouble = Trouble(
            self.told.append, Outside(Bus(panels).connect, here.now_ns, here.wakes)
        )
        self.source = Source(
            lambda: load_settings(self._path),
            lambda: salvaged(self._path),
            lambda settings: Manner(sayer(settings.display.language), "test"),
        )
        self.write("length = 5")

    def write(self, match: str, factory: str = "mock") -> None:
        """The director saves his file."""
        text = f'[buttons]\npin_factory = "{factory}"\n[log]\ndirectory = "{self.logs}"\n'
        self._path.write_text(f"{text}[match]\n{match}\n")

    def play(self) -> None:
        """A match is under way."""
        self.logs.mkdir()
        lines = MATCH.read_bytes().splitlines(keepends=True)[:UNDER_WAY]
        name = json.loads(lines[0])["match"]
        (self.logs / f"{name}.jsonl").write_bytes(b"".join(lines))
        (self.logs / "current.jsonl").symlink_to(f"{name}.jsonl")

    def start(self) -> starting.Started:
        """One attempt."""
        return starting._started(self.source, FdStore({}), self.trouble, None)

    def log(self) -> list[dict[str, Any]]:
        """The log, after the box was switched off."""
        text = (self.logs / "current.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


def switched_off(started: starting.Started) -> starting.Started:
    """After one turn."""
    with started.pins:
        started.box.stop()
        started.box.runtime.turn()
        started.box.run()
    return started


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A box that is off."""
    return Box(tmp_path)


def test_a_match_begins_when_all_is_right(box: Box) -> None:
    """With the settings of the file."""
    started = switched_off(box.start())
    assert started.box.runtime.state.phase is Phase.REVIEW
    assert started.box.runtime.state.length == 5
    assert [each["event"] for each in box.log()] == ["match_opened"]
    assert "stamps" in box.log()[0]  # mock pins have no kernel


def test_no_match_begins_with_a_wrong_file(box: Box) -> None:
    """Nor does one go on that nobody had begun to play."""
    box.write("length = 0")
    with pytest.raises(ConfigError, match=r"match\.length"):
        box.start()
    box.write("length = 5")
    switched_off(box.start())
    box.write("length = 0")
    with pytest.raises(ConfigError, match=r"match\.length"):
        box.start()


def test_a_match_under_way_goes_on_with_a_wrong_file(box: Box) -> None:
    """A warning says so; if another begins before the file is right, it is as the last one was."""
    box.play()
    before = len(MATCH.read_bytes().splitlines()[:UNDER_WAY])
    box.write("length = 0")
    started = switched_off(box.start())
    state = started.box.runtime.state
    assert (state.phase, state.length) == (Phase.STOPPED, 7)
    restored, fault = box.log()[before:]
    assert (restored["event"], fault["event"], fault["part"]) == ("restored", "fault", "config")
    assert "match.length is 0" in fault["what"]
    assert started.box.runtime._ports.next_match.settings() == state.settings


@pytest.mark.parametrize("under_way", [False, True])
def test_a_full_card_begins_no_match_and_stops_none(
    box: Box, monkeypatch: pytest.MonkeyPatch, under_way: bool
) -> None:
    """Less than 8 MB free: said with what to do, unless a match is under way."""
    monkeypatch.setattr(journal, "free_bytes", lambda _: FEW)
    if under_way:
        box.play()
        assert switched_off(box.start()).box.runtime.state.length == 7
    else:
        with pytest.raises(JournalError, match="only 5 MB free"):
            box.start()


def test_without_pins_nothing_is_waited_for(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with the file comes first: there is no panel to show it on."""

    def no_pins(name: str) -> None:
        raise HardwareError(f"no pins through {name}")

    monkeypatch.setattr(starting, "pin_factory", no_pins)
    with pytest.raises(HardwareError, match="no pins through mock"):
        box.start()
    box.write("length = 0")
    with pytest.raises(NoBoxError, match=r"match\.length"):
        box.start()


class Finger:
    """Whoever tells the program to end, and does something each time it waits."""

    def __init__(self, *acts: Callable[[], object]) -> None:
        self._acts = list(acts)

    def wait(self, _: float) -> bool:
        """See `Ending.wait`."""
        if self._acts:
            self._acts.pop(0)()
            return False
        return True

    def then(self, act: Callable[[], None]) -> None:
        """See `Ending.then`."""
        act()


def test_it_is_tried_until_the_file_is_right(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the match begins on the same pins and panels."""
    box.write("length = 0")
    finger = Finger(lambda: box.write("length = 100"), lambda: box.write("length = 9"))
    monkeypatch.setattr(starting, "Ending", lambda: finger)
    frozen = iter([None])
    monkeypatch.setattr(gc, "freeze", lambda: next(frozen))
    run_box(box.source, box.trouble)
    assert next(frozen, "once") == "once"  # no picture of the match waits for the collector
    assert [("is 0" in told, "is 100" in told) for told in box.told] == [
        (True, False),
        (False, True),
    ]
    assert box.log()[0]["settings"]["length"] == 9


def test_told_to_end_before_it_is_right_it_ends(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """No match has begun."""
    box.write("length = 0")
    monkeypatch.setattr(starting, "Ending", Finger)
    run_box(box.source, box.trouble)
    assert not (box.logs / "current.jsonl").exists()
