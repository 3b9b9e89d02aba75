"""The server of the pages that need no installation."""

import os
import signal
import threading
import urllib.request
import webbrowser
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gammonclock.static_pages import serve
from room.web.page_files import BROWSER_HEADERS

TYPES = {
    "": "text/html; charset=utf-8",
    "index.html": "text/html; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "program.zip": "application/zip",
}


class Reader(webbrowser.BaseBrowser):
    """A browser whose user reads the pages, and then presses Ctrl-C in the terminal."""

    def __init__(self) -> None:
        super().__init__()
        self.address, self.read = "", dict[str, tuple[bytes, Message]]()

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: ARG002
        self.address = url
        threading.Thread(target=self._read).start()
        return True

    def _read(self) -> None:
        directly = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            for name in TYPES:
                with directly.open(f"{self.address}{name}") as answer:
                    self.read[name] = answer.read(), answer.headers
        finally:
            os.kill(os.getpid(), signal.SIGINT)


def test_the_browser_is_shown_the_pages_until_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their types are their own, whatever the system says; they load nothing from elsewhere."""
    for name in filter(None, TYPES):
        (tmp_path / name).write_bytes(b"content")
    monkeypatch.setattr(webbrowser, "_tryorder", ["reader"])
    monkeypatch.setattr(webbrowser, "_browsers", {"reader": [None, reader := Reader()]})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job ignores it
    try:
        serve(tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    said = capsys.readouterr().out
    assert (said.startswith(reader.address), said.endswith("Ctrl-C ends.\n")) == (True, True)
    assert urlsplit(reader.address).port not in {80, *range(10)}
    for name, kind in TYPES.items():
        content, headers = reader.read[name]
        assert (content, headers["Content-Type"]) == (b"content", kind)
        assert BROWSER_HEADERS.items() <= dict(headers).items()
