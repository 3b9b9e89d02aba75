"""The statistics of a match: games, turns, stops, breaks, and the course of both reserves."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from clock.match.events import (
    AdjustedEvent,
    AnyEvent,
    BreakStartedEvent,
    CorrectedEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    GameOverEvent,
    LateEvent,
    MatchOverEvent,
    Origin,
    OvertimeEvent,
    PressedEvent,
    RestoredEvent,
    ResumedEvent,
    StoppedEvent,
)
from clock.match.types import Button, Crawford, Pair, Phase, ResumeWith, Side
from clock.report.incidents import is_act
from clock.report.summary import (
    Break,
    CurvePoint,
    Game,
    Passage,
    PlayedTurn,
    ReserveChange,
    SeatedEvent,
    Stamp,
    Stop,
)
from clock.report.timeline import Moment, PlayerView

TURN_PHASES = (Phase.READY, Phase.RUNNING, Phase.FREE_TURN)  # in them a press begins a turn
TIME_CHANGES = (AdjustedEvent, CorrectedEvent, OvertimeEvent)  # they give or take time
NOTABLE = (StoppedEvent, FlagFellEvent, FlagClaimedEvent, BreakStartedEvent, RestoredEvent)
NOTHING = Pair(0, 0)


# --- games ------------------------------------------------------------------------------------


class _GameProgress(NamedTuple):
    """A game under way, or the time before the next game."""

    number: int
    stamp: Stamp | None = None
    leg: int = 0
    used: Pair[int] = NOTHING
    spent: Pair[int] = NOTHING

    def after(self, moment: Moment) -> "_GameProgress":
        """Return the progress after one more moment."""
        mover = moment.before.running
        game = self._replace(leg=sum(moment.after.state.legs) + 1) if self.stamp is None else self
        if mover is not None:
            game = game._replace(
                used=game.used.update(mover, lambda used: used + moment.played_ns),
                spent=game.spent.update(mover, lambda spent: spent + moment.spent_ns),
            )
        turn = moment.after.state.turn
        if game.stamp is None and turn is not None and not turn.absent:
            return game._replace(stamp=moment.stamp)
        return game

    def is_ended_by(self, moment: Moment) -> bool:
        """Tell whether a moment ended the game, scored or broken off."""
        if isinstance(moment.event, GameOverEvent):
            return True
        turn_gone = moment.turn is not None and moment.after.state.turn is None
        return self.stamp is not None and (turn_gone or isinstance(moment.event, MatchOverEvent))

    def ended(self, moment: Moment, ended: Stamp | None) -> Game:
        """Return the game after its latest moment."""
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
    """Return the games; the last one may be under way."""
    found: list[Game] = []
    game = _GameProgress(1)
    moment: Moment | None = None
    for moment in history:
        game = game.after(moment)
        if game.is_ended_by(moment):
            found.append(game.ended(moment, moment.stamp))
            game = _GameProgress(len(found) + 1)
    if moment is not None and (game.stamp is not None or game.used != NOTHING):
        found.append(game.ended(_standstill(moment), None))
    return tuple(found)


def _standstill(moment: Moment) -> Moment:
    """Return the end of a moment, with nothing played since."""
    return moment._replace(before=moment.after, played_ns=0)


# --- turns ------------------------------------------------------------------------------------


def turns(history: Iterable[Moment]) -> tuple[PlayedTurn, ...]:
    """Return the turns; the last one may be under way."""
    found: list[PlayedTurn] = []
    begun: Moment | None = None
    game = 1
    moment: Moment | None = None
    for moment in history:
        begins = _begins_turn(moment)
        if begun is not None and (begins or moment.after.state.turn is None):
            found.append(_played(moment, begun, game, moment.seated_event))
            begun = None
        game += isinstance(moment.event, GameOverEvent)
        begun = moment if begins else begun
    if moment is not None and begun is not None:
        found.append(_played(_standstill(moment), begun, game, None))
    return tuple(found)


def passages(history: Iterable[Moment]) -> tuple[Passage, ...]:
    """Return what happened before the first turn, and in each turn."""
    found: list[list[Moment]] = [[]]
    for moment in history:
        found[-1].append(moment)
        if _begins_turn(moment):
            found.append([moment])
    return tuple(_passage(number, moments) for number, moments in enumerate(found))


def _passage(turn: int, moments: list[Moment]) -> Passage:
    lines = [moment.seated_event for moment in moments if not _turns_page(moment.event)]
    return Passage(turn, tuple(lines), any(_is_notable(moment.event) for moment in moments))


def _turns_page(event: AnyEvent) -> bool:
    return isinstance(event, PressedEvent) and event.why == "menu"


def _is_notable(event: AnyEvent) -> bool:
    return isinstance(event, NOTABLE) or is_act(event)


def _begins_turn(moment: Moment) -> bool:
    """Tell whether a turn began; one that is resumed exactly does not begin again."""
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


def _played(moment: Moment, begun: Moment, game: int, ended_by: SeatedEvent | None) -> PlayedTurn:
    turn = moment.turn
    if turn is None:
        raise RuntimeError(f"no turn was on the clock at line {moment.stamp.line}")
    length_ns, player = moment.length_ns, moment.before.player(turn.side)
    state = moment.before.state
    return PlayedTurn(
        player=player,
        begun=begun.stamp,
        game=game,
        length_ns=length_ns,
        spent_ns=max(0, length_ns - turn.delay_ns),
        pressed=ended_by is not None and isinstance(ended_by.event, PressedEvent) and not turn.free,
        reserve_ns=Pair(begun.after.reserves[player], moment.reserves[player]),
        ended_by=ended_by,
        reason=state.reason if state.phase in (Phase.STOPPED, Phase.GAME_OVER) else None,
    )


# --- stops and breaks -------------------------------------------------------------------------


def stops(history: Iterable[Moment]) -> tuple[Stop, ...]:
    """Return the stops; the last one may still last."""
    found: list[Stop] = []
    for moment in history:
        was, now = (each.state.phase is Phase.STOPPED for each in (moment.before, moment.after))
        if now and (not was or not found):  # the log may begin with it
            reason, reserves = moment.after.state.reason, moment.after.reserves
            found.append(Stop(moment.stamp, None, _stopped(moment.after), reason, None, reserves))
        elif was and not now and found:
            found[-1] = _ended(found[-1], moment)
        elif now:
            found[-1] = found[-1]._replace(reason=moment.after.state.reason)
    return tuple(found)


def _stopped(stopped: PlayerView) -> Side | None:
    """Return the player whose clock is stopped; None if the turn is played off the clock."""
    turn = stopped.state.turn
    return None if turn is None or turn.free else stopped.player(turn.side)


def _ended(stop: Stop, moment: Moment) -> Stop:
    reason = moment.before.state.reason
    return stop._replace(ended=moment.stamp, reason=reason, ended_by=moment.seated_event)


def breaks(history: Iterable[Moment]) -> tuple[Break, ...]:
    """Return the breaks; the last one may still last."""
    found: list[Break] = []
    presses: list[SeatedEvent] = []  # of the plungers, since the centre opened a page
    for moment in history:
        if isinstance(moment.event, BreakStartedEvent):
            taken = moment.after.by_player(moment.event.taken)
            allowed_ns = moment.event.allowed_ns
            found.append(Break(moment.stamp, None, taken, allowed_ns, tuple(presses)))
        elif found and Phase.BREAK is moment.before.state.phase is not moment.after.state.phase:
            found[-1] = found[-1]._replace(ended=moment.stamp)
        if isinstance(moment.event, PressedEvent):
            presses = [] if moment.event.side is Button.CENTRE else [*presses, moment.seated_event]
    return tuple(found)


# --- reserves ---------------------------------------------------------------------------------


def curves(history: Sequence[Moment]) -> Pair[tuple[CurvePoint, ...]]:
    """Return the corners of each player's reserve, from the first line of the log to the last."""
    return Pair(_curve(history, Side.LEFT), _curve(history, Side.RIGHT))


