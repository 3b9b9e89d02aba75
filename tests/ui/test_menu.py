"""The director's menu: every ruling can be reached, does what it says, and comes where needed."""

from collections.abc import Callable

import pytest
from msgspec import structs

from clock.match.events import CorrectedEvent, PressedEvent
from clock.match.inputs import DelayRuled, Ruling
from clock.match.machine import changes_nothing
from clock.match.rules import Lateness, Reason, Recorded, RulingReason
from clock.match.state import LateAccount
from clock.match.transitions import DIRECTOR_RULINGS, TABLE
from clock.match.types import NextDelay, Phase, Side
from clock.ui.menu import MENU, PLAYERS_CRAWFORD, PLAYERS_CUBE, TAKE_UP, items
from clock.ui.menu_fields import ruler_entry
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import (
    STILL,
    C,
    Desk,
    L,
    R,
    absent,
    carried_out,
    desk,
    finished,
    flagged,
    in_break,
    ready,
    running,
    scored,
    stopped,
    without_clock,
)
from lab.support.rows import row
from lab.support.world import LEFT, RIGHT, inputs

# Where the machine would carry the ruling out, but there is nothing to do it to.
NOT_THERE = {
    ("length", Phase.STOPPED),  # between games only (EBF 4.8)
    ("length", Phase.GAME_OVER),
    ("length", Phase.NO_CLOCK),
    ("length", Phase.FINISHED),
    ("lift_hold", Phase.STOPPED),  # the director has not been called
    ("give_back", Phase.REVIEW),  # no plunger has been pressed
    ("give_back", Phase.READY),
    ("give_back", Phase.BREAK),
    ("give_back", Phase.FINISHED),
    ("names", Phase.REVIEW),  # nobody has confirmed them: they are those of the file
    *(("off_clock", phase) for phase in DIRECTOR_RULINGS[DelayRuled].phases),  # it has a delay
    ("begin_times", Phase.REVIEW),  # the match has a limit
    ("begin_times", Phase.READY),
    ("begin_times", Phase.BREAK),
    ("other_preset", Phase.PUT_ASIDE),
    ("other_preset", Phase.READY),
    ("other_preset", Phase.REVIEW),  # the file has no presets
    ("other_preset", Phase.FINISHED),
}
DEPENDS = {
    "give_back",
    "undo",
    "waive_late",
    "codes",
}  # on what has happened in the match, not on its phase


def names(table: Desk) -> list[str]:
    """The items offered, in their order."""
    return [item.name for item in items(table.state) if item.name != "undo"]


def test_every_ruling_has_its_item() -> None:
    assert {item.kind for item in MENU} == {*DIRECTOR_RULINGS, None}
    assert len({item.name for item in MENU}) == len(MENU) - 1  # *New match* has two places


REACHABLE = [
    (item.name, phase)
    for item in MENU
    if item.name not in (TAKE_UP, "undo")  # which have tests of their own
    for phase in Phase  # in this order: a set has another one in each process
    if item.kind and phase in DIRECTOR_RULINGS[item.kind].phases
    if (item.name, phase) not in NOT_THERE
]


@pytest.mark.parametrize("phase", STILL)
def test_the_menu_offers_what_the_machine_does(phase: Phase) -> None:
    """In each phase the rulings of the machine's table, but for those without an object."""
    possible = {
        item.name
        for item in MENU
        if item.kind and phase in DIRECTOR_RULINGS[item.kind].phases
        if (item.name, phase) not in NOT_THERE
    }
    offered = set(names(STILL[phase]()))
    assert possible - DEPENDS == offered - DEPENDS


@pytest.mark.rule("R66", "R68", "R74")
def test_every_item_makes_its_ruling() -> None:
    """Hold, choose, take every entry as proposed, do it: one ruling of its kind takes effect."""
    for name, phase in REACHABLE:
        with row(name, phase):
            makes_its_ruling(name, phase)


