"""The names of boards in addresses."""

import pytest

from lab.support.boards import LOG, PORT, Hall, named
from lab.support.logs import renamed
from room.boards.names import LONGEST_ID, free_id


@pytest.mark.parametrize("name", ["../../etc", "<b>", "a b", "\u202e", "%2e%2e", "x" * 999, "é"])
def test_an_id_is_safe_in_addresses(name: str) -> None:
    id_ = free_id(name, ())
    assert id_.replace("-", "").isascii()
    assert id_.replace("-", "").isalnum()
    assert len(id_) <= LONGEST_ID


@pytest.mark.parametrize("at_once", [True, False])
def test_each_board_is_shown_under_an_id_of_its_own(at_once: bool) -> None:
    """Also if their names differ only by what no address may have."""
    hall, boards = Hall(), ["卓一", "卓二", "7", "7!", "7-2", "7", "卓一"]
    for key, board in enumerate(boards):
        hall.lines(PORT._replace(key=f"{key}"), renamed(named(LOG[:1], board), f"{key}"))
        if not at_once:
            hall.register.refresh(0)
    hall.register.refresh(0)
    assert sorted(each.board or "" for each in hall.register.boards.values()) == sorted(boards)


def test_an_id_is_said_to_be_gone_once() -> None:
    hall = Hall()
    gone = list[list[str]]()
    for board in ("7", "8", "7", "7"):
        hall.lines(PORT, renamed(named(LOG[:1], board), f"m{len(gone)}"))
        gone.append(hall.register.refresh(0).gone)
    assert gone == [[], ["7"], ["8"], []]


def test_two_boards_of_one_name_have_ids_of_their_own() -> None:
    assert [free_id("7", taken) for taken in ((), ("7",), ("7", "7-2"))] == ["7", "7-2", "7-3"]
