"""What the menu's items ask for, and what they begin with."""

from collections.abc import Callable

import pytest

from clock.match.durations import clock_text
from clock.match.lateness import late_player
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.match.types import Crawford, Pair, ResumeWith, Side
from clock.ui.forms import UNSET, Choice
from clock.ui.menu_fields import (
    LEFT_OR_RIGHT,
    added_time_entry,
    banks_entry,
    delay_entry,
    end_reason_entry,
    end_reasons,
    gin_possible,
    in_file,
    likely_loser,
    mover,
    names_entry,
    overtime_entry,
    penalty_entry,
    press_entry,
    resume_entry,
    score_crawford_entry,
    side_entry,
    time_reason_entry,
    winner_entry,
)
from clock.ui.names import UNNAMED
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import (
    C,
    Desk,
    L,
    R,
    absent,
    after_game,
    carried_out,
    desk,
    in_break,
    ready,
    stopped,
)
from lab.support.world import LEFT, RIGHT, inputs

BOTH = (LEFT, RIGHT)


def with_flags(profile: str, *orders: int) -> Desk:
    """Stopped, with flags as entered; 0: none."""
    table = stopped(profile)
    for side, order in zip(Side, orders, strict=True):
        table.input(inputs.FlagSet, side=side, order=order)
    return table


def offered(entry: Choice) -> list[object]:
    """The values that can be chosen."""
    return [option.value for option in entry.options if option is not UNSET]


@pytest.mark.rule("R47")
@pytest.mark.parametrize(
    ("profile", "orders", "winners"),
    [
        ("ebf", (0, 0), ()),
        ("ebf", (1, 0), ()),  # one flag: that side has lost, gin or not
        ("ebf", (0, 1), ()),
        ("ebf", (1, 2), BOTH),
        ("jbs", (1, 2), BOTH),
        ("dbgf", (1, 0), ()),
        ("dbgf", (2, 1), BOTH),
        ("nbgf", (0, 0), ()),
        ("nbgf", (1, 0), (LEFT,)),
        ("nbgf-lyn", (0, 1), (RIGHT,)),
        ("nbgf", (1, 2), BOTH),
        ("us", (1, 2), ()),
        ("us-doubles", (1, 0), ()),
    ],
)
def test_gin_is_offered_as_the_profile_has_it(
    profile: str, orders: tuple[int, int], winners: tuple[Side, ...]
) -> None:
    """On the form's own page: the word is there for these winners and for no others."""
    for side in Side:
        table = with_flags(profile, *orders)
        assert gin_possible(table.state, side) == (side in winners)
        table.open_item("end_match").enter(side)
        assert ("gin: sure win" in table.faces().left.lines) == (side in winners)


@pytest.mark.rule("R47")
@pytest.mark.parametrize(
    ("profile", "orders", "winner", "first"),
    [
        ("ebf", (1, 0), RIGHT, ["time", "director"]),
        ("ebf", (1, 2), RIGHT, ["time", "gin"]),  # the other fell first and lost
        ("ebf", (1, 2), LEFT, ["gin", "time"]),  # only a sure win can save who fell first
        ("nbgf", (1, 0), LEFT, ["gin", "director"]),
        ("us", (1, 2), LEFT, ["time", "director"]),
        ("us", (0, 0), LEFT, ["director", "forfeit"]),
        ("ebf", (1, 2), None, ["director"]),
    ],
)
def test_the_likely_end_comes_first(
    profile: str, orders: tuple[int, int], winner: Side | None, first: list[str]
) -> None:
    """Time before gin for who did not run out first, the other way round for who did."""
    state = with_flags(profile, *orders).state
    assert list(end_reasons(state, winner))[: len(first)] == first
    assert offered(end_reason_entry(state, (winner,))) == list(end_reasons(state, winner))


