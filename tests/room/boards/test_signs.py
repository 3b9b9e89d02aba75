"""What a board cannot know, and what asks for the director."""

from functools import cache
from random import Random
from typing import Any

import pytest
from msgspec import structs

from clock.match import inputs
from clock.match.rules import Lateness, Reason
from clock.match.types import Side
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.boards import tracks
from lab.support.last_run import RUNNING, START, Written, match_in
from lab.support.logs import forged, monkey_logs
from lab.support.reports import lines_of
from lab.support.world import World, match_settings
from room.boards.fields import make_board
from room.boards.signs import SILENCE_NS, Signs, attention_of, changes_at_ns, faults_of, is_certain
from room.lines.track import Track

OFFSET_NS = -7 * SECOND_NS


def signs(now_ns: int = 0, **changes: Any) -> Signs:
    """What is known of a clock that is heard well."""
    return Signs(now_ns, OFFSET_NS, now_ns, complete=True)._replace(**changes)


@cache
def running() -> tuple[list[bytes], Track]:
    """A log that ends while a clock runs that has more than a minute, and its track."""
    return next(
        (lines[: track.lines], track)
        for seed in range(99)
        for lines in monkey_logs(seed, 60)
        for track in tracks(lines)[5:]
        if (state := track.state) is not None
        and state.running
        and not state.flags_down
        and min(state.reserve_ns(side, state.at_ns) for side in Side) > MINUTE_NS
    )


def test_silence_makes_a_time_uncertain() -> None:
    """Not heard for 15 s: the board says so, and its times are marked."""
    _, track = running()
    heard = signs(20 * SECOND_NS, heard_ns=5 * SECOND_NS + 1)
    assert is_certain(track, heard)
    silent = heard._replace(now_ns=heard.now_ns + 1)
    assert not is_certain(track, silent)
    assert "not_heard" in attention_of(track, silent)


@pytest.mark.parametrize("unknown", [{"offset_ns": None}, {"complete": False}])
def test_what_is_not_known_makes_a_running_time_uncertain(unknown: dict[str, Any]) -> None:
    """The difference to the clock of another computer; a line on its way."""
    assert not is_certain(running()[1], signs(**unknown))
    assert not is_certain(tracks(match_in("BREAK").lines)[-1], signs(**unknown))


def test_a_board_without_a_line_has_no_time_to_be_certain_of() -> None:
    assert not is_certain(Track(), signs())
    stopped, unknown = match_in("STOPPED").lines, signs(offset_ns=None)
    for lines, certain in ((stopped, True), (stopped[-1:], False)):  # no time runs
        track = tracks(lines)[-1]
        assert is_certain(track, unknown) == certain
        assert changes_at_ns(track, unknown) == SILENCE_NS


@pytest.mark.parametrize("at", [0, 3])
def test_damage_makes_everything_after_it_uncertain(at: int) -> None:
    """A line that was spoilt, or forged: right hashes do not make a reserve true."""
    lines, _ = running()
    spoilt = [*lines[:at], lines[at].replace(b'"at_ns":', b'"at_ns":1', 1), *lines[at + 1 :]]
    more = forged(lines, 4, lambda fields: fields.update(left_ns=fields["left_ns"] + SECOND_NS))
    for damaged in (spoilt, more):
        track = tracks(damaged)[-1]
        assert not is_certain(track, signs())
        assert "damaged" in attention_of(track, signs())


def test_low_time_is_announced_a_minute_before_the_end() -> None:
    _, track = running()
    state = track.state
    assert state is not None
    assert state.turn is not None
    reserve_ns = state.reserve_ns(state.turn.side, state.at_ns)
    low_ns = state.at_ns + state.delay_left_ns(state.at_ns) + reserve_ns - MINUTE_NS
    assert "low" not in attention_of(track, signs(low_ns - 1 + OFFSET_NS))
    assert "low" in attention_of(track, signs(low_ns + OFFSET_NS))


def test_low_time_is_announced_while_a_turn_is_played() -> None:
    match = Written(time_per_point_ns=3 * SECOND_NS).give(*START)

    def asks() -> list[str]:
        return attention_of(tracks(match.lines)[-1], signs(match.state.at_ns + OFFSET_NS))

    assert asks() == []
    match.give(inputs.Pressed(0, Side.RIGHT))
    assert asks() == ["low"]
    match.give(inputs.TimePassed(60 * SECOND_NS))
    assert asks() == ["flag"]
    settings = structs.replace(match_settings(time_per_point_ns=3 * SECOND_NS), practice=True)
    practice = World(settings).press(Side.LEFT).press(Side.RIGHT).centre().press(Side.RIGHT)
    assert practice.state.running is Side.LEFT
    assert attention_of(tracks(lines_of(practice))[-1], signs(OFFSET_NS)) == []
    match = Written(time_per_point_ns=6 * SECOND_NS).give(*RUNNING)
    match.give(inputs.Pressed(19 * SECOND_NS, Side.RIGHT))
    behind = signs(OFFSET_NS)  # the hub takes it to be earlier than the clock's latest line
    assert attention_of(tracks(match.lines)[-1], behind) == ["low"]


