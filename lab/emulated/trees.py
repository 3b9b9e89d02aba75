"""Directory trees of Debian for 64-bit ARM, in archives of a cache."""

import hashlib
import os
import subprocess
from pathlib import Path

# Raspberry Pi OS has the same packages, from its own archive, for 64-bit ARM.
PYTHONS = {"bookworm": "3.11", "trixie": "3.13"}
# What Raspberry Pi OS Lite has of what an installation needs.
PACKAGES = "python3-minimal,python3-venv,systemd,make,ca-certificates,adduser"

INTERPRETER = Path("/proc/sys/fs/binfmt_misc/qemu-aarch64")
RULE = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")  # of the package qemu-user-static


class TreeError(Exception):
    """There is no tree, or this computer cannot run its programs; the message says what to do."""


def cache_folder() -> Path:
    """Return the folder of all archives."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "gammonclock" / "emulated"


def archive(suite: str) -> Path:
    """Return where the archive of a suite's tree is, or will be."""
    digest = hashlib.sha256(PACKAGES.encode()).hexdigest()[:8]
    return cache_folder() / f"{suite}-{digest}.tar"


def require_trees() -> None:
    """Have the kernel run programs for 64-bit ARM.

    Raises:
        TreeError: this cannot be done here, or a tree is missing.
    """
    if os.geteuid() != 0:
        raise TreeError("only root can enter another system's tree: sudo make test IN=emulated")
    missing = [suite for suite in PYTHONS if not archive(suite).exists()]
    if missing or not RULE.exists():
        raise TreeError(
            f"the emulator or a tree is missing ({', '.join(missing) or RULE}); make them once"
            " (10 to 20 minutes): make test IN=emulated"
        )
    register()


def register() -> None:
    """Tell the kernel to run programs for 64-bit ARM by the emulator, until the next start."""
    if not (INTERPRETER.parent / "register").exists():
        run("mount", "-t", "binfmt_misc", "none", INTERPRETER.parent)
    if not INTERPRETER.exists():
        (INTERPRETER.parent / "register").write_bytes(RULE.read_bytes())


def run(*command: object) -> None:
    """Run a command that must succeed."""
    subprocess.run(list(map(str, command)), check=True)
