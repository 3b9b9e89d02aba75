"""Trying a card on an image: what QEMU is started with, and what counts as an end."""

import os
import struct
import subprocess
from pathlib import Path

import pytest

from lab.card import CALL, SCRIPT
from lab.card_test import (
    DEVICE_TREES,
    INITIAL,
    KERNEL,
    SLOWLY,
    SMALLEST,
    CardTestError,
    install,
)
from lab.support.needs import needs

pytestmark = pytest.mark.slow  # the quick tests need no program of the operating system

BEGIN, SIZE = 1 << 20, 40 << 20  # bytes; of the boot partition in an image
SECTOR = 512
FIRSTBOOT = " init=/usr/lib/raspberrypi-sys-mods/firstboot"
CMDLINE = f"console=serial0,115200 root=PARTUUID=4e639091-02 rootwait{FIRSTBOOT}"
FILES = (KERNEL, INITIAL, DEVICE_TREES[0])
# In the place of QEMU: the first start is the image's own, the second one calls the script.
MACHINE = """\
#!/bin/sh
drive="{drive}"
echo "$@" >>"{told}"
if [ "$(wc -l <"{told}")" = 1 ]; then
    mtype -i "$drive" ::cmdline.txt | sed 's,{firstboot},,' | mcopy -o -i "$drive" - ::cmdline.txt
else
    printf '%s\\n' "Begun." "{says}" | mcopy -o -i "$drive" - ::gammonclock-card.txt
fi
"""


def mtools(program: str) -> str:
    """Return the path of a program of mtools; without that package, leave the test out."""
    return str(Path(needs("mcopy")).with_name(program))


def image(folder: Path, files: tuple[str, ...] = FILES) -> Path:
    """An image of a card with these files on its boot partition."""
    path, boot = folder / "raspios.img", folder / "files"
    record = bytearray(SECTOR)
    struct.pack_into("<II", record, 446 + 8, BEGIN // SECTOR, SIZE // SECTOR)
    record[510:] = b"\x55\xaa"
    with path.open("wb") as card:
        card.write(record)
        card.truncate(BEGIN + SIZE)
    boot.mkdir()
    for name in files:
        (boot / name).write_text(name, encoding="utf-8")
    (boot / "config.txt").touch()
    (boot / "cmdline.txt").write_text(f"{CMDLINE}\n", encoding="utf-8")
    drive = f"{path}@@{BEGIN}"
    subprocess.run([mtools("mformat"), "-i", drive, "-T", str(SIZE // SECTOR), "::"], check=True)
    subprocess.run([mtools("mcopy"), "-i", drive, *map(str, boot.iterdir()), "::"], check=True)
    return path


class Bench:
    """A folder in which an image is tried, and a machine that says something in the end."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
        self.folder, self._told = folder / "card", folder / "told"
        self.bundle = folder / "gammonclock-9.9-pi.tar.gz"
        programs = folder / "programs"
        for each in (self.folder, programs):
            each.mkdir()
        self.bundle.write_bytes(b"bundle")
        self.drive = f"{self.folder / 'card.img'}@@{BEGIN}"
        machine = MACHINE.format(drive=self.drive, told=self._told, says=says, firstboot=FIRSTBOOT)
        (programs / "qemu-system-aarch64").write_text(machine, encoding="utf-8")
        (programs / "qemu-system-aarch64").chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")

    @property
    def lines(self) -> list[str]:
        """The command line of the kernel at each start."""
        told = self._told.read_text("utf-8").splitlines()
        return [each.partition("-append ")[2].partition(" -drive")[0] for each in told]


@pytest.mark.rule("R152")
@pytest.mark.parametrize(
    ("says", "good"), [("Done. The next start is a clock", True), ("FAILED: no", False)]
)
def test_a_card_is_started_until_it_says_how_it_ended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    says: str,
    good: bool,
) -> None:
    """Each start has the command line that is on the card then, with a serial line of its own."""
    source, bench = image(tmp_path), Bench(tmp_path, monkeypatch, says)
    before = source.read_bytes()
    assert install(source, bench.bundle, bench.folder) is good
    named = CMDLINE.replace("serial0", "ttyAMA0")
    lines = [named + CALL, named.replace(FIRSTBOOT, "") + CALL]
    assert bench.lines == [each + SLOWLY for each in lines]
    assert capsys.readouterr().out.endswith(f"Begun.\n{says}\n")
    assert (bench.folder / "card.img").stat().st_size == SMALLEST
    assert source.read_bytes() == before
    show = [mtools("mtype"), "-i", bench.drive, f"::{SCRIPT}"]
    assert b"install-pi" in subprocess.run(show, capture_output=True, check=True).stdout


@pytest.mark.rule("R152")
@pytest.mark.parametrize(
    ("left_out", "why"),
    [(KERNEL, "no 64-bit image"), (DEVICE_TREES[0], "no 64-bit image"), ("", "no image of a card")],
)
def test_another_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_out: str, why: str
) -> None:
    source = image(tmp_path, tuple(name for name in FILES if name != left_out))
    if not left_out:
        source.write_bytes(b"zip" * 1000)
    bench = Bench(tmp_path, monkeypatch, "Done. ")
    with pytest.raises(CardTestError, match=why):
        install(source, bench.bundle, bench.folder)
    assert not bench._told.exists()
