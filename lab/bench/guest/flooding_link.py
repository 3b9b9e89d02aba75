"""A link that has gone mad: it reads all logs, spins, and fills the directory of the offers.

    python -S -m lab.bench.guest.flooding_link LOGS OFFERS OFFER

OFFER is the file of an offer that was signed for this clock and is too late.
"""

import os
import select
import socket
import stat
import sys
from itertools import cycle
from pathlib import Path

# Without a pause no time would pass in time travel. The clock looks every ten pauses, and there are
# eleven acts, so it sees each of them.
PAUSE_S = 0.2
SPINS = 10_000
LARGE = 1 << 20  # bytes
HUGE = 1 << 40  # bytes of a file of holes
DEVICE = os.makedev(1, 5)  # /dev/zero, which never ends


class Mischief:
    """What can lie where the clock looks for an offer."""

    def __init__(self, logs: Path, offers: Path, offer: bytes) -> None:
        self._current, self._offer = logs / "current.jsonl", offer
        self._path = offers / "offer.json"

    def clear(self) -> None:
        """Take away what lies there."""
        if self._path.is_dir() and not self._path.is_symlink():
            self._path.rmdir()
        else:
            self._path.unlink(missing_ok=True)

    def late(self) -> None:
        """An offer of the hub's that is too late."""
        self._path.write_bytes(self._offer)

    def half(self) -> None:
        """The first half of an offer: the rest is still being written."""
        self._path.write_bytes(self._offer[: len(self._offer) // 2])

    def forged(self) -> None:
        """An offer of somebody else's."""
        self._path.write_bytes(self._offer.replace(b'"length":5', b'"length":7'))

    def large(self) -> None:
        """An offer of 1 MB."""
        self._path.write_bytes(self._offer.rstrip() + bytes(LARGE))

    def huge(self) -> None:
        """An offer that is larger than the computer's memory."""
        self.late()
        os.truncate(self._path, HUGE)

    def pipe(self) -> None:
        """A pipe into which nobody writes."""
        os.mkfifo(self._path)

    def device(self) -> None:
        """A device that can be read for ever."""
        os.mknod(self._path, stat.S_IFCHR | 0o666, DEVICE)

    def socket(self) -> None:
        """A socket."""
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(self._path))

    def link_to_log(self) -> None:
        """A symbolic link to the clock's log."""
        self._path.symlink_to(self._current)

    def link_to_itself(self) -> None:
        """A symbolic link without end."""
        self._path.symlink_to(self._path)

    def directory(self) -> None:
        """A directory."""
        self._path.mkdir()


def main() -> None:
    """Go on until killed."""
    logs, offers, offer = map(Path, sys.argv[1:])
    mischief = Mischief(logs, offers, offer.read_bytes())
    acts = cycle(
        (
            mischief.late,
            mischief.half,
            mischief.forged,
            mischief.large,
            mischief.huge,
            mischief.pipe,
            mischief.device,
            mischief.socket,
            mischief.link_to_log,
            mischief.link_to_itself,
            mischief.directory,
        )
    )
    for act in acts:
        for log in logs.glob("*.jsonl"):
            log.read_bytes()
        for _ in range(SPINS):
            pass
        mischief.clear()
        act()
        select.select([], [], [], PAUSE_S)


if __name__ == "__main__":
    main()
