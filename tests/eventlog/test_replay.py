"""Replay of logs: every match gives its lines again, and any other log is refused."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from clock.eventlog.codec import DamagedError, last_line
from clock.eventlog.recovery import recover
from clock.eventlog.replay import replay, replay_lines
from clock.eventlog.verification import verify
from clock.match import inputs
from clock.match.events import CorrectedEvent, Record, ResumedEvent
from clock.match.machine import next_deadline
from clock.match.profiles import PROFILES
from clock.match.rules import Lateness, Reason
from clock.match.types import NextDelay, Pair, ResumeWith
from clock.units import SECOND_NS
from lab.support.last_run import WALL, Written, match_in
from lab.support.logs import (
    OWN,
    body,
    forged,
    kinds,
    monkey_logs,
    sealed,
    tag,
)
from lab.support.match_scripts import Author, log_of, random_match
from lab.support.world import BANK_NS, LEFT, RIGHT, match_settings


def stated(line: bytes) -> str:
    return str(msgspec.json.decode(line)["hash"])


SEEDS = range(29, 60)  # of random matches, which together have all the others
RULINGS = {"penalty", "warned"}  # a form that a monkey hardly ever completes
FROM_THE_ROOM = {"offered", "offer_refused", "proposed"}  # in tests/stories: offers, rulings


# --- every match replays ----------------------------------------------------------------------


@pytest.mark.rule("R83", "R207")
def test_a_log_of_version_1_0_0_that_names_a_delay_without_a_limit_is_told_right() -> None:
    settings = match_settings()
    reasons = settings.rules.reasons
    pressed = [inputs.Pressed(9, RIGHT)] * reasons.index(Reason.ILLEGAL_MOVE)
    ruled = inputs.DelayRuled(0, RIGHT, NextDelay.SKIP)
    stopped = (inputs.Pressed(0, RIGHT), inputs.CentrePressed(9))
    added = (ruled, *stopped, *pressed, inputs.CentrePressed(9))
    for pace, ends in ((settings.rules.at_pace().pace, "new"), (None, "wait")):
        delay = {} if pace is None else {"pace": pace, "delay_ns": 0, "time_per_point_ns": 0}
        lines = Written("ebf", **delay).ready().give(*added).lines
        assert msgspec.json.decode(lines[-1])["delay"] == ends
        assert "old is 'x'" in refused(forged(lines, 4, put("old", "x"))).why
        then = forged(lines, len(lines) - 1, lambda line: line.update(delay="full"))
        if ends == "wait":  # there is a delay: whether presses wait for it is no matter of words
            with pytest.raises(DamagedError, match="delay is 'full'"):
                replay(then)
            continue
        event = replay(then).line.record.event
        assert isinstance(event, ResumedEvent)
        assert event.delay is ResumeWith.NEW


@pytest.mark.slow
@pytest.mark.rule("R83")
def test_random_matches_replay() -> None:
    """R83: random presses, holds, menus, flags, breaks, power cuts, new matches.

    They have every event that a box alone can bring about.
    """
    unseen = {tag(kind) for kind in OWN} - {"fault", "fault_cleared", *RULINGS} - FROM_THE_ROOM
    for seed in SEEDS:
        for lines in monkey_logs(seed):
            *_, last = replay_lines(lines)
            assert last.match.chain.seq == len(lines), seed
            assert last.match.chain.hash == stated(lines[-1]), seed
            unseen -= kinds(lines)
    assert not unseen


@pytest.mark.slow
@pytest.mark.rule("R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_with_all_that_belongs_to_it_replays(profile: str) -> None:
    """R83: stops, the director's rulings, breaks, power cuts and what flags bring, to the end."""
    author = random_match(match_settings(profile, length=5), seed=7, pace=14)
    lines = log_of(author.script, match_settings(profile, length=5))
    state, chain = replay(lines).match
    assert (chain.seq, chain.hash) == (len(lines), stated(lines[-1]))
    assert state.replace(at_ns=0) == author.state.replace(at_ns=0)


@pytest.mark.rule("R20", "R83")
@pytest.mark.parametrize("profile", PROFILES)
def test_every_reason_of_every_profile_replays(profile: str) -> None:
    """R20: stopped, chosen, carried out; the log tells it all."""
    for reason in PROFILES[profile].reasons:
        author = Author(match_settings(profile))
        author.confirm()
        author.do("press right", 9)
        author.do("press left", 14)
        author.stop_for(reason)
        author.do("wait", 30)
        lines = log_of(author.script, match_settings(profile))
        replayed = replay(lines).match.state.replace(at_ns=0)
        assert replayed == author.state.replace(at_ns=0), reason


