"""The director's file of a room, room.toml: the clocks with their boards, the broker, the pages.

It has no secrets but that of the Wi-Fi; `gammonclock room-cards` makes all others at random
(`room.settings.hub`).
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from clock.config.loader import read_text
from clock.config.reader import (
    ConfigError,
    as_written,
    check_value,
    read_document,
    read_tables_as,
    shortened,
)

ROOM_ADVICE = "Change it and save the file."
MAX_CLOCKS = 10_000
MAX_VALUES = MAX_CLOCKS + 1000  # each clock is one
MAX_BYTES = 1024 * 1024  # a clock with the longest names has 50, and may have a comment
HUB = "hub"  # the login name of the hub; no clock can have it
TOKEN_BYTES = 12  # of a random token of the director's pages
POSTGRESQL = ("postgresql://", "postgres://")

RoomName = Annotated[
    str,
    Meta(
        pattern=r"\A[a-z0-9][a-z0-9-]{0,31}\Z",
        description='1 to 32 small letters, digits or "-" in quotes, such as "open-2026"',
    ),
]
ClockName = Annotated[
    str,
    Meta(
        pattern=r"\A(?!hub\Z)[a-z0-9][a-z0-9-]{0,31}\Z",
        description='1 to 32 small letters, digits or "-", such as red-7, and not "hub"',
    ),
]
BoardName = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9-]{1,8}\Z",
        description='1 to 8 letters, digits or "-" in quotes, such as "7"',
    ),
]
Host = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?\Z",
        description='an address or a name in quotes, such as "192.168.8.2" or "room.local"',
    ),
]
ListenHost = Annotated[
    str,
    Meta(
        pattern=r"\A[A-Za-z0-9.:-]{1,253}\Z",
        description='"127.0.0.1" for this computer alone, or "0.0.0.0" for all in its network',
    ),
]
FolderName = Annotated[
    str,
    Meta(
        pattern=r"\A(?:/[^\x00-\x1f\x7f]*)?\Z",
        description='the full path of a folder, such as "/etc/mosquitto/room", or ""',
    ),
]
Port = Annotated[int, Meta(ge=1, le=65535, description="a whole number from 1 to 65535")]
NetworkName = Annotated[
    str,
    Meta(
        pattern=r"\A[^\x00-\x1f\x7f]{0,32}\Z",
        description='the name of the Wi-Fi, at most 32 characters, or "" for none',
    ),
]
NetworkPassword = Annotated[
    str,
    Meta(
        pattern=r"\A(?:[\x20-\x7e]{8,63})?\Z",
        description='the password of the Wi-Fi, 8 to 63 characters, or "" for an open one',
    ),
]
DatabaseUrl = Annotated[
    str,
    Meta(
        pattern=r"\A[^\x00-\x1f\x7f]+\Z",
        description='the name of a file, such as "room.sqlite", or "postgresql://..."',
    ),
]
PagesAddress = Annotated[
    str,
    Meta(
        pattern=r"\A(?:https?://[^\s\x00-\x1f\x7f]{1,200}/)?\Z",
        description='the address of the pages, such as "http://192.168.8.2:8037/", or ""',
    ),
]
Token = Annotated[
    str,
    Meta(
        pattern=r"\A(?:[A-Za-z0-9_-]{12,64})?\Z",
        description='12 to 64 letters and digits, or "" for a random one',
    ),
]
Names = Literal["full", "initials", "none"]
Delay = Annotated[int, Meta(ge=0, le=3600, description="a whole number of seconds from 0 to 3600")]
Days = Annotated[
    int, Meta(ge=0, le=36500, description="a whole number of days, or 0 to keep all matches")
]


class RoomTable(Struct, frozen=True, kw_only=True):
    """[room]: its name."""

    name: RoomName
    """In the topics of the broker, and on the labels."""
    board_topic: bool = False
    """Whether other programs find the state of each board in a topic of its own."""


class BrokerTable(Struct, frozen=True, kw_only=True):
    """[broker]: where the clocks and the hub find the broker."""

    host: Host
    port: Port = 8883
    folder: FolderName = ""
    """Where its files lie when it runs; empty: where room-cards writes them."""


class WifiTable(Struct, frozen=True, kw_only=True):
    """[wifi]: the network of the room, which goes into each key file."""

    ssid: NetworkName = ""
    """Empty: the clocks have a network already."""
    password: NetworkPassword = ""


class DatabaseTable(Struct, frozen=True, kw_only=True):
    """[database]: where the hub keeps lines and results."""

    url: DatabaseUrl = "room.sqlite"
    """A file, seen from the folder of room.toml, or the URL of a PostgreSQL database."""
    days: Days = 90
    """The hub deletes older matches; 0: none. A clock keeps its logs."""


class PagesTable(Struct, frozen=True, kw_only=True):
    """[pages]: who sees what."""

    host: ListenHost = "127.0.0.1"
    port: Port = 8037
    address: PagesAddress = ""
    """Under which others open the pages; empty: that of the broker's computer."""
    token: Token = ""
    """In the address of the director's pages; empty: a random one."""
    public: bool = True
    """Whether boards, overlays, wall and results can be opened without the token."""
    delay: Delay = 0
    """Seconds by which pages without the token are late."""
    names: Names = "full"
    """The players' names on pages without the token."""


