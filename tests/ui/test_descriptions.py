"""Events in words: every kind has its own, in every language, short enough for a panel."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clock.eventlog.codec import Chain, decode
from clock.match.events import (
    AdjustedEvent,
    AnyEvent,
    BreakEndedEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    Event,
    FaultClearedEvent,
    FaultEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    FreeTurnEvent,
    GameOverEvent,
    LateEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    OfferMadeEvent,
    OfferRefusedEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonChosenEvent,
    ReasonShownEvent,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
    StoppedEvent,
    WarnedEvent,
)
from clock.match.rules import Reason, RulingReason
from clock.match.transitions import BY_POINTS
from clock.match.types import Button, Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.ui.descriptions import DESCRIPTIONS, event_lines, log_line
from clock.ui.i18n import LANGUAGES, LINE_LENGTH, sayer
from clock.ui.preview import describe
from tests.support.desk import PEOPLE, desk, running

KINDS: tuple[type[Event], ...] = get_args(AnyEvent)
# These have a text of their own, and no button causes them.
TRANSLATED = [kind for kind in KINDS if kind not in (FaultEvent, OfferRefusedEvent)]
HOURS_NS = 9 * 3600 * 10**9

SIDES = st.sampled_from(Side)
TIMES = st.integers(0, HOURS_NS)
SCORES = st.builds(Pair, st.integers(0, 99), st.integers(0, 99))
CHANGES = st.one_of(
    st.tuples(st.just("flag"), SIDES, st.integers(0, 2), st.integers(0, 2)),
    st.tuples(
        st.just("next_delay"),
        SIDES,
        st.sampled_from([kind.value for kind in NextDelay]),
        st.sampled_from([kind.value for kind in NextDelay]),
    ),
    st.tuples(
        st.just("crawford"),
        st.none(),
        st.sampled_from([kind.value for kind in Crawford]),
        st.sampled_from([kind.value for kind in Crawford]),
    ),
    st.tuples(
        st.just("banks"),
        st.none(),
        st.lists(TIMES, min_size=2, max_size=2),
        st.lists(TIMES, min_size=2, max_size=2),
    ),
    st.tuples(st.just("score"), SIDES, st.integers(0, 99), st.integers(0, 99)),
    st.tuples(st.just("breaks_taken"), SIDES, st.integers(0, 9), st.integers(0, 9)),
    st.tuples(
        st.sampled_from(["length", "length_shortened"]),
        st.none(),
        st.integers(1, 99),
        st.integers(1, 99),
    ),
    st.tuples(st.sampled_from(["clock", "held"]), st.none(), st.just(True), st.just(False)),
    st.tuples(st.just("sides"), st.none(), st.just("Zaphod, Trillian"), st.just("Trillian, Z")),
)
REFUSALS = st.sampled_from(
    ["not_on_move", "must_wait", "director_needed", "not_between_games", "too_late", "no_break"]
)
WHYS = ["director", "restored", "best_estimate", "time_penalty", "not_decided", "given_back"]
ENDS = st.sampled_from([*BY_POINTS, "time", "gin", "late", "forfeit", "director"])
AWARDS = st.sampled_from(["may", "shall", "start-clock", "clock-started"])


def _corrected(what: str, side: Side | None, old: Any, new: Any, *, by_ns: int) -> CorrectedEvent:
    return CorrectedEvent(what, side, old, new, by_ns if what == "length" else None)


EVENTS: dict[type[Event], st.SearchStrategy[Any]] = {
    MatchOpenedEvent: st.just(
        MatchOpenedEvent(desk().state.settings, desk().state.settings.code, "1.0")
    ),
    OfferMadeEvent: st.just(OfferMadeEvent("offer-001", desk().state.settings)),
    OfferRefusedEvent: st.builds(
        OfferRefusedEvent, st.just("offer-001"), st.just("clock"), st.sampled_from(["", "too late"])
    ),
    ConfirmedEvent: st.builds(
        ConfirmedEvent, st.sampled_from(["left", "right", "centre", "director"])
    ),
    PressedEvent: st.one_of(
        st.builds(PressedEvent, st.sampled_from(Button), st.just(True), st.just("menu")),
        st.builds(PressedEvent, st.sampled_from(Button), st.just(False), REFUSALS),
    ),
    StoppedEvent: st.builds(StoppedEvent, st.sampled_from(Reason), SIDES),
    ReasonChosenEvent: st.builds(ReasonChosenEvent, st.sampled_from(Reason)),
    ReasonShownEvent: st.builds(ReasonShownEvent, st.sampled_from(Reason), st.sampled_from(Button)),
    ResumedEvent: st.builds(
        ResumedEvent, st.sampled_from(Reason), SIDES, st.sampled_from(ResumeWith), st.just("centre")
    ),
    FreeTurnEvent: st.builds(FreeTurnEvent, st.sampled_from(Reason), SIDES),
    FlagFellEvent: st.builds(FlagFellEvent, SIDES, st.integers(1, 2), st.none() | TIMES),
    FlagClaimedEvent: st.builds(FlagClaimedEvent, st.none() | SIDES, TIMES),
    OvertimeEvent: st.builds(OvertimeEvent, SIDES, TIMES, TIMES, st.just("clock")),
    GameOverEvent: st.builds(
        GameOverEvent,
        st.none() | SIDES,
        st.integers(0, 192),
        SCORES,
        SCORES,
        st.booleans(),
        st.none(),
    ),
    BreakStartedEvent: st.builds(BreakStartedEvent, SCORES, TIMES),
    BreakEndedEvent: st.builds(BreakEndedEvent, TIMES),
    LateEvent: st.builds(
        LateEvent, st.none() | SIDES, st.integers(0, 20), AWARDS, st.just("clock"), st.booleans()
    ),
    PenaltyEvent: st.builds(
        PenaltyEvent,
        SIDES,
        SIDES,
        st.integers(0, 64),
        st.sampled_from(["late", "slow_play", "conduct", "bonus"]),
        SCORES,
        st.booleans(),
    ),
    WarnedEvent: st.builds(WarnedEvent, SIDES, st.sampled_from(RulingReason), st.integers(1, 9)),
    AdjustedEvent: st.builds(
        AdjustedEvent, SIDES, TIMES, TIMES, st.sampled_from(WHYS), st.booleans()
    ),
    CorrectedEvent: st.builds(
        lambda change, by_ns: _corrected(*change, by_ns=by_ns),
        CHANGES,
        st.integers(-HOURS_NS, HOURS_NS),
    ),
    MatchOverEvent: st.builds(MatchOverEvent, st.none() | SIDES, ENDS, SCORES, st.just([])),
    ReopenedEvent: st.builds(ReopenedEvent, st.sampled_from([phase.value for phase in Phase])),
    RestoredEvent: st.builds(RestoredEvent, st.just("power_loss"), st.none(), TIMES),
    FaultEvent: st.builds(FaultEvent, st.just("buttons"), st.just("the wire is off")),
    FaultClearedEvent: st.builds(FaultClearedEvent, st.just("buttons")),
}


def test_every_kind_of_event_has_its_words() -> None:
    """A new event without words fails here, and one without a case of this test too."""
    assert set(DESCRIPTIONS) == set(KINDS) == set(EVENTS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_is_told_in_every_language(kind: type[Event], data: st.DataObject) -> None:
    """In one to four lines, none of them empty, with nothing left to fill in."""
    event = data.draw(EVENTS[kind])
    for language in LANGUAGES:
        lines = event_lines(event, sayer(language))
        assert 1 <= len(lines) <= 4
        assert all(line and "{" not in line for line in lines)


@pytest.mark.parametrize("kind", TRANSLATED, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_every_event_fits_a_panel(kind: type[Event], data: st.DataObject) -> None:
    """The lines of a preview are as short as a panel's, a change may take two."""
    event = data.draw(EVENTS[kind])
    for language in LANGUAGES:
        lines = describe(event, desk().view._replace(say=sayer(language)))
        assert len(lines) <= 4
        assert [line for line in lines if len(line) > LINE_LENGTH] == []


