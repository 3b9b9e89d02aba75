"""The clock on a terminal: what keys do, what it shows at each size, calls from other threads."""

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from textual.app import App
from textual.message import Message
from textual.pilot import Pilot
from textual.selection import SELECT_ALL
from textual.widgets import Log, Static

from clock.match.types import Pair
from clock.ui.dialogue import HOLD_NS
from clock.units import SECOND_NS
from hardware.terminal.app import BEEP_S, LINES_KEPT, Terminal, _end_with_terminal
from hardware.terminal.widgets import DOTS, HALVES, Line, Panel, Plunger, condensed, exact
from lab.support import other_system
from lab.support.rows import row
from lab.support.terminal import (
    FACES,
    LEFT,
    RIGHT,
    SAFETY_S,
    Moves,
    becomes,
    drawn,
    play,
    shown,
    tap,
)

KEYS = {
    "a": "left", "left": "left", "space": "centre", "down": "centre", "l": "right",
    "right": "right",
}  # fmt: skip


def test_a_key_taps_its_button() -> None:
    """A terminal does not report a key's release, so the button goes down and up at once."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        for key, button in KEYS.items():
            with row(key):
                moves.clear()
                await pilot.press(key, key)
                await becomes(lambda: moves, tap(button) * 2)

    play(story)


def test_a_key_holds_the_centre(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds long enough for the menu; meanwhile the centre's other keys do nothing."""
    timers: list[tuple[float, Callable[[], None]]] = []

    def set_timer(_app: Terminal, delay: float, callback: Callable[[], None]) -> None:
        timers.append((delay, callback))

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press("h", "h", "space", "a")
        await becomes(lambda: moves, [("centre", True), *tap("left")])  # the last key has come
        plunger = app.query_one("#centre", Plunger)
        assert (plunger.down, str(plunger.render())) == (True, "held")
        [(delay, let_go)] = timers
        assert HOLD_NS < delay * SECOND_NS < 2 * SECOND_NS
        let_go()
        assert moves == [("centre", True), *tap("left"), ("centre", False)]
        assert (plunger.down, "hold h" in str(plunger.render())) == (False, True)

    monkeypatch.setattr(Terminal, "set_timer", set_timer)
    play(story)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_a_key_quits(key: str) -> None:
    """It does so without asking: the log is saved. So it does while text is selected."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.screen.selections = {app.query_one("#help"): SELECT_ALL}
        await pilot.press(key)
        await becomes(lambda: app.return_code, 0)

    play(story)


WIDER, HIGHER = "132 columns show the real pixels", "24 lines show the real pixels"
SIZES: tuple[tuple[tuple[int, int], partial[list[Line]], str], ...] = (
    ((80, 24), partial(condensed, columns=38, rows=12), WIDER),
    ((80, 40), partial(condensed, columns=38, rows=14), WIDER),
    ((270, 80), partial(exact, cells=HALVES), ""),
    ((100, 30), partial(condensed, columns=48, rows=16), WIDER),
    ((130, 60), partial(condensed, columns=63, rows=24), WIDER),
    ((132, 23), partial(condensed, columns=64, rows=12), HIGHER),
    ((132, 24), partial(exact, cells=DOTS), ""),
    ((200, 23), partial(condensed, columns=64, rows=12), HIGHER),
    ((120, 40), partial(condensed, columns=58, rows=22), WIDER),
    ((260, 42), partial(exact, cells=HALVES), ""),
    ((260, 41), partial(exact, cells=DOTS), ""),
    ((132, 43), partial(exact, cells=DOTS), ""),
    ((80, 24), partial(condensed, columns=38, rows=12), WIDER),
)


def test_everything_is_on_the_screen_at_each_size() -> None:
    """Both panels side by side, legends, two lines of the log, and the status line at the end.

    The edge of the right panel says what would show the real pixels.
    """

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        log, foot, end = app.query_one(Log), app.query_one("#foot"), app.query_one("#help")
        plungers, (left, right) = list(app.query(Plunger)), app.query(Panel)
        legends = [str(plunger.render()) for plunger in plungers]
        assert legends == ["LEFT  a ←", "CENTRE  space ↓  hold h", "RIGHT  l →"]
        widest = max(map(len, legends))
        for size, draw, hint in SIZES:
            with row(size):
                await pilot.resize_terminal(*size)
                await becomes(lambda: foot.region.bottom, size[1])
                await becomes(lambda: shown(left), drawn(draw(LEFT)))
                await becomes(lambda: shown(right), drawn(draw(RIGHT)))
                assert right.border_subtitle == hint
                assert (left.region.right, right.region.right <= size[0]) == (right.region.x, True)
                assert [plunger.region.height for plunger in plungers] == [3, 3, 3]
                assert log.region.height >= 2
                assert widest <= plungers[0].size.width
                assert left.region.bottom == plungers[0].region.y
                assert (end.region.right, end.size.width) == (size[0] - 1, len("q quit"))

    play(story)


def test_keys_work_on_a_tiny_terminal() -> None:
    """Also after other keys, and with the mouse on the log: the buttons alone get them."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        await pilot.click(Log)
        await pilot.press("tab", "left", "ctrl+p")
        await pilot.resize_terminal(10, 4)
        await pilot.press("a")
        await becomes(lambda: moves, tap("left") * 2)

    play(story)


