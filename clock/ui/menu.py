"""The director's menu: its items, what each asks for and does, and which come first.

`items` leaves out only what is impossible now. What the rules call for in the situation comes
first; the other items follow in the order of `MENU`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from clock.match import inputs
from clock.match.corrections import BONUS
from clock.match.events import GameOverEvent
from clock.match.inputs import DIRECTOR, Ruling
from clock.match.lateness import late_player
from clock.match.rules import MAX_LENGTH, BothFlags, Lateness, Reason, Recorded
from clock.match.scoring import forfeits, game_kinds
from clock.match.state import AT_REST, MatchState
from clock.match.transitions import DIRECTOR_RULINGS
from clock.match.types import Crawford, NextDelay, Phase, Side
from clock.ui.forms import Entry, Number, Time
from clock.ui.menu_fields import (
    BANKS,
    MOST_POINTS,
    MakeEntry,
    Values,
    added_time_entry,
    banks_entry,
    crawford_entry,
    cube_entry,
    decision_reason_entry,
    delay_entry,
    end_reason_entry,
    end_reasons,
    language_entry,
    late_minutes_entry,
    mover,
    names_entry,
    number_entry,
    offence_entry,
    one_of,
    overtime_entry,
    penalty_entry,
    penalty_reason_entry,
    press_entry,
    reason_entry,
    reserves_to_give_back,
    resume_entry,
    ruler_entry,
    score_crawford_entry,
    side_entry,
    time_reason_entry,
    winner_entry,
)
from clock.units import MINUTE_NS

MOST_BREAKS = 9
FORFEITED = (NextDelay.SKIP, NextDelay.WAIT, (NextDelay.SKIP, True))  # delays
LATE_ITEMS = ("penalty", "waive_late")
TAKE_UP = "take_up"
CHANGE_NO_MATCH = (inputs.MatchWanted, inputs.ResumeMatchWanted, inputs.LanguageWanted, None)
"""The rulings of items that change no match: of the runtime, or only shown."""
CODES = "codes"  # of log and settings, where no page shows them: a game is on


class Item(NamedTuple):
    """A line of the menu."""

    name: str
    """Its texts are `item_NAME` and `about_NAME`."""
    kind: type[Ruling] | None
    """The ruling that it carries out; None for what is only shown."""
    entries: tuple[MakeEntry, ...] = ()
    """What it asks for, one after another."""
    possible: Callable[[MatchState], bool] = lambda _: True
    """Whether it makes sense in a phase in which the ruling is allowed."""
    fields: Callable[[MatchState, int, Values], Values] = lambda _state, _at_ns, values: values
    """The ruling's fields after `at_ns`, from the values entered."""
    of_players: bool = False
    """Whether the players are asked it: it is no item of the menu."""

    def asked(self, state: MatchState) -> tuple[MakeEntry, ...]:
        """Return what it asks for, and who rules if that is recorded and a match is on."""
        who = Recorded.WHO in state.settings.rules.record and state.phase is not Phase.REVIEW
        is_ruling = self.kind not in CHANGE_NO_MATCH and not self.of_players
        return (*self.entries, ruler_entry) if who and is_ruling else self.entries

    def next_entry(self, state: MatchState, values: Values) -> tuple[Entry | None, Values]:
        """Return what is asked after these values, and the values, None for what is not asked."""
        for make in self.asked(state)[len(values) :]:
            entry = make(state, values)
            if entry is not None:
                return entry, values
            values = (*values, None)
        return None, values

    def ruling(self, state: MatchState, at_ns: int, values: Values) -> Ruling:
        """Return the ruling with the values that were entered.

        Raises:
            ValueError: it has no ruling, and so no form.
        """
        if self.kind is None:
            raise ValueError(self.name)
        own, who = values[: len(self.entries)], values[len(self.entries) :]
        ruling = self.kind(at_ns, *self.fields(state, at_ns, own))
        return replace(ruling, ruled_by=who[0]) if who else ruling


def _time_after_adding(state: MatchState, at_ns: int, values: Values) -> Values:
    side, change_ns, *why = values
    new_ns = state.reserve_ns(side, at_ns) + change_ns
    return side, new_ns if state.flagless else max(0, new_ns), *_time_reason(why)


def _time_reason(values: Sequence[Any]) -> tuple[str, object]:
    """Return why a time is changed, and the reason of the director, who was asked for a penalty."""
    (why, reason), penalty_reason = values
    return why, reason or penalty_reason


