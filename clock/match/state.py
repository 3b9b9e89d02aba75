"""The state of a match, in one frozen value, and queries about it.

It holds everything that the clock must know to go on after a power cut, and nothing else.
"""

from typing import Any

import msgspec

from clock.match.events import AnyEvent
from clock.match.rules import MatchSettings, Offer, Proposal, Reason, RulingReason, settings_code
from clock.match.timecontrol import Account, Turn, bank_ns
from clock.match.types import Crawford, NextDelay, Pair, Phase, Side

BETWEEN_GAMES = (Phase.REVIEW, Phase.READY, Phase.BREAK)
AT_REST = (Phase.FINISHED, Phase.PUT_ASIDE)  # the clock is free for another match
RECENT_TURNS = 8  # how far back the director can give time back


class Flag(msgspec.Struct, frozen=True):
    """A flag that has fallen."""

    order: int  # 1: fell first
    at_ns: int | None  # None: entered by the director, or from before a power cut
    claimed: bool = False  # somebody announced it (EBF 4.3(iii))


class Absence(msgspec.Struct, frozen=True):
    """A player is not there although the match is due."""

    since_ns: int  # lateness counts from this instant
    points: int  # due so far; under rules that start the clock 1 if it can be started


class LateAccount(msgspec.Struct, frozen=True):
    """What a player's lateness costs, in points (EBF, DBgF 2.2(iv))."""

    due: int = 0
    settled: int = 0  # given or waived by the director
    shared: int = 0  # of the due ones: after a break, before the director has said who was late

    @property
    def open(self) -> int:
        """The points that the director has neither given nor waived."""
        return max(0, self.due - self.settled)

    def carried(self) -> "LateAccount":
        """Return the account at the beginning of another lateness: what is open stays due."""
        return LateAccount(self.open)


class Player(msgspec.Struct, frozen=True):
    """What belongs to one player."""

    account: Account
    flag: Flag | None = None  # None: has not fallen
    overtime_used: bool = False
    next_delay: NextDelay = NextDelay.FULL
    breaks_taken: int = 0
    penalty_points: int = 0
    invalid_rolls: int = 0
    confirmed: bool = False  # the settings shown at REVIEW
    absence: Absence | None = None  # None: present
    late: LateAccount = LateAccount()
    warnings: int = 0  # how many
    warned_for: tuple[RulingReason, ...] = ()  # each reason once, so that a state stays small


class Pause(msgspec.Struct, frozen=True):
    """A break under way."""

    allowed_ns: int
    since_ns: int
    points: int = 0  # due for a late return
    taker: Side | None = None  # who took it; None: both
    late: Side | None = None  # who came back late, as the director said; None: not said

    def end_ns(self) -> int:
        """Return the instant at which play is due to go on."""
        return self.since_ns + self.allowed_ns


class TurnBegin(msgspec.Struct, frozen=True):
    """Both reserves as a turn began, as evidence when the director gives time back."""

    reserves: Pair[int | None]  # in nanoseconds; None: changed by a ruling since then


class Decision(msgspec.Struct, frozen=True):
    """What decided the match by points, and what it changed."""

    why: str  # as in `MatchOverEvent`
    score: Pair[int]  # before it
    length: int
    crawford: Crawford
    game_points: Pair[int]  # of the game that decided it

    def swapped(self) -> "Decision":
        """Return the decision after the players have changed sides."""
        score, points = self.score.swapped(), self.game_points.swapped()
        return msgspec.structs.replace(self, score=score, game_points=points)


def as_json(value: object) -> Any:
    """Return a value as it comes back from a log or a checkpoint."""
    return msgspec.json.decode(msgspec.json.encode(value))


