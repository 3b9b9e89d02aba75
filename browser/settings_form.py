"""The form of a settings file: its fields, made from the schema, and the text that it writes.

The text is what counts: a field is read from it and written into it, line by line, so comments and
whatever the form does not show stay as they are.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from enum import EnumType, StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from clock.config.line_to_write import value_to_write
from clock.config.loader import parse_settings, read_text
from clock.config.reader import BYTE_ORDER_MARK, ConfigError
from clock.config.schema import ConfigFile, RulesTable
from clock.match.durations import duration_text
from clock.match.profiles import PROFILES
from clock.match.rules import Rules

CONFIG = Path(__file__).with_name("config")
NAME = "gammonclock.toml"
ALL = "gammonclock.toml"  # in `CONFIG`, with a comment for each key
MAIN = (
    ("rules", "profile"), ("match", "length"), ("match", "names"), ("match", "score"),
    ("match", "event"), ("match", "round"), ("display", "language"), ("rules", "time_per_point"),
    ("rules", "time_per_match"), ("rules", "delay"), ("rules", "overtime"), ("rules", "breaks"),
    ("rules", "break_length"), ("match", "format"), ("match", "play"), ("match", "practice"),
)  # fmt: skip
_HEADER = re.compile(r"\s*\[+\s*([\w.]+)\s*\]+\s*(?:#.*)?")


class _Field(NamedTuple):
    table: str
    key: str
    kind: Any  # as the schema has it
    default: Any


def start(profile: str) -> str:
    """Return the state of a form for a federation: its file of `config`."""
    return read((CONFIG / f"{profile}.toml").read_text(encoding="utf-8"))


def read_bytes(content: Sequence[int]) -> str:
    """Return the state of a form for a file, as a PC saved it."""
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, NAME)
            path.write_bytes(bytes(content))
            return read(read_text(path))
    except ConfigError as error:
        return json.dumps({"text": None, "fields": [], "error": str(error)})


def read(text: str) -> str:
    """Return the state of a form as JSON: the text, its fields, and what is wrong with it."""
    text = text.removeprefix(BYTE_ORDER_MARK)
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        found = {}
    table = found.get("rules")
    profile = table.get("profile") if isinstance(table, dict) else None
    rules = PROFILES.get(str(profile), PROFILES[RulesTable().profile])
    fields = [_shown(field, found, rules) for field in _fields()]
    return json.dumps({"text": text, "fields": fields, "error": _problem(text)})


def change(text: str, table: str, key: str, typed: str) -> str:
    """Return the state after a field was changed; "" takes its value out of the text."""
    (field,) = (each for each in _fields() if (each.table, each.key) == (table, key))
    value = value_to_write(typed, field.kind) or json.dumps(typed, ensure_ascii=False)
    return read(_written(text, table, key, value if typed.strip() else None))


def _problem(text: str) -> dict[str, str] | None:
    try:
        parse_settings(text, NAME)
    except ConfigError as error:
        return {"key": error.key, "message": str(error)}
    return None


# --- fields ---------------------------------------------------------------------------------------


def _fields() -> Iterator[_Field]:
    tables = {field.name: field for field in msgspec.structs.fields(ConfigFile)}
    every = [
        _Field(name, field.name, field.type, field.default)
        for name, table in tables.items()
        if isinstance(table.type, type) and issubclass(table.type, msgspec.Struct)
        for field in msgspec.structs.fields(table.type)
        if not isinstance(field.default, msgspec.Struct)
    ]
    order = {place: number for number, place in enumerate(MAIN)}
    yield from sorted(every, key=lambda each: order.get(each[:2], len(MAIN)))


def _shown(field: _Field, found: dict[str, Any], rules: Rules) -> dict[str, Any]:
    table = found.get(field.table)
    value = table.get(field.key) if isinstance(table, dict) else None
    return {
        "table": field.table,
        "key": field.key,
        "main": (field.table, field.key) in MAIN,
        "choices": [*PROFILES] if field.key == "profile" else _choices(field.kind),
        "value": "" if value is None else _text(value),
        "usual": _usual(field, rules),
        "comment": _comments().get((field.table, field.key), ""),
    }


def _usual(field: _Field, rules: Rules) -> str:
    """Return the value of a key that is left out: the profile's, or the default."""
    if field.default is not None:
        return _text(field.default)
    duration_ns = getattr(rules, f"{field.key}_ns", None)
    if duration_ns is not None:
        return duration_text(duration_ns)
    value = getattr(rules, field.key, None)
    return _text(getattr(value, "value", value)) if isinstance(value, bool | StrEnum) else ""


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return ", ".join(map(_text, value))
        case _:
            return str(value)


