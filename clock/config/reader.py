"""Read TOML text into the tables of the schema, or raise a `ConfigError`.

The error is for a person who has never seen TOML: which line or key to change, and to what.
"""

import functools
import re
import tomllib
from collections.abc import Iterator
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args

import msgspec

from clock.config.characters import instead, named, odd_in_line, odd_in_value
from clock.config.line_to_write import line_to_write, value_to_write
from clock.config.schema import ConfigFile, MatchTable, PresetName, PresetTable, RulesTable
from clock.text import Message, message, printable, tables

MAX_LINES = 2000  # the example with every key and a long comment at each has 84
MAX_VALUES = 500  # a file that gives every key has about a hundred signs of this kind
LINES_OF_VALUE = 2  # its own and one of a comment: a file of more values may have more lines
MAX_KEY_PARTS = 3  # buttons.pins.left
MAX_DEPTH = 2  # of brackets around a value

# Strings and comments, as TOML ends them; one that is not ended reaches to the end of its line or,
# if it may have several lines, of the text. Possessive quantifiers: nothing is tried twice.
_QUOTED = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+\\?"{0,5}'
    r"|'''(?:[^']++|'(?!''))*+'{0,5}"
    r'|"(?:[^"\\\n]++|\\[^\n])*+\\?"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
_PART = r"[ \t]*+[\w-]++[ \t]*+"
_LONG_KEY = re.compile(rf"(?:\A|[\n,\[{{])(?:{_PART}\.){{{MAX_KEY_PARTS}}}")
_BRACKET = re.compile(r"[\[{\]}]|^[ \t]*+[\w.-]++[ \t]*+=", re.MULTILINE)


class LimitError(ValueError):
    """A text is beyond a limit.

    Attributes:
        line: its number, or None if it is the whole text.
        allowed: what may be there.
    """

    def __init__(self, line: int | None, allowed: str) -> None:
        super().__init__(f"beyond a limit (at line {line})" if line else "too large")
        self.line = line
        self.allowed = allowed


def check_limits(text: str, max_values: int = MAX_VALUES) -> None:
    """Refuse a text with too many lines or values, or with a key or value of too many levels.

    It is refused before it is parsed: the cost of `tomllib` grows with the square of the parts of a
    key, so one key that fills a file of 64 KiB takes gigabytes. Here each character is looked at a
    few times, whatever the text is.

    Raises:
        LimitError: a limit is exceeded.
    """
    max_lines = max(MAX_LINES, LINES_OF_VALUE * max_values)
    most = max_lines + max_values
    bare, replaced = _QUOTED.subn(_placeholder, text, count=most + 1)
    if key := _LONG_KEY.search(bare):
        allowed = message("short_key", most=MAX_KEY_PARTS, example="buttons.pins.left")
        raise LimitError(_line(bare, key.end()), allowed)
    _check_depth(bare)
    values = sum(map(bare.count, "=,[{"))
    if text.count("\n") > max_lines or replaced > most or values > max_values:
        raise LimitError(None, message("file_limits", lines=max_lines, values=max_values))


def _check_depth(bare: str) -> None:
    depth = 0
    for sign in _BRACKET.finditer(bare):
        if sign[0] in "[{":
            depth += 1
        elif sign[0] in "]}":
            depth -= 1
        else:  # a new key: a bracket that was forgotten before it is not counted
            depth = 0
        if depth > MAX_DEPTH:
            allowed = message("flat_value", most=MAX_DEPTH, example="[0, 0]")
            raise LimitError(_line(bare, sign.start()), allowed)


def _placeholder(quoted: re.Match[str]) -> str:
    """Return a word in place of a string or comment, with its line feeds."""
    return "_" + "\n" * quoted[0].count("\n")


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


