"""The names of boards in addresses."""

import pytest

from room.boards.names import LONGEST_ID, free_id


@pytest.mark.parametrize("name", ["../../etc", "<b>", "a b", "\u202e", "%2e%2e", "x" * 999, "é"])
def test_an_id_is_safe_in_addresses(name: str) -> None:
    id_ = free_id(name, ())
    assert id_.replace("-", "").isascii()
    assert id_.replace("-", "").isalnum()
    assert len(id_) <= LONGEST_ID


def test_two_boards_of_one_name_have_ids_of_their_own() -> None:
    assert [free_id("7", taken) for taken in ((), ("7",), ("7", "7-2"))] == ["7", "7-2", "7-3"]
