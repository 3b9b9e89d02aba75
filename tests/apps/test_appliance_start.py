"""How an appliance starts: it resumes a match under way, and begins none with an error."""

import gc
import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clock.apps import appliance, appliance_start, pins
from clock.apps.appliance_start import ConfigSource, FatalConfigError, run_appliance
from clock.apps.error_screen import ErrorScreen
from clock.config.fallback import salvage_settings
from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.match.types import Phase
from clock.storage.clock_id import clock_id
from clock.storage.disk import Disk
from clock.storage.journal import JournalError
from hardware.gpio.factories import HardwareError
from hardware.system.clocks import RawClock
from hardware.system.fd_store import FdStore
from lab.support.appliances import Hardware
from lab.support.paths import DATA

MATCH = DATA / "dbgf.jsonl"
UNDER_WAY = 30  # lines
FEW = 5_000_000  # bytes free


class Box:
    """A box with a file and a card."""

    def __init__(self, folder: Path) -> None:
        self.logs, self._path = folder / "logs", folder / "gammonclock.toml"
        self.reported = list[str]()
        note = lambda error: self.reported.append(str(error))  # noqa: E731
        self.screen = ErrorScreen(note, Hardware().outside)
        load, salvage = (partial(each, self._path) for each in (load_settings, salvage_settings))
        self.source = ConfigSource(load, salvage)
        self.write("length = 5")

    def write(self, match: str, factory: str = "mock") -> None:
        """The director saves the file."""
        text = f'[buttons]\npin_factory = "{factory}"\n[log]\ndirectory = "{self.logs}"\n'
        self._path.write_text(f"{text}[match]\n{match}\n")

    def play(self) -> None:
        """A match is under way."""
        self.logs.mkdir()
        lines = MATCH.read_bytes().splitlines(keepends=True)[:UNDER_WAY]
        name = json.loads(lines[0])["match"]
        (self.logs / f"{name}.jsonl").write_bytes(b"".join(lines))
        (self.logs / "current.jsonl").symlink_to(f"{name}.jsonl")

    def start(self, store: FdStore | None = None) -> appliance_start.StartedAppliance:
        return appliance_start._start(self.source, store or FdStore({}), self.screen, None)

    def log(self) -> list[dict[str, Any]]:
        """The log, after the box was switched off."""
        text = (self.logs / "current.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]


def switched_off(started: appliance_start.StartedAppliance) -> appliance_start.StartedAppliance:
    with started.pins:
        started.appliance.stop()
        started.appliance.runtime.turn()
        started.appliance.run()
    return started


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def test_a_match_begins_with_the_settings_of_the_file(box: Box) -> None:
    started = switched_off(box.start())
    assert started.appliance.runtime.state.phase is Phase.REVIEW
    assert started.appliance.runtime.state.length == 5
    assert [each["event"] for each in box.log()] == ["match_opened"]
    assert "stamps" in box.log()[0]  # mock pins have no kernel


def test_lines_that_were_kept_for_other_pins_are_given_back(box: Box) -> None:
    """The director has changed the pins in the file meanwhile."""
    told: list[tuple[str, str]] = []

    def send(act: str, name: str, _: tuple[int, ...]) -> bool:
        told.append((act, name))
        return True

    reader, kept = os.pipe()
    switched_off(box.start(FdStore({"gpio4": kept}, send)))
    assert told == [("FDSTOREREMOVE=1", "gpio4")]
    assert os.read(reader, 1) == b""  # the other end is closed
    os.close(reader)


def test_who_asks_for_entry_points_gets_them(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gpiozero does not ask, and saves their search: its module is a stand-in."""
    monkeypatch.delitem(sys.modules, "importlib_metadata", raising=False)
    switched_off(box.start())
    found = sys.modules["importlib_metadata"].entry_points(group="pytest11")
    assert {each.name for each in found} >= {"hypothesispytest"}


def test_the_log_names_the_clock_and_the_board(
    box: Box, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "machine-id").write_text("0123456789abcdef" * 2)
    known = partial(clock_id, source=tmp_path / "machine-id")
    monkeypatch.setattr(appliance, "clock_id", known)
    for match, board in (("length = 5", None), ('board = "A-7"\nlength = 3', "A-7")):
        box.write(match)
        switched_off(box.start())
        [opened] = box.log()
        assert (opened["clock"], opened.get("board")) == (known(box.logs), board)
        name = (box.logs / "current.jsonl").resolve().stem
        assert name == opened["match"]
        assert re.search(f"-{board or opened['clock']}_[0-9a-f]{{6}}$", name)


def test_copies_of_a_card_never_give_two_matches_one_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They have one machine id, one board and the same files, and open them in one second."""
    (tmp_path / "machine-id").write_text("0123456789abcdef" * 2)
    monkeypatch.setattr(appliance, "clock_id", partial(clock_id, source=tmp_path / "machine-id"))
    monkeypatch.setattr(RawClock, "wall", lambda _self: "2026-05-01T10:00:00.000+02:00")
    names = set()
    for folder in ("first", "copy", "copy of the copy"):
        (tmp_path / folder).mkdir()
        box = Box(tmp_path / folder)
        box.write('board = "7"')
        switched_off(box.start())
        names.add(box.log()[0]["match"])
    assert len(names) == 3
    assert {name.partition("_")[0] for name in names} == {"2026-05-01T10-00-00-7"}


def test_no_match_begins_with_an_error_in_the_file(box: Box) -> None:
    box.write("length = 0")
    with pytest.raises(ConfigError, match=r"match\.length"):
        box.start()
    box.write("length = 5")
    switched_off(box.start())
    box.write("length = 0")
    with pytest.raises(ConfigError, match=r"match\.length"):
        box.start()


def test_a_match_under_way_is_resumed_despite_an_error_in_the_file(box: Box) -> None:
    """A warning says so; if another begins before the file is right, it is as the last one was."""
    box.play()
    before = len(MATCH.read_bytes().splitlines()[:UNDER_WAY])
    box.write("length = 0")
    started = switched_off(box.start())
    state = started.appliance.runtime.state
    assert (state.phase, state.length) == (Phase.STOPPED, 7)
    restored, fault = box.log()[before:]
    assert (restored["event"], fault["event"], fault["part"]) == ("restored", "fault", "config")
    assert "match.length is 0" in fault["what"]
    assert started.appliance.runtime._ports.next_match.settings() == state.settings


@pytest.mark.parametrize("under_way", [False, True])
def test_a_full_card_prevents_only_a_new_match(
    box: Box, monkeypatch: pytest.MonkeyPatch, under_way: bool
) -> None:
    """Less than 8 MB free: said with what to do, unless a match is under way."""
    monkeypatch.setattr(Disk, "free_bytes", lambda *_: FEW)
    if under_way:
        box.play()
        assert switched_off(box.start()).appliance.runtime.state.length == 7
    else:
        with pytest.raises(JournalError, match="only 5 MB free"):
            box.start()


def test_without_pins_the_start_fails_at_once(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with the file comes first: there is no panel to show it on."""

    def no_pins(name: str) -> None:
        raise HardwareError(f"no pins through {name}")

    monkeypatch.setattr(pins, "pin_factory", no_pins)
    with pytest.raises(HardwareError, match="no pins through mock"):
        box.start()
    box.write("length = 0")
    with pytest.raises(FatalConfigError, match=r"match\.length"):
        box.start()


class Finger:
    """Stop signals that do something at each wait, and then tell the program to end."""

    def __init__(self, *acts: Callable[[], object]) -> None:
        self._acts = list(acts)

    def wait(self, _: float) -> bool:
        if self._acts:
            self._acts.pop(0)()
            return False
        return True

    def on_stop(self, act: Callable[[], None]) -> None:
        act()


def test_the_start_is_retried_until_the_file_is_corrected(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.write("length = 0")
    finger = Finger(lambda: box.write("length = 100"), lambda: box.write("length = 9"))
    monkeypatch.setattr(appliance_start, "StopSignals", lambda: finger)
    frozen = iter([None])
    monkeypatch.setattr(gc, "freeze", lambda: next(frozen))
    run_appliance(box.source, box.screen)
    assert next(frozen, "once") == "once"  # no picture of the match waits for the collector
    assert [("is 0" in text, "is 100" in text) for text in box.reported] == [
        (True, False),
        (False, True),
    ]
    assert box.log()[0]["settings"]["length"] == 9


def test_a_stop_signal_ends_the_retries(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.write("length = 0")
    monkeypatch.setattr(appliance_start, "StopSignals", Finger)
    run_appliance(box.source, box.screen)
    assert not (box.logs / "current.jsonl").exists()