def makes_its_ruling(name: str, phase: Phase) -> None:
    """Try one item in one phase."""
    item = next(item for item in MENU if item.name == name)
    table = STILL[phase]()
    if name == "waive_late":
        table.state = table.state.with_player(RIGHT, late=LateAccount(2))
    table.open_item(name).through()
    proposed = table.proposed()
    assert type(proposed) is item.kind
    if changes_nothing(table.state, proposed):
        return
    table.tap(C)
    given = table.given[-1]
    assert isinstance(given, Ruling)
    assert type(given) is item.kind
    assert len(table.own) == (2 if (name, phase) == ("new_match", Phase.READY) else 1)
    assert "accepted=False" not in str(table.last())
    if item.kind not in (inputs.MatchWanted, inputs.LanguageWanted):
        assert table.own[0].phase in TABLE[phase, item.kind].reachable


# --- the values go where they belong ----------------------------------------------------------


@pytest.mark.rule("R66")
@pytest.mark.parametrize("by_ns", [MINUTE_NS, -30 * SECOND_NS, -59 * MINUTE_NS])
def test_time_is_added_and_taken(by_ns: int) -> None:
    """To and from what is left to the nanosecond; never below nothing."""
    table = stopped()
    before_ns = table.reserve_ns(LEFT)
    table.open_item("add_time").enter(LEFT, by_ns, "restored").through().tap(C)
    assert table.reserve_ns(LEFT) == max(0, before_ns + by_ns)


# --- what comes first -------------------------------------------------------------------------


def claimed(profile: str = "ebf", *, both: bool = False) -> Desk:
    """A flag is down, or both, and somebody has said so."""
    table = flagged(profile, both=both).tap(C)
    table.choose(Reason.TIME_EXPIRED)
    return table.tap(C)


def late(profile: str, minutes: int, **changes: object) -> Desk:
    """The left player has been missing for so long."""
    return absent(profile, **changes).pass_time(minutes * MINUTE_NS)


def flag_entered(profile: str) -> Desk:
    """The director, who may grant a minute's overtime, has entered that a flag is down."""
    table = stopped(profile, overtime_ns=MINUTE_NS)
    table.input(inputs.FlagSet, side=LEFT, order=1)
    return table


def ended(table: Desk) -> Desk:
    """The director has ended the match."""
    table.input(inputs.MatchEnded, winner=RIGHT, why="time")
    return table


def undetermined(profile: str) -> Desk:
    """Both flags are down, in an unknown order."""
    table = stopped(profile)
    for side in Side:
        table.input(inputs.FlagSet, side=side, order=1)
    return table


def penalised() -> Desk:
    """More penalty points than half the match length."""
    return late("ebf", 30).open_item("penalty").enter(LEFT, "late", 6).through().tap(C)


FIRST: dict[str, tuple[Callable[[], Desk], list[str]]] = {
    "review": (desk, ["approve", "absent", "swap"]),
    "ready": (ready, ["score", "add_time", "penalty"]),
    "stopped": (stopped, ["resume", "set_time", "add_time", "give_back"]),
    "clock faulty": (lambda: carried_out(Reason.CLOCK_FAULTY), ["set_time", "resume"]),
    "clock faulty, to confirm": (lambda: stopped("ebf", Reason.CLOCK_FAULTY), ["resume"]),
    "not decided, to confirm": (lambda: stopped("nbgf", Reason.NOT_DECIDED), ["resume"]),
    "not decided": (lambda: carried_out(Reason.NOT_DECIDED, "nbgf"), ["add_time", "resume"]),
    "claimed in vain": (lambda: carried_out(Reason.TIME_EXPIRED), ["resume", "lift_hold"]),
    "one flag": (claimed, ["end_match", "resume"]),
    "one flag, overtime": (lambda: flag_entered("ebf"), ["end_match", "resume", "set_time"]),
    "one flag, overtime, USBGF": (lambda: flag_entered("usbgf"), ["overtime", "resume"]),
    "both flags": (lambda: claimed(both=True), ["end_match", "resume"]),
    "both, who knows": (lambda: undetermined("ebf"), ["no_clock", "end_match"]),
    "both, NBgF": (lambda: undetermined("nbgf"), ["reset_banks", "end_match"]),
    "late, not yet": (lambda: late("ebf", 4), ["approve", "absent"]),
    "late": (lambda: late("ebf", 5), ["penalty", "waive_late"]),
    "late, NBgF, not yet": (lambda: late("nbgf", 4), ["approve", "absent"]),
    "late, not ruled": (lambda: stopped(lateness=Lateness.NONE), ["resume", "set_time"]),
    "late, NBgF": (lambda: late("nbgf", 5), ["absent_clock"]),
    "too late": (penalised, ["end_match"]),
    "break": (in_break, ["breaks", "absent_clock", "set_time"]),
    "break, late": (lambda: in_break().pass_time(10 * MINUTE_NS), ["penalty", "waive_late"]),
    "break, late, NBgF": (lambda: in_break("nbgf").pass_time(10 * MINUTE_NS), ["absent_clock"]),
    "Crawford game?": (lambda: desk(length=7, score=(6, 3)), ["crawford", "approve"]),
    "game over": (lambda: carried_out(Reason.GAME_OVER), ["reopen", "score"]),
    "no clock": (without_clock, ["end_match", "score"]),
    "finished": (finished, ["new_match", "reopen"]),
    "finished, a flag down": (lambda: ended(claimed()), ["new_match", "reopen"]),
}


