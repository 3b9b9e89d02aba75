"""The box on a terminal: keyboard and screen stand in for wood and glass.

Both panels side by side, in their own pixels where the terminal is large enough; under them three
buttons, the last lines of the log and the state of the box. Whatever runs the clock does so in
another thread and is never kept waiting: it leaves what is to be shown, and the screen fetches it.

The one rule: nothing that is called from outside blocks, or fails because the screen is gone.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Horizontal, Vertical
from textual.message import Message
from textual.widgets import Log, Static

from hardware.terminal.widgets import Panel, Plunger
from hardware.display.layout import FaceLike

HOLD_S = 1.6  # how long its key holds the centre; 1.5 s call the director
LINES_KEPT = 500  # of the log


class Terminal(App[None]):
    """The box, to be used in the main thread: `run` returns when the user quits."""

    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # dragging the mouse holds a plunger, it marks no text
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a,left", "tap('left')"),
        Binding("space,down", "tap('centre')"),
        Binding("l,right", "tap('right')"),
        Binding("h", "hold"),
        Binding("q,ctrl+c", "quit", priority=True),  # the screen would copy text with ctrl+c
    ]
    # The least width and height for dots (two panels of 66x18 with their frames, the buttons, and
    # two lines of log) and for square pixels (two of 130x34).
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (132, "-wide"), (260, "-vast")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (24, "-high"), (42, "-tall")]  # noqa: RUF012
    CSS = """
    $wood: #2b1b10; $edge: #875f00; $amber: #ffaf00; $ink: #d7af87;

    Screen { background: $wood; color: $ink; }
    #box { width: 100%; height: auto; }
    #panels { height: auto; }
    Panel { width: 1fr; height: 14; border: outer $edge; background: #000000; }
    Panel > .panel--dark { color: $amber; background: #000000; }
    Panel > .panel--lit { color: #000000; background: $amber; }
    .-wide #box, .-vast #box { width: 132; }
    .-wide.-high Panel, .-wide.-tall Panel, .-vast.-high Panel { height: 18; }
    .-vast.-tall #box { width: 260; }
    .-vast.-tall Panel { height: 34; }

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

    Log { height: 1fr; padding: 0 1; background: #180e08; color: $ink; scrollbar-size: 0 0; }
    #foot { height: 1; padding: 0 1; }
    #status { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; color: $amber; }
    #help { width: auto; margin-left: 2; }
    """

    class Changed(Message):
        """There is something new to show."""

    def __init__(
        self, press: Callable[[str, bool], None], started: Callable[[], None] | None = None
    ) -> None:
        """A box that nobody has switched on.

        Args:
            press: called in the app's thread with a button, "left", "right" or "centre", and
                whether it went down; must not block.
            started: called in the app's thread once the screen is up.
        """
        super().__init__()
        self._press = press
        self._started = started
        self._down: set[str] = set()
        self._up = False  # the screen is
        self._waking = False  # a message is under way, which will show all there is
        self._faces: tuple[FaceLike, ...] = ()
        self._lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._state = ""

    # --- from any thread ------------------------------------------------------------------------

    def show(self, faces: Iterable[FaceLike]) -> None:
        """Shows a face on the left and one on the right panel, soon; the newest wins."""
        self._faces = tuple(faces)
        self._wake()

    def log_line(self, line: str) -> None:
        """Shows a line under those before; of too many in a moment only the last."""
        self._lines.append(line)
        self._wake()

    def status(self, text: str) -> None:
        """Shows the state of the box, in the line at the bottom; the newest wins."""
        self._state = text
        self._wake()

    def _wake(self) -> None:
        if self._up and not self._waking:
            self._waking = True
            with suppress(RuntimeError):  # the app's loop has been closed in this moment
                self.post_message(self.Changed())

    # --- the screen -----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """The parts of the box."""
        with Center(), Vertical(id="box"):
            with Horizontal(id="panels"):
                yield Panel()
                yield Panel()
            with Horizontal(id="plungers"):
                yield Plunger("left", "LEFT  a ←")
                yield Plunger("centre", "CENTRE  space ↓  hold h")
                yield Plunger("right", "RIGHT  l →")
        log = Log(max_lines=LINES_KEPT)
        log.can_focus = False
        yield log
        with Horizontal(id="foot"):
            yield Static(id="status", markup=False)
            yield Static("q quit", id="help")

    def on_ready(self) -> None:
        """Shows what has come so far, and says so."""
        self._up = True
        self.on_terminal_changed()
        if self._started is not None:
            self._started()

    def on_terminal_changed(self) -> None:
        """Shows all that has come since the last time."""
        self._waking = False  # before it looks: what comes meanwhile is shown, now or next time
        for panel, face in zip(self.query(Panel), self._faces, strict=False):
            panel.face = face
        self.query_one(Log).write_lines([self._lines.popleft() for _ in range(len(self._lines))])
        self.query_one("#status", Static).update(self._state)

    # --- the buttons ----------------------------------------------------------------------------

    def action_tap(self, button: str) -> None:
        """A key: terminals do not tell when it is let go."""
        if button not in self._down:
            self._move(button, down=True)
            self._move(button, down=False)
            self._plunger(button).flash()

    def action_hold(self) -> None:
        """The key that stands for holding the centre."""
        if "centre" not in self._down:
            self._move("centre", down=True)
            self.set_timer(HOLD_S, partial(self._move, "centre", down=False))

    def on_plunger_moved(self, moved: Plunger.Moved) -> None:
        """The mouse: down as long as it is."""
        self._move(moved.button, down=moved.down)

    def _move(self, button: str, *, down: bool) -> None:
        """A button goes down, or comes up; not twice."""
        if down is not (button in self._down):
            self._down ^= {button}
            self._plunger(button).down = down
            self._press(button, down)

    def _plunger(self, button: str) -> Plunger:
        return self.query_one(f"#{button}", Plunger)