BYTE_ORDER_MARK = "\ufeff"  # Windows editors begin a file with it
SHOWN_CHARACTERS = 80  # of a value that was found; more would hide the rest of the message
CHECK_IT = 'Save the file and check it with "gammonclock check-config".'
TEXT_EDITOR = "A text editor saves exactly what you type; a word processor does not."
CHANGE_IT = f"Change it, or put # at the start of its line to use the default. {CHECK_IT}"

PRESET = "preset"


class Changes(NamedTuple):
    """What may be changed in the tables [match] and [rules] of a file, and by what."""

    name: str  # the key beside theirs: "name" of a preset
    kept: tuple[str, ...]  # keys of [match] that cannot be changed


# Board and names belong to a table, not to a kind of match.
IN_PRESETS = Changes("name", kept=("board", "names"))

TableT = TypeVar("TableT", bound=msgspec.Struct)


class _Reading(NamedTuple):
    """What is read, and what was found to be wrong."""

    file: str  # its name, for errors
    root: type[msgspec.Struct]  # of the tables of the file
    advice: str  # what to do about a key
    errors: list["ConfigError"]

    def error(self, key: str, found: str, allowed: str, hint: str = "") -> "ConfigError":
        return ConfigError(self.file, key, found, allowed, hint + self.advice)


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

    @property
    def setting(self) -> Message:
        """What is wrong with a setting that stands in no file."""
        return message("setting", key=self.key, found=self.found, allowed=self.allowed)


def read_file(text: str, file: str) -> ConfigFile:
    """Return the tables of a configuration file, with the defaults of all keys that it leaves out.

    Raises:
        ConfigError: it is not TOML, or it has an unknown key or a value that is not allowed.
    """
    document = read_document(text, file)
    tables, errors = read_tables(document, file)
    if errors:
        raise errors[0]
    return msgspec.structs.replace(tables, preset=tuple(_read_presets(document, file)))


def read_document(text: str, file: str, max_values: int = MAX_VALUES) -> dict[str, Any]:
    """Return the tables of a TOML text as they stand there.

    Raises:
        ConfigError: it is not TOML, or costly to parse.
    """
    try:
        return parse_toml(text, max_values)
    except LimitError as error:
        if error.line is None:
            raise ConfigError(file, message("file"), message("too_large"), error.allowed) from None
        key, found = _written_line(text, error.line)
        raise ConfigError(file, key, found, error.allowed) from None
    except (ValueError, RecursionError) as error:
        raise _syntax_error(text, file, str(error)) from None


def parse_toml(text: str, max_values: int = MAX_VALUES) -> dict[str, Any]:
    """Parse a configuration text of at most so many values.

    Raises:
        LimitError: it is too large or too complex to be parsed.
        ValueError: it is not TOML, or a number in it is too long.
        RecursionError: a value is nested too deep.
    """
    text = text.removeprefix(BYTE_ORDER_MARK)
    check_limits(text, max_values)
    return tomllib.loads(text)


def read_tables(document: dict[str, Any], file: str) -> tuple[ConfigFile, list[ConfigError]]:
    """Return the valid keys of a document, with defaults for all others, and its errors.

    Presets are left out.
    """
    errors: list[ConfigError] = []
    own = {name: table for name, table in document.items() if name != PRESET}
    return _read_table(own, ConfigFile, "", _of_clock(file, errors)), errors


def read_tables_as(document: dict[str, Any], shape: type[TableT], file: str, advice: str) -> TableT:
    """Return the tables of another file than the clock's own; a key without a default is required.

    Raises:
        ConfigError: it has an unknown key or a value that is not allowed, or a key is missing.
    """
    reading = _Reading(file, shape, advice, [])
    tables = None
    try:
        tables = _read_table(document, shape, "", reading)
    except ConfigError as error:
        reading.errors.append(error)
    if tables is None or reading.errors:
        raise reading.errors[0]
    return tables


def check_value(found: object, kind: Any, file: str, key: str, advice: str) -> None:
    """Check one value of a table whose keys the file chooses.

    Raises:
        ConfigError: it is not of that kind.
    """
    _read_value(found, kind, key, _Reading(file, ConfigFile, advice, []))


