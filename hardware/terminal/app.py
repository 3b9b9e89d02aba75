"""The clock on a terminal: keyboard and screen in place of plungers and panels.

Both panels stand side by side, under them the three buttons, the last lines of the log and a status
line. The clock runs in another thread; its calls never block, nor fail after the app has ended.
"""

import asyncio
import select
import signal
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Horizontal, Vertical
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Resize
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Log, Static

from hardware.face import Face
from hardware.terminal.widgets import Panel, Plunger, Tail

END_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class _LossyFile:
    """A text file that takes everything: nothing fails when the terminal has gone."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return int(self._file.fileno())


class TerminalDriver(LinuxDriver):
    """Ends the app when the terminal has gone, and at the signals that end a program.

    A window that is closed is not always told by SIGHUP: `make` does not pass it on.
    """

    def __init__(self, app: App[Any], **options: Any) -> None:
        """See `LinuxDriver`; called in the app's event loop."""
        super().__init__(app, **options)
        self._file: Any = _LossyFile(self._file)
        loop = asyncio.get_running_loop()
        for number in END_SIGNALS:
            loop.add_signal_handler(number, app.exit)
        watched = (self.fileno, loop, app)
        Thread(target=_end_with_terminal, args=watched, daemon=True).start()

    def run_input_thread(self) -> None:
        """Read keys until the app ends or the terminal has gone."""
        with suppress(OSError):
            super().run_input_thread()


def _end_with_terminal(fileno: int, loop: asyncio.AbstractEventLoop, app: App[Any]) -> None:
    poll = select.poll()
    poll.register(fileno, 0)  # a hang-up or an error is reported in any case
    [(_, what)] = poll.poll()
    if what & select.POLLNVAL:  # some systems cannot wait for terminals
        return
    with suppress(RuntimeError):  # the app has ended
        loop.call_soon_threadsafe(app.exit)


HOLD_S = 1.6  # how long its key holds the centre; 1.5 s open the director's menu
BEEP_S = 3.0  # how long a beep can be read; it sounds as the terminal sounds its bell
LINES_KEPT = 500  # of the log
# The least terminal for Braille dots (two panels of 66x18 with their borders, the buttons and two
# lines of log), and for half blocks (two panels of 130x34).
PIXEL_COLUMNS, PIXEL_LINES = 132, 24
BLOCK_COLUMNS, BLOCK_LINES = 260, 42
LEAST_HEIGHT = 14  # of condensed panels


def pixel_hint(columns: int, lines: int) -> str:
    """Return what a terminal lacks to show the real pixels; "" if it shows them."""
    if columns < PIXEL_COLUMNS:
        return f"{PIXEL_COLUMNS} columns show the real pixels"
    return f"{PIXEL_LINES} lines show the real pixels" if lines < PIXEL_LINES else ""


