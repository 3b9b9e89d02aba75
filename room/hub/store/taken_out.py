"""The places whose boards the director has taken out of the room, for the next run of the hub."""

from typing import NamedTuple

from room.hub.store.database import Database

TAKEN_OUT = "CREATE TABLE IF NOT EXISTS taken_out (source TEXT NOT NULL PRIMARY KEY)"


class KeptOut(NamedTuple):
    """A place whose board is to be kept as taken out, or as put back."""

    source: str  # the key of the place
    is_out: bool


def write_taken_out(database: Database, kept: KeptOut) -> None:
    """Keep whether the board of a place is taken out."""
    database.run("DELETE FROM taken_out WHERE source = ?", [(kept.source,)])
    if kept.is_out:
        database.run("INSERT INTO taken_out (source) VALUES (?)", [(kept.source,)])


def all_taken_out(database: Database) -> list[str]:
    """Return the places whose boards are taken out."""
    return [str(source) for (source,) in database.rows("SELECT source FROM taken_out")]
