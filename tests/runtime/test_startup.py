"""Whatever lies on the disk, the clock starts: each way that it tries, with faults put in."""

from pathlib import Path

import msgspec
import pytest

from clock.apps.playback import ScriptedButtons, VirtualTime
from clock.apps.script import Segment
from clock.config.settings import Preset
from clock.eventlog.recovery import Checkpoint, Recovery
from clock.eventlog.replay import replay, replay_lines
from clock.match import inputs
from clock.match.faults import PARTS, Fault
from clock.match.rules import MatchSettings, Reason
from clock.match.types import Pair, Phase
from clock.runtime import startup
from clock.runtime.loop import Runtime, UiOptions
from clock.runtime.ports import Ports
from clock.runtime.startup import NEW_AFTER, SAFE_AFTER, find_match
from clock.storage.journal import Journal, JournalError
from clock.storage.log_reader import CURRENT, SavedMatch, read_log
from clock.ui.face import Face
from clock.ui.i18n import sayer
from clock.units import MINUTE_NS
from tests.eventlog.test_recovery import PHASES, S, checkpoint_at, match_in
from tests.eventlog.test_replay import BOOT
from tests.support.world import LEFT, RIGHT, match_settings


class Now:
    """A time."""

    def __init__(self, boot: str = BOOT, ns: int = 5) -> None:
        self.boot = boot
        self.ns = ns

    def now_ns(self) -> int:
        """Now."""
        return self.ns

    def wall(self) -> str:
        """The day is of no matter."""
        return "2026-05-01T10:00:00.000+02:00"


class Outside:
    """Panels, parts and settings for a runtime, and a log that keeps its lines."""

    def __init__(self, faults: list[Fault] | None = None) -> None:
        self.lines: list[bytes] = []
        self.begun = 0
        self.board = ""
        self.choices: tuple[Preset, ...] = ()
        self.faults = faults or []
        self.shown: Pair[Face] | None = None

    def show(self, faces: Pair[Face]) -> None:
        """Kept."""
        self.shown = faces

    def drain(self) -> list[Fault]:
        """Once."""
        told, self.faults = self.faults, []
        return told

    def settings(self) -> MatchSettings:
        """Of the next match."""
        return match_settings(length=3)

    def begin(self, match: str) -> str:
        """A log of its own."""
        self.lines, self.begun = [], self.begun + 1
        return match

    def append(self, line: bytes) -> None:
        """Kept."""
        self.lines.append(line[:-1])

    def checkpoint(self, *checkpoint: object) -> None:
        """Not kept."""

    def late_ns(self) -> int | None:
        """It never is."""
        return None


def run(last: Recovery | None, *told: Fault, at_ns: int = 5) -> tuple[Runtime, Outside]:
    """A runtime that goes on with this, after its first turn."""
    outside, time = Outside(list(told)), VirtualTime()
    time.ns = at_ns
    ports = Ports(
        time, ScriptedButtons(time, Segment((), at_ns)), outside, outside, outside, outside
    )
    runtime = Runtime(ports, UiOptions(sayer("en"), "test"), last)
    runtime.turn()
    return runtime, outside


