"""A PostgreSQL database of a hub: by its URL, with the extra "postgres"."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import psycopg

from room.hub.store.database import (
    FOREIGN,
    LATER,
    SCHEMA,
    Database,
    DatabaseError,
    HeldError,
    Row,
    WrongDatabaseError,
    plain,
)

CONNECT_S = 5
INVALID = "connection is bad: invalid "  # a value of the URL: a port that is no number
# Of data that the server does not acknowledge, and of silence: TCP alone would wait for hours.
UNHEARD_MS, IDLE_S = 10_000, 10
# A program that is stopped in a transaction keeps its locks no longer than this, in ms.
END_IDLE = "SET idle_in_transaction_session_timeout = 5000"
# A hub holds this lock as long as its connection lives; the server looks for that.
LOCK = (8037, "hashtext(current_schema())")
TAKE = f"SELECT pg_try_advisory_lock({LOCK[0]}, {LOCK[1]})"
OTHER = f"""SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND classid = {LOCK[0]} AND pg_locks.granted
    AND objid::bigint = {LOCK[1]}::bigint & 4294967295"""  # noqa: S608 (of this program)
NAME = "SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()"
OWN = "an earlier connection of this hub still holds it; the server ends that when it finds it lost"
LOOK_FOR = (
    "SET tcp_keepalives_idle = 10",
    "SET tcp_keepalives_interval = 5",
    "SET tcp_keepalives_count = 3",
)
# The one row of this table is the version.
MAKE_MARK = "CREATE TABLE gammonclock (version INTEGER NOT NULL)"
MARK, READ_MARK = "INSERT INTO gammonclock VALUES (?)", "SELECT version FROM gammonclock"


class PostgreSql(Database):
    """A connection that is made again when it was lost. Any thread may use it, one at a time."""

    number_type = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    bytes_type = "BYTEA"

    def __init__(self, url: str) -> None:
        """Connect to the database, and mark it if it is empty.

        Raises:
            WrongDatabaseError: it is no database of this program, or the URL is none.
            DatabaseError: it cannot be reached now.
        """
        self._url = url
        self._connection: psycopg.Connection | None = None
        self._own = ""  # the name of the hub that holds it; empty: this program is none
        try:
            with self.transaction():
                self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        """Refuse the tables of another program, and mark one's own."""
        found = self.rows(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        )
        if found and ("gammonclock",) not in found:
            raise WrongDatabaseError(FOREIGN)
        if not found:
            self.run(MAKE_MARK)
            self.run(MARK, [(SCHEMA,)])
        [(version,)] = self.rows(READ_MARK)
        if version != SCHEMA:
            raise WrongDatabaseError(f"{LATER} ({version})")

    def _connected(self) -> psycopg.Connection:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                client_encoding="UTF8",
                connect_timeout=CONNECT_S,
                tcp_user_timeout=UNHEARD_MS,
                keepalives_idle=IDLE_S,
            )
            self._connection.execute(END_IDLE)
            if self._own:
                self._take(self._connection)
        return self._connection

    def hold(self, own: str) -> None:
        """See `Database.hold`: a lock of the connection, so that nothing is written without it."""
        with _errors():
            self._own = own
            self._take(self._connected())

    def _take(self, connection: psycopg.Connection) -> None:
        """Lock the database; a connection that cannot is closed, and writes nothing.

        Raises:
            HeldError: another hub has the lock.
            DatabaseError: a lost connection of this hub still has it.
        """
        for command in LOOK_FOR:
            connection.execute(command)
        connection.execute("SELECT set_config('application_name', %s, false)", (self._own,))
        named = connection.execute(NAME).fetchone()  # cut, and without letters that are not ASCII
        if connection.execute(TAKE.encode()).fetchone() != (True,):
            names = connection.execute(OTHER.encode()).fetchall()
            connection.close()
            if named in names:  # the server has not noticed yet that it is lost
                raise DatabaseError(OWN)
            raise HeldError(*names[0] if names else ("another computer or port",))

    def rows(self, command: str, *values: object) -> list[Row]:
        """See `Database.rows`."""
        with _errors():
            return self._connected().execute(_own(command), plain(values)).fetchall()

    def run(self, command: str, values: Iterable[Row] = ((),)) -> None:
        """See `Database.run`."""
        with _errors(), self._connected().cursor() as cursor:
            cursor.executemany(_own(command), map(plain, values))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Database.transaction`."""
        with _errors(), self._connected().transaction():
            yield

    def close(self) -> None:
        """See `Database.close`."""
        if self._connection is not None:
            self._connection.close()


def _own(command: str) -> bytes:
    """Return a command with the placeholders of PostgreSQL."""
    return command.replace("?", "%s").encode()


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        # A server's refusal has a code; what has none is a URL that cannot be read, or no server.
        is_unread = isinstance(error, psycopg.ProgrammingError) or str(error).startswith(INVALID)
        is_wrong = is_unread and error.sqlstate is None
        kind = WrongDatabaseError if is_wrong else DatabaseError
        raise kind(str(error).partition("\n")[0]) from error
