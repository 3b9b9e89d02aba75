"""Rulings where the clock once misled the director: score, Crawford game, flags, free turns, holds.

Each story is told by the buttons alone, and its log replays.
"""

import msgspec
import pytest

from clock.match.events import (
    AdjustedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    GameOverEvent,
    OvertimeEvent,
    PressedEvent,
    ResumedEvent,
)
from clock.match.profiles import PROFILES
from clock.match.rules import Reason
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.ui.dialogue import SAME_MOMENT_NS
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import C, Desk, L, R, desk
from lab.support.rulings import (
    done,
    first_item,
    flag_down,
    opening,
    playing,
    previewed,
    prove,
    selected,
    stop_for,
    won,
)
from lab.support.world import LEFT, RIGHT

CLEARED = "Flag cleared"


# --- holds ------------------------------------------------------------------------------------


# --- the Crawford game ------------------------------------------------------------------------


@pytest.mark.rule("R91")
@pytest.mark.parametrize(
    ("status", "shown"), [(Crawford.DONE, "Ready"), (Crawford.NOW, "Crawford game")]
)
def test_the_players_say_whether_the_crawford_game_has_been_played(
    status: Crawford, shown: str
) -> None:
    """EBF 4.4(iv): a file with 6-4 of 7; once both have confirmed, the centre asks."""
    table = desk(length=7, score=(6, 4)).tap(C)
    assert table.last() == PressedEvent(C, accepted=False, why="not_confirmed")
    table.tap(L, R, C)
    assert (selected(table), table.faces().left.status) == ("...", "Crawford game")
    table.tap(C)
    assert table.last() == PressedEvent(C, accepted=False, why="not_chosen")
    said = CorrectedEvent("crawford", None, "unknown", status.value, by="players")
    assert msgspec.structs.replace(done(table.enter(status)), code=None) == said
    assert table.tap(C).state.phase is Phase.READY
    assert table.faces().left.status == shown
    prove(table)


@pytest.mark.rule("R91")
def test_the_question_comes_again_until_it_is_answered() -> None:
    """Holding the centre leaves it; then the director can answer it too, as their first item."""
    table = desk(length=7, score=(4, 6)).tap(L, R, C).hold()
    assert (table.state.phase, table.dialogue.page) == (Phase.REVIEW, None)
    assert first_item(table) == "Crawford"
    assert selected(table.tap(C)) == "..."
    table.hold().open_item("crawford").enter(Crawford.NOW).tap(C, C)
    assert (table.state.phase, table.state.crawford) == (Phase.READY, Crawford.NOW)
    prove(table)


@pytest.mark.rule("R91")
@pytest.mark.parametrize("status", [Crawford.NOW, Crawford.DONE])
def test_a_score_that_the_director_enters_asks_too(status: Crawford) -> None:
    """6-0 and 6-4 of 7 leave it open; with 6-6 it has been played, whatever was said before."""
    table = opening(length=7).open_item("score").enter(LEFT, 6)
    assert (selected(table), table.faces().left.status) == ("...", "Crawford game")
    event = done(table.enter(status))
    assert event == CorrectedEvent("score", LEFT, 0, 6, crawford=status.value)
    assert table.state.crawford is status
    table.open_item("score").enter(RIGHT, 4, Crawford.NOW).through().tap(C)
    table.open_item("score").enter(RIGHT, 6).through().tap(C)
    assert (table.state.score, table.state.crawford) == (Pair(6, 6), Crawford.DONE)
    assert table.faces().left.status == "Ready"
    prove(table)


@pytest.mark.rule("R92")
@pytest.mark.parametrize(
    ("points", "warning"),
    [(1, None), (2, None), (3, None), *((n, "impossible_points") for n in (4, 6, 8))],
)
def test_the_crawford_game_has_no_cube(points: int, warning: str | None) -> None:
    """EBF 4.4(iv)(b): more than 3 points are impossible in it, and possible again in the next."""
    table = won(opening(length=19, score=(17, 0)), L).tap(R)
    stop_for(table, Reason.GAME_OVER).tap(*[R] * points)
    assert all(("Impossible points" in face.lines) is bool(warning) for face in table.faces())
    event = done(table)
    assert isinstance(event, GameOverEvent)
    assert (event.points, event.warning) == (points, warning)
    stop_for(table.tap(R), Reason.GAME_OVER).tap(*[R] * 4)
    assert all("Impossible points" not in face.lines for face in table.faces())
    prove(table)