def test_until_then_time_alone_changes_nothing() -> None:
    """A board is looked at only when something was reported, or this instant has come."""
    random, changed = Random(5), set[str]()
    world = World.ready("wbgf", lateness=Lateness.POINTS).input(inputs.AbsenceNoted, side=Side.LEFT)
    others = lines_of(world), running()[0][-3:]  # somebody is late; the lines before are missing
    for seed in (*range(9), 26):  # the last one takes a break
        logs = *monkey_logs(seed, 60), *others
        for track in 3 * [Track(), *(each for log in logs for each in tracks(log))]:
            at_ns = (track.state.at_ns if track.state else 0) + OFFSET_NS
            now_ns = at_ns + random.randrange(random.choice((SECOND_NS, 60 * MINUTE_NS)))
            heard_ns = random.choice([None, now_ns - SILENCE_NS, now_ns - 1])
            known = signs(now_ns, heard_ns=heard_ns)
            until_ns = changes_at_ns(track, known) or now_ns + 600 * MINUTE_NS
            assert until_ns > now_ns
            before = known._replace(now_ns=until_ns - 1)
            assert attention_of(track, before) == attention_of(track, known)
            then = known._replace(now_ns=until_ns)
            changed |= {*attention_of(track, then)} ^ {*attention_of(track, known)}
            unknown = known._replace(offset_ns=None)  # times begin now
            begins_now = changes_at_ns(track, unknown) == now_ns
            later = make_board("", "", None, track, unknown._replace(now_ns=now_ns + 1))
            assert begins_now or later == make_board("", "", None, track, unknown)
    assert changed == {"low", "late", "not_heard"}


def test_another_settings_code_is_announced() -> None:
    _, track = running()
    assert "settings" not in attention_of(track, signs(expected_code=track.code))
    assert "settings" in attention_of(track, signs(expected_code="AAAA"))
    assert "settings" not in attention_of(Track(), signs(expected_code="AAAA"))


def test_a_stop_calls_nobody_and_a_flag_only_while_the_match_goes_on() -> None:
    """The director is not sent to a board where nobody waits for them."""
    match = match_in("STOPPED")

    def asks() -> list[str]:
        return attention_of(tracks(match.lines)[-1], signs(match.state.at_ns + OFFSET_NS))

    assert asks() == []
    match.give(inputs.FlagSet(20 * SECOND_NS, Side.LEFT, 1))
    assert asks() == ["flag"]
    while match.state.reason is not Reason.CLOCK_FAULTY:
        match.give(inputs.Pressed(20 * SECOND_NS, Side.RIGHT))
    match.give(inputs.CentrePressed(20 * SECOND_NS))
    assert asks() == ["call", "flag"]
    match.give(inputs.MatchEnded(20 * SECOND_NS, Side.RIGHT, "time"))
    assert asks() == []
    stopped = match_in("STOPPED")
    while stopped.state.reason is not Reason.DIRECTOR_CALLED:
        stopped.give(inputs.Pressed(20 * SECOND_NS, Side.RIGHT))
    found = []
    for _ in range(2):
        found.append(attention_of(tracks(stopped.lines)[-1], signs(20 * SECOND_NS + OFFSET_NS)))
        stopped.give(inputs.MatchEnded(20 * SECOND_NS, Side.RIGHT, "director"))
    assert found == [["call"], []]


def test_a_late_player_asks_for_the_director_and_a_match_that_is_over_does_not() -> None:
    match = match_in("READY").give(inputs.AbsenceNoted(0, Side.LEFT))
    assert attention_of(tracks(match.lines)[-1], signs(OFFSET_NS)) == ["late"]
    match.give(inputs.MatchEnded(1, Side.RIGHT, "late"))
    assert attention_of(tracks(match.lines)[-1], signs(OFFSET_NS + 1)) == []


def test_points_that_are_open_ask_for_the_director() -> None:
    """Whoever gives them: their player's clock runs by now."""
    world = World.ready("wbgf", lateness=Lateness.POINTS).input(inputs.AbsenceNoted, side=Side.LEFT)
    world.wait("11:00").input(inputs.AbsentClockStarted, side=Side.LEFT)
    assert attention_of(tracks(lines_of(world))[-1], signs(world.now_ns + OFFSET_NS)) == ["late"]


def test_a_fault_that_a_heartbeat_names_is_shown_once() -> None:
    """The log may not have it, because it is the log that fails."""
    track = structs.replace(running()[1], faults=(("serial", "unplugged"),))
    known = signs(warnings=("serial", "log"), trouble="no answer")
    assert faults_of(track, known) == ["serial: unplugged", "log", "no answer"]
