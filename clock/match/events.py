"""The events in the log: one for each input or timed transition that has an effect.

The tags and field names are a contract: they stand in every log. An event holds all that is needed
to know the input that caused it, so that a log can be replayed.
"""

from typing import Any, Literal, NamedTuple

import msgspec

from clock.match.rules import Answer, Gammon, MatchSettings, Reason, Ruler, RulingReason
from clock.match.types import Button, NextDelay, Pair, Phase, ResumeWith, Side

Value = int | str | bool | list[int | str] | None
Stamps = Literal["kernel", "software"]  # what takes the instant of a press


class Writer(NamedTuple):
    """The clock that writes a log, as the log's first line names it; it decides nothing."""

    version: str  # of the program
    clock: str = ""  # 8 hex digits that identify the clock; empty: not known
    board: str = ""  # the table, if the configuration names it
    stamps: Stamps = "kernel"
    battery: int | None = None  # how full it is, in percent; None: no battery is known


class Event(msgspec.Struct, frozen=True, tag_field="event"):
    """Something that happened, for the log."""


class MatchOpenedEvent(Event, frozen=True, omit_defaults=True, tag="match_opened"):
    """A match was opened: the first line of its log, with everything that it is played under."""

    settings: MatchSettings
    code: str  # of the settings
    version: str  # of the program
    clock: str = ""  # see `Writer`
    board: str = ""
    stamps: Stamps = "kernel"  # written only if "software": then presses may be stamped late
    preset: str | None = None  # chosen for it; "": the file's own settings; None: nothing chosen
    offer: str = ""  # the id of the director's offer of this match; empty: it was not offered
    battery: int | None = None  # see `Writer`


class OfferMadeEvent(Event, frozen=True, tag="offered"):
    """The director offered the next match from the room; the panels of a finished match say so."""

    offer: str  # its id
    settings: MatchSettings


class RulingProposedEvent(Event, frozen=True, tag="proposed"):
    """The director proposed a ruling from the room; the panels say so, and nothing else changed."""

    proposal: str  # its id
    by: str  # who proposed it, as they call themselves
    item: str  # of the director's menu
    answers: tuple[Answer, ...]  # to what the item asks, in its order


class OfferRefusedEvent(Event, frozen=True, omit_defaults=True, tag="offer_refused"):
    """An offer of the director's, or a ruling that they proposed, was refused."""

    offer: str  # its id; empty: it was not from the room's hub, so nothing in it counts
    by: str
    """clock: it cannot be shown; players: they do not want it, or began another match; director: a
    plunger refused the ruling on its page."""
    why: str  # what the clock found wrong; empty: the players do not say why
    key: str = ""  # of that text in the words of the panels; empty: it is in English alone
    values: dict[str, Any] = {}  # what its placeholders stand for


class ConfirmedEvent(Event, frozen=True, tag="confirmed"):
    """The settings shown were confirmed."""

    side: str  # left, right; centre: both players have; director


class PressedEvent(Event, frozen=True, tag="pressed"):
    """A button was pressed. An accepted plunger while a clock runs ends the turn."""

    side: Button
    accepted: bool
    why: str | None  # why it had no effect; "menu": used by a page of the dialogue


class StoppedEvent(Event, frozen=True, tag="stopped"):
    """The clock was stopped."""

    reason: Reason
    side: Side | None = None  # whose clock ran; None: a free turn


class ReasonShownEvent(Event, frozen=True, tag="reason_shown"):
    """A plunger turned to another reason; nothing else changed."""

    reason: Reason
    by: Button


class ReasonChosenEvent(Event, frozen=True, tag="reason_chosen"):
    """The centre carried out a reason that starts no clock."""

    reason: Reason


class ResumedEvent(Event, frozen=True, tag="resumed"):
    """A clock was started again after a stop."""

    reason: Reason
    side: Side
    delay: ResumeWith
    by: str  # centre or director
    invalid_rolls: int | None = None  # of this side in this match; None: another reason


class FreeTurnEvent(Event, frozen=True, omit_defaults=True, tag="free_turn"):
    """A player plays off the clock until they press their plunger."""

    reason: Reason
    side: Side
    delay: NextDelay | None = NextDelay.SKIP
    """Of the opponent's next turn, after an early pickup; None: the rules have no delay."""


