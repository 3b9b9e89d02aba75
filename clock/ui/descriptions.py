"""Events in words, for the panels, the terminal and the report.

An event is described from its own fields alone; `DESCRIPTIONS` has a function for every kind.
"""

from collections.abc import Callable
from typing import Any, get_args

from msgspec import ValidationError, convert

from clock.eventlog.codec import LogLine
from clock.match import events
from clock.match.corrections import BONUS, ON_CLOCK
from clock.match.durations import clock_text, elapsed_text, signed_text, whole_seconds
from clock.match.events import AnyEvent, Event, Value
from clock.match.inputs import DIRECTOR, TAKEN_UP
from clock.match.rules import SCORED, LateAward, Reason
from clock.match.scoring import score_text
from clock.match.types import NextDelay, Phase, ResumeWith, Side
from clock.ui.names import rules_name

Say = Callable[..., str]  # of a key of the texts, and values for its placeholders
Lines = tuple[str, ...]
Reasoned = (
    events.AdjustedEvent | events.CorrectedEvent | events.OvertimeEvent | events.MatchOverEvent
)
REASONED = get_args(Reasoned)  # events that can carry the director's reason


def event_lines(event: AnyEvent, say: Say) -> Lines:
    """Return an event in one to four short lines."""
    return DESCRIPTIONS[type(event)](event, say)


def log_line(line: LogLine, say: Say) -> str:
    """Return a line of the log in words: wall time, both reserves, what happened."""
    record, wall = line.record, line.envelope.wall
    reserves = f"{clock_text(record.left_ns)} {clock_text(record.right_ns)}"
    return f"{wall[11:19]}  {reserves:>15}  {' · '.join(event_lines(record.event, say))}"


def _opened(event: events.MatchOpenedEvent, say: Say) -> Lines:
    opened = (
        say("event_opened", length=event.settings.length),
        rules_name(event.settings.rules.profile),
    )
    if event.offer:
        return (*opened, say("offered"))
    return (*opened, event.preset) if event.preset else opened


def _offer_made(event: events.OfferMadeEvent, say: Say) -> Lines:
    return (say("event_offered"), say("event_opened", length=event.settings.length))


def _proposed(event: events.RulingProposedEvent, say: Say) -> Lines:
    who = (say("proposed_by", who=event.by),) if event.by else ()
    try:
        return (say("event_proposed"), say(f"item_{event.item}"), *who)
    except KeyError:  # the menu of another version
        return (say("event_proposed"), *who)


def _offer_refused(event: events.OfferRefusedEvent, say: Say) -> Lines:
    is_ruling = event.by == DIRECTOR
    refused = (say("event_proposal_refused" if is_ruling else "event_offer_refused"),)
    return (*refused, event.why) if event.why else refused


def _confirmed(event: events.ConfirmedEvent, say: Say) -> Lines:
    if event.side == "director":
        return (say("event_approved"),)
    return (say("event_confirmed", side=say(event.side)),)


def _pressed(event: events.PressedEvent, say: Say) -> Lines:
    button = say(event.side.value)
    if event.accepted:
        return (say("event_pressed", side=button),)
    return (say("event_refused", side=button), say(f"refused_{event.why}"))


def _reason_shown(event: events.ReasonShownEvent, say: Say) -> Lines:
    """Return the reason alone: what the centre does then is for the rules to say."""
    return (say(f"reason_{event.reason.value}"),)


def _reason_chosen(event: events.ReasonChosenEvent, say: Say) -> Lines:
    """Return the reason, which started no clock: a game is scored, or the director decides."""
    then = say("then_points" if event.reason in SCORED else "call_director")
    return (say(f"reason_{event.reason.value}"), then)


def _resumed(event: events.ResumedEvent, say: Say) -> Lines:
    side = say(event.side.value)
    if event.delay is ResumeWith.FREE:
        return (say("event_free_turn", side=side),)
    return (say("event_resumed", side=side), say(f"resume_{event.delay.value}"))


def _free_turn(event: events.FreeTurnEvent, say: Say) -> Lines:
    lines = (say("event_free_turn", side=say(event.side.value)),)
    if event.reason is not Reason.EARLY_PICKUP or event.delay is None:
        return lines
    offender = say(event.side.other.value)
    if event.delay is NextDelay.WAIT:
        return (*lines, f"{offender}: {say('delay_wait')}")
    return (*lines, say("event_delay_lost", side=offender))


def _flag_claimed(event: events.FlagClaimedEvent, say: Say) -> Lines:
    if event.side is None:
        return (say("event_no_flag"), say("call_director"))
    return (say("event_claimed", side=say(event.side.value)), say("call_director"))


