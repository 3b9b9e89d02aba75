"""A clock of a room on the bench: the broker, the hub and the link run in the guest beside it."""

import sys
from pathlib import Path
from signal import SIGINT, SIGTERM

from clock.config.offer import LatestLine, SignedOffer, sign
from clock.storage.offer_file import KEY
from lab.bench.board import PROGRAM, Board
from lab.bench.card import MOUNTED
from lab.bench.configuration import Config
from lab.support.mosquitto import broker_file, make_room
from lab.support.needs import needs
from lab.support.room_hall import room_file
from room.broker.topics import ROOT
from room.hub.store.store import Store
from room.settings.link import FILE_NAME, load_key_file

CLOCK = "red-7"
OFFERS = "/run/gammonclock-link"  # as in the clock's unit
DATABASE = "/run/room.sqlite"  # in memory, because a disk takes real time
KEPT = "kept.sqlite"  # its copy in the test's folder
OLD_OFFER = "offer-001"  # signed for this clock before its log began
LINK_MEMORY = 40_000_000  # bytes
MEMORY = "mem=512M"  # of the guest: four programs in place of one

SYSTEMCTL = "#!/bin/sh\necho ActiveState=active\necho StatusText=on the bench\n"

BROKER, HUB, LINK = "broker", "hub", "link"
HOSTILE_BROKER, FLOODING_LINK = "hostile broker", "flooding link"


class RoomBoard(Board):
    """A board whose clock looks for offers, as its unit has it; programs can run beside it."""

    def __init__(
        self, config: Config, folder: Path, *, has_room: bool = True, has_systemctl: bool = True
    ) -> None:
        """Make the files of a room, and a box that is switched off.

        Args:
            config: the configuration of the clock.
            folder: the test's folder.
            has_room: whether the clock has joined a room; False: it has heard of none.
            has_systemctl: whether the link can ask for the state of the clock's service.
        """
        super().__init__(config, folder, time_travel=True, kernel=(MEMORY,))
        self._has_room = has_room
        if has_room:
            self._commands = self._make_room()
            if has_systemctl:
                self._make_systemctl()

    def start(self) -> None:
        """Start the clock."""
        if self._has_room:
            self.guest.ask("raise_loopback")
            self.guest.ask("run", command=["mkdir", OFFERS])
            self.guest.ask("run", command=["install", "-m600", str(self._key), f"{MOUNTED}/{KEY}"])
        self.run("--offers", OFFERS)

    # --- the programs of the room -----------------------------------------------------------------

    def launch(self, *names: str) -> None:
        """Start programs of the room, which find no command but that in `bin`."""
        for name in names:
            environ = {"PATH": str(self.folder / "bin")}
            self.guest.ask("launch", name=name, command=self._commands[name], environ=environ)

    def signal_program(self, name: str, number: int) -> None:
        """Send a program of the room a signal."""
        self.guest.ask("signal", name=name, number=number)

    def end_program(self, name: str, number: int = SIGTERM) -> int:
        """End a program of the room by a signal; return its exit code."""
        code: int = self.guest.ask("end", name=name, number=number)
        return code

    def figures_of(self, name: str) -> dict[str, int]:
        """Return what a program of the room uses; see `figures`."""
        found: dict[str, int] = self.guest.ask("figures", name=name)
        return found

    def said_by(self, name: str) -> str:
        """Return the output of a program of the room."""
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8")

    def kept(self) -> dict[str, bytes]:
        """End the hub; return the logs that its database has, by match."""
        assert self.end_program(HUB, SIGINT) == 0
        self.guest.ask("run", command=["cp", DATABASE, f"/run/test/{KEPT}"])
        store = Store(self.folder / KEPT)
        found = {
            match: b"".join(line + b"\n" for line in store.lines(match)) for match in self.logs()
        }
        store.close()
        return found

    def _make_room(self) -> dict[str, list[str]]:
        """Make the files of a room; return the command of each program."""
        folder = self.folder / "room"
        room = make_room(folder, {CLOCK: "7"})
        file = folder / "clocks" / CLOCK / FILE_NAME
        card, broker = load_key_file(file), folder / "broker"
        self._key = folder / KEY
        self._key.write_text(card.offer_key, encoding="ascii")
        offer = SignedOffer(1, OLD_OFFER, CLOCK, LatestLine(), {"length": 5})
        (folder / "offer").write_bytes(sign(offer, bytes.fromhex(card.offer_key)))
        hub_files = ("--config", room_file(room), "--keys", folder / "hub.toml")
        hostile = (card.broker.port, broker, f"{ROOT}/{card.room}/{CLOCK}")
        module = (sys.executable, "-S", "-m")
        commands: dict[str, tuple[object, ...]] = {
            BROKER: (needs("mosquitto"), "-c", broker_file(room, as_root=True)),
            HUB: (PROGRAM, "hub", *hub_files, "--database", DATABASE),
            LINK: (PROGRAM, "link", "--config", file, "--logs", MOUNTED, "--offers", OFFERS),
            HOSTILE_BROKER: (*module, "lab.bench.guest.hostile_broker", *hostile),
            FLOODING_LINK: (
                *(*module, "lab.bench.guest.flooding_link"),
                *(MOUNTED, OFFERS, folder / "offer"),
            ),
        }
        return {name: [str(part) for part in command] for name, command in commands.items()}

    def _make_systemctl(self) -> None:
        """Make what the link asks for the state of the clock: there is no systemd in the guest."""
        program = self.folder / "bin" / "systemctl"
        program.parent.mkdir()
        program.write_text(SYSTEMCTL, encoding="ascii")
        program.chmod(0o755)
