"""Serve the pages that `make browser` has made, to this computer alone."""

import webbrowser
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike
from pathlib import Path

from gammonclock.console import show
from room.web.page_files import BROWSER_HEADERS, media_type


class _Handler(SimpleHTTPRequestHandler):
    def guess_type(self, path: str | PathLike[str]) -> str:
        return media_type(str(path))

    def end_headers(self) -> None:
        for name, value in BROWSER_HEADERS.items():
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
