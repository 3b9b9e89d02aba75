"""What the log says of a match: one event for each input or timed transition that mattered.

Contract: the tags and field names stand in every log; other programs rely on them. The one rule:
an event has all that is needed to know the input it came from, so that a log can be played again.
"""

from typing import Any, Literal

import msgspec

from clock.match.phases import Phase, ResumeWith
from clock.match.rules import MatchSettings, Reason
from clock.match.sides import Button, Pair, Side

Value = int | str | bool | list[int] | None
Stamps = Literal["kernel", "software"]  # who takes the instant of a press


class Event(msgspec.Struct, frozen=True, tag_field="event"):
    """What happened, as the log says it."""


class MatchOpenedEvent(Event, frozen=True, omit_defaults=True, tag="match_opened"):
    """The first line of a match: everything that it is played under."""

    settings: MatchSettings
    code: str
    version: str
    stamps: Stamps = "kernel"  # said only where it is not so: a press may be stamped late


class ConfirmedEvent(Event, frozen=True, tag="confirmed"):
    """The settings shown were confirmed: by a player, the director, or by both (centre)."""

    side: str  # left, right, centre, director


class PressedEvent(Event, frozen=True, tag="pressed"):
    """A button was pressed. An accepted plunger while a clock runs ends the turn."""

    side: Button
    accepted: bool
    why: str | None  # why not; or "menu": used by a page of the dialogue


class StoppedEvent(Event, frozen=True, tag="stopped"):
    """Both clocks stand still."""

    reason: Reason


class ReasonChosenEvent(Event, frozen=True, tag="reason_chosen"):
    """A reason was chosen (plunger), or carried out without starting a clock (centre)."""

    reason: Reason
    by: Button


class ResumedEvent(Event, frozen=True, tag="resumed"):
    """A clock goes on after a stop."""

    reason: Reason
    side: Side
    delay: ResumeWith
    by: str  # centre or director
    invalid_rolls: int | None = None  # of this side in this match, when that was the reason


class FreeTurnEvent(Event, frozen=True, tag="free_turn"):
    """A player plays off the clock until he presses his plunger."""

    reason: Reason
    side: Side


class FlagFellEvent(Event, frozen=True, tag="flag_fell"):
    """A player's time ran out. Nothing else happens until somebody says so (EBF 4.3(iii))."""

    side: Side
    order: int
    margin_ns: int | None  # behind the first flag; None for the first, or when it cannot be known


class FlagClaimedEvent(Event, frozen=True, tag="flag_claimed"):
    """Somebody announced that time had run out."""

    side: Side | None  # whose; None: no flag was down
    claimant: Side | None  # the flagged player's opponent
    overrun_ns: int  # played after the flag


class OvertimeEvent(Event, frozen=True, tag="overtime"):
    """A player's reserve ran out and overtime was added, or the director granted it."""

    side: Side
    old_ns: int
    new_ns: int
    by: str  # clock or director


class GameOverEvent(Event, frozen=True, tag="game_over"):
    """A game was scored."""

    winner: Side | None
    points: int
    score: Pair[int]
    legs: Pair[int]  # matches won, in a best of three
    crawford: bool  # the next game is the Crawford game
    warning: str | None  # what the players should look at before they go on
    unclaimed_flags: list[Side] = []  # if it ended one match of a best of three; else empty


class BreakStartedEvent(Event, frozen=True, tag="break_started"):
    """A break began; write down both times (EBF 4.3(ii)(b))."""

    taken: Pair[int]
    allowed_ns: int


class BreakEndedEvent(Event, frozen=True, tag="break_ended"):
    """A break ended."""

    took_ns: int


class LateEvent(Event, frozen=True, tag="late"):
    """A player is late. Points are only proposed; the director gives them."""

    side: Side | None  # None: who, the clock cannot know (after a break)
    points: int  # proposed so far
    award: str  # the director may or shall give them; start-clock; clock-started
    by: str  # director: counting begins; clock: another step is full
    forfeits: bool  # more than half the match length: the match is lost (EBF 2.2(iv))


class PenaltyEvent(Event, frozen=True, tag="penalty"):
    """The director gave points."""

    side: Side  # the offender
    beneficiary: Side
    points: int
    why: str
    score: Pair[int]
    forfeits: bool = False  # more than half the match length: the match is lost (EBF 2.2(iv))


class AdjustedEvent(Event, frozen=True, tag="adjusted"):
    """The director set a reserve."""

    side: Side
    old_ns: int
    new_ns: int
    why: str
    flag_cleared: bool


class CorrectedEvent(Event, frozen=True, tag="corrected"):
    """The director put something else right."""

    what: str
    side: Side | None
    old: Value
    new: Value
    adjusted_ns: int | None = None  # added to both reserves with a new length


class MatchOverEvent(Event, frozen=True, tag="match_over"):
    """The match ended."""

    winner: Side | None
    why: str
    score: Pair[int]
    unclaimed_flags: list[Side]  # fell and were never announced: the result stands (EBF 4.3(iii))


class ReopenedEvent(Event, frozen=True, tag="reopened"):
    """A game or match that was closed goes on."""

    was: str


class Origin(msgspec.Struct, frozen=True):
    """The log that a match goes on from in a log of its own, and what of it counts."""

    match: str  # the name of that log
    seq: int  # the latest of its lines that counts
    crc: str  # that line's checksum; empty if that cannot be read
    taken_from: str  # log: replayed; checkpoint; effects: reserves and score of its latest line
    unknown: int  # lines of that log that are not known to count in full
    damage: str | None  # what is wrong with it, and where; None: nothing


class RestoredEvent(Event, frozen=True, omit_defaults=True, tag="restored"):
    """The clock came back, stopped. With an `origin` it is the first line of a log of its own."""

    why: str  # power_loss; with an origin: damaged, replacement, safe_mode
    used_ns: int | None
    lost_ns: int | None  # at most this much play; None: nobody knows how much
    same_boot: bool = False  # the computer was on all the time: instants before it count
    origin: Origin | None = None
    version: str = ""  # as in match_opened
    stamps: Stamps = "kernel"  # as in match_opened
    state: dict[str, Any] | None = None  # the whole match, as in a checkpoint


class FaultEvent(Event, frozen=True, tag="fault"):
    """A part of the clock failed; the clock runs on."""

    part: str
    what: str


class FaultClearedEvent(Event, frozen=True, tag="fault_cleared"):
    """A part works again."""

    part: str


AnyEvent = (
    MatchOpenedEvent
    | ConfirmedEvent
    | PressedEvent
    | StoppedEvent
    | ReasonChosenEvent
    | ResumedEvent
    | FreeTurnEvent
    | FlagFellEvent
    | FlagClaimedEvent
    | OvertimeEvent
    | GameOverEvent
    | BreakStartedEvent
    | BreakEndedEvent
    | LateEvent
    | PenaltyEvent
    | AdjustedEvent
    | CorrectedEvent
    | MatchOverEvent
    | ReopenedEvent
    | RestoredEvent
    | FaultEvent
    | FaultClearedEvent
)


class Record(msgspec.Struct, frozen=True):
    """One line of the log, without its place in a file: an event and where it left the match."""

    at_ns: int
    event: AnyEvent
    phase: Phase
    running: Side | None
    left_ns: int
    right_ns: int
    delay_ns: int
