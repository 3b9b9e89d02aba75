"""Serve the pages that `make browser` has made, to this computer alone."""

import webbrowser
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike
from pathlib import Path

from gammonclock.console import show

PAGES = Path(__file__).parents[1] / "dist" / "browser"
POLICY = "Content-Security-Policy"  # which each page states too: other servers may not
HEADERS = {
    POLICY: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


TYPES = {  # not those of the system: a registry may call a program plain text
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


class _Handler(SimpleHTTPRequestHandler):
    def guess_type(self, path: str | PathLike[str]) -> str:
        return TYPES.get(Path(path).suffix, "application/octet-stream")

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def server(folder: Path) -> ThreadingHTTPServer:
    """Return a server of a folder on a free port of this computer; it does not run yet.

    Raises:
        OSError: no port is free.
    """
    return ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=folder))


def serve(folder: Path) -> None:
    """Serve the pages until interrupted, and open them in the browser.

    Raises:
        OSError: no port is free.
    """
    with server(folder) as serving, suppress(KeyboardInterrupt):
        address = f"http://127.0.0.1:{serving.server_port}/"
        show(f"{address}  settings, proof, report and practice. Ctrl-C ends.")
        webbrowser.open(address)
        serving.serve_forever()
