"""The checkpoint: two slots, of which the newest valid one counts; cards that are read-only."""

import errno
from os import devnull, fstat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clock.config.schema import LONGEST_NAME
from clock.eventlog.recovery import Checkpoint
from clock.match.events import GameOverEvent
from clock.match.profiles import PROFILES
from clock.match.rules import MAX_LENGTH, EarlyPickup, Offer, Proposal, Reason, RulingReason
from clock.match.state import (
    RECENT_TURNS,
    Absence,
    Decision,
    Done,
    Flag,
    LateAccount,
    MatchState,
    Pause,
    TurnBegin,
    as_json,
)
from clock.match.timecontrol import Account, Turn
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side
from clock.storage.checkpoint import (
    BLOCK_SIZE,
    CHECKPOINT,
    LOCK,
    SLOT_DISTANCE,
    SLOT_SIZE,
    SLOTS,
    CheckpointFile,
    JournalError,
    decode_slots,
    encode_slot,
    read_checkpoint,
)
from clock.units import MINUTE_NS
from lab.support.faulty_disk import Call, FaultyDisk
from lab.support.journals import LINES, NAME, RAW, STATE, found, opened, written
from lab.support.world import World, match_settings

CENTURY_NS = 100 * 366 * 24 * 60 * MINUTE_NS


def checkpoint(seq: int = 7, state: MatchState | None = None) -> Checkpoint:
    """A checkpoint after so many records."""
    state = World.running().state if state is None else state
    return Checkpoint("2000-01-01T12-00-00", seq, 123_456_789, "boot", state)


def placed(generation: int, checkpoint: Checkpoint) -> tuple[int, bytes]:
    """A slot and its place, without the hole between the slots."""
    at, slot = encode_slot(generation, checkpoint)
    return at // SLOT_DISTANCE * SLOT_SIZE, slot


def both(*generations: int) -> bytes:
    """Both slots after these generations were written, one after another."""
    data = bytearray(SLOTS * SLOT_SIZE)
    for generation in generations:
        at, slot = placed(generation, checkpoint(generation))
        data[at : at + len(slot)] = slot
    return bytes(data)


def newest(data: bytes) -> tuple[int, Checkpoint | None]:
    """What is read from both slots."""
    return decode_slots(data[at : at + SLOT_SIZE] for at in (0, SLOT_SIZE))


@pytest.mark.parametrize("latest", [2, 3, 9, 10, 99, 100])
def test_the_newest_slot_wins(latest: int) -> None:
    assert newest(both(latest - 1, latest)) == (latest, checkpoint(latest))


@pytest.mark.parametrize("data", [b"", b"\0", bytes(SLOTS * SLOT_SIZE), b" " * 9000, b"\xff" * 99])
def test_a_file_without_a_slot_says_nothing(data: bytes) -> None:
    assert newest(data) == (0, None)


@pytest.mark.slow
@pytest.mark.rule("T12")
@pytest.mark.parametrize("bit", [0, 3, 7])
def test_a_damaged_slot_is_ignored_at_every_byte(bit: int) -> None:
    """T12: one wrong bit anywhere in the newer slot, and the older one counts."""
    data = both(4, 5)
    start, slot = placed(5, checkpoint(5))
    used = len(slot.rstrip())
    for at in range(start, start + used):
        damaged = bytearray(data)
        damaged[at] ^= 1 << bit
        assert newest(bytes(damaged)) == (4, checkpoint(4))


@pytest.mark.slow
@pytest.mark.rule("T12")
def test_a_slot_that_was_cut_off_at_any_byte_is_ignored() -> None:
    """T12: what was there before shows behind the new bytes; the other slot counts."""
    before, (start, slot) = both(3, 4), placed(5, checkpoint(5))
    assert start == placed(3, checkpoint(3))[0]
    for length in range(len(slot)):
        data = before[:start] + slot[:length] + before[start + length :]
        whole = data[start : start + len(slot)].startswith(slot.rstrip() + b"\n")
        assert newest(data) == ((5, checkpoint(5)) if whole else (4, checkpoint(4)))


def test_two_slots_never_overlap() -> None:
    assert SLOT_DISTANCE >= 4 << 20  # an erase block
    for generation in range(1, 6):
        at, slot = placed(generation, checkpoint())
        assert (at, len(slot)) == (generation % SLOTS * SLOT_SIZE, BLOCK_SIZE)
    at, slot = placed(6, checkpoint(6, World().state.replace(ended="x" * 2 * BLOCK_SIZE)))
    assert (at, len(slot)) == (0, SLOT_SIZE)