class FlagFellEvent(Event, frozen=True, tag="flag_fell"):
    """A player's time ran out. Nothing else happens until a player announces it (EBF 4.3(iii))."""

    side: Side
    order: int  # 1: fell first; 2: fell second
    margin_ns: int | None  # behind the first flag; None: this is the first, or it is not known


class FlagClaimedEvent(Event, frozen=True, tag="flag_claimed"):
    """A player announced that time had run out."""

    side: Side | None  # whose time; None: no flag was down
    overrun_ns: int  # the time played after the flag


class OvertimeEvent(Event, frozen=True, tag="overtime"):
    """Overtime was added to a reserve, by the clock when it ran out or by the director."""

    side: Side
    old_ns: int  # the reserve before
    new_ns: int
    by: str  # clock or director
    flag_cleared: bool = False
    reason: RulingReason | None = None  # as the director gave it; None: not given
    warning: int = 0  # of this player's warnings, if the overtime comes with one; else 0


class GameOverEvent(Event, frozen=True, tag="game_over"):
    """A game was scored."""

    winner: Side | None  # None: no points were entered
    points: int
    score: Pair[int]
    legs: Pair[int]  # won; a leg is one match of a best of three
    crawford: bool  # the next game is the Crawford game
    warning: str | None  # why the players should check the points; see `score_warning`
    unclaimed_flags: list[Side] = []  # if the game ended a leg that was not the last; else empty


class BreakStartedEvent(Event, frozen=True, tag="break_started"):
    """A break began; the players write down both times (EBF 4.3(ii)(b))."""

    taken: Pair[int]  # breaks that each player uses up
    allowed_ns: int
    side: Side | None = None  # who took it; None: both
    by: str = "centre"  # or director


class BreakEndedEvent(Event, frozen=True, tag="break_ended"):
    """A break ended."""

    took_ns: int


class LateEvent(Event, frozen=True, tag="late"):
    """A player is late. Points are only proposed; the director awards them."""

    side: Side | None  # None: after a break, when the clock cannot know who is late
    points: int  # due so far
    award: str  # may, shall: the director awards the points; start-clock; clock-started
    by: str  # director: counting begins; clock: another step is full
    forfeits: bool  # more than half the match length, which loses the match (EBF 2.2(iv))
    settled: int = 0  # of the points: given or waived; the others are proposed
    late_ns: int = 0  # how late the player was already when the director noted it
    next_ns: int | None = None  # until the next point is due; None: there is no next one
    taker: Side | None = None  # of the break after which play is late; None: both, or no break


class PenaltyEvent(Event, frozen=True, tag="penalty"):
    """The director awarded penalty or bonus points."""

    side: Side  # the offender; for bonus points the opponent of the player who gets them
    beneficiary: Side
    points: int
    why: str
    score: Pair[int]
    forfeits: bool = False  # more than half the match length, which loses the match
    adjusted_ns: int | None = None  # added to both reserves; None: does not touch them
    since_ns: int | None = None  # since the latest warning or ruling for slow play; None: unknown
    early_ns: int = 0  # what that lacks of the time that the rules want (NBgF 2-3-1)


class WarnedEvent(Event, frozen=True, tag="warned"):
    """The director warned a player (EBF 1.5, 2.3(i)(a), 4.2; NBgF 4-1-5)."""

    side: Side
    reason: RulingReason
    count: int = 1  # of this player's warnings, this one included


class AdjustedEvent(Event, frozen=True, tag="adjusted"):
    """The director set a reserve."""

    side: Side
    old_ns: int
    new_ns: int
    why: str
    flag_cleared: bool
    reason: RulingReason | None = None  # as the director gave it; None: not given
    code: str | None = None  # at REVIEW: of the settings now in force


class CorrectedEvent(Event, frozen=True, tag="corrected"):
    """The director, or before the match the players, corrected something else than a reserve."""

    what: str
    side: Side | None  # None: both
    old: Value
    new: Value
    adjusted_ns: int | None = None  # added to both reserves, or that of `side`, to which a delay
    # is given back; None: does not touch them
    flag_cleared: bool = False
    crawford: str | None = None  # of the next game, as entered with a score; None: not asked for
    by: str = "director"  # or players, who said before the match if the Crawford game was played
    reason: RulingReason | None = None  # as the director gave it; None: not given
    code: str | None = None  # at REVIEW: of the settings now in force
    since_ns: int | None = None  # since the latest warning or ruling for slow play; None: unknown
    early_ns: int = 0  # what that lacks of the time that the rules want (NBgF 2-3-1)


