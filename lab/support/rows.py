"""Many rows of a table in one test: each has its name, and none costs what a test costs."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def row(*name: object) -> Iterator[None]:
    """Name a row beside whatever is raised about it."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the row {', '.join(map(str, name))}")
        raise


def rest_slow(values: Iterable[object]) -> list[Any]:
    """Return parameters of which `make check` tries the first alone."""
    first, *rest = values
    return [first, *(pytest.param(each, marks=pytest.mark.slow) for each in rest)]
