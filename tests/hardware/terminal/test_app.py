"""The box on a terminal: what its keys and the mouse do, and what it shows at each size."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
from textual.pilot import Pilot
from textual.widgets import Log, Static

from clock.ui.face import Face
from clock.runtime.ports import Panels
from clock.match.sides import Pair
from hardware.terminal.blocks import DOTS, HALVES, Line, exact
from hardware.terminal.widgets import Panel, Plunger
from hardware.terminal.compact import condensed
from hardware.terminal.app import HOLD_S, LINES_KEPT, Terminal

LEFT = Face(reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay")
RIGHT = Face(reserve="20:48", delay="0", delay_note="NO DELAY", score="3-5/11")
FACES = Pair(LEFT, RIGHT)

Moves = list[tuple[str, bool]]
Story = Callable[[Terminal, Pilot[None], Moves], Awaitable[None]]


def play(story: Story, size: tuple[int, int] = (80, 24)) -> Terminal:
    """The box is switched on, used, and switched off; nothing is drawn on the real screen."""
    moves: Moves = []
    app = Terminal(lambda button, down: moves.append((button, down)))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await story(app, pilot, moves)

    asyncio.run(run())
    return app


def tap(button: str) -> Moves:
    """Down and up at once."""
    return [(button, True), (button, False)]


def shown(panel: Panel) -> list[str]:
    """The characters on a panel."""
    return [panel.render_line(y).text for y in range(panel.size.height)]


def text(lines: list[Line]) -> list[str]:
    """The characters of lines that have been drawn."""
    return ["".join(run.text for run in line) for line in lines]


# --- the buttons ----------------------------------------------------------------------------------

KEYS = {
    "a": "left", "left": "left", "space": "centre", "down": "centre", "l": "right",
    "right": "right",
}  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_key_taps_its_button(key: str) -> None:
    """A terminal tells of no key's release: down and up at once."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press(key)
        assert moves == tap(KEYS[key])
        await pilot.press(key)
        assert moves == tap(KEYS[key]) * 2

    play(story)


def test_a_tapped_plunger_looks_pressed_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a timer lets it up; a second tap prolongs it."""
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
        assert plunger.has_class("-down")
        assert (len(timers), stopped) == (2, [True])
        timers[-1]()
        assert not plunger.has_class("-down")

    monkeypatch.setattr(Plunger, "set_timer", set_timer)
    play(story)


def test_a_key_holds_the_centre(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long enough for the director; meanwhile it says so, and its other keys do nothing."""
    timers: list[tuple[float, Callable[[], None]]] = []

    def set_timer(_app: Terminal, delay: float, callback: Callable[[], None]) -> None:
        timers.append((delay, callback))

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press("h", "h", "space")
        assert moves == [("centre", True)]
        plunger = app.query_one("#centre", Plunger)
        assert (plunger.down, str(plunger.render())) == (True, "held")
        [(delay, let_go)] = timers
        assert delay == HOLD_S
        let_go()
        assert moves == tap("centre")
        assert (plunger.down, "hold h" in str(plunger.render())) == (False, True)

    monkeypatch.setattr(Terminal, "set_timer", set_timer)
    play(story)


