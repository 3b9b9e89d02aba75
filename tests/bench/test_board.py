"""The board behaves as a real box when it is pressed, unplugged or loses power."""

from pathlib import Path

import pytest

from lab.bench.board import CENTRE, LEFT, RIGHT, Board

CONFIG: dict[str, dict[str, object]] = {"match": {"length": 7}}
SEEN_S = 120.0  # timeout for what is shown, in real time


def test_a_match_begins(tmp_path: Path) -> None:
    """Both players and the centre confirm; the low roller's press starts the other clock."""
    with Board(CONFIG, tmp_path) as board:
        board.confirm()
        pressed_at = board.press(RIGHT)
        log = board.wait_for("pressed")
        board.wait("0:01")
        assert [each["side"] for each in log.of("confirmed")] == ["left", "right", "centre"]
        assert log.last["event"] == "pressed"
        assert log.last["running"] == "left"
        assert pressed_at.is_near(log.last["at_ns"])
        assert log.verified().match.state.at_ns == log.last["at_ns"]
        assert board.panels.wait(lambda: board.panel(RIGHT).says("14:00"), SEEN_S)
        assert board.panels.wait(lambda: board.panel(LEFT).inverted, SEEN_S)


@pytest.mark.parametrize(
    ("display", "bright", "dimmed"),
    [
        ({}, 207, 8),
        ({"driver": "sh1106"}, 127, 8),
        ({"contrast": 90}, 90, 8),
        ({"contrast": 3}, 3, 3),
    ],
)
def test_panels_have_the_contrast_of_the_file(
    tmp_path: Path, display: dict[str, object], bright: int, dimmed: int
) -> None:
    """Read back from both chips: at the review, while a clock runs, dimmed, and after a press."""
    with Board({**CONFIG, "display": display}, tmp_path, time_travel=True) as board:

        def contrasts() -> set[int]:
            return {board.panel(side).contrast for side in (LEFT, RIGHT)}

        assert contrasts() == {bright}
        board.confirm()
        board.press(RIGHT)
        board.wait("0:20")
        assert contrasts() == {bright}
        board.press(CENTRE)
        board.wait("5:01")
        assert contrasts() == {dimmed}
        board.press(CENTRE)
        board.wait("0:01")
        assert contrasts() == {bright}
        board.panel(LEFT).drop_supply()
        board.wait("0:03")
        assert contrasts() == {bright}
