"""A press that ends a turn is seen at its first edge, and recorded when its contact has settled.

In time travel the time of the guest stands still between two calls: what a panel shows then is what
it showed at that instant, however busy the computer is.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import ImageChops

from clock.match.types import Button
from clock.units import SECOND_NS
from hardware.buttons.plungers import KERNEL_MARGIN_NS
from lab.bench.board import LEFT, RIGHT, Board
from lab.bench.plunger import MS_NS, PlungerMove
from lab.bench.press_check import SETTLE_NS

CONFIG = {"match": {"length": 7}}
SOON_NS = MS_NS  # in time travel programs and transfers take no time
BACK_NS = 10 * MS_NS  # after the settle time a glitch's light has gone


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    """Yield a board on which the left player's turn has begun, half a second ago."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(RIGHT)
        board.wait(SECOND_NS // 2)
        yield board


def move(board: Board, button: Button, *after_ns: int) -> None:
    """Move a button, which is up, at some instants after now, and wait for a moment."""
    levels = (number % 2 == 0 for number in range(len(after_ns)))
    made = map(PlungerMove, after_ns, [button] * len(after_ns), levels)
    board.play(list(made))
    board.wait(SOON_NS)


def lit(board: Board) -> list[Button]:
    """Return the sides whose panels are inverted."""
    return [side for side in (LEFT, RIGHT) if board.panel(side).inverted]


def presses(board: Board) -> list[tuple[str, bool]]:
    """Return who has pressed since the turn began, and whether it counted."""
    return [(each["side"], each["accepted"]) for each in board.log().of("pressed")][1:]


@pytest.mark.rule("R85")
@pytest.mark.parametrize("bounce_ms", [(), (1, 2), (1, 2, 6, 10), (9, 10)])
def test_a_press_is_seen_at_its_first_edge(board: Board, bounce_ms: tuple[int, ...]) -> None:
    before = ImageChops.invert(board.panel(RIGHT).picture)
    move(board, LEFT, 0)
    assert lit(board) == [RIGHT]
    assert board.panel(RIGHT).picture == before
    for at_ms in bounce_ms:
        board.wait(at_ms * MS_NS // 10)
        board.play([PlungerMove(0, LEFT, at_ms % 2 == 0)])
        assert lit(board) == [RIGHT]
        assert presses(board) == []
    board.play([PlungerMove(0, LEFT, True)])
    board.wait(SETTLE_NS - 2 * SOON_NS)
    assert presses(board) == []
    board.wait(SOON_NS + KERNEL_MARGIN_NS + SOON_NS)
    assert (presses(board), lit(board)) == ([("left", True)], [RIGHT])


@pytest.mark.rule("T8")
def test_a_glitch_is_taken_back(board: Board) -> None:
    """T8: a touch of 2 ms is seen, and is gone within 10 ms after the settle time."""
    before = [board.panel(side).picture.tobytes() for side in (LEFT, RIGHT)]
    move(board, LEFT, 0, 2 * MS_NS)
    assert lit(board) == [RIGHT]
    board.wait(SETTLE_NS + BACK_NS - SOON_NS)
    assert lit(board) == [LEFT]
    assert [board.panel(side).picture.tobytes() for side in (LEFT, RIGHT)] == before
    assert presses(board) == []


def test_a_bus_that_hangs_holds_up_no_press(board: Board) -> None:
    """It is recorded with its stamp as soon as ever; the panels follow when the bus is well."""
    board.panels.bus.hang()
    board.play([PlungerMove(0, LEFT, True), PlungerMove(3 * MS_NS, LEFT, False)])
    [made] = board.play([PlungerMove(3 * MS_NS, LEFT, True)])
    board.wait(SETTLE_NS + KERNEL_MARGIN_NS + SOON_NS)
    assert presses(board) == [("left", True)]
    assert board.log().of("pressed")[-1]["at_ns"] < made.before_ns
    board.panels.bus.mend()
    board.wait(5 * SECOND_NS)
    assert lit(board) == [RIGHT]
