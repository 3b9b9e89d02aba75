"""The directory in which a clock looks for offers of the next match."""

from pathlib import Path

from clock.config.offer import MAX_BYTES
from clock.storage.offer_file import OFFER


def put_offer(directory: Path, offer: bytes) -> str:
    """Write an offer where the clock finds it, whole or not at all; return why not, or ""."""
    if len(offer) > MAX_BYTES:
        return f"the offer has {len(offer)} bytes; at most {MAX_BYTES} are allowed"
    new = directory / f".{OFFER}.new"
    try:
        new.write_bytes(offer)
        new.chmod(0o644)
        new.replace(directory / OFFER)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    return ""
