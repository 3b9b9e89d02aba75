"""Find out what a unit's sandbox allows, by a program that runs in it and outside it."""

import json
from typing import NamedTuple

from lab.bench.service import OPT, SYSTEM, ServiceBoard

OPEN = [
    f"{each}/open"
    for each in (
        "/etc",
        "/usr/local",
        "/boot/firmware",
        "/var/lib",
        "/var/log",
        "/srv",
        "/opt",
        "/run",
    )
]
WORLD_WRITABLE = ["/run/lock", "/dev/shm"]  # noqa: S108 (the probe only tries to write there)
HARMLESS = {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "ptmx")}
HARMLESS |= {"/dev/pts/ptmx"}
TRIED = "/run/systemd/system/probe.service"  # the unit, with another program
# Nothing here changes the sandbox.
PROBE = """[Service]
Type=oneshot
ExecStart=
ExecStart={command}
Restart=no
WatchdogSec=0
FileDescriptorStoreMax=0
RuntimeDirectoryPreserve=yes
StandardOutput=truncate:/run/probe.json
"""

Tried = dict[str, dict[str, str]]  # what was tried, by its kind: "done", or an error


class Probed(NamedTuple):
    """What the probe could do."""

    inside: Tried
    outside: Tried


def probed(board: ServiceBoard, unit: str, user: str, *own: str) -> Probed:
    """Return what the probe could do inside the sandbox of a unit and outside.

    The modes of devices and of some directories are opened to every user first, so that only the
    sandbox can refuse anything; outside it the unit's user may do all of it.

    Args:
        board: whose guest runs the probe.
        unit: the file of the unit.
        user: of the unit.
        own: more directories in which the probe tries to write.
    """
    command = [f"{OPT}/current/bin/python", f"{OPT}/probe.py", *own, *OPEN, *WORLD_WRITABLE]
    board.shell(
        f"mkdir -p {' '.join(OPEN)}; chmod 777 {' '.join(OPEN)}",
        "find /dev -not -name 'tty[0-9]*' -a '(' -type c -o -type b ')' | xargs chmod a+rw",
        f"mkdir -p {TRIED}.d",
        f"cp {SYSTEM}/{unit} {TRIED}",
        f"cp {SYSTEM}/{unit}.d/bench.conf {TRIED}.d/a.conf",
    )
    text = PROBE.format(command=" ".join(command))
    board.guest.ask("write", path=f"{TRIED}.d/b.conf", text=text)
    board.shell("systemctl daemon-reload", "systemctl start probe.service")
    inside = board.guest.ask("read", path="/run/probe.json")
    as_user = f"setpriv --reuid {user} --regid {user} --init-groups"
    outside = board.shell(f"{as_user} {' '.join(command)}")
    return Probed(json.loads(inside), json.loads(outside))
