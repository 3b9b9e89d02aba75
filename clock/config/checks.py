"""Errors of a file whose keys are each valid: values that contradict each other."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from clock.config.reader import ConfigError, as_written
from clock.config.schema import LONGEST_NAME, SPI_RESET, ConfigFile, RulesTable
from clock.match.rules import Rules
from clock.match.state import crawford_is_open
from clock.match.types import Pair, Side
from clock.text import message

UNUSUAL_OPEN = ("wbgf", "ebf", "dbgf")  # 3.5(v) of each leaves the times of unusual matches open
# US 2013 2.2; no other text has times for doubles.
FOR_DOUBLES = {"us": "us-doubles", "usbgf": "us-doubles"}

OF_BUSES = {  # BCM pins, docs/hardware.md
    2: "I2C (SDA)", 3: "I2C (SCL)", 7: "SPI (CE1)", 8: "SPI (CE0)", 9: "SPI (MISO)",
    10: "SPI (MOSI)", 11: "SPI (SCLK)",
}  # fmt: skip
OF_UART = {14: "log.serial (TXD)", 15: "log.serial (RXD)"}

Problem = tuple[str, str, str]  # key, found, allowed


def conflicts(file: ConfigFile, rules: Rules, source: str) -> Iterator[ConfigError]:
    """Yield an error for each conflict, named by the key to change first.

    `rules` are those of the file's profile with its changes.
    """
    for problem in _match_problems(file):
        yield ConfigError(source, *problem)
    yield from _missing_times(file, source)
    if file.match.practice and rules.pace is not None:  # there is no time that could run out
        yield ConfigError(source, "match.practice", "true", message("practice_limit"))
    if file.match.reserves and rules.pace is not None:
        found, allowed = as_written(file.match.reserves), message("reserves_limit")
        yield ConfigError(source, "match.reserves", found, allowed)
    for problem in (*_zero_times(file.rules, rules), *_wiring_problems(file)):
        yield ConfigError(source, *problem)


def _match_problems(file: ConfigFile) -> Iterator[Problem]:
    score, length, names = file.match.score, file.match.length, file.match.names
    if max(score) >= length:
        allowed = message("scores", lowest=0, highest=length - 1)
        yield "match.score", as_written(score), allowed
    if file.match.crawford and not crawford_is_open(Pair(length - score[0], length - score[1])):
        yield "match.crawford", as_written(file.match.crawford), message("crawford_closed")
    if any(part > whole for part, whole in zip(file.match.carried, score, strict=True)):
        yield "match.carried", as_written(file.match.carried), message("part_of_score")
    if not is_names(names):
        yield "match.names", as_written(names), message("names_not_blank")


def is_names(names: Sequence[object]) -> bool:
    """Return whether these can be the names of two players."""
    return len(names) == len(Side) and all(
        isinstance(name, str) and len(name) <= LONGEST_NAME and name.isprintable() and name.strip()
        for name in names
    )


def _missing_times(file: ConfigFile, source: str) -> Iterator[ConfigError]:
    """Where the text of a profile has no times for a match, the director sets them (R6, R94)."""
    table, play = file.rules, file.match.play
    times = (("time_per_point", table.time_per_point), ("delay", table.delay))
    missing = [key for key, value in times if value is None]
    if not missing or not times_open(table.profile, play):
        return
    silent = f'The rules of profile "{table.profile}" have no times for match.play = "{play}":'
    write = "write rules.time_per_point and rules.delay below the line [rules]."
    if table.profile in FOR_DOUBLES:
        found = as_written(table.profile)
        allowed = message("own_doubles", profile=as_written(FOR_DOUBLES[table.profile]))
        advice = f"{silent} change the profile, or {write}"
        yield ConfigError(source, "rules.profile", found, allowed, advice)
    for key in missing:
        found = message("not_given")
        allowed = message("duration_given", example='"2:30"', other='"0:18"')
        yield ConfigError(source, f"rules.{key}", found, allowed, f"{silent} {write}")


def times_open(profile: str, play: str) -> bool:
    """Return whether the text of a profile leaves the times of such a match open."""
    if play == "doubles":
        return profile not in FOR_DOUBLES.values()
    return play == "other" and profile in UNUSUAL_OPEN


def _zero_times(table: RulesTable, rules: Rules) -> Iterator[Problem]:
    timed = rules.timed()  # in pace mode the director can begin these times
    if timed.time_per_point_ns + timed.time_per_match_ns == 0:
        yield "rules.time_per_point", as_written(table.time_per_point), message("not_both_zero")
    if rules.late_step_ns == 0:
        yield "rules.late_step", as_written(table.late_step), message("late_step_zero")
    if rules.break_ns == 0:
        yield "rules.break_length", as_written(table.break_length), message("break_zero")


def _wiring_problems(file: ConfigFile) -> Iterator[Problem]:
    addresses = file.display.addresses
    if addresses[0] == addresses[1]:
        found = as_written([f"0x{address:02X}" for address in addresses])
        yield "display.addresses", found, message("address_each")
    if file.display.column_offset and file.display.driver != "sh1106":
        found = as_written(file.display.column_offset)
        yield "display.column_offset", found, message("columns_of_sh1106")
    yield from _pin_problems(file)


class _Use(NamedTuple):
    """A pin that the file gives to something."""

    key: str
    name: str
    pin: int
    default: int


def _pin_problems(file: ConfigFile) -> Iterator[Problem]:
    """Name each pin that something else has; of two keys the one that the file has changed."""
    taken = _fixed_pins(file.log.serial)
    for key, name, pin, _ in sorted(_uses(file), key=lambda use: use.pin != use.default):
        if pin in taken:
            allowed = message("free_pin", pin=pin, owner=taken[pin])
            yield key, f"{name} {pin}" if name else as_written(pin), allowed
        taken.setdefault(pin, f"{key} {name}".rstrip())


def _uses(file: ConfigFile) -> Iterator[_Use]:
    pins, display, default = file.buttons.pins, file.display, ConfigFile()
    for name in ("left", "right", "centre"):
        yield _Use("buttons.pins", name, getattr(pins, name), getattr(default.buttons.pins, name))
    if display.interface == "spi":
        yield _Use("display.dc_pin", "", display.dc_pin, default.display.dc_pin)
    optional = (
        _Use("display.reset_pin", "", display.reset, SPI_RESET),
        _Use("sound.buzzer_pin", "", file.sound.buzzer_pin, 0),
        _Use("lamps.left", "", file.lamps.left, 0),
        _Use("lamps.right", "", file.lamps.right, 0),
    )
    yield from (use for use in optional if use.pin != 0)


def _fixed_pins(serial: str) -> dict[int, str]:
    """Return the pins with a function of their own: the installation switches I2C and SPI on."""
    of_uart = OF_UART if re.match(r"/dev/(ttyAMA|ttyS|serial[01])", serial) else {}
    return {**OF_BUSES, **of_uart}
