"""What the lines of a log prove, and what they only state."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from clock.match.inputs import CentrePressed, Pressed, SidesSwapped
from clock.match.types import Side
from lab.support.boards import FORK, LOG
from lab.support.examples import examples
from lab.support.last_run import S, match_in
from lab.support.logs import forged, monkey_logs
from room.boards.followed_log import APART, FollowedLog
from room.lines.inbox import Verdict
from room.lines.track import Track, follow


def log_of(*lines: bytes, is_file: bool = False) -> FollowedLog:
    log = FollowedLog("m", is_file)
    for line in lines:
        log.add(line)
    return log


def test_a_gap_is_damage_until_the_lines_come() -> None:
    log = log_of(*LOG[:5], *LOG[7:9])
    assert (log.shown.damage, log.shown.seq) == ("lines 6 to 7 are missing", 9)
    assert log_of(*LOG[:5], LOG[6]).shown.damage == "line 6 is missing"
    for line in LOG[5:9]:
        log.add(line)
    assert (log.shown.damage, log.lines) == (None, LOG[:9])


def test_the_later_branch_counts() -> None:
    """The lines of the other one that are not repeated are gone from it."""
    log = log_of(*LOG[:10], *FORK[6:9])
    assert (log.lines, log.forks, log.shown.seq) == (FORK[:9], 1, 9)
    assert log.shown.damage is None
    assert log_of(*LOG, *FORK[6:]).pace == log_of(*FORK).pace != log_of().pace


@pytest.mark.parametrize("at", [1, 2, APART, APART + 1, APART + 2, 3 * APART])
def test_a_fork_costs_what_a_few_lines_cost(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the log is; and what counts then is as if only the later branch had come."""
    fork = forged(LOG, at - 1, lambda fields: fields.update(wall="2030-01-01T00:00:00+00:00"))
    log, followed = log_of(*LOG), list[bytes]()

    def counted(track: Track, line: bytes) -> Track:
        followed.append(line)
        return follow(track, line)

    monkeypatch.setattr("room.boards.followed_log.follow", counted)
    assert log.add(fork[at - 1]) is Verdict.FORK
    assert len(followed) <= APART
    for line in fork[at:]:
        log.add(line)
    alone = log_of(*fork)
    assert (log.lines, log.proven, log.pace) == (alone.lines, alone.proven, alone.pace)


def test_the_pace_is_that_of_the_lines_that_are_proven() -> None:
    lines = next(log for log in monkey_logs(6) if b"game_over" in b"".join(log))
    at = next(at for at, line in enumerate(lines) if b'"event":"game_over"' in line)
    changed = forged(lines, at, lambda fields: fields.update(left_ns=fields["left_ns"] + 1))
    assert log_of(*changed).pace == log_of(*lines[:at]).pace != log_of(*lines[: at + 1]).pace
    match = match_in("RUNNING").give(Pressed(9 * S, Side.LEFT), CentrePressed(20 * S))
    lines = match.give(SidesSwapped(21 * S)).lines
    changed = forged(lines, -2, lambda fields: fields.update(left_ns=fields["left_ns"] + 1))
    assert log_of(*changed).pace == log_of(*lines[:-2]).pace


def test_a_line_that_is_too_early_is_none_of_a_serial_log_yet() -> None:
    """However often it comes: those before it are asked for."""
    log = log_of(*LOG[:5])
    assert [log.add(LOG[7]) for _ in range(2)] == [Verdict.MISSING] * 2


def test_each_damaged_line_of_a_file_counts_once() -> None:
    """On a serial line it is noise; a file that is read again has the same ones."""
    damaged = (*LOG[:5], b"noise", *LOG[6:8])
    file = log_of(*damaged, is_file=True)
    assert [file.add(line) for line in damaged] == [Verdict.KNOWN] * 8
    assert (file.shown.damage or "").startswith("line 6: ")
    assert [file.add(line) for line in LOG[5:8]] == [Verdict.STORED] * 3  # it was made good
    assert (file.lines, file.shown.damage) == (LOG[:8], None)
    assert file.add(b"noise") is Verdict.DAMAGED  # it is another line now
    assert log_of(*LOG[:5], b"noise").shown.damage is None
    assert log_of(*LOG[:5], b"noise", is_file=True).shown.damage is not None


@pytest.mark.rule("R214")
def test_a_line_of_a_file_has_its_place() -> None:
    """Twice, or after a spoilt one, it is no line of the log, as `verify` says."""
    for lines, damage in (
        ([*LOG[:5], LOG[2], *LOG[5:]], "line 6: "),
        ([*LOG[:5], b"", *LOG[5:]], "line 6: "),
        ([*LOG[:5], LOG[6], LOG[5], *LOG[7:]], "line 6 is missing"),
    ):
        file = log_of(is_file=True)
        for _ in range(2):  # it is read again
            for before, line in enumerate(lines):
                file.add(line, before)
        assert file.lines == LOG[:5]
        assert (file.shown.damage or "").startswith(damage)


@given(st.binary(max_size=300))
@hypothesis_settings(max_examples=examples(50))
def test_any_bytes_are_followed(noise: bytes) -> None:
    for is_file in (True, False):
        assert log_of(*LOG[:4], noise, is_file=is_file).lines == LOG[:4]