@pytest.mark.rule("R81")
@given(CHANGES)
def test_nobodys_name_is_told(change: tuple[Any, ...]) -> None:
    """A change of sides says left and right."""
    said = " ".join(event_lines(CorrectedEvent(*change), sayer("en")))
    assert not any(name in said for name in PEOPLE)
    if change[0] == "sides":
        assert said == "Sides Left, Right → Right, Left"


CASES: list[tuple[AnyEvent, tuple[str, ...]]] = [
    (ResumedEvent(Reason.UNSPECIFIED, Side.LEFT, ResumeWith.REST, "centre"),
     ("Left's clock runs", "exactly as it was")),
    (FreeTurnEvent(Reason.EARLY_PICKUP, Side.LEFT), ("Left: off the clock", "Right loses delay")),
    (FreeTurnEvent(Reason.DICE_TAKEN, Side.LEFT), ("Left: off the clock",)),
    (ReasonChosenEvent(Reason.GAME_OVER), ("Game over / drop", "Enter the points")),
    (ReasonChosenEvent(Reason.CLOCK_FAULTY), ("Clock faulty", "CALL TD")),
    (FlagClaimedEvent(None, 0), ("No flag is down", "CALL TD")),
    (FlagClaimedEvent(Side.LEFT, 5), ("Left: time expired", "CALL TD")),
    (AdjustedEvent(Side.RIGHT, 0, 60 * 10**9, "restored", flag_cleared=True),
     ("Right", "0:00 → 1:00", "Lost time restored", "Flag cleared")),
    (LateEvent(Side.LEFT, 2, "may", "clock", forfeits=False), ("Left late", "TD may give 2 pt.")),
    (LateEvent(None, 6, "shall", "clock", forfeits=True),
     ("A player late", "TD gives 6 pt.", "That loses the match")),
    (PenaltyEvent(Side.LEFT, Side.RIGHT, 6, "late", Pair(0, 6), forfeits=True),
     ("Left: Late", "Right +6 → 0-6", "That loses the match")),
    (GameOverEvent(None, 0, Pair(0, 0), Pair(0, 0), crawford=False, warning=None), ("No points",)),
    (GameOverEvent(Side.LEFT, 2, Pair(2, 0), Pair(0, 0), crawford=False, warning=None),
     ("Left +2", "2-0")),
    (MatchOverEvent(None, "director", Pair(3, 4), []),
     ("Match ended", "3-4", "director's decision")),
    (MatchOverEvent(Side.RIGHT, "time", Pair(3, 4), []), ("Right WINS", "3-4", "on time")),
    (CorrectedEvent("length", None, 9, 11, 240 * 10**9), ("Match length", "9 → 11", "+4:00")),
    (CorrectedEvent("length", None, 11, 9, -240 * 10**9), ("Match length", "11 → 9", "-4:00")),
    (CorrectedEvent("flag", Side.LEFT, 1, 0), ("Flag Left", "fell first → no flag")),
    (CorrectedEvent("held", None, True, False), ("TD to decide", "yes → no")),
    (RestoredEvent("power_loss", None, 900_000_000), ("Clock was off", "At most 1 s lost")),
    (PressedEvent(Button.RIGHT, accepted=False, why="must_wait"),
     ("Right: no effect", "must wait for delay")),
]  # fmt: skip


@pytest.mark.parametrize(("event", "words"), CASES)
def test_what_is_said(event: AnyEvent, words: tuple[str, ...]) -> None:
    """The words are those of the event's own fields."""
    assert event_lines(event, sayer("en")) == words


def long_lines() -> Iterator[tuple[CorrectedEvent, tuple[str, ...]]]:
    """Changes that are too long for one line."""
    yield (
        CorrectedEvent("banks", None, [3900 * 10**9] * 2, [4200 * 10**9] * 2),
        ("Beide Zeiten", "1:05:00 1:05:00", "→ 1:10:00 1:10:00"),
    )
    yield (
        CorrectedEvent("next_delay", Side.RIGHT, "full", "skip"),
        ("Verzögerung Rechts", "volle Verzögerung", "→ OHNE VERZÖG."),
    )


@pytest.mark.parametrize(("event", "lines"), list(long_lines()))
def test_a_long_change_goes_on_in_the_next_line(
    event: CorrectedEvent, lines: tuple[str, ...]
) -> None:
    """From what it was, then to what."""
    assert describe(event, desk().view._replace(say=sayer("de"))) == lines


def test_a_line_of_the_log_is_told() -> None:
    """Wall time, both reserves, what happened."""
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
