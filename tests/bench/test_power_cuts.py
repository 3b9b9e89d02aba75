"""The plug is pulled at any moment: what was acknowledged stays, and at most a second is lost.

`make bench-cuts CUTS=10000` pulls it more often, `SEED=7` at other instants. A cut that
fails is named with its seed.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bench.plunger import MS_NS
from bench.power_cuts import Career
from bench.power_cuts_judged import Found, Lost

from clock.match.rules import SECOND_NS

CUTS, SEED = int(os.environ.get("CUTS", "100")), int(os.environ.get("SEED", "1"))
CAREERS = 2  # at a time
OF_A_CAREER = 50  # cuts at most: its log is replayed whole at each start


def lived(folder: Path, seed: int, cuts: int, *, syncs: bool = True) -> list[Found]:
    """What became of a card."""
    with Career(folder / str(seed), seed, syncs=syncs) as career:
        return career.live(cuts)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> list[Found]:
    """What was found after all the cuts; on the way each log was replayed."""
    folder = tmp_path_factory.mktemp("cuts")
    parts = [min(OF_A_CAREER, CUTS - begun) for begun in range(0, CUTS, OF_A_CAREER)]
    with ThreadPoolExecutor(CAREERS) as careers:
        lives = [careers.submit(lived, folder, seed, cuts) for seed, cuts in enumerate(parts, SEED)]
        found = [each for life in lives for each in life.result()]
    pytestconfig.get_terminal_writer().line(f"\n{CUTS} cuts, seeds from {SEED}: {summary(found)}")
    return found


def lost(found: list[Found]) -> dict[str, Lost]:
    """What cuts in play had taken, by the cut before whose start it was seen."""
    return {each.name: each.lost for each in found if each.lost is not None}


def summary(found: list[Found]) -> str:
    """How much play was lost, in milliseconds."""
    play = sorted(
        each.play_ns // MS_NS for each in lost(found).values() if each.play_ns is not None
    )
    if not play:
        return "none in play"
    middle, most = play[len(play) // 2], play[-1]
    return f"of {len(play)} in play half lost up to {middle} ms, the worst {most} ms"


def test_no_acknowledged_byte_is_lost(found: list[Found]) -> None:
    """What the clock was told is on the disk, is there; it was told of something each time."""
    assert len([each for each in found if each.promised]) > CUTS // 2
    assert [each for each in found if each.missing] == []


@pytest.mark.rule("R67")
def test_at_most_a_second_of_play_is_lost(found: list[Found]) -> None:
    """R67: nor is any given back."""
    play = {name: each.play_ns for name, each in lost(found).items() if each.play_ns is not None}
    assert len(play) > CUTS // 5
    wrong = {name: ns for name, ns in play.items() if not 0 <= ns <= SECOND_NS}
    assert wrong == {}


@pytest.mark.rule("R67")
def test_no_press_older_than_a_second_is_lost(found: list[Found]) -> None:
    """R67: it is on the disk as soon as it has settled and was written."""
    late = {name: each.press_ns for name, each in lost(found).items() if each.press_ns > SECOND_NS}
    assert late == {}


def test_without_syncs_it_would_be_seen(tmp_path: Path) -> None:
    """The control: a disk that lies loses what was acknowledged, and this bench sees it."""
    found = lived(tmp_path, SEED, 3, syncs=False)
    assert all(each.missing for each in found if each.promised)
    assert any(each.promised for each in found)
