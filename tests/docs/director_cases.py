"""How each row of the director's page is tried: the situation, and what the last press does.

The keys of `SITUATIONS` and `REASONS` are the first cells of the tables.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from clock.config.settings import Preset
from clock.match import events, inputs
from clock.match.events import AnyEvent
from clock.match.profiles import PROFILES
from clock.match.rules import EarlyPickup, Reason
from clock.match.types import Crawford, NextDelay, Pair, Phase, ResumeWith
from clock.units import MINUTE_NS, SECOND_NS
from lab.support.desk import (
    LEFT,
    RIGHT,
    UNFINISHED,
    C,
    Desk,
    L,
    R,
    after_game,
    at_points,
    carried_out,
    desk,
    finished,
    ready,
    running,
    without_clock,
)


class Case(NamedTuple):
    """How a row is tried under a profile."""

    begin: Callable[[str], Desk]
    """Brings a match under the profile into the situation."""
    event: type[AnyEvent]
    """What the last press, and no earlier one, leaves in the log."""
    values: dict[str, Any]
    """Of some of the event's fields."""
    so: Callable[[Desk], bool] = lambda _: True
    """What else is so in the end."""


# --- situations -------------------------------------------------------------------------------


def with_preset(profile: str) -> Desk:
    """The file's own settings were chosen, and there is a preset."""
    longer = msgspec.structs.replace(desk(profile).state.settings, length=13)
    return desk(profile).with_presets(Preset("Final", longer)).tap(C)


def one_point_away(profile: str) -> Desk:
    """Both players have confirmed a score that leaves the Crawford status open."""
    return desk(profile, length=7, score=(6, 3)).tap(L, R)


def one_game_to_crawford(profile: str) -> Desk:
    """The left player is two points away, and the opening roll is next."""
    return ready(profile, length=7, score=(5, 3))


def no_limit(profile: str) -> Desk:
    """A match without a limit waits for the opening roll."""
    settings = desk(profile).state.settings
    return Desk(msgspec.structs.replace(settings, rules=settings.rules.at_pace())).tap(L, R, C)


def missing(profile: str, minutes: int = 6, **changes: object) -> Desk:
    """The left player is missing for some minutes."""
    table = desk(profile, **changes)
    table.input(inputs.AbsenceNoted, side=LEFT)
    return table.pass_time(minutes * MINUTE_NS)


def arrived(profile: str) -> Desk:
    """The left player came twelve minutes late, and play is about to begin."""
    return missing(profile, 12).tap(L, R, C)


def forfeited(profile: str) -> Desk:
    """The left player has been given more points than half the length."""
    table = missing(profile, 16, length=5)
    table.input(inputs.PointsAwarded, side=LEFT, points=3, why="late")
    return table


def absent_clock(profile: str) -> Desk:
    """The clock of the left player runs, who is absent."""
    table = missing(profile)
    table.input(inputs.AbsentClockStarted, side=LEFT)
    return table.pass_time(30 * SECOND_NS)


def on_break(profile: str) -> Desk:
    """The left player has begun a break."""
    table = after_game(profile)
    table.take_breaks(1, 0)
    return table


def overrun(profile: str) -> Desk:
    """A break of the left player is over by six minutes."""
    table = on_break(profile)
    return table.pass_time(table.state.settings.rules.break_ns + 6 * MINUTE_NS)


def both_overrun(profile: str) -> Desk:
    """A break of both players is over by six minutes."""
    table = after_game(profile)
    table.take_breaks(1, 1)
    return table.pass_time(2 * table.state.settings.rules.break_ns + 6 * MINUTE_NS)


def delayed(profile: str) -> Desk:
    """The left clock has run for a minute."""
    return running(profile).pass_time(57 * SECOND_NS)


def free_turn(profile: str) -> Desk:
    """The left player plays off the clock, for the reason for which the rules have that."""
    early = PROFILES[profile].early_pickup is EarlyPickup.SKIP
    return carried_out(Reason.EARLY_PICKUP if early else Reason.DICE_TAKEN, profile)


def flagged(profile: str) -> Desk:
    """The left flag is down."""
    return running(profile).pass_time(120 * MINUTE_NS)


def claimed(profile: str) -> Desk:
    """The left flag is down, and somebody has claimed it."""
    return flagged(profile).tap(C, L, C)


def both_flags(profile: str) -> Desk:
    """Both flags are down, the left one first."""
    return flagged(profile).tap(L).pass_time(120 * MINUTE_NS)


def order_unknown(profile: str) -> Desk:
    """Both flags are down, and nobody knows which fell first."""
    table = both_flags(profile).tap(C)
    table.input(inputs.FlagSet, side=RIGHT, order=1)
    return table