def reserve_changes(history: Sequence[Moment]) -> tuple[ReserveChange, ...]:
    """Return where the director or the rules gave or took time."""
    return tuple(
        ReserveChange(player, moment.stamp, moment.reserves[player], moment.after.reserves[player])
        for moment in history
        if isinstance(moment.event, TIME_CHANGES)
        for player in Side
        if moment.reserves[player] != moment.after.reserves[player]
    )


def _curve(history: Sequence[Moment], player: Side) -> tuple[CurvePoint, ...]:
    points: list[CurvePoint] = []
    for moment in history:
        corners = _fall(moment) if moment.before.running is player else []
        old_ns, new_ns = moment.reserves[player], moment.after.reserves[player]
        if old_ns != new_ns or moment is history[-1]:
            corners.append(CurvePoint(moment.stamp.at_ns, old_ns))
            corners.append(CurvePoint(moment.stamp.at_ns, new_ns))
        for corner in corners or [CurvePoint(moment.stamp.at_ns, new_ns)] * (not points):
            _append(points, corner)
    return tuple(points)


def _fall(moment: Moment) -> list[CurvePoint]:
    """Return where the mover's reserve began and ceased to fall, if it fell."""
    turn, mover = moment.turn, moment.before.running
    if turn is None or mover is None or moment.spent_ns == 0:
        return []
    left_ns = moment.before.reserves[mover]
    begins_ns = moment.since.at_ns + max(0, turn.delay_ns - moment.before.elapsed_ns)
    fallen_ns = min(left_ns, moment.spent_ns)
    return [CurvePoint(begins_ns, left_ns), CurvePoint(begins_ns + fallen_ns, left_ns - fallen_ns)]


def _append(points: list[CurvePoint], corner: CurvePoint) -> None:
    """Add a corner; one in the middle of a straight line is left out."""
    if points and points[-1] == corner:
        return
    if len(points) > 1 and _straight(points[-2], points[-1], corner):
        points.pop()
    points.append(corner)


def _straight(first: CurvePoint, middle: CurvePoint, last: CurvePoint) -> bool:
    return (middle.at_ns - first.at_ns) * (last.left_ns - middle.left_ns) == (
        last.at_ns - middle.at_ns
    ) * (middle.left_ns - first.left_ns)
