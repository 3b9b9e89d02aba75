"""The director's file of a room, room.toml: the clocks with their boards, the broker, the pages.

It has no secrets but that of the Wi-Fi; `gammonclock room-cards` makes all others at random
(`room.settings.hub`).
"""

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from clock.config import reader
from clock.config.loader import read_text
from clock.config.reader import ConfigError
from clock.config.schema import CHARACTER, EventName, matching
from room.settings.tables import NotifyTable, WebTable

ROOM_ADVICE = "Change it and save the file."
MAX_CLOCKS = 10_000
MAX_VALUES = MAX_CLOCKS + 1000  # each clock is one
MAX_BYTES = 1024 * 1024  # a clock with the longest names has 50, and may have a comment
HUB = "hub"  # the login name of the hub; no clock can have it
TOKEN_BYTES = 12  # of a random token of the director's pages
POSTGRESQL = ("postgresql://", "postgres://")

RoomName = Annotated[
    str,
    matching(
        r"[a-z0-9][a-z0-9-]{0,31}",
        '1 to 32 small letters, digits or "-" in quotes, such as "open-2026"',
    ),
]
ClockName = Annotated[
    str,
    matching(
        r"(?!hub\Z)[a-z0-9][a-z0-9-]{0,31}",
        '1 to 32 small letters, digits or "-", such as red-7, and not "hub"',
    ),
]
BoardName = Annotated[
    str, matching(r"[A-Za-z0-9-]{1,8}", '1 to 8 letters, digits or "-" in quotes, such as "7"')
]
LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"  # a part of a host's name, between dots
Host = Annotated[
    str,
    matching(
        rf"(?=.{{1,253}}\Z){LABEL}(\.{LABEL})*",
        'an address or a name in quotes, such as "192.168.8.2" or "room.local"',
    ),
]
ListenHost = Annotated[
    str,
    matching(
        r"[A-Za-z0-9.:-]{1,253}",
        '"127.0.0.1" for this computer alone, or "0.0.0.0" for all in its network',
    ),
]
FolderName = Annotated[
    str,
    matching(
        rf"(?:/{CHARACTER}*)?", 'the full path of a folder, such as "/etc/mosquitto/room", or ""'
    ),
]
Port = Annotated[int, Meta(ge=1, le=65535, description="a whole number from 1 to 65535")]
NetworkName = Annotated[
    str,
    matching(
        rf"{CHARACTER}{{0,32}}", 'the name of the Wi-Fi, at most 32 characters, or "" for none'
    ),
]
NetworkPassword = Annotated[
    str,
    matching(
        r"(?:[\x20-\x7e]{8,63})?",
        'the password of the Wi-Fi, 8 to 63 characters, or "" for an open one',
    ),
]
DatabaseUrl = Annotated[
    str,
    matching(rf"{CHARACTER}+", 'the name of a file, such as "room.sqlite", or "postgresql://..."'),
]
PagesAddress = Annotated[
    str,
    matching(
        r"(?:https?://[^\s\x00-\x1f\x7f]{1,200}/)?",
        'the address of the pages, such as "http://192.168.8.2:8037/", or ""',
    ),
]
Token = Annotated[
    str,
    matching(r"(?:[A-Za-z0-9_-]{12,64})?", '12 to 64 letters and digits, or "" for a random one'),
]
Names = Literal["full", "initials", "none"]
Delay = Annotated[int, Meta(ge=0, le=3600, description="a whole number of seconds from 0 to 3600")]
EVENT_BEGIN = 'a day or an instant in quotes, such as "2026-05-01" or "2026-05-01 09:30", or ""'
EventBegin = Annotated[
    str,
    Meta(pattern=r"\A(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?)?\Z", description=EVENT_BEGIN),
]
MatchesPerHour = Annotated[int, Meta(ge=1, le=10**6, description="a whole number from 1")]
MegabytesPerDay = Annotated[int, Meta(ge=1, le=10**6, description="a whole number from 1")]
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
    other_sites: bool = False
    """Whether pages of other sites may read what the pages without the token show (CORS)."""
    delay: Delay = 0
    """Seconds by which pages without the token are late."""
    names: Names = "full"
    """The players' names on pages without the token."""
    browser: FolderName = ""
    """Where the pages of `make browser` are; empty: where that puts them."""


