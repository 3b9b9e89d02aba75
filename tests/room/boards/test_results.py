"""The list of results: in which round each match was played."""

from typing import Any

import pytest
from msgspec import structs

from clock.eventlog.fingerprint import fingerprint_text
from clock.eventlog.salvage import salvage
from clock.eventlog.verification import fingerprint_of
from clock.match import inputs
from clock.match.rules import Offer, Reason
from clock.match.types import Pair, Side
from clock.report.build import summary
from clock.virtual import VirtualClock
from lab.support.boards import Hall, named, tracks
from lab.support.last_run import OVER, S, Written, continued, flipped, match_in
from lab.support.logs import forged
from lab.support.paths import DATA
from lab.support.reports import lines_of
from lab.support.world import World, match_settings
from room.boards.board import Board, Conflict, Result
from room.boards.effects import EndedLog
from room.boards.fields import make_board
from room.boards.results import listed, result_of
from room.boards.signs import Signs
from room.lines.events import Place
from room.web.export import results_rows
from tests.eventlog.test_links import TWO

EBF = (DATA / "ebf.jsonl").read_bytes().splitlines()  # 2-6, Ben wins on time
FIRST_TURN = next(at for at, line in enumerate(EBF) if b'"running":null' not in line)


def of(lines: list[bytes]) -> Result | None:
    return result_of(EndedLog(Place("here", "/logs"), "m", tuple(lines), 0))


def board_of(lines: list[bytes]) -> Board:
    return make_board("7", "source", "m", tracks(lines)[-1], Signs(0, 0, 0, complete=True))


def result(match: str, board: str, begun: str, clock: str = "", **changes: Any) -> Result:
    """Return the result of a match that began at a board."""
    found = Result(
        match=match,
        board=board,
        clock=clock,
        players=dict.fromkeys(Side, ""),
        score=Pair(0, 0),
        length=11,
        winner=None,
        begun=begun,
        duration_ns=0,
        flags=[],
        restorations=0,
        corrections=0,
        fingerprint="",
        complete=False,
        forks=0,
    )
    return structs.replace(found, **changes)


def test_rounds_are_counted_for_each_board_and_day() -> None:
    """By the instants at which the matches began; the order of the list remains."""
    results = [
        result("c", "7", "2026-05-02T09:00:00+02:00"),
        result("b", "7", "2026-05-01T14:00:00+02:00"),
        result("d", "8", "2026-05-01T14:30:00+02:00"),
        result("a", "7", "2026-05-01T10:00:00+02:00"),
    ]
    found = [(each.match, each.round) for each in listed(results)]
    assert found == [("c", 1), ("b", 2), ("d", 1), ("a", 1)]


def test_a_match_ended_at_0_0_without_a_winner_counts_as_no_round() -> None:
    at = "2026-05-01T1{}:00:00+02:00"
    void = result("b", "7", at.format(1), complete=True)
    others = [
        result("a", "7", at.format(0)),
        result("c", "7", at.format(2), complete=True, score=Pair(1, 0)),
        result("d", "7", at.format(3), complete=True, winner=Side.LEFT),
        result("e", "7", at.format(4), complete=True, legs=Pair(1, 1)),
    ]
    assert [each.round for each in listed([void, *others])] == [None, 1, 2, 3, 4]


DAY = "2026-05-01"
SATURDAY = "2026-05-02T09:00+02:00"