def _owes_points(state: MatchState, side: Side) -> bool:
    return state.players[side].late.open > 0


def _for_either(among: Callable[[MatchState, Side], object]) -> Callable[[MatchState], bool]:
    """Return whether an item is possible: it is for a side that the entry of sides offers."""
    return lambda state: any(among(state, side) for side in Side)


def _has_flags(state: MatchState) -> bool:
    return not state.flagless


def _is_timed(state: MatchState) -> bool:
    return state.settings.rules.pace is None


def _has_delay(state: MatchState) -> bool:
    return bool(state.settings.rules.delay_ns)


_points_open = _for_either(_owes_points)


def _delay_fields(_state: MatchState, _at_ns: int, values: Values) -> Values:
    side, delay, reason = values
    return (side, *delay, reason) if isinstance(delay, tuple) else (side, delay, False, reason)


def _is_ready(state: MatchState) -> bool:
    return state.phase is Phase.READY


def _may_be_left(state: MatchState) -> bool:
    """Return whether another match may begin: a confirmed one may be left at 0-0 before a game."""
    return _is_ready(state) and state.before_first_game and not any((*state.score, *state.legs))


def _can_be_undone(state: MatchState) -> bool:
    """Return whether there is something to take back; a decided match goes *Back into play*."""
    if state.done is None:
        return False
    return state.phase is not Phase.FINISHED or not isinstance(state.done.event, GameOverEvent)


PLAYERS_CRAWFORD = Item(  # no item of the menu: the players are asked before the match (R107)
    "crawford",
    inputs.CrawfordSet,
    (crawford_entry,),
    fields=lambda _state, _at_ns, v: (*v, inputs.PLAYERS),
    of_players=True,
)
PLAYERS_CUBE = Item(  # the same, at the end of a game
    "cube",
    inputs.GameScored,
    (cube_entry,),
    fields=lambda state, _at_ns, v: v[0] or game_kinds(state)[0],
    of_players=True,
)
REASON = reason_entry()  # why the director rules so, which they need not say

_time_to_give_back = _for_either(reserves_to_give_back)

