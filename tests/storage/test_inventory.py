"""What lies in a log directory, and what of it may be deleted."""

import os
import re
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import msgspec
import pytest

from clock.eventlog.codec import Chain
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay_lines
from clock.match import inputs
from clock.match.events import Origin, Writer
from clock.match.inputs import Restored
from clock.match.machine import advance, open_match, restore_match
from clock.match.state import MatchState
from clock.match.types import Pair, Phase, Side
from clock.storage.checkpoint import CheckpointFile
from clock.storage.inventory import LoggedMatch, logged_matches, play_of
from clock.storage.log_reader import MAX_LOG
from clock.units import MINUTE_NS
from lab.support.logs import body, sealed
from lab.support.random_logs import random_logs
from lab.support.rows import rest_slow
from lab.support.world import match_settings

WALL = "2026-05-01T10:00:00.000+02:00"
LATER = datetime(2026, 6, 1, tzinfo=UTC)
MONTH = timedelta(days=30)
SHORTENED = 76  # a random match that was over when it was shortened, and then reopened
CHANGES = re.compile(b"corrected|reopened|undone")


class Written:
    """The log of a match, line by line."""

    def __init__(self, name: str, board: str = "7") -> None:
        self.state, record = open_match(match_settings(length=5), 0, Writer("test", board=board))
        self.chain, line = Chain(name, "boot").append(record, WALL)
        self.lines = [line]

    def give(self, happened: inputs.Input, wall: str = WALL) -> "Written":
        """Apply an input and write what comes of it."""
        self.state, records = advance(self.state, happened)
        for record in records:
            self.chain, line = self.chain.append(record, wall)
            self.lines.append(line)
        return self

    def save(self, directory: Path, suffix: str = ".jsonl") -> Path:
        path = directory / f"{self.chain.match}{suffix}"
        path.write_bytes(b"".join(self.lines))
        return path


def only(directory: Path) -> LoggedMatch:
    [found] = logged_matches(directory)
    return found


def put_checkpoint(directory: Path, match: str, state: MatchState) -> None:
    """Write a checkpoint, as a clock does."""
    file = CheckpointFile(directory)
    file.write(Checkpoint(match, 1, 0, "boot", state))
    file.close()


def test_a_match_is_listed_with_what_a_director_looks_for(tmp_path: Path) -> None:
    written = Written("m").give(inputs.MatchEnded(MINUTE_NS, Side.LEFT, "time"))
    path = written.save(tmp_path)
    found = only(tmp_path)
    assert (found.name, found.files, found.size) == ("m", (path,), path.stat().st_size)
    assert found.play is not None
    assert (found.play.opened, found.play.board, found.play.phase) == (WALL, "7", Phase.FINISHED)
    assert (found.play.score, found.play.length) == (Pair(0, 0), 5)
    assert (found.play.damage, found.is_current, found.problem) == (None, False, "")


@pytest.mark.parametrize("share", rest_slow(range(8)))
def test_names_length_and_score_are_those_of_the_match(share: int) -> None:
    """After each line that may change them, whatever was corrected, reopened and taken back."""
    busy = [random_logs(seed, is_busy=True) for seed in range(share, 40, 8)]
    for log in chain(random_logs(SHORTENED), *busy):
        for number, step in enumerate(replay_lines(log), 1):
            if CHANGES.search(log[number - 1]):
                play, state = play_of(log[:number]), step.match.state
                found = play.names, play.length, play.score, play.phase
                assert found == (state.names, state.length, state.score, state.phase)


def test_a_match_that_was_restored_has_its_names_from_the_state(tmp_path: Path) -> None:
    state = Written("m").give(inputs.Approved(1)).state
    origin = Origin("m", 1, "", "log", 0, None)
    restored = Restored(5, None, None, "damaged")
    _, record = restore_match(state, restored, origin, Writer("test", board="A"))
    _, line = Chain("n", "boot").append(record, WALL)
    (tmp_path / "n.jsonl").write_bytes(line)
    play = only(tmp_path).play
    assert play is not None
    assert (play.names, play.length, play.board) == (state.settings.names, 5, "A")


def test_damage_is_named_by_its_line(tmp_path: Path) -> None:
    written = Written("m").give(inputs.Approved(1)).give(inputs.SidesSwapped(2))
    written.lines[1] = written.lines[1].replace(b"director", b"Director")
    written.save(tmp_path)
    play = only(tmp_path).play
    assert play is not None
    assert play.damage == "line 2 is damaged"


def test_the_current_match_is_known_by_link_by_name_and_by_checkpoint(tmp_path: Path) -> None:
    """Where links cannot be made, a file holds the name; both may be gone."""
    for name in ("a", "b", "c"):
        Written(name).save(tmp_path)
    current = tmp_path / "current.jsonl"

    def marked() -> list[str]:
        found = logged_matches(tmp_path)
        assert [each.name for each in found] == ["a", "b", "c"]
        return [each.name for each in found if each.is_current]

    assert marked() == []
    current.symlink_to("a.jsonl")
    assert marked() == ["a"]
    current.unlink()
    current.write_text('{"log":"b.jsonl"}')
    assert marked() == ["b"]
    put_checkpoint(tmp_path, "c", Written("c").state)
    assert marked() == ["b", "c"]


def test_a_log_in_the_place_of_the_link_is_the_current_one(tmp_path: Path) -> None:
    """A copy made without links has it."""
    Written("m").save(tmp_path).rename(tmp_path / "current.jsonl")
    found = only(tmp_path)
    assert found.is_current
    assert found.play is not None


