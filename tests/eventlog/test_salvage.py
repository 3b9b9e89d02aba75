"""What a damaged log still proves: the newest state that can be, never a wrong time."""

from collections.abc import Callable
from io import StringIO
from itertools import product
from random import Random
from typing import Any

import msgspec
import pytest
from rich.console import Console

from clock.eventlog.codec import Chain, DamagedError, decode
from clock.eventlog.recovery import LOST_NS, Checkpoint, recover
from clock.eventlog.replay import replay, replay_lines
from clock.eventlog.salvage import (
    Salvaged,
    apply_effects,
    continue_in_new_log,
    own_lines,
    salvage,
    salvage_checkpoint,
    salvage_without_log,
)
from clock.match import inputs
from clock.match.events import (
    FlagFellEvent,
    GameOverEvent,
    MatchOverEvent,
    UndoneEvent,
    Writer,
)
from clock.match.inputs import TAKEN_UP
from clock.match.invariants import check
from clock.match.machine import restore_match
from clock.match.rules import Reason
from clock.match.state import Absence, MatchState, Pause
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith, Side
from clock.report.build import summary
from clock.report.chart import chart
from clock.report.chart_file import render
from clock.report.tables import tables
from clock.ui.i18n import sayer
from lab.support.last_run import BOOT, PHASES, S, Written, checkpoint_at, match_in
from lab.support.logs import body, forged, monkey_logs, renamed, sealed
from lab.support.random_logs import random_logs
from lab.support.rows import rest_slow, row
from lab.support.world import LEFT, RIGHT

TEN = match_in("RUNNING").give(  # lines 6 to 10
    inputs.Pressed(20 * S, LEFT),
    inputs.Pressed(50 * S, RIGHT),
    inputs.Pressed(90 * S, LEFT),
    inputs.Pressed(95 * S, RIGHT),
    inputs.CentrePressed(130 * S),
)


GO_ON, END = inputs.CentrePressed(140 * S), inputs.CentrePressed(150 * S)


def bad(lines: list[bytes], *numbers: int) -> list[bytes]:
    """The same lines, some of them (from 1) zeroed as a lost sector is."""
    return [b"\0" * len(line) if at in numbers else line for at, line in enumerate(lines, 1)]


def as_of(match: Written, count: int) -> Written:
    """The match after so many of its lines."""
    part = Written()
    part.lines = match.lines[:count]
    part.state, part.chain = replay(part.lines).match
    return part


def anew(of: Salvaged, why: str = "damaged") -> Written:
    """The match as the runtime goes on with it, in a log of its own."""
    found = continue_in_new_log(of, why, "next", 7)
    assert found.restored is not None
    assert found.origin is not None
    match = Written()
    match.state, record = restore_match(
        found.match.state, found.restored, found.origin, Writer("test")
    )
    match.chain, line = Chain("new", "next").append(record, "2026-05-01T10:00:00+02:00")
    match.lines = [line[:-1]]
    return match


# --- what counts ------------------------------------------------------------------------------


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("number", range(1, 11))
def test_with_the_checkpoint_of_its_end_nothing_is_lost(number: int) -> None:
    """T12: whichever line is gone, the checkpoint has the whole state after it."""
    latest = checkpoint_at(TEN, 130 * S)
    of = salvage(bad(TEN.lines, number), latest)
    assert of.state == TEN.state
    assert (of.origin.seq, of.origin.unknown) == (10, 0)
    assert (of.origin.taken_from, of.lost_ns) == ("checkpoint", 0)
    assert of.origin.hash == ""  # no line after it confirms what its own states
    assert f"line {number}: " in str(of.origin.damage)


@pytest.mark.rule("T12")
@pytest.mark.parametrize("sign_at", range(5, 10))
@pytest.mark.parametrize("number", range(1, 10))
def test_lines_after_a_checkpoint_replay_from_it(number: int, sign_at: int) -> None:
    """T12: damage before it does not matter; after it the lines count that follow byte for byte."""
    part = as_of(TEN, sign_at)
    latest = checkpoint_at(part, part.state.at_ns)
    of = salvage(bad(TEN.lines, number), latest)
    if number < sign_at:
        assert (of.state, of.origin.unknown) == (TEN.state, 0)
        assert of.origin.hash == TEN.chain.hash
    else:  # the line whose checksum the next one continues, or one after it
        assert (of.origin.unknown > 0) == (of.origin.taken_from == "effects" or number == 9)
        assert of.origin.seq >= sign_at


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("number", range(2, 9))
def test_without_a_checkpoint_reserves_and_clock_of_the_newest_whole_line_count(
    number: int,
) -> None:
    """T12: not all of the state is known, and the record says of how many lines."""
    of = salvage(bad(TEN.lines, number), None)
    assert of.origin.taken_from == "effects"
    assert (of.origin.seq, of.origin.unknown) == (10, 11 - number)
    for side in (LEFT, RIGHT):
        assert of.state.reserve_ns(side, 0) == TEN.state.reserve_ns(side, 0)
    if of.state.turn is not None:
        assert (of.state.phase, of.state.reason) == (Phase.STOPPED, Reason.POWER_LOSS)
        assert of.state.turn.side is (LEFT if number < 9 else RIGHT)
        assert of.state.delay_left_ns(0) == TEN.state.delay_left_ns(0)