class PublishTable(Struct, frozen=True, kw_only=True):
    """[publish]: pages for a web space, with what can be seen without the token."""

    folder: FolderName = ""
    """Where the hub writes them while it runs; empty: nowhere."""
    language: Literal["en", "de", "da", "nb"] = "en"


class EventTable(Struct, frozen=True, kw_only=True):
    """[event]: whose matches are the results; others stand apart."""

    name: EventName = ""
    """Each match that is offered in this room is one of it."""
    begins: EventBegin = ""
    """A match that names no event is one of it since then; empty: always."""


class QuotaTable(Struct, frozen=True, kw_only=True):
    """[quota]: what the hub takes from each clock; nothing that is played reaches it.

    The longest match has 2 MB: 25 points, 49 games of 60 turns, two lines of 370 bytes for each. A
    clock that joins sends its latest 20 matches at once, which are 40 MB then, and a day of twelve
    hours with a press every 8 s has 4 MB. An hour has 20 matches of one point, and the 20 of a
    clock that joins.
    """

    matches_per_hour: MatchesPerHour = 60
    megabytes_per_day: MegabytesPerDay = 64


class RoomSettings(Struct, frozen=True, kw_only=True):
    """What room.toml sets."""

    room: RoomTable
    broker: BrokerTable
    wifi: WifiTable = WifiTable()
    database: DatabaseTable = DatabaseTable()
    pages: PagesTable = PagesTable()
    publish: PublishTable = PublishTable()
    web: WebTable = WebTable()
    event: EventTable = EventTable()
    quota: QuotaTable = QuotaTable()
    notify: NotifyTable = NotifyTable()
    clocks: dict[str, str] = msgspec.field(default_factory=dict)
    """The board of each clock, by the clock's name."""

    def database_in(self, folder: Path) -> str:
        """Return the database: its URL, or its file as seen from the folder of room.toml."""
        url = self.database.url
        return url if url.startswith(POSTGRESQL) else str(folder / url)

    @property
    def address(self) -> str:
        """The address under which others open the pages; it ends with a slash."""
        return self.pages.address or f"{self.web.scheme}://{self.broker.host}:{self.pages.port}/"


def load_room(path: Path) -> RoomSettings:
    """Return the settings of a room's file; raise ConfigError if it cannot be read or used."""
    return parse_room(read_text(path, MAX_BYTES), str(path))


def parse_room(text: str, file: str) -> RoomSettings:
    """Return the settings of a room; `file` names it in errors.

    Raises:
        ConfigError: the text cannot be used.
    """
    document = reader.read_document(text, file, MAX_VALUES)
    clocks = document.pop("clocks", {})
    settings = reader.read_tables_as(document, RoomSettings, file, ROOM_ADVICE)
    if settings.wifi.password and not settings.wifi.ssid:
        allowed = "the name of the network that has this password"
        raise ConfigError(file, "wifi.ssid", "not given", allowed, ROOM_ADVICE)
    if settings.publish.folder and not settings.pages.public:
        found, allowed = (
            reader.as_written(settings.publish.folder),
            '"" while pages.public is false',
        )
        raise ConfigError(file, "publish.folder", found, allowed, ROOM_ADVICE)
    if not _is_date(settings.event.begins):
        found = reader.as_written(settings.event.begins)
        raise ConfigError(file, "event.begins", found, EVENT_BEGIN, ROOM_ADVICE)
    return msgspec.structs.replace(settings, clocks=_clocks(clocks, file))


def _is_date(text: str) -> bool:
    """Return whether a text is empty or a date that there is."""
    try:
        return not text or bool(datetime.fromisoformat(text))
    except ValueError:
        return False


def _clocks(found: Any, file: str) -> dict[str, str]:
    if not isinstance(found, dict):
        allowed = 'a table with a line for each clock, such as red-7 = "7"'
        raise ConfigError(file, "clocks", reader.as_written(found), allowed, ROOM_ADVICE)
    for name, board in found.items():
        key = f"clocks.{reader.shortened(name)}"
        reader.check_value(name, ClockName, file, f"the name in {key}", ROOM_ADVICE)
        reader.check_value(board, BoardName, file, key, ROOM_ADVICE)
    boards = Counter(found.values())
    for name, board in found.items():
        if boards[board] > 1:
            allowed = "a board that no other clock has"
            raise ConfigError(
                file, f"clocks.{name}", reader.as_written(board), allowed, ROOM_ADVICE
            )
    return found
