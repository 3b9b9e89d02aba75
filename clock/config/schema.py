"""The tables and keys of the configuration file, with their limits and defaults.

The `description` of a type is the "allowed" part of the error message. Conditions that involve
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


def matching(pattern: str, description: str, max_length: int | None = None) -> Meta:
    """Return the limits of a text: its pattern as a whole, and the most characters."""
    return Meta(pattern=rf"\A(?:{pattern})\Z", description=description, max_length=max_length)


Board = Annotated[
    str,
    matching(
        r"[A-Za-z0-9-]{0,8}", '1 to 8 letters, digits or "-" in quotes, such as "7", or "" for none'
    ),
]
Length = Annotated[int, Meta(ge=1, le=MAX_LENGTH, description="a whole number from 1 to 99")]
Score = Annotated[
    tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]],
    Meta(description="two whole numbers, left and right, such as [0, 0]"),
]
LONGEST_NAME = 40  # characters of a name of a person, event, round or preset; panels shorten it
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Names = Annotated[
    tuple[Name, Name],
    Meta(description='two names of 1 to 40 printable characters, such as ["Left", "Right"]'),
]
EventName = Annotated[
    str,
    matching(
        rf"{CHARACTER}*",
        'at most 40 printable characters, such as "Nordic Open", or "" for none',
        max_length=LONGEST_NAME,
    ),
]
RoundName = Annotated[
    str,
    matching(
        rf"{CHARACTER}*",
        'at most 40 printable characters, such as "Round 3", or "" for none',
        max_length=LONGEST_NAME,
    ),
]
TimeOfDay = Annotated[
    str,
    matching(
        r"(?:(?:[01]?[0-9]|2[0-3]):[0-5][0-9])?",
        'a time of day in quotes, such as "19:30", or "" for none',
    ),
]
Profile = Annotated[
    str, matching(rf"{'|'.join(PROFILES)}", "one of " + ", ".join(f'"{name}"' for name in PROFILES))
]
Duration = Annotated[
    str,
    Meta(
        pattern=DURATION_PATTERN,
        description='minutes and seconds in quotes, such as "2:00", or hours too: "1:05:00"',
    ),
]
Reserves = Annotated[
    tuple[Duration, Duration],
    Meta(description='two times in quotes, left and right, such as ["12:34", "8:05"]'),
]
DurationOrNone = Annotated[
    str,
    Meta(
        pattern=rf"{DURATION_PATTERN}|\Anone\Z",
        description='minutes and seconds in quotes, such as "2:00", or "none" for no limit',
    ),
]
Records = Annotated[
    tuple[Recorded, ...],
    Meta(max_length=2, description='a list of "who" and "cube", such as ["who"], or [] for none'),
]
Breaks = Annotated[int, Meta(ge=0, le=9, description="a whole number from 0 to 9")]
Address = Annotated[int, Meta(ge=0x03, le=0x77)]
Addresses = Annotated[
    tuple[Address, Address],
    Meta(description="two different addresses from 0x03 to 0x77, such as [0x3C, 0x3D]"),
]
QuarterTurns = Literal[0, 2]  # an upright panel is too narrow for the digits
Rotation = Annotated[
    tuple[QuarterTurns, QuarterTurns],
    Meta(description="two numbers of quarter turns, each 0 or 2 (upside down), such as [0, 2]"),
]
ColumnOffset = Annotated[int, Meta(ge=0, le=4, description="a whole number from 0 to 4")]
Contrast = Annotated[int, Meta(ge=0, le=255, description="a whole number from 0 to 255")]
Bus = Annotated[int, Meta(ge=0, le=99, description="the number of an I2C bus, 0 to 99")]
Pin = Annotated[int, Meta(ge=0, le=27, description="a BCM pin number from 0 to 27")]
PanelPin = Annotated[int, Meta(ge=1, le=27, description="a BCM pin number from 1 to 27")]
SPI_RESET = 25  # BCM, like `dc_pin` the number that luma.core and the Pi's overlays use
ResetPin = Annotated[
    int, Meta(ge=0, le=27, description="a BCM pin number from 1 to 27, or 0 for no reset pin")
]
BuzzerPin = Annotated[
    int, Meta(ge=0, le=27, description="a BCM pin number from 1 to 27, or 0 for no buzzer")
]
LampPin = Annotated[
    int, Meta(ge=0, le=27, description="a BCM pin number from 1 to 27, or 0 for no lamp")
]
Percent = Annotated[int, Meta(ge=1, le=90, description="a whole number of percent from 1 to 90")]
Milliseconds = Annotated[
    int, Meta(ge=1, le=50, description="a whole number of milliseconds from 1 to 50")
]
Directory = Annotated[
    str, matching(rf"{CHARACTER}+", 'a directory, such as "/var/lib/gammonclock"')
]
SerialPort = Annotated[
    str,
    matching(
        rf"(?:(?:/|[a-z0-9]+://){CHARACTER}+)?",
        'the full path of a device, such as "/dev/ttyUSB0", or "" for none',
    ),
]
Baud = Literal[
    1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400, 460800, 500000, 921600, 1000000
]
PresetName = Annotated[
    str,
    matching(
        rf"(?=.*\S){CHARACTER}+",
        '1 to 40 letters in quotes, such as "Final"',
        max_length=LONGEST_NAME,
    ),
]
DirectorCode = Annotated[
    str, matching(r"[LR]{0,8}", 'at most 8 letters L and R, such as "LRRL", or "" for none')
]


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
