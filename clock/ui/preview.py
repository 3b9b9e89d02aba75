"""What would happen if a button were pressed now, in words.

A press is tried on the state machine, and the event that it would log is described, so that a
preview cannot differ from what then happens.
"""

from msgspec.structs import replace

from clock.match.durations import clock_text, signed_text
from clock.match.events import (
    AnyEvent,
    LateEvent,
    MatchOverEvent,
    PenaltyEvent,
    PressedEvent,
    ResumedEvent,
)
from clock.match.inputs import Input, LanguageWanted, MatchWanted, TakeUpWanted
from clock.match.machine import apply_at_once, changes_nothing
from clock.match.state import MatchState
from clock.match.types import ResumeWith, Side
from clock.ui.descriptions import REASONED, Lines, event_lines
from clock.ui.dialogue import TURN_PHASES
from clock.ui.face import View
from clock.ui.i18n import LANGUAGE_NAMES, LINE_LENGTH

ARROW = " → "


def preview(view: View, happened: Input) -> Lines:
    """Return what this input would do now, in lines that fit a panel; () for nothing."""
    state = view.state
    if isinstance(happened, MatchWanted | TakeUpWanted):
        return (view.say("item_new_match"),)
    if isinstance(happened, LanguageWanted):
        return (LANGUAGE_NAMES[happened.language],)
    after, event = apply_at_once(state.replace(at_ns=happened.at_ns), happened)
    if event is None:
        return ()
    if changes_nothing(state, happened):
        return (view.say("nothing_changes"),)
    if isinstance(event, REASONED):
        event = replace(event, reason=None)  # it has just been entered
    said = (*describe(event, view), *_banks(event, after), *_decides(event, state, after, view))
    return (*said, *_also(event, state, after, view))


def does(view: View, happened: Input) -> str:
    """Return the word for what an input would do, for a key.

    Go on exactly, call the TD, close the page if nothing changes, else do it.
    """
    if changes_nothing(view.state, happened):
        return view.say("close")
    before = view.state.replace(at_ns=happened.at_ns)
    after, _ = apply_at_once(before, happened)
    turn = after.turn and after.turn.stopped(happened.at_ns)
    if after.phase in TURN_PHASES and (turn, after.players) == (before.turn, before.players):
        return view.say("go_on_exactly")
    called = after.held and not before.held
    return view.say("call_director" if called else "do_it")


def _banks(event: AnyEvent, after: MatchState) -> Lines:
    """Return both times before and after points before the first game (R119)."""
    if not isinstance(event, PenaltyEvent) or not event.adjusted_ns:
        return ()
    new_ns = after.reserve_ns(Side.LEFT, after.at_ns)
    return (f"{clock_text(new_ns - event.adjusted_ns)}{ARROW}{clock_text(new_ns)}",)


def _also(event: AnyEvent, before: MatchState, after: MatchState, view: View) -> Lines:
    """Return what an act does beside what its event says: points settled, time given back."""
    match event:
        case LateEvent(side=Side() as side, award="clock-started"):
            settled = before.players[side].late.open - after.players[side].late.open
            return (view.say("late_in_place_of", points=settled),) if settled else ()
        case ResumedEvent(side=side, delay=ResumeWith.REST):
            other, now_ns = side.other, after.at_ns
            back_ns = after.reserve_ns(other, now_ns) - before.reserve_ns(other, now_ns)
            return (f"{view.say(other.value)} {signed_text(back_ns)}",) if back_ns else ()
        case PressedEvent(why="length_ends_match") if before.score.left == before.score.right:
            return (view.say("even_score"),)
        case _:
            return ()


def _decides(event: AnyEvent, before: MatchState, after: MatchState, view: View) -> Lines:
    """Return that an act decides the match, or one of a best of three (R110)."""
    if sum(after.legs) <= sum(before.legs) or isinstance(event, MatchOverEvent):
        return ()
    winner = max(Side, key=lambda side: after.legs[side] - before.legs[side])
    return (view.say("event_wins", side=view.say(winner.value)),)


def describe(event: AnyEvent, view: View) -> Lines:
    """Return an event in lines that fit a panel; a change that is too long takes two."""
    return tuple(part for line in event_lines(event, view.say) for part in _broken(line))


def _broken(line: str) -> Lines:
    before, arrow, after = line.partition(ARROW)
    if len(line) <= LINE_LENGTH or not arrow:
        return (line,)
    return (before, f"{arrow.strip()} {after}")
