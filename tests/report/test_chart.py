"""The chart: each corner stands at its instant and reserve, and any name can be drawn.

After a change that is meant: `NEW_PICTURES=1 pytest tests/report` writes the drawings anew; look at
them before they are committed.
"""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from msgspec.structs import replace

from clock.config.loader import load_settings
from clock.match import inputs
from clock.match.rules import Reason
from clock.match.types import Side
from clock.report.build import summary
from clock.report.chart import PLAYERS, Period, chart, marked_stops, period, round_step_ns
from clock.report.chart_file import render
from clock.report.summary import Stamp
from clock.ui.i18n import sayer
from lab.support.charts import BREAK, SCRIPT, S, drawn, settings
from lab.support.match_scripts import Author, log_of, random_match
from lab.support.reports import REPORTS, compare, told
from lab.support.world import LEFT, World

SIGNS = 2  # the third part of the figure


def corners(line: Line2D) -> list[tuple[int, int]]:
    """The corners of a line: instant and reserve, in ns."""
    return [(int(x), int(y)) for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]  # type: ignore[arg-type]


def reserve(figure: Figure, player: Side) -> list[tuple[int, int]]:
    """The corners of a player's reserve: the longest line in their colour."""
    lines = (line for line in figure.axes[1].lines if line.get_color() == PLAYERS[player])
    return max(map(corners, lines), key=len)


def texts(figure: Figure) -> dict[str, Text]:
    """What is written in the chart."""
    return {text.get_text(): text for text in figure.findobj(Text) if text.get_visible()}


def tooltips(artists: Iterable[Artist]) -> list[str]:
    """What is shown when a part of the chart is pointed at."""
    return [str(artist.get_label()) for artist in artists]


@pytest.mark.slow
def test_a_reserve_is_flat_and_then_falls() -> None:
    """A turn's line is flat during its delay and has its corner where the delay is over."""
    figure = drawn()
    assert reserve(figure, Side.RIGHT) == [
        (3 * S, 60 * S),
        (20 * S, 60 * S),
        (40 * S, 40 * S),
        (103 * S, 40 * S),
    ]
    assert reserve(figure, Side.LEFT) == [(3 * S, 60 * S), (52 * S, 60 * S), (103 * S, 9 * S)]


@pytest.mark.slow
def test_there_are_at_most_six_levels_and_twelve_instants() -> None:
    _, plot, signs = drawn(SCRIPT.replace("63 ", "88 "), settings(time_per_point_ns=65 * S)).axes
    levels = [label.get_text() for label in plot.get_yticklabels()]
    instants = [label.get_text() for label in signs.get_xticklabels()]
    assert levels == ["0:00", "0:15", "0:30", "0:45", "1:00", "1:15"]
    assert instants[:2] == ["0:15", "0:30"]
    assert drawn("0 wait", settings(time_per_point_ns=0)).axes[1].get_ylim() == (0, 60 * S)


@pytest.mark.slow
def test_the_instants_are_those_of_the_match_up_to_its_end() -> None:
    """However long the players were awaited: from 1:50 to 3:30 there are ten steps."""
    signs = drawn(f"107 wait\n{SCRIPT}").axes[SIGNS]
    instants = [label.get_text() for label in signs.get_xticklabels()]
    assert (instants[0], instants[-1], len(instants)) == ("1:50", "3:30", 11)


@pytest.mark.parametrize(
    ("script", "left", "right"),
    [(SCRIPT, 9 / 60, 40 / 60), ("0 wait", 1, 0.89), (f"{SCRIPT}63 wait", 0.16, 0.05)],
)
@pytest.mark.slow
def test_names_stand_where_the_lines_end_but_do_not_cover_each_other(
    script: str, left: float, right: float
) -> None:
    """In heights of the plot; nobody's name is below it."""
    written = texts(drawn(script))
    heights = [written[name].get_position()[1] for name in ("Anna", "Bo")]
    assert heights == pytest.approx([left, right])


@pytest.mark.slow
def test_a_title_is_as_wide_as_the_chart_at_most() -> None:
    name = "W" * 24
    title = texts(drawn("0 wait", settings(name, name)))[f"{name}  0 - 0  {name}"]
    assert 1400 < title.get_window_extent().width < 1450


@pytest.mark.slow
def test_a_game_of_which_no_clock_was_started_hides_no_other() -> None:
    """It has no place in the chart; those after it have theirs."""
    author = crowded()
    of = summary(log_of(author.script, author.state.settings))
    figure = chart(replace(of, games=(of.games[0]._replace(begun=None), *of.games[1:])))
    names = [label.partition(",")[0] for label in tooltips(figure.axes[0].patches)]
    assert [name for name in names if name.startswith("game")] == ["game 2", "game 3", "game 4"]


