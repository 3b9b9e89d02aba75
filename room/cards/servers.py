"""The certificates of broker and pages: those of an earlier call, or new ones."""

from datetime import UTC, datetime
from pathlib import Path

from room.cards.certificates import Identity, ends_soon, is_for, make_pages, make_server


def server_identity(authority: Identity, host: str, *paths: Path) -> Identity:
    """Return the broker's certificate: a new one if the broker has another host now.

    Args:
        authority: of the room.
        host: of the broker.
        paths: of certificate and key, if there was an earlier call.
    """
    found = _kept(*paths)
    return found if found and is_for(found, authority, host) else make_server(authority, host)


def pages_identity(authority: Identity, host: str, *paths: Path) -> Identity:
    """Return the certificate of the pages; see `server_identity`. One that ends soon is renewed."""
    found, now = _kept(*paths), datetime.now(UTC)
    if found and is_for(found, authority, host) and not ends_soon(found, now):
        return found
    return make_pages(authority, host, now)


def _kept(*paths: Path) -> Identity | None:
    """Return the certificate of an earlier call; None: there is none."""
    if not all(path.exists() for path in paths):
        return None
    return Identity(*(path.read_text(encoding="ascii") for path in paths))
