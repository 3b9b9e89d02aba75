"""Boards and results as pages and other programs see them (docs/watch.md; a contract).

Instants are nanoseconds since the hub began, durations nanoseconds.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from clock.match.types import Crawford, Pair, Side
from clock.report.times_of_day import instant_ns

SIMULATED = "00000000"  # the id of each clock without a box of its own
UNKNOWN = "UNKNOWN"  # the state of a board of which no line could be read


class Player(msgspec.Struct, frozen=True):
    """A player as the board names them."""

    name: str | None  # None: the settings give none
    points: int


class RunningTurn(msgspec.Struct, frozen=True):
    """Whose clock runs, and since when."""

    side: Side
    since_ns: int
    delay_ns: int  # left at that instant


class Reserve(msgspec.Struct, frozen=True):
    """A player's time when the turn began, or now if their clock does not run.

    While it runs, `reserve_ns - max(0, (now_ns - since_ns) - delay_ns)` is left at `now_ns`.
    """

    reserve_ns: int
    delay_ns: int  # of this turn, or of the player's next turn
    flagged: bool
    flag: int | None  # 1: fell first, 2: fell second; None: has not fallen
    reserve_off: bool  # the player plays a turn off the clock
    note: str  # key of the word beside the delay: wait, delay_skip, delay_wait, delay_free; or ""


class Conflict(msgspec.Struct, frozen=True):
    """That a source says to have a board or a match, which another one says too."""

    what: Literal["board", "match", "clock"]  # clock: the board, with one and the same clock id
    source: str  # its key; "ROOM/CLOCK" is the account of a clock
    since: str  # when its match was heard of first, by the hub's date; empty: not known
    lines: int  # of its log that are kept
    agrees: bool = True  # False: its log contradicts that of the first source


class Result(msgspec.Struct, frozen=True):
    """The result of a match, or how far it came; players by the side on which they began."""

    match: str
    board: str
    clock: str
    players: dict[Side, str]
    score: Pair[int]
    length: int
    winner: Side | None
    begun: str  # wall time as the log has it
    duration_ns: int
    flags: list[Side]
    restorations: int
    corrections: int
    fingerprint: str = msgspec.field(name="head")
    complete: bool  # the match is over
    forks: int  # how often lines came that contradict lines that came before
    damage: str | None = None  # the log does not replay: the result is only what its lines state
    end: str | None = None  # how it ended, as in the log; None: it has not, or that is not known
    source: str = ""  # the key of its source; a match may come from two
    assigned: str = ""  # the board that the director gave to the clock; empty: none
    legs: Pair[int] = Pair(0, 0)  # matches won, of a best of three
    best_of_three: bool = False
    event: str = ""  # as its settings name it; empty: they do not
    named_round: str = ""
    practice: bool = False  # no flag fell: for practice
    put_aside: bool = False  # to be resumed later, in another log
    continues: str = ""  # the match of the log that this one continues; empty: it begins with it
    continues_seq: int = 0  # the line of that log after which it goes on
    continues_hash: str = ""  # of that line; empty: it was not known
    lines: int = 0
    hash: str = ""  # of the last line; empty: the log is damaged
    joined: str = ""  # the source of the earlier log to which the director has joined this one
    hall: str = ""  # whose hub sent it; empty: this hub's own
    # Empty in what an earlier version has kept; of a damaged log only the first two are known.
    phase: str = ""
    profile: str = ""
    code: str = ""  # of the settings that were confirmed
    ended: str = ""  # wall time of the end, or of the last line
    reserves_ns: Pair[int] | None = None  # at the end of the log
    limit_from: int | None = 1  # the first game with a time limit; None: there is none
    scheduled: str = ""  # the time of day at which it was due
    carried: Pair[int] = Pair(0, 0)  # penalties of an earlier match, which are part of the score

    @property
    def key(self) -> tuple[str, str]:
        """What no other result has: its source and its match."""
        return self.source, self.match


def latest_first(results: Iterable[Result]) -> list[Result]:
    """Return results in the order in which they are listed."""
    return sorted(results, key=lambda each: (instant_ns(each.begun) or 0, each.match), reverse=True)


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a board, whole: nothing has to be remembered from the state before."""

    id: str
    source: str
    board: str | None
    clock: str | None
    match: str | None
    state: str  # a phase of the clock, or `UNKNOWN`
    players: dict[Side, Player]
    length: int
    legs: Pair[int]
    best_of_three: bool
    crawford: Crawford
    game: int  # from 1
    method: str  # "bronstein": reserve and delay are shown as one number
    limit: str  # "flag"; "pace": without one, reserves are what was used, below 0; or "practice"
    delay_full_ns: int  # of a turn; 0: there is no delay
    mover: Side | None  # whose turn is on the clock, also while it is stopped
    turn: RunningTurn | None  # None: no clock runs
    reserves: dict[Side, Reserve]
    until_ns: int | None  # the end of the break, or since when the player in `late` is late
    late: Side | None
    says: list[str]  # what the panels say, as keys of /api/1/words
    attention: list[str]  # in order of importance; see `attention_of`
    attention_ns: int | None  # when the first of these began
    faults: list[str]
    settings_code: str | None
    settings_expected: str | None
    heard_ns: int | None  # when the clock was heard last; None: never
    conflicts: list[Conflict]  # who say to have this board or match, this one first; []: no other
    certain: bool  # False: times may be wrong, and are marked
    seq: int  # of the latest line
    fingerprint: str | None = msgspec.field(name="head")
    damage: str | None
    result: Result | None
    winner: Side | None  # None: not over, or over without a winner
    turn_ns: int | None = None  # of this turn, before the instant in `turn`; None: no turn
    rivals: list[str] = []  # other logs that continue the same one: it was resumed twice
    account: str = ""  # the key of its source, as results have it
    hall: str = ""  # whose hub shows it; empty: this hub's own
    taken_out: bool = False  # the director counts it no more: it asks for nothing
