"""Events in a person's words: what happened, or, before a button is pressed, what would happen.

The same words serve the displays, the terminal and the report. The one rule: an event is told from
its own fields alone, and every kind of event has its words in `WORDS`.
"""

from collections.abc import Callable
from typing import Any

from clock.eventlog.codec import Line
from clock.match.time_format import clock_text, whole_seconds
from clock.match.events import AdjustedEvent, AnyEvent, BreakEndedEvent, BreakStartedEvent, ConfirmedEvent, CorrectedEvent, Event, FaultClearedEvent, FaultEvent, FlagClaimedEvent, FlagFellEvent, FreeTurnEvent, GameOverEvent, LateEvent, MatchOpenedEvent, MatchOverEvent, OvertimeEvent, PenaltyEvent, PressedEvent, ReasonChosenEvent, ReopenedEvent, RestoredEvent, ResumedEvent, StoppedEvent, Value
from clock.match.rules import Reason
from clock.match.sides import Pair, Side

Say = Callable[..., str]  # a key of the language table, and values for its blanks
Lines = tuple[str, ...]


def tell(event: AnyEvent, say: Say) -> Lines:
    """One to four short lines."""
    return WORDS[type(event)](event, say)


def told_line(line: Line, say: Say) -> str:
    """A line of the log for somebody who watches: wall time, what happened, both reserves."""
    record, wall = line.record, line.envelope.wall
    reserves = f"{clock_text(record.left_ns)} {clock_text(record.right_ns)}"
    return f"{wall[11:19]}  {reserves:>15}  {' · '.join(tell(record.event, say))}"


def _opened(event: MatchOpenedEvent, say: Say) -> Lines:
    return (say("told_opened", length=event.settings.length), event.settings.rules.profile)


def _confirmed(event: ConfirmedEvent, say: Say) -> Lines:
    if event.side == "director":
        return (say("told_approved"),)
    return (say("told_confirmed", side=say(event.side)),)


def _pressed(event: PressedEvent, say: Say) -> Lines:
    button = say(event.side.value)
    if event.accepted:
        return (say("told_pressed", side=button),)
    return (say("told_refused", side=button), say(f"refused_{event.why}"))


def _reason_chosen(event: ReasonChosenEvent, say: Say) -> Lines:
    reason = (say(f"reason_{event.reason.value}"),)
    match event.reason:
        case Reason.GAME_OVER | Reason.GAME_DECIDED:
            return (*reason, say("then_points"))
        case Reason.NOT_DECIDED | Reason.CLOCK_FAULTY:
            return (*reason, say("call_director"))
        case _:
            return reason


def _resumed(event: ResumedEvent, say: Say) -> Lines:
    return (say("told_resumed", side=say(event.side.value)), say(f"resume_{event.delay.value}"))


def _free_turn(event: FreeTurnEvent, say: Say) -> Lines:
    told = (say("told_free_turn", side=say(event.side.value)),)
    if event.reason is Reason.EARLY_PICKUP:
        return (*told, say("told_delay_lost", side=say(event.side.other.value)))
    return told


def _flag_claimed(event: FlagClaimedEvent, say: Say) -> Lines:
    if event.side is None:
        return (say("told_no_flag"), say("call_director"))
    return (say("told_claimed", side=say(event.side.value)), say("call_director"))


def _overtime(event: OvertimeEvent, say: Say) -> Lines:
    return (say("told_overtime", side=say(event.side.value)), clock_text(event.new_ns))


def _adjusted(event: AdjustedEvent, say: Say) -> Lines:
    change = f"{clock_text(event.old_ns)} → {clock_text(event.new_ns)}"
    told = (say(event.side.value), change, say(f"why_{event.why}"))
    return (*told, say("flag_cleared")) if event.flag_cleared else told


def _break_started(event: BreakStartedEvent, say: Say) -> Lines:
    return (say("told_break", time=clock_text(event.allowed_ns)), say("write_times"))


