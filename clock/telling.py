"""Events in a person's words: what happened, or, before a button is pressed, what would happen.

The same words serve the displays, the terminal and the report. The one rule: an event is told from
its own fields alone.
"""

from collections.abc import Callable

from clock.display_time import clock_text, whole_seconds
from clock.events import (
    AdjustedEvent,
    AnyEvent,
    BreakEndedEvent,
    BreakStartedEvent,
    ConfirmedEvent,
    CorrectedEvent,
    FaultClearedEvent,
    FaultEvent,
    FlagClaimedEvent,
    FlagFellEvent,
    FreeTurnEvent,
    GameOverEvent,
    LateEvent,
    MatchOpenedEvent,
    MatchOverEvent,
    OvertimeEvent,
    PenaltyEvent,
    PressedEvent,
    ReasonChosenEvent,
    ReopenedEvent,
    RestoredEvent,
    ResumedEvent,
    StoppedEvent,
    Value,
)
from clock.rules import Reason
from clock.sides import Pair, Side

Say = Callable[..., str]  # a key of the language table, and values for its blanks


def tell(event: AnyEvent, say: Say) -> tuple[str, ...]:
    """One to three short lines."""
    match event:
        case MatchOpenedEvent(settings=settings):
            return (say("told_opened", length=settings.length), settings.rules.profile)
        case ConfirmedEvent(side=side):
            return (say("told_confirmed", side=say(side)),)
        case PressedEvent() as pressed:
            return _pressed(pressed, say)
        case StoppedEvent():
            return (say("told_stopped"),)
        case ReasonChosenEvent(reason=reason):
            return (say(f"reason_{reason.value}"), *_then(reason, say))
        case ResumedEvent(side=side, delay=delay):
            return (say("told_resumed", side=say(side.value)), say(f"resume_{delay.value}"))
        case FreeTurnEvent() as turn:
            return _free_turn(turn, say)
        case _:
            return _tell_time(event, say)


def _pressed(event: PressedEvent, say: Say) -> tuple[str, ...]:
    button = say(event.side.value)
    if event.accepted:
        return (say("told_pressed", side=button),)
    return (say("told_refused", side=button), say(f"refused_{event.why}"))


def _then(reason: Reason, say: Say) -> tuple[str, ...]:
    match reason:
        case Reason.GAME_OVER | Reason.GAME_DECIDED:
            return (say("then_points"),)
        case Reason.NOT_DECIDED | Reason.CLOCK_FAULTY:
            return (say("call_director"),)
        case _:
            return ()


def _free_turn(event: FreeTurnEvent, say: Say) -> tuple[str, ...]:
    told = (say("told_free_turn", side=say(event.side.value)),)
    if event.reason is Reason.EARLY_PICKUP:
        return (*told, say("told_delay_lost", side=say(event.side.other.value)))
    return told


def _tell_time(event: AnyEvent, say: Say) -> tuple[str, ...]:
    match event:
        case FlagFellEvent(side=side, order=order):
            return (say("told_flag", side=say(side.value), order=order),)
        case FlagClaimedEvent(side=side):
            who = say("told_no_flag") if side is None else say("told_claimed", side=say(side.value))
            return (who, say("call_director"))
        case OvertimeEvent(side=side, new_ns=new_ns):
            return (say("told_overtime", side=say(side.value)), clock_text(new_ns))
        case AdjustedEvent() as adjusted:
            return _adjusted(adjusted, say)
        case BreakStartedEvent(allowed_ns=allowed_ns):
            return (say("told_break", time=clock_text(allowed_ns)), say("write_times"))
        case BreakEndedEvent(took_ns=took_ns):
            return (say("told_break_ended", time=clock_text(took_ns)),)
        case LateEvent() as late:
            return _late(late, say)
        case _:
            return _tell_match(event, say)


def _adjusted(event: AdjustedEvent, say: Say) -> tuple[str, ...]:
    change = f"{clock_text(event.old_ns)} → {clock_text(event.new_ns)}"
    told = (say(event.side.value), change, say(f"why_{event.why}"))
    return (*told, say("flag_cleared")) if event.flag_cleared else told


def _late(event: LateEvent, say: Say) -> tuple[str, ...]:
    who = say(event.side.value) if event.side else say("somebody")
    told = (say("told_late", side=who), say(f"late_{event.award}", points=event.points))
    return (*told, say("late_forfeits")) if event.forfeits else told


def _tell_match(event: AnyEvent, say: Say) -> tuple[str, ...]:
    match event:
        case GameOverEvent(winner=winner, points=points, score=score):
            return (_won(winner, points, say), _score(score))
        case PenaltyEvent(beneficiary=side, points=points, why=why, score=score):
            return (f"{say(side.value)} +{points}", say(f"why_{why}"), _score(score))
        case CorrectedEvent() as corrected:
            return _corrected(corrected, say)
        case MatchOverEvent(winner=winner, why=why, score=score):
            who = say("told_ended") if winner is None else say("told_wins", side=say(winner.value))
            return (who, f"{_score(score)}  {say(f'end_{why}')}")
        case ReopenedEvent():
            return (say("told_reopened"),)
        case RestoredEvent(lost_ns=lost_ns):
            return (say("told_restored"), say("told_lost", seconds=whole_seconds(lost_ns)))
        case FaultEvent(part=part, what=what):
            return (say("told_fault", part=part), what)
        case FaultClearedEvent(part=part):
            return (say("told_fault_cleared", part=part),)
        case _:
            raise TypeError(f"no words for {type(event).__name__}")


def _won(winner: Side | None, points: int, say: Say) -> str:
    return say("told_no_points") if winner is None else f"{say(winner.value)} +{points}"


def _score(score: Pair[int]) -> str:
    return f"{score.left}-{score.right}"


def _corrected(event: CorrectedEvent, say: Say) -> tuple[str, ...]:
    what = say(f"what_{event.what}")
    title = what if event.side is None else f"{what} {say(event.side.value)}"
    change = f"{_value(event, event.old, say)} → {_value(event, event.new, say)}"
    if not event.adjusted_ns:
        return (title, change)
    sign = "+" if event.adjusted_ns > 0 else "-"
    return (title, change, f"{sign}{clock_text(abs(event.adjusted_ns))}")


def _value(event: CorrectedEvent, value: Value, say: Say) -> str:
    match event.what, value:
        case "banks", [int(), int()]:
            return " ".join(clock_text(bank) for bank in value)
        case ("next_delay" | "crawford"), str():
            prefix = "delay" if event.what == "next_delay" else "crawford"
            return say(f"{prefix}_{value}")
        case "flag", int():
            return say(("flag_none", "flag_first", "flag_second")[value])
        case "clock", bool():
            return say("yes" if value else "no")
        case _:
            return str(value)
