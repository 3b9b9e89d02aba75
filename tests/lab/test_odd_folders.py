"""No neighbour turns what is said of a log; `python -m lab.odd_folders` tries ten thousand."""

import pytest

from lab.odd_folders import odd_folder
from lab.support.rows import rest_slow


@pytest.mark.rule("R213", "R214")
@pytest.mark.parametrize("part", rest_slow(range(6)))
def test_no_neighbour_turns_what_is_said_of_a_log(part: int) -> None:
    assert [
        said for number in range(part * 10, part * 10 + 10) if (said := odd_folder(number))
    ] == []
