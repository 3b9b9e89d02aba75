"""What went out of the ordinary: flags, faults, power cuts, refused presses, the director's acts.

The one rule: an incident is kept with the line of the log that tells of it.
"""

from collections.abc import Iterable

from clock.match.adjustments import DIRECTOR
from clock.match.events import AdjustedEvent, AnyEvent, ConfirmedEvent, CorrectedEvent, FaultClearedEvent, FaultEvent, FlagClaimedEvent, FlagFellEvent, LateEvent, MatchOverEvent, OvertimeEvent, PenaltyEvent, PressedEvent, ReopenedEvent, RestoredEvent
from clock.report.timeline import Moment
from clock.match.sides import Side
from clock.report.summary import Fallen, Fault, Restoration, Told

ACTS = (AdjustedEvent, CorrectedEvent, LateEvent, OvertimeEvent, PenaltyEvent, ReopenedEvent)
BY_POINTS = "score"  # why a match ended by itself


def acts(history: Iterable[Moment]) -> tuple[Told, ...]:
    """What changed a match other than by playing; overtime and lateness may be the clock's own."""
    return tuple(moment.told for moment in history if _is_act(moment.event))


def refused(history: Iterable[Moment]) -> tuple[Told, ...]:
    """The presses that had no effect."""
    return tuple(
        moment.told
        for moment in history
        if isinstance(moment.event, PressedEvent) and not moment.event.accepted
    )


def _is_act(event: AnyEvent) -> bool:
    approved = isinstance(event, ConfirmedEvent) and event.side == DIRECTOR
    ended = isinstance(event, MatchOverEvent) and event.why != BY_POINTS
    return approved or ended or isinstance(event, ACTS)


def flags(history: Iterable[Moment]) -> tuple[Fallen, ...]:
    """The flags in the order in which they fell, and the claims when none was down."""
    found: list[Fallen] = []
    for moment in history:
        found = [_followed(flag, moment) for flag in found]
        match moment.event:
            case FlagFellEvent(side=side, order=order, margin_ns=margin_ns):
                player = moment.before.player(side)
                found.append(Fallen(moment.stamp, player, order, margin_ns))
            case CorrectedEvent(what="flag", side=Side() as side, new=int() as order) if order:
                player = moment.before.player(side)
                found.append(Fallen(moment.stamp, player, order, None, entered=True))
            case FlagClaimedEvent(side=None):
                found.append(Fallen(moment.stamp, None, 0, None, claimed=moment.stamp))
            case _:
                pass
    return tuple(found)


def _followed(flag: Fallen, moment: Moment) -> Fallen:
    """A flag after a moment that may have claimed it, or taken it away."""
    if flag.player is None or flag.cleared is not None:
        return flag
    side = moment.after.player(flag.player)
    standing, event = moment.after.state.players[side].flag, moment.event
    entered = isinstance(event, CorrectedEvent) and event.what == "flag" and event.side is side
    if standing is None or entered:
        return flag._replace(cleared=moment.stamp)
    if standing.claimed and flag.claimed is None:
        overrun_ns = 0
        if isinstance(event, FlagClaimedEvent) and event.side is side:
            overrun_ns = event.overrun_ns
        flag = flag._replace(claimed=moment.stamp, overrun_ns=overrun_ns)
    return flag._replace(order=standing.order)


def faults(history: Iterable[Moment]) -> tuple[Fault, ...]:
    """The faults of parts, and when they were gone."""
    found: list[Fault] = []
    for moment in history:
        match moment.event:
            case FaultEvent() as event:
                found.append(Fault(moment.stamp, event))
            case FaultClearedEvent(part=part):
                found = [
                    fault._replace(cleared=moment.stamp)
                    if fault.event.part == part and fault.cleared is None
                    else fault
                    for fault in found
                ]
            case _:
                pass
    return tuple(found)


def restorations(history: Iterable[Moment]) -> tuple[Restoration, ...]:
    """The times at which the clock came back."""
    return tuple(
        Restoration(
            moment.stamp,
            moment.since,
            moment.reboot,
            moment.played_ns,
            moment.event.lost_ns,
            moment.event.why,
        )
        for moment in history
        if isinstance(moment.event, RestoredEvent)
    )
