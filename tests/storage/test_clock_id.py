"""The id of a clock: the same at each start, another for each computer, and it reveals nothing."""

import os
import re
from pathlib import Path

import pytest

from clock.storage.clock_id import KEPT, clock_id

MACHINE = "0123456789abcdef0123456789abcdef"


def test_the_id_is_made_from_the_machine_id(tmp_path: Path) -> None:
    source, logs = tmp_path / "machine-id", tmp_path / "logs"
    logs.mkdir()
    source.write_text(f"{MACHINE}\n")
    assert clock_id(logs, source) == "56d2b2a7"
    source.write_text(f"{MACHINE[::-1]}\n")
    assert clock_id(logs, source) != "56d2b2a7"
    assert list(logs.iterdir()) == []


@pytest.mark.parametrize("content", [None, b"", b"uninitialized\n", bytes(64), b"x" * 4096])
def test_without_a_machine_id_a_random_one_is_kept(tmp_path: Path, content: bytes | None) -> None:
    """In the log directory, so that two clocks differ and each stays as it is."""
    source, logs, other = (tmp_path / name for name in ("machine-id", "logs", "other"))
    logs.mkdir()
    other.mkdir()
    if content is not None:
        source.write_bytes(content)
    made = clock_id(logs, source)
    assert re.fullmatch("[0-9a-f]{8}", made)
    assert clock_id(logs, source) == made
    assert clock_id(other, source) != made
    assert [path.name for path in logs.iterdir()] == [KEPT]


def test_a_spoiled_id_is_replaced(tmp_path: Path) -> None:
    """Whatever lies in its place; without a directory there is still an id."""
    source, kept = tmp_path / "machine-id", tmp_path / KEPT
    kept.write_bytes(b"\xff" * 8)
    made = clock_id(tmp_path, source)
    assert kept.read_text() == f"{made}\n"
    kept.unlink()
    os.mkfifo(kept)
    assert re.fullmatch("[0-9a-f]{8}", clock_id(tmp_path, source))
    assert re.fullmatch("[0-9a-f]{8}", clock_id(tmp_path / "missing", source))
