"""What would happen if a button were pressed now, in words.

A press is tried on the state machine, and the event that it would log is described, so that a
preview cannot differ from what then happens.
"""

from typing import NamedTuple

from msgspec.structs import replace

from clock.match.durations import clock_text, signed_text
from clock.match.events import (
    AnyEvent,
    CorrectedEvent,
    LateEvent,
    MatchOverEvent,
    PenaltyEvent,
    PressedEvent,
    ResumedEvent,
    UndoneEvent,
)
from clock.match.inputs import Input, LanguageWanted, MatchWanted, ResumeMatchWanted
from clock.match.machine import apply_at_once, changes_nothing
from clock.match.scoring import score_text
from clock.match.state import MatchState
from clock.match.types import Phase, ResumeWith, Side
from clock.ui.descriptions import REASONED, Lines, event_lines
from clock.ui.dialogue import TURN_PHASES
from clock.ui.face import View, name_within
from clock.ui.i18n import ABOUT_LINES, LANGUAGE_NAMES, LINE_LENGTH
from clock.ui.names import short_name

ARROW = " → "


class Preview(NamedTuple):
    """What an input would do."""

    lines: Lines  # that fit a panel; (): nothing
    key: str  # the word for it: go on exactly, call the TD, do it, or close the page


def preview(view: View, happened: Input) -> Preview:
    """Return what this input would do now."""
    if isinstance(happened, MatchWanted | ResumeMatchWanted):
        left = view.state.phase is Phase.READY  # by a new match: this one ends without a winner
        ends = (view.say("item_end_without_winner"),) if left else ()
        return Preview((*ends, view.say("item_new_match")), view.say("do_it"))
    if isinstance(happened, LanguageWanted):
        return Preview((LANGUAGE_NAMES[happened.language],), view.say("do_it"))
    before = view.state.replace(at_ns=happened.at_ns)
    after, event = apply_at_once(before, happened)
    if changes_nothing(before, happened):
        return Preview((view.say("nothing_changes"),), view.say("close"))
    return Preview(_effect(event, before, after, view), _key(before, after, view))


def _effect(event: AnyEvent | None, before: MatchState, after: MatchState, view: View) -> Lines:
    if event is None:
        return ()
    if isinstance(event, REASONED):
        event = replace(event, reason=None)  # it has just been entered
    told = _seats(event, after, view) or describe(event, view)
    said = (*told, *_banks(event, after), *_decides(event, before, after, view))
    return (*said, *_also(event, before, after, view))[:ABOUT_LINES]


def _seats(event: AnyEvent, after: MatchState, view: View) -> Lines:
    """Return who would sit where after a change of sides, if the players have names (R210)."""
    if not (isinstance(event, CorrectedEvent) and event.what == "sides"):
        return ()
    words = ((side, view.say(side.value)) for side in Side)
    seats = ((word, name_within(after, side, LINE_LENGTH - len(word) - 2)) for side, word in words)
    return tuple(f"{word}: {name}" for word, name in seats if name)


def _key(before: MatchState, after: MatchState, view: View) -> str:
    turn = after.turn and after.turn.stopped(after.at_ns)
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
    """Return what a ruling does beside what its event says: points settled, time given back."""
    match event:
        case LateEvent(side=Side() as side, award="clock-started"):
            settled = before.players[side].late.open
            return (view.say("late_in_place_of", points=settled),) if settled else ()
        case ResumedEvent(side=side, delay=ResumeWith.REST):
            other, now_ns = side.other, after.at_ns
            back_ns = after.reserve_ns(other, now_ns) - before.reserve_ns(other, now_ns)
            return (f"{view.say(other.value)} {signed_text(back_ns)}",) if back_ns else ()
        case UndoneEvent() if before.score != after.score:  # what it told was the score then
            return (f"{ARROW.strip()} {score_text(after.score)}",)
        case PressedEvent(why="length_ends_match") if before.score.left == before.score.right:
            return (view.say("even_score"),)
        case _:
            return ()


def _decides(event: AnyEvent, before: MatchState, after: MatchState, view: View) -> Lines:
    """Return that a ruling decides the match, or one of a best of three (R110)."""
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
    sign = f"{arrow.strip()} "
    return (short_name(before, LINE_LENGTH), sign + short_name(after, LINE_LENGTH - len(sign)))
