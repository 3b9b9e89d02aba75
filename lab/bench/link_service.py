"""A box of a room: beside the clock its link is a systemd service, and anything may go wrong there.

    with LinkBoard(config, folder) as board:
        board.replace_link("flood")  # in the link's place in the unit, see guest/endless_link.py
        board.press(LEFT)

The clock joins the room as on a Raspberry Pi: from its file on the boot partition. Broker and hub
stand for other computers of the room; they run in the guest too, after everything else.
"""

import signal
from pathlib import Path

import room
from lab.bench.configuration import Config
from lab.bench.guest import endless_link
from lab.bench.service import (
    LOGS,
    OPT,
    SYSTEM,
    UNIT,
    UNITS,
    ServiceBoard,
    install_packages,
    write_files,
)
from lab.support.mosquitto import broker_file, make_room
from lab.support.needs import needs
from lab.support.room_hall import room_file
from room.settings.hub import load_hub_key_file
from room.settings.link import FILE_NAME

CLOCK = "red-7"
LINK, JOIN, BROKER, HUB = (
    f"{name}.service" for name in ("gammonclock-link", "gammonclock-room", "broker", "hub")
)
OFFERS, STATE = "/run/gammonclock-link", "/var/lib/gammonclock-link"
DROP_IN = f"/run/systemd/system/{LINK}.d/stand-in.conf"
DISK = (STATE, "/var/tmp")  # noqa: S108 (of the guest)
PYTHON = f"{OPT}/current/bin/python"
# A Pi needs neither: the installer puts the packages where Python finds them, and Python's own
# library does not lie in a home directory, which the sandbox hides.
ADDED = f"[Service]\nEnvironment=PYTHONPATH={OPT}/packages LD_LIBRARY_PATH={OPT}/base/lib\n"
# A guest that takes all its memory may stand still for seconds when its computer has none either.
WATCHDOG_S = 20
PATIENT = f"[Service]\nWatchdogSec={WATCHDOG_S}s\n"
ELSEWHERE = "[Service]\nCPUWeight=1\nNice=19\n"  # stands for another computer


