"""Build the bench's kernel from Debian's source package, unless it is built already.

make test IN=bench
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.bench.kernel import (
    KERNEL_CONFIG,
    PATCHES,
    KernelError,
    cache_folder,
    kernel,
    kernel_folder,
)

SOURCE = "linux-source-6.1"  # Debian 12, the kernel of Raspberry Pi OS Bookworm
ARCHIVE = Path("/usr/src") / f"{SOURCE}.tar.xz"
TOOLS = (
    *("gcc", "make", "patch", "flex", "bison", "bc", "libelf-dev", "xz-utils"),
    *("e2fsprogs", "dosfstools", "mtools"),  # what the tests make cards with
)
OUTPUT_TAIL = 2000  # characters of a failed command's output


def build() -> Path:
    """Return the kernel's path; build it if necessary.

    Raises:
        KernelError: it cannot be built on this computer.
    """
    try:
        return kernel()
    except KernelError:
        _check_system()
        _install()
    done = kernel_folder(_version(SOURCE))
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder(), prefix="building-") as building:
        made = _make(Path(building))
        made.rename(done)
    return kernel()


def _make(folder: Path) -> Path:
    """Unpack, patch, configure and compile the source; return a folder with the kernel."""
    tree, made = folder / SOURCE, folder / "made"
    _say(f"Unpacking {ARCHIVE}")
    _run("tar", "-xJf", str(ARCHIVE), "-C", str(folder))
    for patch in PATCHES:
        _run("patch", "-d", str(tree), "-p1", "-i", str(patch))
    make = ("make", "-C", str(tree), "ARCH=um")
    _run(*make, f"KCONFIG_ALLCONFIG={KERNEL_CONFIG}", "allnoconfig")
    _check_options(set((tree / ".config").read_text().splitlines()))
    _say("Compiling: about 3 minutes on two processors")
    _run(*make, f"-j{os.cpu_count()}", "linux")
    made.mkdir()
    shutil.copy2(tree / "linux", made)
    return made


def _check_options(configured: set[str]) -> None:
    """Check that no option was left out, as happens silently if its dependencies are missing."""
    wanted = KERNEL_CONFIG.read_text().split()
    left_out = [option for option in wanted if option not in configured]
    if left_out:
        options = " ".join(left_out)
        raise KernelError(f"{KERNEL_CONFIG}: this kernel cannot be configured with {options}")


def _check_system() -> None:
    machine, system = platform.machine(), platform.system()
    if (system, machine) != ("Linux", "x86_64") or not shutil.which("dpkg-query"):
        raise KernelError(
            f"it needs Debian 12 on x86-64, but this computer is {system} on {machine}. All other"
            " tests run without the kernel: make test"
        )


def _install() -> None:
    missing = [package for package in (SOURCE, *TOOLS) if not _version(package)]
    if not missing:
        return
    install = ("apt-get", "install", "--yes", "--no-install-recommends", *missing)
    if os.geteuid() != 0:
        raise KernelError(
            f"packages are missing. Install them with: sudo {' '.join(install)}."
            " Then run again: make test IN=bench"
        )
    _say("Installing " + " ".join(missing))
    _run("apt-get", "update")
    _run(*install)


def _version(package: str) -> str:
    """Return the installed version of a package; "" if it is not installed."""
    asked = ("dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package)
    answer = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    return answer[1] if answer[:1] == ["installed"] else ""


def _run(*command: str) -> None:
    output = subprocess.STDOUT
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=output, text=True, check=False)
    if done.returncode:
        said = done.stdout[-OUTPUT_TAIL:]
        raise KernelError(f"{' '.join(command)} ended with {done.returncode}:\n{said}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    """Build the kernel and print its path; return the exit code."""
    try:
        _say(f"The bench's kernel: {build()}")
    except (KernelError, OSError) as error:
        sys.stderr.write(f"The bench's kernel was not built: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
