"""What the hub of a room sends a clock: an offer of the next match, or a proposed ruling.

Either is one line of JSON of at most `MAX_BYTES`. Its MAC, HMAC-SHA256 over the line up to and
without `,"mac"`, is made with a key that only the hub and this clock have. The line also names the
latest line of the clock's log as the hub knows it, so that an offer counts at that moment and never
again.
"""

import hmac
import re
from typing import Annotated, Any

import msgspec

from clock.config.loader import match_of
from clock.config.reader import Changes, ConfigError, as_written, read_changes
from clock.config.schema import ConfigFile, PresetTable
from clock.match.rules import Answer, MatchSettings, Offer
from clock.text import message

VERSION, RULING_VERSION = 1, 2  # of an offer; of a ruling, which a clock of 1.0.0 refuses
LONGEST_BY = 40  # characters of who proposes
MAX_BYTES = 4096
KEY_BYTES = 32
PURPOSE = b"gammonclock offer 1 "  # for another purpose or another clock the key is another
TOO_LATE = "too late: the log has gone on since the offer was made"
START = "0" * 32  # the hash of a log that has no line yet

IN_OFFERS = Changes("preset", kept=("board",))  # which is a fact of a table
# Where a match stands, which the keys of an offer can say in place of a clock that has failed.
BEGINS_ANEW = {"score": [0, 0], "carried": [0, 0], "crawford": ""}
REPLACES = (*BEGINS_ANEW, "reserves")

_BODY = re.compile(rb'(?P<body>\{.*),"mac":"(?P<mac>[0-9a-f]{64})"\}', re.DOTALL)

OfferId = Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_-]{8,16}\Z")]
Count = Annotated[int, msgspec.Meta(ge=0)]


class OfferError(Exception):
    """An offer is refused; the message says why.

    Attributes:
        offer: its id; empty if the offer is not from the hub, because then nothing in it counts.
    """

    def __init__(self, why: str, offer: str = "") -> None:
        super().__init__(why)
        self.offer = offer


class LatestLine(msgspec.Struct, frozen=True):
    """The latest line of a clock's log."""

    match: str = ""
    seq: Count = 0
    hash: str = START


class SignedOffer(msgspec.Struct, frozen=True):
    """An offer as it is sent."""

    v: int
    offer: OfferId
    clock: str
    """The clock's name in the room. Its key is derived from it, so the MAC proves it."""
    after: LatestLine
    """The latest line of the clock's log when the offer was signed."""
    match_settings: dict[str, Any]
    """Keys of [match] and [rules] as in a settings file, and perhaps `preset`."""


class ItemAnswered(msgspec.Struct, frozen=True):
    """An item of the director's menu, and the answers to what it asks."""

    item: Annotated[str, msgspec.Meta(pattern=r"\A[a-z_]{1,32}\Z")]
    answers: Annotated[tuple[Answer, ...], msgspec.Meta(max_length=8)] = ()


class SignedRuling(msgspec.Struct, frozen=True):
    """A proposed ruling as it is sent; see `SignedOffer`."""

    v: int
    offer: OfferId
    clock: str
    after: LatestLine
    ruling: ItemAnswered
    by: Annotated[str, msgspec.Meta(max_length=LONGEST_BY)] = ""


Signed = SignedOffer | SignedRuling


class _Versioned(msgspec.Struct):
    v: int


# --- keys and signatures ----------------------------------------------------------------------


def offer_key(master: bytes, clock: str) -> bytes:
    """Return the key of a clock, by its name in the room, derived from the hub's of `KEY_BYTES`."""
    return hmac.digest(master, PURPOSE + clock.encode(), "sha256")


def parse_key(text: str) -> bytes | None:
    """Return the key that a file holds as 64 hex digits; None if it holds none."""
    digits = text.strip()
    return bytes.fromhex(digits) if re.fullmatch(r"[0-9a-f]{64}", digits) else None


