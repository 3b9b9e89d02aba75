"""A real match's log and checkpoint, cut at every byte and changed at every byte.

What is found is the match up to some line, or it is refused with the line's number; never another
time. Of the log's files the pure part is tried at every byte of the match, the whole way over the
disk and through a replay at every byte of some lines; `make bench` replays all of it.
"""

from pathlib import Path

import pytest

from clock.eventlog.codec import START, DamagedError, right_hash, stated_hash
from clock.eventlog.recovery import Checkpoint
from clock.eventlog.replay import replay, replay_lines
from clock.storage.checkpoint import SLOT_DISTANCE, SLOT_SIZE, SLOTS, encode_slot
from clock.storage.journal import Journal
from clock.storage.log_reader import untorn_length
from tests.storage.test_checkpoint import newest
from tests.support.file_faults import FaultyDisk
from tests.support.paths import DATA

pytestmark = pytest.mark.slow

MATCH = (DATA / "nbgf-analog.jsonl").read_bytes()
RAW = MATCH.split(b"\n")[:-1]
MIDDLE, END = (len(b"\n".join(RAW[:lines])) + 1 for lines in (4, 6))
LAST_LINK = MATCH.rindex(b"\n", 0, -1)  # without this line feed the last two lines are one
STATES = [replayed.match.state for replayed in replay_lines(RAW)]
HASHES = [START, *filter(None, map(stated_hash, RAW))]  # the hash before each line


def flipped(data: bytes, at: int, bit: int) -> bytes:
    """One bit is another one."""
    return data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


@pytest.mark.rule("T12")
def test_a_log_cut_at_every_byte() -> None:
    """T12: the lines that are whole, and no other."""
    ends = [at + 1 for at, byte in enumerate(MATCH) if byte == ord("\n")]
    for length in range(len(MATCH) + 1):
        assert untorn_length(MATCH[:length]) == max(
            (end for end in ends if end <= length), default=0
        )


@pytest.mark.rule("T12")
def test_a_log_changed_at_every_byte() -> None:
    """T12: the first wrong line is the changed one, and only if it is the last is it cut off."""
    for at in range(len(MATCH)):
        data, line = flipped(MATCH, at, at % 8), MATCH.count(b"\n", 0, at)
        length = untorn_length(data)
        found = data[:length].split(b"\n")[:-1]
        assert found[:line] == RAW[:line]
        assert all(right_hash(wrong, HASHES[line]) is None for wrong in found[line : line + 1])
        assert (length < len(data)) == (at >= LAST_LINK)


def lines_reopened(directory: Path, data: bytes) -> int:
    """How many lines the next run finds; refused: minus the number of the line."""
    directory.mkdir()
    (directory / "match.jsonl").write_bytes(data)
    (directory / "current.jsonl").symlink_to("match.jsonl")
    with FaultyDisk(directory).installed():
        journal = Journal(directory)
        found = journal.reopen()
        journal.close()
    if found is None:
        return 0
    try:
        replayed = replay(found.lines)
    except DamagedError as error:
        return -error.line
    assert replayed.match.state == STATES[len(found.lines) - 1]
    return len(found.lines)


@pytest.mark.rule("T12", "R67")
def test_two_lines_cut_at_every_byte(tmp_path: Path) -> None:
    """T12: over the disk and back: the state of the last whole line."""
    data = MATCH[:END]
    for length in range(MIDDLE, END + 1):
        assert lines_reopened(tmp_path / str(length), data[:length]) == data.count(b"\n", 0, length)


@pytest.mark.rule("T12", "R67")
def test_two_lines_changed_at_every_byte(tmp_path: Path) -> None:
    """T12: over the disk and back: refused at that line, or the state before the last one."""
    data = MATCH[:END]
    link = data.rindex(b"\n", 0, -1)
    for at in range(MIDDLE, END):
        line = data.count(b"\n", 0, at)  # so many before it
        wanted = line if at >= link else -line - 1
        assert lines_reopened(tmp_path / str(at), flipped(data, at, at % 8)) == wanted


def two_checkpoints() -> tuple[bytes, list[Checkpoint]]:
    """A file of two checkpoints of the match, one in each slot, and what they say."""
    data, said = bytearray(SLOTS * SLOT_SIZE), []
    for generation in (4, 5):
        state = STATES[-1 if generation == 5 else -2]
        said.append(Checkpoint("match", generation, state.at_ns, "boot", state))
        at, slot = encode_slot(generation, said[-1])
        at = at // SLOT_DISTANCE * SLOT_SIZE  # without the hole between them
        data[at : at + len(slot)] = slot
    return bytes(data), said


@pytest.mark.rule("T12")
def test_checkpoints_cut_at_every_byte() -> None:
    """T12: the newest that is whole, or none; the newest is in the second slot."""
    data, (older, newer) = two_checkpoints()
    ends = [data.index(b"\n", begin) for begin in (0, SLOT_SIZE)]
    for length in range(len(data) + 1):
        wanted = newer if length >= ends[1] else older if length >= ends[0] else None
        assert newest(data[:length])[1] == wanted


@pytest.mark.rule("T12")
def test_checkpoints_changed_at_every_byte() -> None:
    """T12: one of the two always says what it said."""
    data, (older, newer) = two_checkpoints()
    begin, end = SLOT_SIZE, data.index(b"\n", SLOT_SIZE)
    for at in range(len(data)):
        found = newest(flipped(data, at, at % 8))[1]
        assert found == (older if begin <= at <= end else newer)
