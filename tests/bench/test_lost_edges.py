"""The kernel loses edges: its queue overflows while the clock cannot read it."""

import signal
from pathlib import Path

from lab.bench.board import LEFT, RIGHT, Board
from lab.bench.plunger import MS_NS, PAUSE_NS, PlungerMove
from tests.bench.test_unplugged import CONFIG

QUEUE = 1024  # edges that the kernel keeps for each line
LOST = 177
GAP_NS = MS_NS // 20


def overflow_moves() -> list[PlungerMove]:
    """Return more moves of the left button than the kernel keeps edges; it ends down."""
    return [PlungerMove(n * GAP_NS, LEFT, n % 2 == 0) for n in range(QUEUE + LOST)]


def overflow(board: Board) -> None:
    """Let the left button make more edges than the kernel keeps, until it is down."""
    board.signal(signal.SIGSTOP)
    moves = overflow_moves()
    assert moves[-1].down
    board.play(moves)
    board.signal(signal.SIGCONT)


def test_lost_edges_are_noticed_and_logged(tmp_path: Path) -> None:
    """The log has how many; the clock goes on, and the next presses count."""
    with Board(CONFIG, tmp_path, time_travel=True) as board:
        board.confirm()
        board.press(LEFT)
        board.wait("0:05")
        overflow(board)
        board.wait("0:02")
        board.play([PlungerMove(0, LEFT, down=False)])
        board.wait("0:12")
        faults = [each["what"] for each in board.log().of("fault") if each["part"] == "buttons"]
        assert [each for each in faults if f" {LOST} missing" in each], faults
        made = []
        for button in (RIGHT, LEFT):
            made.append(board.press(button))
            board.wait(PAUSE_NS)
        records = board.log().of("pressed")[-2:]
        assert [each["side"] for each in records] == ["right", "left"]
        for edge, record in zip(made, records, strict=True):
            assert edge.holds(record["at_ns"])
        board.log().verified()
