"""Make a card that installs the clock by itself: `make card DIR=/media/bootfs`.

The folder is the boot partition of a card with an image of Raspberry Pi OS. The bundle, a script
and the settings are copied there, and systemd is told to run the script once, at the first start.
That is the one way that all images have in common, whatever Raspberry Pi Imager wrote on them
(systemd-run-generator(8)). Nothing is written unless all of it can be.
"""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from clock.config.loader import load_settings
from clock.config.reader import ConfigError

ROOT = Path(__file__).parents[1]
SCRIPT = "gammonclock-card.sh"
CALL: Final = (
    f" systemd.run=/boot/firmware/{SCRIPT} systemd.run_success_action=reboot"
    " systemd.run_failure_action=reboot systemd.unit=kernel-command-line.target"
)
# A line of Imager's own script, which ends at its last `rm`; its folder has two names.
CALL_IN_FIRSTRUN: Final = f'bash "$(dirname "$0")/{SCRIPT}" || true\n'
ENDS_FIRSTRUN = re.compile(r"^.*\brm\b.*firstrun\.sh\s*$", re.MULTILINE)
FIRSTRUN = "firstrun.sh"
SPARE_BYTES = 8 << 20  # stay free on the partition
BOARD = re.compile(r"[A-Za-z0-9-]{1,8}")
DONE = """\
The card is ready. Eject it, put it into the Pi, and switch on.
  While it installs, the green LED beats like a heart, and the panels stay dark: some minutes.
  Then it restarts by itself and is a clock: both panels show its settings.
  If not: gammonclock-card.txt on this partition says why. Read it on this PC."""


class CardError(Exception):
    """Why a card cannot be made; nothing was changed."""


def on_cmdline(text: str) -> str:
    """Return the kernel's command line, one line, that runs the script at the next start."""
    line = text.removeprefix("\ufeff").strip()
    return text if CALL.strip() in line else f"{line}{CALL}\n"


def on_firstrun(text: str) -> str:
    """Return Imager's script with ours before its end.

    Raises:
        CardError: it has not the form that Imager writes.
    """
    if SCRIPT in text:
        return text
    end = ENDS_FIRSTRUN.search(text)
    if end is None:
        raise CardError(f"{FIRSTRUN} was not written by Raspberry Pi Imager; write the card again")
    return text[: end.start()] + CALL_IN_FIRSTRUN + text[end.start() :]


def with_panels(settings: str, interface: str) -> str:
    """Return the text of settings with the panels of the parts list, on "spi" or "i2c".

    Raises:
        CardError: there is no such interface.
    """
    if not interface:
        return settings
    if interface not in {"spi", "i2c"}:
        raise CardError(f"PANELS={interface}: spi and i2c are allowed")
    lines = f'[display]\ndriver = "ssd1309"\ninterface = "{interface}"\n'
    return settings.replace("[display]\n", lines, 1)


def start_of(folder: Path) -> tuple[Path, str]:
    """Return the file of a boot partition that starts the script, and its new text.

    Raises:
        CardError: the folder is no boot partition.
    """
    line, firstrun = folder / "cmdline.txt", folder / FIRSTRUN
    if not (line.is_file() and (folder / "config.txt").is_file()):
        raise CardError(
            f"{folder} is no boot partition of Raspberry Pi OS (no cmdline.txt and config.txt)"
        )
    text = _read(line)
    if f"/{FIRSTRUN}" in text and firstrun.is_file():
        return firstrun, on_firstrun(_read(firstrun))
    return line, on_cmdline(text)


def make_card(folder: Path, bundle: Path, given: Mapping[str, str]) -> list[str]:
    """Write all files to a boot partition; return their names.

    `given` are PROFILE, PANELS, BOARD, SSH and SERIAL, each empty if it is not wanted. Settings
    and names that are there already stay.

    Raises:
        CardError: the partition, the bundle or what was given cannot be used.
    """
    start, text = start_of(folder)
    files = {f"gammonclock/{bundle.name}": bundle.read_bytes()}
    files[SCRIPT] = (ROOT / "systemd" / "card-install").read_bytes()
    files |= _settings(folder, given)
    if given.get("SSH"):
        files["ssh"] = b""
    if given.get("SERIAL"):
        files["gammonclock/serial"] = b""
    needed = sum(map(len, files.values())) + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise CardError(f"{folder}: {free >> 20} MB are free, and {needed >> 20} are needed")
    for name, content in files.items():
        _write(folder / name, content)
    _write(start, text.encode(errors="surrogateescape"))  # last: before, the card starts as it was
    return [*files, start.name]


def _settings(folder: Path, given: Mapping[str, str]) -> dict[str, bytes]:
    """Return the settings and the names of the clock, checked, as far as they are not there."""
    files, there = {}, folder / "gammonclock.toml"
    source = there if there.is_file() else ROOT / "config" / f"{given.get('PROFILE') or 'ebf'}.toml"
    try:
        load_settings(source)
    except ConfigError as error:
        raise CardError(str(error)) from error
    if source != there:
        text = with_panels(_read(source), given.get("PANELS", ""))
        files["gammonclock.toml"] = text.encode()
    if board := given.get("BOARD"):
        if not BOARD.fullmatch(board):
            raise CardError(f'BOARD={board}: 1 to 8 letters, digits or "-" are allowed')
        files["clock.txt"] = f"host = clock-{board.lower().strip('-')}\nboard = {board}\n".encode()
    return files


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="surrogateescape")


def _write(path: Path, content: bytes) -> None:
    """Write a file so that it is whole or as before, if the card is taken out meanwhile."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def main() -> None:
    """Make a card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("bundle", type=Path)
    given = parser.parse_args()
    try:
        names = make_card(given.folder, given.bundle, os.environ)
    except (CardError, OSError) as error:
        sys.exit(f"make card: {error}; the card starts as before")
    print(*(f"  wrote {name}" for name in names), DONE, sep="\n")


if __name__ == "__main__":
    main()
