"""Try a card that installs itself on an image of Raspberry Pi OS, without a Pi.

python -m lab.card_test raspios-lite-arm64.img dist/gammonclock-1.0.0-pi.tar.gz

A copy of the image gets what `make card` writes. QEMU then starts it as a Raspberry Pi 3, as often
as it restarts: with the image's own kernel, and with the command line, device tree and initial file
system that the firmware would take from the boot partition at that start. It ends when the script
on the card says how the installation ended. Needs qemu-system-aarch64 and mtools, and no root.
"""

import argparse
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from lab.card import CardError, make_card

SECTOR: Final = 512
FIRST_START = struct.Struct("<I")  # of the first partition, in sectors
FIRST_START_AT = 0x1C6  # in the master boot record
SMALLEST = 8 << 30  # bytes; QEMU wants a power of 2, and the system grows into its card
SAID = "gammonclock-card.txt"
DONE, FAILED = "\nDone. ", "\nFAILED: "
STARTS = 6  # an image restarts once or twice by itself
HOURS = 2  # for one start
SLOWLY = " systemd.default_timeout_start_sec=1h systemd.default_device_timeout_sec=1h"
KERNEL, INITIAL = "kernel8.img", "initramfs8"
DEVICE_TREES = ("bcm2710-rpi-3-b.dtb", "bcm2837-rpi-3-b.dtb")  # Raspberry Pi's kernel, Debian's
NEEDED = ("qemu-system-aarch64", "mcopy")


class CardTestError(Exception):
    """Why the card could not be tried."""


class Image:
    """A copy of an image, on a card."""

    def __init__(self, image: Path, folder: Path) -> None:
        """Copy or unpack an image, and make the card larger, as cards are.

        Raises:
            CardTestError: it is no image of a card.
        """
        self.path, self._boot = folder / "card.img", folder / "boot"
        unpack = lzma.open if image.suffix == ".xz" else open
        with unpack(image, "rb") as source, self.path.open("wb") as card:
            while part := source.read(1 << 20):
                if any(part):
                    card.write(part)
                else:  # a hole
                    card.seek(len(part), os.SEEK_CUR)
            size = card.tell()
            card.truncate(max(SMALLEST, 1 << (size - 1).bit_length()))
        with self.path.open("rb") as card:
            record = card.read(SECTOR)
        if size <= SECTOR or record[-2:] != b"\x55\xaa":
            raise CardTestError(f"{image.name} is no image of a card (.img or .img.xz)")
        [start] = FIRST_START.unpack_from(record, FIRST_START_AT)
        self._drive = f"{self.path}@@{start * SECTOR}"

    def boot_partition(self) -> Path:
        """Return a folder with the files of the boot partition as they are now."""
        shutil.rmtree(self._boot, ignore_errors=True)
        self._boot.mkdir()
        self._mtools("mcopy", "-s", "-n", "-m", "::*", f"{self._boot}/")
        return self._boot

    def write(self, names: list[str]) -> None:
        """Write files of that folder to the boot partition."""
        for folder in sorted({str(Path(name).parent) for name in names} - {"."}):
            self._mtools("mmd", "-D", "s", f"::{folder}")
        for name in names:
            self._mtools("mcopy", "-o", f"{self._boot / name}", f"::{name}")

    def _mtools(self, program: str, *arguments: str) -> None:
        command = [program, "-i", self._drive, *arguments]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise CardTestError(f"{program}: {ran.stderr.strip()}")


def start(image: Image, console: Path) -> str:
    """Start the card once, until it restarts; return what the script on it has said so far.

    Raises:
        CardTestError: it cannot be started, or does not restart.
    """
    boot = image.boot_partition()
    tree = next((boot / name for name in DEVICE_TREES if (boot / name).is_file()), None)
    if tree is None or not (boot / KERNEL).is_file():
        raise CardTestError(f"no 64-bit image for a Pi 3: {KERNEL} or {DEVICE_TREES[0]} is missing")
    line = (boot / "cmdline.txt").read_text("utf-8").strip()
    initial = ["-initrd", str(boot / INITIAL)] if (boot / INITIAL).is_file() else []
    command = [
        *("qemu-system-aarch64", "-M", "raspi3b", "-display", "none", "-no-reboot"),
        *("-kernel", str(boot / KERNEL), "-dtb", str(tree), *initial),
        # The firmware puts the serial line's name there.
        *("-append", re.sub(r"\bserial0\b", "ttyAMA0", line) + SLOWLY),
        *("-drive", f"file={image.path},if=sd,format=raw", "-serial", f"file:{console}"),
    ]
    try:
        ran = subprocess.run(command, check=False, timeout=HOURS * 3600)
    except subprocess.TimeoutExpired as late:
        raise CardTestError(f"it did not restart in {HOURS} hours; see {console}") from late
    if ran.returncode:
        raise CardTestError(f"qemu-system-aarch64 ended with {ran.returncode}")
    said = image.boot_partition() / SAID
    return "\n" + said.read_text("utf-8", "replace") if said.is_file() else ""


def install(source: Path, bundle: Path, folder: Path) -> bool:
    """Make a card of an image and start it until it is installed; return whether it is.

    Raises:
        CardError, CardTestError: it could not be tried.
    """
    image = Image(source, folder)
    image.write(make_card(image.boot_partition(), bundle, os.environ))
    said = ""
    for number in range(1, STARTS + 1):
        print(f"Start {number} of a Raspberry Pi 3", flush=True)
        said = start(image, folder / f"console-{number}.txt")
        if DONE in said or FAILED in said:
            break
    print(said.strip() or f"The script on the card was not called in {STARTS} starts.")
    return DONE in said


def main() -> None:
    """Try an image; the folder with card and consoles stays if it did not install."""
    parser = argparse.ArgumentParser(description="Try `make card` on an image, without a Pi.")
    parser.add_argument("image", type=Path)
    parser.add_argument("bundle", type=Path)
    given = parser.parse_args()
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        sys.exit(f"{missing[0]} is missing. On Debian: sudo apt install qemu-system-arm mtools")
    folder = Path(tempfile.mkdtemp(prefix="gammonclock-card-"))
    try:
        good = install(given.image, given.bundle, folder)
    except (CardError, CardTestError, OSError, lzma.LZMAError) as error:
        sys.exit(f"lab.card_test: {error}; what there is: {folder}")
    if not good:
        sys.exit(f"It did not install; the card and what each start printed: {folder}")
    shutil.rmtree(folder)
    print("The card installs itself on this image.")


if __name__ == "__main__":
    main()
