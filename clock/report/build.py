"""The summary of a log, with its flags, faults and restarts.

The log is replayed first: a damaged log has no summary.
"""

from collections.abc import Iterable

from clock.eventlog.codec import DamagedError
from clock.eventlog.fingerprint import fingerprint_text
from clock.match import events
from clock.match.events import (
    AdjournedEvent,
    ConfirmedEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    RestoredEvent,
)
from clock.match.state import AT_REST
from clock.match.types import Button, Phase, Side
from clock.report.cases import cases, interventions
from clock.report.statistics import breaks, curves, games, passages, reserve_changes, stops, turns
from clock.report.summary import (
    ClockSet,
    FallenFlag,
    Fault,
    Restoration,
    SeatedEvent,
    Stamp,
    Summary,
)
from clock.report.timeline import Moment, PlayerView, moments
from clock.text import printable


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
        standing = (flag for flag in found if flag.stamp.line != moment.takes_back)
        found = [_updated(flag, moment) for flag in standing]
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


def summary(lines: Iterable[bytes], *later: Iterable[bytes]) -> Summary:
    """Return what a log, whose lines have no line feeds, says about its match.

    A match that was adjourned has `later` logs, each of which continues the one before.

    Raises:
        DamagedError: a line is not what the clock wrote, or does not follow from those before it.
    """
    history = _named_as_in_the_end(tuple(moments(lines, *later)))
    if not history or not isinstance(history[0].event, MatchOpenedEvent | RestoredEvent):
        raise DamagedError(1, "the log is empty")
    opened, last = history[0].event, history[-1]
    now, state = last.after, last.after.state
    changes = reserve_changes(history)
    played, found = games(history, cases(history, changes))
    return Summary(
        match=history[0].log,
        later=_later(history),
        board=opened.board,
        settings=state.settings,
        code=_code(history),
        version=opened.version,
        origin=opened.origin if isinstance(opened, RestoredEvent) else None,
        stamps=opened.stamps,
        first=history[0].stamp,
        last=last.stamp,
        ended=_ended(history),
        fingerprint=fingerprint_text(last.fingerprint_hash),
        offered=bool(state.offer),
        confirmed=_confirmed(history),
        names=now.by_player(state.names),
        swapped=now.swapped,
        length=state.length,
        limited=_limited(history),
        phase=state.phase,
        score=now.by_player(state.score),
        legs=now.by_player(state.legs),
        left=now.reserves,
        over=_over(history) if state.phase is Phase.FINISHED else None,
        games=played,
        stops=stops(history),
        breaks=breaks(history),
        flags=flags(history),
        cases=found,
        interventions=interventions(history),
        faults=faults(history),
        restorations=restorations(history),
        clock_sets=tuple(
            ClockSet(each.stamp, each.clock_set_ns) for each in history if each.clock_set_ns
        ),
        refused=refused(history),
        turns=turns(history, played),
        passages=passages(history),
        curves=curves(history),
        reserve_changes=changes,
    )


def _named_as_in_the_end(history: tuple[Moment, ...]) -> tuple[Moment, ...]:
    """Return all moments with the last one's names, printable: names may have been corrected."""
    if not history:
        return history
    names = history[-1].after.by_player(history[-1].after.state.names).map(printable)

    def named(view: PlayerView) -> PlayerView:
        seats = view.by_player(names)
        right = view.state.names == seats
        return view if right else view._replace(state=view.state.replace(names=seats))

    views = [named(each.after) for each in history]
    befores = [views[0], *views[:-1]]  # before the first line the match was as after it
    return tuple(
        each._replace(before=before, after=after)
        for each, before, after in zip(history, befores, views, strict=True)
    )


def _later(history: tuple[Moment, ...]) -> tuple[str, ...]:
    """Return the names of the logs after the first one."""
    names = dict.fromkeys(moment.log for moment in history)
    return tuple(names)[1:]


def _code(history: tuple[Moment, ...]) -> str:
    """Return the settings code of what was confirmed, or else of what is in force at REVIEW."""
    before = [moment.before.state for moment in history]
    shown = [state for state in before if state.phase is Phase.REVIEW]
    return (shown or [history[0].after.state])[-1].code


def _limited(history: tuple[Moment, ...]) -> Stamp | None:
    """Return since when there has been a time limit; one that was taken back has not (R212)."""
    limited: Stamp | None = None
    for moment in history:
        if moment.after.state.settings.rules.pace is not None:
            limited = None
        elif limited is None:
            limited = moment.stamp
    return limited


def _confirmed(history: tuple[Moment, ...]) -> Stamp | None:
    for moment in history:
        event = moment.event
        if isinstance(event, ConfirmedEvent) and event.side == Button.CENTRE:
            return moment.stamp
    return None


def _ended(history: tuple[Moment, ...]) -> Stamp:
    ends = (MatchOverEvent, AdjournedEvent) if history[-1].after.state.phase in AT_REST else ()
    ended = next((each for each in reversed(history) if isinstance(each.event, ends)), history[-1])
    return ended.stamp


def _over(history: tuple[Moment, ...]) -> tuple[Stamp, MatchOverEvent, Side | None] | None:
    for moment in reversed(history):
        event = moment.event
        if isinstance(event, MatchOverEvent):
            winner = event.winner and moment.after.player(event.winner)
            return moment.stamp, event, winner
    return None
