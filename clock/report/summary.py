"""What a log says of a match, as values: the numbers that a director wants when players disagree.

A player keeps the side on which he began the match as his key, whatever chair he changes to: each
`Pair` here holds what belongs to a player, not what stood on a side. The one rule: times are whole
nanoseconds and events stay events; who shows them rounds and words them.
"""

from typing import NamedTuple

import msgspec

from clock.match.events import AnyEvent, FaultEvent, MatchOverEvent, Origin, Stamps
from clock.match.phases import Phase
from clock.match.rules import MatchSettings, Reason
from clock.match.sides import Pair, Side


class Stamp(NamedTuple):
    """Where and when a line of the log was written."""

    line: int  # of the log, from 1
    at_ns: (
        int  # since the first line; goes on across power cuts, without the time the power was off
    )
    wall: str  # as recorded

    @property
    def time(self) -> str:
        """The wall time as HH:MM:SS."""
        return self.wall[11:19]


class Told(NamedTuple):
    """An event, and who sat on which side when it happened."""

    stamp: Stamp
    event: AnyEvent
    seats: Pair[str]
    swapped: bool  # the players sat the other way round


class Game(NamedTuple):
    """A game, with all that was played since the game before: an absent player's clock too."""

    number: int  # of the log, from 1
    leg: int  # which match of a best of three, from 1
    begun: Stamp | None  # the first clock was started
    ended: Stamp | None  # its points were confirmed, or it was broken off; None: under way
    winner: Side | None
    points: int | None  # None: it was not scored
    score: Pair[int]  # after it
    used: Pair[int]  # time on the clock, delays included, in ns
    spent: Pair[int]  # of the reserves, in ns
    left: Pair[int]  # reserves at its end, in ns
    crawford: bool

    @property
    def duration_ns(self) -> int | None:
        """Real time from the first clock's start; None while it is under way."""
        if self.begun is None or self.ended is None:
            return None
        return self.ended.at_ns - self.begun.at_ns


class Stop(NamedTuple):
    """A time at which both clocks stood still in the middle of a game."""

    begun: Stamp
    ended: Stamp | None
    reason: Reason  # as it was last chosen
    followed: Told | None
    left: Pair[int]  # reserves, in ns


class Break(NamedTuple):
    """A break."""

    begun: Stamp
    ended: Stamp | None
    taken: Pair[int]
    allowed_ns: int

    @property
    def took_ns(self) -> int | None:
        """How long it was; None while it lasts."""
        return None if self.ended is None else self.ended.at_ns - self.begun.at_ns


class Fallen(NamedTuple):
    """A flag, or a claim when none was down."""

    stamp: Stamp
    player: Side | None  # None: time was claimed and no flag was down
    order: int
    margin_ns: int | None  # behind the first
    entered: bool = False  # by the director
    claimed: Stamp | None = None
    overrun_ns: int = 0  # played on until it was claimed
    cleared: Stamp | None = None


class Fault(NamedTuple):
    """A part of the clock that failed."""

    stamp: Stamp
    event: FaultEvent
    cleared: Stamp | None = None


class Restoration(NamedTuple):
    """The clock came back."""

    stamp: Stamp
    before: Stamp  # the last line before
    reboot: bool  # False: the program stopped, the computer did not
    played_ns: int  # known to have been played after the line before
    lost_ns: int | None  # at most this much more was; None: not known
    why: str = "power_loss"  # or why the log begins with it


class Played(NamedTuple):
    """A turn."""

    player: Side
    begun: Stamp
    game: int
    length_ns: int  # on the clock
    spent_ns: int  # of the reserve
    pressed: bool  # ended by the player's press, and all of it on the clock


class Point(NamedTuple):
    """A corner of a reserve's line."""

    at_ns: int
    left_ns: int


class Jump(NamedTuple):
    """A reserve that was changed other than by playing."""

    player: Side
    stamp: Stamp
    old_ns: int
    new_ns: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All that a report says of a match."""

    match: str
    settings: MatchSettings
    version: str
    origin: Origin | None  # the log that the match goes on from
    stamps: Stamps  # who took the instants of the presses
    first: Stamp
    last: Stamp
    confirmed: Stamp | None  # the settings, by the director or by both players
    names: Pair[str]
    swapped: bool  # the players sit the other way round now
    length: int  # now; a director may have corrected it
    phase: Phase
    score: Pair[int]
    legs: Pair[int]
    left: Pair[int]  # reserves at the last line, in ns
    over: tuple[Stamp, MatchOverEvent, Side | None] | None  # with the winner
    games: tuple[Game, ...]
    stops: tuple[Stop, ...]
    breaks: tuple[Break, ...]
    flags: tuple[Fallen, ...]
    acts: tuple[Told, ...]  # adjustments, corrections, penalties, lateness
    faults: tuple[Fault, ...]
    restorations: tuple[Restoration, ...]
    refused: tuple[Told, ...]
    turns: tuple[Played, ...]
    curves: Pair[tuple[Point, ...]]  # the reserves over the match
    jumps: tuple[Jump, ...]

    @property
    def records(self) -> int:
        """How many lines the log has; all of them are proved."""
        return self.last.line

    @property
    def period(self) -> str:
        """From when to when the log is, in wall time."""
        (begun, first), (ended, last) = (
            (stamp.wall[:10], stamp.time) for stamp in (self.first, self.last)
        )
        return f"{begun} {first} to {last if begun == ended else f'{ended} {last}'}"

    def used_ns(self, player: Side) -> int:
        """A player's time on the clock in the whole match."""
        return sum(game.used[player] for game in self.games)

    def spent_ns(self, player: Side) -> int:
        """What a player used of his reserve in the whole match."""
        return sum(game.spent[player] for game in self.games)

    def average_ns(self, player: Side) -> int | None:
        """The mean of the turns that a player ended by pressing; None if there is none."""
        lengths = [turn.length_ns for turn in self.turns if turn.player is player and turn.pressed]
        return sum(lengths) // len(lengths) if lengths else None

    def slowest(self, count: int) -> list[Played]:
        """The longest turns, longest first."""
        return sorted(self.turns, key=lambda turn: -turn.length_ns)[:count]