def _late(event: LateEvent, say: Say) -> Lines:
    who = say(event.side.value) if event.side else say("somebody")
    told = (say("told_late", side=who), say(f"late_{event.award}", points=event.points))
    return (*told, say("late_forfeits")) if event.forfeits else told


def _game_over(event: GameOverEvent, say: Say) -> Lines:
    if event.winner is None:
        return (say("told_no_points"),)
    return (f"{say(event.winner.value)} +{event.points}", _score(event.score))


def _penalty(event: PenaltyEvent, say: Say) -> Lines:
    points = f"{say(event.beneficiary.value)} +{event.points}"
    told = (points, say(f"why_{event.why}"), _score(event.score))
    return (*told, say("late_forfeits")) if event.forfeits else told


def _match_over(event: MatchOverEvent, say: Say) -> Lines:
    ended = say(f"end_{event.why}")
    if event.winner is None:
        return (say("told_ended"), _score(event.score), ended)
    return (say("told_wins", side=say(event.winner.value)), _score(event.score), ended)


def _score(score: Pair[int]) -> str:
    return f"{score.left}-{score.right}"


def _restored(event: RestoredEvent, say: Say) -> Lines:
    lost_ns, origin = event.lost_ns, event.origin
    if lost_ns is None:
        lost = say("told_lost_unknown")
    else:
        lost = say("told_lost", seconds=whole_seconds(lost_ns))
    told = (say(f"restored_{event.why}"), lost)
    return (*told, say("told_unknown", n=origin.unknown)) if origin and origin.unknown else told


def _corrected(event: CorrectedEvent, say: Say) -> Lines:
    what = say(f"what_{event.what}")
    title = what if event.side is None else f"{what} {say(event.side.value)}"
    change = _change(event, say)
    if not event.adjusted_ns:
        return (title, change)
    sign = "+" if event.adjusted_ns > 0 else "-"
    return (title, change, f"{sign}{clock_text(abs(event.adjusted_ns))}")


def _change(event: CorrectedEvent, say: Say) -> str:
    if event.what == "sides":  # no names: they are nobody's business (EBF 1.7(i))
        sides = [say(side.value) for side in Side]
        return f"{', '.join(sides)} → {', '.join(reversed(sides))}"
    return f"{_value(event, event.old, say)} → {_value(event, event.new, say)}"


def _value(event: CorrectedEvent, value: Value, say: Say) -> str:
    match event.what, value:
        case "banks", [int(), int()]:
            return " ".join(clock_text(bank) for bank in value)
        case (("next_delay" | "crawford"), str()):
            prefix = "delay" if event.what == "next_delay" else "crawford"
            return say(f"{prefix}_{value}")
        case "flag", int():
            return say(("flag_none", "flag_first", "flag_second")[value])
        case (("clock" | "held"), bool()):
            return say("yes" if value else "no")
        case _:
            return str(value)


WORDS: dict[type[Event], Callable[[Any, Say], Lines]] = {
    MatchOpenedEvent: _opened,
    ConfirmedEvent: _confirmed,
    PressedEvent: _pressed,
    StoppedEvent: lambda event, say: (say("told_stopped"),),
    ReasonChosenEvent: _reason_chosen,
    ResumedEvent: _resumed,
    FreeTurnEvent: _free_turn,
    FlagFellEvent: lambda event, say: (
        say("told_flag", side=say(event.side.value), order=event.order),
    ),
    FlagClaimedEvent: _flag_claimed,
    OvertimeEvent: _overtime,
    GameOverEvent: _game_over,
    BreakStartedEvent: _break_started,
    BreakEndedEvent: lambda event, say: (say("told_break_ended", time=clock_text(event.took_ns)),),
    LateEvent: _late,
    PenaltyEvent: _penalty,
    AdjustedEvent: _adjusted,
    CorrectedEvent: _corrected,
    MatchOverEvent: _match_over,
    ReopenedEvent: lambda event, say: (say("told_reopened"),),
    RestoredEvent: _restored,
    FaultEvent: lambda event, say: (say("told_fault", part=event.part), event.what),
    FaultClearedEvent: lambda event, say: (say("told_fault_cleared", part=event.part),),
}
