"""The inputs of the state machine: presses, time, rulings of the TD, power cuts and faults.

Every input leaves at most one event in the log, and every event tells which input caused it
(`eventlog.event_inputs`). An input carries its instant; its handler reads no clock.
"""

from typing import Any

import msgspec

from clock.match.rules import Gammon, Offer, Proposal, Reason, Ruler, RulingReason
from clock.match.types import Button, Crawford, NextDelay, Pair, ResumeWith, Side

DIRECTOR = "director"  # the value of `by` in the events of rulings
CLOCK, PLAYERS = "clock", "players"  # who else acts


class Input(msgspec.Struct, frozen=True):
    """Something that happened at an instant."""

    at_ns: int  # on the raw clock


class TimePassed(Input, frozen=True):
    """Time passed, and nothing else happened: timed transitions up to now take effect."""


class Pressed(Input, frozen=True):
    """A player's plunger went down."""

    side: Side

    @property
    def button(self) -> Button:
        """The button of that plunger."""
        return Button(self.side.value)


class CentrePressed(Input, frozen=True):
    """The centre button was pressed briefly (while a clock runs: went down)."""

    @property
    def button(self) -> Button:
        """The centre button."""
        return Button.CENTRE


class Noted(Input, frozen=True):
    """A press that a page of the dialogue used or refused. It is logged and changes nothing."""

    button: Button
    accepted: bool = True
    why: str = "menu"  # or why it was refused


class BreakTaken(Input, frozen=True):
    """The players take a break."""

    taken: Pair[int]  # breaks that each player uses up


class Ruling(Input, frozen=True, kw_only=True):
    """A ruling of the director; possible only while no clock runs.

    `reason` is why they rule so (EBF 5.5(i)); None: they do not say.
    """

    carries_out: str = ""  # the id of the proposal that it is; empty: it was entered here
    ruled_by: Ruler | None = None  # None: not asked for


class Approved(Ruling, frozen=True):
    """The director approved the settings (EBF 3.5(iii))."""


class TimeSet(Ruling, frozen=True):
    """A player's reserve was set."""

    side: Side
    new_ns: int
    why: str
    reason: RulingReason | None = None


class FlagSet(Ruling, frozen=True):
    """A flag was cleared, or entered as it stood on another clock."""

    side: Side
    order: int  # 0: cleared; 1: fell first; 2: fell second
    reason: RulingReason | None = None


class OvertimeGranted(Ruling, frozen=True):
    """A player got overtime."""

    side: Side
    granted_ns: int
    reason: RulingReason | None = None


class DelayRuled(Ruling, frozen=True):
    """The delay of a player's next turn, or of the stopped one, was forfeited or given back."""

    side: Side
    delay: NextDelay
    this_turn: bool = False  # then `delay` is full or skip, from the beginning of the turn
    reason: RulingReason | None = None


class PointsAwarded(Ruling, frozen=True):
    """Penalty points against a player, or bonus points for the other, were awarded.

    0 penalty points are a warning.
    """

    side: Side  # the offender; for bonus points the opponent of the player who gets them
    points: int
    why: str  # "bonus", or a `RulingReason`
    adjust_banks: bool = False  # before the first game: both reserves follow the formula


class ScoreSet(Ruling, frozen=True):
    """A player's score was corrected."""

    side: Side
    points: int
    crawford: Crawford | None = None  # of the next game, if it was asked for
    adjust_banks: bool = False  # an entry before the match: both reserves follow the formula
    reason: RulingReason | None = None


class GameScored(Ruling, frozen=True):
    """The players confirmed the points of a game, and said with which cube it was played."""

    cube: int
    gammon: Gammon


class LengthSet(Ruling, frozen=True):
    """The length of the match was corrected (EBF 4.8)."""

    length: int
    adjust_banks: bool  # change both reserves by the difference that the formula makes
    reason: RulingReason | None = None


class MatchShortened(Ruling, frozen=True):
    """The match was shortened by two points for slow play (NBgF 2-3-1); that may decide it."""


class CrawfordSet(Ruling, frozen=True):
    """The Crawford status was corrected, or said by the players before the match (R107)."""

    crawford: Crawford
    by: str = DIRECTOR
    reason: RulingReason | None = None


class SidesSwapped(Ruling, frozen=True):
    """The players changed sides, with everything that is theirs."""


