"""The results of matches that were adjourned and resumed (R131)."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec import structs

from clock.eventlog.links import LogPoint
from clock.eventlog.salvage import salvage
from clock.match.types import Pair, Side
from lab.support.examples import examples
from lab.support.last_run import S, continued, match_in
from room.boards.board import Result
from room.boards.effects import EndedLog
from room.boards.joined_matches import Apart, earlier_log, joined_matches
from room.boards.results import listed, result_of
from room.lines.events import Place
from tests.eventlog.test_links import ONE, THREE, TWO, taken_up
from tests.room.boards.test_results import result


def of(name: str, lines: list[bytes]) -> Result:
    found = result_of(EndedLog(Place("here", "/logs"), name, tuple(lines), 0))
    assert found is not None
    return found


@pytest.mark.rule("R131")
def test_a_match_put_aside_is_neither_lost_nor_over() -> None:
    """R131: it says so until its next log has come, which says the whole."""
    first, second, third = of("match", ONE), of("second", TWO), of("third", THREE)
    (alone,) = listed([first])
    assert (alone.put_aside, alone.complete, alone.winner) == (True, False, None)
    assert (alone.logs, alone.missing, alone.rivals) == ([], "", [])
    (whole,) = listed([third, first, second])
    assert (whole.match, whole.logs) == ("third", ["match", "second", "third"])
    assert (whole.begun, whole.board) == (first.begun, first.board)
    assert whole.duration_ns == 30 * S - 5
    assert whole.restorations == 0
    (whole,) = listed([third, first, structs.replace(second, damage="line 2")])
    assert whole.damage == "line 2"
    later = structs.replace(second, begun="2030-01-01T00:00:00")
    assert listed([later, first])[0].begun == first.begun
    assert (whole.fingerprint, whole.put_aside) == (third.fingerprint, False)


@pytest.mark.rule("R131")
@pytest.mark.parametrize(
    "lines", [TWO, continued(salvage(match_in("READY").lines, None), "damaged", "second")]
)
def test_a_damaged_log_continues_the_earlier_one_too(lines: list[bytes]) -> None:
    """R131: even if nothing was played in it; as the director says where nothing proves it."""
    later = of("second", [*lines, b"torn"])
    joined = "" if lines is TWO else "here"
    (whole,) = listed([of("match", ONE), structs.replace(later, joined=joined)])
    assert (whole.match, whole.logs) == ("second", ["match", "second"])


@pytest.mark.rule("R131")
def test_a_match_taken_up_twice_is_two_results_that_say_so() -> None:
    """R131: and one whose earlier log nobody sent names it; a copy of a log is no rival."""
    first, second, rival = of("match", ONE), of("second", TWO), of("rival", taken_up(ONE, "rival"))
    twice = listed([first, second, rival])
    assert [(each.match, each.rivals) for each in twice] == [
        ("second", ["rival"]),
        ("rival", ["second"]),
    ]
    (late,) = listed([second])
    assert (late.missing, late.logs) == ("match", ["second"])
    assert listed([second, second])[0].rivals == []
    assert not of("match", match_in("FINISHED").lines).put_aside


def test_the_flags_of_a_match_are_those_of_all_its_logs() -> None:
    """By the sides of the last log, on which the players sit who have changed them."""
    players = {Side.LEFT: "Ada", Side.RIGHT: "Ben"}
    turned = {Side.LEFT: "Ben", Side.RIGHT: "Ada"}
    for left, right, side in (
        ("Bea", "Ada", Side.RIGHT),  # of players who have changed sides one name was corrected
        ("Ben", "Eda", Side.RIGHT),
        ("Eda", "Ben", Side.LEFT),
        ("Ada", "Bea", Side.LEFT),
        ("Ada", "Ada", Side.LEFT),
        ("Eda", "Bea", Side.LEFT),
    ):
        fell = result("one", "7", "", players=players, flags=[Side.LEFT])
        later = result("two", "7", "", players={Side.LEFT: left, Side.RIGHT: right})
        later = structs.replace(later, continues="one", joined=fell.source)
        assert listed([fell, later])[0].flags == [side]
    one = result("one", "7", "", players=players, flags=[Side.LEFT], corrections=1)
    one = structs.replace(one, damage="x", assigned="7", forks=2)
    two = result("two", "8", "", players=turned, corrections=2, restorations=1, forks=3)
    two = structs.replace(two, continues="one", joined=one.source)
    (whole,) = listed([one, two])
    assert (whole.flags, whole.corrections, whole.restorations) == ([Side.RIGHT], 3, 0)
    assert (whole.damage, whole.assigned, whole.forks) == ("x", "7", 5)
    assert (whole.board, whole.score) == ("7", Pair(0, 0))


@given(st.integers(0, 10**9))
@example(23)  # a circle beside a chain
@hypothesis_settings(max_examples=examples(100))
def test_whatever_logs_say_of_one_another_each_is_of_a_match(seed: int) -> None:
    """Somebody may make up names, lines and circles; what is not joined says so on both sides."""
    random = Random(seed)
    ends = [(0, ""), (9, "h")]
    logs = list[Result]()
    for name, source in random.sample([*product("abcd", "xy")], random.randrange(1, 8)):
        seq, hash_ = random.choice(ends)
        made = {
            "continues_seq": seq,
            "continues_hash": hash_,
            "joined": random.choice(["", *"xxyy"]),
        }
        made |= {"complete": random.random() < 0.1, "put_aside": random.random() < 0.5}
        log = result(name, "7", "", source=source, continues=random.choice(["", *"abcde"]))
        logs.append(structs.replace(log, lines=9, hash="h", **made))
    before = {
        each.key: earlier_log(
            LogPoint(each.continues, each.continues_seq, each.continues_hash), each.joined, logs
        )
        for each in logs
        if each.continues not in ("", each.match)
    }
    naming = [each for each in logs if each.key in before]
    found = joined_matches(logs)
    matches = {each.key: [each] for each in logs if each.key in found}
    for chain in matches.values():
        while (joint := before.get(chain[0].key)) is not None and joint not in chain:
            chain.insert(0, joint)
    assert {each.key for chain in matches.values() for each in chain} == {each.key for each in logs}
    for key, joined in found.items():
        chain, first = matches[key], matches[key][0]
        assert joined.logs == [each.match for each in chain if chain[-1].continues]
        alone = [first] if first.key in before and before[first.key] is None else []
        named = [log for each in alone for log in logs if log.match == each.continues]
        heirs = [
            each
            for log in chain
            for each in naming
            if (each.continues, before[each.key]) == (log.match, None) and each not in chain
        ]
        assert [(each.is_earlier, each.source, each.match) for each in joined.apart] == [
            (at, *each.key) for at, of in ((True, named), (False, heirs)) for each in of
        ]
        sources = list(dict.fromkeys(each.source for each in chain))
        assert joined.clocks == sources * (len(sources) > 1)
        assert joined.missing == "".join(each.continues for each in alone if not named)
        assert joined.rivals == sorted(
            {
                each.match
                for log in chain
                for each in naming
                if log.key in before
                and each.continues == log.continues
                and (each.match != log.match and before[each.key] == before[log.key])
            }
        )


def claimed(earlier: Result, source: str, **changes: Any) -> Result:
    """The result of another clock's log that says it continues a match, and that Bob won it."""
    log = result("later", "2", "", source=source, winner=Side.RIGHT, complete=True)
    end = {"continues_seq": earlier.lines, "continues_hash": earlier.hash}
    return structs.replace(log, continues=earlier.match, **end | changes)


