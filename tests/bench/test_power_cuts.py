"""After a power cut at any moment, acknowledged bytes are there and at most a second is lost.

`CUTS=10000 SEED=7 pytest` with this file makes more cuts, at other instants. A failure names
the cut and its seed.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clock.units import SECOND_NS
from lab.bench.plunger import MS_NS
from lab.bench.power_cuts import CutSeries
from lab.bench.power_cuts_check import CutResult, Lost

CUTS, SEED = int(os.environ.get("CUTS", "40")), int(os.environ.get("SEED", "1"))
SERIES_AT_ONCE = 2
CUTS_PER_SERIES = 20  # at most: each start replays the whole log of the series


def run_series(folder: Path, seed: int, cuts: int, *, syncs: bool = True) -> list[CutResult]:
    """Return what was found after each cut of a series."""
    with CutSeries(folder / str(seed), seed, syncs=syncs) as series:
        return series.run(cuts)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> list[CutResult]:
    """Return what was found after each of `CUTS` cuts; each log has been replayed."""
    folder = tmp_path_factory.mktemp("cuts")
    parts = [min(CUTS_PER_SERIES, CUTS - begun) for begun in range(0, CUTS, CUTS_PER_SERIES)]
    with ThreadPoolExecutor(SERIES_AT_ONCE) as pool:
        series = [
            pool.submit(run_series, folder, seed, cuts) for seed, cuts in enumerate(parts, SEED)
        ]
        found = [each for one in series for each in one.result()]
    pytestconfig.get_terminal_writer().line(f"\n{CUTS} cuts, seeds from {SEED}: {summary(found)}")
    return found


def lost(found: list[CutResult]) -> dict[str, Lost]:
    """Return what cuts in play lost, by the name of the cut whose start showed it."""
    return {each.name: each.lost for each in found if each.lost is not None}


def summary(found: list[CutResult]) -> str:
    """Return a line that says how much play was lost, in milliseconds."""
    play = sorted(
        each.play_ns // MS_NS for each in lost(found).values() if each.play_ns is not None
    )
    if not play:
        return "none in play"
    middle, most = play[len(play) // 2], play[-1]
    return f"of {len(play)} in play half lost up to {middle} ms, the worst {most} ms"


def test_no_acknowledged_byte_is_lost(found: list[CutResult]) -> None:
    """All synced bytes are on the card after each cut, and most cuts had some to check."""
    assert len([each for each in found if each.acknowledged]) > CUTS // 2
    assert [each for each in found if each.missing] == []


@pytest.mark.rule("R67")
def test_at_most_a_second_of_play_is_lost(found: list[CutResult]) -> None:
    """R67: the match loses at most a second of play at a cut, and gains none."""
    play = {name: each.play_ns for name, each in lost(found).items() if each.play_ns is not None}
    assert len(play) > CUTS // 5
    wrong = {name: ns for name, ns in play.items() if not 0 <= ns <= SECOND_NS}
    assert wrong == {}


@pytest.mark.rule("R67")
def test_no_press_older_than_a_second_is_lost(found: list[CutResult]) -> None:
    """R67: a press is on the disk as soon as the contact has settled and the line is written."""
    late = {name: each.press_ns for name, each in lost(found).items() if each.press_ns > SECOND_NS}
    assert late == {}


def test_without_syncs_acknowledged_bytes_are_lost(tmp_path: Path) -> None:
    """The control: if nothing is synced, the bench finds that acknowledged bytes are missing."""
    found = run_series(tmp_path, SEED, 3, syncs=False)
    assert all(each.missing for each in found if each.acknowledged)
    assert any(each.acknowledged for each in found)
