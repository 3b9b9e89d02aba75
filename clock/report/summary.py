"""The values of a report: the numbers that a director needs when players disagree.

Players are known by the side on which they began the match, even after they have changed sides:
each `Pair` here holds what belongs to the two players. All times are whole nanoseconds.
"""

import statistics
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from clock.match.events import (
    AdjustedEvent,
    AnyEvent,
    CorrectedEvent,
    FaultEvent,
    MatchOverEvent,
    Origin,
    OvertimeEvent,
    PenaltyEvent,
    ReopenedEvent,
    Stamps,
    UndoneEvent,
)
from clock.match.rules import Gammon, MatchSettings, Reason, Ruler
from clock.match.types import Pair, Phase, Side
from clock.report.times_of_day import NEVER_SET

CHANGES = (
    AdjustedEvent,
    CorrectedEvent,
    OvertimeEvent,
    PenaltyEvent,
    ReopenedEvent,
    UndoneEvent,
)


class Stamp(NamedTuple):
    """Where and when a line of the log was written."""

    line: int  # of the log, from 1
    at_ns: int
    """Since the first line, without the time that the power was off."""
    wall: str
    """The wall time, as recorded."""
    on_scale: str = ""
    """The wall time on the scale of all lines (`times_of_day`); empty: as recorded."""

    @property
    def when(self) -> str:
        """Date and time of day, on the scale of all lines."""
        return self.on_scale or self.wall

    @property
    def time(self) -> str:
        """The time of day as `HH:MM:SS`."""
        return self.when[11:19]

    @property
    def time_of_day(self) -> str | None:
        """The time of day; None if nobody had set the computer's clock."""
        return None if self.when[:4] <= NEVER_SET else self.time

    @property
    def instant(self) -> str:
        """The time of day with milliseconds, if they are recorded."""
        return self.when[11:23] if self.when[19:20] == "." else self.time


class ClockSet(NamedTuple):
    """The computer's clock was set."""

    stamp: Stamp  # of the first line after that
    by_ns: int  # over a restart at least by so much


class SeatedEvent(NamedTuple):
    """An event, and which player sat on which side when it happened."""

    stamp: Stamp
    event: AnyEvent
    seats: Pair[str]
    swapped: bool  # the players had changed sides
    running: Side | None  # whose clock ran afterwards, left or right
    takes_back: int = 0  # the line of the ruling or game that it takes back; 0: none
    ruled_by: Ruler | None = None  # None: not recorded


class Game(NamedTuple):
    """A game, with all time since the game before it, an absent player's included."""

    number: int  # of the log, from 1
    leg: int  # the match of a best of three, from 1
    begun: Stamp | None  # when the first clock was started
    ended: Stamp | None  # when it was scored or broken off; None: under way
    winner: Side | None
    points: int | None  # None: not scored
    score: Pair[int]  # after it, as corrected
    used: Pair[int]  # time on the clock, delays included, in ns
    spent: Pair[int]  # of the reserves, in ns
    left: Pair[int]  # reserves at its end, in ns
    crawford: bool
    corrected: Stamp | None = None  # when the director last changed its result; None: never
    cube: int | None = None  # with which it was played; None: not recorded
    gammon: Gammon | None = None

    def is_before(self, stamp: Stamp) -> bool:
        """Return whether the game ended before a line."""
        return self.ended is not None and self.ended.line < stamp.line

    @property
    def duration_ns(self) -> int | None:
        """The real time since the first clock's start; None while the game is under way."""
        if self.begun is None or self.ended is None:
            return None
        return self.ended.at_ns - self.begun.at_ns


def game_at(games: Iterable[Game], stamp: Stamp) -> int:
    """Return the number of the game under way at a line, or of the next one."""
    return 1 + sum(game.is_before(stamp) for game in games)


class Stop(NamedTuple):
    """A stop of both clocks in the middle of a game."""

    begun: Stamp
    ended: Stamp | None
    player: Side | None  # whose clock was stopped; None: a turn off the clock
    reason: Reason  # the latest choice
    ended_by: SeatedEvent | None
    left: Pair[int]  # reserves when it began, in ns

    @property
    def duration_ns(self) -> int | None:
        """How long it was; None while it lasts."""
        return None if self.ended is None else self.ended.at_ns - self.begun.at_ns


class Break(NamedTuple):
    """A break between two games."""

    begun: Stamp
    ended: Stamp | None
    taken: Pair[int]  # how many breaks of each player it uses
    allowed_ns: int
    presses: tuple[SeatedEvent, ...]  # of the plungers that chose who takes it
    left: Pair[int]  # reserves when it began, in ns (US 2.2.6)
    granted: bool  # by the director

    @property
    def took_ns(self) -> int | None:
        """How long it was; None while it lasts."""
        return None if self.ended is None else self.ended.at_ns - self.begun.at_ns


