"""Save what can be used of a configuration file with errors.

A clock with such a file still has panels and shows the error on them: in the language and with the
wiring of the file, as far as those are valid. The tables of the match are never taken from it.
"""

import re
from pathlib import Path
from typing import Any

import msgspec

from clock.config.checks import conflicts
from clock.config.loader import DEVICE_TABLES, MAX_BYTES, make_settings, read_bytes
from clock.config.reader import parse_toml, read_tables
from clock.config.schema import ConfigFile
from clock.config.settings import Settings
from clock.match.profiles import PROFILES

MAX_BAD_LINES = 50  # a text with more syntax errors is not a configuration
MAX_PARSED = 256 * 1024  # characters, in all attempts: bounds the time for a large text


def salvage_settings(path: Path | None) -> Settings:
    """Return the settings of a file: the valid keys of its device tables, and else defaults."""
    try:
        content = read_bytes(Path(path or ""))[:MAX_BYTES]
    except OSError:
        content = b""
    return make_settings(salvage_tables(content.decode(errors="replace")), PROFILES["ebf"])


def salvage_tables(text: str) -> ConfigFile:
    """Return the valid keys of the device tables in a text, and else defaults."""
    document = _parse(text)
    known = {name: table for name, table in document.items() if name in DEVICE_TABLES}
    tables, _ = read_tables(known, "")
    return _without_conflicts(tables)


def _parse(text: str) -> dict[str, Any]:
    """Parse TOML, leaving out the lines with syntax errors."""
    lines = text.split("\n")
    for _ in range(min(MAX_BAD_LINES, MAX_PARSED // (len(text) + 1))):
        try:
            return parse_toml("\n".join(lines))
        except (ValueError, RecursionError) as error:
            position = re.search(r"at line (\d+)", str(error))
            at = int(position[1]) if position else len(lines)
            del lines[at - 1]
            if not lines:
                break
    return {}


def _without_conflicts(file: ConfigFile) -> ConfigFile:
    """Return the file with the defaults, which never conflict, in place of conflicting keys."""
    for _ in msgspec.structs.fields(ConfigFile):
        conflict = next(conflicts(file, PROFILES["ebf"], ""), None)
        if conflict is None:
            break
        name, key = conflict.key.split(".")
        table, default = getattr(file, name), getattr(ConfigFile(), name)
        corrected = msgspec.structs.replace(table, **{key: getattr(default, key)})
        file = msgspec.structs.replace(file, **{name: corrected})
    return file
