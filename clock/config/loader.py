"""Find the configuration file and turn it into settings.

Here "M:SS" becomes nanoseconds, and the changes in [rules] are applied to the profile.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
from msgspec import UNSET

from clock.config.checks import conflicts
from clock.config.reader import CHECK_IT, ConfigError, preset_key, read_file
from clock.config.schema import ConfigFile, PresetTable, RulesTable
from clock.config.settings import Preset, Settings
from clock.files import open_to_read
from clock.match.durations import parse_duration
from clock.match.profiles import PROFILES, with_time_per_point
from clock.match.rules import MAX_LENGTH, MatchSettings, Rules
from clock.match.types import Crawford, Pair
from clock.text import message, printable

VARIABLE = "GAMMONCLOCK_CONFIG"
PLACES = (Path("/boot/firmware/gammonclock.toml"), Path("/etc/gammonclock.toml"))
SAVE_AS_UTF8 = "Save it as plain text with the encoding UTF-8."
MAX_BYTES = 64 * 1024  # ten times a file with every key and a long comment at each

COPY = re.compile(  # what follows the name: of downloads, copies and files with a hidden ".txt"
    r"(?:\.toml)?\.(?:txt|rtf|docx?|odt)|\.toml\.(?!new\b).+|\.toml~"
    r"|(?: ?\(\d+\)| - .+|[-_ ]?(?:copy|kopie|kopi)\b.*)\.toml(?:\..+)?"
)
OF_OWN_FILE = re.compile(rf"{COPY.pattern}|.*\.toml")
OTHER_FILES = ("-room.toml",)  # the file of a room (`room/cards`)

DEVICE_TABLES = ("display", "buttons", "sound", "lamps", "power", "log", "director")

_DURATIONS = {  # keys of [rules] that are durations, and their fields in `Rules`
    "time_per_match": "time_per_match_ns",
    "delay": "delay_ns",
    "overtime": "overtime_ns",
    "late_step": "late_step_ns",
    "break_length": "break_ns",
}


def find_config(
    explicit: Path | None, environ: Mapping[str, str], places: Sequence[Path] = PLACES
) -> Path | None:
    """Return the file to read: the one that is named, else the first that exists, else None.

    A file that is named, by `--config` or $GAMMONCLOCK_CONFIG, need not exist.
    """
    if explicit is not None:
        return explicit
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    return next((place for place in places if _exists(place)), None)


def _exists(place: Path) -> bool:
    """Return whether there is such a file; one that cannot be read is an error, not skipped."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def load_settings(path: Path | None) -> Settings:
    """Return the settings of a file; without one, those of a match to 11 under the EBF's rules.

    Raises:
        ConfigError: the file cannot be read or used.
    """
    settings = parse_settings("" if path is None else read_text(path), str(path))
    return msgspec.structs.replace(settings, ignored=ignored_beside(path))


def ignored_beside(path: Path | None, places: Sequence[Path] = PLACES) -> tuple[str, ...]:
    """Return the files that a PC has made of a settings file, and that are not read.

    Beside the clock's own file, or where it would be, that is all that begins as it does.
    """
    is_own = path is None or path in places
    own = path if path is not None else places[0]
    pattern = OF_OWN_FILE if is_own else COPY
    found = list[str]()
    for folder in dict.fromkeys(each.parent for each in (places if is_own else (own,))):
        with suppress(OSError):
            for each in folder.iterdir():
                rest = each.name.casefold().removeprefix(own.stem.casefold())
                is_other = each.name != own.name and len(rest) < len(each.name)
                if is_other and pattern.fullmatch(rest) and rest not in OTHER_FILES:
                    found.append(str(each))
    return tuple(sorted(found))