def test_the_panels_are_dark_at_first() -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        assert shown(app.query(Panel).first()) == [[(" ", False)] * 38] * 12

    play(story)


def test_log_lines_are_text() -> None:
    """Brackets are not markup; the last lines are kept."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        log = app.query_one(Log)
        for last in (2 * LINES_KEPT, 4 * LINES_KEPT):
            for number in range(last + 1):
                app.log_line(f'{{"seq": {number}, "left": [/]}}')
            assert len(app._lines) == LINES_KEPT
            await becomes(lambda: list(log.lines)[-1:], [f'{{"seq": {last}, "left": [/]}}'])
            assert len(log.lines) <= LINES_KEPT

    play(story)


def test_other_threads_may_show() -> None:
    def run(app: Terminal) -> None:
        for _ in range(100):
            app.show(Pair(RIGHT, LEFT))
            app.status("starting")
        app.show(FACES)
        app.log_line("one line")
        app.status("all parts [work]")

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await asyncio.to_thread(run, app)
        await becomes(lambda: [panel.face for panel in app.query(Panel)], [LEFT, RIGHT])
        await becomes(lambda: list(app.query_one(Log).lines)[:1], ["one line"])
        status = app.query_one("#status", Static)
        await becomes(lambda: str(status.render()), "all parts [work]")

    play(story)


def test_what_comes_at_once_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock may tell a lot, and the screen redraws once."""
    posted: list[Message] = []

    def post_message(app: Terminal, message: Message) -> bool:
        posted.extend([message] * isinstance(message, Terminal.Changed))
        return App.post_message(app, message)

    async def story(app: Terminal, _pilot: Pilot[None], _moves: Moves) -> None:
        for count in (1, 2):
            app.show(FACES)
            app.status("one")
            app.log_line("two")
            assert len(posted) == count
            await becomes(lambda: list(app.query_one(Log).lines), ["two"] * count)

    monkeypatch.setattr(Terminal, "post_message", post_message)
    play(story)


def test_faces_from_before_the_start_are_shown() -> None:
    """They are on the screen when `started` is called."""
    started: list[list[object]] = []

    def note() -> None:
        started.append([panel.face for panel in app.query(Panel)])

    async def run() -> None:
        async with app.run_test():
            await becomes(lambda: started, [[LEFT, RIGHT]])

    app = Terminal(lambda button, down: None, note)
    app.show(FACES)
    asyncio.run(run())


def test_calls_after_the_end_do_nothing() -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press("q")
        show(app)

    def show(app: Terminal) -> None:
        app.show(FACES)
        app.log_line("too late")
        app.status("over")

    app = play(story)
    show(app)
    late = threading.Thread(target=show, args=(app,))
    late.start()
    late.join()