def _choices(kind: Any) -> list[str]:
    """Return the values of which one is chosen; none: it is typed."""
    if isinstance(kind, UnionType):
        return [each for part in get_args(kind) for each in _choices(part)]
    if isinstance(kind, EnumType):
        return [str(each.value) for each in kind]  # type: ignore[var-annotated]
    if get_origin(kind) is Literal:
        return [str(each) for each in get_args(kind) if each != ""]
    return ["true", "false"] if kind is bool else []


def _comments() -> dict[tuple[str, str], str]:
    """Return what the file with all keys says of each."""
    table, above, comments = "", [""], {}
    for line in (CONFIG / ALL).read_text(encoding="utf-8").splitlines():
        if header := _HEADER.fullmatch(line):
            table, above = header[1], []
        elif pair := re.fullmatch(r"(?:# )?(\w+) = .*?(?:\s#\s(.*))?", line):
            comments[table, pair[1]] = pair[2] or " ".join(above)
            above = []
        elif line.startswith("# "):
            above.append(line[2:])
        else:
            above = []
    return comments


# --- lines ----------------------------------------------------------------------------------------


def _written(text: str, table: str, key: str, value: str | None) -> str:
    """Return a text in which a key of a table has a value as TOML has it, or none."""
    lines = text.split("\n")
    begin = next((n for n, line in enumerate(lines, 1) if _name(line) == table), None)
    if begin is None:
        added = [] if value is None else ["", f"[{table}]", f"{key} = {value}", ""]
        return "\n".join([*"\n".join(lines).rstrip("\n").split("\n"), *added])
    end = next((n for n in range(begin, len(lines)) if _name(lines[n])), len(lines))
    for prefix in ("", r"#\s?"):
        for number in range(begin, end):
            if re.match(rf"\s*{prefix}{key}\s*=", lines[number]):
                if prefix and value is None:
                    return text
                last = _last(lines, number, end)
                whole = "\n".join(lines[number : last + 1])
                lines[number : last + 1] = [_line(whole, key, value)]
                return "\n".join(lines)
    if value is not None:
        lines.insert(begin, f"{key} = {value}")
    return "\n".join(lines)


def _name(line: str) -> str:
    header = _HEADER.fullmatch(line)
    return header[1] if header else ""


def _last(lines: list[str], number: int, end: int) -> int:
    """Return the last line of a value that begins in a line."""
    for last in range(number, end):
        try:
            tomllib.loads("\n".join(lines[number : last + 1]))
        except tomllib.TOMLDecodeError:
            continue
        return last
    return number


def _line(line: str, key: str, value: str | None) -> str:
    """Return a line with another value, and the comment that it had."""
    bare = re.sub(r"^\s*#\s?", "", line)
    if value is None:
        return f"# {bare.lstrip()}"
    comment = ""
    for at in (found.start() for found in re.finditer("#", bare)):
        try:
            tomllib.loads(bare[:at])
        except tomllib.TOMLDecodeError:
            continue
        comment = bare[at:]
        break
    written = f"{key} = {value}"
    return f"{written:<29} {comment}" if comment else written
