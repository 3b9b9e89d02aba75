"""Matches without flags: pace mode (R130) and practice (R132), on the box with its panels."""

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from clock.config.loader import parse_settings
from clock.match.events import CorrectedEvent, FlagFellEvent
from clock.match.inputs import (
    FlagSet,
    LengthSet,
    OvertimeGranted,
    PointsAwarded,
    TimesBegun,
    TimeSet,
)
from clock.match.invariants import check
from clock.match.machine import next_deadline
from clock.match.rules import MatchSettings, Reason, Times
from clock.match.state import Flag
from clock.match.stops import offered_reasons
from clock.match.types import Pair, Phase
from clock.ui.face import next_face_ns
from clock.ui.menu import items
from clock.units import MINUTE_NS, SECOND_NS
from clock.virtual import VirtualClock
from lab.support.commands import said
from lab.support.desk import C, Desk, L, R
from lab.support.reports import told
from lab.support.world import LEFT

PACE = '[rules]\nprofile = "wbgf"\ntime_per_point = "none"\n'
PRACTICE = '[match]\npractice = true\n[rules]\nprofile = "wbgf"\ntime_per_match = "0:00"\n'


def settings(text: str, **match: object) -> MatchSettings:
    return replace(parse_settings(text, "f").match, **match)


def playing(text: str, **match: object) -> Desk:
    """LEFT's clock has just been started for the first time."""
    return Desk(settings(text, **match)).tap(L, R, C, R)


@pytest.mark.rule("R130")
def test_pace_mode_shows_this_turn_and_what_was_used() -> None:
    """Whose turn it is by the light; no delay, no reserve; changes at each second of either."""
    table = playing(PACE).pass_time(34_600_000_000).tap(L).pass_time(5 * SECOND_NS)
    left, right = table.faces()
    assert (left.reserve, left.status, left.turn, left.delay) == ("0:34", "Used in all", "", "")
    assert (right.reserve, right.status, right.turn, right.running) == (
        *("0:05", "Used in all", "0:05"),
        True,
    )
    assert right.delay_note == "this turn"
    table.tap(R).pass_time(200_000_000)
    assert table.faces().left.turn == "0:00"
    assert next_face_ns(table.view, table.now_ns) == table.now_ns + 200_000_000  # 35 s in all
    table.pass_time(90 * SECOND_NS).tap(C)
    assert "This turn: 1:30" in table.faces().right.lines
    assert table.reserves() == (-124_800_000_000, -5 * SECOND_NS)


@pytest.mark.rule("R130", "R132")
@pytest.mark.parametrize("text", [PACE, PRACTICE])
def test_no_flag_falls_or_can_be_entered(text: str) -> None:
    """After ten hours there is none, nor one to claim; a state with one is impossible."""
    table = playing(text).pass_time(600 * MINUTE_NS)
    assert next_deadline(table.state) is None
    assert table.events(FlagFellEvent) == []
    table.tap(C)
    assert Reason.TIME_EXPIRED not in offered_reasons(table.state)
    assert not {"flag", "overtime"} & {item.name for item in items(table.state)}
    table.input(FlagSet, side=LEFT, order=1).input(OvertimeGranted, side=LEFT, granted_ns=1)
    assert [player.flag for player in table.state.players] == [None, None]
    check(table.state)
    with pytest.raises(ValueError, match="flag"):
        check(table.state.with_player(LEFT, flag=Flag(1, None)))


@pytest.mark.rule("R130")
def test_the_director_begins_the_times_in_four_presses() -> None:
    """Between games: banks by the formula at that score, a fresh delay; the log says who did it."""
    table = playing(PACE, length=11, score=Pair(3, 0)).pass_time(50 * MINUTE_NS)
    table.tap(C, R, C, R, C)  # game over, one point for right
    assert (table.phase, table.state.score) == (Phase.READY, Pair(3, 1))
    table.hold().tap(R, C, C)  # the first item would take the game back
    [event] = table.events(CorrectedEvent)
    assert event == CorrectedEvent("pace", None, old=True, new=False, adjusted_ns=18 * MINUTE_NS)
    assert getattr(event, "by", "") == "director"
    assert table.reserves() == (18 * MINUTE_NS, 18 * MINUTE_NS)
    table.tap(R).pass_time(13 * SECOND_NS)
    assert table.reserves() == (18 * MINUTE_NS - SECOND_NS, 18 * MINUTE_NS)
    table.tap(C).input(TimesBegun)
    assert table.reserves()[0] == 18 * MINUTE_NS - SECOND_NS


@pytest.mark.rule("R130")
def test_times_of_before_the_limit_are_not_given_back() -> None:
    table = playing(PACE).pass_time(50 * SECOND_NS).tap(L, C, R, C, L, C)
    table.input(TimesBegun)
    assert "give_back" not in {item.name for item in items(table.state)}
    table.tap(R).pass_time(20 * SECOND_NS).tap(C)
    assert table.open_item("give_back").enter(LEFT).through().proposed() == TimeSet(
        table.now_ns, LEFT, table.state.bank_ns(), "given_back", None
    )


@pytest.mark.rule("R96", "R132")
def test_the_formula_lifts_no_reserve_to_zero() -> None:
    """In practice it may stay below: 7 minutes overdrawn, and a point more is worth two."""
    table = playing(PRACTICE, length=3).pass_time(13 * MINUTE_NS + 12 * SECOND_NS)
    table.tap(C, R, C, L, C)
    assert table.reserves()[0] == -7 * MINUTE_NS
    table.input(LengthSet, length=4, adjust_banks=True)
    assert table.reserves()[0] == -5 * MINUTE_NS
    table.input(PointsAwarded, side=LEFT, points=1, why="conduct", adjust_banks=True)
    assert table.reserves()[0] == -6 * MINUTE_NS


