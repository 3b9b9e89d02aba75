"""Where the bench's kernel is: a Linux that is one executable of this computer, built once.

It is kept in a cache outside the checkout, under a name that tells of what it was built: the
version of Debian's package, and a digest of the configuration and the patches beside this file.

The one rule: a kernel built of anything else is not found.
"""

import hashlib
import os
from pathlib import Path

HERE = Path(__file__).parent
CONFIG = HERE / "kernel.config"
PATCHES = sorted(HERE.glob("*.patch"))


class KernelError(Exception):
    """There is no kernel, or it cannot be built; the message says what to do."""


def cache() -> Path:
    """The folder of all kernels."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "gammonclock" / "bench"


def place(version: str) -> Path:
    """The folder of the kernel of a version of Debian's source package."""
    digest = hashlib.sha256()
    for source in (CONFIG, *PATCHES):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return cache() / f"{digest.hexdigest()[:16]}-{version}"


def kernel() -> Path:
    """The executable; the newest of several versions.

    Raises:
        KernelError: it was not built.
    """
    found = [path / "linux" for path in cache().glob(place("*").name)]
    if not found:
        raise KernelError(
            f"the bench has no kernel in {cache()} of this configuration; build it (once, about"
            " 3 minutes): make bench-kernel"
        )
    return max(found, key=lambda path: path.stat().st_mtime_ns)
