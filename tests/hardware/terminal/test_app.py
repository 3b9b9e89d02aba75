"""The clock on a terminal: what keys and mouse do, and what it shows at each size."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import pytest
import textual.pilot
from textual.pilot import Pilot
from textual.widgets import Log, Static

from clock.match.types import Pair
from clock.runtime.ports import Panels
from clock.ui.face import Face
from hardware.terminal.app import BEEP_S, HOLD_S, LINES_KEPT, Terminal
from hardware.terminal.blocks import DOTS, HALVES, Line, exact
from hardware.terminal.compact import condensed
from hardware.terminal.widgets import Panel, Plunger

LEFT = Face(reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay")
RIGHT = Face(reserve="20:48", delay="0", delay_note="NO DELAY", score="3-5/11")
FACES = Pair(LEFT, RIGHT)

SAFETY_S = 60  # of a test that fails

Moves = list[tuple[str, bool]]
Story = Callable[[Terminal, Pilot[None], Moves], Awaitable[None]]


@pytest.fixture(autouse=True)
def _busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test depend on how Textual's pilot guesses that the app is idle.

    It takes a process that gets no processor time for an idle one. Here it always does so.
    """

    async def at_once(*_: float) -> None:
        """Return as on a machine that is busy with something else."""

    monkeypatch.setattr(textual.pilot, "wait_for_idle", at_once)


def play(story: Story, size: tuple[int, int] = (80, 24)) -> Terminal:
    """Run the app through a story; nothing is drawn on the real screen."""
    moves: Moves = []
    app = Terminal(lambda button, down: moves.append((button, down)))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await becomes(lambda: app.query_one("#foot").region.bottom, size[1])  # laid out
            await story(app, pilot, moves)

    asyncio.run(run())
    return app


async def becomes(value: Callable[[], object], expected: object) -> None:
    """Run the app until a value is the expected one: timers and layout may still be to come."""
    with suppress(TimeoutError):
        async with asyncio.timeout(SAFETY_S):
            while value() != expected:  # noqa: ASYNC110 (nothing sets an event for it)
                await asyncio.sleep(0)
    assert value() == expected


def tap(button: str) -> Moves:
    """Return the moves of a button that goes down and up."""
    return [(button, True), (button, False)]


def shown(panel: Panel) -> list[str]:
    """Return the characters on a panel."""
    return [panel.render_line(y).text for y in range(panel.size.height)]


def text(lines: list[Line]) -> list[str]:
    """Return the characters of drawn lines."""
    return ["".join(run.text for run in line) for line in lines]


# --- the buttons ----------------------------------------------------------------------------------

