"""Whatever lies on the disk, the clock starts: each way that it tries, with faults put in."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay
from clock.match import inputs
from clock.match.faults import PARTS
from clock.match.rules import Reason
from clock.match.types import Phase
from clock.runtime import startup
from clock.runtime.startup import NEW_AFTER, SAFE_AFTER, find_match, find_new_match
from clock.storage.checkpoint import CHECKPOINT, encode_slot, read_checkpoint
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, MAX_LOG
from clock.units import MINUTE_NS
from clock.virtual import VirtualClock
from lab.support.boxes import StartedClock
from lab.support.last_run import (
    BOOT,
    PHASES,
    Now,
    S,
    checkpoint_at,
    flipped,
    left_behind,
    match_in,
)
from lab.support.world import LEFT, RIGHT


def found(directory: Path, time: Now | None = None, failures: int = 0) -> startup.StartupMatch:
    """What the next start finds in a directory."""
    journal = Journal(directory)
    try:
        return find_match(journal, time or Now("another", 50 * S), failures)
    finally:
        journal.close()


def started(directory: Path, failures: int = 0) -> VirtualClock:
    """A clock that is switched on with it, on another boot."""
    return StartedClock(directory, partial(find_match, failures=failures))


# --- the last match ---------------------------------------------------------------------------


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
def test_only_a_match_that_has_not_begun_ends_with_the_power(tmp_path: Path, phase: str) -> None:
    """R67: the director may have changed its settings since; a result stays where it was."""
    match = match_in(phase)
    left_behind(tmp_path, match.lines)
    soon = found(tmp_path, Now(BOOT, match.state.at_ns + 30 * S)).recovery
    later = found(tmp_path).recovery
    assert soon is not None
    assert (soon.match, soon.restored) == ((match.state, match.chain), None)
    assert (later is None) == (phase == "REVIEW")


@pytest.mark.rule("R67", "T12")
def test_a_damaged_log_stays_and_the_match_goes_on_in_a_new_one(tmp_path: Path) -> None:
    """T12: stopped, in a log that proves itself; the old one is what it was, byte for byte."""
    match = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT))
    lines = flipped(match.lines, 5)
    log = left_behind(tmp_path, lines)
    before = log.read_bytes()
    clock = started(tmp_path)
    assert log.read_bytes() == before
    assert clock.log.name != "match.jsonl"
    again = replay(clock.lines)
    assert (again.match.chain.seq, again.match.state) == (1, clock.state)
    assert (clock.state.phase, clock.state.reason) == (Phase.STOPPED, Reason.POWER_LOSS)
    event = msgspec.json.decode(clock.lines[0])
    assert (event["event"], event["why"], event["running"]) == ("restored", "damaged", None)
    assert event["origin"]["match"] == "match"
    assert "line 5: the hash is wrong" in event["origin"]["damage"]


@pytest.mark.rule("R67", "R84")
def test_what_the_log_could_not_take_goes_on_from_the_checkpoint(tmp_path: Path) -> None:
    """R67: the disk was full for an hour, but for the checkpoints; then the power went."""
    match = match_in("RUNNING")
    count = len(match.lines)
    for minute in range(1, 60):
        match.give(inputs.Pressed(minute * MINUTE_NS, (RIGHT, LEFT)[minute % 2]))
    latest = checkpoint_at(match, 3550 * S)
    left_behind(tmp_path, match.lines[:count], latest)
    state = started(tmp_path).state
    assert (state.phase, state.reason) == (Phase.STOPPED, Reason.POWER_LOSS)
    for side in (LEFT, RIGHT):
        assert state.reserve_ns(side, state.at_ns) == match.state.reserve_ns(side, 3550 * S)


@pytest.mark.rule("R67")
def test_both_panels_tell_it_until_somebody_goes_on(tmp_path: Path) -> None:
    """R67: what happened, how much is lost at most, and how many lines are not known."""
    left_behind(tmp_path, flipped(match_in("STOPPED").lines, 5))
    clock = started(tmp_path)
    for face in clock.faces:
        assert face.lines[:3] == ("Log was damaged", "Lost: not known", "2 unknown lines")
    clock.press("centre")
    assert all("Log was damaged" not in face.lines for face in clock.faces)


@pytest.mark.rule("R67")
def test_a_power_cut_is_told_on_both_panels_through_another_crash(tmp_path: Path) -> None:
    """R67: the program dies again before anybody has read it."""
    match = match_in("STOPPED")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    clock = started(tmp_path)
    for _ in range(2):
        assert all(f.lines[:2] == ("Clock was off", "At most 0 s lost") for f in clock.faces)
        clock.restart()


# --- what fails again and again ---------------------------------------------------------------


class BugError(Exception):
    """Something that nobody thought of."""


@pytest.fixture
def replay_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be replayed any more."""

    def fail(*_: object) -> None:
        raise BugError("in the replay")

    monkeypatch.setattr(startup, "recover", fail)