class MatchOverEvent(Event, frozen=True, tag="match_over"):
    """The match ended."""

    winner: Side | None  # None: without a winner
    why: str  # score, penalty, shortened, corrected: points decided it; else as the director said
    score: Pair[int]
    unclaimed_flags: list[Side]  # never announced, so the result stands (EBF 4.3(iii))
    reason: RulingReason | None = None  # as the director gave it; None: not given


class AdjournedEvent(Event, frozen=True, tag="put_aside"):
    """The match was adjourned, with the times and the score of this line (R131)."""

    was: str  # its phase
    side: Side | None  # whose turn is on the clock; None: it is between games


class ReopenedEvent(Event, frozen=True, omit_defaults=True, tag="reopened"):
    """A closed game or match was reopened."""

    was: str  # its phase
    kept: bool = False  # the loser's points, corrected since; version 1.0.0 took them back, too


class UndoneEvent(Event, frozen=True, tag="undone"):
    """The latest ruling or entry since a clock ran was taken back: the match is as before it."""

    undone: dict[str, Any]  # the event that it left in the log, as it stands there


class Origin(msgspec.Struct, frozen=True):
    """The log that another one continues: adjourned, of another clock, or damaged."""

    match: str  # the name of that log
    seq: int  # of the latest of its lines that counts
    hash: str  # that line's hash; empty if it is not known
    taken_from: str  # log: replayed; checkpoint; effects: reserves and score of its latest line
    unknown: int  # the number of lines that may not count in full
    damage: str | None  # what is wrong with it, and where; None: nothing


class RestoredEvent(Event, frozen=True, omit_defaults=True, tag="restored"):
    """The match was restored, stopped. With an `origin` this is the first line of a log."""

    why: str  # power_loss; with an origin: taken_up, replacement, damaged, safe_mode
    used_ns: int | None  # playing time of the turn on the clock, as last known; None: no turn
    lost_ns: int | None  # at most this much play is missing; None: not known
    same_boot: bool = False  # the raw clock went on, so instants before this one are still valid
    in_menu: bool = False  # the latest press before it was for a page, which did nothing
    origin: Origin | None = None
    version: str = ""  # this and the next four as in match_opened
    clock: str = ""
    board: str = ""
    stamps: Stamps = "kernel"
    battery: int | None = None
    state: dict[str, Any] | None = None  # the whole match, as in a checkpoint; with an origin


class FaultEvent(Event, frozen=True, tag="fault"):
    """A part of the clock failed; the match goes on."""

    part: str
    what: str


class FaultClearedEvent(Event, frozen=True, tag="fault_cleared"):
    """A part works again."""

    part: str


AnyEvent = (
    MatchOpenedEvent
    | OfferMadeEvent
    | RulingProposedEvent
    | OfferRefusedEvent
    | ConfirmedEvent
    | PressedEvent
    | StoppedEvent
    | ReasonShownEvent
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
    | WarnedEvent
    | AdjustedEvent
    | CorrectedEvent
    | MatchOverEvent
    | AdjournedEvent
    | ReopenedEvent
    | UndoneEvent
    | RestoredEvent
    | FaultEvent
    | FaultClearedEvent
)


def swaps_sides(event: AnyEvent) -> bool:
    """Return whether the players changed sides with an event, or back as it was taken back."""
    match event:
        case CorrectedEvent(what="sides"):
            return True
        case UndoneEvent(undone={"event": "corrected", "what": "sides"}):
            return True
        case _:
            return False


SAID = ("carries_out", "ruled_by", "cube", "gammon")  # of a record: only in a line that has them


class Record(msgspec.Struct, frozen=True):
    """A line of the log without its place in a file: an event, and the match after it."""

    at_ns: int  # on the raw clock
    event: AnyEvent
    phase: Phase
    running: Side | None
    left_ns: int  # the reserve at `at_ns`
    right_ns: int
    delay_ns: int  # left to the turn on the clock
    score: Pair[int]
    carries_out: str = ""  # the id of the proposal that was confirmed here; empty: it is of none
    ruled_by: Ruler | None = None  # None: not asked for
    cube: int = 0  # of the game that ended; 0: not asked for
    gammon: Gammon | None = None