@pytest.mark.rule("R220")
@pytest.mark.parametrize("complete", [True, False])
def test_no_log_replaces_the_result_of_another_one_by_its_name(complete: bool) -> None:
    """R220: whether the match is over or goes on; both are marked with who sent them."""
    true = result("m", "1", "", source="room/1", lines=9, hash="h", score=Pair(8, 2))
    true = structs.replace(true, complete=complete, winner=Side.LEFT if complete else None)
    other = claimed(true, "room/2")
    anna, bob = listed([true, other])
    assert (anna.score, anna.winner, anna.complete) == (true.score, true.winner, complete)
    assert anna.apart == [Apart("later", "room/2", is_earlier=False, may_join=False)]
    assert bob.apart == [Apart("m", "room/1", is_earlier=True, may_join=not complete)]
    joined = listed([true, structs.replace(other, joined="room/1")])
    assert len(joined) == (2 if complete else 1)
    if not complete:
        assert (joined[0].clocks, joined[0].apart) == (["room/1", "room/2"], [])


@pytest.mark.rule("R220")
def test_a_log_is_joined_by_itself_only_with_the_last_line_of_one_put_aside() -> None:
    """R220: by number and hash; of two logs of one name with that which has the line."""
    aside = result("m", "1", "", source="room/1", lines=9, hash="h", put_aside=True)
    same_name = structs.replace(aside, source="room/3", hash="i")
    found = {each.source: each for each in listed([aside, same_name, claimed(aside, "room/2")])}
    assert found.keys() == {"room/2", "room/3"}
    assert found["room/2"].clocks == ["room/1", "room/2"]
    wrong: list[dict[str, Any]] = [
        {"continues_seq": 8},
        {"continues_hash": "g"},
        {"continues_hash": "", "continues_seq": 0},
    ]
    for changes in wrong:
        assert len(listed([aside, claimed(aside, "room/2", **changes)])) == 2
    damaged = structs.replace(aside, hash="")
    assert len(listed([damaged, claimed(damaged, "room/2")])) == 2
