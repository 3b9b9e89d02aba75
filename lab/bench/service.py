"""A board whose clock is a systemd service, with a watchdog and a sandbox.

    with ServiceBoard(config, folder) as board:
        board.confirm()
        board.kill(SIGKILL)
        board.wait_until_restarted(1)
        assert board.systemd_property("NRestarts") == "1"

The unit and the users come from the project's own files. Two things differ from a Raspberry Pi. In
place of an installed environment there is the one that runs the tests, with copies of its packages,
because the sandbox hides home directories and /tmp. And the groups of the devices are set here, not
by udev.
"""

import compileall
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import clock
import gammonclock
import gpiozero_gpiod
import hardware
import hardware.face
from clock.match.types import Side
from clock.units import SECOND_NS
from lab.bench import configuration, service_probe
from lab.bench.board import START_TIMEOUT_S, Board
from lab.bench.card import MOUNTED
from lab.bench.configuration import Config
from lab.bench.logbook import Logbook
from lab.bench.plunger import MS_NS
from lab.bench.uml import Guest
from lab.support.paths import ROOT

INIT = Path(__file__).parent / "guest" / "systemd_init.sh"
SYSTEMD = Path("/lib/systemd/systemd")
UNITS = ROOT / "systemd"
UNIT = "gammonclock.service"
OPT, LOGS = "/opt/gammonclock", "/var/lib/gammonclock"
CONFIG_PATH = "/boot/firmware/gammonclock.toml"
SYSTEM = "/etc/systemd/system"
# A Pi needs neither: the installer puts the packages where Python finds them, and the sandbox does
# not hide a real /proc/cpuinfo.
ADDED = f"""[Service]
Environment=PYTHONPATH={OPT}/packages
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
HANG = signal.SIGUSR1  # makes the main thread hang, and no other
SCRIPT = f"""#!{OPT}/current/bin/python
import signal, threading
from gammonclock.__main__ import main
signal.signal({int(HANG)}, lambda *_: threading.Event().wait())
main(prog_name="gammonclock")
"""
GROUPS = {
    "gpio": "/dev/gpiochip0",
    "i2c": "/dev/i2c-0",
    "spi": "$(find /dev -name 'spidev*')",
    "dialout": "/dev/ttyS*",
}
POLL_NS, READY_NS = 50 * MS_NS, 60 * SECOND_NS


class ServiceBoard(Board):
    """A box with an installed clock, in real time."""

    def __init__(self, config: Config, folder: Path) -> None:
        """Make a box that is switched off.

        Args:
            config: the configuration, as TOML or as its tables.
            folder: the test's folder.

        Raises:
            LookupError: this computer has no systemd for the guest to use.
        """
        if not SYSTEMD.exists():
            raise LookupError(f"there is no {SYSTEMD}; on Debian: sudo apt install systemd")
        super().__init__(config, folder)
        self.config = configuration.to_toml(config).replace(MOUNTED, LOGS)
        install(folder / "root", self.config)

    # --- the switch ---------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Switch the box on, and wait until the clock is ready."""
        devices = [f"ubd0={self.folder / 'card'}", self.serial.option, *self.panels.options]
        self._guest = Guest(self.folder, sys.executable, [*devices, f"init={INIT}"])
        self.shell(
            "systemd-sysusers gammonclock.conf",
            f"mkdir -p {LOGS} {OPT}/base {OPT}/current/lib",
            f"mount -t ext4 /dev/ubda {LOGS}",
            f"mount --bind {sys.base_prefix} {OPT}/base",
            f"mount --bind {sys.prefix}/lib {OPT}/current/lib",
            *(
                f"for each in {devices}; do chgrp {group} $each; chmod g+rw $each; done"
                for group, devices in GROUPS.items()
            ),
        )
        self.start()

    def switch_off(self) -> None:
        """Stop the service, unmount the card and power the guest off."""
        self.shell(f"systemctl stop {UNIT}", f"umount {LOGS}")
        guest, self._guest = self.guest, None
        guest.power_off()

    # --- the clock as a service ---------------------------------------------------------------

    def start(self) -> None:
        """Start the service, and wait until it is ready."""
        self.shell(f"systemctl start {UNIT}", takes_s=START_TIMEOUT_S)

    def restart(self) -> None:
        """Restart the service, and wait until it is ready."""
        self.shell(f"systemctl restart {UNIT}", takes_s=START_TIMEOUT_S)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Have systemd stop the service; return the clock's exit code."""
        self.shell(f"systemctl stop --signal={number.name} {UNIT}")
        return int(self.systemd_property("ExecMainStatus"))

    def kill(self, number: signal.Signals) -> None:
        """Send the service's main process a signal."""
        self.shell(f"systemctl kill --kill-who=main --signal={number.name} {UNIT}")

    def systemd_property(self, name: str, unit: str = UNIT) -> str:
        """Return a property of a unit, as `systemctl show` prints it."""
        return self.shell(f"systemctl show --value --property={name} {unit}").strip()

    def stamp_us(self, name: str) -> int:
        """Return a timestamp of the service, in microseconds of CLOCK_MONOTONIC."""
        return int(self.systemd_property(f"{name}Monotonic"))

    def wait_until_restarted(self, restarts: int, states: Sequence[str] = ("active",)) -> None:
        """Wait until the service has been restarted so often in all, and has one of some states.

        Raises:
            TimeoutError: that did not happen in time.
        """
        for _ in range(READY_NS // POLL_NS):
            if (
                self.systemd_property("NRestarts") == str(restarts)
                and self.systemd_property("ActiveState") in states
            ):
                return
            self.wait(POLL_NS)
        raise TimeoutError(self.shell(f"systemctl status {UNIT} || true"))

    def shell(self, *commands: str, takes_s: float = 0.0) -> str:
        """Run shell commands as root in the guest; return their output."""
        text = "set -e\n" + "\n".join(commands)
        output: str = self.guest.ask("run", takes_s, command=["sh", "-c", text])
        return output

    # --- panels and log -----------------------------------------------------------------------

    def unplug_panels(self) -> None:
        """Unplug both panels."""
        for side in Side:
            self.panels.of[side].unplug()

    def plug_panels(self) -> None:
        """Plug both panels in again."""
        for side in Side:
            self.panels.of[side].plug()

    def log(self) -> Logbook:
        """Return the log of the match as it is in the file now."""
        return Logbook(self.guest.ask("read", path=f"{LOGS}/current.jsonl") or "")


def install(root: Path, config: str) -> None:
    """Make the tree that is mounted over the host's."""
    files = {
        f"{SYSTEM}/{UNIT}": (UNITS / UNIT).read_text(),
        f"{SYSTEM}/{UNIT}.d/bench.conf": ADDED,
        "/etc/sysusers.d/gammonclock.conf": (UNITS / "sysusers.d.conf").read_text(),
        CONFIG_PATH: config,
        f"{OPT}/current/bin/gammonclock": SCRIPT,
        f"{OPT}/probe.py": Path(service_probe.__file__).read_text(),
        f"{OPT}/current/pyvenv.cfg": f"home = {OPT}/base/bin\n",
    }
    write_files(root, files)
    current = root / OPT.lstrip("/") / "current"
    (current / "bin" / "gammonclock").chmod(0o755)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (current / "bin" / "python").symlink_to(f"{OPT}/base/bin/{python}")
    install_packages(root, clock, gammonclock, gpiozero_gpiod, hardware)


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write files into the tree, by their paths in the guest."""
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def install_packages(root: Path, *packages: ModuleType) -> None:
    """Copy packages into the tree and compile them, as pip does it."""
    folder = root / OPT.lstrip("/") / "packages"
    for package in packages:
        source, ignored = Path(str(package.__file__)).parent, shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, folder / source.name, ignore=ignored)
        compileall.compile_dir(folder / source.name, quiet=2)