def test_a_torn_end_is_what_was_before_it() -> None:
    """The last line alone is bad: the lines before it replay; what it said is not known."""
    of = salvage([*TEN.lines[:-1], TEN.lines[-1][:50]], None)
    assert of.state == as_of(TEN, 9).state
    assert (of.origin.taken_from, of.origin.seq, of.origin.unknown) == ("log", 9, 1)
    assert of.lost_ns is None  # a clock ran, and there is no checkpoint
    kept_up = salvage([*TEN.lines[:-1], b"torn"], checkpoint_at(as_of(TEN, 9), 99 * S))
    assert kept_up.lost_ns is None  # something was written after it
    whole = salvage(TEN.lines, checkpoint_at(as_of(TEN, 5), 19 * S))
    assert (whole.lost_ns, whole.origin.damage) == (None, None)
    aside = match_in("PUT_ASIDE").lines
    assert [salvage(lines, None).lost_ns for lines in (aside, [*aside, b"torn"])] == [0, None]
    assert anew(salvage([*aside, b"torn"], None)).chain.fingerprint_seq == 1  # its log has its own


def test_a_phase_after_damage_has_no_clock_running() -> None:
    """A match that is over, adjourned, or goes on without a clock, stays so; a break is over."""
    phases = {
        "RUNNING": "STOPPED",
        "STOPPED": "STOPPED",
        "FREE_TURN": "STOPPED",
        "GAME_OVER": "STOPPED",
        "BREAK": "READY",
        "NO_CLOCK": "NO_CLOCK",
        "PUT_ASIDE": "PUT_ASIDE",
        "FINISHED": "FINISHED",
    }
    for phase, expected in phases.items():
        with row(phase):
            of = salvage(bad(match_in(phase).lines, 2), None)
            assert (of.origin.taken_from, of.state.phase) == ("effects", expected)
            assert of.state.at_ns == of.last_known_ns == match_in(phase).state.at_ns


def test_effects_leave_nothing_that_only_the_lines_before_the_damage_knew() -> None:
    """A hold, a break, an absence, points that were entered, and what was pressed.

    Not even if the lines after it say nothing.
    """
    before = TEN.state.replace(held=True, pause=Pause(1, 2), game_points=Pair(1, 0))
    before = before.with_player(LEFT, absence=Absence(5, 0))
    seen = as_of(TEN, 10).give(inputs.FaultSeen(140 * S, "serial", "cut"))
    for line in (TEN.lines[-1], seen.lines[-1]):
        after = apply_effects(before, [decode(line, 10)])
        assert (after.held, after.pause, after.game_points) == (False, None, Pair(0, 0))
        assert (before.recent != (), after.recent) == (True, ())
        assert after.players.left.absence is None


WHO = (FlagFellEvent, GameOverEvent, MatchOverEvent)  # they say who is on move


STATED = (
    *("settings", "names", "length", "score", "legs", "crawford", "clock_removed", "games"),
    *("winner", "ended", "next_offer", "preset"),
)
COUNTS = (
    *("breaks_taken", "penalty_points", "invalid_rolls", "warnings", "warned_for", "overtime_used"),
    *("late", "confirmed"),
)


def effects(of: MatchState) -> dict[str, object]:
    """What lines do to a match, but for what is under way and cannot be known."""
    points = of.decision and msgspec.structs.replace(of.decision, game_points=Pair(0, 0))
    flags = [flag and (flag.order, flag.claimed) for flag in (each.flag for each in of.players)]
    delays = [player.next_delay in (NextDelay.SKIP, NextDelay.WAIT) for player in of.players]
    counts = {name: [getattr(player, name) for player in of.players] for name in COUNTS}
    stated = {name: getattr(of, name) for name in STATED}
    return {**stated, **counts, "decision": points, "flags": flags, "delays": delays}


def on_clock(of: MatchState) -> tuple[object, ...]:
    """Who is on move, and what every line states."""
    mover = None if of.phase is Phase.FINISHED else of.turn and of.turn.side
    return mover, of.at_ns, of.score, *(of.reserve_ns(side, of.at_ns) for side in Side)


