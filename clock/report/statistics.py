"""What a match was made of: games, turns, stops and breaks, counted from the moments of its log.

The one rule: each number is counted from the moments alone, and time that was played is counted
once.
"""

from collections.abc import Iterable
from typing import NamedTuple

from clock.match.events import BreakStartedEvent, GameOverEvent, LateEvent, MatchOverEvent, Origin, PressedEvent, RestoredEvent, ResumedEvent
from clock.report.timeline import Moment
from clock.match.phases import Crawford, Phase, ResumeWith
from clock.match.sides import Pair
from clock.report.summary import Break, Game, Played, Stamp, Stop

TURN_PHASES = (Phase.READY, Phase.RUNNING, Phase.FREE_TURN)  # in them a press begins a turn
NOTHING = Pair(0, 0)


# --- games ------------------------------------------------------------------------------------


class _Begun(NamedTuple):
    """A game under way, or the time before the next one."""

    number: int
    stamp: Stamp | None = None
    leg: int = 0
    used: Pair[int] = NOTHING
    spent: Pair[int] = NOTHING

    def after(self, moment: Moment) -> "_Begun":
        mover = moment.before.running
        begun = self._replace(leg=_leg(moment)) if self.stamp is None else self
        if mover is not None:
            begun = begun._replace(
                used=begun.used.update(mover, lambda used: used + moment.played_ns),
                spent=begun.spent.update(mover, lambda spent: spent + moment.spent_ns),
            )
        turn = moment.after.state.turn
        if begun.stamp is None and turn is not None and not turn.absent:
            return begun._replace(stamp=moment.stamp)
        return begun

    def over(self, moment: Moment) -> bool:
        """Whether this moment ended it, with points or without."""
        if isinstance(moment.event, GameOverEvent):
            return True
        gone = moment.turn is not None and moment.after.state.turn is None
        return self.stamp is not None and (gone or isinstance(moment.event, MatchOverEvent))

    def game(self, moment: Moment, ended: Stamp | None) -> Game:
        """The game as this moment, its latest, left it."""
        before, winner, points = moment.before, None, None
        score = before.by_player(before.state.score)
        if isinstance(moment.event, GameOverEvent):
            points = moment.event.points
            winner = moment.event.winner and before.player(moment.event.winner)
            score = score.update(winner, lambda has: has + points) if winner else score
        return Game(
            number=self.number,
            leg=self.leg,
            begun=self.stamp,
            ended=ended,
            winner=winner,
            points=points,
            score=score,
            used=self.used,
            spent=self.spent,
            left=moment.reserves,
            crawford=before.state.crawford is Crawford.NOW,
        )


def games(history: Iterable[Moment]) -> tuple[Game, ...]:
    """The games; the last one may be under way, or broken off."""
    found: list[Game] = []
    begun = _Begun(1)
    moment: Moment | None = None
    for moment in history:
        begun = begun.after(moment)
        if begun.over(moment):
            found.append(begun.game(moment, moment.stamp))
            begun = _Begun(len(found) + 1)
    if moment is not None and (begun.stamp is not None or begun.used != NOTHING):
        found.append(begun.game(_rest(moment), None))
    return tuple(found)


def _leg(moment: Moment) -> int:
    return sum(moment.after.state.legs) + 1


def _rest(moment: Moment) -> Moment:
    """The same instant with nothing happening any more."""
    return moment._replace(before=moment.after, played_ns=0)


# --- turns ------------------------------------------------------------------------------------


def turns(history: Iterable[Moment]) -> tuple[Played, ...]:
    """The turns in which time was used, the one under way last."""
    found: list[Played] = []
    begun: Stamp | None = None
    game = 1
    moment: Moment | None = None
    for moment in history:
        begins = _begins_turn(moment)
        if begun is not None and (begins or moment.after.state.turn is None):
            found.append(_played(moment, begun, game))
            begun = None
        game += isinstance(moment.event, GameOverEvent)
        begun = moment.stamp if begins else begun
    if moment is not None and begun is not None and moment.after.state.turn is not None:
        found.append(_played(_rest(moment), begun, game))
    return tuple(played for played in found if played.length_ns)


def _begins_turn(moment: Moment) -> bool:
    """Whether a turn began; going on exactly after a stop begins none."""
    match moment.event:
        case PressedEvent(accepted=True, why=None):
            return moment.before.state.phase in TURN_PHASES
        case ResumedEvent(delay=delay):
            return delay is not ResumeWith.REST or moment.turn is None
        case LateEvent():
            return moment.after.running is not None
        case RestoredEvent(origin=Origin()):  # the log begins in the middle of it
            return moment.turn is not None
        case _:
            return False


def _played(moment: Moment, begun: Stamp, game: int) -> Played:
    turn = moment.turn
    if turn is None:
        raise RuntimeError(f"no turn was on the clock at line {moment.stamp.line}")
    length_ns = moment.length_ns
    return Played(
        player=moment.before.player(turn.side),
        begun=begun,
        game=game,
        length_ns=length_ns,
        spent_ns=max(0, length_ns - turn.delay_ns),
        pressed=isinstance(moment.event, PressedEvent) and not turn.free,
    )


# --- stops and breaks -------------------------------------------------------------------------


def stops(history: Iterable[Moment]) -> tuple[Stop, ...]:
    """The times at which both clocks stood still in the middle of a game."""
    found: list[Stop] = []
    for moment in history:
        was, now = (each.state.phase is Phase.STOPPED for each in (moment.before, moment.after))
        if now and (not was or not found):  # the log may begin with it
            reserves = moment.after.reserves
            found.append(Stop(moment.stamp, None, moment.after.state.reason, None, reserves))
        elif was and not now and found:
            found[-1] = _ended(found[-1], moment)
        elif now:
            found[-1] = found[-1]._replace(
                reason=moment.after.state.reason, left=moment.after.reserves
            )
    return tuple(found)


def _ended(stop: Stop, moment: Moment) -> Stop:
    reason = moment.before.state.reason
    return stop._replace(ended=moment.stamp, reason=reason, followed=moment.told)


def breaks(history: Iterable[Moment]) -> tuple[Break, ...]:
    """The breaks, the one under way last."""
    found: list[Break] = []
    for moment in history:
        if isinstance(moment.event, BreakStartedEvent):
            taken = moment.after.by_player(moment.event.taken)
            found.append(Break(moment.stamp, None, taken, moment.event.allowed_ns))
        elif found and Phase.BREAK is moment.before.state.phase is not moment.after.state.phase:
            found[-1] = found[-1]._replace(ended=moment.stamp)
    return tuple(found)
