"""Run these tests only if the trees have been made; a Pi for the story of each suite."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from lab.emulated.trees import TreeError, require_trees

if TYPE_CHECKING:
    from tests.emulated.installation import Pi

pytest.register_assert_rewrite("tests.emulated.installation")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Stop with a usage error if there are none."""
    try:
        require_trees()
    except TreeError as error:
        raise pytest.UsageError(str(error)) from error


@pytest.fixture(scope="class")
def pi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Pi]":
    """Return a Pi without a clock; its card is erased afterwards."""
    from tests.emulated.installation import Installation, Pi

    assert issubclass(request.cls, Installation)
    folder = tmp_path_factory.mktemp(request.cls.suite)
    yield Pi(request.cls.suite, folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="class")
def before(pi: "Pi") -> set[str]:
    return pi.tree()


@pytest.fixture(scope="class")
def installed(pi: "Pi", before: set[str]) -> str:
    """Return what the installation printed; it has ended well."""
    assert before
    return pi.done("make", "install-pi", "PROFILE=ebf")
