"""Run a command as root with no network but this computer's own, as in `unshare --net`.

    python3 -m lab.offline COMMAND...

Where that is not permitted, as in most containers, say so and run it all the same.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def main() -> None:
    """Leave the network and become the command."""
    if ctypes.CDLL(None).unshare(CLONE_NEWNET) == 0:
        with socket.socket() as anything:
            fcntl.ioctl(anything, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    else:
        sys.stderr.write("NOT OFFLINE: this needs the right CAP_SYS_ADMIN.\n")
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606 (no shell is wanted)


if __name__ == "__main__":
    main()
