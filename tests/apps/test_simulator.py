"""The clock on a terminal with what else its file names: a serial line, a buzzer, lamps.

The terminal's app is not started: the test presses its buttons and reads what it would show. It
waits for lines on the serial line, a pty; nothing sleeps.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from clock.apps import simulator
from clock.apps.simulator import (
    BEEPS,
    UNFINISHED,
    NoTerminalError,
    ScreenOutputs,
    log_directory,
    run_simulated,
)
from clock.config.loader import parse_settings
from clock.eventlog.codec import decode
from clock.match.types import Side
from clock.runtime.alerts import Alert
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.handover import MatchFinder, NewRequest, match_finder
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.startup import find_match
from clock.storage.clock_id import NO_MACHINE, clock_id
from clock.storage.log_reader import CURRENT, read_lines
from clock.ui.descriptions import log_line
from clock.ui.i18n import sayer
from hardware.face import Face
from hardware.system.clocks import RawClock
from hardware.terminal.app import Terminal
from lab.support.appliances import LIMIT_S, SerialReader

OPTIONS = UiOptions(sayer("en"), "test", stamps="software")
OPENING = ("left", "right", "centre", "right")  # settings, ready, a turn


@pytest.fixture
def reader() -> Iterator[SerialReader]:
    reader = SerialReader()
    yield reader
    reader.close()


class Screen(NamedTuple):
    """A clock on a terminal that is not shown."""

    runtime: Runtime
    terminal: Terminal

    def tap(self, button: str) -> None:
        """Press and release a button."""
        self.terminal._press(button, True)
        self.terminal._press(button, False)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Return what runs a clock with a file through a story, in place of its user."""

    def run(text: str, story: Callable[[Screen], None], find: MatchFinder = find_match) -> None:
        settings = parse_settings(text, "test")

        def beside(runtime: Runtime, wake: Callable[[], None], terminal: Terminal) -> None:
            with _running(runtime, wake):
                story(Screen(runtime, terminal))

        monkeypatch.setattr(simulator, "_run_in_thread", beside)
        simulator._run(settings, OPTIONS, lambda: settings, tmp_path, find)

    return run


@contextmanager
def _running(runtime: Runtime, wake: Callable[[], None]) -> Iterator[None]:
    thread = threading.Thread(target=runtime.run, name="clock")
    thread.start()
    try:
        yield
    finally:
        runtime.stopping = True
        wake()
        thread.join(LIMIT_S)


def test_the_terminal_clock_writes_its_log_on_the_serial_line_too(
    start: Callable[..., None], reader: SerialReader, tmp_path: Path
) -> None:
    """The same bytes as in the file, then a heartbeat; a second start sends all of it again."""
    sent, shown = [], list[str]()

    def opening(screen: Screen) -> None:
        sent.append(reader.line())
        for button in OPENING:
            screen.tap(button)
            sent.append(reader.line())
        shown.extend([screen.terminal._status, screen.terminal._lines[0]])

    file = f'[log]\nserial = "{reader.name}"\n'
    start(file, opening)
    assert [json.loads(line)["running"] for line in sent[-2:]] == [None, "left"]
    first = log_line(decode(sent[0][:-1], 1), OPTIONS.say)
    assert shown == [f"log: {tmp_path}/current.jsonl, serial line: {reader.name}", first]
    assert [line + b"\n" for line in read_lines(tmp_path / CURRENT)] == sent
    opened = json.loads(sent[0])
    assert opened["clock"] == clock_id(tmp_path, NO_MACHINE)  # beside its logs
    assert re.search(f"-{opened['clock']}_[0-9a-f]{{6}}$", opened["match"])

    def again(_screen: Screen) -> None:
        assert [reader.line() for _ in sent] == sent
        heartbeat: dict[str, Any] = json.loads(reader.any_line())
        while "heartbeat" not in heartbeat:
            heartbeat = json.loads(reader.any_line())
        assert heartbeat["log_saved"] is True

    start(file, again)


