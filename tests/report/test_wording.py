"""Reports in words: names and languages."""

import re

import pytest
from msgspec.structs import replace

from clock.match import inputs
from clock.match.rules import DiceTaken, Reason
from clock.match.types import Pair
from clock.report.summary import FallenFlag
from clock.report.wording import about_text, event_text, flag_label, game_names, named, reserve_at
from clock.ui.i18n import sayer
from clock.units import SECOND_NS
from lab.support.reports import told, words
from lab.support.world import LEFT, RIGHT, World, match_settings

S = SECOND_NS


@pytest.mark.rule("R102")
def test_the_report_names_no_person_behind_a_button() -> None:
    """A claim and the centre have no owner in any line of it."""
    world = World.running(profile="ebf", length=5, time_per_point_ns=6 * S)
    world.wait("0:43").press(LEFT, "0:01").centre("0:04").choose(Reason.TIME_EXPIRED).centre()
    text = words(told(world))
    assert "Claimed that Left's time has expired" in text
    assert "claimed by" not in text
    assert "Right pressed" not in text


@pytest.mark.rule("R102")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Left's plunger, not on move"),
        ("de", "Taste von Links, nicht am Zug"),
        ("da", "Knappen for Venstre, uden for tur"),
        ("nb", "Knappen til Venstre, utenfor tur"),
    ],
)
def test_a_report_in_each_language(language: str, said: str) -> None:
    of = told(World.running(RIGHT).press(LEFT))
    assert said.lower() in words(of, language).lower()


def test_what_is_known_of_a_match_is_said_and_an_unknown_word_as_it_is() -> None:
    """When it was due, what was carried over, and the score of a best of three under way."""
    known = match_settings(length=5, score=(1, 0), best_of_three=True)
    of = told(World(replace(known, scheduled="19:30", carried=Pair(1, 0))))
    text, say = words(of), sayer("en")
    assert say("report_due_at", time="19:30") in text
    assert say("report_carried", score="1-0") in text
    assert "Matches 0-0, 1-0" in text
    assert named(say, Pair("Ada", "Bo"))("of_another_version") == "of_another_version"


def test_games_and_flags_have_names_in_the_chart() -> None:
    say = sayer("en")
    for best_of_three, names in ((False, ("game 1", "1")), (True, ("match 1, game 1", "1/1"))):
        of = told(World.between_games(length=5, best_of_three=best_of_three))
        crawford = of.games[0]._replace(crawford=True)
        assert game_names(of.games[0], of, say) == names
        assert game_names(crawford, of, say) == (f"{names[0]}, Crawford", f"{names[1]} C")
    first = told(World()).first
    flag = FallenFlag(first, LEFT, 1, None)
    assert flag_label(flag, "Ada", say) == "flag of Ada"
    claimed = flag._replace(claimed=first)
    assert flag_label(claimed, "Ada", say) == "flag of Ada, claimed 10:00:00"


def test_a_length_that_was_corrected() -> None:
    world = World().input(inputs.LengthSet, length=13, adjust_banks=True)
    assert "to 13 (was 11)" in words(told(world))


def test_a_score_is_told_by_players_when_they_have_changed_sides() -> None:
    world = World.ready(length=3).input(inputs.SidesSwapped).play_game(RIGHT)
    world.input(inputs.PointsAwarded, side=LEFT, points=1, why="conduct")
    world.input(inputs.Undone).input(inputs.MatchEnded, winner=RIGHT, why="time")
    of = told(world)
    say = sayer("en")
    texts = [event_text(line, say) for passage in of.passages for line in passage.lines]
    scored = [text for text in texts if re.search(r"[12]-[012]|0-[12]", text)]
    assert len(scored) == 3  # what was taken back too
    assert not [text for text in scored if "0-1" in text or "0-2" in text]


SLOW = {"side": LEFT, "points": 1, "why": "slow_play"}


@pytest.mark.rule("R102", "R115")
@pytest.mark.parametrize(
    ("world", "line", "about"),
    [
        (World.stopped(), "Centre button, Left's clock stopped", ""),
        (
            World.running(dice_taken=DiceTaken.FREE_TURN, free_turn_kept=True)
            .centre("0:20")
            .choose(Reason.DICE_TAKEN)
            .centre()
            .centre("0:05"),
            "Centre button, Stopped",
            "",
        ),
        (World.ready(length=5).play_game(RIGHT), "Right +1, 0-1", ""),
        (
            World.ready().input(inputs.PointsAwarded, side=LEFT, points=0, why="conduct"),
            "Director: Left: warning 1, Conduct",
            "Conduct: Left",
        ),
        (
            World.ready().input(inputs.PointsAwarded, side=LEFT, points=1, why="bonus"),
            "Director: Bonus, Left plays slowly, Right +1 → 0-1",
            "Bonus: Right",
        ),
        (
            World.stopped().input(inputs.PointsAwarded, **SLOW),
            "Director: Left: Slow play, Right +1 → 0-1",
            "Slow play: Left",
        ),
        (
            World.stopped("nbgf")
            .input(inputs.PointsAwarded, **SLOW)
            .wait("6:00")
            .input(inputs.PointsAwarded, **SLOW),
            "Director: Left: Slow play, Right +1 → 0-2, 6:00 after the last ruling for slow play",
            "Slow play: Left",
        ),
        (
            World.ready(length=5).input(inputs.MatchShortened),
            "Director: Match shortened, 5 → 3, both play slowly",
            "Match shortened",
        ),
        (
            World.running(length=1).wait("2:20").stop_for(Reason.TIME_EXPIRED),
            "Claimed that Left's time has expired, clock ran on 0:08.000",
            "Time expired: Left",
        ),
        (
            World.ready().input(inputs.AbsenceNoted, side=LEFT, late_ns=700 * S),
            "Director: Left late: 11:40, due: 2 points",
            "Late: Left",
        ),
        (
            World.between_games().take_breaks(1, 0).wait("11:00"),
            "Left late, due: 1 point",
            "Late: Left",
        ),
        (
            World.running(length=1)
            .wait("2:20")
            .centre()
            .choose(Reason.DIRECTOR_CALLED)
            .input(inputs.PointsAwarded, side=RIGHT, points=0, why="conduct")
            .choose(Reason.TIME_EXPIRED)
            .centre(),
            "Claimed that Left's time has expired, clock ran on 0:08.000",
            "Director called",
        ),
    ],
)
def test_a_line_says_what_happened_and_a_case_what_it_is_about(
    world: World, line: str, about: str
) -> None:
    of, say = told(world), sayer("en")
    lines = [event_text(each, say) for passage in of.passages for each in passage.lines]
    assert lines[-1] == line
    assert [about_text(case, of, say) for case in of.cases] == [about] * bool(about)


@pytest.mark.rule("R130", "R132")
def test_a_reserve_below_zero_is_time_used_but_in_practice() -> None:
    of, say = told(World.running()), sayer("en")
    assert reserve_at(-5 * S, of.last, of, say) == "0:05 used"
    practice = replace(of.settings, practice=True)
    assert reserve_at(-5 * S, of.last, replace(of, settings=practice), say) == "-0:05"