def test_two_events_at_one_instant_each_have_their_match() -> None:
    """Two players are late at the same instant: a crash between the two lines loses neither."""
    written = Written()
    written.give(inputs.AbsenceNoted(0, LEFT), inputs.AbsenceNoted(0, RIGHT))
    written.give(inputs.TimePassed(300 * SECOND_NS))
    assert len(written.lines) == 5
    assert [each.match.chain.seq for each in replay_lines(written.lines)] == [1, 2, 3, 4, 5]
    assert replay(written.lines).match.state == written.state
    between = replay(written.lines[:4]).match.state
    assert next_deadline(between) == between.at_ns == 300 * SECOND_NS


# --- nothing else passes ----------------------------------------------------------------------

GOOD = (
    Written()
    .ready()
    .give(
        inputs.Pressed(1 * SECOND_NS, RIGHT),
        inputs.Pressed(20 * SECOND_NS, LEFT),
        inputs.Pressed(50 * SECOND_NS, RIGHT),
        inputs.CentrePressed(60 * SECOND_NS),
        inputs.TimeSet(70 * SECOND_NS, LEFT, 600 * SECOND_NS, "director"),
        inputs.BreaksSet(71 * SECOND_NS, LEFT, 1),
    )
    .rebooted()
    .give(inputs.Restored(SECOND_NS, 0, 10 * SECOND_NS), inputs.CentrePressed(2 * SECOND_NS))
    .give(inputs.CentrePressed(3 * SECOND_NS), inputs.NamesSet(3 * SECOND_NS, Pair("Ada", "Bo")))
    .give(inputs.SidesSwapped(3 * SECOND_NS))
    .lines
)


def refused(lines: list[bytes]) -> DamagedError:
    """Return the error that replaying a log raises."""
    with pytest.raises(DamagedError) as caught:
        replay(lines)
    return caught.value


def test_the_log_that_is_forged_below_replays() -> None:
    """Otherwise the tests below would prove nothing."""
    assert replay(GOOD).match.chain.seq == len(GOOD) == 15


def test_a_program_may_start_again_at_the_instant_of_the_last_line() -> None:
    match = match_in("STOPPED")
    match.give(inputs.Restored(match.state.at_ns, 0, 20 * SECOND_NS, same_boot=True))
    assert replay(match.lines).match.state == match.state


def test_without_its_first_line_a_log_is_none() -> None:
    assert refused(GOOD[1:]).line == 1
    for read in (replay, verify, last_line, lambda lines: recover(lines, None, "boot", 0)):
        with pytest.raises(DamagedError, match=r"^line 1: "):
            read([])


def test_another_log_behind_this_one_is_no_continuation() -> None:
    error = refused([*GOOD, *GOOD])
    assert (error.line, error.why) == (
        16,
        "another log begins here: each match has a file of its own",
    )


def put(field: str, value: object) -> Callable[[dict[str, Any]], object]:
    """Return a change that puts another value in a field."""
    return lambda fields: fields.__setitem__(field, value)


