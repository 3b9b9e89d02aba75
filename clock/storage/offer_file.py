"""The files of an offer: the one that the link puts down for the clock, and the clock's key.

Neither is trusted: a pipe, a device, a symbolic link or a file without end is refused at once.
"""

import os
import stat
from contextlib import ExitStack
from pathlib import Path

from clock.config.offer import MAX_BYTES, OfferError, parse_key
from clock.files import READ, require_regular

OFFER = "offer.json"  # in the directory of the link
KEY = "offer.key"  # in the directory of the logs
KEY_FILE_BYTES = 128  # 64 digits and a line feed, with room for spaces
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_offer(directory: Path) -> bytes | None:
    """Return the offer in a directory; None: there is none.

    Raises:
        OfferError: there is something that is no file of at most `MAX_BYTES`, or it is unreadable.
    """
    found = _read(directory / OFFER, MAX_BYTES)
    return found and found[0]


def read_key(directory: Path) -> bytes | None:
    """Return this clock's key; None: it takes no offers.

    Raises:
        OfferError: the file is there and cannot be used.
    """
    found = _read(directory / KEY, KEY_FILE_BYTES)
    if found is None:
        return None
    content, mode = found
    if mode & OTHERS:
        raise OfferError(f"{KEY} cannot be used: other users can read it; chmod 600 it")
    key = parse_key(content.decode("ascii", errors="replace"))
    if key is None:
        raise OfferError(f"{KEY} cannot be used: it has no key of 64 hex digits")
    return key


def _read(path: Path, max_bytes: int) -> tuple[bytes, int] | None:
    """Return the content of a regular file and its mode; None: there is none."""
    with ExitStack() as opened:
        try:
            file = os.open(path, READ | getattr(os, "O_NOFOLLOW", 0))
            opened.callback(os.close, file)
            status = os.fstat(file)
            require_regular(status, max_bytes)
            return os.read(file, max_bytes), status.st_mode
        except FileNotFoundError:
            return None
        except OSError as error:
            raise OfferError(f"{path.name} cannot be used: {error.strerror}") from error
