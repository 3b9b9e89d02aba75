"""The hub's own file, hub.toml: how it logs in at the broker, and its keys.

`gammonclock room-cards` makes it; only the hub's user may read it.
"""

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from clock.config.schema import matching
from room.settings.room import HUB, Host, Port, RoomName, Token
from room.settings.tables import load_tables

HUB_ADVICE = 'Make the file again: "gammonclock room-cards" writes one that is missing.'

Pem = Annotated[
    str,
    matching(
        r"-----BEGIN CERTIFICATE-----\n[\x0a\x20-\x7e]+-----END CERTIFICATE-----\n",
        "a certificate, from BEGIN CERTIFICATE to END CERTIFICATE",
    ),
]
UserName = Annotated[str, matching(r"[a-z0-9-]{1,32}", 'small letters and digits, or "-"')]
Password = Annotated[str, matching(r"[A-Za-z0-9_-]{16,64}", "16 to 64 letters and digits")]
NoPassword = Annotated[
    str, matching(r"(?:[A-Za-z0-9_-]{16,64})?", '16 to 64 letters and digits, or "" for none')
]
Key = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z", description="64 digits and letters a to f")]


class Broker(Struct, frozen=True, kw_only=True):
    """[broker]: where the broker is, and how to log in there."""

    host: Host
    port: Port
    ca: Pem
    """The certificate of the room's own authority: no other is trusted."""
    username: UserName = HUB
    password: Password


class HubKeyFile(Struct, frozen=True, kw_only=True):
    """What hub.toml sets."""

    room: RoomName
    token: Token
    """In the address of the director's pages."""
    master_key: Key
    """The keys of the offers, one for each clock, are derived from it."""
    stand_by: NoPassword = ""
    """Of the login with which a hub looks for another; empty: the broker has none."""
    broker: Broker


def load_hub_key_file(path: Path) -> HubKeyFile:
    """Return what the hub's file sets; raise ConfigError if it cannot be read or used."""
    return load_tables(path, HubKeyFile, HUB_ADVICE)
