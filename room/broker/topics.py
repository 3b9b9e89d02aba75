"""The topics of a room at the broker, and their payloads (MQTT 5).

A clock writes and reads below `gammonclock/1/<room>/<clock>/`, where `<clock>` is its login name;
so one pattern is the access list of all clocks. Only `link`, `board` and `hub` are retained.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from clock.match.types import Pair, Side
from room.lines.inbox import Point

ROOT = "gammonclock/1"
MAX_PAYLOAD = 1 << 17  # bytes; the broker should refuse larger ones
MAX_LOGS = 20  # matches in an inventory
MAX_INTEGER = (1 << 63) - 1

LOOKOUT = "hub_1"  # the login with which a hub looks for another; "_" is in no clock's name

State = Literal["online", "lost", "off"]  # lost: said by the broker, as the last will
Name = Annotated[str, Meta(max_length=200)]
Text = Annotated[str, Meta(max_length=1000)]
Number = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]

PayloadT = TypeVar("PayloadT", bound=Struct)


class Topic(StrEnum):
    """The topics below the name of a clock."""

    LINK = "link"  # from the clock, retained: whether it is there
    HEARTBEAT = "heartbeat"  # from the clock: the time on its computer
    LOG = "log"  # from the clock: lines as they are in its file, line feeds between them
    LOGS = "logs"  # from the clock: what lies in its log directory
    BOARD = "board"  # from the clock, retained: the state of the board, for other programs
    OFFERED = "offered"  # from the clock: what became of an offer
    ACK = "ack"  # from the hub: what is on its disk, and what it lacks
    OFFER = "offer"  # from the hub: the next match


FROM_HUB = (Topic.ACK, Topic.OFFER)


class LinkState(Struct, frozen=True):
    """Whether a clock is there; also its last will, which the broker says when it is gone."""

    state: State
    session: Number
    """Of the connection: the will of an earlier one may come late, and means nothing."""
    version: Name = ""
    clock_unit: Name = ""
    """The state of the clock's service, such as "active"; empty: not known."""
    status: Text = ""
    """What the clock's service says of itself."""
    damage: Text = ""
    """Why not all of a log is sent."""


class LinkHeartbeat(Struct, frozen=True):
    """The time on a clock's computer, and the latest line of its log."""

    boot: Name
    now_ns: Number
    """The instant of sending, on the raw clock."""
    match: Name
    seq: Number
    alive: bool = True
    """Whether the clock itself wrote something in the last seconds."""


class LoggedLines(Struct, frozen=True):
    """A log in a clock's directory."""

    match: Name
    lines: Number
    hash: Name
    """Of the latest line."""

    @property
    def latest(self) -> Point:
        """The latest line."""
        return Point(self.lines, self.hash)


class Inventory(Struct, frozen=True):
    """The latest logs in a clock's directory, that of the present match first."""

    logs: Annotated[tuple[LoggedLines, ...], Meta(max_length=MAX_LOGS)]


class Ack(Struct, frozen=True):
    """What the hub has on its disk of some logs, up to which line."""

    store: Name
    """The database: what another one had says nothing about it."""
    have: dict[Name, Point]
    ask: Number = 0
    """The line from which the hub asks for the one log in `have` again; 0: it does not."""


class HubState(Struct, frozen=True):
    """Whether a hub is there, and with which database; also its last will."""

    state: State
    store: Name = ""
    session: Number = 0
    """As in `LinkState`."""
    name: Name = ""
    """Of its computer, for people."""
    address: Name = ""
    """Of its pages; empty: only that computer can open them."""

    @property
    def called(self) -> str:
        """Name and address in one text, for people."""
        return f"{self.name} ({self.address})" if self.address else self.name


class OfferReceipt(Struct, frozen=True):
    """What became of an offer."""

    bytes: Number
    put: bool
    """Whether it lies where the clock finds it."""
    why: Text = ""
    """Why it does not."""


class BoardState(Struct, frozen=True):
    """The state of a board after its latest line, for other programs."""

    board: str
    match: str
    seq: int
    state: str
    """The phase, as in the log."""
    names: Pair[str]
    score: Pair[int]
    length: int
    running: Side | None
    """Whose clock runs since `at_ns`."""
    left_ns: int
    right_ns: int
    delay_ns: int
    boot: str
    at_ns: int
    """On the raw clock of the clock's computer, since `boot`."""


class Address(NamedTuple):
    """Whom a topic is about."""

    clock: str
    topic: Topic


def clock_topic(room: str, clock: str, topic: Topic) -> str:
    """Return the name of a clock's topic; "+" stands for all clocks."""
    return f"{ROOT}/{room}/{clock}/{topic}"


def hub_topic(room: str) -> str:
    """Return the name of the topic in which the hub says whether it is there."""
    return f"{ROOT}/{room}/hub"


@lru_cache(maxsize=1 << 16)  # the four topics of each clock of a room, 10,000 at most
def address_of(room: str, name: str) -> Address | None:
    """Return whom a topic is about; None if it is none of a clock of the room."""
    clock, _, topic = name.removeprefix(f"{ROOT}/{room}/").partition("/")
    if name != f"{ROOT}/{room}/{clock}/{topic}" or topic not in list(Topic):
        return None
    return Address(clock, Topic(topic))


def encode(payload: Struct) -> bytes:
    """Return a payload as JSON."""
    return msgspec.json.encode(payload)


def decode(payload: bytes, shape: type[PayloadT]) -> PayloadT | None:
    """Return the payload of a message; None if it does not have this shape."""
    if len(payload) > MAX_PAYLOAD:
        return None
    try:
        return msgspec.json.decode(payload, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
