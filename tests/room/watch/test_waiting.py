"""A hub whose database is gone at its start: it says so, and begins when the database is back."""

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit
from threading import Thread

import pytest

from room.store.opening import WrongStoreError
from room.store.store import Store
from room.watch.waiting import WAITS, open_when_possible
from room.web.access import Access
from tests.support.postgresql import PostgreSqlServer

TOKEN = "director-token"  # noqa: S105 (of this test)
WAIT_S = 60


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Where the pages are asked for."""
    monkeypatch.setattr("room.watch.waiting.FIRST_S", 0.01)
    monkeypatch.setattr("room.watch.waiting.LONGEST_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def said(listening: socket.socket, path: str) -> str:
    """What stands on a page of a hub that is not ready."""
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/{path}"
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(address, timeout=WAIT_S)
    with refused.value as answer:
        assert (answer.code, answer.headers["retry-after"]) == (503, "5")
        return answer.read().decode()


@pytest.mark.slow
def test_a_server_that_is_down_is_told_and_tried_again(listening: socket.socket) -> None:
    """The director reads why, everybody else that the hub waits; then the hub has its database."""
    found: list[Store] = []
    with PostgreSqlServer() as server:
        url = server.new_url()
        server.stop()

        def wait() -> None:
            access = Access(TOKEN, guarded=True)
            found.append(open_when_possible(lambda: Store(url), listening, access))

        waiting = Thread(target=wait, daemon=True)
        waiting.start()
        assert said(listening, "wall").endswith(f"<p>{WAITS}</p></main>")
        assert "postgresql:///postgres: connection" in said(listening, f"room?token={TOKEN}")
        assert WAITS in said(listening, "api/boards")
        server.start()
        waiting.join(WAIT_S)
        with closing(found[0]) as store:
            assert store.flush()


def test_a_full_disk_is_tried_again(listening: socket.socket, tmp_path: Path) -> None:
    """The file is made when there is room for it."""
    tried: list[None] = []

    def open_store() -> Store:
        tried.append(None)
        soft, hard = getrlimit(RLIMIT_FSIZE)
        setrlimit(RLIMIT_FSIZE, (4096 if len(tried) < 3 else soft, hard))
        try:
            return Store(tmp_path / "club.sqlite")
        finally:
            setrlimit(RLIMIT_FSIZE, (soft, hard))

    with closing(open_when_possible(open_store, listening, Access())) as store:
        assert (len(tried), store.flush()) == (3, True)


def test_the_wrong_file_is_refused_at_once(listening: socket.socket, tmp_path: Path) -> None:
    """No attempt would ever open it."""
    path = tmp_path / "club.sqlite"
    path.write_bytes(b"no database")
    with pytest.raises(WrongStoreError):
        open_when_possible(lambda: Store(path), listening, Access())