class RoomSettings(Struct, frozen=True, kw_only=True):
    """What room.toml sets."""

    room: RoomTable
    broker: BrokerTable
    wifi: WifiTable = WifiTable()
    database: DatabaseTable = DatabaseTable()
    pages: PagesTable = PagesTable()
    clocks: dict[str, str] = msgspec.field(default_factory=dict)
    """The board of each clock, by the clock's name."""

    def database_in(self, folder: Path) -> str:
        """Return the database: its URL, or its file as seen from the folder of room.toml."""
        url = self.database.url
        return url if url.startswith(POSTGRESQL) else str(folder / url)

    @property
    def address(self) -> str:
        """The address under which others open the pages; it ends with a slash."""
        return self.pages.address or f"http://{self.broker.host}:{self.pages.port}/"


def load_room(path: Path) -> RoomSettings:
    """Return the settings of a room's file.

    Raises:
        ConfigError: it cannot be read or used.
    """
    return parse_room(read_text(path, MAX_BYTES), str(path))


def parse_room(text: str, file: str) -> RoomSettings:
    """Return the settings of a room.

    Args:
        text: the content of its file.
        file: the file's name, for errors.

    Raises:
        ConfigError: the text cannot be used.
    """
    document = read_document(text, file, MAX_VALUES)
    clocks = document.pop("clocks", {})
    settings = read_tables_as(document, RoomSettings, file, ROOM_ADVICE)
    if settings.wifi.password and not settings.wifi.ssid:
        allowed = "the name of the network that has this password"
        raise ConfigError(file, "wifi.ssid", "not given", allowed, ROOM_ADVICE)
    return msgspec.structs.replace(settings, clocks=_clocks(clocks, file))


def _clocks(found: Any, file: str) -> dict[str, str]:
    """Return the table of clocks, each with its own board."""
    if not isinstance(found, dict):
        allowed = 'a table with a line for each clock, such as red-7 = "7"'
        raise ConfigError(file, "clocks", as_written(found), allowed, ROOM_ADVICE)
    for name, board in found.items():
        key = f"clocks.{shortened(name)}"
        check_value(name, ClockName, file, f"the name in {key}", ROOM_ADVICE)
        check_value(board, BoardName, file, key, ROOM_ADVICE)
    boards = Counter(found.values())
    for name, board in found.items():
        if boards[board] > 1:
            allowed = "a board that no other clock has"
            raise ConfigError(file, f"clocks.{name}", as_written(board), allowed, ROOM_ADVICE)
    return found