@pytest.mark.rule("R130")
def test_pace_mode_keeps_the_times_of_file_and_profile() -> None:
    """What is set beside "none" is what the director can begin; without it the profile's."""
    rules = settings(PACE + 'delay = "0:10"\ntime_per_match = "2:00"\n').rules
    assert rules.pace == Times(2 * MINUTE_NS, 2 * MINUTE_NS, 10 * SECOND_NS)
    assert rules.timed() == settings(PACE.replace("none", "2:00") + 'delay = "0:10"\n'
                                     'time_per_match = "2:00"\n').rules  # fmt: skip
    codes = {settings(text).code for text in (PACE, PRACTICE, PACE.replace("none", "2:00"))}
    assert len(codes) == 3


@pytest.mark.rule("R132")
def test_practice_counts_on_below_zero_and_says_so() -> None:
    """On REVIEW, while a turn is played, below zero, at the end, in log and report."""
    table = Desk(settings(PRACTICE, length=1))
    assert table.faces().left.lines[0] == "Practice, 1 points"
    table.tap(L, R, C)
    assert table.faces().left.status == "Practice"
    table.tap(R).pass_time(14 * SECOND_NS)
    assert [face.status for face in table.faces()] == ["Time", "Practice"]
    table.pass_time(2 * MINUTE_NS - 2 * SECOND_NS)
    assert table.faces().left.reserve == "0:00"  # where a flag would fall
    assert next_face_ns(table.view, table.now_ns) == table.now_ns + SECOND_NS
    table.pass_time(61 * SECOND_NS)
    left = table.faces().left
    assert (left.reserve, left.status, left.flag) == ("-1:01", "Practice", "")
    table.tap(L, C)
    assert table.records[-1].left_ns == -61 * SECOND_NS
    table.tap(R, C, L, C).pass_time(1)
    left, right = table.faces()
    assert (left.status, right.result) == ("Practice", ("WINS", "Practice"))
    assert told(table).settings.practice


@pytest.mark.rule("R130", "R132")
def test_the_report_says_it_and_lists_each_players_slow_turns(tmp_path: Path) -> None:
    """Mean, median and longest of each; the slowest turns of both, not of one alone."""
    lines = ["0 press left", "0 press right", "1 press centre", "5 press right"]
    for turn in range(12):
        seconds, side = (60 + turn, "left") if turn % 2 == 0 else (10 + turn, "right")
        lines.append(f"{seconds} press {side}")
    (tmp_path / "s").write_text("\n".join([*lines, "1 press centre"]))
    for name, settings in (("pace", PACE), ("practice", PRACTICE)):
        (tmp_path / name).write_text(settings)
        files = (str(tmp_path / "s"), "--config", str(tmp_path / name))
        said("play", *files, "--log", str(tmp_path / f"{name}.jsonl"))
    log, practised = str(tmp_path / "pace.jsonl"), str(tmp_path / "practice.jsonl")
    assert said("verify", log).exit_code == 0
    text = said("report", log).stdout
    assert "without a limit" in text
    assert "Practice" in said("report", practised).stdout
    slowest = text.partition("Slowest turns")[2].partition("Quickest turns")[0]
    assert [slowest.count(name) for name in ("Left", "Right")] == [10, 10]  # and who pressed
    players = text.partition("Players")[2].partition("Games")[0]
    for figure in ("1:05", "1:06", "1:10"):  # mean, median and longest of Left
        assert figure in players
    assert json.loads(said("report", practised, "--json").stdout)[0]["practice"] is True


BELOW_ZERO = re.compile(r"(?<!\w)-0+([:.]0+)*(?![\w:.])")  # no part of a code
TABLES: tuple[tuple[str, ...], ...] = ((), ("--turns",), ("--rulings",), ("--csv",), ("--json",))


@pytest.mark.rule("R130", "R132")
@pytest.mark.parametrize("text", [PACE, f'{PRACTICE}time_per_point = "0:01"\n'])
@pytest.mark.parametrize("method", ["simple-delay", "bronstein"])
def test_no_panel_and_no_table_says_minus_nothing(text: str, method: str) -> None:
    """Near the instant at which the reserve is used up, and of stops and corrections there."""
    clock = VirtualClock(f'{text}method = "{method}"\n[[preset]]\nname = "One"\nlength = 1\n')
    clock.press("right").press("centre")
    for button in ("left", "right", "centre", "right"):
        clock.press(button)
    clock.wait(clock.state.settings.rules.delay_ns / SECOND_NS)
    shown = []
    for _ in range(12):
        for _ in range(2):
            clock.wait(0.1)
            shown += [str(face) for face in clock.faces]
        clock.press("centre", after=0)
        shown += [str(face) for face in clock.faces]
        clock.press("centre", after=0)
    clock.press("centre", after=0)
    for change in (1, -1) if "add_time" in clock.items else ():
        clock.choose("add_time", "left", change)
    shown += [str(face) for face in clock.faces]
    clock.choose("game_over", "left", 1).press("centre").close()
    shown += [said("report", clock.log, *table).stdout for table in TABLES]
    assert not [each for each in shown if BELOW_ZERO.search(each)]
