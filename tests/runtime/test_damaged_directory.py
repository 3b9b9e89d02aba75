"""Damage log, link and checkpoint at random after a power cut: no exception, no silent loss."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from clock.eventlog.recovery import CHECKPOINT_NS, Checkpoint
from clock.match import inputs
from clock.match.state import MatchState
from clock.match.types import Phase, Side
from clock.runtime.startup import find_match
from clock.storage.checkpoint import (
    CHECKPOINT,
    SLOT_DISTANCE,
    SLOT_SIZE,
    encode_slot,
    read_checkpoint,
)
from clock.storage.journal import Journal
from clock.storage.log_reader import CURRENT
from lab.support.last_run import Now, S, Written, left_behind

CASES = 200
SHARES = 3  # of all cases
PAUSES_NS = (S // 10, S // 3, S, 5 * S, 20 * S)
LOG = "match.jsonl"


class PoweredOff(NamedTuple):
    """A clock whose power was cut."""

    match: Written
    cut_ns: int
    slots: dict[int, bytes]  # by their place
    states: list[MatchState]  # after each line


def play(random: Random) -> PoweredOff:
    """Play at random until the power is cut, with checkpoints as the writer makes them."""
    match = Written(length=3, delay_ns=0, time_per_point_ns=600 * S, bank_step_ns=1)
    slots, states, generation, now_ns = dict[int, bytes](), [match.state], 0, 0

    def write_checkpoint(at_ns: int) -> None:
        nonlocal generation
        generation += 1
        chain = match.chain
        latest = Checkpoint(chain.match, chain.seq, at_ns, chain.boot, match.state)
        place, slot = encode_slot(generation, latest)
        slots[place] = slot

    write_checkpoint(0)
    begun = [inputs.Pressed(0, side) for side in Side] + [inputs.CentrePressed(0)]
    for number in range(random.randrange(2, 25)):
        side = match.state.running or random.choice(list(Side))
        pressed = inputs.Pressed(now_ns, side)
        happened = begun[number] if number < len(begun) else pressed
        if number >= len(begun) and random.random() < 0.2:
            happened = inputs.CentrePressed(now_ns)
        count = len(match.lines)
        match.give(happened)
        states += [match.state] * (len(match.lines) - count)
        pause_ns, saved_ns = random.choice(PAUSES_NS), now_ns
        now_ns += pause_ns
        while match.state.running and (saved_ns := saved_ns + CHECKPOINT_NS) <= now_ns:
            write_checkpoint(saved_ns)
    return PoweredOff(match, now_ns, slots, states)


def lay_down(directory: Path, off: PoweredOff) -> None:
    """Write what the power cut left."""
    left_behind(directory, off.match.lines)
    with (directory / CHECKPOINT).open("wb") as file:
        for at, slot in off.slots.items():
            file.seek(at)
            file.write(slot)


# --- damage -----------------------------------------------------------------------------------


def overwrite(path: Path, at: int, data: bytes) -> None:
    """Write in the middle of a file."""
    if path.exists():
        with path.open("r+b") as file:
            file.seek(at)
            file.write(data)


def zero(directory: Path, random: Random) -> None:
    """Zero a part of the log, or all of it."""
    size = (directory / LOG).stat().st_size if (directory / LOG).exists() else 0
    at = random.choice((0, random.randrange(size + 1)))
    count = random.choice((size - at, random.randrange(size - at + 1)))
    overwrite(directory / LOG, at, bytes(count))


def flip(directory: Path, random: Random) -> None:
    """Change a byte of the log."""
    size = (directory / LOG).stat().st_size if (directory / LOG).exists() else 0
    overwrite(directory / LOG, random.randrange(size + 1), bytes([random.randrange(256)]))


def cut(directory: Path, random: Random) -> None:
    """Cut the log at any byte."""
    if (directory / LOG).exists():
        size = (directory / LOG).stat().st_size
        os.truncate(directory / LOG, random.choice((0, random.randrange(size + 1))))


def remove(directory: Path, random: Random) -> None:
    """Delete or rename the log or the link."""
    path = directory / random.choice((LOG, CURRENT))
    if random.random() < 0.5:
        path.unlink(missing_ok=True)
    elif path.exists():
        path.rename(directory / "elsewhere")


def spoil_slot(directory: Path, random: Random) -> None:
    """Zero a slot of the checkpoint, or change a byte of it."""
    at = random.choice((0, SLOT_DISTANCE))
    if random.random() < 0.5:
        overwrite(directory / CHECKPOINT, at, bytes(SLOT_SIZE))
    else:
        overwrite(directory / CHECKPOINT, at + random.randrange(1500), b"#")


def remove_checkpoint(directory: Path, random: Random) -> None:
    """Delete the checkpoint or cut it off."""
    if random.random() < 0.5:
        (directory / CHECKPOINT).unlink(missing_ok=True)
    elif (directory / CHECKPOINT).exists():
        os.truncate(directory / CHECKPOINT, random.randrange(SLOT_SIZE))


DAMAGE: tuple[Callable[[Path, Random], None], ...] = (
    zero, flip, cut, remove, spoil_slot, spoil_slot, remove_checkpoint,
)  # fmt: skip


# --- what must hold ---------------------------------------------------------------------------


def check(directory: Path, seed: int) -> None:
    """Play, damage, start.

    Raises:
        AssertionError: a match was given up in silence, or more is lost than is said.
    """
    random = Random(seed)
    off = play(random)
    lay_down(directory, off)
    for damage in random.choices(DAMAGE, k=random.choice((0, 1, 1, 2, 3))):
        damage(directory, random)
    journal = Journal(directory)
    try:
        checkpoint = read_checkpoint(directory / CHECKPOINT)
        startup = find_match(journal, Now("another"))
    finally:
        journal.close()
    if startup.recovery is None:
        last = off.match.state if checkpoint is None else checkpoint.state
        over = {Phase.REVIEW, Phase.FINISHED} & {last.phase, off.match.state.phase}
        assert checkpoint is None or over or startup.faults(), "a match is given up in silence"
        return
    restored = startup.recovery.restored
    assert restored is not None
    for side in Side:
        left_ns = off.match.state.reserve_ns(side, off.cut_ns)
        given_ns = reserve_ns(startup.recovery.match.state, side, restored.used_ns) - left_ns
        assert given_ns >= 0, "time that was not played is gone"
        assert restored.lost_ns is None or given_ns <= restored.lost_ns, given_ns


def reserve_ns(state: MatchState, side: Side, used_ns: int | None) -> int:
    """The reserve after a restoration, which counts the turn's time as it was last known."""
    turn = state.turn
    at_ns = state.at_ns
    if turn is not None and used_ns is not None:
        at_ns += used_ns - turn.elapsed_ns(state.at_ns)
    return state.reserve_ns(side, at_ns)


@pytest.mark.slow
@pytest.mark.rule("R67", "T12")
@pytest.mark.parametrize("share", range(SHARES))
def test_whatever_is_damaged_nothing_is_lost_in_silence(tmp_path: Path, share: int) -> None:
    """T12: no exception, no silent new match, and never a loss larger than stated."""
    for seed in range(share, CASES, SHARES):
        check(tmp_path / str(seed), seed)
