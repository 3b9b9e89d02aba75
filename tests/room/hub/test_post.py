"""`room/hub/post.py`."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.error import HTTPError

import msgspec
import pytest
from msgspec import structs

from room.hub.notices import Notice
from room.hub.outbox import Batch
from room.hub.post import About, PostError, request_of, send
from room.hub.words import page_words
from room.settings.tables import NotifyTable

CALL = Notice("call", "7", "Board 7: the players call the director", ("Anna", "Bøb"))
PAGE = "http://192.168.8.2:8037/room"
ABOUT = About(page_words("en"), "open", PAGE)
Heard = list[tuple[dict[str, str], bytes]]


class _Handler(BaseHTTPRequestHandler):
    heard: Heard

    def do_POST(self) -> None:
        """Take what is sent; refuse it, or lead elsewhere, where the address says so."""
        self.heard.append(
            (dict(self.headers), self.rfile.read(int(self.headers["content-length"])))
        )
        if self.path == "/nonsense":
            self.wfile.write(b"nonsense\n")
            return
        self.send_response(int(self.path[1:]))
        self.send_header("location", "/200")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def heard() -> Heard:
    """What the other program has heard."""
    return []


@pytest.fixture
def address(heard: Heard) -> Iterator[str]:
    """A program that answers /204 with 204."""
    handler = type("Handler", (_Handler,), {"heard": heard})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_json_is_sent_as_it_is_documented(address: str, heard: Heard) -> None:
    settings = NotifyTable(url=f"{address}/204", token="secret")  # noqa: S106 (of this test)
    send(request_of(Batch((CALL,), 2), settings, ABOUT))
    ((headers, body),) = heard
    assert headers["Authorization"] == "Bearer secret"
    assert headers["Content-Type"] == "application/json"
    notice = {"kind": "call", "board": "7", "text": CALL.text, "players": ["Anna", "Bøb"]}
    assert msgspec.json.decode(body) == {
        "version": 1,
        "room": "open",
        "page": PAGE,
        "notices": [notice],
        "left_out": 2,
    }


def test_ntfy_is_sent_a_text_with_its_headers(address: str, heard: Heard) -> None:
    """Urgent, with a link to the page; of many notices it says how many more there are."""
    settings = NotifyTable(url=f"{address}/200", kind="ntfy")
    send(request_of(Batch((CALL,) * 12, 1), settings, ABOUT))
    ((headers, body),) = heard
    assert (headers["Title"], headers["Priority"], headers["Click"]) == ("open", "high", PAGE)
    low = structs.replace(CALL, kind="low")
    for notices, priority in (((low, CALL, low), "high"), ((low,), "default")):
        request = request_of(Batch(notices, 0), settings, ABOUT)
        assert request.get_header("Priority") == priority
    lines = body.decode().splitlines()
    assert lines[0] == "Board 7: the players call the director (Anna, Bøb)"
    assert lines[-1] == "and 3 more"
    assert "Authorization" not in headers


def test_a_refusal_and_a_redirect_are_failures_that_say_who_answered(
    address: str, heard: Heard
) -> None:
    """A redirect is not followed: it would be given the token."""
    for answer, said in (("403", "403 Forbidden"), ("302", "302 Found")):
        settings = NotifyTable(url=f"{address}/{answer}")
        with pytest.raises(PostError, match=rf"127\.0\.0\.1:\d+ answers {said}") as found:
            send(request_of(Batch((CALL,), 0), settings, ABOUT))
        assert isinstance(found.value.__cause__, HTTPError)
        assert found.value.__cause__.closed  # and with it the connection
    assert len(heard) == 2
    nowhere = "http://127.0.0.1:1"
    for url, said in (
        (nowhere, r":1: \[Errno 111\] .*refused"),
        (f"{address}/nonsense", ": nonsense"),
    ):
        with pytest.raises(PostError, match=rf"^127\.0\.0\.1.*{said}"):
            send(request_of(Batch((CALL,), 0), NotifyTable(url=url), ABOUT))


def test_a_program_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("room.hub.post.TIMEOUT_S", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = NotifyTable(url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        socket.setdefaulttimeout(0)  # without a time of its own, a request would fail otherwise
        try:
            with pytest.raises(PostError, match="timed out"):
                send(request_of(Batch((CALL,), 0), settings, ABOUT))
        finally:
            socket.setdefaulttimeout(None)
