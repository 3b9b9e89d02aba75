"""The files of the pages: found by name, never outside their folder."""

import os
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}  # not those of the system: a registry may call a program plain text
BROWSER_PAGES = Path(__file__).parents[2] / "dist" / "browser"  # where `make browser` puts them
POLICY = "Content-Security-Policy"  # which each of those states too: other servers may not
_MADE_LAST = "files.json"  # of them
BROWSER_HEADERS = {
    POLICY: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}


def are_made(folder: Path) -> bool:
    """Return whether `make browser` has made all its pages in a folder, and they can be read."""
    return os.access(folder / _MADE_LAST, os.R_OK)


def media_type(name: str) -> str:
    """Return what a server has to call a file, by its name."""
    kind = TYPES.get(PurePath(name).suffix, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def page_file(path: str, folder: Traversable | None = None) -> tuple[bytes, str] | None:
    """Return the content and the type of a page's file; None if there is none of that name.

    Args:
        path: below the folder, with "/" between folders, as it came from outside.
        folder: of the files; None: that of the pages.
    """
    names = path.split("/")
    suffix = f".{names[-1].rpartition('.')[2]}"
    if suffix not in TYPES or not all(_is_plain(name) for name in names):
        return None
    file = resources.files("room").joinpath("pages") if folder is None else folder
    for name in names:
        file = file.joinpath(name)
    return (file.read_bytes(), TYPES[suffix]) if file.is_file() else None


def _is_plain(name: str) -> bool:
    """Return whether a name leads to a file of the folder that it is in."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    return plain.isalnum() and not name.startswith(".")
