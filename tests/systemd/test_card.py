"""A card that installs itself: the real script, in the tree and with the programs of test_install.

Where it is killed is counted in programs that it has started, so each run is killed somewhere else.
"""

import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from lab.card import CALL
from lab.support.paths import ROOT as PROJECT
from tests.systemd.test_install import Pi, installed

pytestmark = pytest.mark.slow

CMDLINE = "console=tty1 root=PARTUUID=1-02 rootwait"
KILLS = 4
# Each program of the tree counts itself, and one of them ends the whole group.
COUNTED = """#!/bin/sh
echo >>"$COUNT"
if [ "$KILL_AT" != 0 ] && [ "$(wc -l <"$COUNT")" = "$KILL_AT" ]; then kill -KILL 0; fi
"""
ALSO = ("tar", "mv", "rm", "mkdir", "cp")  # of the system, counted too


class Card(Pi):
    """A Pi whose boot partition `make card` has written."""

    def __init__(self, folder: Path) -> None:
        """The bundle has what a release is made of."""
        super().__init__(folder)
        self.count = folder / "count"
        for name in ALSO:
            (self.bin / name).write_text(f'#!/bin/sh\nexec /bin/{name} "$@"\n', encoding="utf-8")
            (self.bin / name).chmod(0o755)
        for program in self.bin.iterdir():
            text = program.read_text("utf-8").partition("\n")[2]
            program.write_text(f"{COUNTED}{text}", "utf-8")
        self.write("boot/firmware/cmdline.txt", f"{CMDLINE}{CALL}\n")
        self.write(
            "boot/firmware/gammonclock.toml", (PROJECT / "config/nbgf.toml").read_text("utf-8")
        )
        bundle = self.root / "boot/firmware/gammonclock/gammonclock-9.9-pi.tar.gz"
        bundle.parent.mkdir()
        with tarfile.open(bundle, "w:gz") as tar:
            tar.add(self.source, "gammonclock-9.9")

    def switch_on(self, kill_at: int = 0) -> int:
        """Start the script as systemd does; return its exit code."""
        environ = {"ROOT": str(self.root), "NOTES": str(self.notes), "COUNT": str(self.count)}
        self.count.write_text("", encoding="utf-8")
        path = {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/bin", "KILL_AT": str(kill_at)}
        script = PROJECT / "systemd" / "card-install"
        return subprocess.run(
            [script], env=environ | path, start_new_session=True, check=False, timeout=60
        ).returncode

    @property
    def started(self) -> int:
        """How many programs the latest run has started."""
        return len(self.count.read_text("utf-8"))

    def result(self) -> dict[str, object]:
        """The tree, without what the partition says of the way there."""
        boot = "boot/firmware/gammonclock"
        ignored = (f"{boot}-card", f"{boot}/", "opt/gammonclock-source")
        return {path: each for path, each in self.tree().items() if not path.startswith(ignored)}


@pytest.fixture
def card(tmp_path: Path) -> Card:
    """A card that was never started."""
    return Card(tmp_path)


@pytest.mark.rule("R152")
def test_a_card_ends_as_an_installation_by_hand(card: Card, tmp_path: Path) -> None:
    """And says so; a second time it changes nothing."""
    assert card.switch_on() == 0
    assert "Done. The next start is a clock" in card.read("boot/firmware/gammonclock-card.txt")
    assert card.read("boot/firmware/cmdline.txt") == f"{CMDLINE}\n"
    (tmp_path / "hand").mkdir()
    by_hand = Card(tmp_path / "hand")
    by_hand.write("boot/firmware/cmdline.txt", f"{CMDLINE}\n")
    installed(by_hand, COUNT=str(by_hand.count))
    assert card.result() == by_hand.result()
    assert card.switch_on() == 0
    assert card.result() == by_hand.result()


@pytest.mark.slow
@pytest.mark.rule("R152")
def test_a_card_that_loses_its_power_begins_again(tmp_path: Path) -> None:
    """Killed at instants all over the installation, then started again: the same tree."""
    (tmp_path / "whole").mkdir()
    whole = Card(tmp_path / "whole")
    whole.switch_on()
    expected, programs = whole.result(), whole.started
    assert programs > KILLS
    for number in range(KILLS):
        (tmp_path / str(number)).mkdir()
        card = Card(tmp_path / str(number))
        at = 1 + number * (programs - 1) // (KILLS - 1)
        assert card.switch_on(kill_at=at) == -signal.SIGKILL, at
        if CALL in card.read("boot/firmware/cmdline.txt"):  # it is called again
            assert card.switch_on() == 0
        assert card.result() == expected, at


@pytest.mark.rule("R152")
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        ("bundle", "FAILED: the bundle gammonclock-9.9-pi.tar.gz is damaged: copy it again"),
        ("none", "FAILED: there is no gammonclock/*-pi.tar.gz on this partition"),
        ("32-bit", "FAILED: the installation did not succeed; its last lines stand above"),
    ],
)
def test_a_failed_installation_says_why_and_the_system_starts(
    card: Card, monkeypatch: pytest.MonkeyPatch, spoil: str, says: str
) -> None:
    """The words are gone from cmdline.txt, so that the card is not called for ever."""
    bundle = card.root / "boot/firmware/gammonclock/gammonclock-9.9-pi.tar.gz"
    if spoil == "bundle":
        bundle.write_bytes(bundle.read_bytes()[:500])
    elif spoil == "none":
        bundle.unlink()
    else:
        dpkg = card.bin / "dpkg"
        dpkg.write_text(dpkg.read_text("utf-8").replace(":-arm64", ":-armhf"), encoding="utf-8")
    assert card.switch_on() == 0
    said = card.read("boot/firmware/gammonclock-card.txt")
    assert says in said.splitlines()
    assert ("not for 64-bit ARM" in said) is (spoil == "32-bit")
    assert "Done" not in said
    assert card.read("boot/firmware/cmdline.txt") == f"{CMDLINE}\n"
