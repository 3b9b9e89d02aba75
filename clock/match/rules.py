"""What a federation's rules say to a clock, as values; which federation says what is in `profiles`.

The one rule: nothing here has a default that a federation could disagree about.
"""

import hashlib
from enum import StrEnum

import msgspec

from clock.match.sides import Pair

SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS

MAX_LENGTH = 99  # points; two digits of the display


class Reason(StrEnum):
    """Why the clock stands still in the middle of a game (EBF and DBgF 4.3(ii), NBgF 4-3-2)."""

    UNSPECIFIED = "unspecified"
    GAME_OVER = "game_over"
    GAME_DECIDED = "game_decided"
    NOT_DECIDED = "not_decided"
    DIRECTOR_CALLED = "director_called"
    EARLY_PICKUP = "early_pickup"
    DICE_TAKEN = "dice_taken"
    ILLEGAL_MOVE = "illegal_move"
    INVALID_ROLL = "invalid_roll"
    DIE_ON_FLOOR = "die_on_floor"
    TIME_EXPIRED = "time_expired"
    CLOCK_FAULTY = "clock_faulty"
    POWER_LOSS = "power_loss"  # never chosen: the clock's own, after a power cut


class Method(StrEnum):
    """How the delay is shown; the arithmetic is simple delay in both (EBF 3.5(v))."""

    SIMPLE_DELAY = "simple-delay"
    BRONSTEIN = "bronstein"


class FirstFlag(StrEnum):
    """What happens when the first flag falls."""

    CONTINUE = "continue"
    FREEZE = "freeze"


class EarlyPickup(StrEnum):
    """What the opponent pays who lifts the dice before the turn has ended (EBF 4.1(v)(b))."""

    SKIP = "skip"  # his next turn has no delay
    WAIT = "wait"  # in his next turn he may not move before the delay has run out
    WARN = "warn"  # nothing by itself; the director warns, then takes time (NBgF 4-1-5)


class IllegalMove(StrEnum):
    """How the clock of the player who takes back an illegal move restarts."""

    WAIT = "wait"  # he may move once the delay has run out (EBF 4.2(iii)(c))
    FRESH = "fresh"  # with a fresh delay (NBgF 4-2-3)


class DiceTaken(StrEnum):
    """What follows when the opponent took the dice and started the player's clock."""

    RESUME = "resume"
    FREE_TURN = "free-turn"  # the player rolls, moves and may double off the clock (NBgF 4-1-6)


class Lateness(StrEnum):
    """What a late player pays."""

    POINTS = "points"
    START_CLOCK = "start-clock"
    NONE = "none"


class LateAward(StrEnum):
    """Whether the director may or shall give the points for lateness."""

    MAY = "may"
    SHALL = "shall"


class Gin(StrEnum):
    """Who may win in a certain winning position though time has run out."""

    NEVER = "never"
    BOTH_FLAGS = "both-flags"  # anyone, once both flags are down (EBF 4.3(iii))
    BOTH_FLAGS_FLAGGED = "both-flags-flagged"  # then the player whose time ran out (DBgF 4.3(iii))
    FLAGGED_PLAYER = "flagged-player"  # the flagged player, whatever the other flag (NBgF 4-3-3)


class BothFlags(StrEnum):
    """How a match goes on when both flags are down and the first cannot be told."""

    NO_CLOCK = "no-clock"
    RESET = "reset"


class Format(StrEnum):
    """How many matches decide."""

    SINGLE = "single"
    BEST_OF_THREE = "best-of-three"


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """One federation's rules with a director's changes: all that the clock needs to know."""

    profile: str
    time_per_point_ns: int
    time_per_match_ns: int
    delay_ns: int
    bank_step_ns: int  # a bank is rounded up to a multiple of this
    method: Method
    on_first_flag: FirstFlag
    overtime_ns: int  # granted once a player when his time first runs out; 0: none
    early_pickup: EarlyPickup
    dice_taken: DiceTaken
    illegal_move: IllegalMove
    not_decided_ns: int  # for the player in the right when a game was called decided and was not
    lateness: Lateness
    late_award: LateAward
    late_step_ns: int
    penalty_points_score: bool  # points given to a player count as points of the match
    gin: Gin
    both_flags: BothFlags
    breaks: tuple[tuple[int, int], ...]  # (longest match, breaks a player), shortest first
    break_ns: int
    reasons: tuple[Reason, ...]  # the reasons to stop that these rules know, in their order


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What one match is played under. Equal settings but for the names have equal `code`s."""

    length: int
    score: Pair[int]
    names: Pair[str]
    format: Format
    rules: Rules

    @property
    def code(self) -> str:
        """Four characters made of everything but the names: equal codes prove equal settings."""
        nameless = msgspec.structs.replace(self, names=Pair("", ""))
        digest = hashlib.sha256(msgspec.json.encode(nameless, order="sorted")).digest()
        number = int.from_bytes(digest[:4])
        return "".join(_CODE_LETTERS[number >> shift & 31] for shift in (15, 10, 5, 0))


_CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # without 0 O 1 I, which look alike
