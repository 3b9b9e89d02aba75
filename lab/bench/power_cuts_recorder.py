"""Run the clock, and report to the host every write that was synced to the disk.

    python -m lab.bench.power_cuts_recorder run --config FILE

This runs in the guest in place of `gammonclock run`. A report goes over a serial line after the
sync has returned. So a power cut may lose a report, but there is none for bytes that were not
acknowledged. With SYNC=no nothing is synced, and the reports are sent all the same, as if the disk
lied.
"""

import json
import os
import tty
import zlib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from gammonclock.__main__ import main

LINE, MOUNTED = "/dev/ttyS0", "/run/log"


class SyncRecorder:
    """Replacements for the calls that write and sync, which report what has been synced."""

    def __init__(self, *, syncs: bool) -> None:
        """Open the serial line.

        Args:
            syncs: whether to sync files; if not, syncs are only reported.
        """
        self._syncs = syncs
        self._write, self._pwrite, self._calls = os.write, os.pwrite, (os.fsync, os.fdatasync)
        self._written: dict[int, list[tuple[int, int, int]]] = defaultdict(list)  # by inode
        self._line = os.open(LINE, os.O_WRONLY | os.O_NOCTTY)
        tty.setraw(self._line)

    def install(self) -> None:
        """Replace the functions of `os`."""
        fsync, fdatasync = self._calls
        vars(os).update(
            write=self._recorded_write,
            pwrite=self._recorded_pwrite,
            fsync=lambda file: self._sync_and_report(fsync, file),
            fdatasync=lambda file: self._sync_and_report(fdatasync, file),
        )

    def _recorded_write(self, file: int, data: bytes) -> int:
        count = self._write(file, data)
        self._record(file, data, os.fstat(file).st_size - count)  # the file is open for appending
        return count

    def _recorded_pwrite(self, file: int, data: bytes, at: int) -> int:
        count = self._pwrite(file, data, at)
        self._record(file, data, at)
        return count

    def _record(self, file: int, data: bytes, at: int) -> None:
        self._written[os.fstat(file).st_ino].append((at, len(data), zlib.crc32(data)))

    def _sync_and_report(self, sync: Callable[[int], None], file: int) -> None:
        written = self._written.pop(os.fstat(file).st_ino, [])
        if self._syncs:
            sync(file)
        path = Path(f"/proc/self/fd/{file}").readlink()
        for at, size, crc in written:
            report = {"name": str(path.relative_to(MOUNTED)), "at": at, "size": size, "crc": crc}
            self._write(self._line, json.dumps(report).encode() + b"\n")


if __name__ == "__main__":
    SyncRecorder(syncs=os.environ.get("SYNC") != "no").install()
    main()