def test_a_call_while_the_app_ends_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_app: Terminal, _message: object) -> bool:
        raise RuntimeError("Event loop is closed")

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Terminal, "post_message", closed)
            app.show(FACES)

    play(story)


def test_a_beep_rings_the_bell_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its text goes by itself; a second beep meanwhile has the same time to be read."""
    rung: list[str] = []
    ends: list[Callable[[], object]] = []
    monkeypatch.setattr(Terminal, "bell", lambda _: rung.append("bell"))

    async def story(app: Terminal, _pilot: Pilot[None], _moves: Moves) -> None:
        stopped: list[str] = []

        def set_timer(seconds: float, end: Callable[[], object]) -> SimpleNamespace:
            assert seconds == BEEP_S
            ends.append(end)
            return SimpleNamespace(stop=lambda: stopped.append("stopped"))

        monkeypatch.setattr(app, "set_timer", set_timer)
        buzzer = app.query_one("#buzzer", Static)
        for count, sign in enumerate(("♪ [short]", "♪ long"), 1):
            app.beep(sign)
            await becomes(lambda: str(buzzer.render()), sign)
            assert len(rung) == len(ends) == count
        assert stopped == ["stopped"]
        app.status("anything new")
        await becomes(lambda: str(app.query_one("#status", Static).render()), "anything new")
        assert len(rung) == 2
        ends[-1]()
        assert not str(buzzer.render())

    play(story)


@contextmanager
def own_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Give this program a terminal, and return its other end; later, restore what signals do."""
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    signal.signal(signal.SIGTERM, lambda *_: None)  # else an app that ignores it ends the tests
    master, slave = os.openpty()
    with os.fdopen(slave, encoding="utf-8") as keys:
        screen = os.fdopen(os.dup(slave), "w", encoding="utf-8")
        monkeypatch.setattr(sys, "__stdin__", keys)
        monkeypatch.setattr(sys, "__stderr__", screen)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("LINES", "24")
        yield master
        with suppress(OSError):  # what it has not written, its window being closed
            screen.close()
    for number, handler in handlers.items():
        if signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.mark.parametrize("how", ["key", "signal", "closed"])