@pytest.mark.rule("R215")
@pytest.mark.parametrize(
    ("begun", "heard", "rounds"),
    [
        # past midnight
        (["2026-05-01T22:10+02:00", "2026-05-02T00:20+02:00"], {}, [1, 2]),
        (["2026-05-01T22:10+02:00", "2026-05-02T05:20+02:00"], {}, [1, 1]),
        # a card left in another zone
        (["2026-05-01T20:10+02:00", "2026-05-01T19:30+01:00"], {}, [1, 2]),
        # a clock that began the second day with the hour at which it was switched off
        (["2026-05-01T20:00+02:00", "2026-05-01T21:35+02:00"], {1: SATURDAY}, [1, 1]),
        # one whose date was right in the second match only
        (["2026-05-01T22:01+02:00", "2026-05-02T11:00+02:00"], {0: SATURDAY}, [1, 2]),
        # one that never had a date: only the hub may know
        (["1970-01-01T00:01+00:00", "2026-05-02T11:00+02:00"], {}, [None, 1]),
        (["1970-01-01T00:01+00:00", "2026-05-02T11:00+02:00"], {0: SATURDAY}, [1, 2]),
    ],
)
def test_rounds_follow_the_instants_as_the_hub_knows_them(
    begun: list[str], heard: dict[int, str], rounds: list[int | None]
) -> None:
    results = [result(str(number), "7", each) for number, each in enumerate(begun)]
    found = listed(results, heard_of=lambda each: heard.get(int(each.match), ""))
    assert [each.round for each in found] == rounds


def test_a_stranger_at_a_board_does_not_count_there() -> None:
    """Invented matches move no round; a clock that stands in where nobody else does counts."""
    results = [
        result("a", "7", f"{DAY}T10", source="red-7", assigned="7"),
        result("x", "7", f"{DAY}T11", source="red-3", assigned="3"),
        result("b", "7", f"{DAY}T12", source="red-7", assigned="7"),
        result("c", "8", f"{DAY}T12", source="red-3", assigned="3"),
    ]
    assert [each.round for each in listed(results)] == [1, None, 2, 1]


@pytest.mark.parametrize(("agrees", "kept"), [(True, ["red-7"]), (False, ["red-7", "red-3"])])
def test_two_logs_of_a_match_are_listed_if_they_differ(agrees: bool, kept: list[str]) -> None:
    """Both are of one round; of two that agree the longer one, which names the other."""

    def conflicts_of(match: str, source: str) -> list[Conflict]:
        lines = {"red-7": 9, "red-3": 8, "red-5": 7}
        sources = sorted(lines, key=lambda each: each != source)
        return [Conflict("match", each, "14:02", lines[each], agrees=agrees) for each in sources]

    both = [result("a", "7", f"{DAY}T10", source=source) for source in ("red-7", "red-3")]
    found = listed(both, conflicts_of)
    assert [each.source for each in found] == kept
    assert {(each.round, len(each.conflicts)) for each in found} == {(1, 3)}
    assert found[0].conflicts[0].source == "red-7"
    of_two = listed(both, lambda match, source: conflicts_of(match, source)[:2])
    assert {len(each.conflicts) for each in of_two} == {2}
    [alone] = listed(both[1:], conflicts_of)  # the result of the longer one is on its way
    assert alone.source == "red-3"


@pytest.mark.parametrize(
    ("place", "boards"),
    [
        (Place("here", "/logs", hint="3"), ("7", "")),
        (Place("here", "/logs", hint="3", clock="red-3"), ("7", "3")),
        (Place("here", "/logs", hint="3", hall="red"), ("7", "3")),
    ],
)
def test_a_result_has_the_board_that_the_log_names(place: Place, boards: tuple[str, str]) -> None:
    """Or else that which the director gave to its clock; the name of a folder is none."""
    logs = (named(EBF, "7"), EBF)
    found = [result_of(EndedLog(place, "m", tuple(lines), 0)) for lines in logs]
    assert tuple(each.board for each in found if each is not None) == boards
    assert {each and each.assigned for each in found} == {place.hint if place.clock else ""}


def test_a_clock_without_a_board_has_rounds_too() -> None:
    day = "2026-05-01T10:00:00+02:00"
    results = [result("a", "", day, "1a2b3c4d"), result("b", "", day, "5e6f7a8b")]
    assert [each.round for each in listed(results)] == [1, 1]


def test_a_match_of_unknown_time_or_place_has_no_round() -> None:
    results = [result("a", "7", ""), result("c", "7", "2026-05-01")]
    results += [result(f"b{hall}", "", "2026-05-01", hall=hall) for hall in ("", "red")]
    assert [each.round for each in listed(results)] == [None, 1, None, None]


