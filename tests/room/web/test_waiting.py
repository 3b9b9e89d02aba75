"""A hub whose database is gone at its start: it says so, and begins when the database is back."""

import asyncio
import os
import signal
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit
from threading import Event, Thread

import msgspec
import pytest
from starlette.requests import Request

from clock import __version__
from clock.ui.i18n import LANGUAGES
from lab.room_seeds.virtual_time import VirtualLoop
from lab.support.postgresql import PostgreSqlServer
from room.cards.certificates import make_authority, make_pages
from room.hub.store.opening import StoreError, WrongStoreError
from room.hub.store.store import Store
from room.web.access import Access
from room.web.answers import page_language
from room.web.server import Tls
from room.web.waiting import LONGEST_S, _opened, _page, open_when_possible
from room.web.waiting import said as waits_for

TOKEN = "director-token"  # noqa: S105 (of this test)
WAIT_S = 60
WAITS_FOR = {language: waits_for(language)[1] for language in ("en", "de")}


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """Where the pages are asked for."""
    monkeypatch.setattr("room.web.waiting.FIRST_S", 0.01)
    monkeypatch.setattr("room.web.waiting.LONGEST_S", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def answer_of(listening: socket.socket, path: str, languages: str = "") -> tuple[Message, str]:
    """The headers and the text of what a hub that is not ready answers."""
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/{path}"
    asked = urllib.request.Request(address, headers={"accept-language": languages})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked, timeout=WAIT_S)  # noqa: S310
    with refused.value as answer:
        assert (answer.code, answer.headers["retry-after"]) == (503, "5")
        return answer.headers, answer.read().decode()


