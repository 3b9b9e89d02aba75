"""What the lines of a log tell of a match without being replayed: what stands in them in full.

Of a damaged log that is all there is after the damage. Both reserves, the score and whose clock ran
are known; a turn's own time, the plunger that was pressed by mistake and the like are not. The one
rule: no clock runs in what comes of it.
"""

from collections.abc import Sequence

from msgspec import structs

from clock.eventlog.codec import Line
from clock.match.corrections import crawford_derived
from clock.match.events import CorrectedEvent, FlagFellEvent, GameOverEvent, MatchOverEvent, PenaltyEvent
from clock.match.state import Flag, MatchState
from clock.match.phases import Crawford, Phase
from clock.match.rules import Reason
from clock.match.sides import Pair, Side
from clock.match.timecontrol import Turn

_PLAYING = (Phase.RUNNING, Phase.STOPPED, Phase.FREE_TURN, Phase.GAME_OVER)


def told(state: MatchState, lines: Sequence[Line]) -> MatchState:
    """A match as some lines tell it; it need not be one that can be (`soundness`).

    Args:
        state: before them, as far as it is known.
        lines: at least one; there may have been others in between.
    """
    record = lines[-1].record
    for line in lines:
        state = _scored(_flagged(state, line), line)
    for side, left_ns in zip(Side, (record.left_ns, record.right_ns), strict=True):
        account = state.players[side].account
        granted = structs.replace(account, granted_ns=account.spent_ns + left_ns)
        state = state.with_player(side, account=granted, absence=None)
    return _standing(state, lines).replace(at_ns=record.at_ns)


def _flagged(state: MatchState, line: Line) -> MatchState:
    event = line.record.event
    if isinstance(event, FlagFellEvent):
        return state.with_player(event.side, flag=Flag(event.order, None))
    return state


def _scored(state: MatchState, line: Line) -> MatchState:
    """The score, the length and the Crawford status that a line tells in full."""
    event, between = line.record.event, line.record.phase not in _PLAYING
    match event:
        case GameOverEvent():
            done = Crawford.BEFORE if state.crawford is Crawford.BEFORE else Crawford.DONE
            crawford = Crawford.NOW if event.crawford else done
            return state.replace(score=event.score, legs=event.legs, crawford=crawford)
        case CorrectedEvent(what="crawford", new=str() as crawford):
            return state.replace(crawford=Crawford(crawford))
        case CorrectedEvent(what="score", side=Side() as side, new=int() as points):
            state = state.replace(score=state.score.put(side, points))
        case CorrectedEvent(what="length" | "length_shortened", new=int() as length):
            state = state.replace(length=length)
        case PenaltyEvent() | MatchOverEvent():
            state = state.replace(score=event.score)
        case _:
            return state
    return crawford_derived(state) if between else state


def _standing(state: MatchState, lines: Sequence[Line]) -> MatchState:
    """Where the match stands, with both clocks still; of a turn only its delay is known."""
    record = lines[-1].record
    state = state.replace(held=False, pause=None, recent=(), game_points=Pair(0, 0))
    movers = [line.record.running for line in lines if line.record.running]
    before = None if state.turn is None else state.turn.side
    mover = movers[-1] if movers else before
    if record.phase in _PLAYING and mover is not None:
        turn = Turn(mover, record.delay_ns)
        return state.replace(phase=Phase.STOPPED, turn=turn, reason=Reason.POWER_LOSS)
    still = record.phase in (Phase.NO_CLOCK, Phase.FINISHED)
    return state.replace(phase=record.phase if still else Phase.READY, turn=None)
