"""The settings in force, after defaults and profile have been applied to the configuration file."""

from typing import NamedTuple

import msgspec

from clock.config import schema
from clock.config.schema import ConfigFile
from clock.match.durations import duration_text
from clock.match.profiles import breaks_allowed
from clock.match.rules import NOT_RULES, MatchSettings, Rules
from clock.match.scoring import score_text
from clock.match.timecontrol import bank_ns
from clock.match.types import Pair

YES_OR_NO = {True: "yes", False: "no"}
NOT_USED = "not used"


class Preset(NamedTuple):
    """A kind of match that can be chosen at this event."""

    name: str
    """As the panels show it; "" for the file's own [match] and [rules]."""
    match: MatchSettings

    @property
    def banks_ns(self) -> Pair[int]:
        """The time that each player starts with: the bank (NBgF 3-4-6), unless it is given."""
        away = self.match.score.map(lambda points: self.match.length - points)
        bank = bank_ns(self.match.rules, away)
        return self.match.reserves or Pair(bank, bank)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a clock and of the next match on it."""

    match: MatchSettings
    board: str  # the table; no part of the settings code
    display: schema.DisplayTable
    buttons: schema.ButtonsTable
    sound: schema.SoundTable
    lamps: schema.LampsTable
    power: schema.PowerTable
    log: schema.LogTable
    director: schema.DirectorTable
    presets: tuple[Preset, ...] = ()
    ignored: tuple[str, ...] = ()  # files beside the settings file that look like it
    file: ConfigFile = ConfigFile()  # the tables that these settings were made of

    @property
    def banks_ns(self) -> Pair[int]:
        """The time bank that each player starts with, without a preset."""
        return self.own.banks_ns

    @property
    def own(self) -> Preset:
        """The file's own [match] and [rules]."""
        return Preset("", self.match)

    @property
    def choices(self) -> tuple[Preset, ...]:
        """What the next match can be: the file's own settings and its presets; () without any."""
        return (self.own, *self.presets) if self.presets else ()


def describe(settings: Settings) -> list[tuple[str, str]]:
    """Return the settings as (name, text), named by the key of the file where there is one."""
    banks = settings.banks_ns
    return [
        ("match.board", settings.board or "none"),
        *_match_lines(settings.match),
        *_rules_lines(settings.match.rules, settings.match.length),
        *_device_lines(settings),
        ("left bank", duration_text(banks.left)),
        ("right bank", duration_text(banks.right)),
        ("settings code", settings.match.code),
        *(line for preset in settings.presets for line in _preset_lines(preset, settings.own)),
    ]


def _preset_lines(preset: Preset, own: Preset) -> list[tuple[str, str]]:
    """Return a preset's banks and settings code, then what it changes in the file's own match."""
    banks = preset.banks_ns.map(duration_text)
    text = f"left bank {banks.left}, right {banks.right}, settings code {preset.match.code}"
    changes = [(f"  {name}", new) for name, _, new in differences(own.match, preset.match)]
    return [(f'preset "{preset.name}"', text), *changes]


def differences(one: MatchSettings, other: MatchSettings) -> list[tuple[str, str, str]]:
    """Return (name, text, text) of what the settings code of two matches depends on and differs."""
    was, new = dict(_code_lines(one)), dict(_code_lines(other))
    lines = ((name, was.get(name, "none"), new.get(name, "none")) for name in was | new)
    return [(name, text, changed) for name, text, changed in lines if text != changed]


def _code_lines(match: MatchSettings) -> list[tuple[str, str]]:
    lines = [*_match_lines(match), *_rules_lines(match.rules, match.length)]
    return [line for line in lines if line[0].removeprefix("match.") not in NOT_RULES]


def _match_lines(match: MatchSettings) -> list[tuple[str, str]]:
    return [
        ("match.length", f"{match.length} {'point' if match.length == 1 else 'points'}"),
        ("match.score", score_text(match.score)),
        ("match.crawford", match.crawford.value if match.crawford else "by the score"),
        ("match.reserves", ", ".join(map(duration_text, match.reserves or ())) or "by the rules"),
        ("match.names", f"{match.names.left}, {match.names.right}"),
        ("match.event", match.event or "none"),
        ("match.round", match.round or "none"),
        ("match.scheduled", match.scheduled or "none"),
        ("match.carried", score_text(match.carried)),
        ("match.format", match.format.value),
        ("match.practice", YES_OR_NO[match.practice]),
    ]


