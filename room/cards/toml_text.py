"""Write tables as TOML."""

from collections.abc import Iterator

import msgspec
from msgspec import Struct, structs


def toml_text(tables: Struct) -> str:
    """Return the TOML text of a struct whose fields are values and tables of values.

    Strings are quoted as in JSON, of which the escapes are those of TOML.
    """
    return "\n".join(_lines(tables)) + "\n"


def _lines(tables: Struct) -> Iterator[str]:
    fields = structs.asdict(tables)
    for name, value in fields.items():
        if not isinstance(value, Struct):
            yield f"{name} = {msgspec.json.encode(value).decode()}"
    for name, value in fields.items():
        if isinstance(value, Struct):
            yield f"\n[{name}]"
            yield from _lines(value)
