"""The form of a settings file: its fields, made from the schema, and the text that it writes.

The text is what counts: a field is read from it and written into it, line by line, so comments and
whatever the form does not show stay as they are.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import chdir
from enum import EnumType, StrEnum
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec
from msgspec import NODEFAULT

from clock.config.checks import times_open
from clock.config.line_to_write import value_to_write
from clock.config.loader import parse_settings, read_text
from clock.config.reader import (
    BYTE_ORDER_MARK,
    IN_PRESETS,
    PRESET,
    ConfigError,
    parse_toml,
    preset_key,
)
from clock.config.schema import ConfigFile, MatchTable, PresetTable, RulesTable
from clock.match.durations import duration_text
from clock.match.profiles import PROFILES
from clock.match.rules import MatchSettings
from clock.match.timecontrol import bank_ns

CONFIG = Path(__file__).with_name("config")
NAME = "gammonclock.toml"
ALL = "gammonclock.toml"  # in `CONFIG`, with a comment for each key
FIXED = "time_per_match"
MAIN = (
    ("rules", "profile"), ("match", "length"), ("match", "names"), ("match", "score"),
    ("match", "event"), ("match", "round"), ("display", "language"), ("rules", "time_per_point"),
    ("rules", FIXED), ("rules", "delay"), ("rules", "overtime"), ("rules", "breaks"),
    ("rules", "break_length"), ("match", "format"), ("match", "play"), ("match", "practice"),
)  # fmt: skip
MAIN_OF_PRESET = ("name", "length", "profile", "time_per_point")
PREFIX = f"{PRESET}."
_HEADER = re.compile(r"\s*\[+\s*([\w.]+)\s*\]+\s*(?:#.*)?")


class _Field(NamedTuple):
    table: str  # "preset.0" is the first preset
    key: str
    kind: Any  # as the schema has it
    default: Any


def start(profile: str) -> str:
    """Return the state of a form for a federation: its file of `config`."""
    return read((CONFIG / f"{profile}.toml").read_text(encoding="utf-8"))


def read_bytes(content: Sequence[int]) -> str:
    """Return the state of a form for a file, as a PC saved it."""
    try:
        with TemporaryDirectory() as folder, chdir(folder):  # errors name the file alone
            path = Path(NAME)
            path.write_bytes(bytes(content))
            return read(read_text(path))
    except ConfigError:
        return json.dumps({"text": None})


def read(text: str) -> str:
    """Return the state of a form as JSON: the text, its fields, and which of them is wrong.

    What is wrong with it `check-config` says.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    found = _parsed(text) or {}
    tables = {name: each for name, each in found.items() if isinstance(each, dict)}
    everywhere = tables.get("match", {}) | tables.get("rules", {})
    fields = [_shown(field, tables.get(field.table, {}), everywhere) for field in _fields()]
    presets = _presets(text, found)
    shown = [
        [_shown(field, each, everywhere | each, everywhere) for field in _of_preset(number)]
        for number, each in enumerate(presets)
    ]
    wrong, sums = _judged(text, presets)
    for own, added in zip((fields, *shown), sums, strict=False):
        next(each for each in own if each["key"] == FIXED)["sum"] = added
    return json.dumps({"text": text, "fields": fields, "presets": shown, "error": wrong})


def change(text: str, table: str, key: str, typed: str) -> str:
    """Return the state after a field was changed; "" takes its value out of the text."""
    number = table.removeprefix(PREFIX)
    fields = _fields() if number == table else _of_preset(int(number))
    (field,) = (each for each in fields if (each.table, each.key) == (table, key))
    value = value_to_write(typed, field.kind) or json.dumps(typed, ensure_ascii=False)
    return read(_written(text, table, key, value if typed.strip() else None))


def add_preset(text: str, name: str) -> str:
    """Return the state after a preset was added at the end of the text."""
    return read(f"{text.rstrip()}\n\n[[{PRESET}]]\nname = {json.dumps(name, ensure_ascii=False)}\n")


def remove_preset(text: str, number: int) -> str:
    """Return the state after the lines of a preset were taken out; what stands above them stays."""
    lines = text.split("\n")
    if place := _section(lines, f"{PREFIX}{number}"):
        del lines[place[0] - 1 : _last_value(lines, *place)]
    return read("\n".join(lines))


def _parsed(text: str) -> dict[str, Any] | None:
    """Return what a text of TOML says; None: it is none, or one that no clock reads."""
    try:
        return parse_toml(text)
    except (ValueError, RecursionError):
        return None


def _judged(text: str, presets: Sequence[dict[str, Any]]) -> tuple[str, list[str]]:
    """Return the field that the error of a text is about, "": none; and the sums of its times."""
    try:
        settings = parse_settings(text, NAME)
    except ConfigError as error:
        keys = {
            written: f"{field.table}.{field.key}"
            for number, preset in enumerate(presets)
            for field in _of_preset(number)
            for written in (
                preset_key(str(preset.get("name", "")), field.key),
                f"{PRESET} {number + 1}: {field.key}",
            )
        }
        return keys.get(error.key, error.key), [""] * (1 + len(presets))
    return "", [_sum(each.match) for each in (settings.own, *settings.presets)]