ORIGIN = {"match": "m", "seq": 1, "hash": "", "taken_from": "log", "unknown": 0, "damage": None}
FORGERIES = [
    (0, put("v", 3), "unknown format 3, expected 2"),
    (0, put("seq", 2), "seq is 2, expected 1"),
    (0, put("code", "AAAA"), "code is 'AAAA', but replaying gives"),
    (0, put("left_ns", 1), "left_ns is 1, but replaying gives 1320000000000"),
    (0, lambda f: f["settings"].__setitem__("length", 0), "code is"),
    (0, lambda f: f["settings"]["rules"].__setitem__("late_step_ns", 0), "lateness step below 1 s"),
    (0, lambda f: f["settings"]["rules"].__setitem__("bank_step_ns", 0), "no clock writes"),
    (0, lambda f: f["settings"]["rules"].__setitem__("reasons", []), "no reasons to stop"),
    (0, put("event", "pressed"), "not a record"),
    (3, put("match", "another"), "match is 'another', expected 'match'"),
    (3, put("boot", "another"), "the boot changes without a restoration"),
    (3, put("side", "middle"), "no clock writes such values"),
    (4, put("side", "left"), "running is 'left', but replaying gives 'right'"),
    (5, put("at_ns", 20 * SECOND_NS + 1), "left_ns is 1313000000000, but replaying gives"),
    (5, put("at_ns", 0), "at_ns is 0, but replaying gives 1000000000"),
    (5, put("at_ns", 10**15), "event is 'pressed', but replaying gives 'flag_fell'"),
    (5, put("left_ns", 1314 * SECOND_NS), "left_ns is 1314000000000, but replaying gives"),
    (5, put("delay_ns", 0), "delay_ns is 0, but replaying gives 12000000000"),
    (5, put("running", None), "running is None, but replaying gives 'right'"),
    (5, put("phase", "READY"), "phase is 'READY', but replaying gives 'RUNNING'"),
    (5, put("accepted", False), "accepted is False, but replaying gives True"),
    (7, put("reason", "game_over"), "reason is 'game_over', but replaying gives 'unspecified'"),
    (8, put("old_ns", 1), "old_ns is 1, but replaying gives 1313000000000"),
    (8, put("new_ns", -1), "replaying gives 'pressed'"),
    (9, put("new", None), "no clock writes"),
    (9, put("new", True), "no clock writes"),
    (9, put("new", "many"), "no clock writes"),
    (9, put("what", "weather"), "unknown correction 'weather'"),
    (10, put("used_ns", 10 * SECOND_NS - 1), "it gives back time that was played"),
    (10, put("used_ns", None), "it restores a turn that was not on the clock"),
    (10, put("same_boot", True), "the raw clock of a boot never goes back"),
    (10, lambda f: f.update(same_boot=True, at_ns=75 * SECOND_NS), "changes without a restoration"),
    (10, put("origin", ORIGIN), "origin is"),
    (10, put("state", {}), "state is"),
    (5, put("why", "full"), "why is 'full'"),
    (13, put("old", "xy"), "old is 'xy', but replaying gives ['Left', 'Right']"),
    (13, put("old", ["Left"]), "old is ['Left']"),
    (13, put("old", ["Left", "x"]), "old.1 is 'x'"),
    (14, put("old", ["x"] * len("Ada, Bo")), "old is ['x'"),
]


@pytest.mark.rule("R83")
@pytest.mark.parametrize(("at", "change", "why"), FORGERIES, ids=range(len(FORGERIES)))
def test_a_forgery_with_right_hashes_is_found_by_replaying(
    at: int, change: Callable[[dict[str, Any]], object], why: str
) -> None:
    """R83: a line must follow from those before it; the message says which value does not."""
    error = refused(forged(GOOD, at, change))
    assert error.line == at + 1
    assert why in error.why


def test_an_invented_line_is_found() -> None:
    """A press that was not made, well formed and well numbered: the next line does not follow."""
    bodies = [body(line) for line in GOOD]
    later = bodies[5].replace(b'"seq":6', b'"seq":7')
    assert refused(sealed([*bodies[:6], later, *bodies[6:]])).line == 7


def test_a_restoration_needs_no_turn_but_then_has_none() -> None:
    """Between games nothing was on the clock, so nothing is known of a turn."""
    written = Written().ready().rebooted().give(inputs.Restored(0, 0, None))
    assert replay(written.lines).match == (written.state, written.chain)
    assert refused(forged(written.lines, 4, put("used_ns", 5))).line == 5


def test_a_log_begins_with_its_settings() -> None:
    lines = sealed([body(GOOD[1]), *(body(line) for line in GOOD[2:])])
    assert refused(lines).why == "a log begins with match_opened, not confirmed"


def test_lateness_of_years_is_read_line_by_line() -> None:
    """A forged instant far in the future: the next line is wrong, no more is worked out."""
    written = Written(lateness=Lateness.POINTS).ready().give(inputs.AbsenceNoted(1, LEFT))
    written.give(inputs.FaultSeen(2, "log", "full"))
    error = refused(forged(written.lines, 5, put("at_ns", 2**62)))
    assert (error.line, "event is 'fault', but replaying gives 'late'" in error.why) == (6, True)


def test_a_ruling_that_changes_nothing_writes_no_line() -> None:
    match = Written().ready()
    lifted = CorrectedEvent("held", None, old=True, new=False)
    state = match.state
    times = (BANK_NS, BANK_NS, 0)
    record = Record(0, lifted, state.phase, None, *times, state.score)
    _, line = match.chain.append(record, WALL)
    assert "this event cannot happen here" in refused([*match.lines, line[:-1]]).why
