"""A database as the store uses it: rows, commands, transactions. SQLite, or PostgreSQL by URL."""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clock.files import require_ours
from room.settings.room import POSTGRESQL

LOCK_S = 1.0  # how long to wait for another program that has locked the file
LOCK = "-hub"  # ends the name of the file that a hub locks
MEMORY = ":memory:"
SCHEMA = 1
LATER = "written by a later version"
FOREIGN = "the database of another program"

Row = tuple[Any, ...]


class DatabaseError(Exception):
    """The database cannot be used now; the message says why."""


class WrongDatabaseError(DatabaseError):
    """This database can never be used: another file or URL has to be named."""


class HeldError(WrongDatabaseError):
    """Another hub writes into the database; the message names the hub."""

    def __init__(self, other: str) -> None:
        """Name the other hub."""
        super().__init__(f"the hub on {other} uses it; end that one, or name another database")


class Database(ABC):
    """A connection to a database. Values stand for the question marks of a command, in order."""

    number_type: str
    """Of a column that numbers its rows in the order in which they came."""
    bytes_type: str

    @abstractmethod
    def rows(self, command: str, *values: object) -> list[Row]:
        """Return the rows that a command finds.

        Raises:
            DatabaseError: it cannot be carried out.
        """

    @abstractmethod
    def run(self, command: str, values: Iterable[Row] = ((),)) -> None:
        """Carry out a command, once for each of the rows of values.

        Raises:
            DatabaseError: it cannot be carried out.
        """

    @abstractmethod
    def transaction(self) -> Any:
        """Return a context in which commands are one transaction: committed unless one raises."""

    @abstractmethod
    def hold(self, own: str) -> None:
        """Keep all other hubs out until this one ends, however it ends.

        Args:
            own: the name of this hub, for messages of others.

        Raises:
            HeldError: another hub does so.
            DatabaseError: that cannot be known now.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


def plain(values: Iterable[object]) -> Row:
    """Return values that every database takes: texts without NUL and without half characters."""
    return tuple(_plain(value) if isinstance(value, str) else value for value in values)


def _plain(text: str) -> str:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def shown_name(where: str | None) -> str:
    """Return how messages name a database: without user and password."""
    if where is None:
        return "the database in memory"
    scheme, _, rest = where.partition("://")
    if not where.startswith(POSTGRESQL):
        return where
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


class Sqlite(Database):
    """A file, or memory. Any thread may use it, one at a time."""

    number_type, bytes_type = "INTEGER PRIMARY KEY", "BLOB"

    def __init__(self, path: str | None) -> None:
        """Open the file, or create it.

        Raises:
            WrongDatabaseError: it is no database of this program, or its folder does not exist,
                or it is a folder.
            DatabaseError: it cannot be opened now.
        """
        if path is not None and not Path(path).parent.is_dir():
            raise WrongDatabaseError(f"unable to open: there is no folder {Path(path).parent}")
        if path is not None and Path(path).is_dir():
            raise WrongDatabaseError("unable to open: this is a folder; name a file in it")
        for end in ("", "-journal", "-wal", "-shm", LOCK) if path is not None else ():
            try:
                require_ours(Path(f"{path}{end}"))
            except OSError as error:
                raise WrongDatabaseError(f"unable to open: {error.strerror}") from error
        self._path = path
        self._lock: sqlite3.Connection | None = None
        with _errors():
            self._connection = sqlite3.connect(
                MEMORY if path is None else Path(path), timeout=LOCK_S, check_same_thread=False
            )
            try:
                self._check()
            except BaseException:
                self._connection.close()
                raise

    def _check(self) -> None:
        """Refuse a file of another program, and have each transaction reach the disk."""
        [(version,)] = self.rows("PRAGMA user_version")
        if version not in (0, SCHEMA):
            raise WrongDatabaseError(f"{LATER} ({version})")
        if not version and self.rows("SELECT 1 FROM sqlite_master"):
            raise WrongDatabaseError(FOREIGN)
        self.run("PRAGMA journal_mode = WAL")
        self.run("PRAGMA synchronous = FULL")
        self.run(f"PRAGMA user_version = {SCHEMA}")

    def rows(self, command: str, *values: object) -> list[Row]:
        """See `Database.rows`."""
        with _errors():
            return self._connection.execute(command, plain(values)).fetchall()

    def run(self, command: str, values: Iterable[Row] = ((),)) -> None:
        """See `Database.run`."""
        with _errors():
            for each in values:
                self._connection.execute(command, plain(each))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Database.transaction`."""
        with _errors(), self._connection:
            yield

    def hold(self, own: str) -> None:
        """See `Database.hold`: lock a file beside it, which SQLite does on every system."""
        if self._path is None:
            return
        with _errors():
            self._lock = sqlite3.connect(
                f"{self._path}{LOCK}", timeout=LOCK_S, check_same_thread=False
            )
            try:
                self._lock.execute("CREATE TABLE IF NOT EXISTS hub (name TEXT NOT NULL)")
                self._lock.execute("DELETE FROM hub")  # begins a transaction
                self._lock.execute("INSERT INTO hub VALUES (?)", (own,))
                self._lock.execute("COMMIT")
                self._lock.execute("BEGIN IMMEDIATE")  # others may read whose it is
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    raise
                names = self._lock.execute("SELECT name FROM hub").fetchall()
                raise HeldError(*names[0] if names else ("another computer or port",)) from error

    def close(self) -> None:
        """See `Database.close`."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise DatabaseError(str(error)) from error
    except sqlite3.Error as error:  # a damaged file, or none of SQLite
        raise WrongDatabaseError(str(error)) from error
