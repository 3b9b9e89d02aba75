"""The directory in which a clock looks for offers of the next match."""

from pathlib import Path

from clock.config.offer import MAX_BYTES
from clock.files import replace_file
from clock.storage.offer_file import OFFER


def put_offer(directory: Path, offer: bytes) -> str:
    """Write an offer where the clock finds it, whole or not at all; return why not, or ""."""
    if len(offer) > MAX_BYTES:
        return f"the offer has {len(offer)} bytes; at most {MAX_BYTES} are allowed"
    try:
        replace_file(directory / OFFER, offer, 0o644, durable=False)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    return ""