def test_a_short_state_counts_before_the_rest_of_a_long_one() -> None:
    """What a longer one left behind it in the slot is not read."""
    data = bytearray(SLOTS * SLOT_SIZE)
    for generation, state in ((2, World().state.replace(ended="x" * BLOCK_SIZE)), (4, None)):
        at, slot = placed(generation, checkpoint(generation, state))
        data[at : at + len(slot)] = slot
    assert newest(bytes(data)) == (4, checkpoint(4))


def largest() -> MatchState:
    """A state with everything in it, and all of it as long as it can be."""
    settings = match_settings(
        max(PROFILES, key=len),
        length=MAX_LENGTH,
        score=(MAX_LENGTH - 1, MAX_LENGTH - 1),
        best_of_three=True,
        early_pickup=EarlyPickup.WAIT,
        reasons=tuple(Reason),
        breaks=tuple((99, 9) for _ in range(3)),
        time_per_point_ns=600 * MINUTE_NS,
        time_per_match_ns=600 * MINUTE_NS,
    )
    names = Pair("\U0001f3b2" * LONGEST_NAME, '"' * LONGEST_NAME)
    settings = msgspec.structs.replace(
        settings,
        names=names,
        event="\U0001f3b2" * LONGEST_NAME,
        round="\U0001f3b2" * LONGEST_NAME,
        crawford=Crawford.UNKNOWN,
    )
    state = World(settings).state
    player = msgspec.structs.replace(
        state.players.left,
        account=Account(CENTURY_NS, -CENTURY_NS),
        flag=Flag(2, CENTURY_NS),
        overtime_used=False,
        next_delay=NextDelay.FULL,
        breaks_taken=9,
        penalty_points=6400,
        invalid_rolls=10**6,
        absence=Absence(CENTURY_NS, 10**6),
        late=LateAccount(10**6, 10**6, 10**6),
        warnings=10**6,
        warned_for=tuple(RulingReason),
    )
    before = as_json({"players": Pair(player, player), "names": names})
    return state.replace(
        done=Done(
            GameOverEvent(Side.LEFT, 99, Pair(99, 99), Pair(2, 2), crawford=True, warning=None),
            before,
        ),
        at_ns=CENTURY_NS,
        proposal=Proposal(
            "x" * 16, "\U0001f3b2" * 40, "next_delay", ("right", ("skip", True), "other")
        ),
        phase=Phase.FREE_TURN,
        players=Pair(player, player),
        names=names,
        crawford=Crawford.UNKNOWN,
        turn=Turn(Side.RIGHT, CENTURY_NS, CENTURY_NS, CENTURY_NS),
        interrupted=Turn(Side.RIGHT, CENTURY_NS, CENTURY_NS, CENTURY_NS),
        slow_play_ns=CENTURY_NS,
        decision=Decision("shortened", Pair(99, 99), 99, Crawford.UNKNOWN, Pair(10**6, 10**6)),
        reason=Reason.DIRECTOR_CALLED,
        game_points=Pair(10**6, 10**6),
        games=10**6,
        pause=Pause(CENTURY_NS, CENTURY_NS, 10**6, Side.RIGHT, Side.RIGHT),
        recent=(TurnBegin(Pair(CENTURY_NS, CENTURY_NS)),) * RECENT_TURNS,
        winner=Side.RIGHT,
        ended="director",
        preset="\U0001f3b2" * LONGEST_NAME,
        offer="x" * 16,
        next_offer=Offer("x" * 16, settings),
        put_aside_in=Phase.GAME_OVER,
    )


def test_the_largest_state_fits_into_a_slot_twice() -> None:
    """Longest names, 99 points, a century, every field in use: room for half as much again."""
    state = largest()
    assert not unused(state)
    _, slot = placed(10**9, checkpoint(10**9, state))
    assert len(slot.rstrip()) * 3 < SLOT_SIZE * 2
    at, _ = placed(10**9, checkpoint(10**9, state))
    assert newest(bytes(at) + slot) == (10**9, checkpoint(10**9, state))


