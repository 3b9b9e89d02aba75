"""A clock's key file of a room, which goes onto the boot partition of its card."""

from pathlib import Path

from room.settings.hub import Key
from room.settings.link import LinkSettings
from room.settings.room import WifiTable
from room.settings.tables import load_tables

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
