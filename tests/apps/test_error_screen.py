"""A clock that cannot start shows the error and tries again until told to end."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import dropwhile
from operator import not_
from pathlib import Path

import pytest

from clock.apps.error_screen import (
    RETRY_S,
    TRIES_PER_PAGE,
    ErrorScreen,
    StopSignals,
    retry_until_started,
)
from clock.config.fallback import salvage_settings
from clock.config.loader import load_settings
from clock.config.reader import ConfigError
from clock.config.settings import Settings
from clock.match.types import Pair
from clock.storage.journal import JournalError
from clock.ui.error_pages import config_faces, log_faces
from clock.ui.i18n import sayer
from hardware.display.layout import draw
from hardware.display.panels import Outside, on_this_computer
from hardware.face import Face
from lab.support.appliances import Hardware
from lab.support.panel_models import Sh1106, SpiBus, Ssd1306
from tests.hardware.system.test_systemd import Manager

WRONG = "[match]\nlength = 0\n"
WRONG_TOO = '[rules]\nprofile = "mine"\n[display]\nlanguage = "de"\n'  # on two pages
RIGHT = "[match]\nlength = 7\n"
FULL = "/logs: only 5 MB free, and a match needs 8; copy old logs to another place"


class Box:
    """A box with a file."""

    def __init__(self, path: Path, text: str) -> None:
        """It is switched on with this text in its file."""
        self.path = path
        self.hardware, self.reported = Hardware(), list[str]()
        self.panels, self.bus = self.hardware.panels, self.hardware.bus
        note = lambda error: self.reported.append(str(error))  # noqa: E731
        self.screen = ErrorScreen(note, self.hardware.outside)
        self.full = False
        self.write(text)

    def write(self, text: str) -> None:
        """The director saves the file."""
        self.path.write_text(text)

    def start(self) -> Settings:
        settings = load_settings(self.path)
        if self.full:
            raise JournalError(FULL)
        return settings

    def settings(self, *acts: Callable[[], object]) -> Settings | None:
        """What comes of it while somebody does this, one thing each time it waits."""
        coming = iter(acts)

        def wait(seconds: float) -> bool:
            assert seconds == RETRY_S
            act = next(coming, None)
            if act is not None:
                act()
            return act is None

        return retry_until_started(
            self.start, self.screen, lambda: salvage_settings(self.path).display, wait
        )

    def shows_wrong(self, language: str, page: int = 0) -> None:
        """Wait until both panels show what is wrong with the file."""
        with pytest.raises(ConfigError) as found:
            load_settings(self.path)
        self.shows(config_faces(found.value, sayer(language), page))

    def shows(self, faces: Pair[Face]) -> None:
        """Wait until both panels show these."""
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
    assert box.hardware.lit == [False, False]
    assert box.bus.opened == 0


def test_a_start_that_succeeds_shows_no_error(tmp_path: Path) -> None:
    box = Box(tmp_path / "gammonclock.toml", RIGHT)
    found = box.settings()
    assert found is not None
    assert (found.match.length, box.reported, box.bus.attempts) == (7, [], 0)


def test_an_error_is_shown_until_the_file_is_corrected(box: Box) -> None:
    """On the panels, in the file's language; each error is reported once."""
    found = box.settings(
        lambda: box.shows_wrong("en"),
        *[lambda: None] * (TRIES_PER_PAGE - 1),  # until its next page
        lambda: box.write(WRONG_TOO),
        lambda: box.shows_wrong("de"),
        lambda: box.write(RIGHT),
    )
    assert found is not None
    assert found.match.length == 7
    assert [("is 0, but" in text, 'is "mine", but' in text) for text in box.reported] == [
        (True, False),
        (False, True),
    ]


def test_a_long_error_turns_its_pages_and_the_next_one_begins_with_the_first(box: Box) -> None:
    box.write(WRONG_TOO)
    first, second = (partial(box.shows_wrong, "de", page) for page in (0, 1))
    again = lambda: box.write(WRONG_TOO.replace("mine", "yours"))  # noqa: E731
    box.settings(first, first, second, second, first, first, second, again, first, first, second)