def _overtime(event: events.OvertimeEvent, say: Say) -> Lines:
    side = say(event.side.value)
    lines: Lines = (say("event_overtime", side=side), clock_text(event.new_ns))
    if event.warning:
        lines = (*lines, say("event_warned", side=side, n=event.warning))
    return (*lines, *_cleared(event, say), *_reason_given(event, say))


def _adjusted(event: events.AdjustedEvent, say: Say) -> Lines:
    change = f"{clock_text(event.old_ns)} → {clock_text(event.new_ns)}"
    lines = (say(event.side.value), change, say(f"why_{event.why}"))
    return (*lines, *_cleared(event, say), *_reason_given(event, say))


def _cleared(
    event: events.OvertimeEvent | events.AdjustedEvent | events.CorrectedEvent, say: Say
) -> Lines:
    return (say("flag_cleared"),) if event.flag_cleared else ()


def _reason_given(event: Reasoned, say: Say) -> Lines:
    """Return why the director ruled so, if they said it (EBF 5.5(i))."""
    return () if event.reason is None else (say(f"why_{event.reason.value}"),)


def _break_started(event: events.BreakStartedEvent, say: Say) -> Lines:
    return (say("event_break", time=clock_text(event.allowed_ns)), say("write_times"))


def _late(event: events.LateEvent, say: Say) -> Lines:
    side = event.side or event.taker
    who = say(side.value) if side else say("somebody")
    late = say("event_late", side=who)
    if event.late_ns:
        late = say("event_late_by", side=who, time=clock_text(event.late_ns))
    lines = (late, *_late_cost(event, say))
    return (*lines, say("late_forfeits")) if event.forfeits else lines


def _late_cost(event: events.LateEvent, say: Say) -> Lines:
    """Return what the lateness costs now, or when it will cost something; both if backdated."""
    points, in_points = event.points - event.settled, event.award in tuple(LateAward)
    waiting = event.next_ns is not None and event.next_ns > 0
    if points <= 0 and event.forfeits:
        return ()
    now: Lines = (_late_due(points, say) if in_points else say(f"late_{event.award}"),)
    if points <= 0 and (in_points or waiting):
        now = ()
    if event.next_ns is None or event.next_ns <= 0 or (now and not event.late_ns):
        return now
    time = clock_text(event.next_ns)
    return (*now, say("late_next", time=time) if in_points else say("late_next_clock", time=time))


def _late_due(points: int, say: Say) -> str:
    """Return the points that are due, which the director has not given."""
    return say("late_due_1" if points == 1 else "late_due", points=points)


def _game_over(event: events.GameOverEvent, say: Say) -> Lines:
    if event.winner is None:
        return (say("event_no_points"),)
    won = f"{say(event.winner.value)} +{event.points}"
    if not any(event.score):  # of a best of three, of which this game has ended a match
        return (won, say("matches", score=score_text(event.legs)))
    return (won, score_text(event.score))


def _penalty(event: events.PenaltyEvent, say: Say) -> Lines:
    """Return who is penalised and for what, then who gets the points (R109)."""
    title = why = say(f"why_{event.why}")
    if event.why != BONUS:
        title = f"{say(event.side.value)}: {why}"
    points = f"{say(event.beneficiary.value)} +{event.points} → {score_text(event.score)}"
    lines = (title, points, *_slow_play(event, say))
    return (*lines, say("late_forfeits")) if event.forfeits else lines


def _slow_play(event: events.PenaltyEvent | events.CorrectedEvent, say: Say) -> Lines:
    """Return the time since the latest warning or ruling, or that it is too short (NBgF 2-3-1)."""
    if event.since_ns is None:
        return (say("slow_unwarned"),) if event.early_ns else ()
    if event.early_ns:
        return (say("slow_early", time=clock_text(event.early_ns)),)
    return (say("slow_since", time=elapsed_text(event.since_ns)),)


def _warned(event: events.WarnedEvent, say: Say) -> Lines:
    warned = say("event_warned", side=say(event.side.value), n=event.count)
    return (warned, say(f"why_{event.reason.value}"))


def _match_over(event: events.MatchOverEvent, say: Say) -> Lines:
    ended = say(f"end_{event.why}")
    if event.winner is None:
        lines = (say("event_ended"), score_text(event.score), ended)
    else:
        won = say("event_wins", side=say(event.winner.value))
        lines = (won, score_text(event.score), ended)
    return (*lines, *_reason_given(event, say))


def _adjourned(event: events.AdjournedEvent, say: Say) -> Lines:
    """Return whose turn goes on; while a game's points are entered, nobody is on move."""
    if event.side is None or event.was != Phase.STOPPED:
        return (say("put_aside"), say("between_games"))
    return (say("put_aside"), say("turn_of", side=say(event.side.value)))


def _undone(event: events.UndoneEvent, say: Say) -> Lines:
    """Return that something was taken back, and what."""
    try:
        undone: AnyEvent = convert(event.undone, AnyEvent)
    except ValidationError:  # a log that was changed
        return (say("event_undone"),)
    return (say("event_undone"), *event_lines(undone, say)[:3])


