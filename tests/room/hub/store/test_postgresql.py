"""A database on a server: whose it is, what it keeps, and what is said when it cannot be used."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

from lab.support.postgresql import PostgreSqlServer
from lab.support.rows import row
from room.hub.store.database import DatabaseError, HeldError, WrongDatabaseError
from room.hub.store.postgresql import PostgreSql

NAMES = "SELECT name FROM players ORDER BY name"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgreSqlServer]:
    with PostgreSqlServer() as running:
        yield running


@pytest.fixture
def url(server: PostgreSqlServer) -> str:
    """The URL of an empty database."""
    return server.new_url()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[psycopg.Connection]:
    connections, connect = list[psycopg.Connection](), psycopg.connect

    def make(*values: Any, **options: Any) -> psycopg.Connection:
        connections.append(connect(*values, **options))
        return connections[-1]

    monkeypatch.setattr(psycopg, "connect", make)
    return connections


@pytest.mark.slow
def test_a_transaction_is_kept_as_a_whole_or_not_at_all(url: str) -> None:
    with closing(PostgreSql(url)) as first, closing(PostgreSql(url)) as second:
        first.run("CREATE TABLE players (name TEXT)")
        with first.transaction():
            first.run("INSERT INTO players VALUES (?)", [("Zoë",), ("Ann",)])
            assert second.rows(NAMES) == []
        with pytest.raises(DatabaseError), first.transaction():
            first.run("INSERT INTO players VALUES (?)", [("Ben",), ("too", "many")])
        assert second.rows(NAMES) == [("Ann",), ("Zoë",)]
        assert second.rows("SELECT name FROM players WHERE name = ?", "Zoë") == [("Zoë",)]


@pytest.mark.slow
def test_a_connection_that_was_lost_is_made_again(url: str, made: list[psycopg.Connection]) -> None:
    """The one who uses it next is told, the one after that has a new one."""
    with closing(PostgreSql(url)) as database:
        assert database.rows("SELECT 1") == [(1,)]
        [connection] = made
        with psycopg.connect(url) as other:
            other.execute("SELECT pg_terminate_backend(%s, 60000)", [connection.info.backend_pid])
        with pytest.raises(DatabaseError, match="terminating connection"):
            database.rows("SELECT 1")
        assert database.rows("SELECT 1") == [(1,)]
    assert all(each.closed for each in made)


@pytest.mark.slow
def test_a_hub_whose_lost_database_another_one_holds_writes_no_more(
    url: str, made: list[psycopg.Connection]
) -> None:
    """The server looks for connections that are lost, and ends them."""
    with closing(PostgreSql(url)) as first, closing(PostgreSql(url)) as second:
        first.hold("desk")
        limits = "SELECT source FROM pg_settings WHERE name LIKE ?"
        # Their values are shown of a connection by TCP alone.
        assert first.rows(limits, "tcp_keepalives%") == [("session",)] * 3
        second.run("SELECT pg_terminate_backend(?, 60000)", [(made[0].info.backend_pid,)])
        with pytest.raises(DatabaseError, match="terminating connection"):
            first.rows("SELECT 1")
        second.hold("phone")
        for _ in range(2):
            with pytest.raises(HeldError, match="the hub on phone uses it"):
                first.rows("SELECT 1")


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_not_waited_for(
    url: str, made: list[psycopg.Connection]
) -> None:
    """Nor does the server wait for a program that is stopped in a transaction."""
    with closing(PostgreSql(url)) as database:
        assert database.rows("SHOW idle_in_transaction_session_timeout") == [("5s",)]
        found = made[0].info.get_parameters()
    limits = {"connect_timeout": "5", "tcp_user_timeout": "10000", "keepalives_idle": "10"}
    assert limits.items() <= found.items()


@pytest.mark.slow
def test_the_database_of_another_program_or_version_is_refused(
    server: PostgreSqlServer, made: list[psycopg.Connection]
) -> None:
    """And left: no connection stays. It can be opened again if it is one's own."""
    server.run(
        "CREATE SCHEMA kitchen",
        "CREATE TABLE kitchen.recipes (name TEXT)",
        "CREATE SCHEMA future",
        "CREATE TABLE future.gammonclock (version INTEGER)",
        "INSERT INTO future.gammonclock VALUES (99)",
    )
    for name, why in (("kitchen", "another program"), ("future", r"later version \(99\)")):
        with row(name), pytest.raises(WrongDatabaseError, match=why):
            PostgreSql(server.url(f"-csearch_path={name}"))
        assert made[-1].closed
    url = server.new_url()
    for _ in range(2):
        with closing(PostgreSql(url)) as database:
            assert database.rows("SELECT version FROM gammonclock") == [(1,)]


@pytest.mark.slow
def test_what_a_server_refuses_may_be_tried_again(url: str) -> None:
    with closing(PostgreSql(url)) as database:
        with pytest.raises(DatabaseError) as caught:
            database.rows("SELECT * FROM nowhere")
        assert (type(caught.value), str(caught.value)) == (
            DatabaseError,
            'relation "nowhere" does not exist',
        )


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://127.0.0.1:1/room", DatabaseError),
        ("postgresql://127.0.0.1/room?colour=red", WrongDatabaseError),
        ("postgresql://hub@127.0.0.1:red/room", WrongDatabaseError),
    ],
)
def test_only_a_url_that_cannot_be_read_is_wrong_for_ever(
    url: str, kind: type[DatabaseError]
) -> None:
    with pytest.raises(DatabaseError) as caught:
        PostgreSql(url)
    assert type(caught.value) is kind
    assert str(caught.value).count("\n") == 0 < len(str(caught.value))