def powered_off(profile: str) -> Desk:
    """The power was cut while a clock ran."""
    table = running(profile)
    table.input(inputs.Restored, used_ns=3 * SECOND_NS, lost_ns=SECOND_NS)
    return table


def warned(profile: str) -> Desk:
    """The left player has been warned for slow play, and plays on slowly."""
    table = running(profile)
    table.tap(C).input(inputs.PointsAwarded, side=LEFT, points=0, why="slow_play")
    return table.tap(C)


def without_delay(profile: str) -> Desk:
    """The left player's turn runs without a delay, by a mistake."""
    table = running(profile)
    table.tap(L, C).input(inputs.DelayRuled, side=LEFT, delay=NextDelay.SKIP)
    return table.tap(C, R).pass_time(3 * SECOND_NS)


def another_day(profile: str) -> Desk:
    """A match was adjourned in the left player's turn, and the clock was switched on again."""
    table = running(profile).pass_time(MINUTE_NS).tap(C).open_item("put_aside").tap(C)
    table.resumable = {UNFINISHED.log: table.state}
    table.open_item("new_match").tap(C)
    table.dialogue = table.dialogue.replace(unfinished=(UNFINISHED,))
    return table


def called_for(reason: Reason) -> Callable[[str], Desk]:
    """Return a situation: the players have called the director for a reason."""
    return lambda profile: carried_out(reason, profile)


# --- what comes out ---------------------------------------------------------------------------


def more(change_ns: int) -> Callable[[Desk], bool]:
    """Return whether left has so much more time after the director's latest change of it."""

    def changed(table: Desk) -> bool:
        event = table.events(events.AdjustedEvent)[-1]
        assert isinstance(event, events.AdjustedEvent)
        gained_ns = event.new_ns - event.old_ns
        return event.side is LEFT and abs(gained_ns - change_ns) < SECOND_NS

    return changed


def gained(table: Desk) -> bool:
    """Return whether left got time back."""
    event = table.last()
    return isinstance(event, events.AdjustedEvent) and event.new_ns > event.old_ns


def per_point(table: Desk) -> bool:
    """Return whether left got the time per point."""
    return more(table.state.settings.rules.time_per_point_ns)(table)


def formula(table: Desk) -> bool:
    """Return whether both players have what the formula gives at the present score."""
    return table.reserves() == (table.state.bank_ns(), table.state.bank_ns())


def goes_on_off_the_clock(table: Desk) -> bool:
    """Return whether left plays off the clock again when right has pressed."""
    return table.tap(R).phase is Phase.FREE_TURN and table.state.running is None


def right_has_no_delay(table: Desk) -> bool:
    """Return whether right's next turn has no delay."""
    return table.state.players[RIGHT].next_delay is NextDelay.SKIP


ADJUSTED, CORRECTED, RESUMED = events.AdjustedEvent, events.CorrectedEvent, events.ResumedEvent
PENALTY, OVER = events.PenaltyEvent, events.MatchOverEvent
LATE_POINTS = {"side": LEFT, "beneficiary": RIGHT, "why": "late"}
ON_TIME = {"winner": RIGHT, "why": "time"}
GIN = {"winner": LEFT, "why": "gin"}
LEFTS = {"side": LEFT}

