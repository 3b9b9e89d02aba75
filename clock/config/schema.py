"""The tables and keys of the configuration file, with their limits and defaults.

The `description` of a type is the "allowed" part of the error message: the key of a text in the
catalogue, whose values are the limits of a number and what `extra` says. Conditions that involve
several keys are in `checks`.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from clock.match.durations import DURATION_PATTERN
from clock.match.profiles import PROFILES
from clock.match.rules import (
    MAX_LENGTH,
    EarlyPickup,
    FirstFlag,
    Format,
    IllegalMove,
    Lateness,
    Method,
    Recorded,
)

CHARACTER = r"[^\x00-\x1f\x7f]"  # that prints


def matching(
    pattern: str, description: str, max_length: int | None = None, **extra: object
) -> Meta:
    """Return the limits of a text: its pattern as a whole, and the most characters."""
    whole = rf"\A(?:{pattern})\Z"
    return Meta(pattern=whole, description=description, max_length=max_length, extra=extra)


def _short_text(example: str) -> Meta:
    return matching(
        rf"{CHARACTER}*", "short_text", LONGEST_NAME, most=LONGEST_NAME, example=example
    )


Board = Annotated[str, matching(r"[A-Za-z0-9-]{0,8}", "board", most=8, example='"7"')]
Length = Annotated[int, Meta(ge=1, le=MAX_LENGTH, description="whole_number")]
Score = Annotated[
    tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]],
    Meta(description="two_numbers", extra={"example": "[0, 0]"}),
]
LONGEST_NAME = 40  # characters of a name of a person, event, round or preset; panels shorten it
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Names = Annotated[
    tuple[Name, Name],
    Meta(description="two_names", extra={"most": LONGEST_NAME, "example": '["Left", "Right"]'}),
]
EventName = Annotated[str, _short_text('"Nordic Open"')]
RoundName = Annotated[str, _short_text('"Round 3"')]
TimeOfDay = Annotated[
    str, matching(r"(?:(?:[01]?[0-9]|2[0-3]):[0-5][0-9])?", "time_of_day", example='"19:30"')
]
Profile = Annotated[
    str, matching("|".join(PROFILES), "one_of", values=", ".join(f'"{name}"' for name in PROFILES))
]
Duration = Annotated[
    str,
    Meta(
        pattern=DURATION_PATTERN,
        description="duration",
        extra={"example": '"2:00"', "hours": '"1:05:00"'},
    ),
]
Reserves = Annotated[
    tuple[Duration, Duration], Meta(description="two_times", extra={"example": '["12:34", "8:05"]'})
]
DurationOrNone = Annotated[
    str,
    Meta(
        pattern=rf"{DURATION_PATTERN}|\Anone\Z",
        description="duration_or_none",
        extra={"example": '"2:00"', "none": '"none"'},
    ),
]
Records = Annotated[
    tuple[Recorded, ...],
    Meta(
        max_length=2,
        description="records",
        extra={"who": '"who"', "cube": '"cube"', "example": '["who"]'},
    ),
]
Breaks = Annotated[int, Meta(ge=0, le=9, description="whole_number")]
Address = Annotated[int, Meta(ge=0x03, le=0x77)]
Addresses = Annotated[
    tuple[Address, Address],
    Meta(
        description="two_addresses",
        extra={"lowest": "0x03", "highest": "0x77", "example": "[0x3C, 0x3D]"},
    ),
]
QuarterTurns = Literal[0, 2]  # an upright panel is too narrow for the digits
Rotation = Annotated[
    tuple[QuarterTurns, QuarterTurns], Meta(description="rotation", extra={"example": "[0, 2]"})
]
ColumnOffset = Annotated[int, Meta(ge=0, le=4, description="whole_number")]
Contrast = Annotated[int, Meta(ge=0, le=255, description="whole_number")]
Bus = Annotated[int, Meta(ge=0, le=99, description="bus")]
Pin = Annotated[int, Meta(ge=0, le=27, description="pin")]
PanelPin = Annotated[int, Meta(ge=1, le=27, description="pin")]
SPI_RESET = 25  # BCM, like `dc_pin` the number that luma.core and the Pi's overlays use
FROM_1 = {"lowest": 1}  # 0 is none
ResetPin = Annotated[int, Meta(ge=0, le=27, description="reset_pin", extra=FROM_1)]
BuzzerPin = Annotated[int, Meta(ge=0, le=27, description="buzzer_pin", extra=FROM_1)]
LampPin = Annotated[int, Meta(ge=0, le=27, description="lamp_pin", extra=FROM_1)]
Percent = Annotated[int, Meta(ge=1, le=90, description="percent")]
Milliseconds = Annotated[int, Meta(ge=1, le=50, description="milliseconds")]
Directory = Annotated[
    str, matching(rf"{CHARACTER}+", "directory", example='"/var/lib/gammonclock"')
]
SerialPort = Annotated[
    str, matching(rf"(?:(?:/|[a-z0-9]+://){CHARACTER}+)?", "device", example='"/dev/ttyUSB0"')
]
Baud = Literal[
    1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 500000, 921600, 1000000
]
PresetName = Annotated[
    str,
    matching(
        rf"(?=.*\S){CHARACTER}+", "preset_name", LONGEST_NAME, most=LONGEST_NAME, example='"Final"'
    ),
]
DirectorCode = Annotated[str, matching(r"[LR]{0,8}", "code_letters", most=8, example='"LRRL"')]


class MatchTable(Struct, frozen=True, kw_only=True):
    """[match]: the match to play."""

    board: Board = ""
    length: Length = 11
    score: Score = (0, 0)
    crawford: Literal["", "now", "done"] = ""
    reserves: Reserves | None = None  # None: by the formula
    names: Names = ("Left", "Right")
    event: EventName = ""
    round: RoundName = ""
    scheduled: TimeOfDay = ""
    carried: Score = (0, 0)  # of the score: penalties of an earlier match
    format: Format = Format.SINGLE
    play: Literal["singles", "doubles", "other"] = "singles"
    practice: bool = False


class RulesTable(Struct, frozen=True, kw_only=True):
    """[rules]: a federation's profile and changes to it; None keeps the profile's value."""

    profile: Profile = "ebf"
    time_per_point: DurationOrNone | None = None  # "none": pace mode
    time_per_match: Duration | None = None
    delay: Duration | None = None
    method: Method | None = None
    on_first_flag: FirstFlag | None = None
    overtime: Duration | None = None
    early_pickup: EarlyPickup | None = None
    illegal_move: IllegalMove | None = None
    lateness: Lateness | None = None
    late_step: Duration | None = None
    breaks: Breaks | None = None
    break_length: Duration | None = None
    penalty_points_score: bool | None = None
    penalty_forfeit: bool | None = None
    record: Records = ()


class DisplayTable(Struct, frozen=True, kw_only=True):
    """[display]: the two panels."""

    driver: Literal["ssd1306", "ssd1309", "sh1106"] = "ssd1306"
    interface: Literal["i2c", "spi"] = "i2c"
    bus: Bus = 1
    addresses: Addresses = (0x3C, 0x3D)
    dc_pin: PanelPin = 24  # for SPI alone
    reset_pin: ResetPin = 0
    rotate: Rotation = (0, 0)
    contrast: Contrast | None = None  # None: the driver's default
    column_offset: ColumnOffset | None = None  # None: 2 on an SH1106, 0 on the others
    language: Literal["en", "de", "da", "nb"] = "en"
    scoreboard: bool = True
    scores: Literal["points", "away"] = "points"

    @property
    def reset(self) -> int:
        """The BCM pin of RES; 0 for none. Panels on SPI always have one."""
        return self.reset_pin or (SPI_RESET if self.interface == "spi" else 0)


class PinsTable(Struct, frozen=True, kw_only=True):
    """The BCM pins of the three buttons."""

    left: Pin = 17
    right: Pin = 27
    centre: Pin = 22


class ButtonsTable(Struct, frozen=True, kw_only=True):
    """[buttons]: the two plungers and the centre button."""

    pins: PinsTable = PinsTable()
    pin_factory: Literal["gpiod", "lgpio", "rpigpio", "mock"] = "gpiod"
    settle_ms: Milliseconds = 15


class SoundTable(Struct, frozen=True, kw_only=True):
    """[sound]: the buzzer, and which alerts it sounds."""

    buzzer_pin: BuzzerPin = 0
    low_time: bool = False
    flag: bool = False


class LampsTable(Struct, frozen=True, kw_only=True):
    """[lamps]: one on each side, lit while that side's clock runs; 0 for none."""

    left: LampPin = 0
    right: LampPin = 0


