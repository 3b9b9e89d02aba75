"""A report says exactly what was played: each number of a small match, and sums over large ones."""

from collections import Counter
from itertools import pairwise

import pytest
from rich.console import Console

from clock.eventlog.codec import Chain, DamagedError
from clock.match import inputs
from clock.match.events import AdjustedEvent, CorrectedEvent
from clock.match.rules import FirstFlag, MatchSettings, Reason
from clock.match.types import Pair, Phase, Side
from clock.report.build import summary
from clock.report.summary import CurvePoint, Summary
from clock.report.tables import tables
from clock.ui.i18n import LANGUAGES, sayer
from clock.units import SECOND_NS
from tests.support.match_scripts import Author, log_of, named, random_match
from tests.support.world import LEFT, RIGHT, World, match_settings

S = SECOND_NS
BANK_NS = 600 * S  # 5 points at 2 minutes

SMALL_MATCH = """
1    press left      # both confirm
1    press right
1    press centre
7    press left      # 0:10 the right clock starts
20   press right     # 8 s of his reserve
10   press left      # within the delay
2    press left      # 0:42 not on move
13   press right     # 0:55 15 s: 3 s of his reserve
30   press centre    # 1:25 stopped, 18 s of hers
5    press right     # game over
4    press centre    # 1:34
1    press right
1    press right
2    press centre    # 1:38 the right side wins two points
2    press centre    # a break
1    press right     # for the right side
1    press centre    # 1:42
310  press centre    # 6:52 ten seconds too long
8    press right     # 7:00 the left clock starts
12   press left      # 7:12
5    press centre    # 7:17
1.5  press centre    # 7:18.5 goes on exactly
4    wait
"""


def settings(**changes: object) -> MatchSettings:
    """A short match between two people."""
    return named(match_settings(**{"length": 5, **changes}), "Anna", "Bo")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def small() -> Summary:
    """The summary of the small match."""
    return summary(log_of(SMALL_MATCH, settings()))


def lines_of(world: World, wall: str = "2026-05-01T10:00:00+02:00") -> list[bytes]:
    """The log of a match told in a world."""
    chain, lines = Chain("told", "boot"), []
    for record in world.records:
        chain, line = chain.append(record, wall)
        lines.append(line.rstrip(b"\n"))
    return lines


def printed(of: Summary, width: int = 120, language: str = "en") -> str:
    """The report as a terminal shows it."""
    console = Console(width=width, color_system=None, force_terminal=False)
    with console.capture() as shown:
        for table in tables(of, sayer(language)):
            console.print(table)
    return shown.get()


# --- the numbers of the small match -----------------------------------------------------------


@pytest.mark.rule("R83")
def test_what_the_match_is(small: Summary) -> None:
    """The heading: names, settings, the log's extent."""
    assert small.match == "play-1"
    assert small.names == Pair("Anna", "Bo")
    assert (small.length, small.settings.code) == (5, settings().code)
    assert small.version == "1.2.3"
    assert small.confirmed is not None
    assert (small.confirmed.line, small.confirmed.time) == (4, "12:00:03")
    assert small.records == small.last.line == 23
    assert (small.first.wall[:10], small.first.time) == ("2000-01-01", "12:00:00")
    assert small.period == "2000-01-01 12:00:00 - 12:07:18"
    assert (small.over, small.phase, small.score) == (None, Phase.RUNNING, Pair(0, 2))


@pytest.mark.rule("R83")
def test_games(small: Summary) -> None:
    """Winner, points, score, times used and left, real duration."""
    first, second = small.games
    assert (first.number, first.winner, first.points, first.score) == (1, RIGHT, 2, Pair(0, 2))
    assert first.used == Pair(40 * S, 35 * S)
    assert first.spent == Pair(18 * S, 11 * S)
    assert first.left == Pair(BANK_NS - 18 * S, BANK_NS - 11 * S)
    assert first.duration_ns == (98 - 10) * S
    assert not first.crawford
    assert (second.number, second.winner, second.points, second.ended) == (2, None, None, None)
    assert second.used == Pair(12 * S, 5 * S)


def test_stops(small: Summary) -> None:
    """When, why, for how long, and with which reserves."""
    over, other = small.stops
    assert (over.begun.time, over.reason) == ("12:01:25", Reason.GAME_OVER)
    assert over.ended is not None
    assert over.ended.at_ns - over.begun.at_ns == 9 * S
    assert (other.begun.time, other.reason) == ("12:07:17", Reason.UNSPECIFIED)
    assert other.ended is not None
    assert other.ended.at_ns - other.begun.at_ns == 3 * S // 2
    assert other.left == Pair(BANK_NS - 18 * S, BANK_NS - 11 * S)