class NamesSet(Ruling, frozen=True):
    """The players' names were corrected; nothing else that is theirs changes."""

    names: Pair[str]


class BreaksSet(Ruling, frozen=True):
    """The number of breaks that a player has taken was corrected."""

    side: Side
    taken: int
    reason: RulingReason | None = None


class AbsenceNoted(Ruling, frozen=True):
    """A player is not there although the match is due."""

    side: Side
    late_ns: int = 0  # how late they are already


class LatenessWaived(Ruling, frozen=True):
    """The points that are open for a player's lateness were waived (EBF 2.2(iii))."""

    side: Side
    reason: RulingReason | None = None


class BreakGranted(Ruling, frozen=True):
    """The director began a break that a player takes (EBF 2.2(iii), NBgF 1-8)."""

    side: Side


class AbsentClockStarted(Ruling, frozen=True):
    """The director started an absent player's clock (NBgF 2-2-4)."""

    side: Side


class BanksReset(Ruling, frozen=True):
    """Both banks were set by the formula at the present score (NBgF 4-3-3)."""

    reason: RulingReason | None = None


class TimesBegun(Ruling, frozen=True):
    """A match in pace mode became a timed one (EBF 2.3(i)(b), 3.5(vi))."""

    reason: RulingReason | None = None


class ClockRemoved(Ruling, frozen=True):
    """The rest of the match is played without a clock."""

    reason: RulingReason | None = None


class TurnResumed(Ruling, frozen=True):
    """The director started a clock again."""

    side: Side
    delay: ResumeWith


class HoldLifted(Ruling, frozen=True):
    """The director has ruled: the players may start the clock again."""

    reason: RulingReason | None = None


class MatchEnded(Ruling, frozen=True):
    """The director ended the match."""

    winner: Side | None  # None: without a winner
    why: str
    reason: RulingReason | None = None


class Reopened(Ruling, frozen=True):
    """A closed match or game was reopened (EBF 4.4(iv)(c))."""

    keeps: bool = True  # what was corrected of the loser's points since; version 1.0.0 did not


class Undone(Ruling, frozen=True):
    """What was confirmed last, by the director or the players, was taken back whole (R212)."""


class Adjourned(Ruling, frozen=True):
    """The match was adjourned: the clock is free for another one (R131)."""


class ResumeMatchWanted(Ruling, frozen=True):
    """A match that is not over was asked for; the runtime resumes it, in a log of its own."""

    log: str  # the path of its log


class MatchWanted(Ruling, frozen=True):
    """The next match was asked for; the runtime opens it with a log of its own."""

    preset: str | None = None  # chosen for it; "": the file's own settings; None: nothing chosen
    offer: Offer | None = None  # the director's, of this match


class LanguageWanted(Ruling, frozen=True):
    """Another language of the panels was asked for; the runtime changes it."""

    language: str  # such as "de"


class OfferMade(Input, frozen=True):
    """The director offered the next match from the room."""

    offer: Offer


class RulingProposed(Input, frozen=True):
    """The director proposed a ruling from the room."""

    proposal: Proposal


class OfferRefused(Input, frozen=True):
    """An offer or a proposed ruling was refused."""

    offer: str  # its id; empty: not known
    by: str
    """CLOCK: it cannot be shown; PLAYERS: they do not want it, or began another match; DIRECTOR: a
    plunger refused the ruling on its page."""
    why: str = ""
    key: str = ""
    values: dict[str, Any] = {}


TAKEN_UP, REPLACEMENT = "taken_up", "replacement"  # why a match goes on in a log of its own
TAKES_UP = (TAKEN_UP, REPLACEMENT)  # in the menu, or with --resume


class Restored(Input, frozen=True):
    """The program started again after a power cut or a crash."""

    lost_ns: int | None  # at most this much play is missing; None: not known
    used_ns: int | None  # playing time of the turn on the clock, as last known; None: no turn
    why: str = Reason.POWER_LOSS.value  # or one of `TAKES_UP`, "damaged", "safe_mode"
    same_boot: bool = False  # the raw clock went on, so instants before this one are still valid
    in_menu: bool = False  # the latest press before it was for a page of the dialogue


class FaultSeen(Input, frozen=True):
    """A part of the clock failed."""

    part: str
    what: str


class FaultCleared(Input, frozen=True):
    """A part works again."""

    part: str
