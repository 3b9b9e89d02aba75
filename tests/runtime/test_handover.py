"""A clock that is faulty is replaced at once (EBF 3.7(ii)): its match goes on at another one."""

import gzip
import os
import zlib
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from clock import __version__
from clock.eventlog.codec import DamagedError
from clock.eventlog.recovery import LOST_NS
from clock.eventlog.replay import ReplayStep, replay
from clock.match import inputs
from clock.match.rules import Reason
from clock.match.state import MatchState
from clock.match.types import Button, Pair, Phase, ResumeWith
from clock.runtime.crash_guard import CrashGuard
from clock.runtime.handover import ResumeRequest, match_finder
from clock.runtime.startup import ResumeError, match_under_way
from clock.storage.checkpoint import CHECKPOINT
from clock.storage.disk import Disk
from clock.storage.log_reader import CURRENT, MAX_LOG
from clock.units import MINUTE_NS
from clock.virtual import VirtualClock
from lab.support.boxes import StartedClock
from lab.support.desk import LEFT, RIGHT, C, Desk
from lab.support.faulty_disk import FaultyDisk, restored
from lab.support.last_run import (
    Now,
    S,
    Written,
    checkpoint_at,
    flipped,
    left_behind,
    match_in,
    put_checkpoint,
    put_log,
)
from lab.support.world import match_settings