def test_the_largest_state_fits_when_a_ruling_changed_nearly_all_of_it() -> None:
    """Whatever a ruling changes, but for what the room sends, can be taken back (R212)."""
    state = largest()
    assert state.done is not None
    fields = as_json(msgspec.structs.asdict(state))
    before = {
        name: fields[name] for name in fields if name not in {"done", "next_offer", "proposal"}
    }
    placed(10**9, checkpoint(10**9, state.replace(done=Done(state.done.event, before))))


def unused(state: MatchState) -> list[str]:
    """The fields of a state, and of a player, that hold nothing."""
    values: dict[str, Any] = msgspec.structs.asdict(state)
    values |= msgspec.structs.asdict(state.players.left)
    return [name for name, value in values.items() if value is None or value == ()]


def test_a_state_that_fills_a_slot_fits() -> None:
    """What does not is refused before it spoils the other slot, a fault; no match ever has it."""
    empty = checkpoint(1, World().state)
    room = SLOT_SIZE - len(b"01234567 1 \n") - len(msgspec.json.encode(empty))
    _, slot = encode_slot(1, checkpoint(1, World().state.replace(ended="x" * room)))
    assert (len(slot), slot[-1:]) == (SLOT_SIZE, b"\n")
    with pytest.raises(ValueError, match=f"a state of {SLOT_SIZE + 1} bytes, {SLOT_SIZE} at most"):
        encode_slot(1, checkpoint(1, World().state.replace(ended="x" * (room + 1))))


def test_two_slots_of_one_number_are_no_mistake_of_the_program() -> None:
    """No clock writes them; either counts."""
    slots = [encode_slot(1, checkpoint(seq))[1] for seq in (7, 8)]
    assert decode_slots(slots)[0] == 1


# --- the file ---------------------------------------------------------------------------------


@pytest.mark.rule("R67")
def test_a_checkpoint_is_one_write_of_one_slot_and_one_sync(tmp_path: Path) -> None:
    """R67: the slots take turns, and the newest is found again."""
    disk = FaultyDisk(tmp_path)
    file = CheckpointFile(tmp_path, disk)
    begun = len(disk.calls)
    for seq in range(1, 6):
        file.write(checkpoint(seq))
        assert read_checkpoint(tmp_path / CHECKPOINT) == checkpoint(seq)
    file.close()
    calls = disk.calls[begun : begun + 10]
    assert [call.name for call in calls] == ["write_at", "sync_data"] * 5
    assert all(len(call.args[1]) <= BLOCK_SIZE for call in calls[::2])
    assert (tmp_path / CHECKPOINT).stat().st_size == SLOT_DISTANCE + SLOT_SIZE


@pytest.mark.rule("T12")
@pytest.mark.parametrize(
    ("bad", "seq"), [({0}, 5), ({SLOT_DISTANCE}, 4), ({0, SLOT_DISTANCE}, None)]
)
def test_a_slot_that_cannot_be_read_hides_neither_the_other_nor_the_log(
    tmp_path: Path, bad: set[int], seq: int | None
) -> None:
    """T12: no place of the card is written as often; the match goes on without."""
    written(tmp_path, LINES)
    file = CheckpointFile(tmp_path)
    for number in range(1, 6):  # the last in the second slot
        file.write(checkpoint(number, STATE))
    file.close()
    disk = FaultyDisk(tmp_path)
    disk.unreadable = {(CHECKPOINT, at) for at in bad}
    lines, latest = found(tmp_path, disk)
    assert (lines, latest and latest.seq) == (tuple(RAW), seq)


