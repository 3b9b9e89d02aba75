"""The latest offer of each place, for the next run of the hub."""

from typing import NamedTuple

from room.hub.store.database import Database

OFFERS = """CREATE TABLE IF NOT EXISTS offers (
    source TEXT NOT NULL PRIMARY KEY,
    offer {bytes} NOT NULL,    -- JSON
    day INTEGER NOT NULL       -- on which something happened to it, counted from 1970-01-01
)"""


class KeptOffer(NamedTuple):
    """An offer that is to be kept in place of an earlier one."""

    source: str  # the key of the place
    offer: bytes


def write_offer(database: Database, kept: KeptOffer, day: int) -> None:
    """Keep the latest offer of a place."""
    database.run("DELETE FROM offers WHERE source = ?", [(kept.source,)])
    database.run("INSERT INTO offers (source, offer, day) VALUES (?, ?, ?)", [(*kept, day)])


def recent_offers(database: Database, today: int) -> dict[str, bytes]:
    """Return the offers by place, but those of earlier days: their event is over.

    An evening may pass midnight.
    """
    wanted = "SELECT source, offer FROM offers WHERE day BETWEEN ? AND ?"
    return {place: bytes(offer) for place, offer in database.rows(wanted, today - 1, today + 1)}
