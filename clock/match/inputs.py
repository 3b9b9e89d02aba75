"""What can happen to a match: presses, time, what the director does, and what became of the box.

Every input leaves at most one event in the log, and every event tells which input it came from
(`origins.input_of`). The one rule: an input carries its instant, `at_ns` on the raw clock; nobody
who handles it reads a clock.
"""

import msgspec

from clock.match.phases import Crawford, NextDelay, ResumeWith
from clock.match.rules import Reason
from clock.match.sides import Button, Pair, Side


class Input(msgspec.Struct, frozen=True):
    """Something that happened at an instant."""

    at_ns: int


class TimePassed(Input, frozen=True):
    """Nothing but time: all that was due by then takes effect."""


class Pressed(Input, frozen=True):
    """A player's plunger went down."""

    side: Side


class CentrePressed(Input, frozen=True):
    """The centre button was pressed briefly (while a clock runs: went down)."""


class Noted(Input, frozen=True):
    """A press that a page of the dialogue used or refused; logged, it changes nothing else."""

    button: Button
    accepted: bool = True
    why: str = "menu"


class BreakTaken(Input, frozen=True):
    """The players agreed on a break."""

    taken: Pair[int]  # breaks that each player uses up


class Act(Input, frozen=True):
    """What the director does; possible only while no clock runs."""


class Approved(Act, frozen=True):
    """The director approved the settings (EBF 3.5(iii))."""


class TimeSet(Act, frozen=True):
    """A player's reserve was set."""

    side: Side
    new_ns: int
    why: str


class FlagSet(Act, frozen=True):
    """A flag was cleared (0) or entered as the first (1) or second (2) to have fallen."""

    side: Side
    order: int


class OvertimeGranted(Act, frozen=True):
    """A player got overtime."""

    side: Side
    granted_ns: int


class DelayRuled(Act, frozen=True):
    """The delay of a player's next turn was forfeited or waived."""

    side: Side
    delay: NextDelay


class PointsAwarded(Act, frozen=True):
    """Penalty points for one player, to the other's benefit; or bonus points for that other."""

    side: Side  # the offender
    points: int
    why: str


class ScoreSet(Act, frozen=True):
    """A player's score was corrected."""

    side: Side
    points: int


class LengthSet(Act, frozen=True):
    """The length of the match was corrected (EBF 4.8)."""

    length: int
    adjust_banks: bool  # give or take the difference that the formula makes


class MatchShortened(Act, frozen=True):
    """The match was made two points shorter for slow play (NBgF 2-3-1); that may decide it."""


class CrawfordSet(Act, frozen=True):
    """The Crawford status was corrected."""

    crawford: Crawford


class SidesSwapped(Act, frozen=True):
    """The players changed sides, with all that is theirs."""


class BreaksSet(Act, frozen=True):
    """The number of breaks that a player has had was corrected."""

    side: Side
    taken: int


class AbsenceNoted(Act, frozen=True):
    """The match is due and a player is not there: lateness counts from now."""

    side: Side


class AbsentClockStarted(Act, frozen=True):
    """The director started an absent player's clock (NBgF 2-2-4)."""

    side: Side


class BanksReset(Act, frozen=True):
    """Both banks were set anew by the formula at the present score (NBgF 4-3-3)."""


class ClockRemoved(Act, frozen=True):
    """The match goes on without a clock."""


class TurnResumed(Act, frozen=True):
    """The director started a clock again."""

    side: Side
    delay: ResumeWith


class HoldLifted(Act, frozen=True):
    """The director has ruled; the clock stays stopped and the players go on."""


class MatchEnded(Act, frozen=True):
    """The director ended the match."""

    winner: Side | None
    why: str


class Reopened(Act, frozen=True):
    """A match or game that was closed goes on (EBF 4.4(iv)(c))."""


class MatchWanted(Act, frozen=True):
    """The director wants the next match; the runtime opens it with a log of its own."""


class Restored(Input, frozen=True):
    """The program started again after the time was lost from sight."""

    lost_ns: int | None  # at most this much play is missing; None: not known
    used_ns: int | None  # time used in the turn on the clock, as last known
    why: str = Reason.POWER_LOSS.value
    same_boot: bool = False  # the raw clock went on: what was counted by it goes on counting


class FaultSeen(Input, frozen=True):
    """A part of the clock failed."""

    part: str
    what: str


class FaultCleared(Input, frozen=True):
    """A part works again."""

    part: str
