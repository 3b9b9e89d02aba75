"""What the lines of one log say, with one more line."""

from functools import reduce

import pytest

from clock.eventlog.codec import decode
from clock.match.inputs import (
    FaultCleared,
    FaultSeen,
    HoldLifted,
    LengthSet,
    MatchEnded,
    Reopened,
    TimeSet,
    Undone,
)
from clock.match.rules import Reason
from clock.units import SECOND_NS
from lab.support.last_run import match_in
from lab.support.logs import forged
from lab.support.reports import lines_of
from lab.support.world import LEFT, RIGHT, World, match_settings
from room.lines.track import Track, broken, follow
from tests.eventlog.test_links import TWO


def track_of(lines: list[bytes]) -> Track:
    """What lines say, one after the other."""
    return reduce(follow, lines, Track())


@pytest.mark.rule("R106")
def test_the_code_follows_a_change_at_review() -> None:
    """A board whose length was corrected has the rules of one whose file has that length."""
    time, length = World(), World(match_settings(length=7))
    time.input(TimeSet, side=LEFT, new_ns=1, why="director")
    length.input(LengthSet, length=9, adjust_banks=True)
    assert length.state.code == match_settings(length=9).code
    for world in (time, length):
        lines = lines_of(world)
        for log in (lines, [lines[0], b"damaged", lines[-1]]):
            assert world.state.code == track_of(log).code != world.state.settings.code
        assert track_of(lines_of(world.input(Undone))).code == world.state.settings.code


def test_faults_last_until_their_part_works_again() -> None:
    world = World.running()
    for fault in (("log", "full"), ("panel", "gone"), ("serial", "cut"), ("log", "slow")):
        world.give(FaultSeen(0, *fault))
    world.give(FaultCleared(0, "serial"))
    assert track_of(lines_of(world)).faults == (("panel", "gone"), ("log", "slow"))


def test_the_first_line_says_whose_log_it_is() -> None:
    """Of a match that begins, and of one that goes on in a new log."""
    named, code = {"board": "7", "clock": "c3"}, match_settings().code
    for log, continues in ((lines_of(World()), ""), (TWO, "match")):
        lines = forged(log, 0, lambda fields: fields.update(named))
        track, latest = track_of(lines), decode(lines[-1], 0)
        assert (track.board, track.clock, track.code) == ("7", "c3", code)
        assert (track.continues, track.seq, track.damage) == (continues, len(lines), None)
        assert (track.boot, track.record) == (latest.envelope.boot, latest.record)


@pytest.mark.parametrize(
    "made",
    [
        World.between_games().take_breaks(1, 0),
        World.running(LEFT).stop_for(Reason.CLOCK_FAULTY),
    ],
    ids=["break", "hold"],
)
def test_after_a_damaged_line_each_line_tells_what_it_states(made: World) -> None:
    whole = len(lines_of(made))
    made.input(HoldLifted).centre("0:05").press(RIGHT, "0:10").press(LEFT, "0:40").wait("0:15")
    lines, record = lines_of(made), made.records[-1]
    assert made.state.running is RIGHT
    track = track_of([*lines[:whole], b"damaged", *lines[whole + 1 :]])
    state = track.state
    assert state is not None
    assert (track.damage or "").startswith(f"line {whole + 1}")
    assert (track.lines, track.seq) == (len(lines), len(lines))
    assert (state.phase, state.running, state.score) == (record.phase, RIGHT, record.score)
    assert (state.held, state.pause) == (False, None)
    reserves = (state.reserve_ns(LEFT, record.at_ns), state.reserve_ns(RIGHT, record.at_ns))
    assert reserves == (record.left_ns, record.right_ns)


def test_the_winner_is_shown_after_a_damaged_line_too() -> None:
    """As the line that ends the match states it, and why it ended."""
    match = match_in("STOPPED").give(MatchEnded(20 * SECOND_NS, RIGHT, "time"))
    state = track_of([*match.lines[:2], b"damaged", *match.lines[3:]]).state
    assert state is not None
    assert (state.winner, state.ended) == (RIGHT, "time")
    lines = match.give(Reopened(30 * SECOND_NS)).lines  # it goes on
    state = track_of([*lines[:2], b"damaged", *lines[3:]]).state
    assert state is not None
    assert (state.winner, state.ended) == (None, "")


def test_a_log_without_its_first_line_has_no_state() -> None:
    lines = lines_of(World.running())
    track = track_of([b"damaged", *lines[1:]])
    assert (track.state, track.seq) == (None, len(lines))
    assert track_of([b"damaged"]).seq == 0


def test_what_breaks_a_log_first_is_told() -> None:
    broken_off = broken(Track(), "the file has become shorter")
    assert broken(broken_off, "it is gone").damage == "the file has become shorter"
