"""The offers that the next run of a hub still has."""

from pathlib import Path

import pytest

from room.hub.store.store import Store

DAY = 20600


@pytest.mark.rule("R134")
@pytest.mark.parametrize(
    ("later", "kept"), [(day, b"second" if abs(day) < 2 else None) for day in range(-2, 3)]
)
def test_the_latest_offer_is_there_until_its_event_is_over(
    tmp_path: Path, later: int, kept: bytes | None
) -> None:
    file = tmp_path / "club.sqlite"
    store = Store(file, lambda: DAY)
    for offer in (b"first", b"second"):
        store.keep_offer("red-7", offer)
    assert store.close()
    again = Store(file, lambda: DAY + later)
    assert again.offers.get("red-7") == kept
    assert again.close()
