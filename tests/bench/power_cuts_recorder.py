"""The clock, and a word to the host of all that the clock was told is on the disk.

    python -m bench.power_cuts_told run --config FILE      in the guest, for `gammonclock run`

The word goes over a serial line after the sync has returned: a power cut may take the word away,
but never brings one for bytes that were not acknowledged. With SYNC=no nothing is synced, and the
word is given all the same: so does a computer whose disk lies.

The one rule: the clock's own code is as it is; only the system's calls are listened to.
"""

import json
import os
import tty
import zlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from clock.cli import main

LINE, MOUNTED = "/dev/ttyS0", "/run/log"


class Told:
    """Listens to the calls that write and sync, and tells what has been synced."""

    def __init__(self, *, syncs: bool) -> None:
        """Not listening yet.

        Args:
            syncs: whether a sync is one.
        """
        self._syncs = syncs
        self._write, self._pwrite, self._calls = os.write, os.pwrite, (os.fsync, os.fdatasync)
        self._written: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # by inode
        self._line = os.open(LINE, os.O_WRONLY | os.O_NOCTTY)
        tty.setraw(self._line)

    def listen(self) -> None:
        """From now on."""
        fsync, fdatasync = self._calls
        vars(os).update(
            write=self._noticed,
            pwrite=self._noticed_at,
            fsync=lambda file: self._synced(fsync, file),
            fdatasync=lambda file: self._synced(fdatasync, file),
        )

    def _noticed(self, file: int, data: bytes) -> int:
        count = self._write(file, data)
        self._note(file, data, os.fstat(file).st_size - count)  # it is open for appending
        return count

    def _noticed_at(self, file: int, data: bytes, at: int) -> int:
        count = self._pwrite(file, data, at)
        self._note(file, data, at)
        return count

    def _note(self, file: int, data: bytes, at: int) -> None:
        self._written[os.fstat(file).st_ino].append((at, len(data), zlib.crc32(data)))

    def _synced(self, sync: Callable[[int], None], file: int) -> None:
        written = self._written.pop(os.fstat(file).st_ino, [])
        if self._syncs:
            sync(file)
        path = Path(f"/proc/self/fd/{file}").readlink()
        for at, size, crc in written:
            word = {"name": str(path.relative_to(MOUNTED)), "at": at, "size": size, "crc": crc}
            self._write(self._line, json.dumps(word).encode() + b"\n")


if __name__ == "__main__":
    Told(syncs=os.environ.get("SYNC") != "no").listen()
    main()
