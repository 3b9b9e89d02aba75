"""The panels, plungers and log lines of the clock on a terminal."""

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Log, Static

from hardware.face import Face
from hardware.terminal.blocks import DOTS, HALVES, Line, exact, size
from hardware.terminal.compact import condensed

LAMP_LIT, LAMP_DARK = "●", "○"
TAP_S = 0.15  # how long a plunger looks pressed after a tap
LEFT_BUTTON = 1


class Panel(Widget):
    """One panel: its pixels as large as they fit, or condensed if they do not."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"panel--dark", "panel--lit"}

    face: reactive[Face | None] = reactive(None)
    _lines: tuple[Line, ...] = ()

    def watch_face(self) -> None:
        """Draw another face."""
        self._draw()

    def on_resize(self) -> None:
        """Draw the face in another size."""
        self._draw()

    def _draw(self) -> None:
        self._lines = () if self.face is None else tuple(self._drawn(self.face))
        self.refresh()

    def _drawn(self, face: Face) -> list[Line]:
        width, height = self.size
        for cells in (HALVES, DOTS):
            columns, rows = size(cells)
            if columns <= width and rows <= height:
                return exact(face, cells)
        return condensed(face, width, height)

    def render_line(self, y: int) -> Strip:
        """Return a line of characters; dark where there are none."""
        dark = self.get_component_rich_style("panel--dark")
        lit = self.get_component_rich_style("panel--lit")
        runs = self._lines[y] if y < len(self._lines) else []
        strip = Strip([Segment(run.text, lit if run.lit else dark) for run in runs])
        return strip.adjust_cell_length(self.size.width, dark)


class Tail(Log):
    """The last lines of the log; the keys are not for it."""

    can_focus = False

    def on_resize(self) -> None:
        """Show the last lines again, which a smaller terminal has cut off."""
        self.call_after_refresh(self.scroll_end, animate=False)


class Plunger(Static):
    """A button that the mouse can hold, and the lamp beside it."""

    down: reactive[bool] = reactive(default=False)
    lamp: reactive[bool | None] = reactive(default=None)
    """Whether it is lit; None: there is none."""

    class Moved(Message):
        """The mouse pressed or released the plunger."""

        def __init__(self, button: str, *, down: bool) -> None:
            super().__init__()
            self.button = button
            self.down = down

    def __init__(self, button: str, legend: str) -> None:
        """Start with the plunger up; the name of the button is also the widget's id."""
        super().__init__(legend, id=button, markup=False)
        self._button = button
        self._legend = legend
        self._flash: Timer | None = None

    def watch_down(self, down: bool) -> None:  # noqa: FBT001 - Textual passes it by position
        """Look pressed while the plunger is down."""
        self.set_class(down, "-down")
        self._label()

    def watch_lamp(self) -> None:
        """Light the lamp or not."""
        self._label()

    def _label(self) -> None:
        lamp = "" if self.lamp is None else f"{LAMP_LIT if self.lamp else LAMP_DARK} "
        self.update(lamp + ("held" if self.down else self._legend))

    def flash(self) -> None:
        """Look pressed for a moment."""
        self.add_class("-down")
        if self._flash is not None:
            self._flash.stop()
        self._flash = self.set_timer(TAP_S, self._flashed)

    def _flashed(self) -> None:
        self.set_class(self.down, "-down")

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Press the plunger; the mouse may leave it while it holds."""
        if event.button == LEFT_BUTTON:
            self.capture_mouse()
            self.post_message(self.Moved(self._button, down=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release the plunger."""
        if event.button == LEFT_BUTTON:
            self.release_mouse()
            self.post_message(self.Moved(self._button, down=False))
