"""What went out of the ordinary: flags, faults, power cuts, refused presses, the director's acts.

The one rule: an incident is kept with the line of the log that tells of it.
"""

from collections.abc import Iterable

from clock.director import DIRECTOR
from clock.events import (
    AdjustedEvent,
    AnyEvent,
    ConfirmedEvent,
    CorrectedEvent,
    FaultClearedEvent,
    FaultEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    LateEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReopenedEvent,
    RestoredEvent,
)
from clock.history import Moment
from clock.sides import Side
from clock.summary import Fallen, Fault, Restoration, Told

ACTS = (AdjustedEvent, CorrectedEvent, LateEvent, OvertimeEvent, PenaltyEvent, ReopenedEvent)


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
    return approved or isinstance(event, ACTS)


def flags(history: Iterable[Moment]) -> tuple[Fallen, ...]:
    """The flags in the order in which they fell, and the claims when none was down."""
    found: list[Fallen] = []
    for moment in history:
        found = [_cleared(flag, moment) for flag in found]
        match moment.event:
            case FlagFellEvent(side=side, order=order, margin_ns=margin_ns):
                player = moment.before.player(side)
                found.append(Fallen(moment.stamp, player, order, margin_ns))
            case CorrectedEvent(what="flag", side=Side() as side, new=int() as order) if order:
                player = moment.before.player(side)
                found.append(Fallen(moment.stamp, player, order, None, entered=True))
            case FlagClaimedEvent(side=None):
                found.append(Fallen(moment.stamp, None, 0, None, claimed=moment.stamp))
            case FlagClaimedEvent() as claim:
                found = [_claimed(flag, claim, moment) for flag in found]
            case _:
                pass
    return tuple(found)


def _cleared(flag: Fallen, moment: Moment) -> Fallen:
    """The flag after a moment that may have taken it away, or put another in its place."""
    if flag.player is None or flag.cleared is not None:
        return flag
    before, after = moment.before, moment.after
    was = before.state.players[before.player(flag.player)].flag
    now = after.state.players[after.player(flag.player)].flag
    return flag._replace(cleared=moment.stamp) if was and was != now else flag


def _claimed(flag: Fallen, claim: FlagClaimedEvent, moment: Moment) -> Fallen:
    side = claim.side
    standing = flag.claimed is None and flag.cleared is None
    if side is None or not standing or moment.before.player(side) is not flag.player:
        return flag
    return flag._replace(claimed=moment.stamp, overrun_ns=claim.overrun_ns)


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
            moment.stamp, moment.since, moment.reboot, moment.played_ns, moment.event.lost_ns
        )
        for moment in history
        if isinstance(moment.event, RestoredEvent)
    )