@pytest.mark.rule("R67", "R212")
@pytest.mark.parametrize("share", rest_slow(range(4)))
def test_effects_are_those_of_the_replayed_lines(share: int) -> None:
    """Of every ruling, also of one that was taken back, and of a match that was reopened.

    So they are after lost lines if these had no such effect, whatever was pressed in them; if a
    later line says it, who is on move is known too. What a line states is so whatever was lost.
    """
    for seed in range(share, 160, 4):
        for log in random_logs(seed):
            steps = list(replay_lines(log))
            states = [step.match.state for step in steps]
            said = [(effects(each), each.done) for each in states]
            for begin, lost in product(range(1, len(steps) - 4, 11), (0, 1, 4)):
                known = states[begin - 1]
                had = said[begin - 1 : begin + lost]
                for length in (1, 5, 25):
                    end = min(begin + lost + length, len(steps))
                    later, true = steps[begin + lost : end], states[end - 1]
                    last = later[-1].line
                    with row(seed, begin, lost, end):
                        if had.count(had[0]) == len(had):
                            after = apply_effects(known, [step.line for step in later])
                            check(after)
                            assert effects(after) == said[end - 1][0]
                            if not lost and length > 1:  # the same line by line
                                assert after == apply_effects(states[end - 2], [last])
                            is_said = not lost or any(step.line.record.running for step in later)
                            assert on_clock(after)[not is_said :] == on_clock(true)[not is_said :]
                        after, event = apply_effects(known, [last]), last.record.event
                        is_said = isinstance(event, WHO)
                        if after.phase is Phase.FINISHED:
                            assert after.turn is None
                        else:
                            assert (after.winner, after.ended) == (None, "")
                        assert on_clock(after)[not is_said :] == on_clock(true)[not is_said :]
                        if isinstance(event, UndoneEvent):
                            assert after.done == true.done
                        if isinstance(event, MatchOverEvent) and true.phase is Phase.FINISHED:
                            assert (after.winner, after.ended) == (event.winner, event.why)


def test_a_ruling_that_was_taken_back_in_lines_that_are_lost_has_no_effect() -> None:
    """Nor has any other ruling, or one whose line alone is known, if the line before it is lost."""
    ruling = Written(length=3).ready().give(inputs.ScoreSet(7 * S, LEFT, 2))
    undone = (
        Written(length=3)
        .ready()
        .give(
            inputs.ScoreSet(7 * S, LEFT, 2), inputs.Undone(8 * S), inputs.BreakGranted(9 * S, LEFT)
        )
    )
    later = [step.line for step in replay_lines(undone.lines)][-2:]
    assert apply_effects(ruling.state, later).score == Pair(0, 0)
    for lines in (later, later[:1]):
        assert apply_effects(ruling.state.replace(done=None), lines).score == Pair(0, 0)
    named = Written(length=3).ready().give(inputs.BreaksSet(6 * S, LEFT, 1))
    known = named.state
    named.give(inputs.NamesSet(7 * S, Pair("Ada", "Bo")), inputs.NamesSet(8 * S, Pair("Cy", "Di")))
    later = [step.line for step in replay_lines(named.give(inputs.Undone(9 * S)).lines)][-2:]
    for lines in (later, later[1:]):
        after = apply_effects(known, lines)
        assert (after.names, after.players) == (known.names, known.players)


def passed(at_s: int) -> inputs.Input:
    return inputs.TimePassed(at_s * S)


def centre(at_s: int) -> inputs.Input:
    return inputs.CentrePressed(at_s * S)


def press(at_s: int, side: Side) -> inputs.Input:
    return inputs.Pressed(at_s * S, side)


def entered(at_s: int, winner: Side, points: int) -> list[inputs.Input]:
    """A game that is over and its points, which the centre then confirms."""
    return [centre(at_s), press(at_s, RIGHT), centre(at_s), *[press(at_s, winner)] * points]


BEGUN = press(0, RIGHT)
SHORT: dict[str, Any] = {"time_per_point_ns": 0, "time_per_match_ns": 10 * S, "bank_step_ns": 1}
OVERTIME: dict[str, Any] = {**SHORT, "overtime_ns": 5 * S}
ENDED = inputs.MatchEnded(1 * S, LEFT, "director")
REOPENED = inputs.Reopened(12 * S)
FAULT = inputs.FaultSeen(5 * S, "serial", "full")
CLAIMED = [BEGUN, passed(22), centre(40), press(40, LEFT), centre(41)]
Inputs = list[inputs.Input]

