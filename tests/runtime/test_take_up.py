"""Matches that are put aside and taken up again, on this clock and on others (R131).

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import shutil
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from clock.eventlog.links import GivenLog, links
from clock.eventlog.unfinished import Unfinished
from clock.match.types import Pair, Phase, Side
from clock.storage.log_reader import CURRENT, log_path
from clock.storage.unfinished import HANDED
from clock.ui.dialogue import TakeUpPage
from tests.stories.test_presets import CONFIRM, Clock

HOLD = "1 hold centre"
STOP = "1 press centre"
NAMES = (("Ada", "Ben"), ("Cleo", "Dan"), ("Eva", "Finn"))
PLAYS = (  # of the first game, to a stop; between games; and where the points are entered
    "1 press right\n17.123456 press left\n31.5 press right\n14.000001 press centre",
    "1 press right\n20 press centre\n1 press right\n1 press centre\n1 press left\n1 press centre",
    "1 press right\n13.5 press centre\n1 press right\n1 press centre\n1 press right",
)


class Box(Clock):
    """A clock with a card of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.folder = folder
        self.play(NAMES[0]).switch_on()

    def play(self, names: tuple[str, str]) -> "Box":
        """The file names the players of the next match."""
        left, right = names
        self.write(
            f'[match]\nlength = 3\nnames = ["{left}", "{right}"]\nboard = "{self.folder.name}"\n'
        )
        return self

    def do(self, item: str) -> "Box":
        """Open the director's menu and choose an item."""
        self.press(HOLD)
        self.choose_item(item)
        return self

    def put_aside(self) -> Path:
        """Put the match aside; return its log."""
        self.do("put_aside").press(STOP)
        assert self.runtime.state.phase is Phase.PUT_ASIDE
        return log_path(self.written() / CURRENT)

    def written(self) -> Path:
        """The log directory, with all lines on the disk."""
        self.restart()
        return self.logs

    def take_up(self, names: tuple[str, str]) -> "Box":
        """Choose a match by its names in the list, and take it up."""
        self.do("take_up")
        while self.listed[self.at].names != Pair(*names):
            self.press("1 press right")
        self.press(STOP)
        return self

    @property
    def listed(self) -> tuple[Unfinished, ...]:
        """The matches in the list."""
        return self.runtime._dialogue.unfinished

    @property
    def at(self) -> int:
        """The place of the selected one."""
        page = self.runtime._dialogue.page
        assert isinstance(page, TakeUpPage)
        return self.listed.index(page.selected(self.listed))

    def stands(self) -> tuple[object, ...]:
        """What must be the same when the match is taken up."""
        state = self.runtime.state
        times = [state.reserve_ns(side, state.at_ns) for side in Side]
        turn = state.turn and (state.turn.side, state.turn.used_ns, state.turn.delay_ns)
        rest = (state.score, state.length, state.names, state.crawford, state.game_points)
        return (times, turn, state.reason, state.games, *rest)


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[list[Box]]:
    """Three clocks."""
    boxes = [Box(tmp_path / name) for name in ("one", "two", "three")]
    yield boxes
    for box in boxes:
        box.close()


def hand_over(log: Path, box: Box) -> None:
    """Put a log into the folder of another clock's card."""
    folder = box.folder / HANDED
    folder.mkdir(exist_ok=True)
    shutil.copy(log, folder)


def given(*boxes: Box) -> list[GivenLog]:
    """All logs of some clocks."""
    logs = [path for box in boxes for path in box.written().glob("2*.jsonl")]
    return [GivenLog(path.name, path.read_bytes().splitlines()) for path in logs]


@pytest.mark.rule("R131")
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_three_matches_go_on_elsewhere_in_any_order(
    boxes: list[Box], order: tuple[int, ...]
) -> None:
    """R131: put aside on one clock in play, between games and at points; exact on three others."""
    one = boxes[0]
    stood: dict[tuple[str, str], tuple[object, ...]] = {}
    for names, script in zip(NAMES, PLAYS, strict=True):
        one.play(names).press("3 wait").press(CONFIRM).press(script)
        stood[names] = one.stands()
        log = one.put_aside()
        for box in boxes[1:]:
            hand_over(log, box)
        one.do("new_match").press(STOP)
        assert one.runtime.state.phase is Phase.REVIEW
    for box, number in zip(boxes, order, strict=True):
        box.take_up(NAMES[number])
        assert box.stands() == stood[NAMES[number]]
        assert box.runtime.state.running is None
    found = links(given(*boxes))
    assert (len(found.remarks), found.objections) == (3, [])