class FallenFlag(NamedTuple):
    """A flag, or a claim of time while no flag was down."""

    stamp: Stamp
    player: Side | None  # None: a claim without a flag
    order: int
    margin_ns: int | None  # how long after the first flag it fell
    since: Stamp | None = None  # since when their clock had run; None: it did not run
    entered: bool = False  # by the director
    stopped: Stamp | None = None  # the first instant after it at which no clock ran
    claimed: Stamp | None = None
    overrun_ns: int = 0  # how long play went on until the claim
    cleared: Stamp | None = None


class Fault(NamedTuple):
    """A part of the clock that failed."""

    stamp: Stamp
    event: FaultEvent
    cleared: Stamp | None = None


class Restoration(NamedTuple):
    """A restart of the clock during a match."""

    stamp: Stamp
    before: Stamp  # the last line before it
    reboot: bool  # False: only the program restarted, not the computer
    played_ns: int  # known to have been played after the last line
    lost_ns: int | None  # at most this much more was played; None: not known
    why: str = "power_loss"  # or why the log begins with it


class PlayedTurn(NamedTuple):
    """A turn."""

    player: Side
    begun: Stamp
    game: int
    length_ns: int  # on the clock and off it, without stops
    off_clock_ns: int  # the part that was played off the clock, as a free turn
    spent_ns: int  # of the reserve
    pressed: bool  # the player ended it with the plunger, and it was no free turn
    reserve_ns: Pair[int]  # of the player, at its beginning (left) and at its end (right)
    ended_by: SeatedEvent | None  # None: it is under way
    reason: Reason | None  # why the clock was stopped when it ended; None: it was not


class Passage(NamedTuple):
    """What happened from the beginning of a turn to that of the next one, both included."""

    turn: int  # the turn's number, from 1; 0: before the first one
    lines: tuple[SeatedEvent, ...]  # without the presses that turn the pages of a menu
    notable: bool  # with a stop, a flag, a break, a restart or a ruling of the director


class Standing(NamedTuple):
    """Matches and points that both players have."""

    legs: Pair[int]
    score: Pair[int]


class GameResult(NamedTuple):
    """Who won a game, and how many points."""

    winner: Side | None
    points: int | None


class GameChange(NamedTuple):
    """A change of a game's result."""

    number: int  # of the game
    old: GameResult
    new: GameResult


class Case(NamedTuple):
    """What was called, noticed or entered by the director, and what it changed (EBF 5.5(i))."""

    about: str  # a key of the texts
    begun: Stamp
    ended: SeatedEvent | None  # what ended the stop, or let play go on; None: it lasts
    player: Side | None  # whose clock was stopped; None: no clock ran
    called: bool  # the panels called for the director
    rulings: tuple[int, ...]  # the lines of what the director did in it
    left: Pair[Pair[int]]  # both reserves when it began, and as the director left them, in ns
    standing: Pair[Standing]  # before and after what it changed
    leg: int  # the match of a best of three, from 1
    corrected: Pair[int]  # points of games that the director corrected
    corrected_at: Stamp | None  # when the director did so last; None: never
    lines: tuple[SeatedEvent, ...]  # the evidence and the rulings, in their order
    game: GameChange | None = None  # whose result it changed

    @property
    def is_ruled(self) -> bool:
        """Whether the director did something."""
        return bool(self.rulings)


class CurvePoint(NamedTuple):
    """A corner of a reserve's line."""

    at_ns: int
    left_ns: int