# What is known before the damage, what is lost, what stands after it, and what cannot be known.
LOST: dict[str, tuple[dict[str, Any], Inputs, Inputs, Inputs, set[str]]] = {
    "the first flag": (SHORT, [BEGUN], [passed(30), press(40, LEFT)], [passed(62)], {"time"}),
    "a flag that is cleared": (
        SHORT,
        [BEGUN, passed(22), centre(40)],
        [inputs.FlagSet(41 * S, LEFT, 0), inputs.TurnResumed(42 * S, RIGHT, ResumeWith.NEW)],
        [passed(64)],
        {"time"},
    ),
    "a press after a claim": (
        SHORT,
        [*CLAIMED, inputs.TurnResumed(42 * S, LEFT, ResumeWith.FULL)],
        [press(43, LEFT)],
        [passed(65)],
        {"time"},
    ),
    "overtime": (OVERTIME, [BEGUN], [passed(22)], [passed(27)], {"time"}),
    "overtime to come": (
        {**OVERTIME, "overtime_called": True},
        [],
        [BEGUN],
        [passed(22)],
        {"time"},
    ),
    "a score before a penalty": (
        {"length": 9},
        [],
        [inputs.ScoreSet(1 * S, LEFT, 1)],
        [inputs.PointsAwarded(2 * S, RIGHT, 2, "late")],
        set(),
    ),
    "a score before a score": (
        {},
        [],
        [inputs.ScoreSet(1 * S, RIGHT, 1)],
        [inputs.ScoreSet(2 * S, LEFT, 2)],
        {"score before"},
    ),
    "a stop": ({}, [BEGUN], [centre(10)], [ENDED], set()),
    "a score of a match that is over": (
        {"length": 3},
        [ENDED],
        [inputs.ScoreSet(2 * S, RIGHT, 1)],
        [inputs.NamesSet(3 * S, Pair("Ada", "Bo"))],
        set(),
    ),
    "reopened": ({"length": 3}, [ENDED], [REOPENED], [press(13, RIGHT)], set()),
    "reopened, as it was decided": (
        {"length": 1},
        [BEGUN, *entered(10, LEFT, 1), centre(10)],
        [REOPENED],
        [press(13, LEFT)],
        {"score before"},
    ),
    "reopened, with another reason": (
        {"length": 1},
        [BEGUN, centre(10), inputs.PointsAwarded(11 * S, RIGHT, 1, "late")],
        [REOPENED, press(12, RIGHT), press(12, RIGHT), press(12, RIGHT)],
        [centre(13)],
        set(),
    ),
    "reopened, and taken back": (
        {"length": 1},
        [BEGUN, *entered(10, LEFT, 1)],
        [centre(10), REOPENED],
        [inputs.Undone(13 * S)],
        {"legs", "games", "winner", "ended", "decision"},
    ),
    "reopened twice, and taken back": (
        {"length": 1},
        [BEGUN, *entered(10, LEFT, 1), centre(10), passed(11), REOPENED],
        [press(13, LEFT), press(13, LEFT), centre(13), passed(13), inputs.Reopened(14 * S)],
        [inputs.Undone(15 * S)],
        {"decision"},
    ),
    "reopened, and another winner": (
        {"length": 3, "score": (1, 1)},
        [BEGUN, *entered(10, LEFT, 2), centre(10), passed(11)],
        [REOPENED, press(12, RIGHT), centre(12)],
        [press(13, RIGHT)],
        {"games", "crawford"},
    ),
    "put aside": (
        {},
        [inputs.Adjourned(1 * S)],
        [inputs.Restored(2 * S, 0, None, TAKEN_UP)],
        [press(3, RIGHT)],
        set(),
    ),
    "the clock is back, and a break": (
        {},
        [inputs.ClockRemoved(1 * S)],
        [inputs.Undone(2 * S)],
        [inputs.BreakTaken(3 * S, Pair(1, 0))],
        set(),
    ),
    "the clock is back, and a stop": (
        {},
        [inputs.ClockRemoved(1 * S)],
        [inputs.Undone(2 * S), press(3, RIGHT)],
        [centre(5)],
        set(),
    ),
    "the clock is removed": ({}, [], [inputs.ClockRemoved(1 * S), centre(2)], [centre(3)], set()),
    "who is on move": ({}, [], [BEGUN, centre(0)], [FAULT], {"mover"}),
    "the last game, taken back and adjourned": (
        {"length": 1},
        [BEGUN, *entered(10, LEFT, 1), centre(10)],
        [passed(10), inputs.Undone(11 * S)],
        [inputs.Adjourned(12 * S)],
        set(),
    ),
    "a press that has to wait": (
        {},
        [BEGUN, centre(0)],
        [inputs.TurnResumed(0, RIGHT, ResumeWith.WAIT)],
        [press(0, RIGHT), press(30, RIGHT)],
        set(),
    ),
    "the beginning of a turn": ({}, [], [BEGUN], [FAULT, press(20, LEFT)], set()),
    "how a game ended": ({"length": 3}, [BEGUN], entered(10, LEFT, 1), [centre(10)], set()),
    "how the last game ended": ({"length": 1}, [BEGUN], entered(10, LEFT, 1), [centre(10)], set()),
    "the last game": (
        {"length": 3, "score": (2, 0)},
        [inputs.CrawfordSet(0, Crawford.NOW), BEGUN, *entered(10, LEFT, 1)],
        [centre(10)],
        [passed(10)],
        {"games", "decision", "score before"},
    ),
    "a game of a leg": (
        {"length": 3, "best_of_three": True},
        [BEGUN],
        [*entered(10, LEFT, 2), centre(10), press(11, RIGHT), *entered(20, LEFT, 1)],
        [centre(20)],
        set(),
    ),
    "the first leg of a match that is shortened": (
        {"length": 3, "best_of_three": True},
        [],
        [inputs.PointsAwarded(1 * S, LEFT, 3, "late"), inputs.ScoreSet(2 * S, RIGHT, 2)],
        [inputs.MatchShortened(3 * S), passed(4), inputs.CrawfordSet(5 * S, Crawford.NOW)],
        {"decision"},
    ),
    "the Crawford game": (
        {"length": 3, "score": (2, 0)},
        [BEGUN],
        [*entered(10, RIGHT, 1), centre(10)],
        [press(11, RIGHT)],
        {"games"},
    ),
    "a game before it": (
        {"length": 3},
        [BEGUN],
        [*entered(10, RIGHT, 2), centre(10)],
        [press(11, RIGHT)],
        {"games", "crawford"},
    ),
    "a score that is lowered": (
        {"length": 3, "score": (2, 0)},
        [],
        [inputs.ScoreSet(1 * S, LEFT, 0)],
        [press(2, RIGHT)],
        set(),
    ),
}


