"""Making a card, on boot partitions as Raspberry Pi OS and its Imager write them."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from clock import __version__
from clock.config.loader import load_settings
from clock.match.profiles import PROFILES
from lab.card import CALL, CardError, make_card
from lab.support.paths import ROOT
from lab.support.rows import row

FIRSTRUN = """#!/bin/bash

set +e

CURRENT_HOSTNAME=`cat /etc/hostname | tr -d " \\t\\n\\r"`
echo clock >/etc/hostname
rm -f /boot/firstrun.sh
sed -i 's| systemd.run.*||g' /boot/cmdline.txt
exit 0
"""
CONFIG = ROOT / "config"
IMAGER = (
    " systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot"
    " systemd.unit=kernel-command-line.target"
)
ROOT_FS = "console=serial0,115200 console=tty1 root=PARTUUID=4e639091-02 rootfstype=ext4 rootwait"
BOOKWORM = f"{ROOT_FS} quiet init=/usr/lib/raspberrypi-sys-mods/firstboot"
CLOUD = {"user-data": "#cloud-config\n", "meta-data": "instance-id: rpi-imager-1\n"}


class Image(NamedTuple):
    """What the boot partition of an image has for its first start."""

    cmdline: str
    files: dict[str, str]
    through: str = "cmdline.txt"  # the file that starts our script


# From raspberrypi-sys-mods (firstboot, custom.toml), rpi-imager (firstrun.sh; cloud-init, in its
# doc/os_customisation_formats.md) and rpi-preseed.
IMAGES = {
    "Bookworm": Image(f"{BOOKWORM}\n", {"custom.toml": "config_version = 1\n"}),
    "Bookworm by Imager": Image(BOOKWORM + IMAGER, {"firstrun.sh": FIRSTRUN}, "firstrun.sh"),
    "Trixie of October 2025": Image(f"{ROOT_FS} resize\n", {}),
    "Trixie with cloud-init": Image(f"{ROOT_FS} resize ds=nocloud;i=rpi-imager-1\n", CLOUD),
    "next, with rpi-preseed": Image(ROOT_FS, {"rpi-preseed.toml": "[user]\nname = 'pi'\n"}),
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A bundle, which is copied as it is: it has the sums of its files."""
    path = tmp_path / "gammonclock-9.9-pi.tar.gz"
    path.write_bytes(b"bundle")
    return path


def partition(folder: Path, image: Image) -> Path:
    folder.mkdir()
    for name, text in {"config.txt": "", "cmdline.txt": image.cmdline, **image.files}.items():
        (folder / name).write_bytes(text.encode())
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.rule("R152")
def test_each_image_runs_the_script_once_at_its_first_start(tmp_path: Path, bundle: Path) -> None:
    """All that Imager has set stays; made twice it is as made once."""
    for number, (name, image) in enumerate(IMAGES.items()):
        with row(name):
            folder = partition(tmp_path / str(number), image)
            before = content(folder)
            make_card(folder, bundle, {"PROFILE": "nbgf", "BOARD": "A7", "SSH": "1"})
            after = content(folder)
            changed = {each for each in before if after[each] != before[each]}
            assert changed == {image.through}
            assert after.keys() - before.keys() == {
                "gammonclock-card.sh", "gammonclock.toml", "clock.txt", "ssh",
                "gammonclock/gammonclock-9.9-pi.tar.gz",
            }  # fmt: skip
            line = after["cmdline.txt"].decode()
            assert line.count("\n") <= 1
            assert line.startswith(image.cmdline.strip())
            assert line.count("systemd.run=") == 1
            make_card(folder, bundle, {"BOARD": "A7"})
            again = content(folder)
            assert again == after
            assert after["gammonclock/gammonclock-9.9-pi.tar.gz"] == bundle.read_bytes()
            assert after["clock.txt"] == b"host = clock-a7\nboard = A7\n"


