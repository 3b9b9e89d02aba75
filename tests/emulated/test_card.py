"""A card that installs itself, on emulated 64-bit ARM systems: killed, and called again.

An installation takes minutes there, so it is killed twice; more: `make test IN=emulated KILLS=20`.
"""

import hashlib
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path
from time import monotonic_ns

import pytest

from clock.units import SECOND_NS
from gammonclock.console import NO_HARDWARE
from lab.card import CALL, SCRIPT, make_card
from lab.emulated.trees import PYTHONS
from tests.emulated.installation import BUNDLE, SOURCE, Pi

KILLS = int(os.environ.get("KILLS", "2"))
BOOT = Path("/boot/firmware")
CMDLINE = "console=tty1 root=PARTUUID=1-02 rootwait\n"
# What a way to the installation leaves beside it; and the names of pip's temporary folders.
BESIDE = (str(BOOT).lstrip("/"), "root/", "run/", "tmp/", "var/log/", "opt/gammonclock-source/")
ACCIDENTS = ("direct_url.json", "RECORD", "ld.so.cache")


def new_pi(suite: str, folder: Path) -> Pi:
    """Return a Pi without a clock."""
    folder.mkdir()
    pi = Pi(suite, folder)
    pi.path(BOOT / "cmdline.txt").write_text(CMDLINE)
    return pi


def contents(pi: Pi) -> dict[str, tuple[int, str]]:
    """Return the mode of each file and link, and what is in it."""
    found = {}
    for name in pi.tree():
        path = pi.root / name
        if (
            name.startswith(BESIDE)
            or path.name in ACCIDENTS
            or not path.is_symlink() | path.is_file()
        ):
            continue
        text = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        found[name] = path.lstat().st_mode, hashlib.sha256(text).hexdigest()
    return found


def switched_on(pi: Pi, limit_s: float | None = None) -> int:
    """Run the script as the first start does, and kill all of it after some time."""
    command = pi.inside("bash", BOOT / SCRIPT)
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as run:
        try:
            return run.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            return run.wait()


@pytest.mark.rule("R152")
@pytest.mark.parametrize("suite", PYTHONS)
def test_a_card_that_is_killed_ends_as_an_installation_by_hand(tmp_path: Path, suite: str) -> None:
    """Without a network, whenever it was killed; the installed clock starts, and asks for pins."""
    by_hand = new_pi(suite, tmp_path / "hand")
    begun_ns = monotonic_ns()
    by_hand.done("make", "install-pi", "PROFILE=ebf")
    whole_s = (monotonic_ns() - begun_ns) / SECOND_NS
    card, chance = new_pi(suite, tmp_path / "card"), random.Random(suite)
    shutil.rmtree(card.path(SOURCE))
    card.path(SOURCE).mkdir()  # only a place to stand
    make_card(card.path(BOOT), BUNDLE, {"PROFILE": "ebf"})
    line, killed = card.path(BOOT / "cmdline.txt"), 0
    for _ in range(KILLS):
        if CALL in line.read_text():  # as the bootloader reads it
            killed += switched_on(card, chance.uniform(0, whole_s)) == -signal.SIGKILL
    assert killed
    if CALL in line.read_text():
        assert switched_on(card) == 0
    assert line.read_text() == CMDLINE
    assert "Done. The next start is a clock" in card.path(BOOT / "gammonclock-card.txt").read_text()
    assert contents(card) == contents(by_hand)
    started = card.run("gammonclock", "run", "--config", BOOT / "gammonclock.toml")
    assert (started.returncode, "no GPIO chip" in started.stderr) == (NO_HARDWARE, True)
