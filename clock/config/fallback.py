"""What a file that cannot be used says of the hardware all the same.

A clock with a wrong file still has panels, and shows on them what is wrong: in the language, on the
bus and in the way that the file says, as far as that much of it is right. The one rule: whatever
the file holds, there is an answer, and no table that speaks of a match is in it.
"""

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from clock.config.loader import MAX_BYTES, Settings, settings_of
from clock.config.checks import faults
from clock.config.schema import ConfigFile
from clock.match.profiles import PROFILES

TABLES = ("display", "buttons", "sound", "lamps", "log", "director")
MOST_ERRORS = 50  # lines that are taken out; a file with more is no configuration

TableT = TypeVar("TableT", bound=msgspec.Struct)


def salvaged(path: Path | None) -> Settings:
    """The settings of a file; each key of hardware that is right by itself, else its default."""
    try:
        with Path(path or "").open("rb") as file:
            content = file.read(MAX_BYTES)
    except OSError:
        content = b""
    return settings_of(salvaged_text(content.decode(errors="replace")), PROFILES["ebf"])


def salvaged_text(text: str) -> ConfigFile:
    """The tables of hardware of a text, and the director's code."""
    document = _document(text.removeprefix("\ufeff"))
    known = {name: table for name, table in document.items() if name in TABLES}
    return _together(_table(known, ConfigFile))


def _document(text: str) -> dict[str, Any]:
    """A text as TOML, without the lines that are none."""
    lines = text.split("\n")
    for _ in range(MOST_ERRORS):
        try:
            return tomllib.loads("\n".join(lines))
        except (ValueError, RecursionError) as error:
            position = re.search(r"at line (\d+)", str(error))
            at = int(position[1]) if position else len(lines)
            del lines[at - 1]
            if not lines:
                break
    return {}


def _table(found: object, shape: type[TableT]) -> TableT:
    """A table; what does not fit is as if it were not there."""
    values = {}
    for field in msgspec.structs.fields(shape):
        if not isinstance(found, dict) or field.name not in found:
            continue
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            values[field.name] = _table(found[field.name], field.type)
            continue
        with suppress(msgspec.ValidationError):
            values[field.name] = msgspec.convert(found[field.name], field.type)
    return shape(**values)


def _together(file: ConfigFile) -> ConfigFile:
    """Keys that are right alone and wrong together get their defaults, which never are."""
    for _ in msgspec.structs.fields(ConfigFile):
        wrong = next(faults(file, PROFILES["ebf"], ""), None)
        if wrong is None:
            break
        name, key = wrong.key.split(".")
        table, default = getattr(file, name), getattr(ConfigFile(), name)
        mended = msgspec.structs.replace(table, **{key: getattr(default, key)})
        file = msgspec.structs.replace(file, **{name: mended})
    return file