@pytest.mark.rule("R152")
def test_imagers_own_script_calls_ours_before_it_ends(tmp_path: Path, bundle: Path) -> None:
    """It is cut at its `rm` later, and its paths are rewritten; ours survives both."""
    folder = partition(tmp_path / "boot", IMAGES["Bookworm by Imager"])
    make_card(folder, bundle, {})
    lines = (folder / "firstrun.sh").read_text("utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if "gammonclock-card.sh" in line)
    assert lines[at + 1] == "rm -f /boot/firstrun.sh"
    assert "/boot/" not in lines[at]
    assert CALL not in (folder / "cmdline.txt").read_text("utf-8")
    (folder / "firstrun.sh").write_text("echo another script\n", encoding="utf-8")
    with pytest.raises(CardError, match="not written by Raspberry Pi Imager"):
        make_card(folder, bundle, {})


def no_image(folder: Path) -> None:
    """The folder of something else."""
    (folder / "config.txt").unlink()


def wrong_settings(folder: Path) -> None:
    (folder / "gammonclock.toml").write_text("[match]\nlength = 0\n")


@pytest.mark.rule("R152")
@pytest.mark.parametrize(
    ("spoil", "given", "why"),
    [
        (no_image, {}, "no boot partition"),
        (wrong_settings, {}, "match.length"),
        (None, {"PROFILE": "fide"}, "fide.toml"),
        (None, {"BOARD": "table 7"}, "BOARD=table 7"),
        (None, {"PANELS": "usb"}, "PANELS=usb"),
        (None, {"FULL": "1"}, "0 MB are free"),
    ],
)
def test_what_cannot_be_done_leaves_the_card_as_it_was(
    tmp_path: Path,
    bundle: Path,
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path], None] | None,
    given: dict[str, str],
    why: str,
) -> None:
    folder = partition(tmp_path / "boot", IMAGES["Bookworm"])
    if spoil is not None:
        spoil(folder)
    if "FULL" in given:
        usage = shutil.disk_usage(folder)._replace(free=1_000_000)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    before = content(folder)
    with pytest.raises(CardError, match=why):
        make_card(folder, bundle, given)
    assert content(folder) == before


@pytest.mark.rule("R152")
def test_a_card_that_is_taken_out_too_soon_starts_as_before(
    tmp_path: Path, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever file was being written: a start that calls what is missing would never end."""
    whole = len(make_card(partition(tmp_path / "whole", IMAGES["Bookworm"]), bundle, {"SSH": "1"}))
    for last in range(whole):
        with row(str(last)):
            folder = partition(tmp_path / str(last), IMAGES["Bookworm"])
            synced = iter(range(last))

            def sync(_: int, synced: Iterator[int] = synced) -> None:
                if next(synced, None) is None:
                    raise OSError(errno.EIO, "the card was taken out")

            monkeypatch.setattr(os, "fsync", sync)
            with pytest.raises(OSError, match="taken out"):
                make_card(folder, bundle, {"SSH": "1"})
            assert content(folder)["cmdline.txt"] == IMAGES["Bookworm"].cmdline.encode()


@pytest.mark.rule("R152")
@pytest.mark.parametrize("interface", ["spi", "i2c"])
def test_the_panels_of_the_parts_list_are_set(tmp_path: Path, bundle: Path, interface: str) -> None:
    """In the settings of every profile, which stay otherwise as they are."""
    for profile in PROFILES:
        with row(profile):
            folder = partition(tmp_path / profile, IMAGES["Bookworm"])
            make_card(folder, bundle, {"PROFILE": profile, "PANELS": interface})
            made, own = (
                load_settings(folder / "gammonclock.toml"),
                load_settings(CONFIG / f"{profile}.toml"),
            )
            assert (made.display.driver, made.display.interface) == ("ssd1309", interface)
            assert made.match == own.match
            assert made.display.language == own.display.language


@pytest.mark.slow
def test_the_bundle_of_this_version_is_taken(tmp_path: Path) -> None:
    """Not the one whose name sorts last; the Makefile reads the version in the checkout."""
    for name in ("0.9.9", __version__, "1.10.0", "9.0.0"):
        (tmp_path / f"gammonclock-{name}-pi.tar.gz").touch()
    (tmp_path / "config.txt").touch()
    command = ["make", "--dry-run", "card", f"DIR={tmp_path}", f"DIST={tmp_path}"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    [card] = [line for line in said.splitlines() if "lab.card" in line]
    assert f"gammonclock-{__version__}-pi.tar.gz" in card
