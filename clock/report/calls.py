"""The calls for the director in a match, and what they did (EBF 5.5(i))."""

from collections.abc import Iterable, Iterator, Sequence

from clock.match.events import FlagClaimedEvent
from clock.match.rules import Reason
from clock.match.types import Pair, Phase
from clock.report.incidents import is_by_director
from clock.report.summary import Pause
from clock.report.timeline import Moment, PlayerView

CALLS = (Reason.CLOCK_FAULTY, Reason.DIRECTOR_CALLED, Reason.TIME_EXPIRED)


def calls(history: Iterable[Moment]) -> tuple[Pause, ...]:
    """Return the pauses with a call for the director or an act of theirs, in their order."""
    found = map(_pause, _pauses(history))
    return tuple(pause for pause in found if pause.called or pause.acts)


def _pauses(history: Iterable[Moment]) -> Iterator[Sequence[Moment]]:
    """Yield the moments of each pause: from what stopped play to what let it go on."""
    pause: list[Moment] = []
    for moment in history:
        if pause or not _in_play(moment.after):
            pause.append(moment)
        if pause and _in_play(moment.after):
            yield pause
            pause = []
    if pause:
        yield pause


def _in_play(view: PlayerView) -> bool:
    return view.running is not None or view.state.phase is Phase.FREE_TURN


def _pause(moments: Sequence[Moment]) -> Pause:
    first, last = moments[0], moments[-1]
    over = _in_play(last.after)
    states = [each.after.state for each in moments]
    reasons = [state.reason for state in states if state.phase is Phase.STOPPED]
    reason = reasons[-1] if reasons else None
    claimed = any(isinstance(each.event, FlagClaimedEvent) for each in moments)
    held = any(state.held for state in states)
    return Pause(
        begun=first.stamp,
        ended=last.seated_event if over else None,
        player=first.before.running,
        reason=reason,
        called=claimed or held or reason in CALLS,
        left=Pair(first.reserves, last.after.reserves),
        acts=tuple(each.seated_event for each in moments if is_by_director(each.event)),
    )