@pytest.mark.slow
def test_a_long_name_is_shortened() -> None:
    """To as many letters as there is room for, in the title and beside the lines."""
    for name, shown in (("W" * 24, "W" * 24), ("W" * 25, "W" * 23 + "…")):
        written = texts(drawn("0 wait", settings(name)))
        assert {shown, f"{shown}  0 - 0  Bo"} <= set(written)


@pytest.mark.parametrize(
    ("after", "beside"), [(1, -68), (40, 68), (2000, 68)], ids=["right", "middle", "left"]
)
@pytest.mark.slow
def test_the_end_of_play_with_a_clock_is_marked(after: int, beside: int) -> None:
    """A line stands where the director let the players go on without a clock.

    Its label stands on the side where there is more room.
    """
    match = settings(length=5)
    author = Author(match)
    author.confirm()
    author.do("press left", 5)
    author.do("press centre", 5)
    author.direct("no_clock")
    author.do("press left", after)
    found = summary(log_of(author.script, match))
    (ruling,) = found.interventions
    figure = chart(found)
    lines = [line.get_xdata() for line in figure.axes[1].lines]
    assert [ruling.stamp.at_ns] * 2 in [list(x) for x in lines]  # type: ignore[arg-type]
    box = texts(figure)["no clock from here"].get_window_extent()
    assert 0 <= box.x0 <= box.x1 <= 1600
    (line_px, _) = figure.axes[1].transData.transform((ruling.stamp.at_ns, 0))
    assert (box.x0 + box.x1) / 2 - line_px == pytest.approx(beside * 100 / 72, abs=1)