@pytest.mark.rule("R45", "R46", "R60", "R61", "R62")
@pytest.mark.parametrize("situation", FIRST)
def test_what_the_rules_call_for_comes_first(situation: str) -> None:
    """The director finds it first: one press of the centre."""
    make, first = FIRST[situation]
    assert names(make())[: len(first)] == first


@pytest.mark.parametrize(("score", "places"), [((0, 0), 1), ((1, 0), 0)])
def test_a_confirmed_match_may_be_left_at_0_0_alone(score: tuple[int, int], places: int) -> None:
    """And only before the first game: not after one whose score is taken back."""
    assert names(ready(length=7, score=score)).count("new_match") == places
    table = scored()
    table.input(inputs.ScoreSet, side=LEFT, points=0)
    assert not any(table.state.score)
    assert "new_match" not in names(table)


@pytest.mark.parametrize(("over", "undoes"), [(finished, False), (lambda: ended(stopped()), True)])
def test_only_a_ruling_that_ends_a_match_is_undone(over: Callable[[], Desk], undoes: bool) -> None:
    """What the players confirmed is put back into play, with its points."""
    assert ("undo" in [item.name for item in items(over().state)]) is undoes


def test_another_preset_is_offered_until_both_have_confirmed_the_settings() -> None:
    review = desk().state
    left = review.with_player(LEFT, confirmed=True)
    both = left.with_player(RIGHT, confirmed=True)
    states = (review, left, both, ready().state, finished().state)
    found = [[item.name for item in items(state, presets=True)] for state in states]
    assert ["other_preset" in names for names in found] == [True, True, False, False, False]


CHANGE_NO_MATCH = {"new_match", "other_preset", "language", "codes", TAKE_UP}


@pytest.mark.rule("R222")
@pytest.mark.parametrize("phase", STILL)
def test_who_rules_is_asked_of_every_ruling(phase: Phase) -> None:
    """Once there is a match, and never of the players."""
    state = STILL[phase]().state
    rules = structs.replace(state.settings.rules, record=(Recorded.WHO,))
    state = state.replace(settings=structs.replace(state.settings, rules=rules))
    asking = {item.name for item in items(state) if ruler_entry in item.asked(state)}
    rulings = {item.name for item in items(state)} - CHANGE_NO_MATCH
    assert asking == (set() if phase is Phase.REVIEW else rulings)
    assert not any(ruler_entry in item.asked(state) for item in (PLAYERS_CRAWFORD, PLAYERS_CUBE))


# --- warnings and reasons ---------------------------------------------------------------------


@pytest.mark.rule("R113")
def test_a_warning_comes_before_points_for_the_same_reason() -> None:
    """EBF 4.2(iii)(d): first a warning, then points; the form says how many the player has."""
    table = stopped().open_item("penalty").enter(RIGHT, "dice").tap(C)
    assert table.faces().right.lines[:2] == ("Right: warning 1", "Dice")
    table.tap(C).open_item("penalty").enter(RIGHT, "conduct")
    assert table.faces().left.lines[0] == "Warning, 1 so far"
    assert table.form.entry.value == 0  # type: ignore[union-attr]
    table.hold().open_item("penalty").enter(RIGHT, "dice").tap(C)
    assert table.faces().right.lines[:2] == ("Right: Dice", "Left +1 → 1-0")


