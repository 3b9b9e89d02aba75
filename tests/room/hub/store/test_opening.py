"""Reading from a database whose connection may have been lost."""

import sys
from contextlib import closing

import pytest

from room.hub.store.database import Database, DatabaseError, WrongDatabaseError
from room.hub.store.opening import StoreError, open_database, read


def test_a_lost_connection_is_tried_twice() -> None:
    """The first error says that it was lost, the second one is told."""
    answers: list[str | DatabaseError]
    answers = [DatabaseError("lost"), "found", DatabaseError("lost"), DatabaseError("gone")]

    def find(database: Database, match: str) -> str:
        assert match == "m"
        answer = answers.pop(0)
        if isinstance(answer, DatabaseError):
            raise answer
        return answer

    with closing(open_database(None)) as database:
        assert read(database, "club", find, "m") == "found"
        with pytest.raises(StoreError, match="club: gone"):
            read(database, "club", find, "m")


@pytest.mark.parametrize("missing", ["psycopg", "room.hub.store.postgresql"])
def test_what_postgresql_needs_is_named_and_a_fault_of_ours_is_no_advice(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.delitem(sys.modules, "room.hub.store.postgresql", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    error = WrongDatabaseError if missing == "psycopg" else ModuleNotFoundError
    with pytest.raises(error, match="postgres"):
        open_database("postgresql://host/club")
