"""Many rows of a table in one test: each has its name, and none costs what a test costs."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def row(*name: object) -> Iterator[None]:
    """Name a row beside whatever is raised about it."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the row {', '.join(map(str, name))}")
        raise
