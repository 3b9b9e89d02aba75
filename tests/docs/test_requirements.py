"""Every requirement and trap has a test, and docs/requirements.md names it."""

import pytest

from tools.docs.generate_requirements import (
    TABLE,
    MarkerError,
    Proof,
    proofs,
    proofs_in,
    requirements,
    table,
)

RULES = (*range(1, 135), *range(140, 149), *range(150, 153))  # others are not given
NOT_BUILT: set[str] = set()
MAY_BE_LATER: set[str] = set()  # requirements without a test so far


def test_the_numbers_are_complete() -> None:
    """R1 to R134, R140 on and T1 to T14, in their order, but for those that are not built yet."""
    numbers = [f"R{n}" for n in RULES] + [f"T{n}" for n in range(1, 15)]
    assert list(requirements()) == [number for number in numbers if number not in NOT_BUILT]


@pytest.mark.slow
def test_every_number_is_proven() -> None:
    """Each number has a test, or says where else it is proven."""
    proven = {proof.number for proof in proofs()}
    waiting = {number for number, requirement in requirements().items() if requirement.later}
    assert [number for number in requirements() if number not in proven | waiting] == []


def test_only_listed_numbers_are_proven_elsewhere() -> None:
    """A number without a test here is listed and says where it is proven."""
    later = {number: entry.later for number, entry in requirements().items() if entry.later}
    assert set(later) <= MAY_BE_LATER
    assert all(where.startswith("durability: ") for where in later.values())


@pytest.mark.slow
def test_every_marker_names_a_known_number() -> None:
    """A marker names numbers that exist."""
    assert [proof for proof in proofs() if proof.number not in requirements()] == []


def test_the_table_is_up_to_date() -> None:
    """docs/requirements.md is what `make docs` would write."""
    written = TABLE.read_text("utf-8") if TABLE.exists() else ""
    assert written == table(), "docs/requirements.md is out of date: make docs"


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
    """A marker is found wherever pytest accepts one."""
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