@pytest.mark.usefixtures("replay_fails")
@pytest.mark.parametrize("failures", range(SAFE_AFTER))
def test_a_bug_is_raised_at_first_so_that_the_program_starts_again(
    tmp_path: Path, failures: int
) -> None:
    """It may have been the moment; and its traceback is the evidence."""
    left_behind(tmp_path, match_in("RUNNING").lines)
    with pytest.raises(BugError):
        found(tmp_path, failures=failures)


@pytest.mark.usefixtures("replay_fails")
def test_after_three_failures_the_checkpoint_counts_alone(tmp_path: Path) -> None:
    """Stopped, in a log of its own, and the panels ask to check everything."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    clock = started(tmp_path, SAFE_AFTER)
    state = clock.state
    assert (state.phase, state.running, state.reason) == (Phase.STOPPED, None, Reason.POWER_LOSS)
    assert state.reserve_ns(LEFT, 5) == 1312 * S
    assert replay(clock.lines).match.state == state
    assert all(face.lines[0] == "Safe mode: check all" for face in clock.faces)


@pytest.mark.usefixtures("replay_fails")
@pytest.mark.parametrize(
    "latest",
    [
        None,
        msgspec.structs.replace(
            checkpoint_at(match_in("RUNNING"), 9), state=match_in("READY").state.replace(length=0)
        ),
    ],
)
def test_if_that_fails_too_a_new_match_begins_with_a_warning(
    tmp_path: Path, latest: Checkpoint | None
) -> None:
    """No checkpoint, or one that cannot be: the clock is there, and says what it could not do."""
    left_behind(tmp_path, match_in("RUNNING").lines, latest)
    beginning = found(tmp_path, failures=SAFE_AFTER)
    [fault] = beginning.faults()
    assert (fault.part in PARTS, beginning.faults()) == (True, [])
    clock = started(tmp_path, SAFE_AFTER)
    assert clock.state.phase is Phase.REVIEW
    assert b'"event":"fault","part":"recovery"' in clock.lines[-1]
    assert all(face.warnings == ("MATCH NOT FOUND",) for face in clock.faces)


def test_a_bug_in_safe_mode_ends_in_a_new_match_and_its_traceback_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise BugError("in safe mode")

    monkeypatch.setattr(startup, "salvage_checkpoint", fail)
    left_behind(tmp_path, match_in("RUNNING").lines)
    assert found(tmp_path, failures=SAFE_AFTER).recovery is None
    assert "BugError: in safe mode" in capsys.readouterr().err


@pytest.mark.parametrize("wanted", [False, True])
def test_the_checkpoint_of_a_match_that_is_left_is_kept(tmp_path: Path, wanted: bool) -> None:
    """Because somebody wants a new one, or because the clock fails over it three times more."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 9))
    if wanted:
        journal = Journal(tmp_path)
        assert find_new_match(journal).recovery is None
        journal.close()
    else:
        assert found(tmp_path, failures=6).recovery is None
    assert read_checkpoint(tmp_path / f"match.{CHECKPOINT}") == checkpoint_at(match, 9)
    assert found(tmp_path, failures=5).recovery is not None


def test_a_log_of_which_nothing_is_left_makes_way_at_once(tmp_path: Path) -> None:
    """To try again would not help: a new match, and the warning."""
    left_behind(tmp_path, [b"\0" * 500, b"{}"])
    beginning = found(tmp_path)
    assert beginning.recovery is None
    assert "line 1: the hash is wrong" in str(beginning.faults()[0].what)


