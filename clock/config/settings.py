"""All that a clock is told before it starts, and how a person reads it.

The one rule: this is what is in force, whatever a file said or left out.
"""

import msgspec

from clock.config.schema import Buttons, Director, Display, Lamps, Log, Sound
from clock.match.durations import duration_text
from clock.match.profiles import breaks_allowed
from clock.match.rules import MatchSettings, Rules
from clock.match.sides import Pair
from clock.match.timecontrol import bank_ns

Lines = list[tuple[str, str]]

YES_OR_NO = {True: "yes", False: "no"}


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The effective settings of a clock and of the match it is to begin."""

    match: MatchSettings
    display: Display
    buttons: Buttons
    sound: Sound
    lamps: Lamps
    log: Log
    director: Director

    @property
    def banks_ns(self) -> Pair[int]:
        """The time bank that each player starts with: the same for both (NBgF 3-4-6)."""
        away = self.match.score.map(lambda points: self.match.length - points)
        bank = bank_ns(self.match.rules, away)
        return Pair(bank, bank)


def describe(settings: Settings) -> Lines:
    """What is in force, a (key, text) a line; the keys are those of the file where it has one."""
    banks = settings.banks_ns
    return [
        *_match(settings.match),
        *_rules(settings.match.rules, settings.match.length),
        *_device(settings),
        ("left bank", duration_text(banks.left)),
        ("right bank", duration_text(banks.right)),
        ("settings code", settings.match.code),
    ]


def _match(match: MatchSettings) -> Lines:
    return [
        ("match.length", f"{match.length} {'point' if match.length == 1 else 'points'}"),
        ("match.score", f"{match.score.left}-{match.score.right}"),
        ("match.names", f"{match.names.left}, {match.names.right}"),
        ("match.format", match.format.value),
    ]


def _rules(rules: Rules, length: int) -> Lines:
    breaks = breaks_allowed(rules, length)
    return [
        ("rules.profile", rules.profile),
        ("rules.time_per_point", duration_text(rules.time_per_point_ns)),
        ("rules.time_per_match", duration_text(rules.time_per_match_ns)),
        (
            "bank rounded up to",
            duration_text(rules.bank_step_ns) if rules.bank_step_ns > 1 else "-",
        ),
        ("rules.delay", duration_text(rules.delay_ns)),
        ("rules.method", rules.method.value),
        ("rules.on_first_flag", rules.on_first_flag.value),
        ("both flags down", rules.both_flags.value),
        ("gin with a flag down", rules.gin.value),
        ("rules.overtime", duration_text(rules.overtime_ns)),
        ("rules.early_pickup", rules.early_pickup.value),
        ("rules.illegal_move", rules.illegal_move.value),
        ("dice taken", rules.dice_taken.value),
        ("for a game not decided", duration_text(rules.not_decided_ns)),
        ("rules.lateness", f"{rules.lateness.value}, {rules.late_award.value}"),
        ("rules.late_step", duration_text(rules.late_step_ns)),
        ("rules.penalty_points_score", YES_OR_NO[rules.penalty_points_score]),
        ("rules.breaks", f"{breaks} a player"),
        ("rules.break_length", duration_text(rules.break_ns)),
        ("reasons to stop", ", ".join(reason.value for reason in rules.reasons)),
    ]


def _device(settings: Settings) -> Lines:
    display, buttons, pins = settings.display, settings.buttons, settings.buttons.pins
    sound, log, code = settings.sound, settings.log, settings.director.code
    return [
        ("display.driver", display.driver),
        ("display.bus", str(display.bus)),
        ("display.addresses", ", ".join(f"0x{address:02X}" for address in display.addresses)),
        ("display.rotate", ", ".join(str(turns) for turns in display.rotate)),
        ("display.contrast", _contrast(display)),
        ("display.language", display.language),
        ("display.scoreboard", YES_OR_NO[display.scoreboard]),
        ("buttons.pins", f"left {pins.left}, right {pins.right}, centre {pins.centre}"),
        ("buttons.pin_factory", buttons.pin_factory),
        ("buttons.settle_ms", str(buttons.settle_ms)),
        ("sound.buzzer_pin", str(sound.buzzer_pin) if sound.buzzer_pin else "none"),
        ("sound.low_time", YES_OR_NO[sound.low_time]),
        ("sound.flag", YES_OR_NO[sound.flag]),
        ("lamps.left", str(settings.lamps.left) if settings.lamps.left else "none"),
        ("lamps.right", str(settings.lamps.right) if settings.lamps.right else "none"),
        ("log.directory", log.directory),
        ("log.serial", f"{log.serial}, {log.baud} baud" if log.serial else "none"),
        ("director.code", f"{len(code)} presses" if code else "none"),  # never the code itself
    ]


def _contrast(display: Display) -> str:
    """0 is a contrast too, and the faintest."""
    return "as the driver sets it" if display.contrast is None else str(display.contrast)
