"""The simulated box on a terminal that is not drawn: stories of keys and mouse."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from rich.color import Color
from rich.style import Style
from textual.geometry import Region
from textual.pilot import Pilot

from clock.match.types import Pair
from hardware.face import Face
from hardware.terminal.app import Terminal
from hardware.terminal.widgets import Line, Panel

LEFT = Face(reserve="21:37", running=True, delay="9", delay_permille=750, status="Delay")
RIGHT = Face(reserve="20:48", delay="0", delay_note="NO DELAY", score="3-5/11")
FACES = Pair(LEFT, RIGHT)
AMBER, BLACK = Color.parse("#ffaf00"), Color.parse("#000000")
IS_LIT: dict[Style | None, bool] = {
    Style.from_color(AMBER, BLACK): False,
    Style.from_color(BLACK, AMBER): True,
}
SAFETY_S = 60  # of a test that fails
Moves = list[tuple[str, bool]]
Story = Callable[[Terminal, Pilot[None], Moves], Awaitable[None]]


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


Characters = list[list[tuple[str, bool]]]  # and whether the ground of each is lit


def shown(panel: Panel) -> Characters:
    """Return what the screen has of a panel: amber on black, and black on amber where it is lit."""
    inside = Region(1, 1, *panel.size)
    return [
        [(each, IS_LIT[style]) for text, style, _ in strip for each in text]
        for strip in panel.render_lines(inside)
    ]


def drawn(lines: list[Line]) -> Characters:
    """Return the same of drawn lines."""
    return [[(each, run.lit) for run in line for each in run.text] for line in lines]