@pytest.mark.rule("R105")
@pytest.mark.parametrize("damaged", [False, True])
def test_a_result_says_who_won_and_how(*, damaged: bool) -> None:
    """A log that does not replay states it too, and the board says the same."""
    log = [*EBF[:-2], EBF[-1]] if damaged else EBF
    found, board = of(log), Hall().lines(Place("here", "/logs"), log).board()
    assert found is not None
    assert (found.winner, found.end, found.complete) == (Side.RIGHT, "time", True)
    assert (board.winner, board.says) == (Side.RIGHT, ["finished", "end_time"])
    assert (found.damage is not None, found.restorations) == (damaged, 0)
    assert (found.flags, found.phase, found.put_aside) == ([Side.LEFT], "FINISHED", False)


@pytest.mark.rule("R105")
@pytest.mark.parametrize("damaged", [b"", b"torn"])
def test_a_match_that_never_began_has_no_result(damaged: bytes) -> None:
    """One that did and was not finished has one, without a winner."""
    assert of([*EBF[:FIRST_TURN], damaged][: FIRST_TURN + bool(damaged)]) is None
    begun = of([*EBF[: FIRST_TURN + 1], damaged][: FIRST_TURN + 1 + bool(damaged)])
    assert begun is not None
    assert (begun.winner, begun.end, begun.complete) == (None, None, False)


def test_a_damaged_log_between_two_games_has_a_result() -> None:
    """A game was played; READY alone does not say that none was."""
    lines = match_in("GAME_OVER").give(inputs.CentrePressed(20 * S)).lines
    found = of([*lines, b"torn"])
    assert found is not None
    assert (found.score, found.complete) == (Pair(1, 0), False)
    assert (fingerprint_of(lines) != "", fingerprint_of(flipped(lines, 3))) == (True, "")


@pytest.mark.rule("R105")
def test_an_offer_of_the_next_match_leaves_the_fingerprint_of_the_result() -> None:
    """On the list, the tile and the page of the match."""
    match = match_in("FINISHED")
    fingerprint = fingerprint_of(match.lines)
    offer = Offer("offer-1", match_settings("ebf", length=9))
    match.give(inputs.OfferMade(1, offer), inputs.OfferRefused(2, offer.id, inputs.PLAYERS))
    match.give(inputs.FaultSeen(3, "log", "full"), inputs.Pressed(4, Side.LEFT))
    fingerprints = [
        getattr(of(match.lines), "fingerprint", ""),
        board_of(match.lines).fingerprint,
        fingerprint_of(match.lines),
    ]
    assert fingerprints == [fingerprint] * 3
    match.give(inputs.ScoreSet(5, Side.LEFT, 2))
    assert (
        fingerprint_of(match.lines)
        == fingerprint_text(match.chain.hash)
        == board_of(match.lines).fingerprint
    )


def test_the_result_of_a_log_has_its_legs() -> None:
    """Of a best of three, whose next leg has not begun yet, damaged or not."""
    match = Written(best_of_three=True, length=1).give(*OVER)
    match.give(inputs.Pressed(20 * S, Side.LEFT), inputs.CentrePressed(20 * S))
    for lines in (match.lines, [*match.lines, b"torn"]):
        found = of(lines)
        assert found is not None
        assert (found.legs, found.best_of_three, found.complete) == (Pair(1, 0), True, False)


@pytest.mark.rule("R148")
def test_a_match_for_practice_is_none_of_the_event() -> None:
    """It has no round, and the match after it is its board's first."""
    found = listed(
        [result("m1", "7", "2026-05-01T10", practice=True), result("m2", "7", "2026-05-01T11")]
    )
    assert [(each.match, each.is_other, each.round) for each in found] == [
        ("m1", True, None),
        ("m2", False, 1),
    ]
    assert [row["match"] for row in results_rows(found)] == ["m2"]


def test_a_match_of_another_event_has_no_round() -> None:
    """By when the hub heard of it, and by when it began as the hub knows it."""
    since = {"a": "14:02", "b": "15:02"}
    found = listed(
        [result(match, "7", f"{DAY}T10") for match in since],
        lambda match, source: [Conflict("match", source, since[match], 9)],
        lambda each, heard: (each.begun, heard) == (f"{DAY}T09", "15:02"),
        lambda each: f"{DAY}T09",
    )
    assert [(each.is_other, each.round, each.conflicts) for each in found] == [
        (True, None, []),
        (False, 1, []),
    ]