class LinkBoard(ServiceBoard):
    """A box with an installed clock whose link is in a room, in real time."""

    def __init__(self, config: Config, folder: Path) -> None:
        """Make a box that is switched off, and a room.

        Args:
            config: the configuration, as TOML or as its tables.
            folder: the test's folder.

        Raises:
            LookupError: this computer has no systemd for the guest to use.
        """
        super().__init__(config, folder)
        self.room = make_room(folder / "room", {CLOCK: "7"})
        self._token = load_hub_key_file(self.room.folder / "hub.toml").token
        self._install(folder / "root")

    def _install(self, root: Path) -> None:
        """Add what is installed besides the clock, and the programs of the room."""
        program = f"{OPT}/current/bin/gammonclock"
        broker = f"{needs('mosquitto')} -c {broker_file(self.room, as_root=True)}"
        hub = f"{program} hub --config {room_file(self.room)} --database /srv/hub.sqlite"
        card = self.room.folder / "clocks" / CLOCK / FILE_NAME
        write_files(
            root,
            {
                **{f"{SYSTEM}/{unit}": (UNITS / unit).read_text() for unit in (LINK, JOIN)},
                **{f"{SYSTEM}/{unit}.d/bench.conf": ADDED for unit in (LINK, JOIN, HUB)},
                f"{SYSTEM}/{UNIT}.d/patient.conf": PATIENT,
                f"{SYSTEM}/{BROKER}": f"{ELSEWHERE}ExecStart={broker}",
                f"{SYSTEM}/{HUB}": f"{ELSEWHERE}ExecStart={hub}",
                "/etc/tmpfiles.d/gammonclock.conf": (UNITS / "tmpfiles.d.conf").read_text(),
                f"/boot/firmware/{FILE_NAME}": card.read_text(),
                f"{OPT}/endless_link.py": Path(endless_link.__file__).read_text(),
            },
        )
        install_packages(root, room)

    # --- the switch ---------------------------------------------------------------------------

    def switch_on(self) -> None:
        """Switch the box on, have the clock join the room, and start broker and hub.

        As on a Raspberry Pi, the link's directory and that of temporary files are on the card too.
        """
        super().switch_on()
        own = [f"{LOGS}/.disk{path}" for path in DISK]
        self.shell(
            "systemd-tmpfiles --create gammonclock.conf",
            *(f"mkdir -p {each}" for each in own),
            *(f"mount --bind {each} {path}" for each, path in zip(own, DISK, strict=True)),
            "chmod 1777 /var/tmp",
            "systemd-tmpfiles --create gammonclock.conf",
            f"systemctl start {BROKER} {HUB} {JOIN}",
        )

    def switch_off(self) -> None:
        """Stop the services, unmount the card and power the guest off."""
        self.shell(f"systemctl stop {LINK} {HUB}", f"umount {' '.join(DISK)}")
        super().switch_off()

    # --- the link -----------------------------------------------------------------------------

    def signal_link(self, number: signal.Signals) -> None:
        """Send all processes of the link a signal."""
        self.shell(f"systemctl kill --kill-who=all --signal={number.name} {LINK}")

    def link_property(self, name: str) -> str:
        """Return a property of the link's unit."""
        return self.systemd_property(name, LINK)

    def replace_link(self, act: str, *changes: str) -> None:
        """Start a program that misbehaves in the place of the link.

        Args:
            act: what it does, see `lab.bench.guest.endless_link`.
            changes: lines of [Service] that replace those of the unit.
        """
        command = f"{PYTHON} -S {OPT}/endless_link.py {act}"
        text = "\n".join(["[Service]", "ExecStart=", f"ExecStart={command}", *changes, ""])
        self.shell(f"mkdir -p $(dirname {DROP_IN})")
        self.guest.ask("write", path=DROP_IN, text=text)
        self._end_link()
        self.start_link()

    def remove_stand_in(self) -> None:
        """End the program in the place of the link; the unit is as it was."""
        self.shell(f"rm -f {DROP_IN}")
        self._end_link()

    def start_link(self) -> None:
        """Start the link if it does not run."""
        self.shell(f"systemctl start {LINK}")

    def _end_link(self) -> None:
        """End the link at once; one that is stopped would have to be waited for."""
        self.shell(f"systemctl kill --signal=SIGKILL {LINK} || true")
        self.shell("systemctl daemon-reload", f"systemctl stop {LINK}")

    # --- the computer -------------------------------------------------------------------------

    def add_address(self, address: str) -> None:
        """Let packets to an address go somewhere: to this computer."""
        code = (
            "import fcntl, socket, struct\n"
            f"address = socket.inet_aton('{address}')\n"
            f"name = b'lo:{address.partition('.')[0]}'\n"
            "request = struct.pack('16sH2x4s8x', name, socket.AF_INET, address)\n"
            "fcntl.ioctl(socket.socket(type=socket.SOCK_DGRAM), 0x8916, request)"  # SIOCSIFADDR
        )
        self.shell(f'{PYTHON} -S -c "{code}"')

    def has(self, path: str) -> bool:
        """Wait until there is a file; return whether there is."""
        return self.wait_until(lambda: self.guest.ask("read", path=path) is not None)

    def free_kb(self, path: str) -> int:
        """Return how much room there is where a path lies, in KB."""
        return int(self.shell(f"df --output=avail {path}").split()[-1])

    # --- the room -----------------------------------------------------------------------------

    def heard(self, match: str) -> str:
        """Return the log of a match as the hub has it; empty: it has none yet."""
        path = f"/api/1/matches/{match}/log?token={self._token}"
        asked = f"GET {path} HTTP/1.0\\r\\nHost: 127.0.0.1\\r\\n\\r\\n"
        ask = f"exec 3<>/dev/tcp/127.0.0.1/8037; printf '{asked}' >&3; cat <&3"
        answer = self.shell(f'bash -c "{ask}" 2>/dev/null || true')
        head, _, log = answer.partition("\n\n")
        return log if " 200 " in head else ""
