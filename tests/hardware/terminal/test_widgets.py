"""Plungers, panels and log lines: what they look like, and what the mouse does to them."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Log

from hardware.terminal.app import Terminal
from hardware.terminal.widgets import Plunger
from lab.support.terminal import Moves, becomes, play, tap


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


@pytest.mark.parametrize("button", ["left", "centre", "right"])
def test_the_mouse_holds_a_button(button: str) -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        plunger = app.query_one(f"#{button}", Plunger)
        await pilot.mouse_down(f"#{button}")
        await becomes(lambda: (moves, plunger.has_class("-down")), ([(button, True)], True))
        await pilot.mouse_up(Log)
        await becomes(lambda: (moves, plunger.has_class("-down")), (tap(button), False))

    play(story)


def test_the_other_mouse_buttons_do_nothing() -> None:
    async def story(app: Terminal, pilot: Pilot[None], moves: Moves) -> None:
        await pilot.click("#left", button=3)
        assert moves == []

    play(story)


@pytest.mark.slow
def test_the_log_shows_its_last_lines_after_the_window_has_shrunk() -> None:
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
