"""Open the database that a file or a URL names, and read from it."""

from collections.abc import Callable
from typing import TypeVar

from clock.extras import extra_missing
from room.hub.store.database import Database, DatabaseError, Sqlite, WrongDatabaseError
from room.lines.inbox import UnreadableError
from room.settings.room import POSTGRESQL

FoundT = TypeVar("FoundT")


class StoreError(UnreadableError):
    """The database cannot be opened or read; the message says why."""


class WrongStoreError(StoreError):
    """It never can be opened: another file or URL has to be named."""


def open_database(where: str | None) -> Database:
    """Open SQLite's file or PostgreSQL's URL; None: a database in memory.

    Raises:
        WrongDatabaseError: it can never be opened: another one has to be named.
        DatabaseError: it cannot be opened now.
    """
    if where is None or not where.startswith(POSTGRESQL):
        return Sqlite(where)
    try:
        from room.hub.store.postgresql import PostgreSql  # noqa: PLC0415 (an extra)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "psycopg":
            raise
        raise WrongDatabaseError(extra_missing("PostgreSQL", "postgres")) from None
    return PostgreSql(where)


def read(database: Database, name: str, find: Callable[..., FoundT], *values: str) -> FoundT:
    """Return what is found; try twice, as a connection that was lost is made again.

    Args:
        database: in which it is looked for.
        name: of the database, for the error.
        find: looks for it, given the database and the values.
        values: the names of match and source, for example.

    Raises:
        StoreError: it cannot be read now.
    """
    try:
        return find(database, *values)
    except DatabaseError:
        try:
            return find(database, *values)
        except DatabaseError as error:
            raise StoreError(f"{name}: {error}") from error
