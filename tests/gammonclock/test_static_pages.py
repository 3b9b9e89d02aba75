"""The server of the pages that need no installation."""

import threading
import urllib.request
from pathlib import Path

import pytest

from gammonclock.static_pages import server
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