def test_a_bug_while_it_looks_for_the_match_ends_in_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in starts without end; but what a person has to see to is told as it is."""

    def reopen(_: object) -> None:
        raise error

    monkeypatch.setattr(Journal, "reopen", reopen)
    error: Exception = BugError("in the directory")
    with pytest.raises(BugError):
        found(tmp_path, failures=SAFE_AFTER - 1)
    beginning = found(tmp_path, failures=SAFE_AFTER)
    assert beginning.recovery is None
    assert "in the directory" in str(beginning.faults()[0].what)
    error = JournalError("its permissions")
    with pytest.raises(JournalError):
        found(tmp_path, failures=NEW_AFTER)


# --- a log that is gone or proves nothing, and a checkpoint of a match under way --------------

LOG_FILE = "match.jsonl"
Spoil = Callable[[Path], object]


def cut_in_line_1(log: Path) -> None:
    """What a power cut leaves of the first line, or a card of all of them."""
    log.write_bytes(log.read_bytes()[:100])


SPOILT: dict[str, tuple[Spoil, str]] = {
    "empty": (lambda log: log.write_bytes(b""), "the log is empty"),
    "zeroed": (lambda log: log.write_bytes(bytes(log.stat().st_size)), "the log is empty"),
    "cut in line 1": (cut_in_line_1, "the log is empty"),
    "renamed": (lambda log: log.rename(log.with_name("table-7.old")), "the log is missing"),
    "deleted": (lambda log: log.unlink(), "the log is missing"),
    "nonsense": (lambda log: log.write_bytes(b"{}\n" * 9), "line 1"),
    "too large": (lambda log: os.truncate(log, MAX_LOG + 1), f"larger than {MAX_LOG} bytes"),
}


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("spoilt", SPOILT)
def test_without_a_log_the_match_comes_back_from_the_checkpoint(
    tmp_path: Path, spoilt: str
) -> None:
    """R67: stopped, in a log of its own, and both panels say that the loss is not known."""
    match = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT))
    left_behind(tmp_path, match.lines, checkpoint_at(match, 33 * S))
    spoil, why = SPOILT[spoilt]
    spoil(tmp_path / LOG_FILE)
    before = {p.name: p.stat().st_size for p in tmp_path.glob("*") if not p.is_symlink()}
    clock = started(tmp_path)
    state = clock.state
    assert (state.phase, state.running) == (Phase.STOPPED, None)
    for side in (LEFT, RIGHT):
        assert state.reserve_ns(side, state.at_ns) == match.state.reserve_ns(side, 33 * S)
    event = msgspec.json.decode(clock.lines[0])
    assert (event["event"], event["lost_ns"]) == ("restored", None)
    assert why in event["origin"]["damage"]
    assert event["origin"]["damage"].startswith("line 1: ")
    assert (event["origin"]["match"], event["origin"]["seq"]) == ("match", match.chain.seq)
    assert all(face.lines[:2] == ("Log was damaged", "Lost: not known") for face in clock.faces)
    after = {p.name: p.stat().st_size for p in tmp_path.glob("*")}
    assert {name: after[name] for name in before if name != CHECKPOINT} == {
        name: size for name, size in before.items() if name != CHECKPOINT
    }
    kept = read_checkpoint(tmp_path / f"match.{CHECKPOINT}")
    assert kept == checkpoint_at(match, 33 * S)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
def test_only_a_match_under_way_comes_back(tmp_path: Path, phase: str) -> None:
    """R67: one that was over or had not begun is not missed."""
    match = match_in(phase)
    left_behind(tmp_path, match.lines, checkpoint_at(match, match.state.at_ns))
    (tmp_path / LOG_FILE).write_bytes(b"")
    recovery = found(tmp_path).recovery
    assert (recovery is None) == (phase in {"REVIEW", "FINISHED", "PUT_ASIDE"})


def test_a_match_that_ended_by_its_log_does_not_come_back(tmp_path: Path) -> None:
    """The power goes while the first line of the next match is written."""
    match = match_in("RUNNING")
    latest = checkpoint_at(match, 10 * S)
    match.give(inputs.CentrePressed(20 * S), inputs.MatchEnded(21 * S, LEFT, "director"))
    left_behind(tmp_path, match.lines, checkpoint_at(match, 10 * S))
    at, slot = encode_slot(1, latest)
    (tmp_path / CHECKPOINT).write_bytes(bytes(at) + slot)
    (tmp_path / "next.jsonl").write_bytes(b"{")
    beginning = found(tmp_path)
    assert (beginning.is_under_way, beginning.faults()) == (False, [])
    assert beginning.recovery is not None
    assert beginning.recovery.match.state == match.state


def test_a_result_makes_way_if_the_directory_shows_another_match(tmp_path: Path) -> None:
    """The players have to know that theirs is missing before they write down another's result."""
    match = match_in("FINISHED")
    left_behind(tmp_path, match.lines)
    (tmp_path / LOG_FILE).rename(tmp_path / "other.jsonl")
    (tmp_path / CURRENT).unlink()
    (tmp_path / CURRENT).symlink_to("other.jsonl")
    beginning = found(tmp_path)
    assert beginning.recovery is None
    [fault] = beginning.faults()
    assert "the match other cannot be restored" in str(fault.what)


