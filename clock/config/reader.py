"""Reading a TOML text into tables of values, and saying what is wrong with it.

The one rule: whatever the text holds, the outcome is tables or one `ConfigError` that tells a
person who has never seen TOML which line or key to change, and to what.
"""

import difflib
import re
import tomllib
from types import NoneType
from typing import Any, TypeVar, get_args

import msgspec

from clock.config.schema import ConfigFile

SHOWN_CHARACTERS = 80  # of a found value; more would hide the rest of the message
CHANGE_IT = (
    "Change it, or begin its line with # to use the default, save the file, and check it with "
    '"gammonclock check-config".'
)

TableT = TypeVar("TableT", bound=msgspec.Struct)


class ConfigError(Exception):
    """The configuration cannot be used; its text says what to do about it.

    Attributes:
        file: the file's name.
        key: the key with its table ("match.length"), or "line 3", or "file".
        found: what stands there.
        allowed: what may stand there.
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
    """A configuration file's tables, with defaults for what it does not say.

    Args:
        text: what stands in it.
        file: its name, for errors.

    Raises:
        ConfigError: if it is not TOML, or has an unknown key or a value that a key may not have.
    """
    try:
        document = tomllib.loads(text.removeprefix("\ufeff"))  # Windows editors begin with this
    except (ValueError, RecursionError) as error:  # a number too long is a plain ValueError
        raise _syntax_error(text, file, str(error)) from None
    return _read_table(document, ConfigFile, file)


def _syntax_error(text: str, file: str, problem: str) -> ConfigError:
    position = re.search(r"at line (\d+)", problem)
    number = int(position[1]) if position else text.rstrip().count("\n") + 1
    line = printable(text.split("\n")[number - 1].strip())
    allowed = 'a [table], key = value, or a # remark, with texts in "quotes"'
    advice = f"TOML says: {printable(problem)}. Correct that line or the one before it."
    return ConfigError(file, f"line {number}", f'"{line}"', allowed, advice)


def _read_table(found: dict[str, Any], shape: type[TableT], file: str, within: str = "") -> TableT:
    kinds = {field.name: field.type for field in msgspec.structs.fields(shape)}
    for name in found:
        if name not in kinds:
            raise _unknown_key(file, within, name, shape)
    values = {
        name: _read_value(value, kinds[name], file, within + name) for name, value in found.items()
    }
    return shape(**values)


def _read_value(found: Any, kind: Any, file: str, key: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if isinstance(found, dict):
            return _read_table(found, kind, file, f"{key}.")
        raise ConfigError(file, key, as_written(found), f"a table: {', '.join(_names(kind))}")
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError:
        raise ConfigError(file, key, as_written(found), _allowed(kind)) from None


def _unknown_key(file: str, within: str, name: str, shape: type[msgspec.Struct]) -> ConfigError:
    homes = [table for table, keys in _keys_of_tables().items() if name in keys]
    near = difflib.get_close_matches(name, _names(shape), n=1)
    meant = ""
    if homes:
        meant = f'Did you mean "{name}" of [{homes[0]}], below its line? '
    elif near:
        meant = f'Did you mean "{within}{near[0]}"? '
    allowed = f"one of {', '.join(_names(shape))}"
    key = printable(within + name)
    return ConfigError(file, key, "an unknown key", allowed, meant + CHANGE_IT)


def _keys_of_tables() -> dict[str, list[str]]:
    return {field.name: _names(field.type) for field in msgspec.structs.fields(ConfigFile)}


def _names(shape: type[msgspec.Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(shape)]


def _allowed(kind: Any) -> str:
    """What a value of this type may be, in words."""
    if NoneType in get_args(kind):  # a key without a default of its own
        kind = get_args(kind)[0]
    for meta in getattr(kind, "__metadata__", ()):
        return str(meta.description)
    if kind is bool:
        return "true or false"
    choices = get_args(kind) or [choice.value for choice in kind]  # a Literal, or an enumeration
    return f"one of {', '.join(as_written(choice) for choice in choices)}"


def as_written(found: object) -> str:
    """A value as the file has it, cut where it would be too long to show."""
    if isinstance(found, dict):
        return "a table"
    try:
        return printable(msgspec.json.encode(found).decode())
    except (ValueError, RecursionError):
        return "a value too large to show"


def printable(text: str) -> str:
    """A text in one short line, whatever was in it."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[:SHOWN_CHARACTERS]}..."