MENU: tuple[Item, ...] = (
    Item("undo", inputs.Undone, possible=_can_be_undone),
    Item("resume", inputs.TurnResumed, (side_entry("clock_of", mover), resume_entry)),
    Item("lift_hold", inputs.HoldLifted, (REASON,), possible=lambda state: state.held),
    Item(
        "set_time",
        inputs.TimeSet,
        (
            side_entry("clock_of", mover),
            lambda state, v: Time.of("time", state.reserve_ns(v[0], state.at_ns)),
            time_reason_entry,
            penalty_reason_entry,
        ),
        possible=_is_timed,
        fields=lambda _state, _at_ns, v: (*v[:2], *_time_reason(v[2:])),
    ),
    Item(
        "add_time",
        inputs.TimeSet,
        (side_entry("clock_of", mover), added_time_entry, time_reason_entry, penalty_reason_entry),
        possible=_is_timed,
        fields=_time_after_adding,
    ),
    Item(
        "give_back",
        inputs.TimeSet,
        (side_entry("clock_of", mover, reserves_to_give_back), press_entry, REASON),
        possible=lambda state: _is_timed(state) and _time_to_give_back(state),
        fields=lambda _state, _at_ns, v: (*v[:2], "given_back", v[2]),
    ),
    Item(
        "flag",
        inputs.FlagSet,
        (
            side_entry("flag_of", lambda state: state.first_flagged),
            one_of("flag", (0, "flag_none"), (1, "flag_first"), (2, "flag_second")),
            REASON,
        ),
        possible=_has_flags,
    ),
    Item(
        "overtime",
        inputs.OvertimeGranted,
        (side_entry("clock_of", lambda state: state.first_flagged), overtime_entry, REASON),
        possible=_has_flags,
    ),
    Item(
        "next_delay",
        inputs.DelayRuled,
        (side_entry("clock_of", mover), delay_entry, reason_entry(lambda v: v[1] in FORFEITED)),
        possible=_has_delay,
        fields=_delay_fields,
    ),
    Item(
        "off_clock",
        inputs.DelayRuled,
        (
            side_entry("clock_of", mover),
            one_of("how", (NextDelay.FULL, "delay_on_clock"), (NextDelay.FREE, "delay_free")),
            REASON,
        ),
        possible=lambda state: _is_timed(state) and not _has_delay(state),
        fields=_delay_fields,
    ),
    Item(
        "waive_late",
        inputs.LatenessWaived,
        (side_entry("points_of", late_player, _owes_points), REASON),
        possible=_points_open,
    ),
    Item(
        "bonus",
        inputs.PointsAwarded,
        (side_entry("for"), number_entry("points", lambda _state, _v: 1, MOST_POINTS), banks_entry),
        fields=lambda _state, _at_ns, v: (v[0].other, v[1], BONUS, bool(v[2])),
    ),
    Item(
        "score",
        inputs.ScoreSet,
        (
            side_entry("score_of"),
            lambda state, v: Number(
                "points", min(state.score[v[0]], state.length), 0, state.length
            ),
            score_crawford_entry,
            REASON,
        ),
        fields=lambda state, _at_ns, v: (*v[:3], state.phase is Phase.REVIEW, v[3]),
    ),
    Item(
        "length",
        inputs.LengthSet,
        (
            lambda state, _: Number("length", state.length, 1, MAX_LENGTH),
            lambda state, _v: BANKS if _is_timed(state) else None,
            REASON,
        ),
        possible=lambda state: state.phase in (Phase.REVIEW, Phase.READY, Phase.BREAK),
    ),
    Item(
        "end_without_winner",
        inputs.MatchEnded,
        (REASON,),
        fields=lambda state, _at_ns, v: (None, *end_reasons(state, None), *v),
    ),
    Item("new_match", inputs.MatchWanted, possible=_may_be_left),
    Item("shorten", inputs.MatchShortened),
    Item("names", inputs.NamesSet, (names_entry,), possible=lambda state: not state.unconfirmed),
    Item(
        "crawford",
        inputs.CrawfordSet,
        (crawford_entry, REASON),
        fields=lambda _state, _at_ns, v: (v[0], DIRECTOR, v[1]),
    ),
    Item(
        "breaks",
        inputs.BreaksSet,
        (
            side_entry("breaks_of"),
            number_entry(
                "breaks_taken", lambda state, v: state.players[v[0]].breaks_taken, MOST_BREAKS
            ),
            REASON,
        ),
    ),
    Item("break", inputs.BreakGranted, (side_entry("break_of"),)),
    Item(
        "absent",
        inputs.AbsenceNoted,
        (side_entry("absent_player", late_player), late_minutes_entry),
        fields=lambda _state, _at_ns, v: (v[0], v[1] * MINUTE_NS),
    ),
    Item("absent_clock", inputs.AbsentClockStarted, (side_entry("absent_player", late_player),)),
    Item("reset_banks", inputs.BanksReset, (REASON,), possible=_is_timed),
    Item("begin_times", inputs.TimesBegun, possible=lambda state: not _is_timed(state)),
    Item("approve", inputs.Approved),
    Item("swap", inputs.SidesSwapped),
    Item("language", inputs.LanguageWanted, (language_entry,)),
    Item(CODES, None, possible=lambda state: state.phase is Phase.STOPPED),
    Item("put_aside", inputs.Adjourned),
    Item("no_clock", inputs.ClockRemoved, (REASON,)),
    Item("end_match", inputs.MatchEnded, (winner_entry, end_reason_entry, decision_reason_entry)),
    Item(
        "penalty",  # the last one in a match: one press to the left
        inputs.PointsAwarded,
        (
            side_entry("against", late_player),
            offence_entry,
            penalty_entry,
            lambda state, v: banks_entry(state, v) if v[2] else None,
        ),
        fields=lambda _state, _at_ns, v: (v[0], v[2], v[1], bool(v[3])),
    ),
    Item("reopen", inputs.Reopened),
    Item(TAKE_UP, inputs.ResumeMatchWanted),  # has a page of its own: the matches are on the disk
    Item("new_match", inputs.MatchWanted, possible=lambda state: not _is_ready(state)),
    Item(
        "other_preset",
        inputs.MatchWanted,
        possible=lambda state: (
            state.phase is Phase.REVIEW and not all(player.confirmed for player in state.players)
        ),
    ),
)