def ignored_text(settings: Settings) -> str:
    """Return which files are not read although somebody may think so; "" if there is none."""
    if not settings.ignored:
        return ""
    files = ", ".join(map(printable, settings.ignored))
    return f"{files}: not read, because of the name; rename it or delete it"


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """Return the text of a configuration file.

    Raises:
        ConfigError: it cannot be read, or is not a text of at most so many bytes.
    """
    not_a_text = partial(_not_a_text, path, max_bytes)
    try:
        content = read_bytes(path, max_bytes)
    except OSError as error:
        found = message("not_readable", problem=error.strerror)
        raise not_a_text(found, "Check its name, place and permissions.") from None
    if len(content) > max_bytes:
        raise not_a_text(message("too_large"), "Check that it is the right file.")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or content[1:2] == b"\0":
        raise not_a_text(message("in_utf16"), SAVE_AS_UTF8)
    if b"\n" not in content:  # as an old Mac ends its lines
        content = content.replace(b"\r", b"\n")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise not_a_text(message("not_utf8", number=line), SAVE_AS_UTF8) from None


def read_bytes(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the first bytes of a file, one more than a configuration may have.

    Raises:
        OSError: it cannot be read, or is a pipe or a device, which may have no end.
    """
    with open_to_read(path) as file:
        return file.read(max_bytes + 1)


def _not_a_text(path: Path, max_bytes: int, found: str, advice: str) -> ConfigError:
    allowed = message("text_file", size=max_bytes // 1024)
    return ConfigError(str(path), message("file"), found, allowed, advice)


NO_LIMIT = "none"  # in place of a time per point: pace mode


def parse_settings(text: str, source: str) -> Settings:
    """Return the settings of a configuration text; an empty one gives the defaults.

    Raises:
        ConfigError: the text cannot be used.
    """
    file = read_file(text, source)
    settings = _checked_settings(file, source)
    presets = tuple(_checked_preset(file, preset, source) for preset in file.preset)
    return msgspec.structs.replace(settings, presets=presets)


def _checked_preset(file: ConfigFile, preset: PresetTable, source: str) -> Preset:
    """Return what a match of this preset is played under.

    Raises:
        ConfigError: its keys contradict each other or those of the file.
    """
    changed = msgspec.structs.replace(file, match=preset.match, rules=preset.rules)
    try:
        return Preset(preset.name, match_of(changed, source))
    except ConfigError as error:
        key = preset_key(preset.name, error.key.rpartition(".")[2])
        advice = f'Write it below the line [[preset]] of "{preset.name}". {CHECK_IT}'
        raise ConfigError(source, key, error.found, error.allowed, advice) from None


def match_of(file: ConfigFile, source: str) -> MatchSettings:
    """Return what a match of [match] and [rules] is played under.

    Raises:
        ConfigError: their keys contradict each other.
    """
    return _checked_settings(file, source).match


def _checked_settings(file: ConfigFile, source: str) -> Settings:
    rules = _effective_rules(file.rules)
    for conflict in conflicts(file, rules, source):
        raise conflict
    return make_settings(file, rules)


def make_settings(file: ConfigFile, rules: Rules) -> Settings:
    """Return the settings of a file without errors, under the rules that it selects."""
    match = MatchSettings(
        length=file.match.length,
        score=Pair(*file.match.score),
        reserves=Pair(*map(parse_duration, file.match.reserves)) if file.match.reserves else UNSET,
        names=Pair(*file.match.names),
        event=file.match.event,
        round=file.match.round,
        scheduled=file.match.scheduled,
        carried=Pair(*file.match.carried),
        practice=file.match.practice,
        crawford=Crawford(file.match.crawford) if file.match.crawford else None,
        format=file.match.format,
        rules=rules,
    )
    tables = {name: getattr(file, name) for name in DEVICE_TABLES}
    return Settings(match=match, board=file.match.board, file=file, **tables)


def _effective_rules(table: RulesTable) -> Rules:
    """Return the profile's rules with the director's changes (EBF 2.2(iii), 3.5(v))."""
    values = msgspec.structs.asdict(table)
    given = {key: value for key, value in values.items() if value is not None}
    rules = PROFILES[given.pop("profile")]
    per_point = given.pop("time_per_point", NO_LIMIT)
    if per_point != NO_LIMIT:
        rules = with_time_per_point(rules, parse_duration(per_point))
    if "breaks" in given:
        given["breaks"] = ((MAX_LENGTH, given["breaks"]),)
    changes = {
        _DURATIONS.get(key, key): parse_duration(value) if key in _DURATIONS else value
        for key, value in given.items()
    }
    rules = msgspec.structs.replace(rules, **changes)
    return rules.at_pace() if table.time_per_point == NO_LIMIT else rules