PLAYED = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT))  # the right clock runs since 20 s


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """The log of a dead clock, on a stick."""
    path = tmp_path / "stick" / "match.jsonl"
    path.parent.mkdir()
    put_log(path, PLAYED.lines)
    return path


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The log directory of the clock that takes its place."""
    return tmp_path / "here"


def start(here: Path, log: Path, *, instead: bool = False, disk: Disk | None = None) -> MatchState:
    """The clock starts with --resume, and is switched off again; its own file says otherwise."""
    guard = CrashGuard(here, Now("here", 5))
    find = match_finder(here, guard, ResumeRequest(log, instead))
    with StartedClock(here, find, '[match]\nboard = "7"\n[rules]\nprofile = "us"', disk) as clock:
        return clock.state


def current(here: Path) -> ReplayStep:
    """The log that the clock has now."""
    return replay((here / CURRENT).read_bytes().splitlines())


@pytest.mark.rule("R67", "R68")
def test_the_match_of_a_dead_clock_goes_on_here_stopped(here: Path, stick: Path) -> None:
    """R68: times, score, settings and whose turn it is are those of its log; nothing runs."""
    before = stick.read_bytes()
    state = start(here, stick)
    assert (state.phase, state.reason, state.settings) == (
        Phase.STOPPED,
        Reason.POWER_LOSS,
        PLAYED.state.settings,
    )
    for side in (LEFT, RIGHT):
        assert state.reserve_ns(side, 5) == PLAYED.state.reserve_ns(side, 20 * S)
    assert current(here).match.state == state
    told = msgspec.json.decode((here / CURRENT).read_bytes())
    assert (told["event"], told["why"], told["lost_ns"]) == ("restored", "replacement", None)
    assert (told["origin"]["match"], told["origin"]["seq"]) == ("match", 6)
    assert (told["version"], told["clock"], told["board"]) == (__version__, "00000000", "7")
    assert told["match"].endswith("-7")
    assert (stick.read_bytes(), list(stick.parent.iterdir())) == (before, [stick])


@pytest.mark.rule("R67")
def test_with_the_checkpoint_beside_it_at_most_a_second_is_lost(here: Path, stick: Path) -> None:
    """R67: the last checkpoint of the dead clock counts."""
    put_checkpoint(stick.parent, checkpoint_at(PLAYED, 52 * S))
    state = start(here, stick)
    assert state.reserve_ns(RIGHT, 5) == 1300 * S
    told = msgspec.json.decode((here / CURRENT).read_bytes())
    assert (told["lost_ns"], told["used_ns"]) == (LOST_NS, 32 * S)


def test_a_torn_end_is_left_out_and_damage_is_told(here: Path, stick: Path) -> None:
    """The power went while a line was written; or a sector is gone."""
    stick.write_bytes(stick.read_bytes() + PLAYED.lines[-1][:40])
    start(here, stick)
    assert msgspec.json.decode((here / CURRENT).read_bytes())["origin"]["damage"] is None
    put_log(stick, flipped(PLAYED.lines, 3))
    start(here, stick, instead=True)
    told = msgspec.json.decode((here / CURRENT).read_bytes())["origin"]
    assert (told["unknown"], told["damage"][:8]) == (4, "line 3: ")


@pytest.mark.rule("R68")
def test_a_second_start_does_not_begin_it_again(here: Path, stick: Path) -> None:
    """R68: a service file may keep the option; with or without the stick."""
    first = start(here, stick)
    logs = sorted(here.glob("*.jsonl"))
    assert start(here, stick) == first
    stick.unlink()
    assert start(here, stick) == first
    assert sorted(here.glob("*.jsonl")) == logs


def test_the_same_log_grown_longer_is_another_one(here: Path, stick: Path) -> None:
    """The dead clock came back to life for a while: only --instead takes that on too."""
    start(here, stick)
    longer = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT), inputs.Pressed(25 * S, RIGHT))
    put_log(stick, longer.lines)
    with pytest.raises(ResumeError, match="a match is under way on this clock"):
        start(here, stick)
    start(here, stick, instead=True)
    assert msgspec.json.decode((here / CURRENT).read_bytes())["origin"]["seq"] == 7


def test_a_stick_that_is_not_there_is_missed_unless_it_has_been_resumed(
    here: Path, stick: Path
) -> None:
    """A log of this clock that began with a damaged one is no match of another clock."""
    left_behind(here, flipped(PLAYED.lines, 3))
    VirtualClock("", here).close()
    assert msgspec.json.decode((here / CURRENT).read_bytes())["why"] == "damaged"
    with pytest.raises(ResumeError, match="No such file"):
        start(here, stick.with_name("missing.jsonl"))


def test_a_match_under_way_here_is_left_only_on_demand(here: Path, stick: Path) -> None:
    own = Written("nbgf").ready().give(inputs.Pressed(5, RIGHT))
    left_behind(here, own.lines)
    with pytest.raises(ResumeError, match=r"log match, score 0-0.*--instead"):
        start(here, stick)
    assert start(here, stick, instead=True).settings == PLAYED.state.settings
    assert (here / "match.jsonl").read_bytes().splitlines() == own.lines
    assert start(here, here / "match.jsonl", instead=True).settings == own.state.settings


def test_no_power_cut_brings_the_abandoned_match_back(
    here: Path, stick: Path, tmp_path: Path
) -> None:
    """After each call on the disk, the first line of the new log and its checkpoint between."""
    own = Written("nbgf").ready().give(inputs.Pressed(5, RIGHT))
    put_log(tmp_path / "own.jsonl", own.lines)
    start(here, tmp_path / "own.jsonl")
    disk = FaultyDisk(here)
    start(here, stick, instead=True, disk=disk)
    found: list[bool] = []
    images = [image for before, image in pairwise(disk.images) if image != before]
    for number, image in enumerate(images):
        cut = restored(tmp_path / f"cut-{number}", image)
        is_resumed = match_under_way(cut) == match_under_way(here)
        assert is_resumed or not any(found)
        assert start(cut, stick, instead=True).settings == PLAYED.state.settings
        found.append(is_resumed)
    assert {*found} == {False, True}


@pytest.mark.parametrize("phase", ["REVIEW", "FINISHED"])
def test_a_match_that_is_over_or_not_begun_is_refused(here: Path, stick: Path, phase: str) -> None:
    """There is nothing to go on with; the message says so."""
    put_log(stick, match_in(phase).lines)
    with pytest.raises(ResumeError, match="start the clock without --resume"):
        start(here, stick)


def test_what_cannot_be_read_or_is_no_log_is_said(here: Path, stick: Path) -> None:
    """No stick; a folder; a picture."""
    with pytest.raises(ResumeError, match="No such file"):
        start(here, stick.with_name("missing.jsonl"))
    with pytest.raises(ResumeError, match="Is a directory"):
        start(here, stick.parent)
    stick.write_bytes(b"\x89PNG\r\n\x1a\n" * 100)
    with pytest.raises(DamagedError, match="line 1"):
        start(here, stick)
    stick.write_bytes(b"")
    with pytest.raises(DamagedError, match="empty"):
        start(here, stick)


# --- a stick that means harm ------------------------------------------------------------------


def test_what_would_never_end_is_not_read(here: Path, stick: Path) -> None:
    """A pipe, a file as large as it says: refused at once, and named."""
    stick.unlink()
    os.mkfifo(stick)
    with pytest.raises(ResumeError, match=r"match.jsonl: not a regular file; --resume takes"):
        start(here, stick)
    stick.unlink()
    with stick.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ResumeError, match=f"larger than {MAX_LOG} bytes"):
        start(here, stick)


@pytest.mark.parametrize("deep", [b"1 " + b"[" * 8000, b'1 {"x":' + b"[" * 8000])
def test_a_checkpoint_that_is_too_deep_does_not_count(here: Path, stick: Path, deep: bytes) -> None:
    """Its checksum is right; the log counts all the same."""
    (stick.parent / CHECKPOINT).write_bytes(b"%08x %b\n" % (zlib.crc32(deep), deep))
    assert start(here, stick).phase is Phase.STOPPED


def test_a_pipe_in_the_place_of_the_checkpoint(here: Path, stick: Path) -> None:
    """To open it would wait for ever."""
    os.mkfifo(stick.parent / CHECKPOINT)
    assert start(here, stick).phase is Phase.STOPPED


# --- by hand ----------------------------------------------------------------------------------


class Director(Desk):
    """A director at the board of the replacement clock, whose fingers take time."""

    PRESS_NS = 300_000_000  # from one press to the next; holds and the centre take theirs besides

    def tap(self, *buttons: Button) -> "Director":
        """Each press takes its time."""
        for button in buttons:
            self.pass_time(self.PRESS_NS)
            super().tap(button)
        return self


@pytest.mark.rule("R68")
def test_a_director_enters_everything_by_hand_within_a_minute() -> None:
    """R68: from the players' cards and two estimates; then the mover's clock goes on."""
    director = Director(
        match_settings(length=9)
    )  # the file of this clock says 9, the match is to 11
    for name, values in (
        ("length", (11, False)),
        ("score", (LEFT, 6)),
        ("score", (RIGHT, 4)),
        ("set_time", (LEFT, 11 * MINUTE_NS, "best_estimate")),
        ("set_time", (RIGHT, 9 * MINUTE_NS, "best_estimate")),
        ("approve", ()),
    ):
        director.open_item(name).enter(*values).tap(C)
    director.tap(C).open_item("resume").enter(RIGHT, ResumeWith.FULL).tap(C)
    state = director.state
    assert (state.length, state.score) == (11, Pair(6, 4))
    assert state.reserve_ns(LEFT, director.now_ns) == 11 * MINUTE_NS
    assert state.reserve_ns(RIGHT, director.now_ns) == 9 * MINUTE_NS
    assert (state.running, state.delay_left_ns(director.now_ns) > 11 * S) == (RIGHT, True)
    assert director.now_ns < 60 * S


# --- other names, and other logs beside it ----------------------------------------------------


def origin_seq(here: Path) -> int:
    """The line of the other log after which the match goes on."""
    seq = msgspec.json.decode((here / CURRENT).read_bytes())["origin"]["seq"]
    assert isinstance(seq, int)
    return seq


def test_a_log_may_have_any_name_and_a_link_leads_to_all_of_its_files(
    here: Path, stick: Path
) -> None:
    other = stick.with_name("copy of match.gz")
    other.write_bytes(gzip.compress(stick.read_bytes()))
    start(here, other)
    assert origin_seq(here) == len(PLAYED.lines)
    put_log(stick.with_name("semi.1.jsonl"), PLAYED.lines[:3])
    link = stick.with_name("latest")
    link.symlink_to("semi.1.jsonl")
    longer = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT), inputs.Pressed(25 * S, RIGHT))
    put_log(stick.with_name("semi.1.2.jsonl"), longer.lines[3:])
    start(here, link, instead=True)
    assert origin_seq(here) == len(longer.lines)


def test_logs_that_cannot_be_read_do_not_hide_one_that_was_resumed(here: Path, stick: Path) -> None:
    first = start(here, stick)
    changed = PLAYED.lines[0].replace(b'"length":11', b'"length":12')
    for number in range(16):
        put_log(here / f"torn-{number}.jsonl", [b"torn"])
        put_log(here / f"changed-{number}.jsonl", [changed])
    logs = sorted(here.glob("*.jsonl"))
    assert start(here, stick) == first
    assert sorted(here.glob("*.jsonl")) == logs


def test_a_match_here_that_has_not_begun_makes_way(here: Path, stick: Path) -> None:
    left_behind(here, match_in("REVIEW").lines)
    start(here, stick)
    assert origin_seq(here) == len(PLAYED.lines)
