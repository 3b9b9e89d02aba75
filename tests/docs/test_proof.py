"""The page on what was proved says what `make prove` found."""

import pytest

from lab.docs.generate_proof import PAGE, with_tables
from lab.prove.__main__ import jobs, noted


@pytest.mark.slow
def test_the_tables_are_those_of_the_results() -> None:
    """`make docs` writes them; `make prove` notes the results."""
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text


@pytest.mark.slow
def test_all_that_is_searched_was_noted() -> None:
    results = noted()
    known = {search.name for search in results.searches} | {seen.name for seen in results.controls}
    assert {job.name for job in jobs()} == known
