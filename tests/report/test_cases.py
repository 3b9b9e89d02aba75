"""The cases of a match, and what sheet, games, rulings and results say of them."""

import re

import pytest
from msgspec.structs import replace

from clock.config.loader import parse_settings
from clock.match import inputs
from clock.match.events import FlagFellEvent
from clock.match.rules import DiceTaken, Reason
from clock.match.types import Pair, ResumeWith
from clock.report.rulings_page import rulings_text
from clock.report.summary import Case, Game
from clock.report.tables import sheets
from clock.ui.i18n import LANGUAGES, sayer
from lab.support.match_scripts import Author
from lab.support.reports import BANK_NS, S, settings, told, words
from lab.support.world import LEFT, RIGHT, World


def cases(world: World) -> tuple[Case, ...]:
    """The cases of a match told in a world."""
    return told(world).cases


@pytest.mark.rule("R115")
def test_a_call_lasts_from_the_stop_to_the_next_turn() -> None:
    """With whose clock ran, both reserves before and after, and all that the director did."""
    world = World.stopped(length=5).choose(Reason.DIRECTOR_CALLED)
    stopped = len(world.records) - len(world.events(type(world.last())))
    world.input(inputs.TimeSet, side=LEFT, new_ns=BANK_NS, why="director").centre("1:00")
    world.press(LEFT, "0:05").centre().centre("0:10")  # a stop without a call
    (case,) = cases(world)
    assert case.begun.line == stopped
    assert (case.player, case.about, case.called) == (LEFT, "reason_director_called", True)
    assert case.left == Pair(Pair(BANK_NS - 8 * S, BANK_NS), Pair(BANK_NS, BANK_NS))
    assert case.ended is not None
    began, ruling = (line.stamp.line for line in case.lines)
    assert (began, ruling) == (stopped - 1, case.ended.stamp.line - 1)


@pytest.mark.rule("R115")
def test_a_claim_and_a_fault_are_calls_and_a_game_that_ends_is_none() -> None:
    """Also without any ruling of the director, and while they last."""
    world = World.running(length=5).score_game(RIGHT).press(LEFT)
    assert cases(world) == ()
    world.stop_for(Reason.CLOCK_FAULTY)
    (case,) = cases(world)
    assert (case.about, case.ended, case.is_ruled) == ("reason_clock_faulty", None, False)


@pytest.mark.rule("R115")
def test_a_case_is_about_what_the_director_did_or_whose_clock_was_stopped() -> None:
    """A warning outside of a stop, and a stop of a turn off the clock, which is nobody's."""
    (case,) = cases(World.ready().input(inputs.PointsAwarded, side=LEFT, points=0, why="conduct"))
    assert (case.about, case.player) == ("why_conduct", None)
    world = World.running(dice_taken=DiceTaken.FREE_TURN, free_turn_kept=True).centre("0:20")
    world.choose(Reason.DICE_TAKEN).centre().centre("0:05").choose(Reason.DIRECTOR_CALLED)
    (case,) = cases(world)
    assert (case.about, case.player) == ("reason_director_called", None)


@pytest.mark.rule("R115")
def test_a_call_has_the_flags_that_it_was_about() -> None:
    world = World.running(LEFT, length=1).press(LEFT, "2:20").wait("0:05")
    world.stop_for(Reason.TIME_EXPIRED)
    (case,) = cases(world)
    kinds = [type(line.event).__name__ for line in case.lines]
    assert kinds == ["FlagFellEvent", "PressedEvent", "FlagClaimedEvent"]
    world = World.running(length=5).wait("11:20").score_game(RIGHT)
    world.input(inputs.MatchEnded, winner=RIGHT, why="time").input(inputs.Reopened)
    found = cases(world.press(RIGHT).stop_for(Reason.DIRECTOR_CALLED))
    fell = [sum(isinstance(line.event, FlagFellEvent) for line in each.lines) for each in found]
    assert fell == [1, 0, 0]  # the end of the match, the reopening, and another call


# --- matches that the whole program plays from scripts: Anna sits left, Bo right ----------------


def begun(**changes: object) -> Author:
    """Anna's clock runs in the first turn."""
    author = Author(settings(**changes))
    author.confirm()
    author.do("press right", 5)
    return author


def sheet(author: Author, language: str = "en") -> str:
    """The page of rulings, each paragraph on one line."""
    return " ".join(rulings_text(told(author), sayer(language)).split())