@pytest.mark.rule("R89")
@pytest.mark.parametrize(("winner", "first"), [(RIGHT, "late"), (LEFT, "director")])
def test_only_a_late_player_loses_for_lateness(winner: Side, first: str) -> None:
    """The left player is absent, came late, or has points; of the right one nothing is known."""
    points = stopped()
    points.input(inputs.PointsAwarded, side=LEFT, points=1, why="conduct")
    for table in (absent(), absent().pass_time(12 * MINUTE_NS).tap(L), points):
        assert end_reasons(table.state, winner)[0] == first


@pytest.mark.rule("R89")
@pytest.mark.parametrize(
    ("table", "winner"),
    [
        (lambda: with_flags("ebf", 1, 0), RIGHT),
        (lambda: with_flags("ebf", 2, 1), LEFT),
        (lambda: with_flags("ebf", 1, 1), None),  # undetermined
        (absent, None),
        (stopped, None),
    ],
)
def test_the_winner_is_proposed(table: Callable[[], Desk], winner: Side | None) -> None:
    """The opponent of whose flag fell first, else neither; each side can be chosen."""
    entry = winner_entry(table().state, ())
    assert (entry.value, entry.complete) == (winner, winner is not None)
    assert offered(entry) == [LEFT, RIGHT]


@pytest.mark.rule("R89")
def test_who_has_lost() -> None:
    """Who has too many penalty points, or the first flag; lateness alone loses nothing."""
    table = absent().pass_time(30 * MINUTE_NS)
    assert likely_loser(table.state) is None
    table.input(inputs.FlagSet, side=LEFT, order=1)
    assert likely_loser(table.state) is LEFT
    table.input(inputs.PointsAwarded, side=RIGHT, points=6, why="conduct")
    assert likely_loser(table.state) is RIGHT


@pytest.mark.rule("R89")
def test_who_is_meant() -> None:
    """The side on the clock, the one that is late; without one neither is."""
    assert (mover(stopped().state), mover(ready().state)) == (LEFT, None)
    assert (late_player(absent().state), late_player(ready().state)) == (LEFT, None)
    entry = side_entry("clock_of", lambda _: RIGHT)(ready().state, ())
    assert (entry.value, offered(entry)) == (RIGHT, [LEFT, RIGHT])
    only = side_entry("clock_of", lambda _: LEFT, lambda _, side: side is RIGHT)
    assert offered(only(ready().state, ())) == [RIGHT]
    entry = side_entry("clock_of")(ready().state, ())
    assert (entry.complete, entry.turned(-1).value, entry.turned(1).value) == (False, LEFT, RIGHT)
    assert Choice.turned(entry, 1).options == LEFT_OR_RIGHT


def test_the_reason_for_a_change_of_time() -> None:
    """The director's decision; for a game that was not decided that (NBgF 4-3-2)."""
    for table in (stopped("nbgf", Reason.NOT_DECIDED), carried_out(Reason.CLOCK_FAULTY, "nbgf")):
        assert time_reason_entry(table.state, ()).value == ("director", None)
        assert added_time_entry(table.state, ()).value == 0
    held = carried_out(Reason.NOT_DECIDED, "nbgf").state
    assert time_reason_entry(held, ()).value == ("not_decided", None)
    assert sorted(map(str, offered(time_reason_entry(held, ())))) == sorted(
        map(str, offered(time_reason_entry(stopped().state, ())))
    )


@pytest.mark.rule("R37")
@pytest.mark.parametrize(("profile", "text"), [("nbgf", "2:00"), ("nbgf-lyn", "0:12")])
def test_the_award_is_proposed(profile: str, text: str) -> None:
    """NBgF 4-3-2: PN for the player in the right; elsewhere the form begins at nothing."""
    held = carried_out(Reason.NOT_DECIDED, profile).state
    assert clock_text(added_time_entry(held, ()).value) == text
    assert added_time_entry(stopped(profile).state, ()).value == 0