# --- points, score, flags ---------------------------------------------------------------------


@pytest.mark.rule("R98")
def test_each_of_two_absent_players_has_a_next_point_of_their_own() -> None:
    """One is 4 minutes late when the other is noted, 2 s later."""
    table = desk().open_item("absent").enter(LEFT, 4).tap(C)
    table.open_item("absent").enter(RIGHT, 0).tap(C)
    assert [face.lines[-1] for face in table.faces()] == ["1 point in 0:59", "1 point in 5:00"]
    prove(table)


@pytest.mark.rule("R93")
@pytest.mark.parametrize("button", [L, R])
def test_the_log_names_no_claimant_of_a_flag(button: Button) -> None:
    """EBF 4.3(iii): it has whose flag it is and how long ago it fell, whoever presses."""
    table = flag_down()
    while table.state.reason is not Reason.TIME_EXPIRED:
        table.tap(button)
    played_ns = 30 * MINUTE_NS + 20 * SECOND_NS
    overrun_ns = played_ns - 12 * SECOND_NS - 22 * MINUTE_NS
    assert done(table) == FlagClaimedEvent(LEFT, overrun_ns)
    assert set(msgspec.to_builtins(table.last())) == {"event", "side", "overrun_ns"}
    prove(table)


@pytest.mark.rule("R96")
def test_a_score_entered_at_the_review_is_an_entry() -> None:
    """EBF 3.5(vi): to 7, 14:00 each; at 6-4 it is 4:00. Later the score leaves the times alone."""
    table = desk(length=7)
    assert table.reserves() == (14 * MINUTE_NS, 14 * MINUTE_NS)
    table.open_item("score").enter(LEFT, 6, Crawford.DONE)
    assert "-6:00" in previewed(table)
    table.tap(C).open_item("score").enter(RIGHT, 4, Crawford.DONE).through().tap(C)
    assert table.reserves() == (4 * MINUTE_NS, 4 * MINUTE_NS)
    assert all("Time 4:00" in " ".join(face.lines) for face in table.faces())
    table.tap(L, R, C).open_item("score").enter(RIGHT, 3, Crawford.DONE).through().tap(C)
    assert table.reserves() == (4 * MINUTE_NS, 4 * MINUTE_NS)
    prove(table)


FlagClearing = AdjustedEvent | OvertimeEvent | CorrectedEvent
CLEARING: list[tuple[str, tuple[object, ...], type[FlagClearing]]] = [
    ("set_time", (LEFT, 5 * MINUTE_NS, "director"), AdjustedEvent),
    ("add_time", (LEFT, 5 * MINUTE_NS, "director"), AdjustedEvent),
    ("overtime", (LEFT, MINUTE_NS), OvertimeEvent),
    ("reset_banks", (), CorrectedEvent),
]


@pytest.mark.rule("R97")
@pytest.mark.parametrize("fallen", [True, False])
@pytest.mark.parametrize(("name", "values", "kind"), CLEARING)
def test_a_ruling_that_clears_a_flag_says_so(
    name: str, values: tuple[object, ...], kind: type[FlagClearing], fallen: bool
) -> None:
    """Before it is done and in its record; where no flag is down it says nothing of one."""
    table = flag_down() if fallen else playing().tap(C)
    table.open_item(name).enter(*values)
    assert (CLEARED in previewed(table)) is fallen
    event = done(table)
    assert isinstance(event, kind)
    assert event.flag_cleared is fallen
    assert table.state.flags_down == 0
    prove(table)


@pytest.mark.rule("R97")
@pytest.mark.parametrize("adjust", [True, False])
def test_a_new_length_that_clears_a_flag_says_so(adjust: bool) -> None:
    """It does if the times follow: 11 to 13 points give 4:00 to a player without any."""
    table = flag_down()
    while table.state.reason is not Reason.GAME_OVER:
        table.tap(R)
    table.tap(C, L, C).pass_time(0).open_item("length").enter(13, adjust)
    assert (CLEARED in previewed(table)) is adjust
    event = done(table)
    assert isinstance(event, CorrectedEvent)
    assert event.flag_cleared is adjust
    assert table.reserve_ns(LEFT) == (4 * MINUTE_NS if adjust else 0)
    assert table.state.flags_down == (0 if adjust else 1)
    prove(table)