@pytest.mark.rule("R202")
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_due_is_told_as_due_and_once(language: str) -> None:
    """Ten minutes after the end of a game: its reason has nothing to do with it."""
    author = begun(length=11)
    author.end_game(LEFT, 1)
    author.direct("break", RIGHT)
    author.do("press centre", 20)
    author.direct("absent", RIGHT)
    author.do("wait", 620)
    author.direct("penalty", RIGHT)
    author.do("press left", 3)
    say, text = sayer(language), sheet(author, language)
    (_, case) = told(author).cases
    assert (case.about, case.player) == ("why_late", None)
    assert "BreakStartedEvent" not in [type(line.event).__name__ for line in case.lines]
    assert say("reason_game_over") not in text
    due = [say("late_due_1", points=1), say("late_due", points=2)]
    assert [text.count(each) for each in due] == [0, 1]  # the steps are sums
    assert f"{say('report_score')}: 1-0 → 3-0" in text


@pytest.mark.rule("R202", "R204")
def test_back_into_play_changes_the_game_that_it_is_about() -> None:
    """EBF 4.4(iv)(c): there is no cube in the Crawford game; what was ruled is on the sheet."""
    author = begun(length=7, score=Pair(5, 5))
    author.end_game(LEFT, 1)
    author.do("press left", 5)
    author.do("press right", 5)
    author.end_game(RIGHT, 2)
    author.direct("reopen")
    for act in ("press left", "press right", "press centre", "press left"):
        author.do(act, 3)
    assert "Game 2: Bo +2 → Bo +1 Score: 6-7 → 6-6 #" in sheet(author)
    first, second, third = told(author).games
    assert [game.crawford for game in (first, second, third)] == [False, True, False]
    assert (second.winner, second.points, second.score) == (RIGHT, 1, Pair(6, 6))
    assert second.corrected is not None
    assert second.begun is not None


@pytest.mark.rule("R202")
def test_an_illegal_move_that_is_undone_is_told_as_one() -> None:
    """The clock was stopped without a reason, after the reason had been carried out."""
    author = begun()
    author.do("press left", 5)
    author.stop_for(Reason.ILLEGAL_MOVE)
    author.do("press centre", 20)
    author.direct("penalty", LEFT, "conduct", 0)
    author.direct("resume", RIGHT, ResumeWith.REST)
    text = sheet(author)
    assert "Illegal move, in Anna's turn." in text
    assert re.search(r"#\d+ 12:\S+ Illegal move, Anna's clock runs", text)
    assert "No reason given" not in text


def games_won(*games: tuple[object, int]) -> Author:
    """A match in which these games have been played, each as it was entered."""
    author = begun(length=11)
    for winner, points in games:
        if author.state.turn is None:
            author.do("press right", 5)
        author.end_game(winner, points)  # type: ignore[arg-type]
    return author


@pytest.mark.rule("R116", "R204")
@pytest.mark.parametrize(
    ("games", "scores", "told_as"),
    [  # what was entered, the corrected scores, winner and points as they are told
        ([(LEFT, 1), (RIGHT, 1)], [(LEFT, 2)], [(LEFT, 2), (RIGHT, 1)]),
        ([(LEFT, 2), (RIGHT, 1), (LEFT, 1)], [(LEFT, 2)], [(LEFT, 1), (RIGHT, 1), (LEFT, 1)]),
        ([(LEFT, 2), (LEFT, 1)], [(LEFT, 2), (RIGHT, 1)], [(LEFT, 2), (RIGHT, 1)]),
        ([(LEFT, 1), (RIGHT, 4)], [(RIGHT, 0), (LEFT, 5)], [(LEFT, 1), (LEFT, 4)]),
        ([(LEFT, 1)], [(LEFT, 3), (LEFT, 1)], [(LEFT, 1)]),
        ([(LEFT, 1), (RIGHT, 2)], [(RIGHT, 0)], [(LEFT, 1), (None, 0)]),
        ([(LEFT, 1), (RIGHT, 2)], [(LEFT, 0)], [(None, 0), (RIGHT, 2)]),
        ([(LEFT, 2), (LEFT, 1)], [(LEFT, 1)], [(None, 0), (LEFT, 1)]),
        ([(LEFT, 1), (RIGHT, 2)], [(RIGHT, 11), "reopen"], [(LEFT, 1), (RIGHT, 2)]),
    ],
)
def test_a_corrected_score_changes_the_game_that_it_is_about(
    games: list[tuple[object, int]],
    scores: list[tuple[object, int] | str],
    told_as: list[tuple[object, int]],
) -> None:
    """The scores after later games change with it; a match that it decided may be reopened."""
    author = games_won(*games)
    for each in scores:
        author.direct(*([each] if isinstance(each, str) else ["score", *each]))
    found = told(author).games
    assert [(game.winner, game.points) for game in found] == told_as
    assert any(game.corrected for game in found) is (told_as != games or scores[-1] == "reopen")
    for before, game in zip((None, *found[:-1]), found, strict=True):
        assert game.score == score_after(before, game)
    assert found[-1].score == author.state.score