class ReserveChange(NamedTuple):
    """A change of a reserve other than by playing."""

    player: Side
    stamp: Stamp
    old_ns: int
    new_ns: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a report says about a match."""

    match: str
    later: tuple[str, ...]  # the logs that continue it, if they were given too
    board: str  # empty: not configured
    settings: MatchSettings
    code: str  # the settings code when the settings were confirmed (R106)
    version: str
    origin: Origin | None  # the log that this log continues
    stamps: Stamps  # whether the kernel or software stamped the presses
    first: Stamp
    last: Stamp
    ended: Stamp  # the line that ended the match or put it aside, or else the last one
    fingerprint: str  # of the log: that of the line which ended the match, if it is over
    offered: bool  # by the director from the room, with these settings
    confirmed: Stamp | None  # when the director or both players confirmed the settings
    names: Pair[str]
    swapped: bool  # the players have changed sides
    length: int  # after corrections by the director
    limited: Stamp | None  # since when there has been a time limit; None: there is none
    phase: Phase
    score: Pair[int]
    legs: Pair[int]
    left: Pair[int]  # reserves at the last line, in ns
    over: tuple[Stamp, MatchOverEvent, Side | None] | None  # with the winner
    games: tuple[Game, ...]
    stops: tuple[Stop, ...]
    breaks: tuple[Break, ...]
    flags: tuple[FallenFlag, ...]
    cases: tuple[Case, ...]
    interventions: tuple[SeatedEvent, ...]  # adjustments, corrections, penalties, lateness, offers
    faults: tuple[Fault, ...]
    restorations: tuple[Restoration, ...]
    clock_sets: tuple[ClockSet, ...]  # of the computer's clock
    refused: tuple[SeatedEvent, ...]
    turns: tuple[PlayedTurn, ...]
    passages: tuple[Passage, ...]
    curves: Pair[tuple[CurvePoint, ...]]  # the reserves over the match
    reserve_changes: tuple[ReserveChange, ...]

    @property
    def records(self) -> int:
        """The number of lines in the log."""
        return self.last.line

    def is_limited(self, at: Stamp) -> bool:
        """Return whether the players had a time limit at a line."""
        return self.limited is not None and self.limited.line <= at.line

    @property
    def limit_from(self) -> int | None:
        """The number of the first game with a time limit; None: there is none."""
        if self.limited is None:
            return None
        return game_at(self.games, self.limited)

    @property
    def is_begun(self) -> bool:
        """Whether a player was on the clock, or the match ended without that.

        If nobody had won anything by then, another match was begun in its place.
        """
        won = self.over is not None and any((*self.score, *self.legs))
        return bool(self.turns or won)

    @property
    def period(self) -> str:
        """Date and time of day of the first line and of the end."""
        (begun, first), (ended, last) = (
            (stamp.when[:10], stamp.time) for stamp in (self.first, self.ended)
        )
        return f"{begun} {first} - {last if begun == ended else f'{ended} {last}'}"

    @property
    def duration_ns(self) -> int:
        """How long the match took, without the time that the power was off."""
        begun = self.confirmed or self.first
        return self.ended.at_ns - begun.at_ns

    @property
    def flagged(self) -> list[str]:
        """The names of the players whose flag fell, each once, in the order of the flags."""
        fallen = [self.names[flag.player] for flag in self.flags if flag.player]
        return list(dict.fromkeys(fallen))

    @property
    def corrections(self) -> int:
        """How often the director changed times, points or anything else."""
        return sum(isinstance(seated.event, CHANGES) for seated in self.interventions)

    def turn_at(self, stamp: Stamp) -> int:
        """Return the number of the latest turn that had begun; 0 before the first one."""
        return bisect_right(self.turns, stamp.line, key=lambda turn: turn.begun.line)

    def used_ns(self, player: Side) -> int:
        """Return a player's time on the clock in the whole match."""
        return sum(game.used[player] for game in self.games)

    def spent_ns(self, player: Side) -> int:
        """Return what a player used of their reserve in the whole match."""
        return sum(game.spent[player] for game in self.games)

    def pressed_turns(self, player: Side) -> list[PlayedTurn]:
        """Return the turns that a player ended with the plunger."""
        return [turn for turn in self.turns if turn.player is player and turn.pressed]

    def average_ns(self, player: Side) -> int | None:
        """Return the mean length of a player's `pressed_turns`; None if there is none."""
        lengths = [turn.length_ns for turn in self.pressed_turns(player)]
        return sum(lengths) // len(lengths) if lengths else None

    def median_ns(self, player: Side) -> int | None:
        """Return the median length of a player's `pressed_turns`; None if there is none."""
        lengths = [turn.length_ns for turn in self.pressed_turns(player)]
        return int(statistics.median_high(lengths)) if lengths else None

    def slowest(self, count: int) -> list[PlayedTurn]:
        """Return so many of each player's longest turns, longest first."""
        of_each: Counter[Side] = Counter()
        found = []
        for turn in sorted(self.turns, key=lambda turn: -turn.length_ns):
            of_each[turn.player] += 1
            if of_each[turn.player] <= count:
                found.append(turn)
        return found

    def quickest(self, count: int) -> list[PlayedTurn]:
        """Return the shortest turns that the plunger ended, shortest first."""
        pressed = [turn for turn in self.turns if turn.pressed]
        return sorted(pressed, key=lambda turn: turn.length_ns)[:count]