def _sum(match: MatchSettings) -> str:
    """Return what a fixed time and one per point come to; "": there is only one of them."""
    rules, away = match.rules, match.score.map(lambda points: match.length - points)
    times = rules.time_per_point_ns, rules.time_per_match_ns
    if match.reserves or not all(times):
        return ""
    of_point, fixed = map(duration_text, times)
    points = (away.left + away.right) / 2
    return f"{points:g} x {of_point} + {fixed} → {duration_text(bank_ns(rules, away))}"


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


def _presets(text: str, found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the presets that stand in lines of their own, which the form can change."""
    presets = found.get(PRESET)
    written = [line for line in text.split("\n") if _name(line) == PRESET]
    return presets if isinstance(presets, list) and len(written) == len(presets) else []


def _of_preset(number: int) -> Iterator[_Field]:
    """Yield the name of a preset, then the keys of [match] and [rules] that it may have."""
    kinds = (PresetTable, MatchTable, RulesTable)
    every = {each.name: each for kind in kinds for each in msgspec.structs.fields(kind)}
    keys = [key for key in every if key not in {*IN_PRESETS.kept, "match", "rules"}]
    for key in sorted(keys, key=lambda key: key not in MAIN_OF_PRESET):
        default = every[key].default
        yield _Field(
            f"{PREFIX}{number}", key, every[key].type, None if default is NODEFAULT else default
        )


def _shown(
    field: _Field,
    table: dict[str, Any],
    in_force: dict[str, Any],
    everywhere: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a form shows of a field; a preset has what it does not change from everywhere."""
    value, place = table.get(field.key), (field.table, field.key)
    usual = (everywhere or {}).get(field.key)
    is_main = place in MAIN if everywhere is None else field.key in {*MAIN_OF_PRESET, *table}
    return {
        "table": field.table,
        "key": field.key,
        "main": is_main,
        "choices": [*PROFILES] if field.key == "profile" else _choices(field.kind),
        "value": "" if value is None else _text(value),
        "usual": _usual(field, in_force) if usual is None else _text(usual),
        "comment": _comments().get(place, ""),
    }


def _usual(field: _Field, in_force: dict[str, Any]) -> str:
    """Return the value of a key that is left out: the profile's, or the default; "": none."""
    if field.default is not None:
        return _text(field.default)
    profile = str(in_force.get("profile", RulesTable().profile))
    if field.key in ("time_per_point", "delay") and times_open(profile, in_force.get("play", "")):
        return ""
    rules = PROFILES.get(profile, PROFILES[RulesTable().profile])
    duration_ns = getattr(rules, f"{field.key.removesuffix('_length')}_ns", None)
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


@cache
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
    place = _section(lines, table)
    if place is None:
        return text if value is None else f"{text.rstrip()}\n\n[{table}]\n{key} = {value}\n"
    begin, end = place
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
        lines.insert(_last_value(lines, begin, end), f"{key} = {value}")
    return "\n".join(lines)


def _section(lines: list[str], table: str) -> tuple[int, int] | None:
    """Return where the lines below a table's name begin and end; None: it has none."""
    name, _, number = table.partition(".")
    named = [place for place, line in enumerate(lines, 1) if _name(line) == name]
    begin = next(iter(named[int(number or 0) :]), None)
    if begin is None:
        return None
    others = (n for n in range(begin, len(lines)) if _name(lines[n].lstrip("# ")))
    return begin, next(others, len(lines))


def _last_value(lines: list[str], begin: int, end: int) -> int:
    """Return where the last value of a section ends: before comments that may be of the next."""
    filled = (n for n in range(end, begin, -1) if not re.fullmatch(r"\s*(?:#.*)?", lines[n - 1]))
    return next(filled, begin)


def _name(line: str) -> str:
    header = _HEADER.fullmatch(line)
    return header[1] if header else ""


def _last(lines: list[str], number: int, end: int) -> int:
    """Return the last line of a value that begins in a line."""
    for last in range(number, end):
        if _parsed("\n".join(lines[number : last + 1])) is not None:
            return last
    return number


def _line(line: str, key: str, value: str | None) -> str:
    """Return a line with another value, and the comment that it had."""
    bare = re.sub(r"^\s*#\s?", "", line)
    if value is None:
        return f"# {bare.lstrip()}"
    comment = ""
    for at in (found.start() for found in re.finditer("#", bare)):
        if _parsed(bare[:at]) is not None:
            comment = bare[at:]
            break
    written = f"{key} = {value}"
    return f"{written:<29} {comment}" if comment else written
