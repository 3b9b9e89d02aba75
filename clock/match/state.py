"""The state of a match, and what can be asked of it.

Everything that the clock must know to go on after a power cut is here, in one frozen value, and
nothing else is. The one rule: nothing here changes a state; who changes it returns a new one.
"""

import msgspec

from clock.match.events import AnyEvent
from clock.match.phases import Crawford, NextDelay, Phase
from clock.match.rules import Format, MatchSettings, Reason
from clock.match.sides import Pair, Side
from clock.match.timecontrol import Account, Turn, bank_ns

RECENT_PRESSES = 8  # how far back the director can give time back


class Flag(msgspec.Struct, frozen=True):
    """A flag that has fallen."""

    order: int  # 1: fell first
    at_ns: int | None  # None: entered by the director, or from before a power cut
    claimed: bool = False  # somebody announced it (EBF 4.3(iii))


class Absence(msgspec.Struct, frozen=True):
    """A player who is not there though the match is due."""

    since_ns: int
    points: int = 0  # proposed so far
    before: int = 0  # penalty points that he had when he was noted


class Player(msgspec.Struct, frozen=True):
    """What belongs to one player."""

    account: Account
    flag: Flag | None = None
    overtime_used: bool = False
    next_delay: NextDelay = NextDelay.FULL
    breaks_taken: int = 0
    penalty_points: int = 0
    invalid_rolls: int = 0
    confirmed: bool = False
    absence: Absence | None = None


class Pause(msgspec.Struct, frozen=True):
    """A break under way."""

    allowed_ns: int
    since_ns: int
    points: int = 0  # proposed for coming late from it

    def end_ns(self) -> int:
        """The instant at which play is due to go on."""
        return self.since_ns + self.allowed_ns


class Press(msgspec.Struct, frozen=True):
    """A turn's end, as evidence for giving time back."""

    at_ns: int | None  # None: from before a power cut
    side: Side
    reserves: Pair[int]


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """A match at one instant."""

    settings: MatchSettings
    at_ns: int  # of the latest input; time never goes back before it
    phase: Phase
    players: Pair[Player]
    names: Pair[str]
    length: int
    score: Pair[int]
    legs: Pair[int] = Pair(0, 0)  # matches won, in a best of three
    games: int = 0  # scored in this leg
    crawford: Crawford
    turn: Turn | None = None  # on the clock; kept while stopped and while a game is being scored
    reason: Reason = Reason.UNSPECIFIED
    held: bool = False  # stopped until the director resumes (EBF 5.1, NBgF 1-8-1)
    game_points: Pair[int] = Pair(0, 0)  # entered so far for the game that ended
    pause: Pause | None = None
    recent: tuple[Press, ...] = ()
    winner: Side | None = None
    ended: str = ""  # why the match is over

    @property
    def away(self) -> Pair[int]:
        """The points that each player still needs; at least 0."""
        return self.score.map(lambda points: max(0, self.length - points))

    @property
    def running(self) -> Side | None:
        """The side whose clock runs."""
        if self.turn is None or self.turn.since_ns is None:
            return None
        return self.turn.side

    @property
    def legs_needed(self) -> int:
        """How many matches a player must win."""
        return 2 if self.settings.format is Format.BEST_OF_THREE else 1

    @property
    def champion(self) -> Side | None:
        """The side whose points have decided the match."""
        if self.legs.left >= self.legs_needed:
            return Side.LEFT
        return Side.RIGHT if self.legs.right >= self.legs_needed else None

    @property
    def flags_down(self) -> int:
        """How many flags have fallen."""
        return sum(player.flag is not None for player in self.players)

    @property
    def unclaimed_flags(self) -> list[Side]:
        """The sides whose flags fell and were never announced (EBF 4.3(iii))."""
        return [side for side in Side if (flag := self.players[side].flag) and not flag.claimed]

    @property
    def first_flagged(self) -> Side | None:
        """The side whose flag is down; of two the one that fell first."""
        fallen = [(player.flag.order, side) for side in Side if (player := self.players[side]).flag]
        return min(fallen)[1] if fallen else None

    def reserve_ns(self, side: Side, now_ns: int) -> int:
        """What is left of a side's reserve, at least 0."""
        return max(0, self.balance_ns(side, now_ns))

    def balance_ns(self, side: Side, now_ns: int) -> int:
        """The reserve, below 0 by what was played after the flag."""
        left = self.players[side].account.left_ns
        if self.turn is None or self.turn.side is not side:
            return left
        return left - self.turn.reserve_used_ns(now_ns)

    def delay_left_ns(self, now_ns: int) -> int:
        """What is left of the delay of the turn on the clock."""
        return 0 if self.turn is None else self.turn.delay_left_ns(now_ns)

    def bank_ns(self) -> int:
        """The bank that the formula gives at the present score."""
        return bank_ns(self.settings.rules, self.away)

    def replace(self, **changes: object) -> "MatchState":
        """The same state with some fields changed."""
        return msgspec.structs.replace(self, **changes)

    def with_player(self, side: Side, **changes: object) -> "MatchState":
        """The same state with something of one player changed."""
        player = msgspec.structs.replace(self.players[side], **changes)
        return self.replace(players=self.players.put(side, player))


Step = tuple[MatchState, AnyEvent | None]  # a state, and what the log says of how it came about


def opened(settings: MatchSettings, at_ns: int) -> MatchState:
    """A new match, waiting for both players to confirm its settings."""
    away = settings.score.map(lambda points: settings.length - points)
    player = Player(Account(bank_ns(settings.rules, away)))
    return MatchState(
        settings=settings,
        at_ns=at_ns,
        phase=Phase.REVIEW,
        players=Pair(player, player),
        names=settings.names,
        length=settings.length,
        score=settings.score,
        crawford=next_crawford(Crawford.BEFORE, away),
    )


def next_crawford(status: Crawford, away: Pair[int]) -> Crawford:
    """The Crawford status of the game about to begin.

    It is the first game in which a player is exactly one point away (EBF 4.4(iv)), once.
    """
    if 1 not in (away.left, away.right):
        return Crawford.BEFORE if status is Crawford.BEFORE else Crawford.DONE
    return Crawford.NOW if status is Crawford.BEFORE else Crawford.DONE


def settled(state: MatchState, now_ns: int) -> MatchState:
    """The state without a turn on the clock: what it used is charged to the player."""
    turn = state.turn
    if turn is None:
        return state
    used_ns = turn.reserve_used_ns(now_ns)
    if used_ns:
        account = state.players[turn.side].account
        charged = msgspec.structs.replace(account, spent_ns=account.spent_ns + used_ns)
        state = state.with_player(turn.side, account=charged)
    return state.replace(turn=None)
