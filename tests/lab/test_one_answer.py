"""All readers say one thing of one file; `python -m lab.one_answer` gives them two thousand."""

import pytest

from lab.one_answer import corpus, differences
from lab.support.rows import rest_slow


@pytest.mark.rule("R214")
@pytest.mark.parametrize("part", rest_slow(range(4)))
def test_all_readers_give_one_answer_to_one_file(part: int) -> None:
    cases = list(corpus())[part * 9 :: 97]
    assert [said for case in cases for said in differences(case)] == []