def test_a_result_says_what_the_report_of_its_log_says() -> None:
    log = forged(EBF, 0, lambda fields: fields.update(clock="9c8f01aa"))
    found, said = of(log), summary(log)
    assert found is not None
    assert said.confirmed is not None
    assert (found.begun, found.ended) == (said.confirmed.when, said.ended.when)
    assert found.begun != said.first.when
    assert (found.code, found.reserves_ns, found.limit_from) == (
        said.code,
        said.left,
        said.limit_from,
    )
    assert (found.clock, found.fingerprint, found.lines) == ("9c8f01aa", said.fingerprint, len(log))
    settings = match_settings()
    unlimited = World(structs.replace(settings, rules=settings.rules.at_pace()))
    unlimited.press(Side.LEFT).press(Side.RIGHT).centre().press(Side.RIGHT).press(Side.LEFT, 1)
    assert getattr(of(lines_of(unlimited)), "limit_from", 1) is None


@pytest.mark.rule("R146")
def test_one_board_name_in_two_halls_is_two_boards() -> None:
    found = listed(
        [result("m1", "7", "2026-05-01T10"), result("m2", "7", "2026-05-01T11", hall="other")]
    )
    assert [each.round for each in found] == [1, 1]


@pytest.mark.rule("R131")
def test_a_damaged_log_says_as_much_as_its_lines() -> None:
    whole, damaged = of(TWO), of([*TWO, b"torn"])
    assert whole is not None
    assert damaged is not None
    assert (whole.put_aside, whole.continues, whole.phase) == (True, "match", "PUT_ASIDE")
    assert damaged.damage
    assert damaged == structs.replace(
        whole,
        begun="",
        ended="",
        duration_ns=0,
        restorations=0,
        fingerprint="",
        hash="",
        lines=len(TWO) + 1,
        damage=damaged.damage,
        code="",
        reserves_ns=None,
    )
    rows = [*results_rows(listed([whole])), *results_rows(listed([damaged]))]
    assert [row["duration_s"] is None for row in rows] == [False, True]


def test_what_the_source_says_of_the_damage_comes_first() -> None:
    for lines in (EBF, [*EBF, b"torn"]):
        found = result_of(EndedLog(Place("here", "/logs"), "m", tuple(lines), 0, "a \0card"))
        assert found is not None
        assert found.damage == "a card"


@pytest.mark.rule("R131")
def test_a_log_that_continues_another_has_a_result_before_anything_is_played() -> None:
    found = of(continued(salvage(match_in("READY").lines, None), "damaged", "second"))
    assert found is not None
    assert found.continues == "match"


def test_a_claim_of_time_without_a_flag_is_nobodys_flag() -> None:
    match = match_in("STOPPED")
    while match.state.reason is not Reason.TIME_EXPIRED:
        match.give(inputs.Pressed(20 * S, Side.RIGHT))
    match.give(inputs.CentrePressed(20 * S))
    assert b"flag_claimed" in match.lines[-1]
    found = of(match.lines)
    assert found is not None
    assert found.flags == []


def test_how_a_match_ended_is_not_known_from_a_later_line() -> None:
    *before, _over, last = match_in("FINISHED").give(inputs.Pressed(1, Side.LEFT)).lines
    found = of([*before, last])
    assert found is not None
    assert (found.complete, found.end) == (True, None)


@pytest.mark.rule("R202")
def test_a_match_that_is_adjourned_ended_then() -> None:
    """Not when somebody switched the clock on again, or pressed a plunger an hour later."""
    clock = VirtualClock("[match]\nlength = 5\n")
    clock.press("left").press("right").press("centre").press("right").press("centre", after=9)
    adjourned = clock.choose("put_aside").lines
    later = clock.wait(3600).press("left").lines
    assert len(later) > len(adjourned)
    ends = [found.ended for found in map(of, (adjourned, later)) if found is not None]
    assert ends == [summary(adjourned).ended.when] * 2
