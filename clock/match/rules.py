"""The rules that a clock must know, as types; the values of each federation are in `profiles`.

Every profile decides every question. A field that logs of earlier versions lack has a default: what
those versions did.
"""

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

from clock.match.types import Crawford, Pair

MAX_LENGTH = 99  # points; two digits of the display


class Reason(StrEnum):
    """Why the clock is stopped during a game (EBF and DBgF 4.3(ii), NBgF 4-3-2)."""

    UNSPECIFIED = "unspecified"
    GAME_OVER = "game_over"
    GAME_DECIDED = "game_decided"
    NOT_DECIDED = "not_decided"
    DIRECTOR_CALLED = "director_called"
    EARLY_PICKUP = "early_pickup"
    DICE_TAKEN = "dice_taken"
    ILLEGAL_MOVE = "illegal_move"
    INVALID_ROLL = "invalid_roll"
    ROLL_DISPUTED = "roll_disputed"  # until they agree whether it is valid (EBF 4.3(v))
    DIE_ON_FLOOR = "die_on_floor"
    TIME_EXPIRED = "time_expired"
    CLOCK_FAULTY = "clock_faulty"
    DOUBLE = "double"  # offered in a free turn: the answer is on the clock, the rest is not
    POWER_LOSS = "power_loss"  # set by the clock after a power cut, never chosen


SCORED = (Reason.GAME_OVER, Reason.GAME_DECIDED)  # the players then enter the game's points


class RulingReason(StrEnum):
    """Why the director rules as they do (EBF 5.5(i)); also what a player is warned for."""

    SLOW_PLAY = "slow_play"
    CONDUCT = "conduct"
    LATE = "late"
    ILLEGAL_MOVE = "illegal_move"
    DICE = "dice"
    CLOCK = "clock"
    AGREED = "agreed"
    MISTAKE = "mistake"
    OTHER = "other"


class Method(StrEnum):
    """How the delay is shown; the arithmetic is simple delay in both (EBF 3.5(v))."""

    SIMPLE_DELAY = "simple-delay"
    BRONSTEIN = "bronstein"


class FirstFlag(StrEnum):
    """What happens when the first flag falls."""

    CONTINUE = "continue"
    FREEZE = "freeze"


class EarlyPickup(StrEnum):
    """What happens to an opponent who lifts the dice before the turn has ended (EBF 4.1(v)(b))."""

    SKIP = "skip"  # their next turn has no delay
    WAIT = "wait"  # in their next turn they may not move before the delay has run out
    WARN = "warn"  # the clock does nothing; the director warns, then takes time (NBgF 4-1-5)


class IllegalMove(StrEnum):
    """How the clock restarts for a player who takes back an illegal move."""

    WAIT = "wait"  # no move before the delay has run out (EBF 4.2(iii)(c))
    FRESH = "fresh"  # with a fresh delay (NBgF 4-2-3)


class DiceTaken(StrEnum):
    """What happens when the opponent took the dice and started the player's clock."""

    RESUME = "resume"
    FREE_TURN = "free-turn"  # the player rolls, moves and may double off the clock (NBgF 4-1-6)


class Lateness(StrEnum):
    """The penalty for lateness."""

    POINTS = "points"
    START_CLOCK = "start-clock"
    EITHER = "points-or-clock"  # points, or in their place the clock: the director chooses (WBGF)
    NONE = "none"


class LateAward(StrEnum):
    """Whether the director may or shall award the points for lateness."""

    MAY = "may"
    SHALL = "shall"


class Gin(StrEnum):
    """Who may still win from a certain winning position (gin) when time has run out."""

    NEVER = "never"
    BOTH_FLAGS = "both-flags"  # either player, once both flags are down (EBF 4.3(iii))
    BOTH_FLAGS_FLAGGED = "both-flags-flagged"  # then a flagged player (DBgF 4.3(iii))
    FLAGGED_PLAYER = "flagged-player"  # the flagged player, whatever the other flag (NBgF 4-3-3)


class BothFlags(StrEnum):
    """How a match goes on when both flags are down and it is not known which fell first."""

    NO_CLOCK = "no-clock"
    RESET = "reset"


class Format(StrEnum):
    """How many matches are played."""

    SINGLE = "single"
    BEST_OF_THREE = "best-of-three"


class Times(msgspec.Struct, frozen=True):
    """What a timed match is played with."""

    time_per_point_ns: int
    time_per_match_ns: int
    delay_ns: int


class Recorded(StrEnum):
    """What the clock asks for the log alone; it decides nothing."""

    WHO = "who"  # who ruled: at each ruling of the director's menu, once the match has begun
    CUBE = "cube"  # cube and gammon: at the end of a game (US 1.2.4)


class Gammon(StrEnum):
    """How a game was won."""

    SINGLE = "single"
    GAMMON = "gammon"
    BACKGAMMON = "backgammon"