# --- free turns -------------------------------------------------------------------------------

FREE = [
    (profile, reason)
    for profile in ("ebf", "nbgf")
    for reason in (*PROFILES[profile].reasons, Reason.DOUBLE)
]


def in_free_turn(profile: str = "ebf") -> Desk:
    """The left player finishes their turn off the clock."""
    reason = Reason.EARLY_PICKUP if profile == "ebf" else Reason.DICE_TAKEN
    table = stop_for(playing(profile), reason)
    assert is_free(table, LEFT)
    return table


def is_free(table: Desk, side: Side) -> bool:
    """Whether a player plays off the clock: half a minute costs nothing."""
    before = table.reserves()
    turn = table.pass_time(30 * SECOND_NS).state.turn
    free = turn is not None and turn.free and turn.side is side
    return free and table.state.phase is Phase.FREE_TURN and table.reserves() == before


@pytest.mark.rule("R100")
@pytest.mark.parametrize(("profile", "reason"), FREE)
def test_a_stop_keeps_a_free_turn(profile: str, reason: Reason) -> None:
    """NBgF 4-1-6: after an illegal move or a double the opponent plays on the clock first."""
    table = stop_for(in_free_turn(profile), reason)
    if reason in (Reason.ILLEGAL_MOVE, Reason.DOUBLE):
        assert table.state.running is RIGHT
        table.pass_time(PROFILES[profile].delay_ns + 3 * SECOND_NS)
        assert table.reserve_ns(RIGHT) == table.state.bank_ns() - 3 * SECOND_NS
        table.tap(R)
    elif table.state.held:
        table.open_item("lift_hold").through().tap(C, C)
    elif table.state.phase is Phase.GAME_OVER:
        table.open_item("reopen").tap(C, C)
    assert is_free(table, LEFT)
    assert table.tap(L).state.running is RIGHT
    prove(table)


@pytest.mark.rule("R100")
def test_a_double_is_a_reason_in_a_free_turn_alone() -> None:
    table = playing("nbgf").tap(C)
    for _ in Reason:
        assert table.tap(R).state.reason is not Reason.DOUBLE
    table = in_free_turn("nbgf").tap(C, R)
    assert table.state.reason is Reason.DOUBLE
    assert "Double" in table.faces().left.lines
    prove(table)


@pytest.mark.rule("R100")
def test_the_director_gives_a_free_turn_and_gives_it_back() -> None:
    """NBgF 4-1-6: the clock of the player does not start; lost by a mistake, it comes again."""
    table = playing().tap(C).open_item("resume").enter(LEFT, ResumeWith.FREE)
    assert "Left: untimed turn" in previewed(table)
    event = done(table)
    assert event == ResumedEvent(Reason.UNSPECIFIED, LEFT, ResumeWith.FREE, "director")
    assert is_free(table, LEFT)
    table.tap(C).open_item("resume").enter(LEFT, ResumeWith.REST).through().tap(C)
    assert is_free(table, LEFT)
    table.tap(C).open_item("resume").enter(LEFT, ResumeWith.FULL).through().tap(C)
    assert table.state.running is LEFT
    table.tap(C).open_item("resume").enter(LEFT, ResumeWith.FREE).through().tap(C)
    assert is_free(table, LEFT)
    prove(table)


@pytest.mark.rule("R100")
def test_the_director_gives_a_free_turn_ahead() -> None:
    table = playing("nbgf").tap(C).open_item("next_delay").enter(RIGHT, NextDelay.FREE)
    assert done(table) == CorrectedEvent("next_delay", RIGHT, "full", "free")
    table.tap(C)
    assert "UNTIMED TURN" in table.faces().right.delay_note
    assert is_free(table.tap(L), RIGHT)
    assert table.tap(R).state.running is LEFT
    assert table.tap(L).state.running is LEFT  # both pressed at once
    assert table.pass_time(SAME_MOMENT_NS).tap(L).state.running is RIGHT
    prove(table)
