"""A clock's file of a room, which goes onto the boot partition of its card."""

from pathlib import Path

from clock.config.loader import read_text
from clock.config.reader import read_document, read_tables_as
from room.settings.hub import Key
from room.settings.link import LinkSettings
from room.settings.room import WifiTable

FILE_NAME = "gammonclock-room.toml"
ADVICE = 'Make the file again with "gammonclock room-cards", and copy it onto the card.'


class ClockCard(LinkSettings, frozen=True, kw_only=True):
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


def load_card(path: Path) -> ClockCard:
    """Return what a clock's file sets.

    Raises:
        ConfigError: it cannot be read or used.
    """
    return parse_card(read_text(path), str(path))


def parse_card(text: str, file: str) -> ClockCard:
    """Return what the text of a clock's file sets.

    Raises:
        ConfigError: it cannot be used.
    """
    return read_tables_as(read_document(text, file), ClockCard, file, ADVICE)