def test_an_error_that_stays_darkens_no_panel(box: Box) -> None:
    lit: list[bool] = []
    until: list[int] = []
    box.bus.before = lambda _: lit.append(all(box.hardware.lit))
    look = lambda: box.shows_wrong("en")  # noqa: E731
    box.settings(look, look, look, lambda: until.append(len(lit)))
    assert all(dropwhile(not_, lit[: until[0]]))


def test_the_service_manager_is_told_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And that the clock is alive, so that it is not started again and again."""
    manager = Manager(str(tmp_path / "notify"))
    monkeypatch.setenv("NOTIFY_SOCKET", manager.environ["NOTIFY_SOCKET"])
    with closing(manager.socket):
        Box(tmp_path / "gammonclock.toml", WRONG).settings()
        ready, status, *_ = manager.received()
    assert (ready, "cannot start: " in status, "match.length" in status) == ("READY=1", True, True)


def test_a_full_card_is_shown_until_there_is_room(box: Box) -> None:
    def make_room() -> None:
        box.full = False

    box.write(RIGHT)
    box.full = True
    found = box.settings(lambda: box.shows(log_faces(FULL, sayer("en"), 0)), make_room)
    assert found is not None
    assert box.reported == [FULL]
    left, right = log_faces(FULL, sayer("en"), 0)
    assert (left.status, left.lines[0]) == ("LOG NOT SAVED", "/logs: only 5 MB")
    assert (right.status, right.lines[0]) == ("What to do", "copy old logs to")


def test_a_changed_driver_is_used_at_once(box: Box) -> None:
    text = f'{WRONG}[display]\ndriver = "sh1106"\n'
    others: dict[int, Ssd1306] = {address: Sh1106() for address in (0x3C, 0x3D)}

    def change() -> None:
        box.write(text)
        box.screen.close()  # the panels are exchanged while nothing is sent
        box.panels.update(others)

    shows_wrong = lambda: box.shows_wrong("en")  # noqa: E731
    assert box.settings(change, shows_wrong, box.screen.close, shows_wrong) is None


@pytest.mark.parametrize(("written", "seen"), [("90", 90), ("0", 0), ("300", 0xCF)])
def test_the_error_is_shown_with_the_contrast_of_the_file(
    box: Box, written: str, seen: int
) -> None:
    """If it can; a contrast that is wrong itself is named, and darkens no panel."""
    box.write(f"{'' if seen == 0xCF else WRONG}[display]\ncontrast = {written}\n")
    assert box.settings(lambda: box.shows_wrong("en")) is None
    [message] = box.reported
    wrong = "display.contrast is 300, but must be a whole number from 0 to 255"
    assert (wrong in message) == (seen == 0xCF)
    assert [panel.contrast for panel in box.panels.values()] == [seen, seen]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_wait_and_stops_the_clock(number: signal.Signals) -> None:
    """At once, not after the two seconds; it may come before the wait or the act, too."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    acts: list[str] = []
    try:
        ending = StopSignals()
        assert ending.wait(0) is False
        ending.on_stop(lambda: acts.append("first"))
        assert acts == []
        os.kill(os.getpid(), number)
        assert [ending.wait(600), ending.wait(600)] == [True, True]
        ending.on_stop(lambda: acts.append("second"))
        assert acts == ["first", "second"]
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


@pytest.mark.rule("R140")
def test_panels_on_spi_show_the_error_of_their_file(tmp_path: Path) -> None:
    """By the interface that the file names, left at CE0 and right at CE1, until it is right."""
    box = Box(tmp_path / "gammonclock.toml", f'{WRONG}[display]\ninterface = "spi"\n')
    spi = SpiBus(dict(enumerate(box.panels.values())))
    box.screen.outside = Outside(spi.connect, *on_this_computer()[1:3], write_only=True)
    assert box.settings(lambda: box.shows_wrong("en"), lambda: box.write(RIGHT)) is not None
    assert (spi.opened, box.bus.attempts) == (0, 0)
    assert [panel.on for panel in box.panels.values()] == [False, False]