def test_breaks(small: Summary) -> None:
    """Whose, what is allowed and what it took."""
    (pause,) = small.breaks
    assert (pause.taken, pause.allowed_ns, pause.took_ns) == (Pair(0, 1), 300 * S, 310 * S)


def test_turns(small: Summary) -> None:
    """Each turn's length and what it took of the reserve; averages of those that were pressed."""
    played = [(turn.player, turn.length_ns, turn.spent_ns, turn.pressed) for turn in small.turns]
    assert played == [
        (RIGHT, 20 * S, 8 * S, True),
        (LEFT, 10 * S, 0, True),
        (RIGHT, 15 * S, 3 * S, True),
        (LEFT, 30 * S, 18 * S, False),
        (LEFT, 12 * S, 0, True),
        (RIGHT, 5 * S, 0, False),
    ]
    assert small.average_ns(LEFT) == 11 * S
    assert small.average_ns(RIGHT) == 35 * S // 2
    assert [turn.length_ns // S for turn in small.slowest(3)] == [30, 20, 15]
    assert small.slowest(1)[0].begun.time == "12:00:55"


def test_refused(small: Summary) -> None:
    """Presses without effect, with their instants."""
    (refused,) = small.refused
    assert (refused.stamp.time, refused.stamp.line) == ("12:00:42", 8)


def test_corners(small: Summary) -> None:
    """A reserve's line is flat during the delay and falls after it, exactly."""
    assert small.curves.right == (
        CurvePoint(0, BANK_NS),
        CurvePoint(22 * S, BANK_NS),
        CurvePoint(30 * S, BANK_NS - 8 * S),
        CurvePoint(52 * S, BANK_NS - 8 * S),
        CurvePoint(55 * S, BANK_NS - 11 * S),
        CurvePoint(438_500_000_000, BANK_NS - 11 * S),
    )
    falls, fallen = CurvePoint(67 * S, BANK_NS), CurvePoint(85 * S, BANK_NS - 18 * S)
    assert small.curves.left[1:3] == (falls, fallen)


@pytest.mark.rule("R83")
def test_tables_say_it(small: Summary) -> None:
    """The tables show the numbers, rounded as on the displays, with the lines that prove them."""
    text = " ".join(printed(small).split())
    assert "0-2, not finished (a clock runs)" in text
    assert "verified: 23 records, program version 1.2.3" in text
    assert "Did not occur Flags, Director's acts, lateness, Faults, Restarts" in text
    assert "1 12:00:10 Bo +2 0-2 1:28 0:40 / 0:35 9:42 / 9:49" in text
    assert (
        "12:07:17 6 Bo: No reason given Bo's clock runs, exactly as it was 0:02 9:42 / 9:49 none"
        in text
    )
    assert "12:01:42 Bo Bo's plunger 12:01:41.000 5:00 5:10 0:10" in text
    assert "8 12:00:42 Anna's plunger, not on move" in text


# --- other matches ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("profile", ["ebf", "nbgf", "us"])
def test_sums(profile: str, seed: int) -> None:
    """Time used per game adds up to the turns', and reserves to what was given and taken."""
    of = summary(
        log_of(random_match(settings(profile=profile), seed).script, settings(profile=profile))
    )
    for player in Side:
        turns = [turn for turn in of.turns if turn.player is player]
        assert of.used_ns(player) == sum(turn.length_ns for turn in turns)
        assert of.spent_ns(player) == sum(turn.spent_ns for turn in turns)
        changes = [change for change in of.reserve_changes if change.player is player]
        given = sum(change.new_ns - change.old_ns for change in changes)
        assert of.left[player] == BANK_NS + given - of.spent_ns(player)
        assert of.curves[player][-1] == CurvePoint(of.last.at_ns, of.left[player])
        for (earlier, _), (later, _) in pairwise(of.curves[player]):
            assert earlier <= later


@pytest.mark.rule("R83")
def test_flags_and_the_end() -> None:
    """Order, margin, the claim and what was played on; the result on time."""
    world = World.running(profile="ebf", length=5, time_per_point_ns=6 * S)  # half a minute each
    world.press(LEFT, "0:43").press(RIGHT, "0:50").centre("0:04")
    world.choose(Reason.TIME_EXPIRED).centre()
    of = summary(lines_of(world))
    first, second = of.flags
    assert (first.player, first.order, first.margin_ns) == (LEFT, 1, None)
    assert (second.player, second.order, second.margin_ns) == (RIGHT, 2, 43 * S)
    assert first.claimed is not None
    assert first.claimed == second.claimed == of.last
    assert (first.overrun_ns, first.cleared) == (S, None)
    world.act(inputs.MatchEnded, winner=RIGHT, why="time")
    of = summary(lines_of(world))
    assert of.over is not None
    assert (of.over[1].why, of.over[2]) == ("time", RIGHT)
    assert "Right wins, on time, 10:00:00" in " ".join(printed(of).split())


def test_a_flag_lasts_until_it_is_cleared() -> None:
    """A power cut takes no flag away, the director does; nobody had claimed it."""
    world = World.running(length=5, time_per_point_ns=6 * S).wait("0:45").centre()
    world.give(inputs.Restored(world.now_ns, S, 45 * S))
    assert summary(lines_of(world)).flags[0].cleared is None
    world.act(inputs.TimeSet, side=LEFT, new_ns=S, why="director")
    of = summary(lines_of(world))
    assert (of.flags[0].cleared, of.flags[0].claimed) == (of.last, None)
    assert "not claimed" in printed(of)


def test_freeze_is_a_stop() -> None:
    """A flag that freezes both clocks begins a stop of its own."""
    world = World.running(length=5, time_per_point_ns=6 * S, on_first_flag=FirstFlag.FREEZE)
    world.wait("1:00")
    of = summary(lines_of(world))
    (stop,) = of.stops
    assert (stop.reason, stop.ended, stop.begun.at_ns) == (Reason.TIME_EXPIRED, None, 42 * S)


def test_players_keep_their_columns_when_they_swap() -> None:
    """What a player used stays his, on whatever side he sits."""
    author = Author(settings())
    author.direct("swap")
    author.confirm()
    author.do("press left", 5)
    author.do("press right", 20)
    of = summary(log_of(author.script, settings()))
    assert (of.names, of.swapped) == (Pair("Anna", "Bo"), True)
    assert of.games[0].used == Pair(20 * S, 0)
    assert "they have changed sides" in printed(of)


def test_power_cut() -> None:
    """Time goes on across boots as far as it is known; the stop begins when the power is back."""
    begun = "1 press left\n1 press right\n1 press centre\n2 press left\n"
    of = summary(log_of(begun + "20.5 power cut\n5 press centre\n7 wait", settings()))
    (cut,) = of.restorations
    assert cut.reboot
    assert (cut.played_ns, cut.lost_ns) == (20 * S + S // 2, S)  # the sign was due just then
    assert (cut.before.at_ns, cut.stamp.at_ns) == (5 * S, 25 * S + S // 2)
    assert (of.stops[0].reason, of.stops[0].begun.at_ns) == (Reason.POWER_LOSS, 25 * S + S // 2)
    assert of.last.at_ns == 30 * S + S // 2
    assert "power cuts: 1" in printed(of)


def test_directors_acts() -> None:
    """What was changed, from what to what, why, and by whom."""
    author = Author(settings())
    author.confirm()
    author.do("press left", 5)
    author.do("press centre", 30)
    author.direct("set_time", RIGHT, 500 * S, "best_estimate")
    author.direct("flag", LEFT, 1)
    of = summary(log_of(author.script, settings()))
    time, flag = (act.event for act in of.acts)
    assert time == AdjustedEvent(RIGHT, 582 * S, 500 * S, "best_estimate", flag_cleared=False)
    assert flag == CorrectedEvent("flag", LEFT, 0, 1)
    assert of.corrections == 2
    text = " ".join(printed(of).split())
    assert "Director: Bo, 9:42 → 8:20, Best estimate" in text
    assert "Director: Flag Anna, no flag → fell first" in text
    assert "entered by the director" in text
    assert of.reserve_changes[0].old_ns - of.reserve_changes[0].new_ns == 82 * S


def test_faults() -> None:
    """A part that failed, and until when."""
    world = World.running()
    world.give(inputs.FaultSeen(0, "log", "disk full")).give(inputs.FaultCleared(0, "log"))
    (fault,) = summary(lines_of(world)).faults
    assert (fault.event.part, fault.event.what) == ("log", "disk full")
    assert fault.cleared is not None


def test_best_of_three() -> None:
    """Games say which match they belong to; reserves are those at the end of a game."""
    world = World.running(length=1, best_of_three=True)
    world.press(LEFT, "0:15").score_game(RIGHT)
    world.press(LEFT).score_game(RIGHT)
    of = summary(lines_of(world))
    assert [(game.leg, game.score, game.left.left) for game in of.games] == [
        (1, Pair(0, 1), 117 * S),
        (2, Pair(0, 1), 120 * S),
    ]
    assert "Matches 0-2, 0-1, Right wins, by score" in " ".join(printed(of).split())


def test_crawford_game() -> None:
    """The Crawford game is marked, not the one before."""
    world = World.running(length=2)
    world.score_game(RIGHT)
    world.press(LEFT).score_game(RIGHT)
    assert [game.crawford for game in summary(lines_of(world)).games] == [False, True]


def test_never_confirmed() -> None:
    """A match that only was opened has a report."""
    of = summary(log_of("0 wait", settings()))
    assert (of.games, of.turns, of.records) == ((), (), 1)
    assert "NEVER CONFIRMED" in printed(of)


def test_names_are_no_markup() -> None:
    """A name can neither colour a report nor move the cursor."""
    odd = named(settings(), "[red]A[/]", "B\x1b[2J")
    text = printed(summary(log_of("0 wait", odd)))
    assert "[red]A[/]" in text
    assert "B?[2J" in text


def test_many_refused_presses_are_counted() -> None:
    """A player who plays with the button gets one row."""
    world = World.running()
    for _ in range(40):
        world.press(RIGHT)
    assert "Presses without effect: 40" in printed(summary(lines_of(world)))


def test_damaged() -> None:
    """Nothing is reported of a log that was changed."""
    lines = log_of(SMALL_MATCH, settings())
    lines[7] = lines[7].replace(b"left", b"LEFT")
    with pytest.raises(DamagedError, match="line 8"):
        summary(lines)
    with pytest.raises(DamagedError, match="empty"):
        summary([])


def test_a_report_fits_a_terminal_of_80(small: Summary) -> None:
    """No line is cut where most terminals end."""
    assert max(len(line.rstrip()) for line in printed(small, 80).splitlines()) <= 80
    assert "…" not in printed(small, 80)


def test_lines_of_one_input_are_all_reported() -> None:
    """Two players' lateness may fall due at one instant: both are told."""
    world = World(match_settings())
    world.act(inputs.AbsenceNoted, side=LEFT).act(inputs.AbsenceNoted, side=RIGHT).wait("5:00")
    of = summary(lines_of(world))
    assert len(of.acts) == 4
    assert of.records == len(world.records)


# --- disputes and absent players --------------------------------------------------------------


def words(of: Summary, language: str = "en") -> str:
    """The report on one line."""
    return " ".join(printed(of, 200, language).split())


@pytest.mark.rule("R101")
def test_an_absent_players_clock_was_started_by_the_director() -> None:
    """Nobody confirmed, and the report says why."""
    author = Author(settings(profile="nbgf"))
    author.direct("absent_clock", RIGHT)
    author.do("press centre", 100)
    author.do("press left", 5)
    of = summary(log_of(author.script, settings(profile="nbgf")))
    assert of.confirmed is None
    started = "not confirmed: Bo was absent, and the TD started their clock at 12:00:14"
    assert started in words(of)
    assert "NEVER CONFIRMED" not in words(of)
    assert "Director: Bo late, Their clock runs" in words(of)


@pytest.mark.rule("R102")
def test_a_turn_knows_its_reserves_and_who_ended_it(small: Summary) -> None:
    """Reserves at both ends of a turn; the button that ended it, and why the clock was stopped."""
    reserves = [turn.reserve_ns.map(lambda left: (BANK_NS - left) // S) for turn in small.turns]
    assert reserves == [
        Pair(0, 8),
        Pair(0, 0),
        Pair(8, 11),
        Pair(0, 18),
        Pair(18, 18),
        Pair(11, 11),
    ]
    ends = [turn.ended_by and turn.ended_by.stamp.line for turn in small.turns]
    assert ends == [6, 7, 9, 15, 21, None]
    assert [turn.reason for turn in small.turns[3:5]] == [Reason.GAME_OVER, None]


@pytest.mark.rule("R102")
def test_whose_clock_each_stop_stopped(small: Summary) -> None:
    """The player whose clock was stopped, and in which turn."""
    assert [(stop.player, small.turn_at(stop.begun)) for stop in small.stops] == [
        (LEFT, 4),
        (RIGHT, 6),
    ]


@pytest.mark.rule("R102")
def test_a_stop_of_a_free_turn_stops_no_players_clock() -> None:
    """The turn is played off the clock."""
    world = World.running(profile="ebf")
    world.centre("0:05").choose(Reason.EARLY_PICKUP).centre().centre("0:05")
    stop = summary(lines_of(world)).stops[-1]
    assert stop.player is None
    assert "Off the clock: No reason given" in words(summary(lines_of(world)))


@pytest.mark.rule("R102")
def test_the_turns_before_each_incident() -> None:
    """Six turns before the one that was stopped, however many there were; a quiet turn has none."""
    world = World.running()
    for number in range(9):
        world.press((LEFT, RIGHT)[number % 2], "0:15")
    world.centre("0:05")
    of = summary(lines_of(world))
    assert [passage.turn for passage in of.passages if passage.notable] == [10]
    rows = printed(of).partition("Turn 10, and the turns before it")[2].splitlines()[3:10]
    assert [int(row.split()[0]) for row in rows] == list(range(4, 11))
    assert rows[-1].split()[-2:] == ["under", "way"]


@pytest.mark.rule("R102")
def test_time_given_back_stands_at_the_stop() -> None:
    """To whom, and how much; so does the act, with the reserve before and after."""
    author = Author(settings())
    author.confirm()
    author.do("press left", 5)
    author.do("press right", 20)
    author.do("press left", 5)
    author.do("press centre", 30)
    author.direct("add_time", RIGHT, 1, 18 * S, "director")
    author.do("press centre", 1)
    text = words(summary(log_of(author.script, settings())))
    assert "10:00 / 9:34 Bo +0:18" in text
    assert "Director: Bo, 9:34 → 9:52, Director's decision" in text


@pytest.mark.rule("R102")
def test_the_report_names_no_person_behind_a_button() -> None:
    """A claim and the centre have no owner in any line of it."""
    world = World.running(profile="ebf", length=5, time_per_point_ns=6 * S)
    world.wait("0:43").press(LEFT, "0:01").centre("0:04").choose(Reason.TIME_EXPIRED).centre()
    text = words(summary(lines_of(world)))
    assert "Flag claimed, Left: time expired" in text
    assert "claimed by" not in text
    assert "Right pressed" not in text


@pytest.mark.rule("R103")
def test_after_a_change_of_sides_names_stay_with_their_players() -> None:
    """The heading says who sits where at the end; a plunger is its player's of that moment."""
    author = Author(settings())
    author.direct("swap")
    author.confirm()
    author.do("press left", 5)
    author.do("press right", 20)
    text = words(summary(log_of(author.script, settings())))
    assert "Anna (Right) - Bo (Left), they have changed sides" in text
    assert "Bo's plunger, Anna's clock runs" in text
    assert "Before the first turn" in text
    assert "Director: Sides, Anna, Bo → Bo, Anna" in text


@pytest.mark.rule("R102")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Anna's plunger, not on move"),
        ("de", "Taste Anna, nicht am Zug"),
        ("da", "Knap Anna, uden for tur"),
        ("nb", "Knapp Anna, utenfor tur"),
    ],
)
def test_a_report_in_each_language(small: Summary, language: str, said: str) -> None:
    """Words as on the panels, and no line is longer than a terminal."""
    assert said.lower() in words(small, language).lower()
    lines = printed(small, 80, language).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    others = {"de": "Turn ", "da": "Turn ", "nb": "Turn ", "en": "Zug "}
    assert others[language] not in printed(small, 80, language)


def test_players_without_a_name_are_called_by_their_side_in_the_language() -> None:
    """The file names no players: left and right, in German too."""
    text = words(summary(lines_of(World.running().press(LEFT, "0:15").centre())), "de")
    assert "Links - Rechts, bis 11" in text
    assert "Taste Links, Uhr läuft: Rechts" in text


@pytest.mark.slow
@pytest.mark.rule("R102")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("profile", ["ebf", "nbgf"])
def test_nothing_is_cut_in_a_terminal_of_80(language: str, profile: str) -> None:
    """With the longest names, each letter of a wide terminal is in the narrow one too."""
    long = named(match_settings(length=5, profile=profile), "Maximilianus", "Wilhelmina-W")
    of = summary(log_of(random_match(long, 2).script, long))
    narrow, wide = (printed(of, width, language) for width in (80, 300))
    assert max(map(len, narrow.splitlines())) <= 80
    assert letters(narrow) == letters(wide)


def letters(text: str) -> Counter[str]:
    """How often each letter occurs; lines and spaces do not count."""
    return Counter(letter for letter in text if letter not in " \n─")