@pytest.mark.slow
def test_a_clock_that_was_taken_away_and_given_back_marks_no_end_of_play() -> None:
    world = World.running().centre().input(inputs.ClockRemoved).input(inputs.Undone).centre("0:05")
    assert "no clock from here" not in texts(chart(told(world)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_everything_is_in_the_picture(seed: int) -> None:
    match = settings("W" * 60, length=5, profile="nbgf", time_per_point_ns=20 * S)
    figure = drawn(random_match(match, seed).script, match)
    render(figure, ".png")
    for text in texts(figure).values():
        box = text.get_window_extent()
        assert 0 <= box.x0 <= box.x1 <= 1600
        assert 0 <= box.y0 <= box.y1 <= 900
    for axes in figure.axes:
        left, right = axes.get_xlim()
        for line in axes.lines:
            assert all(left <= x <= right for x, _ in corners(line))
    signs = [corners(line)[0] for line in figure.axes[SIGNS].lines]
    assert all(y in {0, 1} for _, y in signs)


@pytest.mark.slow
def test_signs_a_hundredth_of_the_plot_apart_are_all_there() -> None:
    match = settings(length=5)
    author = Author(match)
    author.do("wait", 900)
    author.confirm()
    author.do("press left", 5)
    for _ in range(3):
        author.do("press centre", 2)
        author.do("press centre", 1)
    author.do("press centre", 0.5)  # too close to the one before
    author.do("press centre", 136)
    stops = drawn(author.script, match).axes[SIGNS].lines
    assert len(stops) == 3


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_signs_do_not_overlap(seed: int) -> None:
    """Of two signs that would overlap in their row, the later is left out."""
    match = settings(length=5, profile="nbgf", time_per_point_ns=20 * S)
    signs = drawn(random_match(match, seed).script, match).axes[SIGNS]
    left, right = signs.get_xlim()
    for row in (0, 1):
        at = sorted(x for x, y in (corners(line)[0] for line in signs.lines) if y == row)
        assert all(later - earlier >= (right - left) / 100 for earlier, later in pairwise(at))


def crowded() -> Author:
    """Games without room for their labels, two changes at one place, the end without a clock."""
    match = settings("W" * 60, length=9, time_per_point_ns=20 * S)
    author = Author(match)
    author.confirm()
    for winner in (Side.LEFT, Side.RIGHT, Side.LEFT):
        author.do("press left", 3)
        author.end_game(winner, 1)
    author.do("press left", 300)
    author.do("press right", 100)
    for after, side, changes in ((30, Side.LEFT, (65, 1)), (5, Side.RIGHT, (-30,))):
        author.do("press centre", after)
        for change in changes:
            author.direct("add_time", side, change * S, "restored")
        author.do("press centre", 5)
    author.do("press centre", 30)
    author.direct("no_clock")
    author.do("wait", 90)
    return author


@pytest.mark.parametrize(("name", "language"), [("everything", "en"), ("crowded", "de")])
@pytest.mark.slow
def test_a_chart_is_as_it_was(name: str, language: str) -> None:
    if name == "crowded":
        author = crowded()
        lines = log_of(author.script, author.state.settings)
    else:
        script = (REPORTS / "everything.script").read_text("utf-8")
        lines = log_of(script, load_settings(REPORTS / "everything.toml").match)
    drawing = render(chart(summary(lines), sayer(language)), ".svg")
    compare(REPORTS / f"{name}.svg", drawing.decode())


@pytest.mark.rule("R102")
@pytest.mark.slow
def test_a_chart_in_another_language() -> None:
    """Axes, legend and labels are in it; the name of a player stays."""
    figure = chart(summary(log_of(BREAK, settings(length=5))), sayer("de"))
    games, plot, _ = figure.axes
    assert plot.get_ylabel() == "Matchzeit"
    assert "12:00:47 Pause, 1:40, erlaubt 5:00" in tooltips(plot.patches)
    assert "Spiel 1, Bo +1, 0-1" in tooltips(games.patches)
    assert "Anna  0 - 1  Bo" in texts(figure)
    english = {"break", "stop", "stops", "reserve", "TD, power"}
    assert not english & set(texts(figure))


def test_what_lies_outside_is_shown_at_the_edge() -> None:
    shown = Period(10, 20)
    assert [shown.clamp(at_ns) for at_ns in (9, 10, 15, 20, 21)] == [10, 10, 15, 20, 20]
    assert shown.span(Stamp(1, 5, ""), Stamp(2, 25, "")) == (10, 20)
    assert shown.span(Stamp(1, 12, ""), Stamp(2, 13, "")) == (12, 13)
    assert shown.span(Stamp(1, 12, ""), None) == (12, 20)


def test_the_axis_begins_with_what_came_first() -> None:
    """The confirmation, or a player who was late before it; no other ruling."""
    confirmed = summary(log_of(SCRIPT, settings()))
    assert period(confirmed) == (3 * S, 103 * S)
    late = World(settings()).wait("0:05").input(inputs.AbsenceNoted, side=LEFT).wait("0:05")
    assert period(told(late.input(inputs.Approved).centre())).begin_ns == 5 * S
    swapped = World(settings()).wait("0:05").input(inputs.SidesSwapped).wait("0:05")
    assert period(told(swapped.input(inputs.Approved).centre())).begin_ns == 10 * S


def test_the_axis_ends_with_the_match() -> None:
    """Or with the log, if that is not over; and is never without length."""
    over = World.stopped().input(inputs.MatchEnded, winner=LEFT, why="director").wait("0:09")
    told_later = told(over.input(inputs.FaultSeen, part="log", what="full"))
    assert told_later.over is not None
    assert period(told_later).end_ns == told_later.over[0].at_ns < told_later.last.at_ns
    assert period(summary(log_of("0 wait", settings()))) == (0, S)


def test_stops_that_belong_to_another_sign_are_not_marked() -> None:
    """The end of a game and a power cut have signs of their own."""
    author = Author(settings(length=5))
    author.confirm()
    author.do("press left")
    author.stop_for(Reason.INVALID_ROLL)
    author.do("power cut", 3)
    author.do("press centre")
    author.end_game(LEFT, 1)
    of = told(author)
    assert [stop.reason for stop in of.stops] == ["invalid_roll", "power_loss", "game_over"]
    assert [stop.reason for stop in marked_stops(of)] == ["invalid_roll"]


@pytest.mark.parametrize(
    ("span_s", "most", "step_s"),
    [
        (0, 6, 1),
        (6, 6, 1),
        (7, 6, 5),
        (60, 6, 10),
        (61, 6, 15),
        (12 * 14400, 12, 14400),
        (12 * 14400 + 1, 12, 28800),
        (36 * 14400, 12, 3 * 14400),
    ],
)
def test_the_smallest_round_step_of_which_few_enough_make_the_span(
    span_s: int, most: int, step_s: int
) -> None:
    assert round_step_ns(span_s * S, most) == step_s * S


def test_all_steps_are_round() -> None:
    """Parts of a minute, of an hour, or of a day in whole seconds, minutes or hours."""
    steps = {round_step_ns(span_s * S, 1) // S for span_s in range(14401)}
    for step in steps:
        units = ((1, 60), (60, 3600), (3600, 86400))
        assert any(step % unit == 0 and whole % step == 0 for unit, whole in units), step
    assert len(steps) > 10
