"""Read TOML text into the tables of the schema, or raise a `ConfigError`.

The error is for a person who has never seen TOML: which line or key to change, and to what.
"""

import difflib
import functools
import re
import tomllib
from collections.abc import Iterator
from types import NoneType
from typing import Any, TypeVar, get_args

import msgspec

from clock.config.limits import LimitError, check_limits
from clock.config.schema import ConfigFile, MatchTable, PresetName, PresetTable, RulesTable

BYTE_ORDER_MARK = "\ufeff"  # Windows editors begin a file with it
SHOWN_CHARACTERS = 80  # of a value that was found; more would hide the rest of the message
CHECK_IT = 'Save the file and check it with "gammonclock check-config".'
CHANGE_IT = f"Change it, or put # at the start of its line to use the default. {CHECK_IT}"

PRESET = "preset"

NOT_IN_PRESETS = ("board", "names")  # of [match]: they belong to a table, not to a kind of match

TableT = TypeVar("TableT", bound=msgspec.Struct)


class ConfigError(Exception):
    """The configuration cannot be used; the message says what is wrong and how to correct it.

    Attributes:
        file: the file's name.
        key: the key with its table ("match.length"), or "line 3", or "file".
        found: the value of the key, or what is wrong with the file.
        allowed: a description of the values that are allowed.
    """

    def __init__(
        self, file: str, key: str, found: str, allowed: str, advice: str = CHANGE_IT
    ) -> None:
        super().__init__(f"{file}: {key} is {found}, but must be {allowed}. {advice}")
        self.file = file
        self.key = key
        self.found = found
        self.allowed = allowed


def read_file(text: str, file: str) -> ConfigFile:
    """Return the tables of a configuration file, with the defaults of all keys that it leaves out.

    Args:
        text: the content of the file.
        file: its name, for errors.

    Raises:
        ConfigError: it is not TOML, or it has an unknown key or a value that is not allowed.
    """
    try:
        document = parse_toml(text)
    except LimitError as error:
        if error.line is None:
            raise ConfigError(file, "file", "too large", error.allowed) from None
        found = _written_line(text, error.line)
        raise ConfigError(file, f"line {error.line}", found, error.allowed) from None
    except (ValueError, RecursionError) as error:
        raise _syntax_error(text, file, str(error)) from None
    tables, errors = read_tables(document, file)
    if errors:
        raise errors[0]
    return msgspec.structs.replace(tables, preset=tuple(_read_presets(document, file)))


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a configuration text.

    Raises:
        LimitError: it is too large or too complex to be parsed.
        ValueError: it is not TOML, or a number in it is too long.
        RecursionError: a value is nested too deep.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    check_limits(text)
    return tomllib.loads(text)


def read_tables(document: dict[str, Any], file: str) -> tuple[ConfigFile, list[ConfigError]]:
    """Return the valid keys of a document, with defaults for all others, and its errors.

    Presets are left out.
    """
    errors: list[ConfigError] = []
    own = {name: table for name, table in document.items() if name != PRESET}
    return _read_table(own, ConfigFile, file, "", errors), errors


def _read_presets(document: dict[str, Any], file: str) -> Iterator[PresetTable]:
    """Yield the presets of a document whose other tables have no errors.

    Raises:
        ConfigError: a preset cannot be used.
    """
    found, names = document.get(PRESET, []), set[str]()
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ConfigError(file, PRESET, as_written(found), "tables, each below a line [[preset]]")
    for number, keys in enumerate(found, 1):
        key = f"{PRESET} {number}: name"
        name = _read_value(keys.get("name", ""), PresetName, file, key, [])
        if name in names:
            raise ConfigError(file, key, as_written(name), "a name that no other preset has")
        names.add(name)
        yield _read_preset(name, keys, document, file)


