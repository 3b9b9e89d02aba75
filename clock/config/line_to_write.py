"""The line to write in place of one whose value is not quite TOML, or not of the key's kind.

A person who writes `time_per_point = 2:00` or `practice = yes` means a value that the schema knows.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import msgspec

from clock.config.characters import QUOTES
from clock.config.schema import ConfigFile, MatchTable, PresetTable, RulesTable

LONGEST = 200  # characters of a line that is looked at
_TABLE = re.compile(r"\s*\[+\s*([\w.-]+)\s*\]+")
_HEADING = re.compile(r"\s*(\[{0,2})\s*([\w.-]+)\s*(\]{0,2})\s*(?:#.*)?")
_PAIR = re.compile(r"\s*(?:[\w-]+\.)?([\w-]+)\s*[=:]\s*(.*?)\s*(?:#.*)?")
_QUOTES = f"\"'{QUOTES}"
_UNITS = re.compile(r"(?:(\d{1,3})\s*m[a-zæøå]*\.?)?\s*(?:(\d{1,3})\s*s[a-z]*\.?)?", re.IGNORECASE)
_WORDS = {
    **dict.fromkeys(("yes", "on", "ja"), "true"),
    **dict.fromkeys(("no", "off", "nein", "nej", "nei"), "false"),
}


def line_to_write(text: str, number: int) -> str | None:
    """Return the line to write in place of line `number` of a text that TOML refuses.

    None: the line gives no value of a known key, or it is not clear which one is meant.
    """
    lines = text.split("\n")
    line = lines[number - 1][:LONGEST].rstrip("\r")
    if heading := _HEADING.fullmatch(line):
        return _heading(*heading.groups())
    pair = _PAIR.fullmatch(line)
    if pair is None:
        return None
    tables = [found[1] for line in lines[: number - 1] if (found := _TABLE.match(line))]
    for kind in _kinds(tables[-1] if tables else "", pair[1]):
        value = value_to_write(pair[2], kind)
        if value is not None and (value != pair[2] or ":" in line):
            return f"{pair[1]} = {value}"
    return None


def _heading(before: str, name: str, after: str) -> str | None:
    """Return the line that begins a table, of which a bracket is missing; None: it is none."""
    names = {field.name for field in msgspec.structs.fields(ConfigFile)} | {"buttons.pins"}
    if before == after or name not in names:
        return None
    return f"[[{name}]]" if name == "preset" else f"[{name}]"


def _kinds(table: str, key: str) -> Iterator[Any]:
    """Yield what a key of the table above it can be, or of any table if there is none."""
    shapes = {field.name: field.type for field in msgspec.structs.fields(ConfigFile)}
    shapes |= {"buttons.pins": shapes["buttons"].__annotations__["pins"]}
    own: list[Any] = [shapes.get(table)] if table else list(shapes.values())
    if table == "preset":
        own = [PresetTable, MatchTable, RulesTable]
    for shape in own:
        if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
            yield from (each.type for each in msgspec.structs.fields(shape) if each.name == key)


def value_to_write(found: str, kind: Any) -> str | None:
    """Return a value of this kind as it is written in TOML, made of what was found; None: none."""
    for written in _candidates(found.strip(" \t,;")):
        try:
            msgspec.convert(tomllib.loads(f"value = {written}")["value"], kind)
        except (ValueError, TypeError):
            continue
        return written
    return None


def _candidates(found: str) -> Iterator[str]:
    bare = found.strip(_QUOTES)
    yield bare
    yield _WORDS.get(bare.lower(), bare.lower())
    yield bare.lstrip("0")
    yield re.sub(r"[.,]0+$", "", bare)
    for text in dict.fromkeys((bare, bare.lower(), bare.upper())):
        yield _quoted(text)
    if (units := _UNITS.fullmatch(bare)) and any(units.groups()):  # 2 min 30 s
        minutes, seconds = (int(each or 0) for each in units.groups())
        yield _quoted(f"{minutes + seconds // 60}:{seconds % 60:02}")
    inner = bare.strip("[](){}")
    for split in (r"\s*[,;]\s*", r"\s*[-:/]\s*|\s+"):
        parts = [part.strip(_QUOTES) for part in re.split(split, inner) if part]
        if any({*part} & {*'[]"'} for part in parts):  # something stands behind the list
            continue
        yield f"[{', '.join(parts)}]"
        yield f"[{', '.join(map(_quoted, parts))}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
