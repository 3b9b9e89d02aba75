"""What a press is said to do is what it does."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clock.match.events import PressedEvent, swaps_sides
from clock.match.inputs import CentrePressed, LanguageWanted, MatchWanted
from clock.match.rules import Reason
from clock.match.types import Pair, Phase, ResumeWith
from clock.ui.descriptions import REASONED
from clock.ui.dialogue import FormPage
from clock.ui.i18n import LANGUAGES
from clock.ui.names import UNNAMED
from clock.ui.preview import describe, preview
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import (
    LEFT,
    MOVES,
    RIGHT,
    STILL,
    TABLES,
    C,
    Desk,
    Move,
    absent,
    carried_out,
    finished,
    form_items,
    ready,
    scored,
    stopped,
)
from lab.support.examples import examples
from lab.support.rows import rest_slow


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(TABLES, MOVES, st.sampled_from(LANGUAGES))
def test_what_is_said_to_happen_happens(table: Desk, moves: list[Move], language: str) -> None:
    """What the right panel says before the press is what the record of the press tells."""
    table.language = language
    for move in moves:
        move.at(table)
        said = foretold(table)
        if said is None:
            continue
        shown = table.faces().right.lines
        assert all(line in shown for line in said[1:])
        table.down(C).up(C)
        if isinstance(table.given[-1], MatchWanted | LanguageWanted):
            continue
        (record,) = table.own
        event = record.event
        if isinstance(event, PressedEvent) and event.why == "menu":  # and is not done (R221)
            assert said == (table.view.say("nothing_changes"),)
            continue
        if swaps_sides(event):  # by name, where the record has none
            continue
        if isinstance(event, REASONED):  # the reason was entered on the page before
            event = msgspec.structs.replace(event, reason=None)
        assert describe(event, table.view)[:2] == said[:2]


@pytest.mark.rule("R221")
@pytest.mark.parametrize("phase", STILL)
@pytest.mark.parametrize("language", rest_slow(LANGUAGES))
def test_every_item_says_what_it_would_do(phase: Phase, language: str) -> None:
    """At least a line on the right panel, before anything is done; and then that happens.

    What would change nothing says so and is not carried out (R221).
    """
    for name in form_items(STILL[phase]()):
        table = STILL[phase]().open_item(name).through()
        table.language = language
        said = foretold(table)
        assert said
        right = table.faces().right
        assert tuple(line for line in right.lines if line) == said
        nothing, before = said == (table.view.say("nothing_changes"),), table.state
        assert (right.keys[1] == table.view.say("close")) is nothing
        table.down(C).up(C)
        if nothing:
            assert table.own[0].event == PressedEvent(C, accepted=True, why="menu")
            assert table.state.replace(at_ns=before.at_ns) == before
        elif name not in ("new_match", "language", "swap"):  # sides by name, see below
            assert describe(table.own[0].event, table.view)[:2] == said[:2]


@pytest.mark.rule("R221")
@pytest.mark.parametrize("name", ["score", "set_time", "add_time", "flag", "breaks", "length"])
def test_a_value_that_is_entered_as_it_was_changes_nothing(name: str) -> None:
    table = ready().open_item(name).through()
    assert previewed(table) == ("Nothing changes",)


def foretold(table: Desk) -> tuple[str, ...] | None:
    """What the panels say that the centre would do; None if they do not say it."""
    page = table.dialogue.page
    if isinstance(page, FormPage) and page.entry is None:
        return preview(table.view, table.proposed()).lines
    if page is None and table.state.phase is Phase.STOPPED and not table.state.held:
        return preview(table.view, CentrePressed(table.now_ns)).lines
    return None


@pytest.mark.rule("R210")
def test_a_change_of_sides_says_who_would_sit_where() -> None:
    table = stopped().open_item("swap")
    assert previewed(table) == ("Left: Trillian", "Right: Zaphod")
    table.state = table.state.replace(names=Pair(*UNNAMED))
    assert previewed(table) == ("Sides", "Left, Right", "→ Right, Left")
    table.state = table.state.replace(names=Pair("Bo Christensen", "Wolfeschlegelsteinhausen"))
    assert previewed(table) == ("Left: Wolfeschlegels…", "Right: Bo Christensen")


@pytest.mark.rule("R212")
def test_undo_says_what_the_score_would_be() -> None:
    table = scored().hold().tap(C)
    assert previewed(table) == ("Taken back", "Left +1", "1-0", "→ 0-0")
    ruled = stopped().open_item("flag").enter(LEFT, 1).through().tap(C)
    assert not any(line.startswith("→") for line in previewed(ruled.hold().tap(C)))


def previewed(table: Desk) -> tuple[str, ...]:
    """The lines of the preview, without empty ones."""
    assert table.faces().right.status == "Do this?"
    return tuple(line for line in table.faces().right.lines if line)


@pytest.mark.rule("R109")
def test_a_penalty_names_the_offender_and_then_who_gets_the_points() -> None:
    """EBF 2.2(iv): the left player is late, the right player gets a point."""
    table = stopped().open_item("penalty").enter(LEFT, "late", 1)
    assert previewed(table) == ("Left: Late", "Right +1 → 0-1")


@pytest.mark.rule("R110")
@pytest.mark.parametrize(
    ("name", "values"),
    [("penalty", (LEFT, "conduct", 1)), ("bonus", (RIGHT, 1)), ("score", (RIGHT, 11)),
     ("shorten", ())],
)  # fmt: skip
def test_a_ruling_that_decides_the_match_says_so(name: str, values: tuple[object, ...]) -> None:
    """The last line says who then wins; a ruling that decides nothing does not have it."""
    table = stopped(score=(3, 10)).open_item(name).enter(*values).through()
    assert previewed(table)[-1] == "Right WINS"
    table = stopped(score=(10, 3)).open_item("penalty").enter(RIGHT, "conduct", 1).through()
    assert previewed(table)[-1] == "Left WINS"
    second = stopped(score=(3, 10), best_of_three=True)
    second.state = second.state.replace(legs=Pair(1, 0))
    assert previewed(second.open_item(name).enter(*values).through())[-1] == "Right WINS"
    undecided = stopped(score=(3, 8)).open_item(name)
    assert "WINS" not in " ".join(previewed(undecided.through()))


@pytest.mark.rule("R119")
def test_both_times_are_shown_before_and_after() -> None:
    """7 + 6 points at 2:00 and half of it each; the form asks, and proposes the formula."""
    table = ready(length=7).open_item("penalty").enter(LEFT, "late", 1).through()
    assert previewed(table) == ("Left: Late", "Right +1 → 0-1", "14:00 → 13:00")


@pytest.mark.rule("R128")
def test_a_bonus_point_before_five_minutes_are_over_is_warned_of() -> None:
    """NBgF 2-3-1: five minutes after the warning, and after each bonus point."""
    table = stopped("nbgf")
    assert previewed(table.open_item("bonus").through())[-1] == "No warning before it"
    table.hold().hold()
    table.open_item("penalty").enter(LEFT, "slow_play", 0).tap(C).pass_time(2 * MINUTE_NS)
    assert previewed(table.open_item("bonus").enter(RIGHT, 1))[-1].startswith("Too early by 2:5")
    table.hold().hold().pass_time(4 * MINUTE_NS)
    lines = previewed(table.open_item("bonus").enter(RIGHT, 1))
    assert lines[-1].startswith("Since last: 6:")
    table.tap(C)
    assert previewed(table.open_item("shorten"))[-1].startswith("Too early by 4:59")


@pytest.mark.rule("R110")
def test_a_preview_says_what_else_a_ruling_does() -> None:
    """Points that the clock takes the place of, time given back, whom nothing decides for."""
    late = absent("wbgf").pass_time(6 * MINUTE_NS).open_item("absent_clock").enter(LEFT)
    assert "in place of 1 pt." in previewed(late)
    mistake = carried_out(Reason.ILLEGAL_MOVE).pass_time(20 * SECOND_NS).tap(C)
    mistake.open_item("resume").enter(LEFT, ResumeWith.REST)
    assert "Right +0:08" in previewed(mistake)
    even = ready(length=5, score=(3, 3)).open_item("shorten")
    assert "even: no winner" in previewed(even)
    uneven = ready(length=5, score=(3, 1)).open_item("length").enter(3).through()
    assert previewed(uneven) == ("Centre: no effect", "would end the match")
    held = carried_out(Reason.CLOCK_FAULTY).open_item("add_time").enter(LEFT, MINUTE_NS).through()
    assert held.faces().right.keys[1] == "DO IT"  # the director is there already
    left = ready().open_item("new_match")
    assert previewed(left) == ("End, no winner", "New match")
    assert previewed(finished().open_item("new_match")) == ("New match",)