def left_behind(directory: Path, lines: list[bytes]) -> Journal:
    """A journal that finds these lines."""
    (directory / "match.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    (directory / CURRENT).symlink_to("match.jsonl")
    return Journal(directory)


class Finds:
    """A journal that has found this."""

    def __init__(self, lines: list[bytes], latest: Checkpoint | None = None) -> None:
        self._found = SavedMatch(tuple(lines), latest)

    def reopen(self) -> SavedMatch:
        """It."""
        return self._found

    def keep_checkpoint(self, latest: Checkpoint) -> None:
        """Nothing is overwritten here."""


def opens(
    lines: list[bytes], latest: Checkpoint | None = None, failures: int = 0, time: Now | None = None
) -> startup.StartupMatch:
    """What a clock that finds this goes on with."""
    return find_match(Finds(lines, latest), time or Now("another"), failures)  # type: ignore[arg-type]


def flipped(lines: list[bytes], number: int) -> list[bytes]:
    """The same lines with a bit of one of them, counted from 1, turned over."""
    line = bytearray(lines[number - 1])
    line[len(line) // 2] ^= 1
    return [*lines[: number - 1], bytes(line), *lines[number:]]


# --- the last match ---------------------------------------------------------------------------


@pytest.mark.rule("R67")
@pytest.mark.parametrize("phase", PHASES)
def test_a_match_under_way_goes_on_and_one_that_is_not_ends_with_the_power(
    tmp_path: Path, phase: str
) -> None:
    """R67: over, or not begun: the director may have changed the settings since."""
    match = match_in(phase)
    journal = left_behind(tmp_path, match.lines)
    soon = find_match(journal, Now(BOOT, match.state.at_ns + 30 * S)).recovery
    later = find_match(journal, Now("another")).recovery
    journal.close()
    assert soon is not None
    assert (soon.match, soon.restored) == ((match.state, match.chain), None)
    assert (later is None) == (phase in {"REVIEW", "FINISHED"})


def test_without_a_log_there_is_no_last_match(tmp_path: Path) -> None:
    """A new clock."""
    journal = Journal(tmp_path)
    beginning = find_match(journal, Now())
    journal.close()
    assert (beginning.recovery, beginning.faults()) == (None, [])


@pytest.mark.rule("R67", "T12")
def test_a_damaged_log_stays_and_the_match_goes_on_in_a_new_one(tmp_path: Path) -> None:
    """T12: stopped, in a log that proves itself; the old one is what it was, byte for byte."""
    match = match_in("RUNNING").give(inputs.Pressed(20 * S, LEFT))
    lines = flipped(match.lines, 5)
    journal = left_behind(tmp_path, lines)
    before = (tmp_path / "match.jsonl").read_bytes()
    beginning = find_match(journal, Now(BOOT))
    time, outside = VirtualTime(), Outside()
    ports = Ports(time, ScriptedButtons(time, Segment((), 0)), outside, journal, outside, outside)
    runtime = Runtime(ports, UiOptions(sayer("en"), "test"), beginning.recovery)
    journal.close()
    assert (tmp_path / "match.jsonl").read_bytes() == before
    path = (tmp_path / CURRENT).resolve()
    assert path.name != "match.jsonl"
    again = replay(path.read_bytes().splitlines())
    assert (again.match.chain.seq, again.match.state) == (1, runtime.state)
    assert (runtime.state.phase, runtime.state.reason) == (Phase.STOPPED, Reason.POWER_LOSS)
    event = msgspec.json.decode(path.read_bytes())
    assert (event["event"], event["why"], event["running"]) == ("restored", "damaged", None)
    assert event["origin"]["match"] == "match"
    assert "line 5: the hash is wrong" in event["origin"]["damage"]


@pytest.mark.rule("R67", "R84")
def test_what_the_log_could_not_take_goes_on_from_the_checkpoint() -> None:
    """R67: the disk was full for an hour, but for the checkpoints; then the power went."""
    match = match_in("RUNNING")
    count = len(match.lines)
    for minute in range(1, 60):
        match.give(inputs.Pressed(minute * MINUTE_NS, (RIGHT, LEFT)[minute % 2]))
    latest = checkpoint_at(match, 3550 * S)
    last = opens(match.lines[:count], latest).recovery
    assert last is not None
    state = run(last)[0].state
    assert (state.phase, state.reason) == (Phase.STOPPED, Reason.POWER_LOSS)
    for side in (LEFT, RIGHT):
        assert state.reserve_ns(side, state.at_ns) == match.state.reserve_ns(side, 3550 * S)


@pytest.mark.rule("R67")
def test_both_panels_tell_it_until_somebody_goes_on() -> None:
    """R67: what happened, how much is lost at most, and how many lines are not known."""
    match = match_in("STOPPED")
    runtime, outside = run(opens(flipped(match.lines, 5)).recovery)
    assert outside.shown is not None
    for face in outside.shown:
        assert face.lines[:3] == ("Log was damaged", "Lost: not known", "2 unknown lines")
    runtime.apply_input(inputs.Pressed(6, LEFT))
    runtime.turn()
    assert outside.shown is not None
    assert all("Log was damaged" not in face.lines for face in outside.shown)


@pytest.mark.rule("R67")
def test_a_power_cut_is_told_on_both_panels_through_another_crash() -> None:
    """R67: the program dies again before anybody has read it."""
    match = match_in("STOPPED")
    latest = checkpoint_at(match, 20 * S)
    _, outside = run(opens(match.lines, latest).recovery)
    lines = [*match.lines, *outside.lines]
    again = opens(lines, latest, time=Now(VirtualTime().boot, 7))
    assert again.recovery is not None
    for found in (opens(match.lines, latest).recovery, again.recovery):
        _, shown = run(found)
        assert shown.shown is not None
        assert all(f.lines[:2] == ("Clock was off", "At most 0 s lost") for f in shown.shown)


# --- every byte -------------------------------------------------------------------------------

END = match_in("STOPPED").give(inputs.CentrePressed(25 * S))
LOG = b"".join(line + b"\n" for line in END.lines)
STATES = [each.match.state for each in replay_lines(LOG.splitlines())]
SHARES = 4  # of all bytes, so that a failure names few


def lies(directory: Path, data: bytes) -> list[bytes]:
    """The lines that a clock finds if this lies on its disk."""
    path = directory / "match.jsonl"
    path.write_bytes(data)
    whole = read_log(path)
    return list(whole.lines) if whole else []


@pytest.mark.slow
@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("share", range(SHARES))
def test_a_power_cut_at_any_byte_of_the_log(tmp_path: Path, share: int) -> None:
    """T12: the match is as its whole lines say, stopped; without any there is none."""
    for size in range(share, len(LOG) + 1, SHARES):
        count = LOG[:size].count(b"\n")
        lines = lies(tmp_path, LOG[:size])
        assert lines == LOG.splitlines()[:count]
        last = opens(lines).recovery if lines else None
        if count < 4:  # nobody has begun to play
            assert last is None
            continue
        assert last is not None
        assert (last.match.state, last.origin) == (STATES[count - 1], None)
        assert run(last)[0].state.running is None


@pytest.mark.slow
@pytest.mark.rule("T12")
@pytest.mark.parametrize("share", range(SHARES))
def test_a_flip_of_any_byte_of_the_log(tmp_path: Path, share: int) -> None:
    """T12: the times of a line that is whole, and no clock runs; or a new match begins."""
    for at in range(share, len(LOG), SHARES):
        data = bytearray(LOG)
        data[at] ^= 1 << at % 8
        lines = lies(tmp_path, bytes(data))
        beginning = opens(lines, checkpoint_at(END, 26 * S) if at % 3 == 0 else None)
        if beginning.recovery is None:
            assert at <= LOG.index(b"\n") or LOG[:at].count(b"\n") < 4
            continue
        origin = beginning.recovery.origin
        number = origin.seq if origin else len(lines)
        told = msgspec.json.decode(LOG.splitlines()[number - 1])
        state = beginning.recovery.match.state
        assert state.reserve_ns(LEFT, state.at_ns) == told["left_ns"]
        assert state.reserve_ns(RIGHT, state.at_ns) == told["right_ns"]
        assert run(beginning.recovery)[0].state.running is None


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
def test_a_bug_is_raised_at_first_so_that_the_program_starts_again(failures: int) -> None:
    """It may have been the moment; and its traceback is the evidence."""
    with pytest.raises(BugError):
        opens(match_in("RUNNING").lines, failures=failures)


@pytest.mark.usefixtures("replay_fails")
def test_after_three_failures_the_checkpoint_counts_alone() -> None:
    """Stopped, in a log of its own, and the panels ask to check everything."""
    match = match_in("RUNNING")
    beginning = opens(match.lines, checkpoint_at(match, 20 * S), SAFE_AFTER)
    assert beginning.recovery is not None
    runtime, outside = run(beginning.recovery)
    state = runtime.state
    assert (state.phase, state.running, state.reason) == (Phase.STOPPED, None, Reason.POWER_LOSS)
    assert state.reserve_ns(LEFT, 5) == 1312 * S
    assert replay(outside.lines).match.state == state
    assert outside.shown is not None
    assert all(face.lines[0] == "Safe mode: check all" for face in outside.shown)


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
def test_if_that_fails_too_a_new_match_begins_with_a_warning(latest: Checkpoint | None) -> None:
    """No checkpoint, or one that cannot be: the clock is there, and says what it could not do."""
    beginning = opens(match_in("RUNNING").lines, latest, SAFE_AFTER)
    assert beginning.recovery is None
    [fault] = beginning.faults()
    assert (fault.part in PARTS, beginning.faults()) == (True, [])
    runtime, outside = run(None, fault)
    assert runtime.state.phase is Phase.REVIEW
    assert b'"event":"fault","part":"recovery"' in outside.lines[-1]
    assert outside.shown is not None
    assert all(face.warnings == ("MATCH NOT FOUND",) for face in outside.shown)


def test_a_bug_in_safe_mode_ends_in_a_new_match_and_its_traceback_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever it is."""

    def fail(*_: object) -> None:
        raise BugError("in safe mode")

    monkeypatch.setattr(startup, "salvage_checkpoint", fail)
    assert opens(match_in("RUNNING").lines, None, SAFE_AFTER).recovery is None
    assert "BugError: in safe mode" in capsys.readouterr().err


def test_a_state_over_which_the_clock_falls_is_left_in_the_end() -> None:
    """The checkpoint is readable, and yet the program fails over it three times more."""
    match = match_in("RUNNING")
    assert opens(match.lines, checkpoint_at(match, 9), NEW_AFTER - 1).recovery is not None
    assert opens(match.lines, checkpoint_at(match, 9), NEW_AFTER).recovery is None


def test_a_log_of_which_nothing_is_left_makes_way_at_once() -> None:
    """To try again would not help: a new match, and the warning."""
    beginning = opens([b"\0" * 500, b"{}"])
    assert beginning.recovery is None
    assert "line 1: the hash is wrong" in str(beginning.faults()[0].what)


def test_a_bug_while_it_looks_for_the_match_ends_in_a_new_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not in starts without end; but what a person has to see to is told as it is."""

    def reopen(_: object) -> None:
        raise error

    monkeypatch.setattr(Finds, "reopen", reopen)
    error: Exception = BugError("in the directory")
    with pytest.raises(BugError):
        opens([], failures=SAFE_AFTER - 1)
    beginning = opens([], failures=SAFE_AFTER)
    assert beginning.recovery is None
    assert "in the directory" in str(beginning.faults()[0].what)
    error = JournalError("its permissions")
    with pytest.raises(JournalError):
        opens([], failures=NEW_AFTER)
