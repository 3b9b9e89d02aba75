"""The incidents of a match: flags, faults, restarts and refused presses."""

from collections.abc import Iterable

from clock.match import events
from clock.match.types import Side
from clock.report.summary import FallenFlag, Fault, Restoration, SeatedEvent, Stamp
from clock.report.timeline import Moment


def refused(history: Iterable[Moment]) -> tuple[SeatedEvent, ...]:
    """Return the presses without effect."""
    return tuple(
        moment.seated_event
        for moment in history
        if isinstance(moment.event, events.PressedEvent) and not moment.event.accepted
    )


def flags(history: Iterable[Moment]) -> tuple[FallenFlag, ...]:
    """Return the flags in the order of their fall, and the claims while no flag was down."""
    found: list[FallenFlag] = []
    since: Stamp | None = None  # whose clock runs has been the same
    for moment in history:
        back = moment.takes_back
        found = [_updated(flag, moment) for flag in found if not back or flag.stamp.line != back]
        match moment.event:
            case events.FlagFellEvent(side=side, order=order, margin_ns=margin_ns):
                player = moment.before.player(side)
                found.append(FallenFlag(moment.stamp, player, order, margin_ns, since))
            case events.CorrectedEvent(what="flag", side=Side() as side, new=int() as order) if (
                order
            ):
                player = moment.before.player(side)
                found.append(FallenFlag(moment.stamp, player, order, None, entered=True))
            case events.FlagClaimedEvent(side=None):
                found.append(FallenFlag(moment.stamp, None, 0, None, claimed=moment.stamp))
            case _:
                pass
        since = moment.stamp if moment.before.running is not moment.after.running else since
    return tuple(found)


def _updated(flag: FallenFlag, moment: Moment) -> FallenFlag:
    """Return a flag after a moment that may have claimed or cleared it."""
    if flag.cleared is not None and flag.cleared.line == moment.takes_back:
        flag = flag._replace(cleared=None)
    if flag.player is None or flag.cleared is not None:
        return flag
    side = moment.after.player(flag.player)
    if flag.stopped is None and moment.after.running is None:
        flag = flag._replace(stopped=moment.stamp)
    standing, event = moment.after.state.players[side].flag, moment.event
    entered = (
        isinstance(event, events.CorrectedEvent) and event.what == "flag" and event.side is side
    )
    if standing is None or entered:
        return flag._replace(cleared=moment.stamp)
    if standing.claimed and flag.claimed is None:
        overrun_ns = 0
        if isinstance(event, events.FlagClaimedEvent) and event.side is side:
            overrun_ns = event.overrun_ns
        flag = flag._replace(claimed=moment.stamp, overrun_ns=overrun_ns)
    return flag._replace(order=standing.order)


def faults(history: Iterable[Moment]) -> tuple[Fault, ...]:
    """Return the faults of parts, with the ends of those that ended."""
    found: list[Fault] = []
    for moment in history:
        match moment.event:
            case events.FaultEvent() as event:
                found.append(Fault(moment.stamp, event))
            case events.FaultClearedEvent(part=part):
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
    """Return the restarts of the clock in the middle of the match."""
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
        if moment.interrupts and isinstance(moment.event, events.RestoredEvent)
    )