def panels_size(columns: int, lines: int) -> tuple[int, int]:
    """Return the width of both panels together, and their height, borders included.

    Condensed ones are as high as leaves room for some lines of log, and not much too high for
    their figures.
    """
    if columns >= BLOCK_COLUMNS and lines >= BLOCK_LINES:
        return BLOCK_COLUMNS, 34
    if columns >= PIXEL_COLUMNS and lines >= PIXEL_LINES:
        return PIXEL_COLUMNS, 18
    return min(columns, PIXEL_COLUMNS), min(max(LEAST_HEIGHT, lines * 3 // 5), columns // 5)


class Terminal(App[None]):
    """The app, for the main thread: `run` returns when the user quits."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # dragging the mouse must not select text: it may hold a plunger
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,left", "tap('left')"),
        Binding("space,down", "tap('centre')"),
        Binding("l,right", "tap('right')"),
        Binding("h", "hold"),
        Binding("q,ctrl+c", "quit", priority=True),  # else the screen copies text with ctrl+c
    ]
    CSS = """
    $wood: #2b1b10; $edge: #875f00; $amber: #ffaf00; $ink: #d7af87;

    Screen { background: $wood; color: $ink; }
    #box { height: auto; }
    Panel {
        width: 1fr; height: 100%;
        border: outer $edge; border-subtitle-color: $ink; background: #000000;
    }
    Panel > .panel--dark { color: $amber; background: #000000; }
    Panel > .panel--lit { color: #000000; background: $amber; }

    #plungers { height: 3; }
    Plunger {
        width: 1fr; height: 3; margin: 0 1; content-align: center middle; text-wrap: nowrap;
        background: #af875f; color: #000000; text-style: bold;
        border-top: tall #d7af87; border-bottom: tall $edge;
    }
    Plunger.-down {
        background: $amber; color: #000000;
        border-top: tall $edge; border-bottom: tall $amber;
    }

    Tail { height: 1fr; padding: 0 1; background: #180e08; color: $ink; scrollbar-size: 0 0; }
    #foot { height: 1; padding: 0 1; }
    #status { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; color: $amber; }
    #buzzer { width: auto; margin-left: 2; color: #000000; background: $amber; }
    #help { width: auto; margin-left: 2; }
    """

    class Changed(Message):
        """Something new is to be shown."""

    def __init__(
        self, press: Callable[[str, bool], None], started: Callable[[], None] | None = None
    ) -> None:
        """Prepare the app; `run` starts it.

        Its thread calls `press`, which must not block, with a button, "left", "right" or "centre",
        and whether it went down; and `started` once the screen is up.
        """
        super().__init__(driver_class=TerminalDriver)
        self._press = press
        self._started = started
        self._down: set[str] = set()
        self._posted = True  # what is under way, at first the screen, will show everything
        self._faces: tuple[Face, ...] = ()
        self._lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._status = ""
        self._lamps: Mapping[str, bool] = {}
        self._beep = ""  # still to be heard
        self._silence: Timer | None = None  # ends the text of a beep

    # --- from any thread ------------------------------------------------------------------------

    def show(self, faces: Iterable[Face]) -> None:
        """Show a face on the left and one on the right panel, soon; the newest win."""
        self._faces = tuple(faces)
        self._wake()

    def log_line(self, line: str) -> None:
        """Add a line to the log; of too many at once only the last are shown."""
        self._lines.append(line)
        self._wake()

    def status(self, text: str) -> None:
        """Show a text in the status line at the bottom; the newest wins."""
        self._status = text
        self._wake()

    def light(self, lamps: Mapping[str, bool]) -> None:
        """Show a lamp, lit or dark, on each of these buttons."""
        self._lamps = lamps
        self._wake()

    def beep(self, text: str) -> None:
        """Ring the terminal's bell, and show for `BEEP_S` what it announces."""
        self._beep = text
        self._wake()

    def _wake(self) -> None:
        if not self._posted:
            self._posted = True
            with suppress(RuntimeError):  # the app has just ended
                self.post_message(self.Changed())

    # --- the screen -----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        with Center(), Vertical(id="box"):
            with Horizontal(id="panels"):
                yield Panel()
                yield Panel()
            with Horizontal(id="plungers"):
                yield Plunger("left", "LEFT  a ←")
                yield Plunger("centre", "CENTRE  space ↓  hold h")
                yield Plunger("right", "RIGHT  l →")
        yield Tail(max_lines=LINES_KEPT)
        with Horizontal(id="foot"):
            yield Static(id="status", markup=False)
            yield Static(id="buzzer", markup=False)
            yield Static("q quit", id="help")

    def on_resize(self, event: Resize) -> None:
        """Give the panels their size; say on the right one what the real pixels would need."""
        self.query(Panel).last().border_subtitle = pixel_hint(*event.size)
        width, self.query_one("#panels").styles.height = panels_size(*event.size)
        self.query_one("#box").styles.width = width

    def on_ready(self) -> None:
        """Show what has come so far, then call `started`."""
        self.on_terminal_changed()
        if self._started is not None:
            self._started()

    def on_terminal_changed(self) -> None:
        """Show everything that is new."""
        self._posted = False  # first: what comes from here on posts another message
        for panel, face in zip(self.query(Panel), self._faces, strict=False):
            panel.face = face
        self.query_one(Log).write_lines([self._lines.popleft() for _ in range(len(self._lines))])
        self.query_one("#status", Static).update(self._status)
        for plunger in self.query(Plunger):
            plunger.lamp = self._lamps.get(plunger.id or "")
        beep, self._beep = self._beep, ""
        if beep:
            self._sound(beep)

    def _sound(self, text: str) -> None:
        self.bell()
        self.query_one("#buzzer", Static).update(text)
        if self._silence is not None:
            self._silence.stop()
        self._silence = self.set_timer(BEEP_S, self.query_one("#buzzer", Static).update)

    # --- the buttons ----------------------------------------------------------------------------

    def action_tap(self, button: str) -> None:
        """Press and release a button: terminals do not report the release of a key."""
        if button not in self._down:
            self._move(button, down=True)
            self._move(button, down=False)
            self._plunger(button).flash()

    def action_hold(self) -> None:
        """Hold the centre button for `HOLD_S`."""
        if "centre" not in self._down:
            self._move("centre", down=True)
            self.set_timer(HOLD_S, partial(self._move, "centre", down=False))

    def on_plunger_moved(self, moved: Plunger.Moved) -> None:
        """Press or release a button with the mouse."""
        self._move(moved.button, down=moved.down)

    def _move(self, button: str, *, down: bool) -> None:
        if down is not (button in self._down):
            self._down ^= {button}
            self._plunger(button).down = down
            self._press(button, down)

    def _plunger(self, button: str) -> Plunger:
        return self.query_one(f"#{button}", Plunger)