def _restored(event: events.RestoredEvent, say: Say) -> Lines:
    lost_ns, origin = event.lost_ns, event.origin
    if event.why == TAKEN_UP and lost_ns == 0:
        return (say("restored_taken_up"),)
    if lost_ns is None:
        lost = say("event_lost_unknown")
    else:
        lost = say("event_lost", seconds=whole_seconds(lost_ns))
    lines: Lines = (say(f"restored_{event.why}"), lost)
    if event.in_menu:
        lines = (*lines, say("restored_in_menu"))
    return (*lines, say("event_unknown", n=origin.unknown)) if origin and origin.unknown else lines


def _corrected(event: events.CorrectedEvent, say: Say) -> Lines:
    what = say(f"what_{event.what}")
    if ON_CLOCK in (event.old, event.new):  # the rules have no delay
        what = say("what_next_turn")
    if event.what in ("clock", "held"):  # these say all
        return (what, *_reason_given(event, say))
    if event.what == "pace":
        return (
            what,
            f"{say('bank')} {clock_text(event.adjusted_ns or 0)}",
            *_reason_given(event, say),
        )
    if event.what == "names":
        return (what, *_names_changed(event))
    title = what if event.side is None else f"{what} {say(event.side.value)}"
    lines: Lines = (title, _change(event, say))
    if event.crawford is not None:
        lines = (*lines, f"{say('what_crawford')}: {say(f'crawford_{event.crawford}')}")
    if event.adjusted_ns:
        lines = (*lines, signed_text(event.adjusted_ns))
    if event.what == "length_shortened":
        lines = (*lines, *_slow_play(event, say))
    return (*lines, *_cleared(event, say), *_reason_given(event, say))


def _names_changed(event: events.CorrectedEvent) -> Lines:
    """Return each name that has changed, as it was and as it is."""
    match event.old, event.new:
        case [*before], [*after]:
            pairs = zip(before, after, strict=False)
            return tuple(f"{old} → {new}" for old, new in pairs if old != new)
        case _:  # a log that was changed
            return ()


def _change(event: events.CorrectedEvent, say: Say) -> str:
    if event.what == "sides":  # not by name, which the panels never show (EBF 1.7(i))
        sides = [say(side.value) for side in Side]
        return f"{', '.join(sides)} → {', '.join(reversed(sides))}"
    return f"{_value(event, event.old, say)} → {_value(event, event.new, say)}"


def _value(event: events.CorrectedEvent, value: Value, say: Say) -> str:
    match event.what, value:
        case "banks", [int(left_ns), int(right_ns)]:
            return f"{clock_text(left_ns)} {clock_text(right_ns)}"
        case (("next_delay" | "delay" | "crawford"), str()):
            prefix = "crawford" if event.what == "crawford" else "delay"
            return say(f"{prefix}_{value}")
        case "flag", int():
            return say(("flag_none", "flag_first", "flag_second")[value])
        case _:
            return str(value)


DESCRIPTIONS: dict[type[Event], Callable[[Any, Say], Lines]] = {
    events.MatchOpenedEvent: _opened,
    events.OfferMadeEvent: _offer_made,
    events.RulingProposedEvent: _proposed,
    events.OfferRefusedEvent: _offer_refused,
    events.ConfirmedEvent: _confirmed,
    events.PressedEvent: _pressed,
    events.StoppedEvent: lambda event, say: (say("event_stopped"),),
    events.ReasonShownEvent: _reason_shown,
    events.ReasonChosenEvent: _reason_chosen,
    events.ResumedEvent: _resumed,
    events.FreeTurnEvent: _free_turn,
    events.FlagFellEvent: lambda event, say: (
        say("event_flag", side=say(event.side.value), order=event.order),
    ),
    events.FlagClaimedEvent: _flag_claimed,
    events.OvertimeEvent: _overtime,
    events.GameOverEvent: _game_over,
    events.BreakStartedEvent: _break_started,
    events.BreakEndedEvent: lambda event, say: (
        say("event_break_ended", time=clock_text(event.took_ns)),
    ),
    events.LateEvent: _late,
    events.PenaltyEvent: _penalty,
    events.WarnedEvent: _warned,
    events.AdjustedEvent: _adjusted,
    events.CorrectedEvent: _corrected,
    events.MatchOverEvent: _match_over,
    events.AdjournedEvent: _adjourned,
    events.ReopenedEvent: lambda event, say: (say("event_reopened"),),
    events.UndoneEvent: _undone,
    events.RestoredEvent: _restored,
    events.FaultEvent: lambda event, say: (say("event_fault", part=event.part), event.what),
    events.FaultClearedEvent: lambda event, say: (say("event_fault_cleared", part=event.part),),
}
