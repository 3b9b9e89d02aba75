"""Read the tables of a TOML file."""

from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from clock.config.loader import read_text
from clock.config.reader import read_document, read_tables_as

TableT = TypeVar("TableT", bound=Struct)


def load_tables(path: Path, shape: type[TableT], advice: str) -> TableT:
    """Return the tables of a file; a key without a default must be given.

    Raises:
        ConfigError: the file cannot be read or used.
    """
    file = str(path)
    return read_tables_as(read_document(read_text(path), file), shape, file, advice)