def test_a_port_that_is_missing_is_a_fault_of_the_match(
    start: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on a Pi: in the log and on the panels, and the match goes on."""
    seen = threading.Event()

    def show(_: Terminal, faces: Iterable[Face]) -> None:
        if any("SERIAL FAULT" in face.warnings for face in faces):
            seen.set()

    monkeypatch.setattr(Terminal, "show", show)
    file = f'[log]\nserial = "{tmp_path}/not-there"\n'
    start(file, lambda _screen: seen.wait(LIMIT_S))
    assert seen.is_set()
    records = [json.loads(line) for line in read_lines(tmp_path / CURRENT)]
    faults = [each for each in records if each["event"] == "fault"]
    assert [each["part"] for each in faults] == ["serial"]
    assert "No such file" in faults[0]["what"]


def shown_at_start(start: Callable[..., None], *find: MatchFinder) -> list[str]:
    """Return the lines on the screen of a clock that has just started."""
    shown: list[str] = []
    start("", lambda screen: shown.extend(screen.terminal._lines), *find)
    return shown


def open_and_play(start: Callable[..., None], reader: SerialReader) -> None:
    """Confirm the settings, begin a turn, and end the program."""

    def opening(screen: Screen) -> None:
        reader.line()
        for button in OPENING:
            screen.tap(button)
            reader.line()

    start(f'[log]\nserial = "{reader.name}"\n', opening)


def test_an_unfinished_match_that_goes_on_is_announced(
    start: Callable[..., None], reader: SerialReader
) -> None:
    assert not set(UNFINISHED) & set(shown_at_start(start))
    assert not set(UNFINISHED) & set(shown_at_start(start))  # settings are not yet confirmed
    open_and_play(start, reader)
    assert shown_at_start(start)[: len(UNFINISHED)] == list(UNFINISHED)


def test_a_new_match_is_begun_instead_of_an_unfinished_one(
    start: Callable[..., None], reader: SerialReader, tmp_path: Path
) -> None:
    """The log of the other is kept as it was, and its checkpoint under another name."""
    open_and_play(start, reader)
    old = (tmp_path / CURRENT).resolve()
    lines = old.read_bytes()
    find = match_finder(tmp_path, CrashGuard(tmp_path, RawClock()), NewRequest())
    assert not set(UNFINISHED) & set(shown_at_start(start, find))
    [first] = read_lines(tmp_path / CURRENT)
    assert json.loads(first)["event"] == "match_opened"
    assert (tmp_path / CURRENT).resolve() != old
    assert old.read_bytes() == lines
    assert old.with_suffix(".checkpoint").exists()


def test_the_clock_and_its_screen_end_together() -> None:
    """When the user quits, and when the clock fails: then with what was wrong."""

    class Ends:
        """The clock, or its screen, which ends when it is told to."""

        stopping = ended = False

        def __init__(self, error: Exception | None = None) -> None:
            self.told, self._error = threading.Event(), error
            self.exit = self.told.set

        def run(self) -> None:
            if self._error is not None:
                raise self._error
            assert self.told.wait(LIMIT_S)
            self.ended = sum(range(10**6)) > 0  # as a clock that writes its last lines

        @staticmethod
        def call_from_thread(act: Callable[[], None]) -> None:
            act()

    clock, screen = Ends(), Ends()
    screen.exit()
    simulator._run_in_thread(clock, clock.exit, screen)  # type: ignore[arg-type]
    assert (clock.stopping, clock.ended, screen.ended) == (True, True, True)
    failing, screen = Ends(ValueError("a bug")), Ends()
    with pytest.raises(ValueError, match="a bug"):
        simulator._run_in_thread(failing, failing.exit, screen)  # type: ignore[arg-type]
    assert screen.told.is_set()


@pytest.mark.parametrize("missing", ["input", "output", "error"])
def test_without_a_terminal_it_says_what_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    """With one, the latest log is returned."""
    settings = parse_settings("", "test")
    run = partial(run_simulated, settings, OPTIONS, lambda: settings, tmp_path)
    ran = []
    monkeypatch.setattr(simulator, "_run", lambda *given: ran.append(given))
    for name, stream in (("input", "stdin"), ("output", "stdout"), ("error", "stderr")):
        monkeypatch.setattr(sys, stream, SimpleNamespace(isatty=lambda name=name: name != missing))
    with pytest.raises(NoTerminalError, match=f"standard {missing} is none"):
        run()
    stream = {"input": "stdin", "output": "stdout", "error": "stderr"}[missing]
    monkeypatch.setattr(sys, stream, None)
    with pytest.raises(NoTerminalError, match=f"standard {missing} is none"):
        run()
    monkeypatch.setattr(sys, stream, SimpleNamespace(isatty=lambda: True))
    assert run() is None
    (tmp_path / CURRENT).write_bytes(b"")
    assert run() == tmp_path / CURRENT
    assert len(ran) == 2


def test_logs_are_among_the_files_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert log_directory(parse_settings("", "")) == tmp_path / ".local/state/gammonclock"


def test_the_screen_shows_the_lamps_and_beeps_that_the_file_names() -> None:
    """Nothing that a clock with this file would not have."""
    terminal = Terminal(lambda *_: None)
    text = "[sound]\nbuzzer_pin = 12\nflag = true\n[lamps]\nleft = 5\n"
    outputs = ScreenOutputs(parse_settings(text, "test"), terminal)
    outputs.light(Side.LEFT)
    assert terminal._lamps == {"left": True}
    outputs.light(Side.RIGHT)
    assert terminal._lamps == {"left": False}
    outputs.announce(Alert.FLAG)
    assert terminal._beep == BEEPS[Alert.FLAG]
    silent = Terminal(lambda *_: None)
    none = ScreenOutputs(parse_settings("", "test"), silent)
    none.light(Side.LEFT)
    none.announce(Alert.FLAG)
    assert (silent._lamps, silent._beep) == ({}, "")
