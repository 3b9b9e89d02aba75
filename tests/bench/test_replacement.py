"""Another clock resumes the match of a clock that has lost power, from the log on its card.

The dead clock runs in real time, because its card is a disk. The other one uses time travel, so
that its log and the dead clock's are in its folder.
"""

import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from clock.match.durations import clock_text
from clock.match.types import Pair, Phase, Side
from clock.storage.log_reader import CURRENT
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.bench.board import CENTRE, LEFT, RIGHT, Board
from lab.bench.card import MOUNTED, Card
from lab.bench.configuration import Config
from lab.bench.logbook import Logbook
from lab.bench.uml import Guest

MATCH: Config = {"match": {"length": 5, "score": [2, 1]}, "rules": {"delay": "0:01"}}
OTHER = {"match": {"length": 7}}  # the configuration of the other clock
TURN = "0:02"
REPLACED = sayer("en")("restored_replacement")


class DeadClock(NamedTuple):
    """What is left of a clock after a power cut."""

    folder: Path  # a copy of its card
    log: Logbook
    played_ns: int  # how long the interrupted turn had lasted

    def copy_log_to(self, board: Board) -> str:
        """Copy the card to another board; return the path of the log in that board's guest."""
        shutil.copytree(self.folder, board.folder / "dead", symlinks=True)
        return f"/run/test/dead/{self.log.last['match']}.jsonl"


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> DeadClock:
    """Play a turn that is longer than its delay, and cut the power in the next one."""
    with Board(MATCH, tmp_path_factory.mktemp("dead")) as board:
        board.confirm()
        board.press(RIGHT)
        board.wait(TURN)
        begun = board.press(LEFT)
        board.wait(TURN)
        played_ns = board.guest.ask("now") - begun.before_ns
        board.power_cut()
        assert board.card is not None
        folder = tmp_path_factory.mktemp("card")
        copy_card(board.card, folder)
    return DeadClock(folder, Logbook((folder / CURRENT).read_text()), played_ns)


def copy_card(card: Card, folder: Path) -> None:
    """Copy the files of a card into a folder, with another guest."""
    with Guest(folder, sys.executable, [f"ubd0={card.path}"]) as computer:
        computer.ask("run", command=["mount", "-t", "ext4", "/dev/ubda", MOUNTED])
        computer.ask("run", command=["cp", "-r", f"{MOUNTED}/.", "/run/test"])


def assert_restored(board: Board, dead: DeadClock) -> None:
    """Assert that the match is stopped on both panels, and has lost at most a second of play."""
    log = board.log()
    [restored] = log.records
    last = dead.log.last
    assert (restored["event"], restored["why"]) == ("restored", "replacement")
    assert restored["origin"]["match"] == last["match"]
    assert (restored["phase"], restored["running"]) == (Phase.STOPPED.value, None)
    assert dead.played_ns - SECOND_NS < restored["used_ns"] <= dead.played_ns + SECOND_NS
    assert restored["left_ns"] == last["left_ns"]
    assert restored["right_ns"] == last["right_ns"] - (restored["used_ns"] - SECOND_NS)
    for side in Side:
        panel = board.panel(side)
        assert panel.says(clock_text(restored[f"{side.value}_ns"]))
        assert panel.says(REPLACED)
        assert not panel.inverted


@pytest.mark.rule("R67", "R68")
def test_the_match_of_a_dead_clock_continues_on_another_one(
    tmp_path: Path, dead: DeadClock
) -> None:
    """`--resume LOG` takes the match over, stopped; the centre's press resumes it."""
    with Board(OTHER, tmp_path, time_travel=True) as board:
        log = dead.copy_log_to(board)
        assert board.log().last["event"] == "match_opened"
        assert board.panel(LEFT).says("7 points")
        board.stop()
        board.run("--resume", log)
        board.wait("0:01")
        assert_restored(board, dead)
        board.press(CENTRE)
        assert board.panel(RIGHT).inverted
        assert board.panel(RIGHT).says("2-1/5")
        board.wait(TURN)
        made = [board.press(RIGHT)]
        board.stop()
        board.start()
        board.wait("0:01")
        made.append(board.press(LEFT))
        book = board.log()
        resumed, *presses = book.of("resumed", "pressed")
        assert all(each.holds(its["at_ns"]) for each, its in zip(made, presses, strict=True))
        assert [each["running"] for each in (resumed, *presses)] == ["right", "left", "right"]
        used_ns = presses[0]["at_ns"] - resumed["at_ns"]
        assert presses[0]["right_ns"] == book.records[0]["right_ns"] - used_ns
        state = book.verified().match.state
        assert (state.length, state.score) == (5, Pair(2, 1))
