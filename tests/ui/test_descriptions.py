"""Events in words: every kind has its own, in every language, short enough for a panel."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs, to_builtins

from clock.eventlog.codec import Chain, decode
from clock.match.events import (
    AdjournedEvent,
    AdjustedEvent,
    AnyEvent,
    ConfirmedEvent,
    CorrectedEvent,
    Event,
    FaultEvent,
    FlagClaimedEvent,
    FreeTurnEvent,
    GameOverEvent,
    LateEvent,
    MatchOverEvent,
    OfferRefusedEvent,
    Origin,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonChosenEvent,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
    RulingProposedEvent,
    UndoneEvent,
)
from clock.match.rules import Reason
from clock.match.transitions import BY_POINTS
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.ui.descriptions import DESCRIPTIONS, event_lines, log_line
from clock.ui.i18n import LANGUAGES, LINE_LENGTH, sayer
from clock.ui.preview import describe
from lab.support.desk import PEOPLE, desk, running

KINDS: tuple[type[Event], ...] = get_args(AnyEvent)
# These have a text of their own, and no button causes them.
TRANSLATED = [kind for kind in KINDS if kind not in (FaultEvent, OfferRefusedEvent)]
HOURS_NS = 9 * 3600 * 10**9

TIMES = st.integers(0, HOURS_NS)
NOBODY, SIDES = st.none(), st.sampled_from(Side)
SCORES = st.builds(Pair, st.integers(0, 99), st.integers(0, 99))


def changes(
    what: str, values: st.SearchStrategy[Any], of: st.SearchStrategy[Any] = NOBODY
) -> st.SearchStrategy[Any]:
    """Return corrections of one kind; `of` chooses a side, or None."""
    return st.tuples(st.just(what), of, values, values)


CHANGES: st.SearchStrategy[Any] = st.one_of(
    changes("flag", st.integers(0, 2), SIDES),
    changes("next_delay", st.sampled_from(NextDelay).map(str), SIDES),
    changes("score", st.integers(0, 99), SIDES),
    changes("breaks_taken", st.integers(0, 9), SIDES),
    changes("crawford", st.sampled_from(Crawford).map(str)),
    changes("banks", st.lists(TIMES, min_size=2, max_size=2)),
    changes("length", st.integers(1, 99)),
    changes("length_shortened", st.integers(1, 99)),
    changes("clock", st.booleans()),
    changes("held", st.booleans()),
    st.tuples(st.just("sides"), st.none(), st.just("Zaphod, Trillian"), st.just("Trillian, Z")),
)
WORDS = {  # what stands in fields that are texts
    (ConfirmedEvent, "side"): ("left", "right", "centre", "director"),
    (OfferRefusedEvent, "why"): ("", "too late"),
    (PressedEvent, "why"): (
        *("not_on_move", "must_wait", "director_needed", "not_between_games"),
        *("too_late", "no_break"),
    ),
    (LateEvent, "award"): ("may", "shall", "start-clock", "clock-started"),
    (PenaltyEvent, "why"): ("late", "slow_play", "conduct", "bonus"),
    (AdjustedEvent, "why"): (
        *("director", "restored", "best_estimate", "time_penalty", "not_decided", "given_back"),
    ),
    (MatchOverEvent, "why"): (*BY_POINTS, "time", "gin", "late", "forfeit", "director"),
    (ReopenedEvent, "was"): tuple(phase.value for phase in Phase),
    (RestoredEvent, "why"): ("power_loss",),
}


def field(kind: type[Event], each: structs.FieldInfo) -> st.SearchStrategy[Any]:
    """Return what may stand in a field of an event."""
    if each.type is str or (kind, each.name) in WORDS:
        return st.sampled_from(WORDS.get((kind, each.name), ("centre",)))
    if each.name.endswith("_ns"):
        return TIMES
    if each.type is int:
        return st.integers(1, 2) if each.name == "order" else st.integers(0, 64)
    known: dict[str, st.SearchStrategy[Any]] = {
        "settings": st.just(desk().state.settings),
        "warning": st.none(),
    }
    known["undone"] = st.just({"event": "stopped", "reason": "unspecified", "side": "left"})
    known |= dict.fromkeys(("score", "legs", "taken"), SCORES)
    return known.get(each.name, st.from_type(each.type))


def events(kind: type[Event]) -> st.SearchStrategy[Any]:
    """Return any event of a kind."""
    if kind is CorrectedEvent:
        return CHANGES.map(
            lambda made: structs.replace(
                CorrectedEvent(*made), adjusted_ns=HOURS_NS if made[0] == "length" else None
            )
        )
    fields = [each for each in structs.fields(kind) if each.required or each.name == "delay"]
    return st.builds(kind, **{each.name: field(kind, each) for each in fields})


VIEW = desk().view


def test_every_kind_of_event_has_its_words() -> None:
    """A new event without words fails here."""
    assert set(DESCRIPTIONS) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_is_told_in_every_language(kind: type[Event], data: st.DataObject) -> None:
    """In one to four lines, none of them empty, with nothing left to fill in.

    The lines of a preview are as short as a panel's, a change may take two.
    """
    event = data.draw(events(kind))
    for language in LANGUAGES:
        lines = event_lines(event, sayer(language))
        assert 1 <= len(lines) <= 4
        assert all(line and "{" not in line for line in lines)
        if kind in TRANSLATED:
            short = describe(event, VIEW._replace(say=sayer(language)))
            assert len(short) <= 4
            assert [line for line in short if len(line) > LINE_LENGTH] == []


@pytest.mark.rule("R81")
@given(CHANGES)
def test_nobodys_name_is_told(change: tuple[Any, ...]) -> None:
    said = " ".join(event_lines(CorrectedEvent(*change), sayer("en")))
    assert not any(name in said for name in PEOPLE)
    if change[0] == "sides":
        assert said == "Sides Left, Right → Right, Left"


CLEARED = AdjustedEvent(Side.RIGHT, 0, 60 * 10**9, "restored", flag_cleared=True)
SAID = ("Right", "0:00 → 1:00", "Lost time restored", "Flag cleared")
ORIGIN = Origin("log", 1, "", "log", 0, None)
CASES: list[tuple[AnyEvent, tuple[str, ...]]] = [
    (ResumedEvent(Reason.UNSPECIFIED, Side.LEFT, ResumeWith.REST, "centre"),
     ("Left's clock runs", "exactly as it was")),
    (FreeTurnEvent(Reason.EARLY_PICKUP, Side.LEFT), ("Left: untimed turn", "Right loses delay")),
    (FreeTurnEvent(Reason.EARLY_PICKUP, Side.LEFT, NextDelay.WAIT),
     ("Left: untimed turn", "Right: AWAIT DELAY")),
    (FreeTurnEvent(Reason.DICE_TAKEN, Side.LEFT), ("Left: untimed turn",)),
    (ReasonChosenEvent(Reason.GAME_OVER), ("Game over / drop", "Enter the points")),
    (ReasonChosenEvent(Reason.CLOCK_FAULTY), ("Clock faulty", "CALL TD")),
    (FlagClaimedEvent(None, 0), ("No flag is down", "CALL TD")),
    (FlagClaimedEvent(Side.LEFT, 5), ("Left: time expired", "CALL TD")),
    (CLEARED, SAID),
    (LateEvent(Side.LEFT, 2, "may", "clock", forfeits=False), ("Left late", "due: 2 points")),
    (LateEvent(Side.LEFT, 0, "may", "clock", forfeits=False), ("Left late",)),
    (LateEvent(Side.LEFT, 1, "may", "clock", forfeits=True),
     ("Left late", "due: 1 point", "That loses the match")),
    (LateEvent(Side.LEFT, 0, "clock-started", "clock", forfeits=True),
     ("Left late", "That loses the match")),
    (LateEvent(Side.LEFT, 0, "start-clock", "clock", forfeits=False, late_ns=9 * 10**9, next_ns=0),
     ("Left late: 0:09", "TD: start their clock")),
    (LateEvent(Side.LEFT, 0, "start-clock", "clock", forfeits=False, next_ns=120 * 10**9),
     ("Left late", "Clock start in 2:00")),
    (OvertimeEvent(Side.LEFT, 0, 60 * 10**9, "director", warning=2),
     ("Left: overtime", "1:00", "Left: warning 2")),
    (RulingProposedEvent("id", "Eva", "add_time", ()),
     ("TD proposes a ruling", "Add/take time", "TD: Eva")),
    (AdjournedEvent(Phase.STOPPED, Side.LEFT), ("Adjourned", "Left is on move")),
    (AdjournedEvent(Phase.STOPPED, None), ("Adjourned", "Between games")),
    (UndoneEvent({"event": "of another version"}), ("Taken back",)),
    (UndoneEvent(to_builtins(CLEARED)), ("Taken back", *SAID[:3])),
    (LateEvent(None, 6, "shall", "clock", forfeits=True),
     ("A player late", "due: 6 points", "That loses the match")),
    (PenaltyEvent(Side.LEFT, Side.RIGHT, 6, "late", Pair(0, 6), forfeits=True),
     ("Left: Late", "Right +6 → 0-6", "That loses the match")),
    (GameOverEvent(None, 0, Pair(0, 0), Pair(0, 0), crawford=False, warning=None), ("No points",)),
    (GameOverEvent(Side.LEFT, 2, Pair(2, 0), Pair(0, 0), crawford=False, warning=None),
     ("Left +2", "2-0")),
    (MatchOverEvent(None, "director", Pair(3, 4), []),
     ("Match ended", "3-4", "director's decision")),
    (MatchOverEvent(Side.RIGHT, "time", Pair(3, 4), []),
     ("Right WINS", "3-4", "opponent out of time")),
    (CorrectedEvent("length", None, 9, 11, 240 * 10**9), ("Match length", "9 → 11", "+4:00")),
    (CorrectedEvent("length", None, 11, 9, -240 * 10**9), ("Match length", "11 → 9", "-4:00")),
    (CorrectedEvent("flag", Side.LEFT, 1, 0), ("Flag Left", "fell first → no flag")),
    (CorrectedEvent("held", None, True, False), ("Players may go on",)),
    (RestoredEvent("power_loss", None, 900_000_000), ("Clock was off", "At most 1 s lost")),
    (RestoredEvent("taken_up", None, 0, origin=ORIGIN), ("Match resumed",)),
    (RestoredEvent("taken_up", None, 1, origin=ORIGIN), ("Match resumed", "At most 1 s lost")),
    (CorrectedEvent("score", Side.LEFT, 0, 6, crawford="now"),
     ("Score Left", "0 → 6", "Crawford: this game")),
    (CorrectedEvent("names", None, ["Ada", "Ben"], ["Ada", "Bo"]), ("Names", "Ben → Bo")),
    (CorrectedEvent("names", None, 7, 8), ("Names",)),  # of a log that was changed
    (CorrectedEvent("delay", None, "full", "skip"), ("This delay", "full delay → NO DELAY")),
    (CorrectedEvent("crawford", None, "done", "now"), ("Crawford", "already played → this game")),
    (PressedEvent(Button.RIGHT, accepted=False, why="must_wait"),
     ("Right: no effect", "delay not over yet")),
]  # fmt: skip


@pytest.mark.parametrize(("event", "words"), CASES)
def test_what_is_said(event: AnyEvent, words: tuple[str, ...]) -> None:
    assert event_lines(event, sayer("en")) == words


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (CorrectedEvent("banks", None, [3900 * 10**9] * 2, [4200 * 10**9] * 2),
         ("Beide Zeiten", "1:05:00 1:05:00", "→ 1:10:00 1:10:00")),
        (CorrectedEvent("next_delay", Side.RIGHT, "full", "skip"),
         ("Verzögerung Rechts", "volle Verzögerung", "→ OHNE VERZÖG.")),
        (CorrectedEvent("names", None, ["Wilhelmina", "Bo"], ["Theodora", "Bo"]),
         ("Namen", "Wilhelmina → Theodora")),
        (CorrectedEvent("names", None, ["Ada", "Bo"], ["Wolfeschlegelsteinhausen", "Bo"]),
         ("Namen", "Ada", "→ Wolfeschlegelstein…")),
    ],
)  # fmt: skip
def test_a_long_change_goes_on_in_the_next_line(
    event: CorrectedEvent, lines: tuple[str, ...]
) -> None:
    assert describe(event, desk().view._replace(say=sayer("de"))) == lines


def test_a_line_of_the_log_is_told() -> None:
    (record,) = running().tap(Button.CENTRE).own
    _, written = Chain("m", "b").append(record, "2000-01-01T12:34:56.789+00:00")
    assert (
        log_line(decode(written.rstrip(), 1), sayer("en")) == "12:34:56      21:44 21:44  Stopped"
    )


def test_names_of_a_report_are_said() -> None:
    """Who says "left" in another way is heard: a report puts the players' names there."""

    def say(key: str, **values: object) -> str:
        return PEOPLE[Side(key)] if key in tuple(Side) else sayer("en")(key, **values)

    event = CorrectedEvent("sides", None, "a, b", "b, a")
    assert event_lines(event, say) == ("Sides", "Zaphod, Trillian → Trillian, Zaphod")
