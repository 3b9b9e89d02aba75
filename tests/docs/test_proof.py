"""The page on what was proved says what `make prove` found."""

from lab.docs.generate_proof import PAGE, with_tables


def test_the_tables_are_those_of_the_results() -> None:
    """`make docs` writes them; `make prove` notes the results."""
    text = PAGE.read_text(encoding="utf-8")
    assert with_tables(text) == text
