"""A name with several addresses, which only some programs of this computer know."""

import os
from collections.abc import Sequence
from pathlib import Path

BIND = 'mount --bind "$0" /etc/hosts && exec "$@"'


def write_hosts(path: Path, name: str, addresses: Sequence[str]) -> None:
    """Write a file like /etc/hosts; a program tries the addresses in this order."""
    path.write_text("".join(f"{address} {name}\n" for address in addresses))


def seeing(path: Path) -> list[str]:
    """Return what comes before a command that is to look up names in this file."""
    as_root = ["--map-root-user"] if os.geteuid() else []
    return ["unshare", *as_root, "--mount", "sh", "-c", BIND, str(path)]