@pytest.mark.rule("R66")
def test_presses_to_go_back_to() -> None:
    """Latest first, with the reserve at each; equal ones, between which the clock rested, once."""
    table = ready().tap(R)
    for seconds, button in zip((20, 15, 30, 12, 14), (L, R, L, R, L), strict=True):
        table.pass_time(seconds * SECOND_NS).tap(button)
    entry = press_entry(table.state, (LEFT,))
    labels = [option.label for option in entry.options]
    assert labels == ["=-1: 21:32", "=-2: 21:34", "=-4: 21:52", "=-6: 22:00"]


def test_a_clock_starts_as_it_was_only_on_its_own_side() -> None:
    state = stopped().state
    kinds = [kind for kind in ResumeWith if kind is not ResumeWith.NEW]
    assert offered(resume_entry(state, (LEFT,))) == kinds
    assert ResumeWith.REST not in offered(resume_entry(state, (RIGHT,)))
    assert ResumeWith.REST not in offered(resume_entry(ready().state, (LEFT,)))
    free = carried_out(Reason.EARLY_PICKUP).tap(C).state  # as it was is off the clock
    assert ResumeWith.FREE not in offered(resume_entry(free, (LEFT,)))


def test_answers_that_a_situation_excludes_are_not_offered() -> None:
    """This delay of a turn not on the clock, a Crawford game to come where it is over or now."""
    state = stopped(length=7).state
    of_turn = [any(isinstance(v, tuple) for v in offered(delay_entry(state, (s,)))) for s in Side]
    assert of_turn == [True, False]
    entries = (score_crawford_entry(state, (LEFT, points)) for points in (5, 6, 7))
    games = [Crawford.DONE, Crawford.NOW]
    assert [entry and offered(entry) for entry in entries] == [None, games, None]


@pytest.mark.rule("R119")
def test_points_change_both_times_before_the_first_game() -> None:
    """Where they count and a match has times."""
    timeless = ready(pace=PROFILES["ebf"].at_pace().pace)
    tables = ready(), after_game(), ready(penalty_points_score=False), timeless
    assert [bool(banks_entry(table.state, ())) for table in tables] == [True, False, False, False]


def test_names_of_the_file_come_first_and_those_that_are_no_names_are_left_out() -> None:
    table = desk()
    entry, own = names_entry(table.state, ()), Pair("Ada", "Bo")
    assert offered(in_file(entry, table.state, own)) == [own, table.state.names.swapped()]
    table.state = table.state.replace(names=Pair(*UNNAMED))
    assert offered(in_file(names_entry(table.state, ()), table.state, own)) == [own]


@pytest.mark.rule("R49")
def test_overtime_as_the_rules_have_it() -> None:
    assert overtime_entry(stopped().state, ()).value == MINUTE_NS
    assert overtime_entry(stopped(overtime_ns=2 * MINUTE_NS).state, ()).value == 2 * MINUTE_NS


@pytest.mark.rule("R59", "R61")
@pytest.mark.parametrize(("minutes", "points"), [(0, 1), (5, 1), (14, 2), (15, 3)])
def test_points_as_lateness_has_come_to(minutes: int, points: int) -> None:
    """A point after five minutes, then every five; one where no lateness was counted."""
    table = absent().pass_time(minutes * MINUTE_NS)
    assert penalty_entry(table.state, (LEFT, "late")).value == points
    assert penalty_entry(table.state, (RIGHT, "late")).value == 1
    assert offered(penalty_entry(table.state, (RIGHT, "late"))) == list(range(1, 65))


@pytest.mark.rule("R59", "R61")
def test_points_after_a_break() -> None:
    """Of the player who took it; if both did, the director says who is late."""
    table = in_break().pass_time(15 * MINUTE_NS)
    assert [penalty_entry(table.state, (side, "late")).value for side in Side] == [2, 1]
    both = after_game().tap(C, L, R, C).pass_time(20 * MINUTE_NS)
    assert [penalty_entry(both.state, (side, "late")).value for side in Side] == [2, 2]
