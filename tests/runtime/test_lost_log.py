"""A log that is gone or proves nothing, and a checkpoint of a match under way: it comes back."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from clock.apps.playback import ScriptedButtons, VirtualTime
from clock.apps.script import Segment
from clock.eventlog.recovery import LOST_NS
from clock.match import inputs
from clock.match.types import Phase
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Ports
from clock.runtime.startup import SAFE_AFTER, StartupMatch, find_match
from clock.storage.checkpoint import CHECKPOINT, encode_slot, read_checkpoint
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, MAX_LOG
from clock.ui.i18n import sayer
from tests.eventlog.test_recovery import PHASES, S, checkpoint_at, match_in
from tests.eventlog.test_replay import BOOT, Written
from tests.runtime.test_startup import Now, Outside
from tests.support.world import LEFT, RIGHT

LOG = "match.jsonl"
Spoil = Callable[[Path], object]


def left_behind(directory: Path, match: Written, at_ns: int, name: str = "match") -> None:
    """A log and a checkpoint, as the last run left them."""
    log = directory / f"{name}.jsonl"
    log.write_bytes(b"".join(line + b"\n" for line in match.lines))
    (directory / CURRENT).unlink(missing_ok=True)
    (directory / CURRENT).symlink_to(log.name)
    at, slot = encode_slot(1, checkpoint_at(match, at_ns, match=name))
    with (directory / CHECKPOINT).open("wb") as file:
        file.seek(at)
        file.write(slot)


def found(directory: Path, boot: str = "another", failures: int = 0) -> StartupMatch:
    """What the next start finds."""
    journal = Journal(directory)
    try:
        return find_match(journal, Now(boot, 50 * S), failures)
    finally:
        journal.close()


def resumed(directory: Path, journal: Journal) -> tuple[Runtime, Outside]:
    """The clock that goes on with it."""
    time, outside = VirtualTime(), Outside()
    ports = Ports(time, ScriptedButtons(time, Segment((), 0)), outside, journal, outside, outside)
    recovery = find_match(journal, Now()).recovery
    runtime = Runtime(ports, UiOptions(sayer("en"), "test"), recovery)
    runtime.turn()
    journal.close()
    return runtime, outside


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
    left_behind(tmp_path, match, 33 * S)
    spoil, why = SPOILT[spoilt]
    spoil(tmp_path / LOG)
    before = {p.name: p.stat().st_size for p in tmp_path.glob("*") if not p.is_symlink()}
    runtime, outside = resumed(tmp_path, Journal(tmp_path))
    state = runtime.state
    assert (state.phase, state.running) == (Phase.STOPPED, None)
    for side in (LEFT, RIGHT):
        assert state.reserve_ns(side, state.at_ns) == match.state.reserve_ns(side, 33 * S)
    event = msgspec.json.decode((tmp_path / CURRENT).read_bytes())
    assert (event["event"], event["lost_ns"]) == ("restored", None)
    assert why in event["origin"]["damage"]
    assert (event["origin"]["match"], event["origin"]["seq"]) == ("match", match.chain.seq)
    assert outside.shown is not None
    assert all(face.lines[:2] == ("Log was damaged", "Lost: not known") for face in outside.shown)
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
    left_behind(tmp_path, match, match.state.at_ns)
    (tmp_path / LOG).write_bytes(b"")
    recovery = found(tmp_path).recovery
    assert (recovery is None) == (phase in {"REVIEW", "FINISHED"})


@pytest.mark.rule("R67")
@pytest.mark.parametrize("gone", [True, False])
def test_a_link_that_is_missing_or_leads_elsewhere_loses_nothing(
    tmp_path: Path, gone: bool
) -> None:
    """R67: the checkpoint names the log, which goes on exactly; the link is made again."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match, 30 * S)
    (tmp_path / CURRENT).unlink()
    if not gone:
        (tmp_path / "other.jsonl").write_bytes(b"nothing\n")
        (tmp_path / CURRENT).symlink_to("other.jsonl")
    recovery = found(tmp_path, BOOT).recovery
    assert recovery is not None
    assert (recovery.match, recovery.restored) == ((match.state, match.chain), None)
    assert (tmp_path / CURRENT).readlink() == Path(LOG)


def test_a_match_that_ended_by_its_log_does_not_come_back(tmp_path: Path) -> None:
    """The power goes while the first line of the next match is match_in."""
    match = match_in("RUNNING")
    latest = checkpoint_at(match, 10 * S)
    match.give(inputs.CentrePressed(20 * S), inputs.MatchEnded(21 * S, LEFT, "director"))
    left_behind(tmp_path, match, 10 * S)
    at, slot = encode_slot(1, latest)
    (tmp_path / CHECKPOINT).write_bytes(bytes(at) + slot)
    (tmp_path / "next.jsonl").write_bytes(b"{")
    (tmp_path / CURRENT).unlink()
    (tmp_path / CURRENT).symlink_to("next.jsonl")
    beginning = found(tmp_path)
    assert (beginning.recovery, beginning.faults()) == (None, [])


def test_in_safe_mode_too(tmp_path: Path) -> None:
    """The log is gone, and the program has failed over what is left."""
    match = match_in("RUNNING")
    left_behind(tmp_path, match, 10 * S)
    (tmp_path / LOG).unlink()
    recovery = found(tmp_path, failures=SAFE_AFTER).recovery
    assert recovery is not None
    assert recovery.match.state == match.state
    assert recovery.restored is not None
    assert recovery.restored.lost_ns is None


def test_a_log_that_is_too_large_and_no_checkpoint(tmp_path: Path) -> None:
    """A person has to see to it; memory is not filled."""
    left_behind(tmp_path, match_in("RUNNING"), 10 * S)
    (tmp_path / CHECKPOINT).unlink()
    with (tmp_path / LOG).open("ab") as file:
        file.truncate(1 << 40)
    with pytest.raises(JournalError, match=f"larger than {MAX_LOG} bytes: it has {1 << 40}"):
        found(tmp_path)


@pytest.mark.rule("R67")
def test_both_slots_zeroed_after_twenty_seconds_of_play(tmp_path: Path) -> None:
    """R67: the time since the line comes back, and nobody says that it is at most a second."""
    left_behind(tmp_path, match_in("RUNNING"), 20 * S)
    known = found(tmp_path).recovery
    size = (tmp_path / CHECKPOINT).stat().st_size
    (tmp_path / CHECKPOINT).write_bytes(bytes(size))
    unknown = found(tmp_path).recovery
    assert known is not None
    assert unknown is not None
    assert known.restored is not None
    assert unknown.restored is not None
    assert (known.restored.lost_ns, known.restored.used_ns) == (LOST_NS, 20 * S)
    assert (unknown.restored.lost_ns, unknown.restored.used_ns) == (None, 0)


@pytest.mark.rule("R67")
def test_a_torn_end_may_have_been_several_lines(tmp_path: Path) -> None:
    """R67: short turns leave no checkpoint, so nobody says that nothing is lost."""
    match = match_in("STOPPED")
    left_behind(tmp_path, match, 20 * S)
    with (tmp_path / LOG).open("ab") as log:
        log.write(bytes(900))
    recovery = found(tmp_path).recovery
    assert recovery is not None
    assert recovery.restored is not None
    assert recovery.restored.lost_ns is None
