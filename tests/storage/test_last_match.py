"""Which match was the last, when link, log and checkpoint do not say the same."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clock.eventlog.salvage import salvage
from clock.match import inputs
from clock.match.types import Phase
from clock.runtime.startup import StartupMatch, find_match, find_new_match, match_under_way
from clock.storage.checkpoint import CHECKPOINT
from clock.storage.journal import Journal, JournalError
from clock.storage.last_match import MOST_NEWER
from clock.storage.log_reader import CURRENT, MAX_LOG
from lab.support.last_run import (
    Now,
    S,
    Written,
    checkpoint_at,
    continued,
    flipped,
    left_behind,
    match_in,
    put_log,
)
from lab.support.logs import body, renamed, sealed
from lab.support.world import LEFT

LOG = "match.jsonl"
OTHER = "yesterday"


def running(directory: Path) -> Written:
    """Leave a match behind in which a clock ran."""
    match = match_in("RUNNING")
    left_behind(directory, match.lines, checkpoint_at(match, 20 * S))
    return match


def found(directory: Path) -> StartupMatch:
    """What the next start finds, on another boot."""
    journal = Journal(directory)
    try:
        return find_match(journal, Now("another", 50 * S))
    finally:
        journal.close()


def going_on(directory: Path) -> tuple[str, list[str]]:
    """The match that goes on at the next start, "" if none does, and what is told."""
    beginning, match = found(directory), ""
    if (recovery := beginning.recovery) is not None:
        match = recovery.origin.match if recovery.origin else recovery.match.chain.match
    return match, [str(fault.what).partition(". ")[0] for fault in beginning.faults()]


def link_to(directory: Path, name: str) -> None:
    """Have the link lead to a file of this name."""
    (directory / CURRENT).unlink()
    (directory / CURRENT).symlink_to(name)


def other_log(directory: Path, phase: str = "FINISHED") -> list[bytes]:
    """Leave the log of another match, and return its lines."""
    lines = renamed(match_in(phase).lines, OTHER)
    put_log(directory / f"{OTHER}.jsonl", lines)
    return lines


def link_to_other(directory: Path) -> None:
    """The link leads to another match, which is over."""
    other_log(directory)
    link_to(directory, f"{OTHER}.jsonl")


def file_of_other(directory: Path) -> None:
    """The file has the lines of another match, which is over."""
    put_log(directory / LOG, other_log(directory))


def forget(directory: Path, *names: str) -> None:
    for name in names:
        (directory / name).unlink()


def others_after(directory: Path) -> None:
    """The lines of another match follow; there is no checkpoint."""
    lines = (directory / LOG).read_bytes().splitlines()
    put_log(directory / LOG, [*lines, *other_log(directory)])
    forget(directory, CHECKPOINT)


def others_before(directory: Path) -> None:
    """The lines of another match come first; there is no checkpoint."""
    lines = (directory / LOG).read_bytes().splitlines()
    put_log(directory / LOG, [*other_log(directory), *lines])
    forget(directory, CHECKPOINT)


def others_and_a_lie_after(directory: Path) -> None:
    """The lines of a match that is over follow, and a line of this one whose hash is wrong."""
    lines = (directory / LOG).read_bytes().splitlines()
    lie = lines[-1].replace(b'"phase":"RUNNING"', b'"phase":"FINISHED"')
    put_log(directory / LOG, [*lines, *other_log(directory), lie])
    link_to_other(directory)


def log_alone(directory: Path) -> None:
    """Link and checkpoint are gone; beside the log there is an older one."""
    lines = other_log(directory)
    older = [line.replace(b'"wall":"2000-01-01T12', b'"wall":"0001-01-01T00') for line in lines]
    older[-1] = older[-1].replace(b'+00:00"', b'+14:00"')  # before all that Python knows
    put_log(directory / f"{OTHER}.jsonl", sealed(map(body, older)))
    forget(directory, CURRENT, CHECKPOINT)


def checkpoint_alone(directory: Path) -> None:
    """Link and log are gone; there is the log of another match, which is over."""
    other_log(directory)
    forget(directory, CURRENT, LOG)


def pointer_to_nothing(directory: Path) -> None:
    """What lies in the place of the link names no file; beside the log there is an older one."""
    other_log(directory)
    forget(directory, CURRENT, CHECKPOINT)
    (directory / CURRENT).write_text('{"log":".."}', encoding="ascii")


def renamed_log(directory: Path) -> None:
    """The log has another name, there is no checkpoint, and another match was written later."""
    other_log(directory)
    (directory / LOG).rename(directory / "table-7.jsonl")
    forget(directory, CHECKPOINT)


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize(
    "spoil",
    [
        link_to_other,
        file_of_other,
        others_after,
        others_before,
        others_and_a_lie_after,
        log_alone,
        checkpoint_alone,
        pointer_to_nothing,
        renamed_log,
    ],
)
def test_a_match_under_way_goes_before_what_else_lies_there(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    """R67: whatever a valid checkpoint or line still proves is not given up."""
    match = running(tmp_path)
    spoil(tmp_path)
    assert match_under_way(tmp_path) is not None
    recovery = found(tmp_path).recovery
    assert recovery is not None
    name = recovery.origin.match if recovery.origin else recovery.match.chain.match
    assert (name, recovery.match.state.phase) == ("match", Phase.RUNNING)
    assert recovery.match.state.settings == match.state.settings


def test_a_renamed_log_goes_on_although_there_is_a_checkpoint(tmp_path: Path) -> None:
    """The checkpoint alone would give up its lines."""
    running(tmp_path)
    (tmp_path / LOG).rename(tmp_path / "table-7.jsonl")
    recovery = found(tmp_path).recovery
    assert recovery is not None
    assert recovery.origin is None


def test_two_matches_under_way_are_told(tmp_path: Path) -> None:
    """That of the checkpoint goes on, and the clock names the other, unless that one is over."""
    running(tmp_path)
    link_to_other(tmp_path)
    assert going_on(tmp_path) == ("match", [])
    other_log(tmp_path, "STOPPED")
    link_to(tmp_path, f"{OTHER}.jsonl")
    told = f"current.jsonl led to the match {OTHER}, which is under way, too"
    assert going_on(tmp_path) == ("match", [told])
    assert (tmp_path / CURRENT).readlink() == Path(LOG)


@pytest.mark.rule("R67")
@pytest.mark.parametrize("checkpoint", [b"", None], ids=["emptied", "older"])
def test_a_newer_match_under_way_is_told_although_the_link_leads_to_one_that_is_over(
    tmp_path: Path, checkpoint: bytes | None
) -> None:
    """R67: no checkpoint is of it; one that was given up, adjourned or goes on here is not."""
    over = checkpoint_at(match_in("FINISHED"), 20 * S)
    left_behind(tmp_path, match_in("FINISHED").lines, over)
    if checkpoint is not None:
        (tmp_path / CHECKPOINT).write_bytes(checkpoint)
    other_log(tmp_path, "RUNNING")
    told = f"the match {OTHER} is under way, too, and can be resumed"
    assert going_on(tmp_path) == ("", [told])
    (tmp_path / f"{OTHER}.{CHECKPOINT}").touch()
    assert found(tmp_path).faults() == []
    (tmp_path / f"{OTHER}.{CHECKPOINT}").unlink()
    salvaged = salvage(other_log(tmp_path, "RUNNING"), None)
    over_now = continued(salvaged, "damaged", "match", inputs.MatchEnded(9, LEFT, "director"))
    put_log(tmp_path / LOG, over_now)
    assert found(tmp_path).faults() == []
    other_log(tmp_path, "PUT_ASIDE")
    assert found(tmp_path).faults() == []


@pytest.mark.parametrize(("phase", "is_told"), [("FINISHED", True), ("RUNNING", False)])
def test_a_match_of_which_the_link_alone_is_left_is_told(
    tmp_path: Path, phase: str, is_told: bool
) -> None:
    """The checkpoint is of the match before; if that is under way, nothing seems to be lost."""
    match = match_in(phase)
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    told = f"the match {OTHER} cannot be restored: the log is missing"
    link_to(tmp_path, f"{OTHER}.jsonl")
    assert going_on(tmp_path)[1] == [told] * is_told
    link_to(tmp_path, f"/nowhere/{OTHER}.jsonl")
    forget(tmp_path, CHECKPOINT)
    assert going_on(tmp_path) == ("", [told])


def test_a_log_that_is_too_long_is_no_reason_for_a_new_match(tmp_path: Path) -> None:
    running(tmp_path)
    forget(tmp_path, CHECKPOINT)
    os.truncate(tmp_path / LOG, MAX_LOG + 1)
    with pytest.raises(JournalError, match=f"larger than {MAX_LOG} bytes"):
        found(tmp_path)


def test_a_log_that_cannot_be_read_is_named_although_the_link_is_spoilt_too(tmp_path: Path) -> None:
    running(tmp_path)
    forget(tmp_path, CURRENT, LOG)
    for name in (CURRENT, LOG):
        (tmp_path / name).mkdir()
    with pytest.raises(JournalError, match=r"match.jsonl: cannot be read .Is a directory"):
        found(tmp_path)


def test_a_match_that_was_given_up_does_not_come_back(tmp_path: Path) -> None:
    """Its checkpoint was kept then; the power goes before the first one of the next match."""
    running(tmp_path)
    with (tmp_path / LOG).open("ab") as log:
        log.write(b"torn")
    journal = Journal(tmp_path)
    find_new_match(journal)
    journal.close()
    assert (tmp_path / LOG).read_bytes().endswith(b"\n")
    lines = other_log(tmp_path, "REVIEW")
    link_to(tmp_path, f"{OTHER}.jsonl")
    assert going_on(tmp_path) == ("", [])
    assert (tmp_path / f"{OTHER}.jsonl").read_bytes().splitlines() == lines


@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.write_bytes(b""), "the log is empty"),
        (lambda path: path.write_bytes(bytes(path.stat().st_size)), "the log is empty"),
        (lambda path: path.unlink(), "the log is missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "the log is empty"),
    ],
    ids=["emptied", "zeroed", "deleted", "cut"],
)
def test_the_clock_says_that_nothing_is_left(
    tmp_path: Path, spoil: Callable[[Path], object], why: str
) -> None:
    """R67: log and checkpoint are spoilt alike; no new match is offered in silence."""
    running(tmp_path)
    spoil(tmp_path / LOG)
    spoil(tmp_path / CHECKPOINT)
    beginning = found(tmp_path)
    assert beginning.recovery is None
    (fault,) = beginning.faults()
    new = "This is a new match: enter score, length and times"
    assert fault == ("recovery", f"the match match cannot be restored: {why}. {new}")


def test_a_file_with_the_lines_of_a_match_that_is_over_is_told(tmp_path: Path) -> None:
    running(tmp_path)
    file_of_other(tmp_path)
    forget(tmp_path, CHECKPOINT)
    told = f"the match match cannot be restored: its file has lines of the match {OTHER}"
    assert going_on(tmp_path) == ("", [told])


@pytest.mark.rule("R67")
def test_events_that_this_version_does_not_know_cost_nothing_before_them(tmp_path: Path) -> None:
    """R67: the lines of a later version stand at the end, and there is no checkpoint."""
    match = running(tmp_path)
    last = body(match.lines[-1]).replace(b'"event":"pressed"', b'"event":"coffee_spilt"')
    seq = b'"seq":%d,' % match.chain.seq
    later = [last.replace(seq, b'"seq":%d,' % (match.chain.seq + number)) for number in (1, 2)]
    put_log(tmp_path / LOG, sealed([*map(body, match.lines), *later]))
    forget(tmp_path, CHECKPOINT)
    recovery = found(tmp_path).recovery
    assert recovery is not None
    assert recovery.origin is not None
    assert (recovery.origin.seq, recovery.origin.unknown) == (match.chain.seq, 2)
    assert recovery.match.state == match.state


def test_a_match_that_is_found_without_its_link_has_it_again(tmp_path: Path) -> None:
    match = running(tmp_path)
    forget(tmp_path, CURRENT, CHECKPOINT)
    assert found(tmp_path).recovery is not None
    assert (tmp_path / CURRENT).readlink() == Path(LOG)
    assert (tmp_path / LOG).read_bytes().splitlines() == match.lines


def test_nothing_is_told_of_matches_that_need_nobody(tmp_path: Path) -> None:
    """The match itself, older ones, and newer ones that are over or have not begun."""
    running(tmp_path)
    assert found(tmp_path).faults() == []
    put_log(tmp_path / "a.jsonl", renamed(match_in("RUNNING").lines, "a"))  # older by its name
    for phase in ("FINISHED", "REVIEW"):
        put_log(tmp_path / f"z-{phase}.jsonl", renamed(match_in(phase).lines, f"z-{phase}"))
    assert found(tmp_path).faults() == []
    over = renamed(match_in("FINISHED").lines, "z")
    for spoilt in ([b"spoilt"] * 2, [b"spoilt", over[-1], b"spoilt"]):
        put_log(tmp_path / "z.jsonl", [*over, *spoilt])
        assert found(tmp_path).faults() == []
    put_log(tmp_path / "y.jsonl", renamed(match_in("RUNNING").lines, "y"))
    assert going_on(tmp_path)[1] == ["the match y is under way, too, and can be resumed"]


def test_of_very_many_matches_the_newest_are_looked_at(tmp_path: Path) -> None:
    """The link leads to one that was written long ago, with another date."""
    running(tmp_path)
    for number in range(MOST_NEWER + 2):
        name = f"n-{number:02}"
        put_log(tmp_path / f"{name}.jsonl", renamed(match_in("FINISHED").lines, name))
    newest = f"n-{MOST_NEWER + 2}"
    put_log(tmp_path / f"{newest}.jsonl", renamed(match_in("RUNNING").lines, newest))
    assert going_on(tmp_path)[1] == [f"the match {newest} is under way, too, and can be resumed"]


def test_a_match_that_goes_on_in_a_newer_log_is_not_told_twice(tmp_path: Path) -> None:
    salvaged = salvage(other_log(tmp_path, "RUNNING"), None)
    left_behind(tmp_path, continued(salvaged, "damaged", "match"))
    assert found(tmp_path).faults() == []
    for lines in (match_in("RUNNING").lines, continued(salvaged, "damaged", "z")):
        put_log(tmp_path / "z.jsonl", renamed(lines, "z"))
        assert going_on(tmp_path)[1] == ["the match z is under way, too, and can be resumed"]


def test_a_log_whose_first_line_is_spoilt_is_not_taken_for_the_last_match(tmp_path: Path) -> None:
    running(tmp_path)
    put_log(tmp_path / "z.jsonl", flipped(renamed(match_in("RUNNING").lines, "z"), 1))
    link_to(tmp_path, "z.jsonl")
    assert going_on(tmp_path) == ("match", [])
    forget(tmp_path, CURRENT, CHECKPOINT)
    assert going_on(tmp_path) == ("match", [])


@pytest.mark.parametrize("gone", [CURRENT, LOG])
def test_of_a_match_that_is_over_nothing_is_missed(tmp_path: Path, gone: str) -> None:
    match = match_in("FINISHED")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    forget(tmp_path, gone)
    shown = "match" if gone == CURRENT else ""  # its result, until somebody presses
    assert going_on(tmp_path) == (shown, [])


def test_a_file_with_the_lines_of_another_match_under_way_goes_on_with_that(tmp_path: Path) -> None:
    running(tmp_path)
    put_log(tmp_path / LOG, other_log(tmp_path, "RUNNING"))
    forget(tmp_path, CHECKPOINT)
    assert going_on(tmp_path) == (OTHER, [])


def test_an_empty_log_at_the_link_gives_way_to_the_match_of_the_checkpoint(tmp_path: Path) -> None:
    """It was begun when the power went; of the match before it nothing is lost."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    link_to(tmp_path, f"{OTHER}.jsonl")
    put_log(tmp_path / f"{OTHER}.jsonl", [b"\0" * 200, b"\0" * 200])
    assert going_on(tmp_path) == ("match", [])
    assert (tmp_path / CURRENT).readlink() == Path(LOG)


@pytest.mark.rule("R67")
def test_a_match_whose_first_line_is_spoilt_is_told_when_the_one_before_is_over(
    tmp_path: Path,
) -> None:
    """R67: the link leads to it, and its lines prove nothing; else it would be gone in silence."""
    match = match_in("FINISHED")
    left_behind(tmp_path, match.lines, checkpoint_at(match, 20 * S))
    link_to_other(tmp_path)
    put_log(tmp_path / f"{OTHER}.jsonl", flipped(other_log(tmp_path, "RUNNING"), 1))
    told = f"the match {OTHER} cannot be restored: its first line is damaged"
    assert going_on(tmp_path)[1] == [told]


@pytest.mark.rule("R67")
def test_a_log_without_a_good_line_is_no_match_under_way(tmp_path: Path) -> None:
    """R67: the checkpoint is of its match, and the link leads to one that is gone."""
    running(tmp_path)
    (tmp_path / LOG).write_bytes(b"noise\n" * 3)
    link_to_other(tmp_path)
    forget(tmp_path, f"{OTHER}.jsonl")
    assert f"the match {OTHER} cannot be restored: the log is missing" in going_on(tmp_path)[1]