def _read_preset(
    name: str, keys: dict[str, Any], document: dict[str, Any], file: str
) -> PresetTable:
    """Read the keys of a preset as if they stood in [match] and [rules]."""
    within, errors = preset_key(name, ""), list[ConfigError]()
    match_keys = [key for key in _names(MatchTable) if key not in NOT_IN_PRESETS]
    rules_keys = _names(RulesTable)
    allowed = ["name", *match_keys, *rules_keys]
    errors += [_unknown_key(file, within, key, allowed) for key in keys if key not in allowed]
    match = document.get("match", {}) | {key: keys[key] for key in match_keys if key in keys}
    rules = document.get("rules", {}) | {key: keys[key] for key in rules_keys if key in keys}
    match_table = _read_table(match, MatchTable, file, within, errors)
    rules_table = _read_table(rules, RulesTable, file, within, errors)
    if errors:
        raise errors[0]
    return PresetTable(name=name, match=match_table, rules=rules_table)


def preset_key(name: str, key: str) -> str:
    """Return how an error names a key of a preset."""
    return f'{PRESET} "{printable(name)}": {key}'


def _syntax_error(text: str, file: str, problem: str) -> ConfigError:
    position = re.search(r"at line (\d+)", problem)
    number = int(position[1]) if position else text.rstrip().count("\n") + 1
    line = _written_line(text, number)
    allowed = 'a [table], key = value, or a # comment, with texts in "quotes"'
    advice = f"TOML says: {printable(problem)}. Correct that line or the one before it."
    return ConfigError(file, f"line {number}", line, allowed, advice)


def _written_line(text: str, number: int) -> str:
    line = text.split("\n")[number - 1].strip()
    return f'"{printable(line)}"'


def _read_table(
    found: dict[str, Any], shape: type[TableT], file: str, within: str, errors: list[ConfigError]
) -> TableT:
    kinds = _kinds(shape)
    unknown = [name for name in found if name not in kinds]
    errors += [_unknown_key(file, within, name, _names(shape)) for name in unknown[:1]]
    values = {}
    for name in (name for name in found if name in kinds):
        try:
            values[name] = _read_value(found[name], kinds[name], file, within + name, errors)
        except ConfigError as error:
            errors.append(error)
    return shape(**values)


def _read_value(found: Any, kind: Any, file: str, key: str, errors: list[ConfigError]) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if isinstance(found, dict):
            return _read_table(found, kind, file, f"{key}.", errors)
        raise ConfigError(file, key, as_written(found), f"a table: {', '.join(_names(kind))}")
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError:
        raise ConfigError(file, key, as_written(found), _allowed(kind)) from None


def _unknown_key(file: str, within: str, name: str, names: list[str]) -> ConfigError:
    tables = [table for table in msgspec.structs.fields(ConfigFile) if table.name != PRESET]
    homes = [table.name for table in tables if name in _names(table.type)]
    near = difflib.get_close_matches(name[:SHOWN_CHARACTERS], names, n=1)
    meant = ""
    if homes:
        meant = f'Did you mean "{name}" of [{homes[0]}], below its line? '
    elif near:
        meant = f'Did you mean "{within}{near[0]}"? '
    allowed = f"one of {', '.join(names)}"
    key = printable(within + name)
    return ConfigError(file, key, "an unknown key", allowed, meant + CHANGE_IT)


def _names(shape: type[msgspec.Struct]) -> list[str]:
    return list(_kinds(shape))


@functools.cache
def _kinds(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the type of each key of a table."""
    return {field.name: field.type for field in msgspec.structs.fields(shape)}


def _allowed(kind: Any) -> str:
    """Describe the values that a type allows."""
    if NoneType in get_args(kind):  # a key whose default comes from the profile
        kind = get_args(kind)[0]
    for meta in getattr(kind, "__metadata__", ()):
        return str(meta.description)
    if kind is bool:
        return "true or false"
    choices = get_args(kind) or [choice.value for choice in kind]  # a Literal, or an enumeration
    return f"one of {', '.join(as_written(choice) for choice in choices)}"


def as_written(found: object) -> str:
    """Return a value as it would be written in the file, cut to a length that can be shown."""
    if isinstance(found, dict):
        return "a table"
    try:
        return printable(msgspec.json.encode(found).decode())
    except (ValueError, RecursionError):
        return "a value too large to show"


def printable(text: str) -> str:
    """Return a text as one short line of printable characters."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:SHOWN_CHARACTERS])
    return shown if len(text) <= SHOWN_CHARACTERS else f"{shown}..."
