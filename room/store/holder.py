"""The name of a database, and of the program that may write into it."""

from uuid import uuid4

from room.store.database import Database


def identity(database: Database) -> str:
    """Return the name of this database, which no other has."""
    with database.transaction():
        found = database.rows("SELECT uuid FROM identity")
        if not found:
            found = [(str(uuid4()),)]
            database.run("INSERT INTO identity VALUES (?)", found)
    return str(found[0][0])


def hold(database: Database) -> str:
    """Make this program the only one that writes; return by which name."""
    own = str(uuid4())
    with database.transaction():
        database.run("DELETE FROM holder")
        database.run("INSERT INTO holder VALUES (?)", [(own,)])
    return own


def is_held(database: Database, own: str) -> bool:
    """Return whether no other program has begun to write; to be asked in a transaction."""
    command = f"SELECT uuid FROM holder {database.until_commit}"  # noqa: S608 (of this program)
    return database.rows(command) == [(own,)]
