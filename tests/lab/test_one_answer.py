"""All readers say one thing of one file; `python -m lab.one_answer` gives them two thousand."""

import pytest

from lab.one_answer import corpus, differences


@pytest.mark.rule("R214")
@pytest.mark.parametrize("part", range(4))
def test_all_readers_give_one_answer_to_one_file(part: int) -> None:
    cases = list(corpus())[part * 9 :: 97]
    assert [said for case in cases for said in differences(case)] == []
