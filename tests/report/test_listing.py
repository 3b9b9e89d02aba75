"""The table of a log directory's matches."""

from pathlib import Path

from clock.match.types import Pair, Phase
from clock.report.listing import standing, table
from clock.storage.inventory import LoggedMatch, Play
from lab.support.world import LEFT, World


def test_the_table_of_matches() -> None:
    """A line each, in columns; of a log that cannot be read only its size and why."""
    began = "2026-05-01T10:00:00+02:00"
    play = Play(
        began, began, "7", Pair("Ada", "Bo"), Pair(3, 11), 11, Phase.FINISHED, "", damage=None
    )
    other = play._replace(board="", phase=Phase.PUT_ASIDE, damage="line 7")
    matches = [
        LoggedMatch("a", (Path("x/a.jsonl"),), 1001, is_current=False, play=play),
        LoggedMatch("b", (Path("x/b.jsonl"),), 9, is_current=True, play=other),
        LoggedMatch("c", (Path("x/c.jsonl"),), 0, is_current=False, play=None, problem="no log"),
    ]
    assert [line.split("  ") for line in map(" ".join, map(str.split, table(matches)))] == [
        ["FILE BEGAN BOARD PLAYERS SCORE MATCH SIZE LOG"],
        ["a.jsonl 2026-05-01 10:00 7 Ada, Bo 3-11 of 11 finished 2 kB undamaged"],
        ["b.jsonl 2026-05-01 10:00 - Ada, Bo 3-11 of 11 adjourned, current 1 kB line 7"],
        ["c.jsonl 0 kB no log"],
    ]
    starts = {
        line.index(word) for line, word in zip(table(matches)[1:3], ("Ada", "Ada"), strict=True)
    }
    assert len(starts) == 1
    assert table(matches)[0].startswith("FILE     BEGAN             BOARD")
    assert standing(World.running(LEFT).state) == "Left, Right  0-0 of 11  RUNNING"