SITUATIONS: dict[str, Case] = {
    # before and between games
    "you approve the settings": Case(
        desk, events.ConfirmedEvent, {"side": "director"}, lambda t: t.tap(C).phase is Phase.READY
    ),
    "players sit on the wrong sides": Case(
        desk, CORRECTED, {"what": "sides"}, lambda t: t.state.names == Pair("Trillian", "Zaphod")
    ),
    "the wrong preset was chosen": Case(with_preset, events.MatchOpenedEvent, {"preset": "Final"}),
    "another match length": Case(desk, CORRECTED, {"what": "length", "new": 13}, formula),
    "a match already under way": Case(
        desk, CORRECTED, {"what": "score", "side": LEFT, "new": 2}, formula
    ),
    "somebody is one point away": Case(
        one_point_away, CORRECTED, {"what": "crawford", "new": Crawford.NOW}
    ),
    "a player is missing": Case(
        desk, events.LateEvent, {"side": LEFT, "late_ns": 3 * MINUTE_NS, "points": 0}
    ),
    "all but NBgF: a point is due": Case(missing, PENALTY, {**LATE_POINTS, "points": 1}),
    "all but NBgF: you let it pass": Case(
        missing, CORRECTED, {"what": "late_points", "side": LEFT, "old": 1, "new": 0}
    ),
    "all but NBgF: they have come": Case(arrived, PENALTY, {**LATE_POINTS, "points": 2}),
    "WBGF, EBF, DBgF: over half": Case(forfeited, OVER, {"winner": RIGHT, "why": "late"}),
    "WBGF: their clock, no point": Case(
        missing,
        events.LateEvent,
        {"side": LEFT, "award": "clock-started"},
        lambda t: not t.state.players[LEFT].late.open,
    ),
    "NBgF: missing for 5 minutes": Case(
        missing, events.LateEvent, {"side": LEFT, "award": "clock-started"}
    ),
    "NBgF: the absent player comes": Case(
        absent_clock, events.StoppedEvent, LEFTS, lambda t: t.reserve_ns(LEFT) < t.state.bank_ns()
    ),
    "no limit, now with times": Case(
        no_limit, CORRECTED, {"what": "pace"}, lambda t: formula(t) and t.state.bank_ns() > 0
    ),
    "a break before the first game": Case(
        ready, events.BreakStartedEvent, {"side": LEFT, "by": "director"}
    ),
    "one more break for a player": Case(
        lambda profile: on_break(profile).tap(C), CORRECTED, {"what": "breaks_taken", "new": 0}
    ),
    "all but NBgF: break too long": Case(overrun, PENALTY, {**LATE_POINTS, "points": 1}),
    "all but NBgF: both took it": Case(
        both_overrun, PENALTY, {"side": RIGHT, "why": "late", "points": 1}
    ),
    "NBgF: break too long": Case(
        overrun, events.LateEvent, {"side": LEFT, "award": "clock-started"}
    ),
    "a game was entered wrongly": Case(after_game, events.UndoneEvent, {}),
    "the score is wrong": Case(after_game, CORRECTED, {"what": "score", "old": 1, "new": 2}),
    "the same, now one point away": Case(
        one_game_to_crawford, CORRECTED, {"what": "score", "new": 6, "crawford": Crawford.NOW}
    ),
    "the wrong game is Crawford": Case(ready, CORRECTED, {"what": "crawford", "new": Crawford.NOW}),
    "the names are wrong": Case(ready, CORRECTED, {"what": "names", "old": ["Zaphod", "Trillian"]}),
    "the wrong match was confirmed": Case(
        ready,
        events.MatchOpenedEvent,
        {},
        lambda t: t.events(OVER)[-1] == OVER(None, "director", Pair(0, 0), []),
    ),
    "a time is wrong between games": Case(ready, ADJUSTED, LEFTS, more(MINUTE_NS)),
    "a flag stood on a dead clock": Case(
        ready, CORRECTED, {"what": "flag", "side": LEFT, "new": 1}
    ),
    # a game is on
    "a time is wrong": Case(running, ADJUSTED, LEFTS, more(MINUTE_NS)),
    "a player lost time": Case(delayed, ADJUSTED, LEFTS, gained),
    "the wrong clock runs": Case(running, RESUMED, {"side": RIGHT, "delay": ResumeWith.FULL}),
    "a wrong clock ran a while": Case(running, ADJUSTED, LEFTS, more(30 * SECOND_NS)),
    "a time penalty": Case(running, ADJUSTED, {"why": "time_penalty"}, more(-MINUTE_NS)),
    "the opponent loses the delay": Case(
        running, CORRECTED, {"what": "next_delay", "side": RIGHT, "new": NextDelay.SKIP}
    ),
    "all but NBgF: delay given back": Case(
        without_delay, CORRECTED, {"what": "delay", "new": "full"}, lambda t: t.delay_ns > 0
    ),
    "a reason chosen by mistake": Case(
        called_for(Reason.ILLEGAL_MOVE), RESUMED, {"side": LEFT, "delay": ResumeWith.REST}
    ),
    "NBgF: free turn not given": Case(running, RESUMED, {"side": LEFT, "delay": ResumeWith.FREE}),
    "NBgF: the next turn is free": Case(
        running, CORRECTED, {"what": "next_delay", "side": RIGHT, "new": NextDelay.FREE}
    ),
    "Double in an untimed turn": Case(free_turn, RESUMED, {"side": RIGHT}, goes_on_off_the_clock),
    "slow play by one player": Case(running, events.WarnedEvent, {"side": LEFT}),
    "the same after a warning": Case(warned, PENALTY, {"side": LEFT, "why": "slow_play"}),
    "NBgF: a bonus point": Case(running, PENALTY, {"beneficiary": RIGHT, "why": "bonus"}),
    "NBgF: slow play by both": Case(running, CORRECTED, {"what": "length_shortened", "new": 9}),
    "the clock is taken away": Case(running, CORRECTED, {"what": "clock", "new": False}),
    "a clock was faulty": Case(
        called_for(Reason.CLOCK_FAULTY), CORRECTED, {"what": "held"}, more(MINUTE_NS)
    ),
    "NBgF: not decided": Case(
        called_for(Reason.NOT_DECIDED), CORRECTED, {"what": "held"}, per_point
    ),
    "no ground for a claim": Case(called_for(Reason.TIME_EXPIRED), CORRECTED, {"what": "held"}),
    "the clock was off": Case(powered_off, RESUMED, {"side": LEFT, "delay": ResumeWith.REST}),
    # flags
    "time expired": Case(flagged, OVER, ON_TIME),
    "time expired and claimed": Case(claimed, OVER, ON_TIME),
    "a flag that is wrong": Case(
        flagged, ADJUSTED, {"flag_cleared": True}, lambda t: not t.state.flags_down
    ),
    "overtime": Case(
        flagged, events.OvertimeEvent, {"side": LEFT, "new_ns": MINUTE_NS, "flag_cleared": True}
    ),
    "both flags, order known": Case(both_flags, OVER, ON_TIME),
    "all but NBgF: order unknown": Case(order_unknown, CORRECTED, {"what": "clock", "new": False}),
    "all but NBgF, US: a sure win": Case(order_unknown, OVER, GIN),
    "NBgF: order unknown": Case(
        order_unknown, CORRECTED, {"what": "banks", "flag_cleared": True}, formula
    ),
    "NBgF: a flag, but a sure win": Case(flagged, OVER, GIN),
    # the end
    "a game was closed too soon": Case(at_points, events.ReopenedEvent, {"was": "GAME_OVER"}),
    "a match was closed too soon": Case(finished, events.ReopenedEvent, {"was": "FINISHED"}),
    "a game is over without a clock": Case(without_clock, events.GameOverEvent, {"points": 2}),
    "a player gives up": Case(running, OVER, {"winner": RIGHT, "why": "forfeit"}),
    "the club closes": Case(running, events.AdjournedEvent, LEFTS, lambda t: not t.dialogue.page),
    "it goes on another day": Case(
        another_day,
        events.RestoredEvent,
        {"why": "taken_up"},
        lambda t: t.reserve_ns(LEFT) < t.state.bank_ns(),
    ),
    "the next match": Case(finished, events.MatchOpenedEvent, {}),
}

