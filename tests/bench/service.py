"""A board whose clock is a service: systemd starts it, watches it and shuts it in.

    with ServiceBoard(CONFIG, folder) as board:
        board.confirm()
        board.kill(SIGKILL)
        board.ready(1)
        assert board.shown("NRestarts") == "1"

Unit and users are the project's own files. What differs from a Raspberry Pi: the environment that
runs the tests stands where the installer puts one (its packages are a copy, for the service may not
look into a home directory or /tmp), and the groups of the devices are set here, not by udev.

The one rule: nothing that the unit says is said otherwise here; what is added is in `ADDED`.
"""

import compileall
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import configuration, service_probe
from bench.board import STARTS_S, Board
from bench.card import MOUNTED
from bench.configuration import Config
from bench.logbook import Logbook
from bench.plunger import MS_NS
from bench.uml import Guest

import clock
import hardware
from clock.match.rules import SECOND_NS
from clock.match.sides import Side

INIT = Path(__file__).parent / "guest" / "systemd_init.sh"
SYSTEMD = Path("/lib/systemd/systemd")
UNITS = Path(__file__).parents[2] / "systemd"
UNIT = "gammonclock.service"
OPT, LOGS = "/opt/gammonclock", "/var/lib/gammonclock"
CONFIG = "/boot/firmware/gammonclock.toml"
SYSTEM = "/etc/systemd/system"
# The installer puts the packages where they are found without this, and a Pi says what it is in a
# file that the sandbox does not hide.
ADDED = f"""[Service]
Environment=PYTHONPATH={OPT}/packages
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
HANG = signal.SIGUSR1  # has the main thread hang, and no other
SCRIPT = f"""#!{OPT}/current/bin/python
import signal, threading
from clock.cli import main
signal.signal({int(HANG)}, lambda *_: threading.Event().wait())
main(prog_name="gammonclock")
"""
GROUPS = {"gpio": "/dev/gpiochip0", "i2c": "/dev/i2c-0", "dialout": "/dev/ttyS*"}
LOOK_NS, READY_NS = 50 * MS_NS, 60 * SECOND_NS


class ServiceBoard(Board):
    """A box as it is installed, in real time."""

    def __init__(self, config: Config, folder: Path) -> None:
        """A box that is off.

        Args:
            config: what the director wrote.
            folder: the test's own.

        Raises:
            LookupError: this computer has no systemd to lend.
        """
        if not SYSTEMD.exists():
            raise LookupError(f"there is no {SYSTEMD}; on Debian: sudo apt install systemd")
        super().__init__(config, folder)
        self.config = configuration.text(config).replace(MOUNTED, LOGS)
        install(folder / "root", self.config)

    # --- the switch ---------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Power; returns when the clock is ready."""
        devices = [f"ubd0={self.folder / 'card'}", self.serial.option, self.panels.option]
        self._guest = Guest(self.folder, sys.executable, [*devices, f"init={INIT}"])
        self.shell(
            "systemd-sysusers gammonclock.conf",
            f"mkdir -p {LOGS} {OPT}/base {OPT}/current/lib",
            f"mount -t ext4 /dev/ubda {LOGS}",
            f"mount --bind {sys.base_prefix} {OPT}/base",
            f"mount --bind {sys.prefix}/lib {OPT}/current/lib",
            *(f"chgrp {group} {device}; chmod g+rw {device}" for group, device in GROUPS.items()),
        )
        self.start()

    def switch_off(self) -> None:
        """The clock is told to end, then everything is written and the power goes."""
        self.shell(f"systemctl stop {UNIT}", f"umount {LOGS}")
        guest, self._guest = self.guest, None
        guest.power_off()

    # --- the clock as a service ---------------------------------------------------------------

    def start(self) -> None:
        """Start it; returns when it is ready."""
        self.shell(f"systemctl start {UNIT}", takes_s=STARTS_S)

    def restart(self) -> None:
        """Stop it and start it again; returns when it is ready."""
        self.shell(f"systemctl restart {UNIT}", takes_s=STARTS_S)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Have systemd stop it; returns its exit code."""
        self.shell(f"systemctl stop --signal={number.name} {UNIT}")
        return int(self.shown("ExecMainStatus"))

    def kill(self, number: signal.Signals) -> None:
        """Send its process a signal."""
        self.shell(f"systemctl kill --kill-who=main --signal={number.name} {UNIT}")

    def shown(self, name: str, unit: str = UNIT) -> str:
        """A property as `systemctl show` has it."""
        return self.shell(f"systemctl show --value --property={name} {unit}").strip()

    def stamp_us(self, name: str) -> int:
        """An instant as `systemctl show` has it, in microseconds of CLOCK_MONOTONIC."""
        return int(self.shown(f"{name}Monotonic"))

    def ready(self, restarts: int, states: Sequence[str] = ("active",)) -> None:
        """Wait until it has been restarted so often in all, and is in one of some states.

        Raises:
            TimeoutError: it is not.
        """
        for _ in range(READY_NS // LOOK_NS):
            if self.shown("NRestarts") == str(restarts) and self.shown("ActiveState") in states:
                return
            self.wait(LOOK_NS)
        raise TimeoutError(self.shell(f"systemctl status {UNIT} || true"))

    def shell(self, *commands: str, takes_s: float = 0.0) -> str:
        """Have the guest's root do something; returns what that said."""
        text = "set -e\n" + "\n".join(commands)
        said: str = self.guest.ask("run", takes_s, command=["sh", "-c", text])
        return said

    # --- hands ------------------------------------------------------------------------------

    def unplug_panels(self) -> None:
        """Both panels' wires are pulled out."""
        for side in Side:
            self.panels.of[side].unplug()

    def plug_panels(self) -> None:
        """They are put in again."""
        for side in Side:
            self.panels.of[side].plug()

    # --- eyes ---------------------------------------------------------------------------------

    def log(self) -> Logbook:
        """The log of the match, as it is in the file now."""
        return Logbook(self.guest.ask("read", path=f"{LOGS}/current.jsonl") or "")


def install(root: Path, config: str) -> None:
    """Make a tree of what is installed, to lie over the host's; packages are compiled as by pip."""
    files = {
        f"{SYSTEM}/{UNIT}": (UNITS / UNIT).read_text(),
        f"{SYSTEM}/{UNIT}.d/bench.conf": ADDED,
        "/etc/sysusers.d/gammonclock.conf": (UNITS / "sysusers.d.conf").read_text(),
        CONFIG: config,
        f"{OPT}/current/bin/gammonclock": SCRIPT,
        f"{OPT}/probe.py": Path(service_probe.__file__).read_text(),
        f"{OPT}/current/pyvenv.cfg": f"home = {OPT}/base/bin\n",
    }
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    current, packages = root / OPT.lstrip("/") / "current", root / OPT.lstrip("/") / "packages"
    (current / "bin" / "gammonclock").chmod(0o755)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (current / "bin" / "python").symlink_to(f"{OPT}/base/bin/{python}")
    for package in (clock, hardware):
        source, ignored = Path(str(package.__file__)).parent, shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, packages / source.name, ignore=ignored)
    compileall.compile_dir(packages, quiet=2)
