"""The boards that are still taken out in the next run of a hub."""

from contextlib import closing
from pathlib import Path

from room.hub.store.store import Store


def test_a_board_is_taken_out_until_it_is_put_back(tmp_path: Path) -> None:
    file = tmp_path / "club.sqlite"
    with closing(Store(file)) as store:
        store.keep_taken_out(["hall/red-7", "hall/red-8", "hall/red-7"], are_out=True)
    with closing(Store(file)) as store:
        assert sorted(store.taken_out) == ["hall/red-7", "hall/red-8"]
        store.keep_taken_out(["hall/red-7"], are_out=False)
    with closing(Store(file)) as store:
        assert store.taken_out == ["hall/red-8"]