class Done(msgspec.Struct, frozen=True):
    """The latest ruling or entry since a clock ran, which can be taken back whole (R212)."""

    event: AnyEvent
    before: dict[str, Any]  # the fields of the match that it changed, as in a checkpoint


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """A match at one instant."""

    settings: MatchSettings
    at_ns: int  # the instant of the latest input or timed transition
    phase: Phase
    players: Pair[Player]
    names: Pair[str]
    length: int
    score: Pair[int]
    legs: Pair[int] = Pair(0, 0)  # won; a leg is one match of a best of three
    games: int = 0  # scored in this leg
    crawford: Crawford
    turn: Turn | None = None  # on the clock; kept while stopped and while a game is being scored
    reason: Reason = Reason.UNSPECIFIED  # why the clock is stopped
    held: bool = False  # stopped until the director resumes (EBF 5.1, NBgF 1-8-1)
    game_points: Pair[int] = Pair(0, 0)  # entered so far for the game that ended
    pause: Pause | None = None  # the break under way
    recent: tuple[TurnBegin, ...] = ()  # of the last `RECENT_TURNS` turns, oldest first
    interrupted: Turn | None = None  # by a reason that started the opponent's clock
    clock_removed: bool = False  # the rest of this leg is played without a clock (EBF 4.3(iii))
    slow_play_ns: int | None = None  # of the latest warning or ruling for slow play; None: unknown
    decision: Decision | None = None  # None: points have not decided the match
    winner: Side | None = None  # None: not finished, or finished without a winner
    ended: str = ""  # why the match is over; empty: it is not
    preset: str | None = None  # chosen for it; "": the file's own settings; None: nothing chosen
    offer: str = ""  # the id of the director's offer of this match; empty: it was not offered
    next_offer: Offer | None = None  # of the match after this one, which is over; None: no offer
    proposal: Proposal | None = None  # a ruling that waits for a hand at the box; None: none does
    done: Done | None = None  # what can be taken back; None: a clock has run since, or nothing was
    put_aside_in: Phase | None = None  # where it goes on when it is resumed; None: not adjourned

    @property
    def away(self) -> Pair[int]:
        """The points that each player still needs; at least 0."""
        return self.score.map(lambda points: max(0, self.length - points))

    @property
    def code(self) -> str:
        """The settings code of what is in force now, changes before the match included (R106)."""
        known = None if self.crawford is entry_crawford(self.away) else self.crawford
        in_force = msgspec.structs.replace(
            self.settings,
            length=self.length,
            score=self.score,
            crawford=known,
            reserves=msgspec.UNSET,
        )
        reserves = [player.account.left_ns for player in self.players]
        changed = {"reserves": reserves} if set(reserves) != {self.bank_ns()} else {}
        return settings_code(msgspec.to_builtins(in_force) | changed)

    @property
    def before_first_game(self) -> bool:
        """Whether no game has begun."""
        return not self.games and self.phase in BETWEEN_GAMES

    @property
    def running(self) -> Side | None:
        """The side whose clock runs; None: no clock runs."""
        if self.turn is None or self.turn.since_ns is None:
            return None
        return self.turn.side

    @property
    def flagless(self) -> bool:
        """Whether no flag ever falls: in pace mode and in practice."""
        return self.settings.flagless

    @property
    def legs_needed(self) -> int:
        """The legs that a player must win."""
        return 2 if self.settings.best_of_three else 1

    @property
    def champion(self) -> Side | None:
        """The side whose points have decided the match; None: neither has."""
        if self.legs.left >= self.legs_needed:
            return Side.LEFT
        return Side.RIGHT if self.legs.right >= self.legs_needed else None

    @property
    def unconfirmed(self) -> bool:
        """Whether neither player has confirmed the settings yet."""
        return self.phase is Phase.REVIEW and not any(p.confirmed for p in self.players)

    @property
    def takes_offers(self) -> bool:
        """Whether another match may be offered: this one is at rest, or nobody has confirmed it."""
        return self.phase in AT_REST or self.unconfirmed

    @property
    def standing_offer(self) -> Offer | None:
        """The director's offer that the players are shown and have not taken; None: there is none.

        At REVIEW it is the match that they are asked to confirm.
        """
        if self.phase is Phase.REVIEW and self.offer:
            return Offer(self.offer, self.settings)
        return self.next_offer

    @property
    def flags_down(self) -> int:
        """The number of flags that have fallen."""
        return sum(player.flag is not None for player in self.players)

    @property
    def unclaimed_flags(self) -> list[Side]:
        """The sides whose flags fell and were never announced (EBF 4.3(iii))."""
        return [side for side in Side if (flag := self.players[side].flag) and not flag.claimed]

    @property
    def first_flagged(self) -> Side | None:
        """The side whose flag fell first; None: no flag is down."""
        fallen = [(player.flag.order, side) for side in Side if (player := self.players[side]).flag]
        return min(fallen)[1] if fallen else None

    def reserve_ns(self, side: Side, now_ns: int) -> int:
        """Return the reserve left to a side at `now_ns`; below 0 only where no flag falls."""
        balance_ns = self.balance_ns(side, now_ns)
        return balance_ns if self.flagless else max(0, balance_ns)

    def balance_ns(self, side: Side, now_ns: int) -> int:
        """Return the reserve left to a side; below 0 it is the time played without one."""
        left = self.players[side].account.left_ns
        if self.turn is None or self.turn.side is not side:
            return left
        return left - self.turn.reserve_used_ns(now_ns)

    def delay_left_ns(self, now_ns: int) -> int:
        """Return the delay left to the turn on the clock at `now_ns`; 0 if there is none."""
        return 0 if self.turn is None else self.turn.delay_left_ns(now_ns)

    def bank_ns(self) -> int:
        """Return the bank that the formula gives at the present score."""
        return bank_ns(self.settings.rules, self.away)

    def forget_reserves(self, *sides: Side) -> "MatchState":
        """Return the same state; times of before this instant are not given back to these sides."""
        recent = self.recent
        for side in sides:
            recent = tuple(
                msgspec.structs.replace(begin, reserves=begin.reserves.put(side, None))
                for begin in recent
            )
        return self.replace(recent=recent)

    def replace(self, **changes: object) -> "MatchState":
        """Return the same state with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def with_player(self, side: Side, **changes: object) -> "MatchState":
        """Return the same state with some fields of one player changed."""
        player = msgspec.structs.replace(self.players[side], **changes)
        return self.replace(players=self.players.put(side, player))

    def with_both_players(self, **changes: object) -> "MatchState":
        """Return the same state with some fields of both players changed."""
        replace = msgspec.structs.replace
        return self.replace(players=self.players.map(lambda player: replace(player, **changes)))


def crawford_is_open(away: Pair[int]) -> bool:
    """Return whether a score does not say if the Crawford game has been played (EBF 4.4(iv)).

    It does not if just one player is one point away and the match is not over.
    """
    return (away.left == 1) != (away.right == 1) and 0 not in away


def entry_crawford(away: Pair[int]) -> Crawford:
    """Return what the score at the beginning says of the Crawford game (EBF 4.4(iv)).

    With one player one point away the score does not say whether it has been played. With both one
    point away it has, or the match is to one point and has none.
    """
    if away.left == away.right == 1:
        return Crawford.DONE
    return Crawford.UNKNOWN if crawford_is_open(away) else Crawford.BEFORE


Step = tuple[MatchState, AnyEvent | None]  # the state after an input, and the event for the log