@pytest.mark.parametrize("end", [".jsonl", ".jsonl.gz"])
def test_all_files_of_a_match_are_deleted_and_no_others(tmp_path: Path, end: str) -> None:
    mine = (f"m{end}", f"m.2{end}", "m.torn", "m.2.torn", "m.failed", "m.checkpoint")
    others = (f"m-2{end}", f"m.3{end}", "m.txt", "n.torn", "checkpoint")
    first, second = Written("m").give(inputs.Approved(1)).lines
    for name in (*mine, *others):
        (tmp_path / name).write_bytes(second if name == f"m.2{end}" else first)
    found = {each.name: each for each in logged_matches(tmp_path)}
    assert set(found) == {"m", "m-2", f"m.3{end}"}
    assert found["m"].files[0].name == f"m{end}"
    assert {path.name for path in found["m"].files} == set(mine)
    found["m"].delete()
    assert {path.name for path in tmp_path.iterdir()} == set(others)


@pytest.mark.parametrize(
    ("wall", "older"),
    [
        (WALL, True),
        ("2026-05-02T01:59:59.000+02:00", True),
        ("2026-05-02T02:00:00.000+02:00", False),
        ("2026-07-01T00:00:00.000+02:00", False),  # in the future
        ("1970-01-01T00:00:03.000+00:00", False),  # the clock had no date
        ("2026-05-01T10:00:00", False),
        ("yesterday", False),
    ],
)
def test_the_latest_line_says_how_old_a_match_is(tmp_path: Path, wall: str, older: bool) -> None:
    Written("m").give(inputs.Approved(1), wall).save(tmp_path)
    assert only(tmp_path).is_older(MONTH, LATER) is older


def test_whatever_lies_there_is_listed_or_left_out(tmp_path: Path) -> None:
    good = b"".join(Written("m").give(inputs.Approved(1)).lines)
    (tmp_path / "directory.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    os.mkfifo(tmp_path / "m.2.jsonl")
    (tmp_path / "m.jsonl").write_bytes(good)
    (tmp_path / "gone.jsonl").symlink_to("nowhere")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "zeros.jsonl").write_bytes(bytes(10_000))
    (tmp_path / "later.jsonl").write_bytes(good.splitlines(keepends=True)[1])
    second = body(good.splitlines()[1]).replace(b'"seq":2', b'"seq":1')
    (tmp_path / "forged.jsonl").write_bytes(b"".join(sealed([second])) + b"\n")
    (tmp_path / os.fsdecode(b"\xff.jsonl")).write_bytes(b"\xff\n")
    (tmp_path / "current.jsonl").write_bytes(b"\xff")
    (tmp_path / "checkpoint").write_bytes(b"\xff")
    with (tmp_path / "huge.jsonl").open("wb") as huge:
        huge.truncate(MAX_LOG + 1)
    found = {each.name: each for each in logged_matches(tmp_path)}
    assert set(found) == {*("m", "empty", "zeros", "later", "huge", "current", "forged", "\udcff")}
    assert (found["huge"].size, found["empty"].size) == (MAX_LOG + 1, 0)
    play = found.pop("m").play
    assert play is not None  # its second part is a pipe, and left out
    for each in found.values():
        assert each.play is None
        assert each.problem
        assert not each.is_older(timedelta(), datetime(9999, 1, 1, tzinfo=UTC))


def test_files_that_are_gone_already_are_deleted(tmp_path: Path) -> None:
    Written("m").save(tmp_path)
    found = only(tmp_path)
    found.delete()
    found.delete()
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_is_none_says_why(tmp_path: Path) -> None:
    """In the words of the system, or with the line that is wrong."""
    with (tmp_path / "huge.jsonl").open("wb") as huge:
        huge.truncate((16 << 20) + 1)  # as large a one is read whole, into memory
    (tmp_path / "text.jsonl").write_bytes(b"text\n" * 3)
    (tmp_path / "empty.jsonl").touch()
    lines = Written("m").give(inputs.Approved(1)).lines
    (tmp_path / "later.jsonl").write_bytes(sealed([body(lines[1])])[0] + b"\n")
    found = {each.name: each.problem for each in logged_matches(tmp_path)}
    assert found["huge"].startswith(f"larger than {16 << 20} bytes")
    assert found["text"].startswith("not a log: line 1: not a record")
    assert found["empty"] == "not a log: line 1: it has no line"
    assert found["later"] == "not a log: line 1: a log does not begin with it"


def test_of_a_spoilt_log_the_latest_line_that_can_be_read_counts(tmp_path: Path) -> None:
    """Corrections too; a line that cannot be read corrects nothing."""
    written = Written("m").give(inputs.Approved(1)).give(inputs.CentrePressed(2))
    written.give(inputs.MatchShortened(3), "2026-05-01T10:00:09.000+02:00")
    written.lines += [b'{"event":"corrected"}\n', b"spoilt\n", b"spoilt\n"]
    written.save(tmp_path)
    play = only(tmp_path).play
    assert play is not None
    assert (play.length, play.latest) == (3, "2026-05-01T10:00:09.000+02:00")


def test_a_forged_log_that_continues_none_is_listed(tmp_path: Path) -> None:
    """No clock writes a state without an origin."""
    state = Written("m").give(inputs.Approved(1)).state
    origin, restored = Origin("m", 1, "", "log", 0, None), Restored(5, None, None, "damaged")
    _, record = restore_match(state, restored, origin, Writer("test"))
    event = msgspec.structs.replace(record.event, origin=None)
    _, line = Chain("n", "boot").append(msgspec.structs.replace(record, event=event), WALL)
    (tmp_path / "n.jsonl").write_bytes(line)
    play = only(tmp_path).play
    assert play is not None
    assert play.continues == ""
