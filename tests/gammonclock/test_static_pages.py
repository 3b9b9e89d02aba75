"""The server of the pages that need no installation."""

import os
import signal
import threading
import urllib.request
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gammonclock.static_pages import serve, server
from room.web.page_files import BROWSER_HEADERS


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("page.js", "text/javascript; charset=utf-8"),
        ("program.zip", "application/zip"),
    ],
)
def test_types_and_policy_are_its_own(name: str, kind: str, tmp_path: Path) -> None:
    """Whatever the system calls a file; and pages may load nothing from elsewhere."""
    (tmp_path / name).write_bytes(b"content")
    with server(tmp_path) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{serving.server_port}/{name}"
        with urllib.request.urlopen(address) as answer:
            assert answer.read() == b"content"
            assert answer.headers["Content-Type"] == kind
            assert BROWSER_HEADERS.items() <= dict(answer.headers).items()
        serving.shutdown()


class _Reader(webbrowser.BaseBrowser):
    """A browser whose user reads the page, and then presses Ctrl-C in the terminal."""

    read = ""

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:  # noqa: ARG002
        threading.Thread(target=self._read, args=(url,)).start()
        return True

    def _read(self, url: str) -> None:
        with urllib.request.urlopen(url) as answer:  # noqa: S310 (of this computer)
            self.read = f"{url}  {answer.read().decode()}"
        os.kill(os.getpid(), signal.SIGINT)


def test_the_browser_shows_the_pages_until_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.html").write_text("settings, ")
    reader = _Reader()
    monkeypatch.setattr(webbrowser, "_tryorder", ["reader"])
    monkeypatch.setattr(webbrowser, "_browsers", {"reader": [None, reader]})
    serve(tmp_path)
    said = capsys.readouterr().out
    assert said.startswith(reader.read)
    assert urlsplit(reader.read).port not in {80, *range(10)}
    assert said.endswith("Ctrl-C ends.\n")
