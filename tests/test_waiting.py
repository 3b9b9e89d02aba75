"""A box with a file that cannot be used: shown, read again, and left when told to end."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from panel_models import Bus, Sh1106, Ssd1306

from clock import waiting
from clock.config import ConfigError, Settings, load_settings
from clock.config_page import config_faces
from clock.config_salvage import salvaged
from clock.language import sayer
from clock.waiting import REREAD_S, WrongFile, usable_settings
from hardware.factories import HardwareError
from hardware.oled import Outside, on_this_computer
from hardware.pixels import draw

MOCK = '[buttons]\npin_factory = "mock"\n'
WRONG = f"[match]\nlength = 0\n{MOCK}"
WRONG_TOO = f'[match]\nlength = 100\n{MOCK}[display]\nlanguage = "de"\n'
RIGHT = f"[match]\nlength = 7\n{MOCK}"


class Box:
    """A box with a file."""

    def __init__(self, path: Path, text: str) -> None:
        """It is switched on with this text in its file."""
        self.path = path
        self.panels: dict[int, Ssd1306] = {address: Ssd1306() for address in (0x3C, 0x3D)}
        self.bus = Bus(self.panels)
        here = on_this_computer()
        self.told: list[str] = []
        self.wrong = WrongFile(self.told.append, Outside(self.bus.connect, here.now_ns, here.wakes))
        self.write(text)

    def write(self, text: str) -> None:
        """The director saves the file."""
        self.path.write_text(text)

    def settings(self, *acts: Callable[[], object]) -> Settings | None:
        """What comes of it while somebody does this, one thing each time it waits."""
        coming = iter(acts)

        def wait(seconds: float) -> bool:
            assert seconds == REREAD_S
            act = next(coming, None)
            if act is not None:
                act()
            return act is None

        load = lambda: load_settings(self.path)  # noqa: E731
        return usable_settings(load, lambda: salvaged(self.path), self.wrong, wait)

    def shows(self, text: str, language: str) -> None:
        """Wait until both panels show what is wrong with a text."""
        with pytest.raises(ConfigError) as found:
            load_settings(self.path)
        assert self.path.read_text() == text
        faces = config_faces(found.value, sayer(language), 0)
        meant = [draw(face).tobytes() for face in faces]
        seen = threading.Event()
        for _ in range(500):
            if [panel.picture().tobytes() for panel in self.panels.values()] == meant:
                return
            seen.wait(0.01)
        raise AssertionError("the panels show something else")


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    """A box whose file is wrong, and which is dark in the end."""
    box = Box(tmp_path / "gammonclock.toml", WRONG)
    yield box
    assert [panel.shines for panel in box.panels.values()] == [False, False]
    assert box.bus.opened == 0


def test_a_right_file_is_used_at_once(tmp_path: Path) -> None:
    """Nothing is shown or told."""
    box = Box(tmp_path / "gammonclock.toml", RIGHT)
    found = box.settings()
    assert found is not None
    assert (found.match.length, box.told, box.bus.attempts) == (7, [], 0)


def test_what_is_wrong_is_shown_until_the_file_is_right(box: Box) -> None:
    """On the panels, in the file's language; told once for each thing that is wrong."""
    found = box.settings(
        lambda: box.shows(WRONG, "en"),
        lambda: box.write(WRONG_TOO),
        lambda: box.shows(WRONG_TOO, "de"),
        lambda: box.write(RIGHT),
    )
    assert found is not None
    assert found.match.length == 7
    assert [("is 0, but" in text, "is 100, but" in text) for text in box.told] == [
        (True, False),
        (False, True),
    ]


def test_panels_of_another_kind_are_used_when_the_file_says_so(box: Box) -> None:
    """The part of the file that is right counts at once."""
    text = f'{WRONG}[display]\ndriver = "sh1106"\n'
    others: dict[int, Ssd1306] = {address: Sh1106() for address in (0x3C, 0x3D)}

    def change() -> None:
        box.write(text)
        box.wrong.close()  # the panels are exchanged while nothing is sent
        box.panels.update(others)

    assert box.settings(change, lambda: box.shows(text, "en")) is None


def test_told_to_end_it_ends(box: Box) -> None:
    """No settings, and dark panels."""
    assert box.settings(lambda: box.shows(WRONG, "en")) is None


def test_without_pins_it_is_no_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the caller's; nothing is waited for."""
    box = Box(tmp_path / "gammonclock.toml", WRONG)

    def no_pins(name: str) -> None:
        raise HardwareError(f"no pins through {name}")

    monkeypatch.setattr(waiting, "pin_factory", no_pins)
    with pytest.raises(ConfigError, match=r"match\.length"):
        box.settings()
    assert box.bus.attempts == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_waiting(box: Box, number: signal.Signals) -> None:
    """At once, not after the two seconds; it may come before the wait, too."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        wait = waiting._until_signalled()
        assert wait(0) is False
        os.kill(os.getpid(), number)
        assert wait(600) is True
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert box.settings() is None
