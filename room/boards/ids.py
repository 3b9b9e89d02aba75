"""The names of boards in addresses."""

from collections.abc import Iterable, Iterator

LONGEST_ID = 40  # characters


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """Return an address-safe name that no other board has."""
    name = "".join(each if each.isascii() and each.isalnum() else "-" for each in wanted)
    name = "-".join(filter(None, name.split("-")))[-LONGEST_ID:] or "board"
    return next(each for each in _numbered(name) if each not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1
