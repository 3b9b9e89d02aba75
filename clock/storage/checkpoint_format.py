"""The sign of life as it lies on the disk: two slots of one file, written in turn.

A power cut can spoil the slot being written, never the other one. The one rule: a slot counts only
if its checksum does.
"""

import zlib

import msgspec

from clock.eventlog.recovery import Checkpoint

SLOT_SIZE = 8192  # bytes; the largest state takes half of it
BLOCK_SIZE = 4096  # bytes: of most file systems; most states take one
SLOTS = 2


def encode(generation: int, checkpoint: Checkpoint) -> tuple[int, bytes]:
    """Where in the file this generation goes, and what is written there.

    Raises:
        ValueError: it is too large for its slot; it would spoil the other one.
    """
    body = b"%d %b" % (generation, msgspec.json.encode(checkpoint))
    slot = b"%08x %b\n" % (zlib.crc32(body), body)
    if len(slot) > SLOT_SIZE:
        raise ValueError(f"a state of {len(slot)} bytes, {SLOT_SIZE} at most")
    blocks = -(-len(slot) // BLOCK_SIZE)
    return generation % SLOTS * SLOT_SIZE, slot.ljust(blocks * BLOCK_SIZE)


def decode(data: bytes) -> tuple[int, Checkpoint | None]:
    """The newest valid slot of a file: its generation and what it says; else 0 and None."""
    slots = [data[at : at + SLOT_SIZE] for at in range(0, SLOTS * SLOT_SIZE, SLOT_SIZE)]
    valid = [found for slot in slots if (found := _slot(slot)) is not None]
    return max(valid, key=lambda found: found[0], default=(0, None))


def _slot(slot: bytes) -> tuple[int, Checkpoint] | None:
    crc, _, body = slot.partition(b"\n")[0].partition(b" ")
    if crc != b"%08x" % zlib.crc32(body):
        return None
    generation, _, text = body.partition(b" ")
    try:
        return int(generation), msgspec.json.decode(text, type=Checkpoint)
    except (ValueError, RecursionError, msgspec.DecodeError):
        return None