def items(state: MatchState, *, presets: bool = False) -> tuple[Item, ...]:
    """Return what the director can do now, with what the rules call for first."""
    offered = [
        item
        for item in MENU
        if (item.kind is None or state.phase in DIRECTOR_RULINGS[item.kind].phases)
        and item.possible(state)
        and (presets or item.name != "other_preset")
    ]
    first = ("undo", *_proposals(state))
    offered.sort(key=lambda item: first.index(item.name) if item.name in first else len(first))
    return tuple(offered)


# --- what the rules call for ------------------------------------------------------------------

Names = tuple[str, ...]  # of items, most likely first


def _proposals(state: MatchState) -> Names:
    if state.flags_down and state.phase not in (Phase.GAME_OVER, *AT_REST):
        return _flagged(state)
    match state.phase:
        case Phase.FINISHED:
            return ("new_match", "reopen", "score")
        case Phase.PUT_ASIDE:
            return ("new_match", TAKE_UP)
        case Phase.GAME_OVER:
            return ("reopen", "score")
        case Phase.NO_CLOCK:
            return ("end_match", "score", "reopen")
        case Phase.STOPPED:
            return _stopped(state)
        case Phase.REVIEW | Phase.READY | Phase.BREAK:
            begin = () if state.phase is Phase.REVIEW else ("begin_times",)
            return (*_crawford_open(state), *begin, *(_late(state) or _between_games(state)))
        case Phase.RUNNING | Phase.FREE_TURN:
            return ()


def _flagged(state: MatchState) -> Names:
    """Return the proposals after a flag: the first to fall loses, if the order is known.

    EBF, DBgF 4.3(iii); NBgF 4-3-3.
    """
    rules = state.settings.rules
    first, called = state.first_flagged, bool(rules.overtime_called and rules.overtime_ns)
    if called and first and not state.players[first].overtime_used:  # not lost yet (USBGF)
        return ("overtime", "resume", "lift_hold", "end_match")
    if state.flags_down < len(Side):
        return ("end_match", "resume", "lift_hold", "set_time", "overtime")
    undetermined = _both_flags_item(state.settings.rules.both_flags)
    orders = {player.flag.order for player in state.players if player.flag}
    if len(orders) < len(Side):
        return (undetermined, "end_match", "resume", "lift_hold")
    return ("end_match", "resume", "lift_hold", undetermined)


def _both_flags_item(rule: BothFlags) -> str:
    match rule:
        case BothFlags.RESET:
            return "reset_banks"
        case BothFlags.NO_CLOCK:
            return "no_clock"


def _stopped(state: MatchState) -> Names:
    if state.held and state.reason is Reason.NOT_DECIDED:  # NBgF 4-3-2
        return ("add_time", "resume", "lift_hold")
    if state.held and state.reason is Reason.CLOCK_FAULTY:  # EBF 3.7(ii)
        return ("set_time", "resume", "lift_hold", "no_clock")
    return ("resume", "lift_hold", *_late(state), "set_time", "add_time", "give_back")


def _late(state: MatchState) -> Names:
    """Return the proposals for lateness: points and in the end the match, or the player's clock.

    EBF, DBgF 2.2(iv); NBgF 2-2-4 starts the clock; WBGF 2.2(iv) leaves the director the choice.
    """
    if any(forfeits(state, player.penalty_points) for player in state.players):
        return ("end_match",)
    match state.settings.rules.lateness:
        case Lateness.START_CLOCK:
            waits = (state.pause, *(player.absence for player in state.players))
            late = any(wait is not None and wait.points for wait in waits)
            return ("absent_clock",) if late else ()
        case Lateness.EITHER:
            return (*LATE_ITEMS, "absent_clock") if _points_open(state) else ()
        case Lateness.POINTS | Lateness.NONE:
            return LATE_ITEMS if _points_open(state) else ()


def _crawford_open(state: MatchState) -> Names:
    """Return the question that a score at the beginning leaves open (R91)."""
    return ("crawford",) if state.crawford is Crawford.UNKNOWN else ()


def _between_games(state: MatchState) -> Names:
    phase = state.phase
    if phase is Phase.REVIEW:  # EBF 3.5(iii), (iv)
        return ("approve", "other_preset", "absent", "swap", "score", "length")
    if phase is Phase.BREAK:
        return ("breaks", "absent_clock", "set_time", "add_time")
    penalty = () if state.done else ("penalty",)  # else it is the last: a press to the left
    return ("score", "add_time", *penalty, "set_time", "breaks", "absent")
