"""Matches that are adjourned and resumed, on this clock and on others (R131).

The whole program runs on real files, with simulated buttons and in virtual time.
"""

import shutil
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from random import Random

import pytest

from clock.eventlog.links import GivenLog, links
from clock.match import inputs
from clock.match.faults import Fault
from clock.match.types import Phase
from clock.runtime.resume_match import ResumableLogs
from clock.storage.unfinished import HANDED
from lab import put_aside_cuts
from lab.support.boxes import Box
from lab.support.last_run import Now, S, match_in, put_log
from lab.support.rows import rest_slow
from tests.stories.test_presets import CONFIRM

NAMES = (("Ada", "Ben"), ("Cleo", "Dan"), ("Eva", "Finn"))
PLAYS = (  # of the first game, to a stop; between games; and where the points are entered
    "1 press right\n17.123456 press left\n31.5 press right\n14.000001 press centre",
    "1 press right\n20 press centre\n1 press right\n1 press centre\n1 press left\n1 press centre",
    "1 press right\n13.5 press centre\n1 press right\n1 press centre\n1 press right",
)


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[list[Box]]:
    boxes = [Box(tmp_path / name) for name in ("one", "two", "three")]
    yield boxes
    for box in boxes:
        box.close()


def hand_over(log: Path, box: Box) -> None:
    """Put a log into the folder of another clock's card."""
    folder = box.card / HANDED
    folder.mkdir(exist_ok=True)
    shutil.copy(log, folder)


def given(*boxes: Box) -> list[GivenLog]:
    """All logs of some clocks."""
    logs = [path for box in boxes for path in box.logs.glob("2*.jsonl")]
    return [GivenLog(path.name, path.read_bytes().splitlines()) for path in logs]


@pytest.mark.rule("R131")
@pytest.mark.parametrize("order", rest_slow(permutations(range(3))))
def test_three_matches_go_on_elsewhere_in_any_order(
    boxes: list[Box], order: tuple[int, ...]
) -> None:
    """R131: adjourned on one clock in play, between games and at points; exact on three others."""
    one = boxes[0]
    stood: dict[tuple[str, str], tuple[object, ...]] = {}
    for names, script in zip(NAMES, PLAYS, strict=True):
        one.play(names).do("3 wait").do(CONFIRM).do(script)
        stood[names] = one.stands()
        log = one.adjourn()
        for box in boxes[1:]:
            hand_over(log, box)
        one.choose("new_match")
        assert one.state.phase is Phase.REVIEW
    for box, number in zip(boxes, order, strict=True):
        box.resume_match(NAMES[number])
        assert box.stands() == stood[NAMES[number]]
        assert box.state.running is None
    found = links(given(*boxes))
    assert (len(found.remarks), found.objections) == (3, [])


@pytest.mark.rule("R131")
def test_a_power_cut_at_any_step_leaves_the_match_once(tmp_path: Path) -> None:
    """R131: under way or in the list, exactly as it stood; each eighth of the steps, for speed."""
    random = Random(7)
    played = put_aside_cuts.session(tmp_path / "session", random)
    found = {
        put_aside_cuts.cut(tmp_path / f"cut-{at}", played, played.images[at])
        for at in range(0, len(played.images), 8)
    }
    assert found == {"under way", "in the list"}


@pytest.mark.slow
@pytest.mark.rule("R131")
def test_power_cuts_in_some_sessions(tmp_path: Path) -> None:
    """R131: at every step; `python -m lab.put_aside_cuts` makes a thousand and more."""
    assert len(list(put_aside_cuts.cuts(tmp_path, 3, 75))) == 75


@pytest.mark.rule("R131")
def test_the_fingerprint_on_the_panels_is_that_of_the_list(boxes: list[Box]) -> None:
    """R131: also if a plunger is pressed before the players have written it down."""
    one, two = boxes[:2]
    one.do(CONFIRM).do(PLAYS[0])
    one.choose("put_aside")
    one.press("left").press("right")
    fingerprint, log = one.runtime.view().fingerprint, one.log
    one.choose("new_match")
    assert one.runtime.view().fingerprint != fingerprint
    hand_over(log, two)
    two.turn_to("take_up")
    assert [each.fingerprint for each in two.listed] == [fingerprint]


@pytest.mark.rule("R131")
def test_a_log_that_cannot_be_read_changes_nothing(boxes: list[Box]) -> None:
    """The card is pulled out while the list is shown: a warning says which log it was."""
    one, two = boxes[:2]
    one.do(CONFIRM).do(PLAYS[0])
    hand_over(one.adjourn(), two)
    two.turn_to("take_up")
    shutil.rmtree(two.card / HANDED)
    before, lines = two.state, len(two.all_lines)
    two.press("centre").wait(1)
    assert two.state.phase is before.phase
    assert [line for line in two.all_lines if b"cannot be resumed" in line]
    assert [b'"why":"menu"' in line for line in two.all_lines[lines:]] == [True, False]


def test_a_shelf_says_what_it_could_not_take_up_and_when_that_is_over(tmp_path: Path) -> None:
    """In the words of the system, or what is wrong with the log."""
    resumable = ResumableLogs(tmp_path, None, Now())
    good, torn = tmp_path / "good.jsonl", tmp_path / "torn.jsonl"
    put_log(good, match_in("STOPPED").give(inputs.Adjourned(20 * S)).lines)
    put_log(torn, [b"torn"])
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    for log, why in ((folder, "Is a directory"), (torn, "line 1: ")):
        assert resumable.resume_match(str(log), 5) is None
        [fault] = resumable.faults()
        assert f"{log}: cannot be resumed: {why}" in str(fault.what)
    assert resumable.resume_match(str(good), 5) is not None
    assert resumable.faults() == [Fault("recovery", None)]