SAME: tuple[type[AnyEvent], dict[str, Any]] = (RESUMED, {"side": LEFT, "delay": ResumeWith.REST})
FREE: tuple[type[AnyEvent], dict[str, Any]] = (events.FreeTurnEvent, {"side": LEFT})
CHOSEN = events.ReasonChosenEvent

REASONS: dict[tuple[str, str], Case] = {  # by the first cell, and the first federation with presses
    ("No reason given", "all but NBgF"): Case(running, *SAME),
    ("Game over / drop", "all but NBgF"): Case(running, CHOSEN, {"reason": Reason.GAME_OVER}),
    ("Director called", "all but NBgF"): Case(running, *SAME),
    ("Die on the floor", "NBgF"): Case(running, *SAME),
    ("Dice picked up early", "all but NBgF"): Case(running, *FREE, right_has_no_delay),
    ("Dice picked up early", "NBgF"): Case(running, *SAME),
    ("Took dice and pressed", "all but NBgF"): Case(running, *SAME),
    ("Took dice and pressed", "NBgF"): Case(running, *FREE),
    ("Illegal move", "all but NBgF"): Case(
        running, RESUMED, {"side": RIGHT, "delay": ResumeWith.WAIT}
    ),
    ("Illegal move", "NBgF"): Case(running, RESUMED, {"side": RIGHT, "delay": ResumeWith.FULL}),
    ("Game decided: agreed", "all but NBgF"): Case(
        running, CHOSEN, {"reason": Reason.GAME_DECIDED}
    ),
    ("Decided? Not agreed", "all but NBgF"): Case(running, *SAME),
    ("Decided? Not agreed", "NBgF"): Case(running, CHOSEN, {"reason": Reason.NOT_DECIDED}),
    ("Roll disputed", "all but NBgF"): Case(running, *SAME),
    ("Invalid roll", "all but NBgF"): Case(
        running, RESUMED, {"side": LEFT, "delay": ResumeWith.FULL}
    ),
    ("Clock faulty", "all but NBgF"): Case(running, CHOSEN, {"reason": Reason.CLOCK_FAULTY}),
    ("Time expired", "all but NBgF"): Case(flagged, events.FlagClaimedEvent, {"side": LEFT}),
}