@pytest.mark.rule("R114")
def test_a_ruling_carries_its_reason_and_none_costs_one_press() -> None:
    """EBF 5.5(i): "-" stands first, then the list; it stands in the record."""
    table = stopped().open_item("flag").enter(LEFT, 1)
    assert table.faces().left.lines[:3] == ("-", "Slow play", "Conduct")
    table.tap(C, C)
    assert table.given[-1] == inputs.FlagSet(table.now_ns, LEFT, 1)
    table.open_item("flag").enter(LEFT, 0, RulingReason.CLOCK).tap(C)
    event = table.last()
    assert isinstance(event, CorrectedEvent)
    assert event.reason is RulingReason.CLOCK


@pytest.mark.rule("R114")
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("set_time", (LEFT, MINUTE_NS, "time_penalty")),
        ("next_delay", (RIGHT, NextDelay.SKIP)),
        ("next_delay", (LEFT, (NextDelay.SKIP, True))),
        ("end_match", (LEFT, "director")),
    ],
)
def test_where_the_texts_demand_a_reason_it_is_asked_for(
    name: str, values: tuple[object, ...]
) -> None:
    """NBgF 4-1-5, EBF 4.1(v)(b), 5.5(i): the centre alone does not leave it open."""
    table = stopped().open_item(name).enter(*values).tap(C)
    assert table.last() == PressedEvent(C, accepted=False, why="not_chosen")
    assert "accepted=False" not in str(table.enter(RulingReason.MISTAKE).tap(C).last())
    assert RulingReason.MISTAKE in structs.astuple(table.given[-1])


TOLD: tuple[tuple[Callable[[], Desk], str, tuple[object, ...], Ruling], ...] = (
    (stopped, "bonus", (RIGHT, 3), inputs.PointsAwarded(0, LEFT, 3, "bonus")),
    (stopped, "bonus", (LEFT,), inputs.PointsAwarded(0, RIGHT, 1, "bonus")),
    (stopped, "penalty", (LEFT, "conduct", 2), inputs.PointsAwarded(0, LEFT, 2, "conduct")),
    (ready, "score", (RIGHT, 4), inputs.ScoreSet(0, RIGHT, 4)),
    (scored, "score", (LEFT, 0), inputs.ScoreSet(0, LEFT, 0)),
    (lambda: running(length=3).tap(C, R, C, *[L] * 4, C), "score", (LEFT,),
     inputs.ScoreSet(0, LEFT, 3)),
    (desk, "score", (RIGHT, 4), inputs.ScoreSet(0, RIGHT, 4, adjust_banks=True)),
    (ready, "absent", (RIGHT, 7), inputs.AbsenceNoted(0, RIGHT, 7 * MINUTE_NS)),
    (ready, "length", (1,), inputs.LengthSet(0, 1, adjust_banks=True)),
    (stopped, "breaks", (RIGHT, 2), inputs.BreaksSet(0, RIGHT, 2)),
    (stopped, "flag", (RIGHT, 2), inputs.FlagSet(0, RIGHT, 2)),
    (stopped, "set_time", (LEFT, MINUTE_NS, "director"),
     inputs.TimeSet(0, LEFT, MINUTE_NS, "director")),
)  # fmt: skip


@pytest.mark.rule("R89")
def test_a_form_tells_the_clock_what_was_entered() -> None:
    """Bonus points are told by whose opponent gets them."""
    for make, name, entered, ruling in TOLD:
        with row(name, *entered):
            proposed = make().open_item(name).enter(*entered).through().proposed()
            assert structs.replace(proposed, at_ns=0) == ruling


TIMED = {"set_time", "add_time", "give_back", "off_clock", "next_delay", "reset_banks"}


@pytest.mark.rule("R207")
def test_without_times_none_is_set_given_back_or_delayed() -> None:
    table = stopped()
    match = structs.replace(table.state.settings, rules=table.state.settings.rules.at_pace())
    table.state = table.state.replace(settings=match)
    assert not TIMED & {item.name for item in items(table.state)}
    assert TIMED - {"off_clock"} <= {item.name for item in items(stopped().state)}