def _of_clock(file: str, errors: list[ConfigError]) -> _Reading:
    return _Reading(file, ConfigFile, CHANGE_IT, errors)


def _read_presets(document: dict[str, Any], file: str) -> Iterator[PresetTable]:
    """Yield the presets of a document whose other tables have no errors.

    Raises:
        ConfigError: a preset cannot be used.
    """
    found, names = document.get(PRESET, []), set[str]()
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        allowed = message("preset_tables", line="[[preset]]")
        raise ConfigError(file, PRESET, as_written(found), allowed)
    for number, keys in enumerate(found, 1):
        key = f"{PRESET} {number}: name"
        name = _read_value(keys.get("name", ""), PresetName, key, _of_clock(file, []))
        if name in names:
            raise ConfigError(file, key, as_written(name), message("preset_name_taken"))
        names.add(name)
        yield _read_preset(name, keys, document, file)


def _read_preset(
    name: str, keys: dict[str, Any], document: dict[str, Any], file: str
) -> PresetTable:
    changed = read_changes(keys, document, IN_PRESETS, preset_key(name, ""), file)
    return PresetTable(name=name, match=changed.match, rules=changed.rules)


def read_changes(
    keys: dict[str, Any], document: dict[str, Any], changes: Changes, within: str, file: str
) -> ConfigFile:
    """Return [match] and [rules] of a document with some keys of both replaced.

    A key says by its name to which of the two it belongs; `within` is its place in an error.

    Raises:
        ConfigError: a key is unknown, or a value is not allowed.
    """
    reading = _of_clock(file, [])
    errors = reading.errors
    match_keys = [key for key in _names(MatchTable) if key not in changes.kept]
    rules_keys = _names(RulesTable)
    allowed = [changes.name, *match_keys, *rules_keys]
    errors += [_unknown_key(reading, within, key, allowed) for key in keys if key not in allowed]
    match = document.get("match", {}) | {key: keys[key] for key in match_keys if key in keys}
    rules = document.get("rules", {}) | {key: keys[key] for key in rules_keys if key in keys}
    match_table = _read_table(match, MatchTable, within, reading)
    rules_table = _read_table(rules, RulesTable, within, reading)
    if errors:
        raise errors[0]
    return ConfigFile(match=match_table, rules=rules_table)


def preset_key(name: str, key: str) -> str:
    """Return how an error names a key of a preset."""
    return f'{PRESET} "{shortened(name)}": {key}'


def _syntax_error(text: str, file: str, problem: str) -> ConfigError:
    position = re.search(r"at line (\d+)", problem)
    number = int(position[1]) if position else text.rstrip().count("\n") + 1
    key, line = _written_line(text, number)
    for begins, twice in TWICE:
        if problem.startswith(begins):
            advice = f"Remove this line, or the one that gives it before. {CHECK_IT}"
            return ConfigError(file, key, line, message(twice), advice)
    meant = line_to_write(text, number)
    if (odd := odd_in_line(text.split("\n")[number - 1].removesuffix("\r"))) is not None:
        found, advice = f"{line} [{named(odd)}]", f"{_for_odd(odd)}{CHECK_IT}"
        return ConfigError(file, key, found, meant or instead(odd), advice)
    if meant is not None:
        return ConfigError(file, key, line, meant, f"Write that line. {CHECK_IT}")
    advice = f"TOML says: {shortened(problem)}. Correct that line or the one before it."
    return ConfigError(file, key, line, message("toml"), advice)


TWICE = (  # how TOML says that something is given twice, and the key of what is allowed
    ("Cannot overwrite", "key_twice"),
    ("Cannot declare", "table_twice"),
)


def _written_line(text: str, number: int) -> tuple[str, str]:
    """Return what an error says of a line: which one, and what is written there."""
    line = text.split("\n")[number - 1].strip()
    return message("line", number=number), f'"{shortened(line)}"'