class PowerTable(Struct, frozen=True, kw_only=True):
    """[power]: the battery, if the kernel knows one."""

    battery_low: Percent = 15


class LogTable(Struct, frozen=True, kw_only=True):
    """[log]: where the log of each match is written."""

    directory: Directory = "/var/lib/gammonclock"
    serial: SerialPort = ""
    baud: Baud = 115200


class DirectorTable(Struct, frozen=True, kw_only=True):
    """[director]: access to the director's menu."""

    code: DirectorCode = ""
    players_start: bool = True


class PresetTable(Struct, frozen=True, kw_only=True):
    """[[preset]]: a kind of match at the event; its keys replace those of [match] and [rules]."""

    name: PresetName
    match: MatchTable
    rules: RulesTable


class ConfigFile(Struct, frozen=True, kw_only=True):
    """The whole file."""

    match: MatchTable = MatchTable()
    rules: RulesTable = RulesTable()
    display: DisplayTable = DisplayTable()
    buttons: ButtonsTable = ButtonsTable()
    sound: SoundTable = SoundTable()
    lamps: LampsTable = LampsTable()
    power: PowerTable = PowerTable()
    log: LogTable = LogTable()
    director: DirectorTable = DirectorTable()
    preset: tuple[PresetTable, ...] = ()