@pytest.mark.rule("R67")
def test_a_later_line_says_what_lost_ones_have_done() -> None:
    """All that can be known of it, and nothing is made up of the rest."""
    for name, (changes, known, lost, later, unknown) in LOST.items():
        with row(name):
            match = Written(**changes).ready().give(*known)
            before, count = match.state, len(match.give(*lost).lines)
            *_, (true, _) = steps = list(replay_lines(match.give(*later).lines))
            after = apply_effects(before, [step.line for step in steps[count:]])
            check(after)
            said, expected = everything(after), everything(true.state)
            assert {key for key in said if said[key] != expected[key]} == unknown
            if "mover" in unknown:
                assert after.turn is None
            if "crawford" in unknown:
                assert after.crawford is Crawford.UNKNOWN


def everything(of: MatchState) -> dict[str, object]:
    """What the lines of a match say of it, and how each reserve came to be what it is."""
    mover, *stated = on_clock(of)
    accounts, is_over = [player.account for player in of.players], of.phase is Phase.FINISHED
    known = {"decision": of.decision, "mover": mover, "stated": stated, "time": accounts}
    known["score before"] = of.done and of.done.before.get("score")
    return {**effects(of), **known, "over": is_over}


@pytest.mark.parametrize(
    "changes", [{"match": "other"}, {"state": match_in("READY").state.replace(length=0)}]
)
def test_a_checkpoint_of_another_match_or_that_cannot_be_does_not_count(
    changes: dict[str, object],
) -> None:
    latest = msgspec.structs.replace(checkpoint_at(TEN, 130 * S), **changes)
    assert salvage(bad(TEN.lines, 3), latest).origin.taken_from == "effects"