def test_in_safe_mode_too(tmp_path: Path) -> None:
    """The log is gone, and the program has failed over what is left."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 10 * S))
    (tmp_path / LOG_FILE).unlink()
    recovery = found(tmp_path, failures=SAFE_AFTER).recovery
    assert recovery is not None
    assert recovery.match.state == match.state
    assert recovery.restored is not None
    assert recovery.restored.lost_ns is None


@pytest.mark.rule("R67")
def test_a_torn_end_may_have_been_several_lines(tmp_path: Path) -> None:
    """R67: short turns leave no checkpoint, so nobody says that nothing is lost."""
    match = match_in("STOPPED")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    with (tmp_path / LOG_FILE).open("ab") as log:
        log.write(bytes(900))
    recovery = found(tmp_path).recovery
    assert recovery is not None
    assert recovery.restored is not None
    assert recovery.restored.lost_ns is None


def test_a_torn_end_on_the_same_boot_stops_no_clock(tmp_path: Path) -> None:
    """R67: the program failed in the middle of a line; the match goes on exactly."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    with (tmp_path / LOG_FILE).open("ab") as log:
        log.write(b"torn")
    recovery = found(tmp_path, Now(BOOT, 21 * S)).recovery
    assert recovery is not None
    assert (recovery.match.state, recovery.restored) == (match.state, None)
    assert not (tmp_path / f"match.{CHECKPOINT}").exists()  # it would say that the match is left


def test_a_power_cut_before_the_first_checkpoint_of_a_new_log_loses_none_of_its_lines(
    tmp_path: Path,
) -> None:
    """R67: the checkpoint is still of the damaged log, in which the match does not go on."""
    match = match_in("RUNNING")
    left_behind(tmp_path, flipped(match.lines, 3), checkpoint_at(match, 20 * S))
    before = (tmp_path / CHECKPOINT).read_bytes()
    started(tmp_path).close()
    (tmp_path / CHECKPOINT).write_bytes(before)
    (tmp_path / f"match.{CHECKPOINT}").unlink()  # the card was too full for the copy
    recovery = found(tmp_path).recovery
    assert recovery is not None
    assert recovery.match.chain.match == (tmp_path / CURRENT).readlink().stem != "match"


# --- what others ask --------------------------------------------------------------------------


def test_a_directory_without_a_usable_log_has_no_match_under_way(tmp_path: Path) -> None:
    assert startup.match_under_way(tmp_path) is None
    left_behind(tmp_path, [b"torn", b"torn"])
    assert startup.match_under_way(tmp_path) is None


def test_after_three_failures_a_match_that_had_not_begun_comes_back_from_its_checkpoint(
    tmp_path: Path,
) -> None:
    """The clock may have failed over the settings that the next one would have."""
    match = match_in("REVIEW")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 0))
    recovery = found(tmp_path, failures=startup.SAFE_AFTER).recovery
    assert recovery is not None
    assert recovery.match.state.phase is Phase.REVIEW
    assert found(tmp_path).recovery is None