def said(listening: socket.socket, path: str, languages: str = "") -> str:
    """What stands on a page of a hub that is not ready, for a browser that prefers languages."""
    return answer_of(listening, path, languages)[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_why_in_each_language(language: str) -> None:
    page = _page(language, "refused <b>")
    assert f'lang="{language}"' in page
    assert "refused &lt;b&gt;" in page
    assert "{" not in page


def test_a_page_is_in_the_language_of_its_reader() -> None:
    read = {b"fr, de-CH;q=0.8, da": "de", b" NO ;q=1": "nb", b"nn-NO": "nb", b"nb": "nb", b"": "en"}
    for prefers, language in read.items():
        for query, found in ((b"", language), (b"lang=fr", language), (b"lang=da", "da")):
            headers = [(b"accept-language", prefers)]
            request = Request({"type": "http", "query_string": query, "headers": headers})
            assert page_language(request) == found


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
        english, german = WAITS_FOR["en"], WAITS_FOR["de"]
        assert english in said(listening, "wall")
        assert german in said(listening, "wall?lang=de")
        assert german in said(listening, "wall", "fr, de-CH;q=0.8")
        assert "postgresql" not in said(listening, "wall")
        assert "postgresql:///postgres: connection" in said(listening, f"room?token={TOKEN}")
        assert english in said(listening, "api/1/boards")
        server.start()
        waiting.join(WAIT_S)
        with closing(found[0]) as store:
            assert store.flush()


def test_a_full_disk_is_tried_again(
    listening: socket.socket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The terminal says so once; a program that asks for the hub's health hears it each time."""
    tried: list[None] = []

    def open_store() -> Store:
        tried.append(None)
        if len(tried) > 1:  # the server runs
            health = msgspec.json.decode(said(listening, "health"))
            assert (health["status"], health["version"]) == ("waiting", __version__)
        soft, hard = getrlimit(RLIMIT_FSIZE)
        setrlimit(RLIMIT_FSIZE, (4096 if len(tried) < 3 else soft, hard))
        try:
            return Store(tmp_path / "club.sqlite")
        finally:
            setrlimit(RLIMIT_FSIZE, (soft, hard))

    with closing(open_when_possible(open_store, listening, Access())) as store:
        assert (len(tried), store.flush()) == (3, True)
    assert capsys.readouterr().err.count("The pages say so; it is tried again") == 1


def test_the_newest_reason_is_said(
    listening: socket.socket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the terminal when it is new; by pages, which are loaded again; and to programs."""
    reasons = iter(["the server is down", "the disk is full"])

    def open_store() -> Store:
        if why := next(reasons, ""):
            raise StoreError(why)
        health = msgspec.json.decode(said(listening, "health"))
        [text] = health.pop("troubles")
        assert "the disk is full" in text
        state = {"status": "waiting", "lines_waiting": 0, "oldest_s": 0, "version": __version__}
        assert health == state
        headers, boards = answer_of(listening, "api/1/boards")
        assert headers["content-type"] == "application/json"
        assert msgspec.json.decode(boards) == {"error": text}
        headers, page = answer_of(listening, "wall")
        assert (headers.get_content_type(), headers["refresh"]) == ("text/html", "5")
        assert "the disk is full" in page
        check_static(listening)
        return Store(tmp_path / "club.sqlite")

    open_when_possible(open_store, listening, Access()).close()
    lines = capsys.readouterr().err.splitlines()
    assert ["the server is down" in lines[0], "the disk is full" in lines[1]] == [True, True]
    assert len(lines) == 2


def check_static(listening: socket.socket) -> None:
    """The page's files are there, and no others."""
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/static/"
    with urllib.request.urlopen(f"{address}style.css", timeout=WAIT_S) as style:  # noqa: S310
        assert (style.headers.get_content_type(), b"{" in style.read()) == ("text/css", True)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{address}none.css", timeout=WAIT_S)  # noqa: S310


def test_ctrl_c_ends_the_wait(listening: socket.socket) -> None:
    tried: list[None] = []

    def open_store() -> Store:
        tried.append(None)
        if len(tried) == 2:  # the server runs
            os.kill(os.getpid(), signal.SIGINT)
        raise StoreError("the server is down")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        open_when_possible(open_store, listening, Access())
    signal.signal(signal.SIGINT, before)


def test_it_is_tried_again_at_least_every_half_minute() -> None:
    """Also after hours: the hub begins soon after its database is back."""
    told, times_s = list[str](), list[float]()
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()

        def attempt() -> Store:
            times_s.append(loop.time())
            raise WrongStoreError("back") if loop.time() > 3 * 3600 else StoreError("gone")

        with pytest.raises(WrongStoreError):
            runner.run(_opened(attempt, told.append))
        assert loop.time() <= 3 * 3600 + LONGEST_S
    assert times_s[:7] == [1, 3, 7, 15, 31, 61, 91]
    assert len(told) == len(times_s) - 1


def test_the_wrong_file_is_refused_at_once(
    listening: socket.socket, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No attempt would ever open it, so none is announced."""
    path = tmp_path / "club.sqlite"
    path.write_bytes(b"no database")
    with pytest.raises(WrongStoreError):
        open_when_possible(lambda: Store(path), listening, Access())
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.rule("R147")
def test_with_a_certificate_the_pages_are_https(listening: socket.socket, tmp_path: Path) -> None:
    """To who trusts the room's authority; from the first page on, while the hub waits."""
    authority = make_authority("open-2026")
    tls = Tls(tmp_path / "hub.crt", tmp_path / "hub.key")
    assert tls.problem() == f"{tls.certificate}, {tls.key}: No such file or directory"
    made = make_pages(authority, "127.0.0.1", datetime.now(UTC))
    for path, text in zip(tls, made, strict=True):
        path.write_text(text, encoding="ascii")
    assert tls.problem() == ""
    asked = Event()

    def open_store() -> Store:
        if not asked.is_set():
            raise StoreError("the disk is full")
        return Store()

    opening = Thread(
        target=lambda: open_when_possible(open_store, listening, Access(), tls).close(), daemon=True
    )
    opening.start()
    trusting = ssl.create_default_context(cadata=authority.certificate)
    address = f"https://127.0.0.1:{listening.getsockname()[1]}/health"
    with pytest.raises(urllib.error.HTTPError, match="503"):
        urllib.request.urlopen(address, context=trusting)
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(address)
    asked.set()
    opening.join(WAIT_S)
    assert not opening.is_alive()