def _read_table(
    found: dict[str, Any], shape: type[TableT], within: str, reading: _Reading
) -> TableT:
    kinds = _kinds(shape)
    unknown = [name for name in found if name not in kinds]
    reading.errors.extend(
        _unknown_key(reading, within, name, _names(shape)) for name in unknown[:1]
    )
    values = {}
    for name in (name for name in found if name in kinds):
        try:
            values[name] = _read_value(found[name], kinds[name], within + name, reading)
        except ConfigError as error:
            reading.errors.append(error)
    for name in _required(shape):
        if name not in values:
            raise reading.error(within + name, message("not_given"), _allowed(kinds[name]))
    return shape(**values)


def _read_value(found: Any, kind: Any, key: str, reading: _Reading) -> Any:
    if _is_table(kind) and isinstance(found, dict):
        return _read_table(found, kind, f"{key}.", reading)
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError:
        raise _value_error(found, kind, key, reading) from None


def _value_error(found: Any, kind: Any, key: str, reading: _Reading) -> ConfigError:
    shown, hint = as_written(found), ""
    if isinstance(found, str) and (odd := odd_in_value(found)) is not None:
        shown, hint = f"{shown} [{named(odd)}]", _for_odd(odd)
    elif (written := value_to_write(shown, kind)) is not None:
        hint = f"Write: {key.rpartition('.')[2]} = {written}. "
    return reading.error(key, shown, _allowed(kind), hint)


def _for_odd(char: str) -> str:
    return f"For {named(char)} write {instead(char)}. {TEXT_EDITOR} "


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _unknown_key(reading: _Reading, within: str, name: str, names: list[str]) -> ConfigError:
    tables = [table for table in msgspec.structs.fields(reading.root) if _is_table(table.type)]
    homes = [table.name for table in tables if name in _names(table.type)]
    import difflib  # noqa: PLC0415 (a clock whose file has no error starts without it)

    near = difflib.get_close_matches(name[:SHOWN_CHARACTERS], names, n=1)
    meant = ""
    if homes:
        meant = f'Did you mean "{name}" of [{homes[0]}], below its line? '
    elif near:
        meant = f'Did you mean "{within}{near[0]}"? '
    allowed = message("one_of", values=", ".join(names))
    return reading.error(shortened(within + name), message("unknown_key"), allowed, meant)


def _names(shape: type[msgspec.Struct]) -> list[str]:
    return list(_kinds(shape))


@functools.cache
def _kinds(shape: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(shape)}


@functools.cache
def _required(shape: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in msgspec.structs.fields(shape) if field.required)


def _allowed(kind: Any) -> str:
    if _is_table(kind):
        return message("keys_of_table", keys=", ".join(_names(kind)))
    if NoneType in get_args(kind):  # a key whose default comes from the profile
        kind = get_args(kind)[0]
    for meta in getattr(kind, "__metadata__", ()):
        if meta.description not in tables("en", "messages")["error"]:
            return str(meta.description)  # the texts of a room's file are in English alone
        limits = {} if meta.ge is None else {"lowest": meta.ge, "highest": meta.le}
        return message(meta.description, **limits | (meta.extra or {}))
    if kind is bool:
        return message("true_or_false")
    choices = get_args(kind) or [choice.value for choice in kind]  # a Literal, or an enumeration
    return message("one_of", values=", ".join(map(as_written, choices)))


def as_written(found: object) -> str:
    """Return a value as it would be written in the file, cut to a length that can be shown."""
    if isinstance(found, dict):
        return message("a_table")
    try:
        return shortened(msgspec.json.encode(found).decode())
    except (ValueError, RecursionError):
        return message("too_large_to_show")


def shortened(text: str) -> str:
    """Return a text as one short line of printable characters."""
    shown = printable(text[:SHOWN_CHARACTERS])
    return shown if len(text) <= SHOWN_CHARACTERS else f"{shown}..."