@pytest.mark.rule("R67")
@pytest.mark.parametrize("count", range(4, 10))
def test_lines_that_never_came_to_the_disk_are_known_by_the_checkpoint(count: int) -> None:
    """R67: the log is good as far as it goes; its disk was full, and the power went."""
    of = salvage(TEN.lines[:count], checkpoint_at(TEN, 130 * S))
    assert (of.state, of.last_known_ns, of.lost_ns) == (TEN.state, 130 * S, None)
    assert (of.origin.seq, of.origin.hash, of.origin.unknown) == (10, "", 0)
    many, one = f"lines {count + 1} to 10 are missing", "line 10 is missing"
    assert of.origin.damage == (one if count == 9 else many)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f | {"event": "corrected", "what": "crawford", "old": "no", "new": "nonsense"},
        lambda f: f | {"event": "corrected", "what": "length", "old": 3, "new": -7},
        lambda f: f | {"event": "corrected", "what": "score", "old": 3, "new": -7},
        lambda f: f | {"score": [-1, 0]},
    ],
    ids=["crawford", "length", "score", "of the line"],
)
def test_lines_after_damage_that_no_clock_has_written_do_not_count(
    change: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    """Somebody has made their hashes right: what was before the damage counts."""
    lines = bad(forged(TEN.lines[:7], 6, lambda f: f.update(change(f))), 3)
    of = salvage(lines, None)
    assert (of.origin.taken_from, of.origin.seq, of.origin.unknown) == ("log", 2, 5)
    assert of.state == as_of(TEN, 2).state


@pytest.mark.rule("T12")
def test_lines_after_damage_count_by_the_hash_that_was_computed_over_them() -> None:
    """A stated hash proves nothing, and neither does a line of another match."""
    changed = [*TEN.lines[:-1], TEN.lines[-1].replace(b'"left_ns":1', b'"left_ns":2')]
    other = sealed([b"{", body(TEN.lines[-1]).replace(b'"match":"match"', b'"match":"x"')])
    for lines, end in ((changed, 9), ([*TEN.lines[:-1], *other], 9), (TEN.lines, 10)):
        assert salvage(bad(lines, 3), None).origin.seq == end


def damage_of(lines: list[bytes]) -> DamagedError:
    """The error of a log that proves nothing."""
    with pytest.raises(DamagedError) as caught:
        salvage(lines, None)
    return caught.value


@pytest.mark.parametrize("lines", [[], [b""], [b"\0" * 400], bad(TEN.lines, *range(1, 11))])
def test_of_nothing_nothing_is_made(lines: list[bytes]) -> None:
    """Not even with a checkpoint: it may be of another match."""
    assert str(damage_of([])) == "line 1: the log is empty"
    assert str(damage_of([b"x"])).startswith("line 1: the hash is wrong")
    for latest in (None, checkpoint_at(TEN, 130 * S)):
        with pytest.raises(DamagedError):
            salvage(lines, latest)


def test_a_first_line_that_is_gone_needs_a_checkpoint() -> None:
    with pytest.raises(DamagedError, match="line 1"):
        salvage(bad(TEN.lines, 1), None)
    assert salvage(bad(TEN.lines, 1), checkpoint_at(TEN, 130 * S)).state == TEN.state


def test_a_checkpoint_alone() -> None:
    """In safe mode nothing else is looked at; lines after it are said not to be known."""
    part = as_of(TEN, 9)
    whole = salvage_checkpoint(checkpoint_at(part, 99 * S), part.lines)
    assert (whole.lost_ns, whole.origin.unknown) == (LOST_NS, 0)
    assert salvage_checkpoint(checkpoint_at(part, 99 * S), part.lines[:7]).origin.unknown == 0
    of = salvage_checkpoint(checkpoint_at(part, 99 * S), TEN.lines)
    assert (of.state, of.last_known_ns) == (part.state, 99 * S)
    assert (of.lost_ns, of.origin.unknown) == (None, 1)
    assert anew(of).state.reserve_ns(LEFT, 7) == part.state.reserve_ns(LEFT, 99 * S)
    for latest in (None, msgspec.structs.replace(checkpoint_at(part, 99 * S), match="yesterday")):
        with pytest.raises(DamagedError, match="no checkpoint of this match"):
            salvage_checkpoint(latest, TEN.lines)


def test_lines_count_although_that_of_the_checkpoint_and_the_next_one_are_damaged() -> None:
    part = as_of(TEN, 5)
    of = salvage(bad(TEN.lines, 5, 6), checkpoint_at(part, part.state.at_ns))
    assert (of.origin.taken_from, of.origin.seq) == ("effects", 10)


def test_damage_is_named_before_what_is_missing() -> None:
    """A line that is damaged among lines that the checkpoint has, and the log has not."""
    of = salvage(bad(TEN.lines[:5], 3), checkpoint_at(TEN, 130 * S))
    assert str(of.origin.damage).startswith("line 3: ")


def test_lines_that_stand_there_twice_count_once() -> None:
    """The first line of a number counts, whatever was written again behind it."""
    for again in (TEN.lines[4:7], [TEN.lines[8], as_of(TEN, 9).give(END).lines[9]]):
        of = salvage([*bad(TEN.lines, 3), *again], None)
        assert (of.origin.seq, of.last_known_ns) == (10, 130 * S)


def test_a_checkpoint_alone_that_cannot_be() -> None:
    """It is refused, and the first line is the one named: no line was looked at."""
    impossible = match_in("READY").state.replace(length=0)
    for latest in (None, msgspec.structs.replace(checkpoint_at(TEN, 130 * S), state=impossible)):
        with pytest.raises(DamagedError, match=r"line 1: (no )?checkpoint"):
            salvage_checkpoint(latest, TEN.lines)


def test_a_checkpoint_without_its_log() -> None:
    """Of a match under way it goes on; what else there is, is said to be damaged."""
    damage = DamagedError(3, "torn")
    for phase in PHASES:
        match = match_in(phase)
        latest = checkpoint_at(match, match.state.at_ns)
        with row(phase):
            if phase in {"REVIEW", "PUT_ASIDE", "FINISHED"}:
                with pytest.raises(DamagedError, match="torn"):
                    salvage_without_log(latest, [], damage)
            else:
                of = salvage_without_log(latest, [b"x", b"y"], damage)
                assert (of.state, of.lost_ns, of.origin.unknown) == (match.state, None, 2)
                assert of.origin.damage == "line 3: torn"
    impossible = match_in("READY").state.replace(length=0)
    for other in (None, msgspec.structs.replace(checkpoint_at(TEN, 0), state=impossible)):
        with pytest.raises(DamagedError, match="torn"):
            salvage_without_log(other, TEN.lines, damage)


def test_a_match_behind_another_one_in_its_file() -> None:
    """The lines before it are not its own, and count as damage; by its name it is found."""
    other = renamed(match_in("STOPPED").lines, "other")
    of = salvage([*other, *TEN.lines], None, "match")
    assert (of.state, of.origin.match, of.origin.seq) == (TEN.state, "match", 10)
    assert of.origin.damage == "line 1: another match stands before this one"
    assert salvage([*other, *TEN.lines], None, "other").origin.match == "other"
    damaged = [*other, *bad(TEN.lines, 3)]
    assert f"line {len(other) + 3}: " in str(salvage(damaged, None, "match").origin.damage)
    assert own_lines([*damaged, *other[1:]], "match") == (len(other), bad(TEN.lines, 3))
    over, unbegun = (renamed(match_in(phase).lines, phase) for phase in ("FINISHED", "REVIEW"))
    for part, before in product((TEN.lines, TEN.lines[:9]), (over, unbegun, unbegun[:1])):
        assert own_lines([*before, *part], "") == (len(before), part)  # that is to be resumed
        assert own_lines([*part, *before], "") == (0, part)
    without_first = [*other, *TEN.lines[1:]]
    assert salvage(without_first, None, "match").origin.match == "other"
    assert salvage(without_first, checkpoint_at(TEN, 130 * S), "match").state == TEN.state
    longer = renamed([*TEN.lines, *as_of(TEN, 10).give(GO_ON).lines[10:]], "other")
    assert salvage([*longer, *TEN.lines], checkpoint_at(TEN, 130 * S)).state == TEN.state


def test_a_log_whose_first_line_alone_is_before_the_checkpoint() -> None:
    """The lines after it replay from it; its own line, if it is gone, says nothing of them."""
    part = as_of(TEN, 1)
    of = salvage(TEN.lines, checkpoint_at(part, 0))
    assert (of.state, of.origin.taken_from) == (TEN.state, "log")
    first = TEN.lines[0].replace(b'"version":"test"', b'"version":"tast"')
    of = salvage([first, *TEN.lines[1:]], checkpoint_at(part, 0))
    assert (of.state, of.origin.taken_from, of.origin.unknown) == (TEN.state, "checkpoint", 0)


def test_a_checkpoint_of_the_log_that_a_match_goes_on_from() -> None:
    """No clock has run since: there is no newer one."""
    of = salvage(bad(TEN.lines, 3), checkpoint_at(TEN, 130 * S))
    assert salvage_checkpoint(checkpoint_at(TEN, 130 * S), anew(of).lines).state == TEN.state


@pytest.mark.rule("T12")
@pytest.mark.parametrize("seed", range(12))
def test_damage_anywhere_in_any_match_makes_no_time(seed: int) -> None:
    """T12: flips in a monkey's log, with or without a checkpoint: no reserve that never was."""
    random = Random(seed)
    for lines in monkey_logs(seed, 60):
        states = [each.match.state for each in replay_lines(lines)]
        chains = [each.match.chain for each in replay_lines(lines)]
        for _ in range(12):
            damaged = list(lines)
            for _ in range(random.choice((1, 1, 2))):
                at = random.randrange(len(lines))
                line = bytearray(damaged[at])
                line[random.randrange(len(line))] ^= 1 << random.randrange(8)
                damaged[at : at + 1] = bytes(line).split(b"\n")
            at, latest = random.randrange(len(lines)), None
            if random.random() < 0.5:
                chain, state = chains[at], states[at]
                latest = Checkpoint(chain.match, chain.seq, state.at_ns, chain.boot, state)
            try:
                of = salvage(damaged, latest)
            except DamagedError:
                assert latest is None or b'"match":"%b"' % latest.match.encode() not in b"".join(
                    damaged
                )
                continue
            fields = msgspec.json.decode(lines[of.origin.seq - 1])
            for side, left_ns in ((LEFT, fields["left_ns"]), (RIGHT, fields["right_ns"])):
                assert of.state.reserve_ns(side, of.last_known_ns) == left_ns
            if of.origin.taken_from != "effects":
                assert of.state == states[of.origin.seq - 1]
            after = anew(of)
            assert replay(after.lines).match == (after.state, after.chain)


# --- a log that begins with it ----------------------------------------------------------------


def elsewhere(phase: str) -> Written:
    """A match that goes on in a log of its own, from a phase, and on for a while."""
    match = match_in(phase)
    later = anew(salvage(match.lines, checkpoint_at(match, match.state.at_ns)), "replacement")
    at = 20 * S
    later.give(inputs.CentrePressed(at), inputs.Pressed(2 * at, LEFT))
    return later.give(inputs.Pressed(3 * at, RIGHT), inputs.CentrePressed(4 * at))


@pytest.mark.slow
@pytest.mark.rule("R67", "R83")
@pytest.mark.parametrize("phase", PHASES)
def test_such_a_log_replays_recovers_and_is_reported_by_itself(phase: str) -> None:
    """R83: verified line by line; the report says where the match was before."""
    match = elsewhere(phase)
    assert replay(match.lines).match == (match.state, match.chain)
    for count in range(1, len(match.lines) + 1):
        part = recover(match.lines[:count], None, "third", 5).match
        assert part.state == replay(match.lines[:count]).match.state
    for count in (1, len(match.lines)):
        told = summary(match.lines[:count])
        assert told.origin is not None
        assert told.origin.match == "match"
        assert len(tables(told, sayer("en"))) > 1
        assert render(chart(told), ".svg")
    console = Console(file=(file := StringIO()), width=300)
    console.print(*tables(summary(match.lines), sayer("en")))
    assert " log match, line " in file.getvalue()
    assert "Replacement clock" in file.getvalue()
    assert "NEVER CONFIRMED" not in file.getvalue()


def put(field: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda fields: fields.__setitem__(field, value)


def within(field: str, value: object) -> Callable[[dict[str, Any]], object]:
    """Another value in a field of the state."""
    return lambda fields: fields["state"].__setitem__(field, value)


FORGERIES = [
    (put("state", None), "no clock writes"),
    (put("state", {"phase": "READY"}), "no clock writes"),
    (put("origin", None), "a log begins with match_opened, not restored"),
    (put("same_boot", True), "must be stopped"),
    (put("at_ns", 8), "must be stopped"),
    (put("left_ns", 1), "left_ns is 1, but replaying gives"),
    (within("length", 0), "impossible match: length out of range"),
    (within("score", [-1, 0]), "impossible match: score out of range"),
    (within("phase", "RUNNING"), "impossible match: wrong clock running"),
    (within("phase", "BREAK"), "impossible match: break in the wrong phase"),
    (within("turn", None), "impossible match: no turn on the clock"),
    (lambda f: f["state"]["turn"].__setitem__("used_ns", -1), "turn with wrong times"),
    (lambda f: f["state"]["turn"].__setitem__("delay_ns", 10**15), "turn with wrong times"),
    (
        lambda f: f["state"]["settings"]["rules"].__setitem__("late_step_ns", 0),
        "lateness step below 1 s",
    ),
    (
        lambda f: f["state"]["players"][0].__setitem__("breaks_taken", -1),
        "number of breaks or rulings out of range",
    ),
]


@pytest.mark.rule("R83")
@pytest.mark.parametrize(("change", "why"), FORGERIES, ids=range(len(FORGERIES)))
def test_a_forged_state_is_found_out(change: Callable[[dict[str, Any]], object], why: str) -> None:
    """R83: what no clock can have written is refused, with right hashes too."""
    match = anew(salvage(TEN.lines, None))
    assert match.state.turn is not None
    with pytest.raises(DamagedError) as caught:
        replay(forged(match.lines, 0, change))
    assert caught.value.line == 1
    assert why in caught.value.why


def test_such_a_line_stands_at_the_beginning_alone() -> None:
    match = anew(salvage(TEN.lines, checkpoint_at(TEN, 130 * S)))
    with pytest.raises(DamagedError, match="line 2"):
        replay([TEN.lines[0], match.lines[0]])


def test_the_boot_of_an_old_log_says_nothing() -> None:
    """Its instants are of another clock, even if the name of the boot were the same."""
    found = continue_in_new_log(salvage(TEN.lines, None), "replacement", BOOT, 1)
    assert found.restored is not None
    assert not found.restored.same_boot
