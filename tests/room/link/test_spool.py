"""Offers are put where the clock finds them."""

from pathlib import Path

from clock.config.offer import MAX_BYTES
from room.link.spool import put_offer


def test_an_offer_that_cannot_be_put(tmp_path: Path) -> None:
    assert "No such file" in put_offer(tmp_path / "missing", b"{}")
    assert str(MAX_BYTES) in put_offer(tmp_path, bytes(MAX_BYTES + 1))
    assert list(tmp_path.iterdir()) == []
