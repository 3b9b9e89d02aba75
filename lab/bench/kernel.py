"""Find the bench's kernel, a Linux that runs as a program of this computer.

It is built once, and kept in a cache outside the checkout. The name of its folder has the version
of Debian's package and a digest of the configuration and the patches in this directory.
"""

import hashlib
import os
from pathlib import Path

HERE = Path(__file__).parent
KERNEL_CONFIG = HERE / "kernel.config"
PATCHES = sorted(HERE.glob("*.patch"))


class KernelError(Exception):
    """The kernel does not exist or cannot be built; the message says what to do."""


def cache_folder() -> Path:
    """Return the folder of all kernels."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "gammonclock" / "bench"


def kernel_folder(version: str) -> Path:
    """Return the folder of the kernel built from a version of Debian's source package."""
    digest = hashlib.sha256()
    for source in (KERNEL_CONFIG, *PATCHES):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return cache_folder() / f"{digest.hexdigest()[:16]}-{version}"


def kernel() -> Path:
    """Return the path of the executable, of the newest version if there are several.

    Raises:
        KernelError: it has not been built.
    """
    found = [path / "linux" for path in cache_folder().glob(kernel_folder("*").name)]
    if not found:
        raise KernelError(
            f"the bench has no kernel of this configuration in {cache_folder()}; build it once"
            " (about 3 minutes): make test IN=bench"
        )
    return max(found, key=lambda path: path.stat().st_mtime_ns)