KEYS = {
    "a": "left", "left": "left", "space": "centre", "down": "centre", "l": "right",
    "right": "right",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
def test_a_key_taps_its_button(key: str) -> None:
    """A terminal does not report a key's release, so the button goes down and up at once."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press(key)
        await becomes(lambda: moves, tap(KEYS[key]))
        await pilot.press(key)
        await becomes(lambda: moves, tap(KEYS[key]) * 2)

    play(story)


def test_a_tapped_plunger_looks_pressed_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer ends that; a second tap starts the timer again."""
    timers: list[Callable[[], None]] = []
    stopped: list[bool] = []

    class Waiting:
        def stop(self) -> None:
            stopped.append(True)

    def set_timer(_plunger: Plunger, _delay: float, callback: Callable[[], None]) -> Waiting:
        timers.append(callback)
        return Waiting()

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press("a", "a")
        plunger = app.query_one("#left", Plunger)
        await becomes(lambda: (len(timers), stopped), (2, [True]))
        assert plunger.has_class("-down")
        timers[-1]()
        assert not plunger.has_class("-down")

    monkeypatch.setattr(Plunger, "set_timer", set_timer)
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
        assert delay == HOLD_S
        let_go()
        assert moves == [("centre", True), *tap("left"), ("centre", False)]
        assert (plunger.down, "hold h" in str(plunger.render())) == (False, True)

    monkeypatch.setattr(Terminal, "set_timer", set_timer)
    play(story)


@pytest.mark.parametrize("button", ["left", "centre", "right"])
def test_the_mouse_holds_a_button(button: str) -> None:
    """The button stays down even when the mouse leaves the plunger."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        plunger = app.query_one(f"#{button}", Plunger)
        await pilot.mouse_down(f"#{button}")
        await becomes(lambda: (moves, plunger.has_class("-down")), ([(button, True)], True))
        await pilot.mouse_up(Log)
        await becomes(lambda: (moves, plunger.has_class("-down")), (tap(button), False))

    play(story)


def test_the_other_mouse_buttons_do_nothing() -> None:
    """Only the left one presses a plunger."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.click("#left", button=3)
        assert moves == []

    play(story)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_a_key_quits(key: str) -> None:
    """It does so without asking: the log is saved."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press(key)
        await becomes(lambda: app.return_code, 0)

    play(story)


# --- what it shows --------------------------------------------------------------------------------

SIZES = {
    "80x24": ((80, 24), partial(condensed, columns=38, rows=12)),
    "80x40": ((80, 40), partial(condensed, columns=38, rows=14)),
    "100x30": ((100, 30), partial(condensed, columns=48, rows=16)),
    "120x40": ((120, 40), partial(condensed, columns=58, rows=22)),
    "132x23": ((132, 23), partial(condensed, columns=64, rows=12)),
    "132x24": ((132, 24), partial(exact, cells=DOTS)),
    "132x43": ((132, 43), partial(exact, cells=DOTS)),
    "260x41": ((260, 41), partial(exact, cells=DOTS)),
    "260x42": ((260, 42), partial(exact, cells=HALVES)),
    "270x80": ((270, 80), partial(exact, cells=HALVES)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_both_panels_are_drawn_at_every_size(name: str) -> None:
    """They stand side by side, in their pixels where these fit."""
    size, drawn = SIZES[name]

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        left, right = app.query(Panel)
        expected = text(drawn(LEFT)), text(drawn(RIGHT))
        await becomes(lambda: (shown(left), shown(right)), expected)
        assert left.region.right == right.region.x
        assert right.region.right <= app.size.width

    play(story, size)


@pytest.mark.parametrize("name", SIZES)
def test_everything_is_on_the_screen(name: str) -> None:
    """Buttons have their legends, the log two lines at least, and the status line is last."""
    size, _ = SIZES[name]

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        log, foot = app.query_one(Log), app.query_one("#foot")
        plungers = list(app.query(Plunger))
        await becomes(lambda: [plunger.region.height for plunger in plungers], [3, 3, 3])
        await becomes(lambda: log.region.height >= 2, expected=True)
        await becomes(lambda: foot.region.bottom, app.size.height)
        legends = [str(plunger.render()) for plunger in plungers]
        assert legends == ["LEFT  a ←", "CENTRE  space ↓  hold h", "RIGHT  l →"]
        widest = max(map(len, legends))
        await becomes(lambda: widest <= plungers[0].size.width, expected=True)

    play(story, size)


@pytest.mark.slow
def test_follows_the_size_of_the_terminal() -> None:
    """The face changes from condensed to pixels and back."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        for name in ("80x24", "270x80", "132x43", "80x24"):
            size, drawn = SIZES[name]
            await pilot.resize_terminal(*size)
            await becomes(lambda: shown(app.query(Panel).first()), text(drawn(LEFT)))

    play(story)


HINTS = {
    (80, 24): "132 columns show the real pixels",
    (131, 60): "132 columns show the real pixels",
    (132, 23): "24 lines show the real pixels",
    (132, 24): "",
    (270, 80): "",
}


@pytest.mark.parametrize("size", HINTS, ids=str)
def test_a_smaller_terminal_says_what_shows_the_real_pixels(size: tuple[int, int]) -> None:
    """It does so on the edge of the right panel, also after the window has changed."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await becomes(lambda: app.query(Panel).last().border_subtitle, HINTS[size])
        await pilot.resize_terminal(80, 24)
        await becomes(lambda: app.query(Panel).last().border_subtitle, HINTS[80, 24])

    play(story, size)


@pytest.mark.slow
def test_the_log_shows_its_last_lines_after_the_window_has_shrunk() -> None:
    """And follows those that come."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        def last() -> str:
            return log.render_line(log.size.height - 1).text.strip()

        log = app.query_one(Log)
        for number in range(20):
            app.log_line(f"line {number}")
        await becomes(last, "")  # there is more room than lines
        await pilot.resize_terminal(80, 24)
        await becomes(last, "line 19")
        app.log_line("line 20")
        await becomes(last, "line 20")

    play(story, (120, 60))


def test_keys_work_on_a_tiny_terminal() -> None:
    """There is no room to show much."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        await pilot.resize_terminal(10, 4)
        await pilot.press("a")
        await becomes(lambda: moves, tap("left"))

    play(story)


def test_the_panels_are_dark_at_first() -> None:
    """They stay dark until there are faces to show."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        assert not "".join(shown(app.query(Panel).first())).strip()

    play(story)


def test_log_lines_are_text() -> None:
    """Brackets are not markup; the last lines are kept."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        for number in range(2 * LINES_KEPT):
            app.log_line(f'{{"seq": {number}, "left": [/]}}')
        log, last = app.query_one(Log), f'{{"seq": {2 * LINES_KEPT - 1}, "left": [/]}}'
        await becomes(lambda: list(log.lines)[-1:], [last])
        assert len(log.lines) <= LINES_KEPT

    play(story)


# --- from other threads ---------------------------------------------------------------------------


def test_the_runtime_can_use_it_as_panels() -> None:
    """Mypy checks the type."""
    panels: Panels = Terminal(lambda button, down: None)
    panels.show(FACES)


def test_other_threads_may_show() -> None:
    """Of faces and status the newest are shown."""

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
    """They raise no error, in any thread."""

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
    """Posting a message fails when the event loop has just been closed."""

    def closed(_app: Terminal, _message: object) -> bool:
        raise RuntimeError("Event loop is closed")

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Terminal, "post_message", closed)
            app.show(FACES)

    play(story)


# --- buzzer and lamps -------------------------------------------------------------------------


def label(app: Terminal, button: str) -> str:
    """Return the text on a plunger."""
    return str(app.query_one(f"#{button}", Plunger).render())


def test_a_lamp_is_shown_on_its_plunger_lit_or_dark() -> None:
    """Only where the clock has one; a held plunger still shows it."""

    async def story(app: Terminal, _pilot: Pilot[None], _moves: Moves) -> None:
        app.light({"left": True, "right": False})
        await becomes(lambda: label(app, "left"), "● LEFT  a ←")
        assert label(app, "right") == "○ RIGHT  l →"
        assert label(app, "centre") == "CENTRE  space ↓  hold h"
        app.query_one("#left", Plunger).down = True
        await becomes(lambda: label(app, "left"), "● held")
        app.light({"left": False, "right": True})
        await becomes(lambda: label(app, "right"), "● RIGHT  l →")
        assert label(app, "left") == "○ held"

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
        for count, text in enumerate(("♪ short", "♪ long"), 1):
            app.beep(text)
            await becomes(lambda: str(buzzer.render()), text)
            assert len(rung) == len(ends) == count
        assert stopped == ["stopped"]
        app.status("anything new")
        await becomes(lambda: str(app.query_one("#status", Static).render()), "anything new")
        assert len(rung) == 2
        ends[-1]()
        assert not str(buzzer.render())

    play(story)
