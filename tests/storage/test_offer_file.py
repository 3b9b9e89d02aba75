"""The files of an offer: whatever lies there, it is read at once or refused with a sentence."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from clock.config.offer import MAX_BYTES, OfferError
from clock.storage.offer_file import KEY, OFFER, read_key, read_offer


def put(content: bytes | str, mode: int = 0o600) -> Callable[[Path], object]:
    """Return what writes a file."""

    def write(path: Path) -> None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        path.chmod(mode)

    return write


def link_to_a_good_one(path: Path) -> None:
    """A link to a file that could be read."""
    put("00" * 32)(path.with_name("other"))
    path.symlink_to("other")


@pytest.mark.rule("R134")
def test_what_is_there_is_read(tmp_path: Path) -> None:
    assert (read_key(tmp_path), read_offer(tmp_path), read_offer(tmp_path / "gone")) == (None,) * 3
    put("0a" * 32 + "\n")(tmp_path / KEY)
    put(b"x" * MAX_BYTES)(tmp_path / OFFER)
    assert read_key(tmp_path) == bytes([10] * 32)
    open_files = len([*Path("/proc/self/fd").iterdir()])
    assert read_offer(tmp_path) == b"x" * MAX_BYTES
    assert len([*Path("/proc/self/fd").iterdir()]) == open_files


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (put(b"x" * (MAX_BYTES + 1)), "larger than 4096 bytes: it has 4097"),
        (link_to_a_good_one, "Too many levels of symbolic links"),
        (os.mkfifo, "not a regular file"),
        (os.mkdir, "Is a directory"),
    ],
)
def test_an_offer_that_is_no_short_file_is_refused(
    tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    make(tmp_path / OFFER)
    with pytest.raises(OfferError, match=f"^offer.json cannot be used: {why}"):
        read_offer(tmp_path)


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (put("00" * 32, 0o644), "other users can read it; chmod 600 it"),
        (put("00" * 32, 0o640), "other users can read it; chmod 600 it"),
        (put("00"), "it has no key of 64 hex digits"),
        (put(b"\xff" * 64), "it has no key of 64 hex digits"),
        (put("0" * 4096), "larger than 128 bytes"),
        (link_to_a_good_one, "Too many levels of symbolic links"),
    ],
    ids=["read by all", "read by a group", "short", "no digits", "long", "a link"],
)
def test_a_key_that_cannot_be_used_is_refused(
    tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    make(tmp_path / KEY)
    with pytest.raises(OfferError, match=f"^offer.key cannot be used: {re.escape(why)}"):
        read_key(tmp_path)
