"""The director's file becomes the settings that the clock runs under.

`config_file` says what may stand in a file, `config_reading` reads it, `config_faults` finds what
does not go together. The one rule: "M:SS" becomes nanoseconds here and nowhere else, and whatever
is wrong is a `ConfigError`, so that the clock can show it and start no match.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from clock.config.checks import faults
from clock.config.schema import ConfigFile, RulesTable
from clock.config.reader import ConfigError, read_file
from clock.match.durations import duration_ns
from clock.match.profiles import PROFILES, with_time_per_point
from clock.match.rules import MAX_LENGTH, MatchSettings, Rules
from clock.config.settings import Settings, describe
from clock.match.sides import Pair

__all__ = ["ConfigError", "Settings", "describe", "find_config", "load_settings", "parse_settings"]

VARIABLE = "GAMMONCLOCK_CONFIG"
PLACES = (Path("/boot/firmware/gammonclock.toml"), Path("/etc/gammonclock.toml"))
MAX_BYTES = 64 * 1024  # ten times what every key takes with a long remark at each

_DURATIONS = {  # keys of [rules] whose texts become nanoseconds, under these names
    "time_per_match": "time_per_match_ns",
    "delay": "delay_ns",
    "overtime": "overtime_ns",
    "late_step": "late_step_ns",
    "break_length": "break_ns",
}


def find_config(
    explicit: Path | None, environ: Mapping[str, str], places: Sequence[Path] = PLACES
) -> Path | None:
    """The file to read: the one that is named, or the first that is there; None if there is none.

    Args:
        explicit: named by `--config`; taken, there or not.
        environ: the environment, in which $GAMMONCLOCK_CONFIG may name one; taken likewise.
        places: where to look else.
    """
    if explicit is not None:
        return explicit
    if environ.get(VARIABLE):
        return Path(environ[VARIABLE])
    return next((place for place in places if _is_there(place)), None)


def _is_there(place: Path) -> bool:
    """Whether a file has this name, readable or not: a file of the director's is never skipped."""
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def load_settings(path: Path | None) -> Settings:
    """The settings of a file; without one, a match to 11 under the rules of the EBF.

    Raises:
        ConfigError: if the file cannot be read or used.
    """
    return parse_settings("" if path is None else _text(path), str(path))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        found = f"not readable ({error.strerror})"
        raise _not_a_text(path, found, "Look at its name, place and permissions.") from None
    if len(content) > MAX_BYTES:
        raise _not_a_text(path, "too large", "Is it the right file?")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        advice = "Save it as plain text with the encoding UTF-8."
        raise _not_a_text(path, f"not UTF-8 in line {line}", advice) from None


def _not_a_text(path: Path, found: str, advice: str) -> ConfigError:
    return ConfigError(str(path), "file", found, "a text file of at most 64 KiB", advice)


def parse_settings(text: str, source: str) -> Settings:
    """The settings that a configuration text means.

    Args:
        text: what stands in the file; nothing gives the defaults.
        source: the file's name, for errors.

    Raises:
        ConfigError: if it cannot be used.
    """
    file = read_file(text, source)
    rules = _effective(file.rules)
    for fault in faults(file, rules, source):
        raise fault
    return settings_of(file, rules)


def settings_of(file: ConfigFile, rules: Rules) -> Settings:
    """What a file sets that has been found right, with the rules that it means."""
    match = MatchSettings(
        length=file.match.length,
        score=Pair(*file.match.score),
        names=Pair(*file.match.names),
        format=file.match.format,
        rules=rules,
    )
    return Settings(
        match=match,
        display=file.display,
        buttons=file.buttons,
        sound=file.sound,
        lamps=file.lamps,
        log=file.log,
        director=file.director,
    )


def _effective(table: RulesTable) -> Rules:
    """A profile's rules with the director's changes (EBF 2.2(iii), 3.5(v))."""
    values = msgspec.structs.asdict(table)
    given = {key: value for key, value in values.items() if value is not None}
    rules = PROFILES[given.pop("profile")]
    if "time_per_point" in given:
        rules = with_time_per_point(rules, duration_ns(given.pop("time_per_point")))
    if "breaks" in given:
        given["breaks"] = ((MAX_LENGTH, given["breaks"]),)
    changes = {
        _DURATIONS.get(key, key): duration_ns(value) if key in _DURATIONS else value
        for key, value in given.items()
    }
    return msgspec.structs.replace(rules, **changes)