def _rules_lines(rules: Rules, length: int) -> list[tuple[str, str]]:
    times = rules.timed()
    later = ' from "Play with a limit" on' if rules.pace else ""  # the director's menu has that
    called = ", by the director" if rules.overtime_called and rules.overtime_ns else ""
    step = duration_text(rules.bank_step_ns) if rules.bank_step_ns > 1 else "not rounded"
    return [
        ("rules.profile", rules.profile),
        ("rules.time_per_point", "none" if rules.pace else duration_text(times.time_per_point_ns)),
        ("rules.time_per_match", f"{duration_text(times.time_per_match_ns)}{later}"),
        ("bank rounded up to", step),
        ("rules.delay", f"{duration_text(times.delay_ns)}{later}"),
        ("rules.method", rules.method.value),
        ("rules.on_first_flag", rules.on_first_flag.value),
        ("both flags down", rules.both_flags.value),
        ("gin with a flag down", rules.gin.value),
        ("rules.overtime", f"{duration_text(rules.overtime_ns)}{called}{later}"),
        ("rules.early_pickup", rules.early_pickup.value),
        ("rules.illegal_move", rules.illegal_move.value),
        ("dice taken", rules.dice_taken.value),
        ("for a game not decided", duration_text(rules.not_decided_ns)),
        ("rules.lateness", f"{rules.lateness.value}, {rules.late_award.value}"),
        ("rules.late_step", duration_text(rules.late_step_ns)),
        ("rules.penalty_points_score", YES_OR_NO[rules.penalty_points_score]),
        ("rules.penalty_forfeit", YES_OR_NO[rules.penalty_forfeit]),
        ("rules.breaks", f"{breaks_allowed(rules, length)} a player"),
        ("rules.break_length", duration_text(rules.break_ns)),
        ("reasons to stop", ", ".join(reason.value for reason in rules.reasons)),
        *([("rules.record", ", ".join(rules.record))] if rules.record else []),
    ]


def _panel_lines(display: schema.DisplayTable) -> list[tuple[str, str]]:
    """Return where the panels are, and which settings their interface does not use."""
    spi = display.interface == "spi"
    addresses = ", ".join(f"0x{address:02X}" for address in display.addresses)
    return [
        ("display.interface", display.interface),
        ("display.bus", NOT_USED if spi else str(display.bus)),
        ("display.addresses", NOT_USED if spi else addresses),
        ("display.dc_pin", str(display.dc_pin) if spi else NOT_USED),
        ("display.reset_pin", str(display.reset or "none")),
    ]


def _device_lines(settings: Settings) -> list[tuple[str, str]]:
    display, buttons, pins = settings.display, settings.buttons, settings.buttons.pins
    sound, lamps, log = settings.sound, settings.lamps, settings.log
    contrast, code = display.contrast, settings.director.code
    offset = display.column_offset
    return [
        ("display.driver", display.driver),
        *_panel_lines(display),
        ("display.rotate", ", ".join(str(turns) for turns in display.rotate)),
        ("display.contrast", "the driver's default" if contrast is None else str(contrast)),
        ("display.column_offset", "the driver's default" if offset is None else str(offset)),
        ("display.language", display.language),
        ("display.scoreboard", YES_OR_NO[display.scoreboard]),
        ("display.scores", display.scores),
        ("buttons.pins", f"left {pins.left}, right {pins.right}, centre {pins.centre}"),
        ("buttons.pin_factory", buttons.pin_factory),
        ("buttons.settle_ms", str(buttons.settle_ms)),
        ("sound.buzzer_pin", str(sound.buzzer_pin or "none")),
        ("sound.low_time", YES_OR_NO[sound.low_time]),
        ("sound.flag", YES_OR_NO[sound.flag]),
        ("lamps.left", str(lamps.left or "none")),
        ("lamps.right", str(lamps.right or "none")),
        ("power.battery_low", f"{settings.power.battery_low} %"),
        ("log.directory", log.directory),
        ("log.serial", f"{log.serial}, {log.baud} baud" if log.serial else "none"),
        ("director.code", f"{len(code)} presses" if code else "none"),  # never the code itself
        ("director.players_start", YES_OR_NO[settings.director.players_start]),
    ]
