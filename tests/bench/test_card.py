"""The first start of a card that installs itself: systemd calls the script from the command line.

What it installs is tested by tests/systemd/test_card.py and tests/emulated/test_card.py. Here an
installation is a script that says what systemd has started so far.
"""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from lab.bench.service import INIT, SYSTEM, write_files
from lab.bench.uml import Guest, GuestError
from lab.card import SCRIPT, on_cmdline
from lab.support.needs import needs
from lab.support.paths import ROOT

CMDLINE = "rootwait"
MEGABYTES = 48
MOUNT = """\
[Mount]
What=/run/disk
Where=/boot/firmware
Type=vfat
[Install]
RequiredBy=local-fs.target
"""
INSTALL = """\
for unit in local-fs.target multi-user.target; do
    echo "$unit is $(systemctl is-active $unit)"
done
exit {code}
"""


class BootPartition:
    """A FAT file system in a file, with what `make card` writes."""

    def __init__(self, folder: Path, code: int) -> None:
        self.image = folder / "bootfs"
        make = [needs("mkfs.vfat"), "-C", str(self.image), str(MEGABYTES << 10)]
        subprocess.run(make, check=True, capture_output=True)
        files, bundle = folder / "files", folder / "files/gammonclock/gammonclock-9-pi.tar.gz"
        source = {"gammonclock-9/systemd/install-pi": INSTALL.format(code=code)}
        write_files(folder, source)
        bundle.parent.mkdir(parents=True)
        with tarfile.open(bundle, "w:gz") as tar:
            tar.add(folder / "gammonclock-9", "gammonclock-9")
        (files / SCRIPT).write_bytes((ROOT / "systemd" / "card-install").read_bytes())
        (files / "cmdline.txt").write_text(on_cmdline(CMDLINE))
        copy = [needs("mcopy"), "-i", str(self.image), "-s", *map(str, files.iterdir()), "::"]
        subprocess.run(copy, check=True)

    def read(self, name: str) -> str:
        """Return the text of a file."""
        show = ["mtype", "-i", str(self.image), f"::{name}"]
        return subprocess.run(show, capture_output=True, text=True, check=True).stdout


@pytest.mark.rule("R152")
@pytest.mark.parametrize("code", [0, 1])
def test_systemd_calls_the_script_once(tmp_path: Path, code: int) -> None:
    """With the partition mounted and nothing else started; then the system starts as it would."""
    boot, units = BootPartition(tmp_path, code), tmp_path / f"root{SYSTEM}"
    write_files(tmp_path / "root", {f"{SYSTEM}/boot-firmware.mount": MOUNT, "/opt/.keep": ""})
    (units / "local-fs.target.requires").mkdir()
    (units / "local-fs.target.requires/boot-firmware.mount").symlink_to("../boot-firmware.mount")
    devices = [f"ubd0={boot.image}", f"init={INIT}", "noreboot"]
    with pytest.raises(GuestError, match="the guest ended"):  # it restarts
        Guest(tmp_path, sys.executable, [*devices, *boot.read("cmdline.txt").split()])
    said = boot.read("gammonclock-card.txt")
    assert "local-fs.target is active\nmulti-user.target is inactive\n" in said
    assert ("Done. The next start is a clock" in said, "FAILED" in said) == (not code, bool(code))
    assert boot.read("cmdline.txt") == f"{CMDLINE}\n"
    words = boot.read("cmdline.txt").split()
    with Guest(tmp_path, sys.executable, [*devices, *words]) as guest:
        state = guest.ask("run", command=["systemctl", "is-active", "bench.target"])
        assert state == "active\n"
    assert boot.read("gammonclock-card.txt") == said
