"""The link's own file, link.toml: which clock it speaks for, and how it logs in at the broker.

The clock's key file of a room, on the boot partition of its card, is moved there, without what
others need, before the link starts.
"""

import os
from pathlib import Path

from msgspec import Struct

from clock.config.reader import ConfigError
from room.settings.hub import Broker, Key, Password, Pem
from room.settings.room import BoardName, ClockName, Host, Port, RoomName, WifiTable
from room.settings.tables import load_tables

PATH = Path("/var/lib/gammonclock-link/link.toml")
OFFERS = Path("/run/gammonclock-link")  # where the clock finds offers of the next match
LINK_ADVICE = "Copy the clock's file of the room onto its card again."


class LinkBroker(Struct, frozen=True, kw_only=True):
    """[broker]: where the broker is, and the clock's password there."""

    host: Host
    port: Port = 8883
    ca: Pem
    """The certificate of the room's own authority: no other is trusted."""
    password: Password


class LinkSettings(Struct, frozen=True, kw_only=True):
    """What link.toml sets."""

    room: RoomName
    clock: ClockName
    """Its login name at the broker."""
    board: BoardName
    board_topic: bool = False
    """Whether other programs find the state of the board in a topic of its own."""
    broker: LinkBroker

    @property
    def login(self) -> Broker:
        """How the link logs in."""
        found = self.broker
        return Broker(
            host=found.host,
            port=found.port,
            ca=found.ca,
            username=self.clock,
            password=found.password,
        )


def load_link(path: Path) -> LinkSettings:
    """Return what the link's file sets.

    Raises:
        ConfigError: it is missing, or cannot be read or used.
    """
    if os.access(path.parent, os.X_OK) and not path.exists():
        raise ConfigError(str(path), "file", "missing", "there in a clock of a room", LINK_ADVICE)
    return load_tables(path, LinkSettings, LINK_ADVICE)


def link_fault(path: Path) -> ConfigError | None:
    """Return what is wrong with the link's file; None: nothing, or this user cannot read it."""
    if not os.access(path, os.R_OK):
        return None
    try:
        load_link(path)
    except ConfigError as error:
        return error
    return None


FILE_NAME = "gammonclock-room.toml"
KEY_FILE_ADVICE = 'Make the file again with "gammonclock room-cards", and copy it onto the card.'


class KeyFile(LinkSettings, frozen=True, kw_only=True):
    """What a clock's file sets."""

    offer_key: Key
    """With which the clock verifies offers of the next match."""
    wifi: WifiTable = WifiTable()

    @property
    def link_settings(self) -> LinkSettings:
        """What the link process is given of it."""
        return LinkSettings(
            **{name: getattr(self, name) for name in LinkSettings.__struct_fields__}
        )


def load_key_file(path: Path) -> KeyFile:
    """Return what a clock's file sets; raise ConfigError if it cannot be read or used."""
    return load_tables(path, KeyFile, KEY_FILE_ADVICE)