def sign(offer: Signed, key: bytes) -> bytes:
    """Return the line of an offer or a ruling, with its line feed.

    Raises:
        OfferError: it is longer than `MAX_BYTES`.
    """
    body = msgspec.json.encode(offer)[:-1]
    line = b'%b,"mac":"%b"}\n' % (body, hmac.digest(key, body, "sha256").hex().encode())
    if len(line) > MAX_BYTES:
        raise OfferError(f"the offer has {len(line)} bytes, more than {MAX_BYTES}", offer.offer)
    return line


def verify(line: bytes, key: bytes) -> SignedOffer:
    """Return the offer of a line that was signed with this clock's key; see `verify_any`.

    Raises:
        OfferError: it is no offer, or not one of the hub's for this clock.
    """
    signed = verify_any(line, key)
    if isinstance(signed, SignedRuling):
        raise OfferError(f"the offer has version {signed.v}, expected {VERSION}", signed.offer)
    return signed


def verify_any(line: bytes, key: bytes) -> Signed:
    """Return what is in a line that was signed with this clock's key; the line may be anything.

    Raises:
        OfferError: it is no offer or ruling, or not one of the hub's for this clock.
    """
    if len(line) > MAX_BYTES:
        raise OfferError(f"the offer is longer than {MAX_BYTES} bytes")
    signed = _BODY.fullmatch(line.removesuffix(b"\n"))
    if signed is None:
        raise OfferError("the offer is not complete: it does not end with a MAC")
    mac = hmac.digest(key, signed["body"], "sha256").hex().encode()
    if not hmac.compare_digest(mac, signed["mac"]):
        raise OfferError("the MAC is wrong: the offer is for another clock, or not from the hub")
    try:
        line.decode()  # msgspec does not look into texts that it skips
        return _decoded(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OfferError(f"the offer cannot be read: {error}") from error


def _decoded(line: bytes) -> Signed:
    if msgspec.json.decode(line, type=_Versioned).v == RULING_VERSION:
        return msgspec.json.decode(line, type=SignedRuling)
    offer = msgspec.json.decode(line, type=SignedOffer)
    if offer.v != VERSION:
        raise OfferError(f"the offer has version {offer.v}, expected {VERSION}", offer.offer)
    return offer


def check_latest(offer: SignedOffer, latest: LatestLine) -> None:
    """Check that the log has not grown since the offer was signed.

    Raises:
        OfferError: it has, or it is another log.
    """
    if offer.after != latest:
        raise OfferError(TOO_LATE, offer.offer)


# --- what is offered --------------------------------------------------------------------------


def offered_match(file: ConfigFile, keys: dict[str, Any]) -> MatchSettings:
    """Return what an offered match is played under.

    The offer's keys replace those of the clock's own file, but where a match stands is as of a new
    one unless they say it: then it goes on in place of a clock that has failed.

    Raises:
        ConfigError: a key is unknown, its value is not allowed, or values contradict each other.
    """
    base = _base(file, keys)
    document = {"match": _given(base.match) | BEGINS_ANEW, "rules": _given(base.rules)}
    changed = read_changes(keys, document, IN_OFFERS, "", "offer")
    return match_of(changed, "offer")


def _base(file: ConfigFile, keys: dict[str, Any]) -> ConfigFile | PresetTable:
    """Return the tables that an offer changes: of the preset that it names, or of the file."""
    if "preset" not in keys:
        return file
    presets = {preset.name: preset for preset in file.preset}
    name = keys["preset"]
    if not isinstance(name, str) or name not in presets:
        values = ", ".join(map(as_written, presets))
        allowed = message("one_of", values=values) if presets else message("left_out")
        raise ConfigError("offer", "preset", as_written(name), allowed)
    return presets[name]


def _given(table: msgspec.Struct) -> dict[str, Any]:
    """Return the keys of a table that are not left out; where a match stands is of that match."""
    values = msgspec.structs.asdict(table)
    return {key: value for key, value in values.items() if key not in REPLACES}


def check_offer(offer: SignedOffer, latest: LatestLine, file: ConfigFile) -> Offer:
    """Return the match that a verified offer is of.

    Raises:
        OfferError: it comes too late, or its settings are not possible.
    """
    check_latest(offer, latest)
    try:
        return Offer(offer.offer, offered_match(file, offer.match_settings))
    except ConfigError as error:
        raise OfferError(error.setting, offer.offer) from error
