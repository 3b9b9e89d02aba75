"""The calls for the director in a match, and what they did (EBF 5.5(i))."""

from collections.abc import Iterable, Iterator, Sequence

from clock.match import events
from clock.match.rules import Reason
from clock.match.types import Pair, Phase
from clock.report.incidents import is_by_director
from clock.report.summary import Pause
from clock.report.timeline import Moment, PlayerView

FACTS = (  # that a ruling is about
    events.BreakEndedEvent,
    events.BreakStartedEvent,
    events.FlagClaimedEvent,
    events.FlagFellEvent,
    events.LateEvent,
    events.RestoredEvent,
)


def calls(history: Iterable[Moment]) -> tuple[Pause, ...]:
    """Return the pauses with a call for the director or an act of theirs, in their order."""
    found = (_pause(flags, moments) for flags, moments in _pauses(history))
    return tuple(pause for pause in found if pause.called or pause.is_ruled)


def _pauses(history: Iterable[Moment]) -> Iterator[tuple[Sequence[Moment], Sequence[Moment]]]:
    """Yield the flags that fell before each pause, and its moments.

    They are from what stopped play to what let it go on.
    """
    flags: list[Moment] = []
    pause: list[Moment] = []
    for moment in history:
        if pause or not _in_play(moment.after):
            pause.append(moment)
        elif isinstance(moment.event, events.FlagFellEvent):
            flags.append(moment)
        if pause and _in_play(moment.after):
            yield flags, pause
            flags, pause = [], []
    if pause:
        yield flags, pause


def _in_play(view: PlayerView) -> bool:
    return view.running is not None or view.state.phase is Phase.FREE_TURN


def _pause(flags: Sequence[Moment], moments: Sequence[Moment]) -> Pause:
    first, last = moments[0], moments[-1]
    states = [each.after.state for each in moments]
    reasons = [state.reason for state in states if state.phase is Phase.STOPPED]
    reason = reasons[-1] if reasons else None
    ruled = [each for each in moments if is_by_director(each.event)]
    told = [each for each in moments if each in ruled or isinstance(each.event, FACTS)]
    return Pause(
        begun=first.stamp,
        ended=last.seated_event if _in_play(last.after) else None,
        player=first.before.running,
        reason=reason,
        called=reason is Reason.DIRECTOR_CALLED or any(state.held for state in states),
        is_ruled=bool(ruled),
        left=Pair(first.reserves, last.after.reserves),
        lines=tuple(each.seated_event for each in (*flags, *told)),
    )