class Ruler(StrEnum):
    """Who ruled."""

    DIRECTOR = "director"
    MONITOR = "monitor"
    REFEREE = "referee"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """A federation's rules, with the changes of a tournament director.

    In pace mode there is no limit: bank and delay are 0, no flag falls, and what is used counts
    below zero (EBF 2.3, 3.5(i)).
    """

    profile: str
    time_per_point_ns: int
    time_per_match_ns: int
    delay_ns: int
    bank_step_ns: int  # a bank is rounded up to a multiple of this
    method: Method
    on_first_flag: FirstFlag
    overtime_ns: int  # once for each player, when their reserve has run out; 0: none
    early_pickup: EarlyPickup
    dice_taken: DiceTaken
    illegal_move: IllegalMove
    not_decided_ns: int  # awarded to the player who rightly said that a game was not decided
    lateness: Lateness
    late_award: LateAward
    late_step_ns: int  # lateness that costs one point
    penalty_points_score: bool  # penalty points also count as points for the opponent
    penalty_forfeit: bool = True  # more than half the length in penalty points loses the match
    slow_play_step_ns: int = 0  # between bonus points or shortenings for slow play; 0: no text
    no_drop_at_end: bool = False  # the match may not end on a dropped cube
    free_turn_kept: bool = False  # a turn off the clock survives every stop, and a double in it
    gin: Gin
    both_flags: BothFlags
    breaks: tuple[tuple[int, int], ...]  # (longest match, breaks for each player), shortest first
    break_ns: int  # length of one break
    reasons: tuple[Reason, ...]  # to stop the clock, in the order in which they are shown
    overtime_called: bool = False  # the director gives the overtime, and warns; else the clock does
    pace: Times | None = None  # pace mode, with the times that the director can begin; None: timed
    record: tuple[Recorded, ...] = ()

    def at_pace(self) -> "Rules":
        """Return the same rules in pace mode."""
        times = Times(self.time_per_point_ns, self.time_per_match_ns, self.delay_ns)
        return msgspec.structs.replace(
            self, time_per_point_ns=0, time_per_match_ns=0, delay_ns=0, pace=times
        )

    def timed(self) -> "Rules":
        """Return the same rules with the times that pace mode has kept."""
        if self.pace is None:
            return self
        return msgspec.structs.replace(self, **msgspec.structs.asdict(self.pace), pace=None)


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a match is played under."""

    length: int  # points, 1 to `MAX_LENGTH`
    score: Pair[int]
    names: Pair[str]
    format: Format
    rules: Rules
    crawford: Crawford | None = None  # where the score leaves it open (R107); None: not known
    event: str = ""  # of which this match is a part; empty: not named
    round: str = ""
    scheduled: str = ""  # the time of day at which it is due, "19:30" (EBF 2.2(i)); empty: unknown
    carried: Pair[int] = Pair(0, 0)  # of the score: penalties of an earlier match (US 2.2.5)
    reserves: Pair[int] | msgspec.UnsetType = msgspec.UNSET
    """The time that each has left at the beginning, in ns; unset: by the formula, for both."""
    practice: bool = False  # no flag falls; a reserve that is used up counts on below zero (R132)

    @property
    def flagless(self) -> bool:
        """Whether no flag ever falls: in pace mode and in practice."""
        return self.practice or self.rules.pace is not None

    @property
    def best_of_three(self) -> bool:
        """Whether two matches must be won."""
        match self.format:
            case Format.SINGLE:
                return False
            case Format.BEST_OF_THREE:
                return True

    @property
    def code(self) -> str:
        """Four characters made from everything but `NOT_RULES`: equal codes show equal rules."""
        return settings_code(msgspec.to_builtins(self))


class Offer(msgspec.Struct, frozen=True):
    """A match that the director offers from the room; nothing counts before the players agree."""

    id: str
    settings: MatchSettings


Scalar = bool | int | str | None
Answer = Scalar | tuple[Scalar, ...]


class Proposal(msgspec.Struct, frozen=True):
    """A ruling that the director proposes from the room; it counts when it is confirmed here."""

    id: str
    by: str  # who proposes it, as they call themselves
    item: str  # of the director's menu
    answers: tuple[Answer, ...] = ()  # to what the item asks, in its order, as JSON


def settings_code(settings: dict[str, Any]) -> str:
    """Return the code of settings as a log has them; another version may have more or fewer."""
    left_out = (*NOT_RULES, *(key for key in ("crawford", "practice") if not settings.get(key)))
    nameless = {key: value for key, value in settings.items() if key not in left_out}
    nameless["names"] = ["", ""]
    later = [key for key in LATER_RULES if not nameless["rules"].get(key)]
    nameless["rules"] = {k: v for k, v in nameless["rules"].items() if k not in later}
    digest = hashlib.sha256(msgspec.json.encode(nameless, order="sorted")).digest()
    number = int.from_bytes(digest[:4])
    return "".join(_CODE_LETTERS[number >> shift & 31] for shift in (15, 10, 5, 0))


LATER_RULES = ("pace", "overtime_called", "record")  # fields that no code knows before they are set
NOT_RULES = ("names", "event", "round", "scheduled", "carried")  # fields of the settings
_CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without 0 O 1 I, which look alike