@pytest.mark.parametrize("button", ["left", "centre", "right"])
def test_the_mouse_holds(button: str) -> None:
    """Down while it is, even when it leaves the plunger."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.mouse_down(f"#{button}")
        assert moves == [(button, True)]
        assert app.query_one(f"#{button}", Plunger).has_class("-down")
        await pilot.mouse_up(Log)
        assert moves == tap(button)
        assert not app.query_one(f"#{button}", Plunger).has_class("-down")

    play(story)


def test_the_other_mouse_buttons_do_nothing() -> None:
    """A plunger has one."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.click("#left", button=3)
        assert moves == []

    play(story)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_quits(key: str) -> None:
    """Without asking: the log is safe."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.press(key)

    assert play(story).return_code == 0


# --- what it shows --------------------------------------------------------------------------------

SIZES = {
    "80x24": ((80, 24), partial(condensed, columns=38, rows=12)),
    "120x30": ((120, 30), partial(condensed, columns=58, rows=12)),
    "132x24": ((132, 24), partial(exact, cells=DOTS)),
    "132x43": ((132, 43), partial(exact, cells=DOTS)),
    "260x41": ((260, 41), partial(exact, cells=DOTS)),
    "260x42": ((260, 42), partial(exact, cells=HALVES)),
    "270x80": ((270, 80), partial(exact, cells=HALVES)),
}


@pytest.mark.parametrize("name", SIZES)
def test_both_panels_at_every_size(name: str) -> None:
    """Side by side, in their pixels where these fit."""
    size, drawn = SIZES[name]

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        await pilot.pause()
        left, right = app.query(Panel)
        assert (shown(left), shown(right)) == (text(drawn(LEFT)), text(drawn(RIGHT)))
        assert left.region.right == right.region.x
        assert right.region.right <= app.size.width

    play(story, size)


@pytest.mark.parametrize("name", SIZES)
def test_everything_is_on_the_screen(name: str) -> None:
    """Buttons with their legends, at least two lines of log, the state at the bottom."""
    size, _ = SIZES[name]

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.pause()
        assert all(plunger.region.height == 3 for plunger in app.query(Plunger))
        log, foot = app.query_one(Log), app.query_one("#foot")
        assert log.region.height >= 2
        assert foot.region.bottom == app.size.height
        legends = [str(plunger.render()) for plunger in app.query(Plunger)]
        assert legends == ["LEFT  a ←", "CENTRE  space ↓  hold h", "RIGHT  l →"]
        assert all(len(legend) <= app.query_one("#left").size.width for legend in legends)

    play(story, size)


def test_follows_the_size_of_the_terminal() -> None:
    """From condensed to pixels and back."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        for name in ("80x24", "270x80", "132x43", "80x24"):
            size, drawn = SIZES[name]
            await pilot.resize_terminal(*size)
            assert shown(app.query(Panel).first()) == text(drawn(LEFT))

    play(story)


def test_a_tiny_terminal_does_no_harm() -> None:
    """There is not much to see."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        app.show(FACES)
        await pilot.resize_terminal(10, 4)
        await pilot.press("a")
        assert moves == tap("left")

    play(story)


def test_the_panels_are_dark_at_first() -> None:
    """Until there is something to show."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        assert not "".join(shown(app.query(Panel).first())).strip()

    play(story)


def test_log_lines_are_text() -> None:
    """Brackets are no markup; the last lines are kept."""

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        for number in range(2 * LINES_KEPT):
            app.log_line(f'{{"seq": {number}, "left": [/]}}')
        await pilot.pause()
        lines = list(app.query_one(Log).lines)
        assert lines[-1] == f'{{"seq": {2 * LINES_KEPT - 1}, "left": [/]}}'
        assert len(lines) <= LINES_KEPT

    play(story)


# --- from other threads ---------------------------------------------------------------------------


def test_is_what_the_runtime_needs() -> None:
    """Its panels, as they are."""
    panels: Panels = Terminal(lambda button, down: None)
    panels.show(FACES)


def test_other_threads_may_show() -> None:
    """Faces, lines and the state; the newest wins."""

    def run(app: Terminal) -> None:
        for _ in range(100):
            app.show(Pair(RIGHT, LEFT))
            app.status("starting")
        app.show(FACES)
        app.log_line("one line")
        app.status("all parts [work]")

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await asyncio.to_thread(run, app)
        await pilot.pause()
        assert [panel.face for panel in app.query(Panel)] == [LEFT, RIGHT]
        assert list(app.query_one(Log).lines)[:1] == ["one line"]
        assert str(app.query_one("#status", Static).render()) == "all parts [work]"

    play(story)


def test_what_comes_before_the_screen_is_kept() -> None:
    """It is shown as soon as there is a screen, and then it says that it has started."""
    started: list[list[object]] = []

    def note() -> None:
        started.append([panel.face for panel in app.query(Panel)])

    async def run() -> None:
        async with app.run_test():
            assert started == [[LEFT, RIGHT]]

    app = Terminal(lambda button, down: None, note)
    app.show(FACES)
    asyncio.run(run())


def test_the_end_fails_nobody() -> None:
    """Who still shows something is not told that nobody looks."""

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


def test_a_loop_closed_in_this_moment_fails_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one case in which a message can not even be left."""

    def closed(_app: Terminal, _message: object) -> bool:
        raise RuntimeError("Event loop is closed")

    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Terminal, "post_message", closed)
            app.show(FACES)

    play(story)