def test_the_end(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """By a key, a signal, or as its window is closed: the terminal is as before, no thread left."""
    moves: Moves = []
    before = set(threading.enumerate())
    app = Terminal(lambda button, down: moves.append((button, down)))

    async def run(master: int) -> None:
        seen = bytearray()
        loop = asyncio.get_running_loop()
        loop.add_reader(master, lambda: seen.extend(os.read(master, 65536)))
        running = asyncio.create_task(app.run_async())
        await becomes(lambda: b"LEFT" in seen, expected=True)
        os.write(master, b"a")
        await becomes(lambda: moves, tap("left"))
        if how == "key":
            os.write(master, b"q")
        elif how == "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            loop.remove_reader(master)
            os.close(master)
        async with asyncio.timeout(SAFETY_S):
            await running
        if how != "closed":
            await becomes(lambda: RESTORED in seen, expected=True)
            assert termios.tcgetattr(master) == attributes

    with own_terminal(monkeypatch) as master:
        attributes = termios.tcgetattr(master)
        asyncio.run(run(master))
        left = set(threading.enumerate()) - before
        if how != "closed":
            os.close(master)
    assert app.return_code == 0
    for thread in left:
        thread.join(SAFETY_S)
    assert [thread for thread in left if not thread.daemon] == []


def test_a_terminal_that_cannot_be_waited_for_ends_nothing() -> None:
    """On a system whose `poll` does not know terminals, here one that is closed."""
    master, slave = os.openpty()
    os.close(master)
    os.close(slave)
    _end_with_terminal(slave, SimpleNamespace(), Terminal(lambda *_: None))  # type: ignore[arg-type]


LIMIT_S = 120  # of a program that does not end, on a busy machine
COMMAND = [sys.executable, "-m", "gammonclock", "run", "--simulate"]
LIKE_MAKE = ["sh", "-c", 'trap : HUP; "$@"; exit $?', "sh"]  # waits, and passes no SIGHUP on
RESTORED = b"\x1b[?1049l"  # out of the alternate screen


class Window:
    """A terminal window with the clock in it."""

    def __init__(self, state: Path, before: list[str], command: list[str]) -> None:
        """Start the clock, and wait until it is on the screen."""
        self.master, slave = os.openpty()
        self.attributes = termios.tcgetattr(slave)
        environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"}
        self.program = subprocess.Popen(
            [*before, *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ | {"XDG_STATE_HOME": str(state)},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(slave)
        self.seen = b""
        while b"LEFT" not in self.seen:
            self.seen += os.read(self.master, 65536)  # an error if it ends before

    def close(self) -> int:
        """Close the window; return the exit code of what runs in it."""
        os.close(self.master)
        self.master = -1
        return self.program.wait(LIMIT_S)

    def kill(self, number: int) -> tuple[bytes, list[object]]:
        """Send a signal; return what is shown after it, and the terminal's attributes."""
        os.kill(self.program.pid, number)
        shown = b""
        while RESTORED not in shown:
            shown += os.read(self.master, 65536)  # an error if it ends before
        self.program.wait(LIMIT_S)
        return shown, termios.tcgetattr(self.master)


@contextmanager
def window(state: Path, before: list[str], command: list[str] = COMMAND) -> Iterator[Window]:
    """Open a window; whatever happens, nothing is left of it."""
    opened = Window(state, before, command)
    try:
        yield opened
    finally:
        if opened.master >= 0:
            os.close(opened.master)
        if opened.program.poll() is None:
            os.killpg(opened.program.pid, signal.SIGKILL)
            opened.program.wait()


@pytest.mark.slow
def test_the_clock_ends_with_its_window_and_the_match_is_resumed(tmp_path: Path) -> None:
    """Also if another process does not pass SIGHUP on, as `make` does not; no folder is taken."""
    for before in (LIKE_MAKE, []):
        with window(tmp_path, before) as opened:
            assert opened.close() == 0
    [log] = [path for path in (tmp_path / "gammonclock").glob("2*.jsonl") if path.stat().st_size]
    events = [json.loads(line)["event"] for line in log.read_bytes().splitlines()]
    assert events.count("match_opened") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: int) -> None:
    """Its screen, its cursor and its line discipline; the exit code is that of `q`."""
    with window(tmp_path, []) as opened:
        shown, attributes = opened.kill(number)
        assert RESTORED in shown
        assert attributes == opened.attributes
        assert opened.program.returncode == 0


@pytest.mark.slow
def test_it_runs_without_what_macos_lacks(tmp_path: Path) -> None:
    """The whole program, with its log; a serial port only fails, and is reported."""
    config = tmp_path / "clock.toml"
    config.write_text('[log]\nserial = "/dev/does-not-exist"\n', encoding="utf-8")
    command = [sys.executable, other_system.__file__, "darwin", *COMMAND[3:], "--config", config]
    with window(tmp_path, [], [*map(str, command)]) as opened:
        assert opened.close() == 0
    [log] = [path for path in (tmp_path / "gammonclock").glob("2*.jsonl") if path.stat().st_size]
    first = json.loads(log.read_bytes().splitlines()[0])
    assert first["event"] == "match_opened"


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["stdin", "stdout", "stderr"])
def test_without_a_terminal_it_does_not_start(tmp_path: Path, missing: str) -> None:
    master, slave = os.openpty()
    standard = {"stdin": slave, "stdout": slave, "stderr": slave}
    standard[missing] = subprocess.DEVNULL if missing == "stdin" else subprocess.PIPE
    environ = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    program = subprocess.Popen(COMMAND, env=environ, **standard)  # type: ignore[call-overload]
    out, error = program.communicate(timeout=LIMIT_S)
    os.close(slave)
    message = error if missing == "stderr" else os.read(master, 4096)
    os.close(master)
    assert program.returncode == 2
    assert b"the simulated clock needs a terminal" in message
    assert not (tmp_path / "state").exists()
    assert not out