def score_after(before: Game | None, game: Game) -> Pair[int]:
    score = before.score if before else Pair(0, 0)
    return score.put(game.winner, score[game.winner] + (game.points or 0)) if game.winner else score


# --- without a limit, and for practice ------------------------------------------------------------

PACE = '[match]\nlength = 5\n[rules]\nprofile = "ebf"\ntime_per_point = "none"\n'


def without_limit() -> Author:
    """Anna has won a game in which she played 40 s, and Bo 100 s."""
    author = Author(replace(parse_settings(PACE, "f").match, names=Pair("Anna", "Bo")))
    author.confirm()
    for act, after in (("press right", 5), ("press left", 40), ("press right", 100)):
        author.do(act, after)
    author.end_game(LEFT, 1)
    return author


@pytest.mark.rule("R206")
def test_reserves_of_pace_are_told_below_zero() -> None:
    """In the numbers; in words it is what was used."""
    of = told(without_limit())
    assert [turn.reserve_ns for turn in of.turns[:2]] == [Pair(0, -40 * S), Pair(0, -100 * S)]
    assert of.left == Pair(-42 * S, -100 * S)
    assert min(point.left_ns for point in of.curves.right) == -100 * S
    text = words(of)
    assert "0:00 used → 1:40 used" in text
    assert "Reserve used" not in text
    assert "-1:40" not in text
    assert "without a limit" in text
    assert "None" not in text


@pytest.mark.rule("R206")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_limit_from_the_second_game_on_is_said_everywhere(language: str) -> None:
    author, say = without_limit(), sayer(language)
    author.direct("begin_times")
    of = told(author)
    assert of.limit_from == 2
    said = f"{say('report_no_limit')}, {say('report_limit_from', game=2)}"
    assert said in sheet(author, language)
    assert said in words(of, language)
    used = [say("report_used_up", time=time) for time in ("0:42", "1:40")]
    assert used[0] in sheet(author, language)
    assert " / ".join(used) in words(of, language)


@pytest.mark.rule("R206")
def test_a_game_without_a_limit_has_times_used_also_if_the_next_one_has_a_limit() -> None:
    plain = settings()
    world = World(replace(plain, rules=plain.rules.at_pace())).press(LEFT).press(RIGHT).centre()
    world.play_game(LEFT)
    shown = sheets(told(world.input(inputs.TimesBegun)), sayer("en"))
    [games] = [sheet for sheet in shown if sheet.title == "Games"]
    assert games.rows[0][6] == "0:00 used / 0:00 used"


@pytest.mark.rule("R206")
def test_practice_stands_on_the_sheet() -> None:
    author = Author(replace(settings(), practice=True))
    author.confirm()
    assert "EBF, Practice, Code" in sheet(author)


@pytest.mark.rule("R202", "R212")
def test_a_game_that_is_entered_again_is_told_in_the_case() -> None:
    """What was taken back and what took its place: the score goes from the one to the other."""
    author = begun()
    author.end_game(RIGHT, 2)
    author.direct("undo")
    for act in ("press left", "press centre", "wait", "press right"):
        author.do(act, 1)
    text = sheet(author)
    assert "Game 1: Bo +2 → Anna +1 Score: 0-2 → 1-0" in text
    assert "Director: Taken back: Bo +2, 0-2" in text


@pytest.mark.rule("R202", "R119")
def test_what_points_before_the_first_game_did_to_both_times_is_told() -> None:
    author = Author(settings())
    author.confirm()
    author.direct("penalty", RIGHT, "conduct", 1)
    assert "Director: Bo: Conduct, Anna +1 → 1-0, Both times -1:00" in sheet(author)


@pytest.mark.rule("R112", "R202")
def test_a_lateness_that_began_earlier_is_told_with_what_was_due_at_once() -> None:
    """Not when the next point was to come: that is for the players."""
    author = Author(settings(length=11))
    author.confirm()
    author.direct("absent", RIGHT, 12)
    assert "Director: Bo late: 12:00, due: 2 points Director: ____" in sheet(author)
    author.direct("waive_late", RIGHT)
    assert [case.about for case in told(author).cases] == ["why_late"]
