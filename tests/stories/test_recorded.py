"""What the settings have recorded beside the match: who ruled, with which cube it was played."""

import json
from typing import Any

import pytest

from clock.eventlog.replay import replay
from clock.match.inputs import TimeSet
from clock.report.build import summary
from clock.report.results import Reported, as_json
from clock.report.rulings_page import rulings_text
from clock.report.tables import sheets
from clock.ui.i18n import sayer
from clock.ui.menu import items
from clock.ui.ruling import answered, check_ruling
from clock.virtual import VirtualClock

SAY = sayer("en")
MINUTE = ("left", 60, ("director", "mistake"))  # to add


def stopped(record: str) -> VirtualClock:
    """A clock with this in its settings; the left clock is stopped."""
    clock = VirtualClock(
        f'[match]\nlength = 5\nnames = ["Ada", "Ben"]\n[rules]\nrecord = [{record}]\n'
    )
    return clock.press("left").press("right").press("centre").press("right").wait(5).press("centre")


def lines(clock: VirtualClock, event: str) -> list[dict[str, Any]]:
    """The lines of this event, of a log that can be replayed."""
    replay([line.rstrip(b"\n") for line in clock.lines])
    return [found for found in map(json.loads, clock.lines) if found["event"] == event]


def told(clock: VirtualClock) -> tuple[str, str, dict[str, Any]]:
    """Sheet, tables and JSON of a match."""
    found = summary([line.rstrip(b"\n") for line in clock.lines])
    cells = [" | ".join(row) for sheet in sheets(found, SAY) for row in sheet.rows]
    (whole,) = json.loads(as_json([Reported("log", found)], SAY))
    return rulings_text(found, SAY), "\n".join(cells), whole


@pytest.mark.rule("R222")
def test_who_ruled_is_asked_once_and_told() -> None:
    clock = stopped('"who"').choose("add_time", *MINUTE, "referee")
    (ruling,) = lines(clock, "adjusted")
    assert ruling["ruled_by"] == "referee"
    sheet, tables, whole = told(clock)
    assert "Referee: Ada" in sheet
    assert "Referee: Ada" in tables
    assert "Director: Ada" not in sheet + tables
    assert [each["ruled_by"] for each in whole["acts"]] == ["referee"]


@pytest.mark.rule("R222")
def test_players_are_not_asked_who_ruled_and_nobody_is_before_the_match() -> None:
    clock = VirtualClock('[match]\nlength = 5\n[rules]\nrecord = ["who"]\n')
    clock.choose("approve")
    assert "ruled_by" not in lines(clock, "confirmed")[0]


@pytest.mark.rule("R222")
def test_a_proposed_ruling_says_who_ruled() -> None:
    """The room is asked what the box asks."""
    clock = stopped('"who"')
    asked = answered(clock.state, "give_back", ["left", clock.state.recent[-1].reserves.left, None])
    assert asked.entry is not None
    assert asked.entry.name == "ruler"
    complete = check_ruling(
        clock.state, "add_time", ["left", 60_000_000_000, ("director", None), "monitor"]
    )
    ruling = complete.ruling(clock.state)
    assert isinstance(ruling, TimeSet)
    assert ruling.ruled_by == "monitor"


@pytest.mark.rule("R222")
@pytest.mark.parametrize(
    ("points", "answer", "told_so"),
    [
        (1, (), (1, "single")),  # nothing else is possible, so nothing is asked
        (2, (2, "single"), (2, "single")),
        (2, (1, "gammon"), (1, "gammon")),
        (5, (4, "gammon"), (4, "gammon")),  # 5 were all that was needed
    ],
)
def test_the_cube_is_asked_where_the_points_leave_it_open(
    points: int, answer: tuple[int, str], told_so: tuple[int, str]
) -> None:
    clock = stopped('"cube", "who"').choose("game_over", "left", points)
    before = len(lines(clock, "game_over"))
    assert before == (not answer)
    if answer:
        turned = 0
        while clock.faces.left.selected is not None and _chosen(clock) != answer:
            clock.press("right")
            assert (turned := turned + 1) < 30
        clock.press("centre")
    (game,) = lines(clock, "game_over")
    assert (game["cube"], game["gammon"]) == told_so
    _, tables, whole = told(clock)
    words = SAY(f"won_{told_so[1]}", n=told_so[0])
    assert words in tables
    assert [(each["cube"], each["gammon"]) for each in whole["games"]] == [told_so]
    assert game["winner"] == "left"


def _chosen(clock: VirtualClock) -> tuple[int, str]:
    face = clock.faces.left
    text = face.lines[face.selected or 0]
    kind = next((kind for kind in ("backgammon", "gammon") if kind in text), "single")
    return int(text.split()[1].strip(":")), kind


@pytest.mark.rule("R222")
def test_when_a_match_was_due_and_what_was_carried_into_it_are_told() -> None:
    clock = VirtualClock('[match]\nscore = [1, 0]\ncarried = [1, 0]\nscheduled = "19:30"\n')
    sheet, tables, whole = told(clock)
    for text in (sheet, tables):
        assert "scheduled for 19:30" in text
        assert "penalties carried over: 1-0" in text
    assert [whole[key] for key in ("scheduled", "carried_left", "carried_right")] == ["19:30", 1, 0]


@pytest.mark.rule("R222")
def test_nobody_is_asked_where_the_settings_do_not_say_so() -> None:
    """No press more, no field more in the log, no word more in the settings."""
    clock = stopped("").choose("add_time", *MINUTE).choose("game_over", "left", 2)
    (ruling,), (game,) = lines(clock, "adjusted"), lines(clock, "game_over")
    assert not {"ruled_by", "cube", "gammon"} & {*ruling, *game}
    assert items(clock.state)
