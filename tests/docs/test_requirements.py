"""Every requirement and trap has a test, and lab/requirements.md names it."""

import pytest

from lab.docs.generate_requirements import (
    TABLE,
    MarkerError,
    Proof,
    proofs,
    proofs_in,
    requirements,
    table,
)

RULES = (*range(1, 135), *range(140, 149), *range(150, 153))  # others are not given
NEWER = range(201, 225)


def test_the_numbers_are_complete() -> None:
    """R1 to R134, R140 on, those after R200 and T1 to T14, in their order."""
    rules, traps = [f"R{n}" for n in (*RULES, *NEWER)], [f"T{n}" for n in range(1, 15)]
    assert [*requirements()] == [*rules, *traps]


def test_every_number_is_proven() -> None:
    """Each number has a test, each marker names a number, and the page says so."""
    assert {proof.number for proof in proofs()} == requirements().keys()
    assert TABLE.read_text("utf-8") == table(), "lab/requirements.md is out of date: make docs"


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("@pytest.mark.rule('R1')\ndef test_a(): ...", "f.py::test_a"),
        ("@pytest.mark.rule(*('R1',))\ndef test_a(): ...", "f.py::test_a"),
        ("@mark.rule('R1')\ndef test_a(): ...", "f.py::test_a"),
        ("@pytest.mark.rule('R1')\nclass TestA: ...", "f.py::TestA"),
        ("class TestA:\n    @pytest.mark.rule('R1')\n    def test_a(): ...", "f.py::TestA::test_a"),
        ("pytestmark = [pytest.mark.rule('R1')]", "f.py"),
        ("TestA = Machine.TestCase\nTestA.pytestmark = [pytest.mark.rule('R1')]", "f.py::TestA"),
        (
            """
@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.rule('R1'))])
def test_a(x): ...
""",
            "f.py::test_a",
        ),
        (
            """
CASES: list[object] = [pytest.param(1, marks=[pytest.mark.rule('R1')])]
@pytest.mark.parametrize('x', CASES)
def test_a(x): ...
""",
            "f.py::test_a",
        ),
    ],
)
def test_where_a_marker_is_found(source: str, test: str) -> None:
    assert proofs_in(source, "f.py") == [Proof("R1", test)]


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.rule('R1')\ndef not_a_test(): ...",
        "CASES = [pytest.param(1, marks=pytest.mark.rule('R1'))]",
        "@pytest.mark.rule(NUMBER)\ndef test_a(): ...",
        "@pytest.mark.rule()\ndef test_a(): ...",
    ],
)
def test_a_marker_that_proves_nothing_is_an_error(source: str) -> None:
    """A marker without a test or without numbers is an error."""
    with pytest.raises(MarkerError, match=r"f\.py:1"):
        proofs_in(source, "f.py")
