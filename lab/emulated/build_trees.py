"""Make the directory trees for 64-bit ARM that are not in the cache yet.

make test IN=emulated
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.emulated.trees import PACKAGES, PYTHONS, RULE, TreeError, archive, register, run

NEEDED = ("mmdebstrap", "qemu-user-static", "arch-test")


def build(suite: str) -> Path:
    """Return the archive of a suite's tree; make it if necessary."""
    done = archive(suite)
    if done.exists():
        return done
    done.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"Making a tree of Debian {suite} for 64-bit ARM: 5 to 15 minutes\n")
    with tempfile.TemporaryDirectory(dir=done.parent, prefix="building-") as building:
        made = Path(building) / "tree.tar"
        options = ["--quiet", "--arch=arm64", "--variant=apt", f"--include={PACKAGES}"]
        run("mmdebstrap", *options, suite, made)
        made.rename(done)
    return done


def install_tools() -> None:
    """Install what makes and runs such trees, if it is missing.

    Raises:
        TreeError: this needs root.
    """
    if RULE.exists() and shutil.which("mmdebstrap") and shutil.which("arch-test"):
        return
    if os.geteuid() != 0:
        raise TreeError(f"programs are missing: sudo apt install {' '.join(NEEDED)}")
    run("apt-get", "update")
    run("apt-get", "install", "--yes", "--no-install-recommends", *NEEDED)


def main() -> int:
    """Make all trees; return the exit code."""
    try:
        install_tools()
        register()
        for suite in PYTHONS:
            sys.stdout.write(f"{build(suite)}\n")
    except (TreeError, OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"No tree was made: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