def open_files() -> int:
    """How many files this program has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_file_stays_open(tmp_path: Path) -> None:
    before = open_files()
    file = CheckpointFile(tmp_path)
    file.write(checkpoint(1))
    one_open = open_files()
    for _ in range(3):
        assert file.read() == read_checkpoint(tmp_path / CHECKPOINT) == checkpoint(1)
    file.keep_copy(checkpoint(1))
    with pytest.raises(FileExistsError):
        file.keep_copy(checkpoint(1))
    assert open_files() == one_open
    (tmp_path / LOCK).unlink()
    file.follow_directory()
    assert open_files() == one_open
    for name in (LOCK, CHECKPOINT):
        (tmp_path / name).unlink()
    with pytest.raises(OSError, match="replaced"):
        file.write(checkpoint(2))
    assert (file.read(), open_files()) == (None, one_open - 1)
    file.write(checkpoint(2))
    assert (file.read(), (tmp_path / LOCK).exists()) == (checkpoint(2), True)
    file.close()
    assert open_files() == before
    with Path(devnull).open() as one, Path(devnull).open() as other:
        file.close()  # a second time, when others have the numbers of its files
        assert open_files() == before + 2
        assert fstat(one.fileno()) == fstat(other.fileno())


def test_a_card_that_fails_is_not_called_read_only(tmp_path: Path) -> None:
    CheckpointFile(tmp_path).close()
    for failing in ([errno.EIO], [None, errno.EIO]):  # the lock, and the file
        disk = FaultyDisk(tmp_path)
        disk.failing["open"] = [*failing]
        with pytest.raises(JournalError, match=r"cannot be written to .Input/output error."):
            CheckpointFile(tmp_path, disk)
        assert disk.left_open == []


def test_a_new_directory_outlives_a_power_cut(tmp_path: Path) -> None:
    disk, logs = FaultyDisk(tmp_path), tmp_path / "logs"
    CheckpointFile(logs, disk).close()
    made = disk.calls.index(Call("make_directory", (logs,)))
    opened_, synced = disk.calls[made + 1 : made + 3]
    assert (opened_.name, opened_.args[0], synced.name) == ("open", tmp_path, "sync")


def test_a_directory_that_may_not_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything is tried, unless its card has become read-only."""
    CheckpointFile(tmp_path).close()
    disk = FaultyDisk(tmp_path)
    monkeypatch.setattr(disk, "may_write", lambda _: False)
    with pytest.raises(JournalError, match="Permission denied"):
        CheckpointFile(tmp_path, disk)
    monkeypatch.setattr(disk, "is_read_only", lambda _: True)
    CheckpointFile(tmp_path, disk).close()


# --- a card that is read-only -----------------------------------------------------------------

READ_ONLY = "Read-only file system"


@pytest.fixture
def card(tmp_path: Path) -> FaultyDisk:
    """With a match of five lines on it; it has become read-only."""
    written(tmp_path, LINES[:5], NAME)
    file = CheckpointFile(tmp_path)
    file.write(checkpoint(5, STATE))
    file.close()
    disk = FaultyDisk(tmp_path)
    disk.read_only = True
    return disk


@pytest.mark.rule("R67", "R84")
def test_a_match_on_a_card_that_has_become_read_only_goes_on(
    tmp_path: Path, card: FaultyDisk
) -> None:
    """R67: the watchdog has started the program again; it is saved when the card can be written."""
    journal = opened(tmp_path, card)
    saved = journal.reopen()
    assert saved is not None
    assert saved.lines == tuple(RAW[:5])
    assert (saved.checkpoint and saved.checkpoint.seq) == 5
    journal.add(*LINES[5:8])
    journal.write_checkpoint(8)
    unsaved = [f"{READ_ONLY}: {what} are not saved" for what in ("log lines", "checkpoints")]
    assert journal.told() == unsaved
    with pytest.raises(JournalError, match=READ_ONLY):
        journal.require_room()
    card.read_only = False
    journal.add(LINES[8])
    journal.write_checkpoint(9)
    assert journal.told() == [None]
    journal.require_room()
    journal.close()
    lines, latest = found(card.power_cut(tmp_path / "cut"))
    assert (lines, latest and latest.seq) == (tuple(RAW[:9]), 9)


def test_two_clocks_on_a_card_that_is_read_only(tmp_path: Path, card: FaultyDisk) -> None:
    """It may become writable under both; no file is left open."""
    before = open_files()
    slots = CheckpointFile(tmp_path, card)
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        CheckpointFile(tmp_path, card)
    with pytest.raises(JournalError, match=READ_ONLY):
        slots.require_writable()
    card.read_only = False
    slots.require_writable()
    with pytest.raises(JournalError, match="another clock writes its logs there"):
        CheckpointFile(tmp_path, card)
    slots.close()
    CheckpointFile(tmp_path, card).close()
    assert open_files() == before


def test_a_card_that_is_read_only_and_was_never_written_to(
    tmp_path: Path, card: FaultyDisk
) -> None:
    for name in (CHECKPOINT, LOCK):
        (tmp_path / name).unlink()
        with pytest.raises(JournalError, match=f"{READ_ONLY}.; set .log. directory"):
            CheckpointFile(tmp_path, card)
    card.read_only = False
    CheckpointFile(tmp_path, card).close()
