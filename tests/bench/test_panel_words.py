"""A match whose panels are read by a stranger: what each button means is in the words they show.

The words come from the rules of the buttons, and not from the clock's own texts.
"""

from pathlib import Path
from typing import NamedTuple

from clock.match.types import Button
from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, Board
from lab.bench.panel_words import words


class Step(NamedTuple):
    """What is pressed, and words that both panels show then."""

    button: Button
    both: str = ""
    left: str = ""
    right: str = ""
    held: bool = False


# From the confirmation of the settings to the end of the match, by the table of the buttons.
STEPS = (
    Step(LEFT, left="confirmed", right="confirm points time delay code"),
    Step(RIGHT, "confirmed"),
    Step(CENTRE, "ready roll presses", left="right", right="left"),
    Step(RIGHT),
    # Of the list of reasons, the one that is chosen is dark on lit, which the reader does not read.
    Step(CENTRE, "go on", left="stopped dice early", right="clock runs exactly"),
    Step(RIGHT, left="stopped dice early", right="enter points"),
    Step(LEFT, "go on", left="stopped dice early", right="clock runs exactly"),
    Step(CENTRE),
    Step(CENTRE, "go on", left="stopped"),
    Step(RIGHT, left="dice early", right="enter points"),
    Step(CENTRE, "who won press once for each point", left="left", right="right"),
    Step(LEFT, "confirm", left="left"),
    Step(CENTRE, left="left wins score"),  # beside the QR code the reader knows no bold words
    Step(CENTRE, left="director", right="hold back", held=True),
)


def test_the_words_say_what_the_buttons_did(tmp_path: Path) -> None:
    """A match to one point: each page is that of the phase into which the buttons lead."""
    with Board({"match": {"length": 1}}, tmp_path, time_travel=True) as board:
        assert words(board.panel(LEFT).picture) >= {"confirm", "points", "time", "delay", "code"}
        for number, step in enumerate(STEPS):
            (board.hold if step.held else board.press)(step.button)
            board.wait(SECOND_NS)
            for side, own in ((LEFT, step.left), (RIGHT, step.right)):
                wanted = {*step.both.split(), *own.split()}
                seen = words(board.panel(side).picture) if wanted else set()
                assert wanted <= seen, (number, step, seen)
